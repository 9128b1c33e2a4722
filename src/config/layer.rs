//! Merges the layers of settings and records the origin of each value.

use std::path::{Path, PathBuf};

use super::{
    Problem, commands,
    document::{Document, DocumentFault, Item, Value},
    environments::Environments,
    library,
    origin::{Origin, Places},
    resources::Resources,
    setting::{SETTINGS, Setting},
};
use crate::model::{custom_command::CustomCommand, settings::Settings};

/// The annotated defaults, which `workbay config print-default` prints.
pub const DEFAULT: &str = include_str!("default.toml");

/// The path of the system-wide file.
pub const SITE_FILE: &str = "/etc/workbay/config.toml";

/// The table that is allowed only in the user's file.
const PERSONAL: &str = "hooks";

/// Why the system-wide file has no commands.
const PERSONAL_COMMANDS: &str =
    tr_later!("[[command]] is allowed in your own file only, because it runs programs as you");

/// The table that is allowed only in the system-wide file.
pub(super) const OF_THE_SITE: &str = "folders";

/// The outcome of reading all layers.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The effective settings.
    pub settings: Settings,
    /// The origin of every setting (`ui.theme` and so on), in the order of the list.
    pub origins: Vec<(String, Origin)>,
    /// Your own commands.
    pub commands: Vec<CustomCommand>,
    /// The same for `resources.toml`: key, value as TOML, origin.
    pub resources: Vec<(String, String, Origin)>,
    /// The problems found.
    pub problems: Vec<Problem>,
    /// The files with problems that were left out completely. In other files, only the parts with problems were.
    pub ignored_files: Vec<PathBuf>,
}

impl Loaded {
    pub fn origin(&self, key: &str) -> &Origin {
        self.origins
            .iter()
            .find(|(name, _)| name == key)
            .map_or(&Origin::Default, |(_, origin)| origin)
    }

    /// A problem of a setting with a valid value that isn't available, at the place that set it.
    pub fn blame(&self, key: &str, message: String, help: Option<String>) -> Problem {
        let (file, line, column) = match self.origin(key) {
            Origin::Site { file, line, column } | Origin::User { file, line, column } => {
                (file.clone(), *line, *column)
            }
            Origin::Environment { variable } => (PathBuf::from(format!("${variable}")), 0, 0),
            Origin::Flag { option } => (PathBuf::from(option), 0, 0),
            Origin::Default => (PathBuf::from(tr!("the defaults")), 0, 0),
        };
        Problem {
            file,
            line,
            column,
            message,
            help,
        }
    }

    /// Applies the value of a command-line option, which overrides everything else.
    pub fn set_by_option(
        &mut self,
        key: &str,
        option: &'static str,
        change: impl FnOnce(&mut Settings),
    ) {
        change(&mut self.settings);
        self.mark(key, Origin::Flag { option });
    }

    /// Applies the command-line options that an earlier reading has.
    pub fn keep_options(&mut self, earlier: &Self) {
        for setting in SETTINGS {
            let origin = earlier.origin(&setting.key());
            if !matches!(origin, Origin::Flag { .. }) {
                continue;
            }
            let line = format!("value = {}", (setting.show)(&earlier.settings));
            let document = Document::parse(Path::new("options"), &line).ok();
            if let Some(item) = document.as_ref().and_then(|it| it.get("value"))
                && (setting.read)(&mut self.settings, item).is_ok()
            {
                self.mark(&setting.key(), origin.clone());
            }
        }
    }

    /// Adds the groups, presets and limits of `resources.toml`.
    pub fn take_resources(&mut self, resources: Resources) {
        self.settings.resources = resources.rules;
        self.resources = resources.set;
        self.problems.extend(resources.problems);
        self.ignored_files.extend(resources.ignored_files);
    }

    /// Adds the environment catalog.
    pub fn take_environments(&mut self, environments: Environments) {
        self.settings.environments = environments.known;
        let files = environments.problems.iter().map(|it| it.file.clone());
        self.ignored_files.extend(files);
        self.problems.extend(environments.problems);
    }

    fn mark(&mut self, key: &str, origin: Origin) {
        if let Some(place) = self.origins.iter_mut().find(|(name, _)| name == key) {
            place.1 = origin;
        }
    }

    /// Applies the valid settings of a file and leaves out each invalid key.
    fn apply(&mut self, document: &Document, origin: impl Fn(&Document, usize) -> Origin) {
        let mut settings = self.settings.clone();
        let mut set = Vec::new();
        let mut faults = Vec::new();
        let layer = origin(document, 0);
        let site = matches!(layer, Origin::Site { .. });
        each_value(document, &mut faults, |setting, item| {
            if site && setting.table == PERSONAL {
                return Err(of_a_person(item));
            }
            if matches!(layer, Origin::User { .. }) && setting.table == OF_THE_SITE {
                // A copy of the defaults changes nothing.
                return match item.list() {
                    Ok([]) => Ok(()),
                    _ => Err(of_the_site(item)),
                };
            }
            // Read into a copy, so that a partly read value is dropped.
            let mut read = settings.clone();
            (setting.read)(&mut read, item)?;
            settings = read;
            set.push((setting.key(), item.at));
            Ok(())
        });
        if let Some(item) = document.get(commands::TABLE) {
            if site {
                faults.push(DocumentFault::new(
                    item.at,
                    crate::locale::text(PERSONAL_COMMANDS),
                ));
            } else {
                let (commands, wrong) = commands::read(document, item);
                self.commands = commands;
                faults.extend(wrong);
            }
        }
        let problems = faults.into_iter().map(|fault| document.problem(fault));
        self.problems.extend(problems);
        self.settings = settings;
        for (key, at) in set {
            self.mark(&key, origin(document, at));
        }
    }

