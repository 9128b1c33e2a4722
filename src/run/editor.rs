//! Opens a text in the user's editor.

use std::{
    fs::OpenOptions,
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use uuid::Uuid;

/// Lets the user edit `text`, and blocks until the editor exits. An error is a sentence.
pub fn edit(text: &str) -> Result<String, String> {
    let variable = |name: &str| std::env::var(name).ok();
    let editor = editor(variable);
    let name = format!("workbay-{}.sh", Uuid::new_v4().simple());
    let draft = EditedFile(std::env::temp_dir().join(name));
    draft.write(text)?;
    run(&editor, &draft.0, tr!("the text is unchanged"))?;
    draft.read()
}

/// Lets the user edit a file, and blocks until the editor exits. An error is a sentence.
pub fn edit_file(path: &Path) -> Result<(), String> {
    let editor = editor(|name: &str| std::env::var(name).ok());
    run(&editor, path, tr!("the file isn't saved"))
}

/// Lets the user edit a file from a line on, and blocks until the editor exits. An error is a sentence.
pub fn edit_at(path: &Path, line: Option<usize>) -> Result<(), String> {
    let editor = editor(|name: &str| std::env::var(name).ok());
    let at = line.filter(|_| takes_line(&editor));
    let editor = at.map_or_else(|| editor.clone(), |line| format!("{editor} +{line}"));
    run(&editor, path, tr!("the file isn't saved"))
}

/// Whether an editor opens a file at a line with `+LINE`.
fn takes_line(editor: &str) -> bool {
    const KNOWN: &[&str] = &[
        "vi",
        "vim",
        "nvim",
        "view",
        "nano",
        "pico",
        "emacs",
        "emacsclient",
        "micro",
        "joe",
        "kak",
        "mg",
    ];
    let program = editor.split_whitespace().next().unwrap_or_default();
    let name = Path::new(program).file_name().and_then(|it| it.to_str());
    name.is_some_and(|name| KNOWN.contains(&name))
}

/// `kept` = what becomes of the text if the editor fails.
fn run(editor: &str, path: &Path, kept: &str) -> Result<(), String> {
    // Runs the editor through the shell, as git does, because the variable may contain arguments.
    let ended = Command::new("sh")
        .args(["-c", &format!("{editor} \"$1\""), "sh"])
        .arg(path)
        .status()
        .map_err(|error| tr!("the editor didn't start: {error}", error))?;
    if !ended.success() {
        return Err(tr!(
            "the editor '{editor}' failed ({ended}), so {kept}. Set EDITOR to another editor",
            editor,
            ended,
            kept
        ));
    }
    Ok(())
}

/// The user's editor, with its arguments.
fn editor(variable: impl Fn(&str) -> Option<String>) -> String {
    ["VISUAL", "EDITOR"]
        .into_iter()
        .filter_map(variable)
        .find(|value| !value.trim().is_empty())
        .unwrap_or_else(|| "vi".to_owned())
}

/// The file while it is edited. Only its owner can read it, and it is deleted after the edit.
struct EditedFile(PathBuf);

impl EditedFile {
    fn write(&self, text: &str) -> Result<(), String> {
        let with_path = |error: std::io::Error| format!("{}: {error}", self.0.display());
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&self.0)
            .map_err(with_path)?;
        let end = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        file.write_all(format!("{text}{end}").as_bytes())
            .map_err(with_path)
    }

    fn read(&self) -> Result<String, String> {
        let path: &Path = &self.0;
        let bytes = std::fs::read(path).map_err(|error| {
            tr!(
                "{path} can't be read back: {error}",
                path = path.display(),
                error
            )
        })?;
        String::from_utf8(bytes).map_err(|_| {
            tr!("the text isn't UTF-8, so it is unchanged. Save it as UTF-8").to_owned()
        })
    }
}

impl Drop for EditedFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_chooses_the_editor() {
        let with = |pairs: &'static [(&str, &str)]| {
            editor(|name| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(with(&[]), "vi");
        assert_eq!(with(&[("EDITOR", "nano -w")]), "nano -w");
        assert_eq!(with(&[("VISUAL", " "), ("EDITOR", "nano")]), "nano");
        assert_eq!(with(&[("VISUAL", "code"), ("EDITOR", "nano")]), "code");
    }

    #[test]
    fn only_known_editors_get_a_line() {
        for editor in ["vi", "/usr/bin/nano -w", "emacsclient -t"] {
            assert!(takes_line(editor), "{editor}");
        }
        for editor in ["code --wait", "ed", ""] {
            assert!(!takes_line(editor), "{editor}");
        }
    }

    #[test]
    fn a_draft_goes_and_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let draft = EditedFile(dir.path().join("draft"));
        draft.write("echo 세션").unwrap();
        assert_eq!(draft.read().unwrap(), "echo 세션\n");
        let path = draft.0.clone();
        drop(draft);
        assert!(!path.exists());
    }
}
