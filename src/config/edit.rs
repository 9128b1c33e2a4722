//! Changes one value in a configuration file of the user, and nothing else in it: comments, order and layout stay.

use std::{fs, ops::Range, path::Path};

use toml::de::{DeTable, DeValue};

use super::{
    Problem, config_file,
    document::{Document, Item, Value},
    saving,
    writing::quoted,
};

/// Sets `key` of `table` to a string in the file, or a top-level key if there is no table. Creates the file, the
/// table and the key if they don't exist. The error is a file that can't be read, changed or written.
pub fn set_text(file: &Path, table: Option<&str>, key: &str, value: &str) -> Result<(), Problem> {
    in_file(file, |file, before| {
        if let Some(item) = item(&Document::parse(file, before)?, table, key)
            && end_of(before, item).is_none()
        {
            let (line, _) = Document::parse(file, before)?.position(item.at);
            let message = tr!("'{key}' isn't a plain string", key);
            let help = tr!("correct the file, then try again");
            return Err(problem(file, line, message, help));
        }
        changed(file, before, (table, key), &quoted(value))
    })
}

/// Like [`set_text`], for a value of any type, which is written as it is: `true`, `["a"]`.
pub fn set(file: &Path, table: &str, key: &str, toml: &str) -> Result<(), Problem> {
    in_file(file, |file, before| {
        changed(file, before, (Some(table), key), toml)
    })
}

/// Removes the line of `key` from `table`. Comments above it stay. A file without the key stays as it is.
pub fn remove(file: &Path, table: &str, key: &str) -> Result<(), Problem> {
    in_file(file, |file, before| without(file, before, table, key))
}

/// Replaces the text of a file completely or not at all.
fn in_file(
    file: &Path,
    change: impl FnOnce(&Path, &str) -> Result<String, Problem>,
) -> Result<(), Problem> {
    // Follows a link, because the user keeps the file that it points to.
    let file = &fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let before = config_file::text(file)?.unwrap_or_default();
    let after = change(file, &before)?;
    if after == before {
        return Ok(());
    }
    saving::replace(file, &after).map_err(|why| {
        let message = tr!("can't be written: {why}", why);
        problem(
            file,
            0,
            message,
            tr!("check the permissions of the file and its directory"),
        )
    })
}

/// The text of the file with the new value.
fn changed(
    file: &Path,
    before: &str,
    (table, key): (Option<&str>, &str),
    value: &str,
) -> Result<String, Problem> {
    Document::parse(file, before)?;
    let after = match span(before, table, key) {
        Some(span) => format!("{}{value}{}", &before[..span.start], &before[span.end..]),
        None => with_line(before, table, &format!("{key} = {value}")),
    };
    checked(file, before, after, (table, key))
}

/// The text of the file without a key.
fn without(file: &Path, before: &str, table: &str, key: &str) -> Result<String, Problem> {
    Document::parse(file, before)?;
    let Some(span) = span(before, Some(table), key) else {
        return Ok(before.to_owned());
    };
    let start = before[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = before[span.end..]
        .find('\n')
        .map_or(before.len(), |at| span.end + at + 1);
    let after = format!("{}{}", &before[..start], &before[end..]);
    checked(file, before, after, (Some(table), key))
}

/// Compares the result before it is written, so that the user's file isn't damaged.
fn checked(
    file: &Path,
    before: &str,
    after: String,
    (table, key): (Option<&str>, &str),
) -> Result<String, Problem> {
    if is_same_otherwise(before, &after, (table, key)) {
        return Ok(after);
    }
    let message = tr!("'{key}' can't be changed automatically", key);
    Err(problem(file, 0, message, tr!("change it in the file")))
}

/// The bytes of a value.
fn span(text: &str, table: Option<&str>, key: &str) -> Option<Range<usize>> {
    let root = DeTable::parse(text).ok()?;
    let root = root.get_ref();
    let Some(table) = table else {
        return Some(root.get(key)?.span());
    };
    match root.get(table)?.get_ref() {
        DeValue::Table(entries) => Some(entries.get(key)?.span()),
        _ => None,
    }
}

fn problem(file: &Path, line: usize, message: String, help: &str) -> Problem {
    Problem {
        file: file.to_path_buf(),
        line,
        column: usize::from(line > 0),
        message,
        help: Some(help.to_owned()),
    }
}

fn item<'a>(document: &'a Document, table: Option<&str>, key: &str) -> Option<&'a Item> {
    let Some(table) = table else {
        return document.get(key);
    };
    let Value::Table(entries) = &document.get(table)?.value else {
        return None;
    };
    let entry = entries.iter().find(|entry| entry.key == key)?;
    Some(&entry.item)
}

/// Adds a line below the head of its table, or a table at the end. A line without a table is the first one.
fn with_line(before: &str, table: Option<&str>, line: &str) -> String {
    let gap = if before.is_empty() { "" } else { "\n" };
    let Some(table) = table else {
        return format!("{line}\n{gap}{before}");
    };
    let head = format!("[{table}]");
    let mut at = 0;
    for text in before.split_inclusive('\n') {
        at += text.len();
        let rest = text.trim().strip_prefix(head.as_str());
        let is_head = rest.is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.is_empty() || rest.starts_with('#')
        });
        if is_head {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            return format!("{}{end}{line}\n{}", &before[..at], &before[at..]);
        }
    }
    let end = if before.is_empty() || before.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{before}{end}{gap}{head}\n{line}\n")
}