    fn apply_file(&mut self, file: &Path, origin: impl Fn(&Document, usize) -> Origin) {
        match library::read_if_any(file) {
            Ok(None) => {}
            Ok(Some(document)) => self.apply(&document, origin),
            Err(problem) => {
                self.ignored_files.push(file.to_path_buf());
                self.problems.push(problem);
            }
        }
    }

    fn apply_variable(&mut self, setting: &Setting, variable: &'static str, text: &str) {
        let mut settings = self.settings.clone();
        match (setting.read)(&mut settings, &value_of(text)) {
            Ok(()) => {
                self.settings = settings;
                self.mark(&setting.key(), Origin::Environment { variable });
            }
            Err(fault) => self.problems.push(Problem {
                file: PathBuf::from(format!("${variable}")),
                line: 0,
                column: 0,
                message: fault.message,
                help: fault.help,
            }),
        }
    }
}

/// Reads every layer. `variable` returns the value of an environment variable.
pub fn load(places: &Places, variable: impl Fn(&str) -> Option<String>) -> Loaded {
    let mut loaded = defaults();
    loaded.apply_file(&places.site, |document, at| {
        let (line, column) = document.position(at);
        let file = places.site.clone();
        Origin::Site { file, line, column }
    });
    loaded.apply_file(&places.user, |document, at| {
        let (line, column) = document.position(at);
        let file = places.user.clone();
        Origin::User { file, line, column }
    });
    for setting in SETTINGS {
        if let Some(name) = setting.variable
            && let Some(text) = variable(name).filter(|text| !text.is_empty())
        {
            loaded.apply_variable(setting, name, &text);
        }
    }
    loaded
}

/// The settings of the embedded file, without other layers.
pub fn defaults() -> Loaded {
    let mut loaded = Loaded {
        // Every value is replaced by the embedded file (a test checks that).
        settings: Settings::blank(),
        origins: SETTINGS
            .iter()
            .map(|setting| (setting.key(), Origin::Default))
            .collect(),
        commands: Vec::new(),
        resources: Vec::new(),
        problems: Vec::new(),
        ignored_files: Vec::new(),
    };
    match Document::parse(Path::new("default.toml"), DEFAULT) {
        Ok(document) => loaded.apply(&document, |_, _| Origin::Default),
        Err(problem) => loaded.problems.push(problem),
    }
    loaded
}

/// Calls `take` for every known setting of the file. Collects unknown and invalid settings.
fn each_value(
    document: &Document,
    faults: &mut Vec<DocumentFault>,
    mut take: impl FnMut(&Setting, &Item) -> Result<(), DocumentFault>,
) {
    for entry in document.entries() {
        if entry.key == commands::TABLE {
            continue;
        }
        let rows: Vec<&Setting> = SETTINGS
            .iter()
            .filter(|row| row.table == entry.key)
            .collect();
        if rows.is_empty() {
            faults.push(unknown_top(entry.at, &entry.key));
            continue;
        }
        let values = match entry.item.table() {
            Ok(values) => values,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        for value in values {
            let outcome = if let Some(row) = rows.iter().find(|row| row.name == value.key) {
                take(row, &value.item)
            } else {
                let known = rows.iter().map(|row| row.name);
                let what = tr!("setting in [{key}]", key = entry.key);
                Err(DocumentFault::unknown(value.at, &what, &value.key, known))
            };
            faults.extend(outcome.err());
        }
    }
}

/// Explains an unknown top-level word: a misspelled table, or a setting outside of its table.
fn unknown_top(at: usize, key: &str) -> DocumentFault {
    if let Some(row) = SETTINGS.iter().find(|row| row.name == key) {
        return DocumentFault::new(at, tr!("'{key}' must be in a table", key))
            .help(tr!("write it below [{table}]", table = row.table));
    }
    let mut tables: Vec<&str> = SETTINGS.iter().map(|row| row.table).collect();
    tables.dedup();
    tables.push(commands::TABLE);
    DocumentFault::unknown(at, tr!("table"), key, tables)
}

fn of_a_person(item: &Item) -> DocumentFault {
    let text = tr!(
        "[{table}] is allowed in your own file only, because it runs programs as you",
        table = PERSONAL
    );
    DocumentFault::new(item.at, text)
}

fn of_the_site(item: &Item) -> DocumentFault {
    let text = tr!(
        "[{table}] is allowed in the system-wide file only ({file}), because it opens \
         directories of this machine to sessions",
        table = OF_THE_SITE,
        file = SITE_FILE
    );
    DocumentFault::new(item.at, text).help(tr!("ask the administrator of this machine"))
}

/// Converts the text of an environment variable to the value that a file would contain.
fn value_of(text: &str) -> Item {
    let value = match text {
        "1" | "true" | "yes" | "on" => Value::Bool(true),
        "0" | "false" | "no" | "off" => Value::Bool(false),
        text => Value::Text(text.to_owned()),
    };
    Item { value, at: 0 }
}
