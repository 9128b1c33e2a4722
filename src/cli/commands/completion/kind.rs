//! Which values an argument takes, and where they come from.

use std::time::Duration;

use clap::{Arg, ValueHint};

use super::{Candidate, daemon, place::Place};
use crate::{
    cli::{Start, args::GlobalOptions, commands::ls::column::Column},
    keymap, theme,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Files,
    Contexts,
    Themes,
    Keymaps,
    /// Variables of the caller's environment.
    Variables,
    /// Columns that `ls` sorts by.
    Sort,
    /// Values that the daemon knows.
    Known(Known),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    Sessions(Which),
    Kernels,
    Environments,
    /// Environments whose image a launch would pull.
    Absent,
    Images,
    Groups,
    Presets,
    Folders,
    TrashedFolders,
    Agents,
    Projects,
    Accelerators,
    Recents,
}

/// The sessions that a command accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Any,
    Running,
    Waiting,
    NotEnded,
    Ended,
}

/// `None` = the values of this argument are unknown.
pub fn of(path: &[&str], argument: &Arg) -> Option<Kind> {
    let id = argument.get_id().as_str();
    Some(match (path, id) {
        (_, "session" | "sessions") => Kind::Known(Known::Sessions(which(path))),
        (_, "context") | (["context", _], "name") => Kind::Contexts,
        (_, "theme") => Kind::Themes,
        (_, "keymap") => Kind::Keymaps,
        (["ls"], "sort") => Kind::Sort,
        (["env", "pull"], "image") => Kind::Known(Known::Absent),
        (["launch" | "run" | "relaunch"] | ["recent", "launch"], _) => of_launch(id, argument)?,
        (["folder", _], "folder" | "folders") => Kind::Known(Known::Folders),
        (["folder", _], "trashed") => Kind::Known(Known::TrashedFolders),
        (["shell" | "exec" | "logs"], "kernel") => Kind::Known(Known::Kernels),
        (["recent", _], "id") => Kind::Known(Known::Recents),
        (["resources"], "project") => Kind::Known(Known::Projects),
        _ => files(argument)?,
    })
}

fn of_launch(id: &str, argument: &Arg) -> Option<Kind> {
    Some(match id {
        "env" => Kind::Known(Known::Environments),
        "image" => Kind::Known(Known::Images),
        "group" => Kind::Known(Known::Groups),
        "preset" => Kind::Known(Known::Presets),
        "mounts" | "save_into" => Kind::Known(Known::Folders),
        "agent" => Kind::Known(Known::Agents),
        "project" => Kind::Known(Known::Projects),
        "accelerators" => Kind::Known(Known::Accelerators),
        "id" => Kind::Known(Known::Recents),
        "variables" => Kind::Variables,
        _ => files(argument)?,
    })
}

fn files(argument: &Arg) -> Option<Kind> {
    (argument.get_value_hint() == ValueHint::AnyPath).then_some(Kind::Files)
}

fn which(path: &[&str]) -> Which {
    match path.first().copied().unwrap_or_default() {
        "shell" | "exec" | "commit" | "extend" | "top" => Which::Running,
        "priority" => Which::Waiting,
        "terminate" | "wait" => Which::NotEnded,
        "rm" => Which::Ended,
        _ => Which::Any,
    }
}

impl Kind {
    pub fn candidates(
        self,
        place: &Place<'_>,
        start: impl Fn(&GlobalOptions) -> Option<Start>,
        patience: Duration,
    ) -> Vec<Candidate> {
        let plain = |names: Vec<String>| {
            let names = names.into_iter();
            names.map(|name| Candidate::new(name, "")).collect()
        };
        let options = GlobalOptions {
            context: place.given("context").map(str::to_owned),
            ..GlobalOptions::default()
        };
        match self {
            // The shell completes them.
            Self::Files => Vec::new(),
            Self::Variables => {
                let names = std::env::vars_os().map(|(name, _)| name.into_string());
                plain(names.flatten().collect())
            }
            Self::Sort => {
                let names = Column::ALL.into_iter().map(|it| it.name().to_owned());
                let ways = |name: String| [format!("{name}:asc"), format!("{name}:desc")];
                let named: Vec<String> = if place.typed.contains(':') {
                    names.flat_map(ways).collect()
                } else {
                    names.collect()
                };
                plain(named)
            }
            Self::Contexts => start(&options).map_or_else(Vec::new, |start| {
                plain(start.contexts.names().map(str::to_owned).collect())
            }),
            Self::Themes => start(&options).map_or_else(Vec::new, |start| {
                let own = theme::names(Some(&start.paths.themes_dir()));
                plain(own.into_iter().map(|(name, _)| name).collect())
            }),
            Self::Keymaps => start(&options).map_or_else(Vec::new, |start| {
                let own = keymap::names(Some(&start.paths.keymaps_dir()));
                plain(own.into_iter().map(|(name, _)| name).collect())
            }),
            Self::Known(known) => {
                let start = start(&options);
                start.map_or_else(Vec::new, |start| {
                    daemon::known(&start, known, place, patience)
                })
            }
        }
    }
}
