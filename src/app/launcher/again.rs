//! Relaunches a session: fills in the earlier settings and a free name, and opens the review.

use jiff::Timestamp;

use super::{Launcher, Page};
use crate::{
    app::{facts::Facts, mirror::Mirror, shown_contexts::ShownContexts},
    model::{
        id::{ContextName, SessionKey},
        spec::LaunchRequest,
        text::Clean,
    },
    rules::launch::{free_name, grown::Grown, relaunch::Missing},
};

/// The home directory that an ended session left. The launch continues in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptHome {
    pub session: SessionKey,
    pub name: Clean,
}

/// Earlier settings that fill a new launcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierLaunch {
    pub context: ContextName,
    pub launch: LaunchRequest,
    /// The earlier name, unless it was generated.
    pub name: Option<String>,
    pub grown: Option<Grown>,
    /// What the engine doesn't report about the launch.
    pub missing: Vec<Missing>,
    /// The waiting session that the launch replaces.
    pub replaces: Option<SessionKey>,
    /// The home directory that it takes over; `None` = a new one.
    pub home: Option<KeptHome>,
}

impl EarlierLaunch {
    #[must_use]
    pub fn new(context: ContextName, launch: LaunchRequest) -> Self {
        Self {
            context,
            launch,
            name: None,
            grown: None,
            missing: Vec::new(),
            replaces: None,
            home: None,
        }
    }
}

impl Launcher {
    /// Creates a launcher filled with earlier settings.
    #[must_use]
    pub fn again(facts: &Facts, mirror: &Mirror, it: EarlierLaunch, now: Timestamp) -> Self {
        let mut launcher = Self::new(facts, mirror, ShownContexts::One(it.context), now);
        launcher.refill(&it.launch, it.name.as_deref());
        launcher.grown = it.grown;
        launcher.missing = it.missing;
        launcher.replaces = it.replaces;
        launcher.home = it.home;
        launcher.check();
        launcher.keep_within_limits();
        launcher.begun = launcher.request.clone();
        launcher.edited = false;
        launcher
    }

    /// The settings that you must enter again, because the engine doesn't report them.
    pub fn missing_note(&self) -> Option<String> {
        let what: Vec<&str> = self.missing.iter().map(|it| it.what.as_str()).collect();
        let what = match what.as_slice() {
            [] => return None,
            [one] => (*one).to_owned(),
            [first @ .., last] => tr!("{first} and {last}", first = first.join(", "), last),
        };
        Some(tr!(
            "the cluster doesn't report {what}: check it first",
            what
        ))
    }

    /// The home directory that the launch takes over. Another context doesn't have it.
    pub(super) fn kept_home(&self) -> Option<&KeptHome> {
        let home = self.home.as_ref();
        home.filter(|it| it.session.context == self.info.context)
    }

    /// A note about a launch in an earlier home directory.
    pub fn home_note(&self) -> Option<String> {
        let name = &self.kept_home()?.name;
        Some(tr!("continues in the home directory of {name}", name))
    }

    /// Fills in everything from `launch`, and opens the review.
    pub fn refill(&mut self, launch: &LaunchRequest, name: Option<&str>) {
        let mut launch = launch.clone();
        let taken = |name: &str| self.info.taken.contains(name);
        let base = name.or(launch.name.as_deref());
        launch.name = base.map(|base| free_name(base, launch.copies(), taken));
        self.home = None;
        self.fill(&launch);
        self.missing.clear();
        self.edited = true;
        self.seen = [true; Page::ALL.len()];
        self.focus = [None; Page::ALL.len()];
        self.open(Page::Review);
        // The earlier launch had no folder either, so there is no warning about it.
        self.warned = self.request.mounts.is_empty();
    }
}
