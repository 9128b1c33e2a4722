//! `workbay themes`: lists the values for `ui.theme` and `ui.keymap`, and shows and checks themes.

pub mod check;
pub mod show;

use clap::{Args, Subcommand};
use serde::Serialize;

use crate::{
    cli::{
        Start,
        args::Json,
        commands::RunCommand,
        fail::Outcome,
        invocation::Invocation,
        output::{self, Cell},
    },
    keymap, locale, theme,
};

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Themes {
    #[command(subcommand)]
    what: Option<ThemesCommand>,
    #[command(flatten)]
    format: Json,
}

#[derive(Debug, Subcommand)]
enum ThemesCommand {
    /// List the available themes and keymaps
    Ls(Json),
    /// Show the colors of a theme as this terminal shows them
    Show {
        /// Name of the theme (default: yours)
        theme: Option<String>,
        #[command(flatten)]
        format: Json,
    },
    /// Check themes for mistakes and for text that is hard to read (exit code 1 if there are problems)
    Check {
        /// Name of a theme or a theme file (default: yours, and all in your themes directory)
        #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
        theme: Option<String>,
        #[command(flatten)]
        format: Json,
    },
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
        match self.what {
            None => ls(start, self.format.json),
            Some(ThemesCommand::Ls(format)) => ls(start, format.json),
            Some(ThemesCommand::Show { theme, format }) => show::run(start, theme, format.json),
            Some(ThemesCommand::Check { theme, format }) => check::run(start, theme, format.json),
        }
    }
}

fn ls(start: &Start, json: bool) -> Outcome {
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
    if json {
        output::json(&rows)?;
        return Ok(0);
    }
    let cells: Vec<Vec<Cell>> = rows.into_iter().map(cells).collect();
    output::print(&output::table(
        &[tr_later!("KIND"), tr_later!("NAME"), tr_later!("FROM"), ""],
        &cells,
        false,
    ))?;
    Ok(0)
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
    let from = if row.own {
        tr_in!("file", "yours")
    } else {
        "workbay"
    };
    let mark = if row.in_use { tr!("in use") } else { "" };
    vec![
        locale::text(row.kind).into(),
        row.name.into(),
        from.into(),
        mark.into(),
    ]
}
