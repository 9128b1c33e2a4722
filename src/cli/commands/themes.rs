//! `workbay themes`: lists the values for `ui.theme` and `ui.keymap`.

use clap::Args;
use serde::Serialize;

use crate::{
    cli::{
        args::Json,
        commands::RunCommand,
        fail::Outcome,
        invocation::Invocation,
        output::{self, Cell},
    },
    keymap, theme,
};

#[derive(Args, Debug)]
pub struct Themes {
    #[command(flatten)]
    pub format: Json,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ThemeRow {
    kind: &'static str,
    name: String,
    /// Whether it is a file of the user, not built into workbay.
    own: bool,
    in_use: bool,
}

impl RunCommand for Themes {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load_silently()?;
        let ui = &start.loaded.settings.ui;
        let themes = theme::names(Some(&start.paths.themes_dir()));
        let keymaps = keymap::names(Some(&start.paths.keymaps_dir()));
        let mut rows = vec![ThemeRow {
            kind: "theme",
            name: "auto".to_owned(),
            own: false,
            in_use: ui.theme == "auto",
        }];
        rows.extend(listed("theme", themes, &ui.theme));
        rows.extend(listed("keymap", keymaps, &ui.keymap));
        if self.format.json {
            output::json(&rows)?;
            return Ok(0);
        }
        let cells: Vec<Vec<Cell>> = rows.into_iter().map(cells).collect();
        output::print(&output::table(&["KIND", "NAME", "FROM", ""], &cells, false))?;
        Ok(0)
    }
}

fn listed(kind: &'static str, names: Vec<(String, bool)>, chosen: &str) -> Vec<ThemeRow> {
    names
        .into_iter()
        .map(|(name, own)| ThemeRow {
            kind,
            in_use: name == chosen,
            name,
            own,
        })
        .collect()
}

fn cells(row: ThemeRow) -> Vec<Cell> {
    let from = if row.own { "yours" } else { "workbay" };
    let mark = if row.in_use { "in use" } else { "" };
    vec![row.kind.into(), row.name.into(), from.into(), mark.into()]
}
