//! Completes a typed path of this machine.

use std::path::{Path, PathBuf};

use crate::{app::msg::PathCompletion, model::text::Clean};

/// Candidates that are shown.
const SHOWN: usize = 50;

/// The path as far as all files agree that begin like it. A relative path is below `directory`.
pub fn complete(typed: &str, directory: &Path) -> PathCompletion {
    let (above, begun) = match typed.rfind('/') {
        Some(at) => typed.split_at(at + 1),
        None => ("", typed),
    };
    if typed == "~" {
        return PathCompletion {
            typed: typed.to_owned(),
            text: "~/".to_owned(),
            candidates: Vec::new(),
        };
    }
    let mut names = names_in(&absolute(above, directory), begun);
    names.sort();
    let common = common_beginning(&names);
    let text = if names.is_empty() {
        typed.to_owned()
    } else {
        format!("{above}{common}")
    };
    let is_done = names.len() == 1;
    let shown = names.iter().take(SHOWN).filter(|_| !is_done);
    PathCompletion {
        typed: typed.to_owned(),
        text,
        candidates: shown.map(|name| Clean::new(name)).collect(),
    }
}

fn absolute(above: &str, directory: &Path) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match (above.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => directory.join(above),
    }
}

/// The names that begin so. A hidden one only counts if its dot was typed. A name that isn't text can't be typed.
fn names_in(directory: &Path, begun: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    let fits = |name: &String| {
        let is_hidden = name.starts_with('.') && !begun.starts_with('.');
        name.starts_with(begun) && !is_hidden && !name.chars().any(char::is_control)
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok().filter(fits)?;
            let is_directory = std::fs::metadata(entry.path()).is_ok_and(|it| it.is_dir());
            Some(if is_directory {
                format!("{name}/")
            } else {
                name
            })
        })
        .collect()
}

fn common_beginning(names: &[String]) -> String {
    let Some(first) = names.first() else {
        return String::new();
    };
    let mut common = first.as_str();
    for name in &names[1..] {
        let same = common.chars().zip(name.chars());
        let length = same.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8());
        common = &common[..length.sum()];
    }
    common.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_completed_as_far_as_it_is_clear() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["데이터-1.csv", "데이터-2.csv", ".hidden"] {
            std::fs::write(directory.path().join(name), "").unwrap();
        }
        std::fs::create_dir(directory.path().join("models")).unwrap();
        let complete = |typed: &str| complete(typed, directory.path());
        assert_eq!(complete("m").text, "models/");
        assert!(complete("m").candidates.is_empty());
        assert_eq!(complete("데").text, "데이터-");
        assert_eq!(complete("데").candidates.len(), 2);
        assert_eq!(complete("").candidates.len(), 3, "without the hidden one");
        assert_eq!(complete(".h").text, ".hidden");
        assert_eq!(complete("nothing").text, "nothing");
        let absolute = format!("{}/mod", directory.path().display());
        assert!(complete(&absolute).text.ends_with("/models/"));
    }
}
