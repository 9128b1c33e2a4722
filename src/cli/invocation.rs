//! What a command gets besides its own arguments.

use super::{
    args::GlobalOptions,
    fail::Fail,
    handlers::{Handlers, Start},
    output,
};
use crate::{
    config::{
        self,
        layer::{self, Loaded},
        origin::Places,
        paths::Paths,
    },
    locale::Catalog,
};

/// One invocation of the program.
#[derive(Clone, Copy)]
pub struct Invocation<'a> {
    pub handlers: &'a Handlers,
    pub options: &'a GlobalOptions,
    /// The settings, if they were already read without a problem.
    pub early: Option<&'a Loaded>,
}

impl Invocation<'_> {
    /// Finds the directories and reads the settings, with a remark on problems: a broken file doesn't stop a
    /// command, but is reported.
    pub fn load(&self) -> Result<Start, Fail> {
        let start = self.load_silently()?;
        remark_problems(&start);
        Ok(start)
    }

    /// Like [`Self::load`], without remarks on problems.
    pub fn load_silently(&self) -> Result<Start, Fail> {
        load(self.options, self.early)
    }
}

/// Finds the directories and reads the settings, except those in `early`.
pub fn load(options: &GlobalOptions, early: Option<&Loaded>) -> Result<Start, Fail> {
    let paths = Paths::resolve().map_err(|error| Fail::usage(error.to_string()))?;
    let mut loaded = early.map_or_else(|| settings(&paths).0, Loaded::clone);
    loaded.take_resources(config::resources::load(&Places {
        site: config::resources::SITE_FILE.into(),
        user: paths.resources_file(),
    }));
    loaded.take_environments(config::environments::load(&Places {
        site: config::environments::SITE_FILE.into(),
        user: paths.environments_file(),
    }));
    apply(options, &mut loaded);
    let places = Places {
        site: config::contexts::SITE_FILE.into(),
        user: paths.contexts_file(),
    };
    let asked = options
        .context
        .clone()
        .or_else(|| variable("WORKBAY_CONTEXT"));
    Ok(Start {
        paths,
        loaded,
        contexts: config::contexts::load(&places, variable),
        requested_context: asked.filter(|name| !name.is_empty()),
        layout: options.layout.clone(),
    })
}

/// The settings of all layers, with the problems of the language that they choose, and its texts.
pub(super) fn settings(paths: &Paths) -> (Loaded, Option<Catalog>) {
    let places = Places {
        site: layer::SITE_FILE.into(),
        user: paths.config_file(),
    };
    let mut loaded = layer::load(&places, variable);
    let (catalog, problems) = config::languages::load(&loaded, paths, variable);
    loaded.problems.extend(problems);
    (loaded, catalog)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn apply(options: &GlobalOptions, loaded: &mut Loaded) {
    if let Some(theme) = &options.theme {
        loaded.set_by_option("ui.theme", "--theme", |s| s.ui.theme.clone_from(theme));
    }
    if let Some(keymap) = &options.keymap {
        loaded.set_by_option("ui.keymap", "--keymap", |s| s.ui.keymap.clone_from(keymap));
    }
    if options.no_mouse {
        loaded.set_by_option("ui.mouse", "--no-mouse", |s| s.ui.mouse = false);
    }
    if options.read_only {
        loaded.set_by_option("ui.read-only", "--read-only", |s| s.ui.read_only = true);
    }
}

/// Prints the problems in the files of settings and contexts.
pub fn remark_problems(start: &Start) {
    let (loaded, contexts) = (&start.loaded, &start.contexts);
    for problem in loaded.problems.iter().chain(&contexts.problems) {
        let mut ignored = loaded.ignored_files.iter().chain(&contexts.ignored_files);
        let what = if ignored.any(|file| *file == problem.file) {
            tr!("The whole file is ignored")
        } else {
            tr!("This part is ignored")
        };
        output::remark(&tr!("workbay: {problem}. {what}", problem, what));
    }
}
