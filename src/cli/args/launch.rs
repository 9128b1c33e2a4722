//! The words of a launch, and of what leads to one.

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

`workbay catalogue` tells the groups, presets, accelerators, folders and limits there are.")]
pub struct Launch {
    /// Take the settings of a recipe; options given here go over them
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub fields: Fields,
    #[command(flatten)]
    pub manner: Manner,
    /// Launch nothing when an earlier launch with this key did: print its sessions (1 to 64 letters, digits, . _ -)
    #[arg(long, value_name = "KEY", value_parser = idempotency_key)]
    pub idempotency_key: Option<String>,
}

/// A session of before, launched once more.
#[derive(Args, Debug)]
pub struct Relaunch {
    #[command(flatten)]
    pub one: One,
    /// Go on in the home of the one that ended, instead of a new one
    #[arg(long, conflicts_with = "dry_run")]
    pub same_home: bool,
    /// Launch also when the cluster doesn't report all of its settings
    #[arg(long)]
    pub incomplete: bool,
    #[command(flatten)]
    pub fields: Fields,
    #[command(flatten)]
    pub manner: Manner,
}

/// What is done beside the launch itself.
#[derive(Args, Debug, Default)]
#[group(skip)]
#[command(group = ArgGroup::new("waits").args(["wait", "wait_end"]))]
pub struct Manner {
    /// Wait until it runs; a batch session, until it has begun
    #[arg(long)]
    pub wait: bool,
    /// Wait until it has ended, and exit with its exit code (125 if its command didn't end on its own)
    #[arg(long, conflicts_with = "wait")]
    pub wait_end: bool,
    /// Give up waiting after so long: 120 (seconds), 10m (exit code 124)
    #[arg(long, value_name = "SPAN", requires = "waits")]
    pub wait_timeout: Option<Span>,
    /// Check the words and print the whole command; launch nothing
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
    /// Take the settings of a recipe; options given here override them
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    #[command(flatten)]
    pub fields: Fields,
    /// Print the name and id of the session and return at once
    #[arg(short, long)]
    pub detach: bool,
    /// Delete the session when it has ended: its record, log and home directory
    #[arg(long, conflicts_with = "detach")]
    pub rm: bool,
    /// Check the options and print the whole `launch` command; launch nothing
    #[arg(long, conflicts_with_all = ["detach", "rm", "json"])]
    pub dry_run: bool,
    #[command(flatten)]
    pub format: Json,
    /// The command and its arguments, after `--`; no shell expands them
    #[arg(last = true, value_name = "CMD")]
    pub argv: Vec<String>,
}

/// The headings of the fields in the help.
const SESSION: &str = "Session";
const RESOURCES: &str = "Resources of each container";
const INSIDE: &str = "Inside";
const END: &str = "Its end";