/// Whether both texts say the same, except for the value of the key.
fn is_same_otherwise(before: &str, after: &str, (table, key): (Option<&str>, &str)) -> bool {
    let without = |text: &str| {
        let mut root: toml::Table = text.parse().ok()?;
        match table {
            None => {
                root.remove(key);
            }
            Some(table) => {
                if let Some(toml::Value::Table(entries)) = root.get_mut(table) {
                    entries.remove(key);
                    if entries.is_empty() {
                        root.remove(table);
                    }
                }
            }
        }
        Some(root)
    };
    let (before, after) = (without(before), without(after));
    before.is_some() && before == after
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

    fn changed_to(before: &str, table: Option<&str>, key: &str) -> String {
        changed(Path::new("config.toml"), before, (table, key), "\"prod\"").unwrap()
    }

    #[test]
    fn only_the_value_changes() {
        let top = |before: &str| changed_to(before, None, "default");
        assert_eq!(top(""), "default = \"prod\"\n");
        let before = "# mine\ndefault = 'local' # for now\n\n[contexts.prod]\nkind = \"docker\"\n";
        assert_eq!(top(before), before.replace("'local'", "\"prod\""));
        let before = "# mine\n[contexts.prod]\nkind = \"docker\"\n";
        assert_eq!(top(before), format!("default = \"prod\"\n\n{before}"));
        assert_eq!(top("default = \"\"\n"), "default = \"prod\"\n");
    }

    #[test]
    fn a_setting_of_a_table_is_changed_or_added_with_all_comments_kept() {
        let theme = |before: &str| changed_to(before, Some("ui"), "theme");
        assert_eq!(theme(""), "[ui]\ntheme = \"prod\"\n");
        let before =
            "# mine\n[ui] # looks\n# the theme\ntheme = \"auto\"  # soon another\nmouse = false\n";
        assert_eq!(theme(before), before.replace("\"auto\"", "\"prod\""));
        let before = "[ui]\nmouse = false # no\n\n[notifications]\nquiet = true\n";
        let after = before.replace("[ui]\n", "[ui]\ntheme = \"prod\"\n");
        assert_eq!(theme(before), after);
        let before = "[notifications]\nquiet = true";
        assert_eq!(
            theme(before),
            format!("{before}\n\n[ui]\ntheme = \"prod\"\n")
        );
        let before = "ui.theme = \"auto\"\nui.mouse = true\n";
        assert_eq!(theme(before), before.replace("\"auto\"", "\"prod\""));
        let before = "ui = { theme = 'auto', mouse = true }\n";
        assert_eq!(theme(before), before.replace("'auto'", "\"prod\""));
        assert_eq!(theme("[ui]"), "[ui]\ntheme = \"prod\"\n");
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        let outcome = |before: &str, table: Option<&str>, key: &str| {
            fs::write(&file, before).unwrap();
            let outcome = set_text(&file, table, key, "prod");
            assert_eq!(fs::read_to_string(&file).unwrap(), before);
            outcome
        };
        for before in ["default = 3\n", "default = \"\"\"x\"\"\"\n", "[contexts\n"] {
            assert!(outcome(before, None, "default").is_err(), "{before}");
        }
        for before in [
            "ui = 3\n",
            "ui.mouse = true\n",
            "[ui]\ntheme = true\n",
            "text = \"\"\"\n[ui]\n\"\"\"\n",
        ] {
            let outcome = outcome(before, Some("ui"), "theme");
            assert!(outcome.unwrap_err().help.is_some(), "{before}");
        }
    }

    #[test]
    fn values_of_any_type_are_replaced_and_lines_removed_with_all_other_comments_kept() {
        let set = |before: &str, value: &str| {
            let place = (Some("ui"), "mouse");
            changed(Path::new("config.toml"), before, place, value).unwrap()
        };
        let before = "# top\n[ui] # looks\n# the mouse\nmouse = true # yes\ntheme = \"a\"\n";
        assert_eq!(set(before, "false"), before.replace("true", "false"));
        let list = "[ui]\nmouse = [\n  \"a\", # one\n  \"b\",\n]\ntheme = \"a\"\n";
        assert_eq!(
            set(list, "[\"c\"]"),
            "[ui]\nmouse = [\"c\"]\ntheme = \"a\"\n"
        );
        assert_eq!(set("", "false"), "[ui]\nmouse = false\n");

        let removed = |before: &str| without(Path::new("config.toml"), before, "ui", "mouse");
        assert_eq!(
            removed(before).unwrap(),
            before.replace("mouse = true # yes\n", "")
        );
        assert_eq!(removed(list).unwrap(), "[ui]\ntheme = \"a\"\n");
        assert_eq!(removed("[ui]\nmouse = true").unwrap(), "[ui]\n");
        assert_eq!(removed("a = 1\n").unwrap(), "a = 1\n");
        // A line with more in it isn't removed.
        let inline = "ui = { theme = 'auto', mouse = true }\n";
        assert!(removed(inline).is_err());
        assert_eq!(set(inline, "false"), inline.replace("true", "false"));
    }
}
