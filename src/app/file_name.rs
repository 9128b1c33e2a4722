//! The names of files that the TUI saves.

/// A file name can have 255 bytes. The rest is for the suffix.
const LONGEST_NAME: usize = 192;

/// Turns a name into the beginning of a file name that can't lead to another directory or act as an option.
pub fn file_name(name: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let mut file = String::new();
    for c in name.chars().map(|c| if kept(c) { c } else { '_' }) {
        if file.len() + c.len_utf8() > LONGEST_NAME {
            break;
        }
        file.push(if file.is_empty() && c == '-' { '_' } else { c });
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_directory_its_file_is_saved_in() {
        for (name, file) in [
            ("my-session_1", "my-session_1"),
            ("세션", "세션"),
            ("../../etc/passwd", "______etc_passwd"),
            ("/etc", "_etc"),
            ("-rf", "_rf"),
            ("a\0\n\u{1b}[2J", "a____2J"),
            ("..", "__"),
        ] {
            assert_eq!(file_name(name), file, "{name:?}");
        }
        assert_eq!(file_name(&"세".repeat(300)).len(), LONGEST_NAME);
    }
}
