//! The options of every field of a launch, for `workbay launch`, `run`, `relaunch` and `recent launch`.

use std::{collections::BTreeMap, str::FromStr};

use clap::{Arg, ArgMatches, Args, FromArgMatches, ValueEnum, builder::ValueParser};

use crate::{
    cli::args::number,
    model::{
        launch_field::LaunchField,
        resources::{Bytes, Cpu},
        session::ClusterMode,
        span::Span,
        spec::{FolderMount, Owner},
        text::Clean,
    },
    rules::launch::{
        amounts,
        table::{Argument, FieldRow, TABLE, TextValue, ValueKind, section},
    },
};

/// Every field of a launch.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// The texts of the options in the table of fields, in its order.
    texts: BTreeMap<LaunchField, String>,
    pub own: OwnFields,
}

/// The options of fields that aren't one text.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct OwnFields {
    /// Launch a batch session, which runs --command and then ends
    #[arg(long, help_heading = section::SESSION)]
    pub batch: bool,
    /// Accelerator (cuda.device=1, cuda.shares=0.5; can be repeated)
    #[arg(
        long = "accelerator",
        value_name = "SLOT=N",
        value_parser = accelerator,
        help_heading = section::RESOURCES
    )]
    pub accelerators: Vec<(String, u64)>,
    /// Whether the containers share one machine
    #[arg(long, value_enum, value_name = "MODE", help_heading = section::RESOURCES)]
    pub cluster_mode: Option<ClusterModeChoice>,
    /// Environment variable (NAME alone: with the value from your own environment)
    #[arg(short = 'e', long = "set", value_name = "NAME[=VALUE]", help_heading = section::INSIDE)]
    pub variables: Vec<String>,
    /// Folder to mount, below /home/work unless PATH begins with / (can be repeated)
    #[arg(
        long = "mount",
        visible_alias = "folder",
        value_name = "FOLDER[:PATH][:ro]",
        value_parser = folder_mount,
        help_heading = section::INSIDE
    )]
    pub mounts: Vec<FolderMount>,
    /// Command to run in the session before it is terminated or reclaimed
    #[arg(long, value_name = "CMD", help_heading = section::END)]
    pub stop_hook: Option<String>,
    /// Path to save before the session ends, below /home/work unless it begins with / (can be repeated)
    #[arg(long, value_name = "PATH", help_heading = section::END)]
    pub save: Vec<String>,
    /// Mounted folder for saved files (default: workbay's data directory on this machine)
    #[arg(long, value_name = "FOLDER", help_heading = section::END)]
    pub save_into: Option<String>,
    /// Time limit for the stop hook and for saving (a number is seconds; default: 60s, max: 10m)
    #[arg(long, value_name = "SPAN", help_heading = section::END)]
    pub stop_hook_timeout: Option<Span>,
}

impl Fields {
    /// The given texts, in the order of the table.
    pub fn texts(&self) -> impl Iterator<Item = (LaunchField, &str)> {
        let texts = self.texts.iter();
        texts.map(|(field, text)| (*field, text.as_str()))
    }

    pub fn has(&self, field: LaunchField) -> bool {
        self.texts.contains_key(&field)
    }

    pub fn set(&mut self, field: LaunchField, text: String) {
        self.texts.insert(field, text);
    }
}

