//! Finds every conflict of a keymap file, with the places of both bindings, for `workbay keys check`.

use std::path::{Path, PathBuf};

use super::{
    library,
    read::{self, Binding, Bindings, FaultKind, KeyFault},
};
use crate::{
    action::Scope,
    config::{
        Problem,
        document::{Document, DocumentFault},
    },
};

/// A problem of a keymap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyProblem {
    pub kind: FaultKind,
    pub problem: Problem,
    /// The place of the other binding, if two of them conflict.
    pub other: Option<KeyPlace>,
    /// The keymap works, but a key can't be pressed in one view.
    pub is_note: bool,
}

/// A place in a keymap file, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPlace {
    pub file: PathBuf,
    pub line: usize,
    pub column: usize,
}

/// The problems of a keymap by its name, or of a file. The file's ancestors are looked up beside it. The error is the
/// only problem: the file can't be read, or isn't TOML.
pub fn check(name: &str, dir: Option<&Path>) -> Result<Vec<KeyProblem>, Problem> {
    let chain = library(dir).chain(name)?;
    let (bindings, faults) = read::of_chain(&chain);
    let faults = faults.into_iter();
    let mut problems: Vec<KeyProblem> = faults
        .filter_map(|(number, fault)| problem(&chain, number, fault, false))
        .collect();
    let hidden = hidden(&bindings).into_iter();
    problems.extend(hidden.filter_map(|(number, fault)| problem(&chain, number, fault, true)));
    Ok(problems)
}

fn problem(chain: &[Document], number: usize, it: KeyFault, is_note: bool) -> Option<KeyProblem> {
    let other = it.other.and_then(|(number, at)| {
        let document = chain.get(number)?;
        let (line, column) = document.position(at);
        Some(KeyPlace {
            file: document.file().to_path_buf(),
            line,
            column,
        })
    });
    Some(KeyProblem {
        kind: it.kind,
        problem: chain.get(number)?.problem(it.fault),
        other,
        is_note,
    })
}

/// Whether keys that a scope doesn't bind are looked up in `Global`, and aren't typed into a text.
fn leads_to_global(scope: Scope) -> bool {
    !matches!(
        scope,
        Scope::Global
            | Scope::Terminal
            | Scope::Leader
            | Scope::Input
            | Scope::Launcher
            | Scope::Contexts
            | Scope::Shells
            | Scope::Palette
            | Scope::Help
    )
}

/// Sequences of `Global` that can't be pressed in a view, because the view binds their first keys alone.
fn hidden(bindings: &Bindings) -> Vec<(usize, KeyFault)> {
    let global = bindings.iter().filter(|it| it.scope == Scope::Global);
    let mut found = Vec::new();
    for long in global.filter(|it| it.keys.len() > 1) {
        let hides = |short: &&Binding| {
            leads_to_global(short.scope)
                && short.keys.len() < long.keys.len()
                && long.keys.starts_with(&short.keys)
        };
        for short in bindings.iter().filter(hides) {
            let (begin, whole) = (read::text(&short.keys), read::text(&long.keys));
            let scope = short.scope.name();
            let message = tr!(
                "'{whole}' of [global] can't be pressed in [{scope}], which binds '{begin}'",
                whole,
                scope,
                begin
            );
            let fault = DocumentFault::new(long.at, message).help(tr!(
                "unbind it there: \"{begin}\" = \"none\" in [{scope}]",
                begin,
                scope
            ));
            let fault = KeyFault::new(FaultKind::Shadowed, fault).with(short);
            found.push((long.file, fault));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keymap::builtin;

    fn checked(text: &str) -> Vec<KeyProblem> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("mine.toml"), text).unwrap();
        check("mine", Some(dir.path())).unwrap()
    }

    fn place(problem: &KeyProblem) -> (usize, Option<usize>) {
        let other = problem.other.as_ref().map(|it| it.line);
        (problem.problem.line, other)
    }

    #[test]
    fn built_in_keymaps_have_no_problem_and_no_hidden_key() {
        for keymap in builtin::KEYMAPS {
            assert_eq!(check(keymap.name, None).unwrap(), [], "{}", keymap.name);
        }
    }

    #[test]
    fn both_places_of_a_conflict_are_reported() {
        let found = checked(
            "inherits = \"default\"\n[sessions]\n\"z\" = \"session.logs\"\n\"z z\" = \"list.first\"\n",
        );
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].kind, FaultKind::Shadowed);
        assert_eq!(place(&found[0]), (4, Some(3)));
        let other = found[0].other.as_ref().unwrap();
        assert!(other.file.ends_with("mine.toml"));

        // The same key in two spellings.
        let found =
            checked("[sessions]\n\"ctrl-a\" = \"list.first\"\n\"Ctrl-a\" = \"list.last\"\n");
        assert_eq!(found[0].kind, FaultKind::Double);
        assert_eq!(place(&found[0]), (3, Some(2)));
    }

    #[test]
    fn a_conflict_with_an_inherited_key_names_the_other_file() {
        let found = checked("inherits = \"default\"\n[sessions]\n\"j j\" = \"session.logs\"\n");
        let other = found[0].other.as_ref().unwrap();
        assert_eq!(other.file, Path::new("keymaps/default.toml"));
        assert!(other.line > 1);
    }

    #[test]
    fn unknown_names_have_a_kind_and_the_nearest_name() {
        let found = checked(
            "[sesions]\n\"j\" = \"list.down\"\n[logs]\n\"j\" = \"list.donw\"\n\"k\" = \"session.open\"\n\"ctrl-\" = \"list.up\"\n",
        );
        let kinds: Vec<&str> = found.iter().map(|it| it.kind.word()).collect();
        assert_eq!(
            kinds,
            [
                "unknown-scope",
                "unknown-action",
                "wrong-scope",
                "unknown-key"
            ]
        );
        let help = found[1].problem.help.as_deref().unwrap();
        assert!(help.contains("list.down"), "{help}");
    }

    #[test]
    fn a_sequence_that_a_view_hides_is_a_note() {
        let found = checked("inherits = \"default\"\n[global]\n\"g t\" = \"tab.next\"\n");
        assert!(
            found
                .iter()
                .all(|it| it.is_note && it.kind == FaultKind::Shadowed)
        );
        let of_logs = found
            .iter()
            .find(|it| it.problem.message.contains("[logs]"));
        assert!(of_logs.unwrap().other.is_some());
    }
}
