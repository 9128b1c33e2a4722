//! The arguments of `workbay launch`, `run`, `relaunch` and related commands.

use std::{collections::BTreeMap, path::PathBuf, str::FromStr};

use clap::{
    Arg, ArgGroup, ArgMatches, Args, FromArgMatches, Subcommand, ValueEnum,
    builder::{TypedValueParser as _, ValueParser},
    value_parser,
};

use super::{Json, One};
use crate::{
    model::{
        launch_field::LaunchField,
        recent::RecentId,
        resources::{Bytes, Cpu},
        session::ClusterMode,
        span::Span,
        spec::{FolderMount, Owner},
    },
    rules::launch::{
        amounts, key,
        table::{Argument, FieldRow, TABLE, TextValue, ValueKind, section},
    },
};

#[derive(Args, Debug, Default)]
#[command(after_help = "Examples:
  workbay launch --wait
  workbay launch --env busybox:1.35 --name build-1 --cpu 0.5 --mem 256m -e STAGE=test
  workbay launch --batch --command 'make -j2 test' --timeout 2h --mount src:work:ro
  workbay launch --name worker --count 4 --preset small --group gpu --preopen 8080,9000-9002
  workbay launch --from train.toml --start-at +2h -e API_TOKEN

`workbay resources` lists the available groups, presets, accelerators, folders and limits.")]
pub struct Launch {
    /// Recipe with launch settings (options override it)
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub fields: Fields,
    #[command(flatten)]
    pub manner: Manner,
    /// Launch only once with this key, then print the same sessions (1 to 64 letters, digits, . _ -)
    #[arg(long, value_name = "KEY", value_parser = idempotency_key)]
    pub idempotency_key: Option<String>,
}

/// The arguments of `workbay relaunch`.
#[derive(Args, Debug)]
pub struct Relaunch {
    #[command(flatten)]
    pub one: One,
    /// Use the home directory of the ended session instead of a new one
    #[arg(long, conflicts_with = "dry_run")]
    pub same_home: bool,
    /// Launch even if the cluster doesn't report all settings
    #[arg(long)]
    pub incomplete: bool,
    #[command(flatten)]
    pub fields: Fields,
    #[command(flatten)]
    pub manner: Manner,
}

/// What a launch waits for and prints.
#[derive(Args, Debug, Default)]
#[group(skip)]
#[command(group = ArgGroup::new("waits").args(["wait", "wait_end"]))]
pub struct Manner {
    /// Wait until the session runs (batch: until it has started)
    #[arg(long)]
    pub wait: bool,
    /// Wait until the session has ended, and exit with its exit code (125: ended for another reason)
    #[arg(long, conflicts_with = "wait")]
    pub wait_end: bool,
    /// Give up waiting after so long: 120 (seconds), 10m (exit code 124)
    #[arg(long, value_name = "SPAN", requires = "waits")]
    pub wait_timeout: Option<Span>,
    /// Check the options and print the whole command, but don't launch
    #[arg(long, conflicts_with_all = ["wait", "wait_end", "json"])]
    pub dry_run: bool,
    #[command(flatten)]
    pub format: Json,
}

/// A command in a session of its own.
#[derive(Args, Debug)]
#[command(
    mut_arg("batch", |arg| arg.hide(true)),
    mut_arg("command", |arg| arg.hide(true).conflicts_with("argv")),
    mut_arg("count", |arg| arg.hide(true)),
    mut_arg("json", |arg| arg.requires("detach")),
    after_help = "Examples:
  workbay run -- make test
  workbay run --env python:3.12 --mem 2g --mount data -- python train.py --epochs 3
  workbay run --rm --cpu 0.5 -- sh -c 'date | tee out.txt'
  workbay run --detach --name nightly -- ./backup

Ctrl-C ends the session, Ctrl-C again kills it. stdin is not passed on: `workbay exec` does that.

Exit codes: that of CMD. 125 if the session ended otherwise: terminated, reclaimed by an idle check, out
of memory, timed out, lost, not started. 130 after Ctrl-C, 143 after SIGTERM, 141 if the output is closed.
workbay's own errors: see `workbay --help`."
)]
pub struct Run {
    /// Recipe with launch settings (options override it)
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub fields: Fields,
    /// Print the name and id of the session and exit
    #[arg(short, long)]
    pub detach: bool,
    /// Delete the session when it has ended, with its log and home directory
    #[arg(long, conflicts_with = "detach")]
    pub rm: bool,
    /// Check the options and print the whole `launch` command, but don't launch
    #[arg(long, conflicts_with_all = ["detach", "rm", "json"])]
    pub dry_run: bool,
    #[command(flatten)]
    pub format: Json,
    /// The command and its arguments, after `--` (no shell expands them)
    #[arg(last = true, value_name = "CMD")]
    pub argv: Vec<String>,
}

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
    /// Time limit for the stop hook and for saving (default: 60s, max: 10m)
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
        ValueKind::Memory => ValueParser::new(checked::<Bytes>),
        ValueKind::Count => {
            ValueParser::new(value_parser!(u32).map(|number: u32| number.to_string()))
        }
        ValueKind::Priority => {
            ValueParser::new(value_parser!(i32).map(|number: i32| number.to_string()))
        }
    }
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

fn idempotency_key(text: &str) -> Result<String, String> {
    key::check(text).map(|()| text.to_owned())
}

fn recent_id(text: &str) -> Result<RecentId, String> {
    let number = text.parse();
    number.map_err(|_| "must be a number that `workbay recent ls` prints".to_owned())
}

/// Reads `cuda.shares=0.5`.
fn accelerator(text: &str) -> Result<(String, u64), String> {
    let Some((slot, amount)) = text.split_once('=') else {
        return Err("must be SLOT=N, for example cuda.device=1".to_owned());
    };
    amounts::check_slot(slot)?;
    Ok((slot.to_owned(), amounts::read_thousandths(amount)?))
}

#[derive(Args, Debug)]
pub struct Export {
    #[command(flatten)]
    pub one: One,
    /// File to write to, instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "output")]
    pub force: bool,
}

#[derive(Debug, Subcommand)]
pub enum Folder {
    /// List folders that can be mounted
    Ls(Json),
    /// Create a folder
    Create {
        /// Name (letters, digits, _ . and -)
        name: String,
        #[command(flatten)]
        format: Json,
    },
}

#[derive(Debug, Subcommand)]
pub enum Recent {
    /// List recent launches: pinned, then the five newest
    Ls(Json),
    /// Relaunch (options override the saved settings)
    Launch(Box<RecentLaunch>),
    /// Pin a recent launch, so that it stays in the list
    Pin(RecentOne),
    /// Unpin a recent launch
    Unpin(RecentOne),
    /// Change the title of a recent launch
    Rename {
        #[command(flatten)]
        one: RecentOne,
        /// The new title
        title: String,
    },
    /// Remove a recent launch from the list
    Rm(RecentOne),
}

#[derive(Args, Clone, Copy, Debug)]
pub struct RecentOne {
    /// Number, as printed by `workbay recent ls`
    #[arg(value_name = "N", value_parser = recent_id)]
    pub id: RecentId,
}

#[derive(Args, Debug)]
pub struct RecentLaunch {
    #[command(flatten)]
    pub one: RecentOne,
    #[command(flatten)]
    pub fields: Fields,
    #[command(flatten)]
    pub manner: Manner,
}
