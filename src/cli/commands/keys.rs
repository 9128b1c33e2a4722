//! `workbay keys`: lists every action, its scope and its keys.

use serde::Serialize;

use crate::{
    action::{Action, Scope},
    cli::{
        Doors, Start,
        args::{Keys, KeysWhat},
        fail::{Fail, Outcome, code},
        output::{self, Cell},
    },
    keymap::Keymap,
};

#[derive(Serialize)]
struct BindingRow {
    scope: &'static str,
    action: &'static str,
    keys: Vec<String>,
    doc: &'static str,
}

pub fn keys(doors: &Doors, start: &Start, arguments: &Keys) -> Outcome {
    let wanted = arguments.keymap.as_ref();
    let name = wanted.unwrap_or(&start.loaded.settings.ui.keymap);
    let (keymap, problems) = Keymap::load(name, Some(&start.paths.keymaps_dir()));
    if let Some(problem) = problems.first() {
        return Err(Fail::new(code::FAILED, problem.to_string()));
    }
    if let Some(KeysWhat::Test) = arguments.what {
        (doors.keys)(&keymap)?;
        return Ok(0);
    }
    let rows = rows(&keymap);
    if arguments.format.json {
        output::json(&rows)?;
        return Ok(0);
    }
    let cells: Vec<Vec<Cell>> = rows
        .iter()
        .map(|row| {
            let keys = row.keys.join(", ");
            vec![
                row.scope.into(),
                row.action.into(),
                keys.into(),
                row.doc.into(),
            ]
        })
        .collect();
    output::print(&output::table(
        &["SCOPE", "ACTION", "KEYS", "WHAT IT DOES"],
        &cells,
        false,
    ))?;
    Ok(0)
}

/// A row for each scope in which an action may be bound.
fn rows(keymap: &Keymap) -> Vec<BindingRow> {
    let places = Scope::ALL.iter().flat_map(|scope| {
        let here = Action::ALL
            .iter()
            .filter(|action| action.scopes().contains(scope));
        here.map(|action| (*scope, *action))
    });
    places
        .map(|(scope, action)| BindingRow {
            scope: scope.name(),
            action: action.name(),
            keys: keymap.keys_for(scope, action),
            doc: action.doc(),
        })
        .collect()
}