/// Every field of a launch.
#[derive(Args, Clone, Debug, Default)]
pub struct Fields {
    /// Name: 4 to 64 letters, digits, _ - and . (generated when left out; a cluster takes Latin letters only)
    #[arg(long, value_name = "N", help_heading = SESSION)]
    pub name: Option<String>,
    /// Environment, as `workbay env ls` lists it
    #[arg(long, value_name = "NAME[:VERSION]", conflicts_with = "image", help_heading = SESSION)]
    pub env: Option<String>,
    /// An image by its reference, instead of an environment
    #[arg(long, value_name = "REF", help_heading = SESSION)]
    pub image: Option<String>,
    /// Run --command to its end instead of waiting for you
    #[arg(long, help_heading = SESSION)]
    pub batch: bool,
    /// What a batch session runs, by a shell in its home
    #[arg(long, value_name = "CMD", help_heading = SESSION)]
    pub command: Option<String>,
    /// A batch session does not start before: +2h, 09:30, '2026-11-22 09:30'
    #[arg(long, value_name = "TIME", help_heading = SESSION)]
    pub start_at: Option<String>,
    /// A batch session that runs longer is ended as failed: 90s, 30m, 2h, 1d
    #[arg(long, value_name = "SPAN", help_heading = SESSION)]
    pub timeout: Option<Span>,
    /// 0 to 100; the highest goes first (10)
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = SESSION)]
    pub priority: Option<i32>,
    /// Make so many alike: NAME-1, NAME-2, …
    #[arg(long, value_name = "N", help_heading = SESSION)]
    pub count: Option<u32>,
    /// Make it somebody else's, for administrators; KEY only where the user has several
    #[arg(long, value_name = "EMAIL[/KEY]", help_heading = SESSION)]
    pub owner: Option<Owner>,
    /// Project the session belongs to
    #[arg(long, value_name = "NAME", help_heading = SESSION)]
    pub project: Option<String>,

    /// Resource group whose queue it stands in
    #[arg(long, visible_alias = "resource-group", value_name = "NAME", help_heading = RESOURCES)]
    pub group: Option<String>,
    /// Amounts by name; those given here go over it
    #[arg(long, value_name = "NAME", help_heading = RESOURCES)]
    pub preset: Option<String>,
    /// CPU cores: 0.5, 1, 2
    #[arg(long, value_name = "CORES", help_heading = RESOURCES)]
    pub cpu: Option<Cpu>,
    /// Memory: 256m, 1.5g
    #[arg(long, value_name = "SIZE", help_heading = RESOURCES)]
    pub mem: Option<Bytes>,
    /// Shared memory, a part of it
    #[arg(long, value_name = "SIZE", help_heading = RESOURCES)]
    pub shm: Option<Bytes>,
    /// An accelerator: cuda.device=1, cuda.shares=0.5; may be given several times
    #[arg(
        long = "accelerator",
        value_name = "SLOT=N",
        value_parser = accelerator,
        help_heading = RESOURCES
    )]
    pub accelerators: Vec<(String, u64)>,
    /// Containers of the session: main1, sub1, sub2, …
    #[arg(long, value_name = "N", help_heading = RESOURCES)]
    pub cluster_size: Option<u32>,
    /// Where they lie
    #[arg(long, value_enum, value_name = "MODE", help_heading = RESOURCES)]
    pub cluster_mode: Option<ClusterModeChoice>,
    /// The machine it must run on
    #[arg(long, value_name = "ID", help_heading = RESOURCES)]
    pub agent: Option<String>,

    /// A variable in the session; of NAME alone the value is that of your own environment
    #[arg(short = 'e', long = "set", value_name = "NAME[=VALUE]", help_heading = INSIDE)]
    pub variables: Vec<String>,
    /// A folder to mount, below /home/work unless PATH begins with /; may be given several times
    #[arg(
        long = "mount",
        visible_alias = "folder",
        value_name = "FOLDER[:PATH][:ro]",
        help_heading = INSIDE
    )]
    pub mounts: Vec<FolderMount>,
    /// Ports to open beforehand: 8080,9000-9002
    #[arg(long, value_name = "PORTS", help_heading = INSIDE)]
    pub preopen: Option<String>,
    /// A script run in each container before its services; @FILE takes it from a file
    #[arg(long, value_name = "TEXT|@FILE", help_heading = INSIDE)]
    pub bootstrap: Option<String>,

    /// Ended when nobody used it for so long: 90s, 30m, 2h, 1d; within the site's limit
    #[arg(long, value_name = "SPAN", help_heading = END)]
    pub idle_timeout: Option<Span>,
    /// Ended after so long, whatever it does; within the site's limit
    #[arg(long, value_name = "SPAN", help_heading = END)]
    pub lifetime: Option<Span>,
    /// A command run in it before it is ended by terminate or an idle check
    #[arg(long, value_name = "CMD", help_heading = END)]
    pub last_will: Option<String>,
    /// A path saved before it is ended, below /home/work unless it begins with /; several times
    #[arg(long, value_name = "PATH", help_heading = END)]
    pub save: Vec<String>,
    /// The mounted folder it is saved in; else this machine's data directory
    #[arg(long, value_name = "FOLDER", help_heading = END)]
    pub save_into: Option<String>,
    /// How long all of that may take: 60s when nothing is said, 10m at most
    #[arg(long, value_name = "SPAN", help_heading = END)]
    pub will_timeout: Option<Span>,
}

/// How the containers of a cluster lie on machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClusterModeChoice {
    SingleNode,
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
    number.map_err(|_| "write the number that `workbay recent ls` prints before it".to_owned())
}

/// Reads `cuda.shares=0.5`.
fn accelerator(text: &str) -> Result<(String, u64), String> {
    let Some((slot, amount)) = text.split_once('=') else {
        return Err("write SLOT=N, as cuda.device=1".to_owned());
    };
    amounts::check_slot(slot)?;
    Ok((slot.to_owned(), amounts::read_thousandths(amount)?))
}

#[derive(Args, Debug)]
pub struct Export {
    #[command(flatten)]
    pub one: One,
    /// Write it to this file instead of printing it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write over a file that is there
    #[arg(long, requires = "output")]
    pub force: bool,
}

#[derive(Debug, Subcommand)]
pub enum Folder {
    /// List the folders that can be mounted
    Ls(Json),
    /// Make a folder that outlives sessions
    Create {
        /// Letters, digits, _ . and -
        name: String,
        #[command(flatten)]
        format: Json,
    },
}

#[derive(Debug, Subcommand)]
pub enum Recent {
    /// List them: pinned ones first, then the five newest
    Ls(Json),
    /// Launch one again; options given here go over it
    Launch(Box<RecentLaunch>),
    /// Keep one for good
    Pin(RecentOne),
    /// Let it go with the others
    Unpin(RecentOne),
    /// Call it something else
    Rename {
        #[command(flatten)]
        one: RecentOne,
        title: String,
    },
    /// Forget one
    Rm(RecentOne),
}

#[derive(Args, Clone, Copy, Debug)]
pub struct RecentOne {
    /// Its number, as `recent ls` prints it
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
