//! Writes `default` into `contexts.toml`, and changes nothing else in the file.

use std::{fs, path::Path};

use crate::{
    cli::fail::{Fail, code},
    config::{
        config_file,
        document::{Document, Item},
        saving,
    },
    model::id::ContextName,
};

/// Makes `context` the default of this file. Creates the file if it doesn't exist.
pub fn write(file: &Path, context: ContextName) -> Result<(), Fail> {
    let failed = |what: &str, why: &std::io::Error| {
        Fail::new(
            code::FAILED,
            format!("{} can't be {what}: {why}", file.display()),
        )
    };
    // Follows a link, because the user keeps the file that it points to.
    let file = &fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let before = config_file::text(file).map_err(|why| {
        let fail = Fail::new(code::FAILED, format!("{}: {}", file.display(), why.message));
        fail.hint(why.help.unwrap_or_default())
    })?;
    let before = before.unwrap_or_default();
    let after = changed(file, &before, context)?;
    saving::replace(file, &after).map_err(|why| failed("written", &why))
}

fn changed(file: &Path, before: &str, context: ContextName) -> Result<String, Fail> {
    let broken =
        |why: String| Fail::new(code::FAILED, why).hint("correct the file, then try again");
    let document = Document::parse(file, before).map_err(|why| broken(why.to_string()))?;
    let after = match document.get("default") {
        Some(item) => {
            let end = end_of(before, item).ok_or_else(|| {
                let (line, _) = document.position(item.at);
                broken(format!(
                    "{}:{line}: 'default' isn't a plain string",
                    file.display()
                ))
            })?;
            format!("{}\"{context}\"{}", &before[..item.at], &before[end..])
        }
        None => format!("default = \"{context}\"\n{}{before}", gap(before)),
    };
    // Parses the result before it is written, so that the user's file isn't damaged.
    let same = Document::parse(file, &after).is_ok_and(|document| {
        let default = document.get("default").and_then(|item| item.text().ok());
        default == Some(context.as_str())
    });
    if same {
        return Ok(after);
    }
    let why = format!(
        "{}: 'default' can't be changed automatically",
        file.display()
    );
    Err(broken(why))
}

fn gap(before: &str) -> &'static str {
    if before.is_empty() { "" } else { "\n" }
}

/// Where a single-line string ends, including its quotation mark.
fn end_of(text: &str, item: &Item) -> Option<usize> {
    item.text().ok()?;
    let rest = text.get(item.at..)?;
    let mark = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = &rest[1..];
    let three = inner.chars().take(2).filter(|c| *c == mark).count() == 2;
    if three {
        return None;
    }
    let line = inner.lines().next()?;
    let end = line.find(mark)?;
    (!line[..end].contains('\\')).then_some(item.at + 1 + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed_to(before: &str) -> String {
        let context = ContextName::new("prod").unwrap();
        changed(Path::new("contexts.toml"), before, context).unwrap()
    }

    #[test]
    fn only_the_value_changes() {
        assert_eq!(changed_to(""), "default = \"prod\"\n");
        let before = "# mine\ndefault = 'local' # for now\n\n[contexts.prod]\nkind = \"docker\"\n";
        assert_eq!(changed_to(before), before.replace("'local'", "\"prod\""));
        let before = "# mine\n[contexts.prod]\nkind = \"docker\"\n";
        assert_eq!(
            changed_to(before),
            format!("default = \"prod\"\n\n{before}")
        );
        assert_eq!(changed_to("default = \"\"\n"), "default = \"prod\"\n");
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        let context = ContextName::new("prod").unwrap();
        for before in ["default = 3\n", "default = \"\"\"x\"\"\"\n", "[contexts\n"] {
            let outcome = changed(Path::new("contexts.toml"), before, context);
            assert!(outcome.is_err(), "{before}");
        }
    }
}
