//! Quotes the words of a command for a shell that only starts it. Pure.

/// One line that any shell reads as exactly these words, and that replaces the shell with the
/// program. `None` if the list is empty or a word can't be passed to a program.
///
/// A user's login shell need not be a POSIX shell. The line uses only what `sh`, `fish` and `csh`
/// read alike, so only plain characters are in quotes.
pub(super) fn command(argv: &[String]) -> Option<String> {
    let program = argv.first()?;
    if program.is_empty() || argv.iter().any(|word| word.contains('\0')) {
        return None;
    }
    // `exec` would read a name that begins with a dash as an option, so such a program is started
    // without `exec`.
    let mut line = String::from(if program.starts_with('-') { "" } else { "exec" });
    for word in argv {
        if !line.is_empty() {
            line.push(' ');
        }
        push(&mut line, word);
    }
    Some(line)
}

/// Adds a word: plain characters in quotes, quotes and backslashes outside them, escaped.
fn push(line: &mut String, word: &str) {
    if word.is_empty() {
        line.push_str("''");
    }
    let mut quoted = false;
    for one in word.chars() {
        let escaped = matches!(one, '\'' | '\\');
        if escaped == quoted {
            line.push('\'');
            quoted = !quoted;
        }
        if escaped {
            line.push('\\');
        }
        line.push(one);
    }
    if quoted {
        line.push('\'');
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    fn line(argv: &[&str]) -> Option<String> {
        let argv: Vec<String> = argv.iter().map(ToString::to_string).collect();
        command(&argv)
    }

    /// The arguments that a program gets when a shell runs the line.
    fn given(shell: &str, words: &[String]) -> Vec<String> {
        let mut argv = vec!["printf".to_owned(), "%s\\0".to_owned()];
        argv.extend_from_slice(words);
        let line = command(&argv).unwrap();
        let ran = Command::new(shell).arg("-c").arg(&line).output().unwrap();
        assert!(ran.status.success(), "{line}: {ran:?}");
        let printed = String::from_utf8(ran.stdout).unwrap();
        let mut words: Vec<String> = printed.split('\0').map(str::to_owned).collect();
        words.pop();
        words
    }

    #[test]
    fn words_stay_what_they_are() {
        assert_eq!(
            line(&["ls", "-l", "/tmp"]).unwrap(),
            "exec 'ls' '-l' '/tmp'"
        );
        assert_eq!(line(&["it's", ""]).unwrap(), r"exec 'it'\''s' ''");
        assert_eq!(line(&["-x"]).unwrap(), "'-x'");
        for none in [&[][..], &[""], &["a\0b"], &["a", "\0"]] {
            assert_eq!(line(none), None, "{none:?}");
        }
    }

    #[test]
    fn nothing_is_interpreted() {
        let odd = [
            "$HOME",
            "`id`",
            "$(id)",
            "*",
            "~",
            "a b",
            "a\nb",
            "'",
            "\\",
            "\\'",
            "'\\''",
            "\"",
            "!!",
            "A=b",
            "{a,b}",
            "#",
            "-",
            "--",
            "한글 ✓",
            "\\n",
            "\t",
            "",
        ]
        .map(str::to_owned);
        for shell in ["sh", "bash"] {
            assert_eq!(given(shell, &odd), odd, "{shell}");
        }
    }

    #[test]
    fn a_word_that_looks_like_an_assignment_is_a_program() {
        let line = line(&["A=b"]).unwrap();
        let ran = Command::new("sh").arg("-c").arg(line).output().unwrap();
        assert_eq!(ran.status.code(), Some(127));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_words_arrive(words in prop::collection::vec("[^\0]{0,12}|['\"\\\\$`!* \n]{1,6}", 1..6)) {
            prop_assert_eq!(given("sh", &words), words);
        }
    }
}