impl FromArgMatches for Fields {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = options().filter_map(|(row, _, _)| {
            let text = matches.get_one::<String>(id(row.option))?;
            Some((row.field, text.clone()))
        });
        Ok(Self {
            texts: given.collect(),
            own: OwnFields::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Fields {
    fn augment_args(command: clap::Command) -> clap::Command {
        let texts = options().map(|(row, argument, text)| option(row, argument, text.kind));
        let own = OwnFields::augment_args(clap::Command::new("own"));
        let own = own.get_arguments().cloned();
        let mut args: Vec<Arg> = texts
            .chain(own.map(|arg| arg.display_order(None)))
            .collect();
        args.sort_by_key(place);
        command.args(args)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

/// The fields with a text, with their arguments.
fn options() -> impl Iterator<Item = (&'static FieldRow, &'static Argument, &'static TextValue)> {
    TABLE
        .iter()
        .filter_map(|row| Some((row, row.argument.as_ref()?, row.text.as_ref()?)))
}

/// The id of an option in clap.
fn id(option: &'static str) -> &'static str {
    option.trim_start_matches('-')
}

fn option(row: &FieldRow, argument: &Argument, kind: ValueKind) -> Arg {
    let arg = Arg::new(id(row.option))
        .long(id(row.option))
        .value_name(argument.value)
        .value_parser(parser(kind))
        .help(argument.help)
        .help_heading(argument.section);
    match row.field {
        LaunchField::Environment => arg.conflicts_with(id(LaunchField::Image.row().option)),
        LaunchField::ResourceGroup => arg.visible_alias("resource-group"),
        LaunchField::Priority => arg.allow_negative_numbers(true),
        _ => arg,
    }
}

/// Checks a value as far as clap reports problems with it.
fn parser(kind: ValueKind) -> ValueParser {
    fn checked<T: FromStr<Err = String>>(text: &str) -> Result<String, String> {
        text.parse::<T>().map(|_| text.to_owned())
    }
    match kind {
        ValueKind::Text | ValueKind::Ports => ValueParser::string(),
        ValueKind::Owner => ValueParser::new(checked::<Owner>),
        ValueKind::Duration => ValueParser::new(checked::<Span>),
        ValueKind::Cpu => ValueParser::new(checked::<Cpu>),
        ValueKind::Memory => ValueParser::new(memory),
        ValueKind::Count => {
            ValueParser::new(|text: &str| number::<u32>(text).map(|it| it.to_string()))
        }
        ValueKind::Priority => {
            ValueParser::new(|text: &str| number::<i32>(text).map(|it| it.to_string()))
        }
    }
}

/// A number alone is bytes, and nobody needs so few.
fn memory(text: &str) -> Result<String, String> {
    let few = |bytes: &u64| (1..Bytes::mib(1).0).contains(bytes);
    if let Some(number) = text.trim().parse().ok().filter(few) {
        return Err(tr!(
            "a number alone is bytes: write {number}m or {number}g",
            number
        ));
    }
    text.parse::<Bytes>().map(|_| text.to_owned())
}

/// Where the help lists a launch option: in the order of the table, the rarest options of a session last.
fn place(arg: &Arg) -> (Option<usize>, usize) {
    const LAST: [LaunchField; 4] = [
        LaunchField::Priority,
        LaunchField::Count,
        LaunchField::Owner,
        LaunchField::Project,
    ];
    let heading = arg.get_help_heading().unwrap_or_default();
    let section = section::ALL.iter().position(|it| *it == heading);
    let long = arg.get_long().map(|long| format!("--{long}"));
    let short = arg.get_short().map(|short| format!("-{short}"));
    let row = TABLE.iter().find(|row| {
        let option = Some(row.option);
        long.as_deref() == option || short.as_deref() == option
    });
    let place = row.map_or(usize::MAX, |row| {
        let last = LAST.iter().position(|field| *field == row.field);
        last.map_or(row.field as usize, |last| TABLE.len() + last)
    });
    (section, place)
}

/// How the containers of a cluster session are placed on machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClusterModeChoice {
    /// All containers on one machine
    SingleNode,
    /// Containers on several machines
    MultiNode,
}

impl From<ClusterModeChoice> for ClusterMode {
    fn from(choice: ClusterModeChoice) -> Self {
        match choice {
            ClusterModeChoice::SingleNode => Self::SingleNode,
            ClusterModeChoice::MultiNode => Self::MultiNode,
        }
    }
}

/// Docker takes a path of this machine here.
fn folder_mount(text: &str) -> Result<FolderMount, String> {
    let mount: FolderMount = text.parse()?;
    let folder = &mount.folder;
    let is_path = ["/", "~/", "./", "../"]
        .iter()
        .any(|it| folder.starts_with(it));
    if is_path || [".", "..", "~"].contains(&folder.as_str()) {
        return Err(tr!(
            "'{folder}' is a path. --mount takes the name of a folder, see `workbay folder ls`",
            folder = Clean::new(folder)
        ));
    }
    Ok(mount)
}

/// Reads `cuda.shares=0.5`.
fn accelerator(text: &str) -> Result<(String, u64), String> {
    let Some((slot, amount)) = text.split_once('=') else {
        return Err(tr!("must be SLOT=N, for example cuda.device=1").to_owned());
    };
    amounts::check_slot(slot)?;
    Ok((slot.to_owned(), amounts::read_thousandths(amount)?))
}
