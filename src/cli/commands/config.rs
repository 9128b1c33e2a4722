//! `workbay config check`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Subcommand;
use jiff::Timestamp;

use crate::{
    cli::{
        Start,
        commands::{RunCommand, daemon},
        connection,
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
    keymap::{Keymap, commands::CommandKeys},
    model::{environment::HOST, wellknown},
    rules::resolve,
    theme::{ColorDepth, Theme, ThemeChoice},
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
    let files = files(&start.paths);
    if problems.is_empty() {
        output::line(&no_problems(&start.paths, &files))?;
    }
    if let Some(problem) = unknown_environment(&start.loaded) {
        output::remark(&format!("workbay: {problem}"));
    }
    remark_older_settings(start, &files);
    Ok(if problems.is_empty() { 0 } else { code::FAILED })
}

/// The existing configuration files that the daemon reads, too.
fn files(paths: &Paths) -> Vec<PathBuf> {
    let mut files = vec![
        SITE_FILE.into(),
        paths.config_file(),
        contexts::SITE_FILE.into(),
        paths.contexts_file(),
        resources::SITE_FILE.into(),
        paths.resources_file(),
        environments::SITE_FILE.into(),
        paths.environments_file(),
    ];
    files.retain(|file: &PathBuf| file.exists());
    files
}

fn no_problems(paths: &Paths, files: &[PathBuf]) -> String {
    if files.is_empty() {
        let user = paths.config_file();
        return tr!(
            "no configuration file found. The defaults apply. Your file would be {user}",
            user = user.display()
        );
    }
    tr!("no problems found in {files}", files = in_words(files))
}

fn in_words(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|it| it.display().to_string()).collect();
    names.join(", ")
}

/// The default environment may also be an image on the engine, which isn't asked here, so this isn't a mistake.
fn unknown_environment(loaded: &Loaded) -> Option<Problem> {
    let asked = &loaded.settings.launch.environment;
    let catalog = wellknown::completed(Vec::new(), &loaded.settings.environments);
    if asked == HOST || resolve::find(&catalog, asked).is_some() {
        return None;
    }
    let message = tr!("the environment catalog has no '{asked}'", asked);
    let help = match resolve::nearest_environment(&catalog, asked) {
        Some(near) => tr!("did you mean '{near}'?", near),
        None => tr!("it must be an image on the engine, see `workbay env ls`").to_owned(),
    };
    Some(loaded.blame("launch.environment", message, Some(help)))
}

/// The daemon reads the files when it starts.
fn remark_older_settings(start: &Start, files: &[PathBuf]) {
    if daemon::is_absent(&start.paths) {
        return;
    }
    // A daemon that doesn't respond is reported by the commands that need it.
    let Ok(status) = connection::block_on(daemon::ask(&start.paths)) else {
        return;
    };
    let mut changed = files.to_vec();
    changed.retain(|file| changed_at(file).is_some_and(|at| at > status.started_at));
    if changed.is_empty() {
        return;
    }
    output::remark(&tr!(
        "workbay: the running daemon uses the settings from before {changed} changed\n         Run \
         `workbay daemon stop`. Sessions and shells keep running",
        changed = in_words(&changed)
    ));
}

fn changed_at(file: &Path) -> Option<Timestamp> {
    let changed = fs::metadata(file).ok()?.modified().ok()?;
    Timestamp::try_from(changed).ok()
}

/// All problems in settings, theme and keymap.
pub fn problems(start: &Start) -> Vec<Problem> {
    let Start { paths, loaded, .. } = start;
    let mut problems = loaded.problems.clone();
    problems.extend(start.contexts.problems.iter().cloned());
    problems.extend(theme_problems(paths, loaded));
    problems.extend(keymap_problems(paths, loaded));
    problems.extend(command_problems(paths, loaded));
    in_order(problems)
}

/// The problems of each file together, by line.
fn in_order(mut problems: Vec<Problem>) -> Vec<Problem> {
    let files: Vec<PathBuf> = problems.iter().map(|it| it.file.clone()).collect();
    problems.sort_by_key(|it| {
        let file = files.iter().position(|file| *file == it.file);
        (file, it.line, it.column)
    });
    problems
}

fn theme_problems(paths: &Paths, loaded: &Loaded) -> Vec<Problem> {
    let dir = paths.themes_dir();
    let choice = ThemeChoice::read(&loaded.settings.ui.theme);
    let names = choice.names().into_iter();
    let problems = names.flat_map(|name| Theme::load(name, Some(&dir), ColorDepth::TrueColor).1);
    located(loaded, "ui.theme", problems.collect())
}

fn keymap_problems(paths: &Paths, loaded: &Loaded) -> Vec<Problem> {
    let dir = paths.keymaps_dir();
    let (_, problems) = Keymap::load(&loaded.settings.ui.keymap, Some(&dir));
    located(loaded, "ui.keymap", problems)
}

/// The keys of your own commands that conflict with the keymap or with each other.
fn command_problems(paths: &Paths, loaded: &Loaded) -> Vec<Problem> {
    let (keymap, _) = Keymap::load(&loaded.settings.ui.keymap, Some(&paths.keymaps_dir()));
    CommandKeys::bind(&loaded.commands, &keymap).1
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_in_the_order_of_their_lines() {
        let problem = |file: &str, line| Problem {
            file: file.into(),
            line,
            column: 1,
            message: String::new(),
            help: None,
        };
        let sorted = in_order(vec![problem("b", 7), problem("a", 2), problem("b", 3)]);
        let places: Vec<(&str, usize)> = sorted
            .iter()
            .map(|it| (it.file.to_str().unwrap(), it.line))
            .collect();
        assert_eq!(places, [("b", 3), ("b", 7), ("a", 2)]);
    }

    #[test]
    fn a_default_environment_outside_of_the_catalog_is_named() {
        let mut loaded = layer::defaults();
        loaded.settings.environments = environments::load(&crate::config::origin::Places {
            site: "/nowhere".into(),
            user: "/nowhere".into(),
        })
        .known;
        let mut says = |name: &str| {
            name.clone_into(&mut loaded.settings.launch.environment);
            unknown_environment(&loaded).map(|it| (it.message, it.help.unwrap()))
        };
        assert_eq!(says("host"), None);
        assert_eq!(says("python"), None);
        let (message, help) = says("pythn").unwrap();
        assert_eq!(message, "the environment catalog has no 'pythn'");
        assert_eq!(help, "did you mean 'python'?");
        assert!(
            says("my/own:1")
                .unwrap()
                .1
                .contains("an image on the engine")
        );
    }
}
