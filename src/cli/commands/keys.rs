//! `workbay keys`: lists every action, its scope and its keys.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::Serialize;

use crate::{
    action::{Action, Scope},
    cli::{
        args::Json,
        commands::{RunCommand, keys_check},
        fail::{Fail, Outcome, code},
        invocation::Invocation,
        output::{self, Cell},
    },
    keymap::Keymap,
    locale,
};

#[derive(Subcommand, Clone, Debug)]
pub enum KeysWhat {
    /// Show what each pressed key sends, what a program receives and which action is bound
    Test,
    /// Check a keymap for conflicts and unknown names (exit code 1 if there are mistakes)
    Check {
        /// Keymap file (default: your keymap). The file that it inherits from is looked up beside it
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        #[command(flatten)]
        format: Json,
    },
}

#[derive(Args, Debug, Default)]
pub struct Keys {
    #[command(subcommand)]
    pub what: Option<KeysWhat>,
    /// Keymap to list (default: yours)
    #[arg(long, value_name = "NAME")]
    pub keymap: Option<String>,
    #[command(flatten)]
    pub format: Json,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BindingRow {
    scope: &'static str,
    action: &'static str,
    keys: Vec<String>,
    doc: &'static str,
}

impl RunCommand for Keys {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load_silently()?;
        let wanted = self.keymap.as_ref();
        let name = wanted.unwrap_or(&start.loaded.settings.ui.keymap);
        if let Some(KeysWhat::Check { file, format }) = &self.what {
            let dir = start.paths.keymaps_dir();
            let json = format.json || self.format.json;
            return keys_check::run(name, (file.as_deref(), &dir), json);
        }
        let (keymap, problems) = Keymap::load(name, Some(&start.paths.keymaps_dir()));
        if let Some(problem) = problems.first() {
            return Err(Fail::new(code::FAILED, problem.to_string()));
        }
        if let Some(KeysWhat::Test) = self.what {
            (invocation.handlers.keys)(&keymap)?;
            return Ok(0);
        }
        let rows = rows(&keymap);
        if self.format.json {
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
                    locale::text(row.doc).into(),
                ]
            })
            .collect();
        output::print(&output::table(
            &[
                tr_later!("SCOPE"),
                tr_later!("ACTION"),
                tr_later!("KEYS"),
                tr_later!("WHAT IT DOES"),
            ],
            &cells,
            false,
        ))?;
        Ok(0)
    }
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
            doc: action.doc_in_english(),
        })
        .collect()
}
