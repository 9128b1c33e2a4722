//! `workbay config check`.

use clap::Subcommand;

use crate::{
    cli::{
        Start,
        commands::RunCommand,
        fail::{Outcome, code},
        invocation::Invocation,
        output,
    },
    config::{
        Problem, contexts, environments,
        layer::{self, Loaded, SITE_FILE},
        paths::Paths,
        resources,
    },
    keymap::Keymap,
    theme::{self, ColorDepth, Theme},
};

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Check the configuration, theme and keymap (exit code 1 if there are problems)
    Check,
    /// Print the defaults with comments
    PrintDefault {
        /// Print the defaults of resources.toml: groups, presets, limits
        #[arg(long)]
        resources: bool,
        /// Print the built-in environment catalog
        #[arg(long, conflicts_with = "resources")]
        environments: bool,
    },
}

impl RunCommand for ConfigCommand {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        match self {
            Self::Check => check(&invocation.load_silently()?),
            Self::PrintDefault {
                resources,
                environments,
            } => print_default(resources, environments),
        }
    }
}

fn print_default(of_resources: bool, of_environments: bool) -> Outcome {
    output::print(match (of_resources, of_environments) {
        (true, _) => resources::EXAMPLE,
        (_, true) => environments::BUILTIN,
        _ => layer::DEFAULT,
    })?;
    Ok(0)
}

fn check(start: &Start) -> Outcome {
    let problems = problems(start);
    for problem in &problems {
        output::line(&problem.to_string())?;
    }
    if !problems.is_empty() {
        return Ok(code::FAILED);
    }
    let user = start.paths.config_file();
    let files = [
        SITE_FILE.into(),
        user.clone(),
        contexts::SITE_FILE.into(),
        start.paths.contexts_file(),
        resources::SITE_FILE.into(),
        start.paths.resources_file(),
        environments::SITE_FILE.into(),
        start.paths.environments_file(),
    ];
    let read: Vec<String> = files
        .into_iter()
        .filter(|file| file.exists())
        .map(|file| file.display().to_string())
        .collect();
    let text = if read.is_empty() {
        format!(
            "no configuration file found. The defaults apply. Your file would be {}",
            user.display()
        )
    } else {
        format!("no problems found in {}", read.join(", "))
    };
    output::line(&text)?;
    Ok(0)
}

/// All problems in settings, theme and keymap.
pub fn problems(start: &Start) -> Vec<Problem> {
    let Start { paths, loaded, .. } = start;
    let mut problems = loaded.problems.clone();
    problems.extend(start.contexts.problems.iter().cloned());
    problems.extend(theme_problems(paths, loaded));
    problems.extend(keymap_problems(paths, loaded));
    problems
}

fn theme_problems(paths: &Paths, loaded: &Loaded) -> Vec<Problem> {
    let name = theme::choose(&loaded.settings.ui.theme, None, ColorDepth::TrueColor);
    let dir = paths.themes_dir();
    let (_, problems) = Theme::load(name, Some(&dir), ColorDepth::TrueColor);
    located(loaded, "ui.theme", problems)
}

fn keymap_problems(paths: &Paths, loaded: &Loaded) -> Vec<Problem> {
    let dir = paths.keymaps_dir();
    let (_, problems) = Keymap::load(&loaded.settings.ui.keymap, Some(&dir));
    located(loaded, "ui.keymap", problems)
}

/// If a file doesn't exist, the problem is in the setting that names it.
fn located(loaded: &Loaded, key: &str, problems: Vec<Problem>) -> Vec<Problem> {
    problems
        .into_iter()
        .map(|problem| {
            if problem.line == 0 && !problem.file.exists() {
                return loaded.blame(key, problem.message, problem.help);
            }
            problem
        })
        .collect()
}
