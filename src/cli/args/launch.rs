//! The arguments of `workbay launch`, `run`, `relaunch` and related commands.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};

use super::{Json, One};
use crate::model::{
    launch::{amounts, key},
    recent::RecentId,
    resources::{Bytes, Cpu},
    session::ClusterMode,
    span::Span,
    spec::{FolderMount, Owner},
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

/// The headings of the fields in the help.
const SESSION: &str = "Session";
const RESOURCES: &str = "Resources of each container";
const INSIDE: &str = "Environment variables, storage and network";
const END: &str = "Idle checks and stop hook";

/// Every field of a launch.
#[derive(Args, Clone, Debug, Default)]
pub struct Fields {
    /// Name, 4 to 64 letters, digits, _ - and . (default: generated; on a cluster, only Latin letters)
    #[arg(long, value_name = "N", help_heading = SESSION)]
    pub name: Option<String>,
    /// Environment, as listed by `workbay env ls`
    #[arg(long, value_name = "NAME[:VERSION]", conflicts_with = "image", help_heading = SESSION)]
    pub env: Option<String>,
    /// Image reference, instead of an environment
    #[arg(long, value_name = "REF", help_heading = SESSION)]
    pub image: Option<String>,
    /// Launch a batch session, which runs --command and then ends
    #[arg(long, help_heading = SESSION)]
    pub batch: bool,
    /// Command of a batch session, run by a shell in the home directory
    #[arg(long, value_name = "CMD", help_heading = SESSION)]
    pub command: Option<String>,
    /// Earliest start of a batch session (+2h, 09:30, '2026-11-22 09:30')
    #[arg(long, value_name = "TIME", help_heading = SESSION)]
    pub start_at: Option<String>,
    /// Time limit of a batch session, which then ends as failed (90s, 30m, 2h, 1d)
    #[arg(long, value_name = "SPAN", help_heading = SESSION)]
    pub timeout: Option<Span>,
    /// Priority in the queue, 0 to 100, highest first (default: 10)
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = SESSION)]
    pub priority: Option<i32>,
    /// Launch N copies: NAME-1, NAME-2, …
    #[arg(long, value_name = "N", help_heading = SESSION)]
    pub count: Option<u32>,
    /// Owner of the session, for administrators (KEY: if the user has several access keys)
    #[arg(long, value_name = "EMAIL[/KEY]", help_heading = SESSION)]
    pub owner: Option<Owner>,
    /// Project of the session
    #[arg(long, value_name = "NAME", help_heading = SESSION)]
    pub project: Option<String>,

    /// Resource group, in whose queue the session waits
    #[arg(long, visible_alias = "resource-group", value_name = "NAME", help_heading = RESOURCES)]
    pub group: Option<String>,
    /// Preset of resources (--cpu, --mem and others override it)
    #[arg(long, value_name = "NAME", help_heading = RESOURCES)]
    pub preset: Option<String>,
    /// CPU (0.5, 1, 2)
    #[arg(long, value_name = "CORES", help_heading = RESOURCES)]
    pub cpu: Option<Cpu>,
    /// Memory (256m, 1.5g)
    #[arg(long, value_name = "SIZE", help_heading = RESOURCES)]
    pub mem: Option<Bytes>,
    /// Shared memory, which is a part of the memory (64m)
    #[arg(long, value_name = "SIZE", help_heading = RESOURCES)]
    pub shm: Option<Bytes>,
    /// Accelerator (cuda.device=1, cuda.shares=0.5; can be repeated)
    #[arg(
        long = "accelerator",
        value_name = "SLOT=N",
        value_parser = accelerator,
        help_heading = RESOURCES
    )]
    pub accelerators: Vec<(String, u64)>,
    /// Number of containers of the session (main1, sub1, sub2, …)
    #[arg(long, value_name = "N", help_heading = RESOURCES)]
    pub cluster_size: Option<u32>,
    /// Whether the containers share one machine
    #[arg(long, value_enum, value_name = "MODE", help_heading = RESOURCES)]
    pub cluster_mode: Option<ClusterModeChoice>,
    /// Agent to run on
    #[arg(long, value_name = "ID", help_heading = RESOURCES)]
    pub agent: Option<String>,

    /// Environment variable (NAME alone: with the value from your own environment)
    #[arg(short = 'e', long = "set", value_name = "NAME[=VALUE]", help_heading = INSIDE)]
    pub variables: Vec<String>,
    /// Folder to mount, below /home/work unless PATH begins with / (can be repeated)
    #[arg(
        long = "mount",
        visible_alias = "folder",
        value_name = "FOLDER[:PATH][:ro]",
        help_heading = INSIDE
    )]
    pub mounts: Vec<FolderMount>,
    /// Ports to open at launch (8080,9000-9002)
    #[arg(long, value_name = "PORTS", help_heading = INSIDE)]
    pub preopen: Option<String>,
    /// Script to run in each container before its services (@FILE: read from a file)
    #[arg(long, value_name = "TEXT|@FILE", help_heading = INSIDE)]
    pub bootstrap: Option<String>,

    /// Reclaim the session after this time without use (90s, 30m, 2h, 1d; max: system-wide limit)
    #[arg(long, value_name = "SPAN", help_heading = END)]
    pub idle_timeout: Option<Span>,
    /// Reclaim the session after this time, even if in use (max: system-wide limit)
    #[arg(long, value_name = "SPAN", help_heading = END)]
    pub lifetime: Option<Span>,
    /// Command to run in the session before it is terminated or reclaimed
    #[arg(long, value_name = "CMD", help_heading = END)]
    pub stop_hook: Option<String>,
    /// Path to save before the session ends, below /home/work unless it begins with / (can be repeated)
    #[arg(long, value_name = "PATH", help_heading = END)]
    pub save: Vec<String>,
    /// Mounted folder for saved files (default: workbay's data directory on this machine)
    #[arg(long, value_name = "FOLDER", help_heading = END)]
    pub save_into: Option<String>,
    /// Time limit for the stop hook and for saving (default: 60s, max: 10m)
    #[arg(long, value_name = "SPAN", help_heading = END)]
    pub stop_hook_timeout: Option<Span>,
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
