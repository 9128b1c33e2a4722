//! Why a session waits, and what could start now in its place.

#[cfg(test)]
mod tests;

use jiff::Timestamp;

use super::{DialogButton, Hint, MOVE, Panel, PanelEnv, priority};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        launcher::EarlierLaunch,
        mirror::Mirror,
        step::{LaunchedFrom, Purpose, Step},
    },
    key::Key,
    model::{
        capability::Capability,
        catalogue::Catalogue,
        failure::Failure,
        id::SessionKey,
        notice::Level,
        request::{ContextRequest, SessionRequest},
        session::{Session, SessionType},
        span::Span,
        spec::LaunchRequest,
        status::Status,
        text::Clean,
    },
    protocol::message::{Reply, Request},
    rules::{
        ahead::{Outlook, ahead, outlook},
        launch::{
            self, free_name,
            relaunch::Missing,
            whatif::{Alternative, QueueSituation, alternatives},
        },
        resolve,
    },
};

/// A generous allowance, in seconds, for starting and stopping a session in addition to its timeout.
const START_AND_STOP: i64 = 90;
/// The name of the group if an engine names none.
const DEFAULT_GROUP: &str = "default";

#[derive(Clone, Debug)]
pub struct WaitingDialog {
    pub session: SessionKey,
    pub name: Clean,
    launch: Option<LaunchRequest>,
    /// What the engine doesn't report about the session's launch.
    pub missing: Vec<Missing>,
    offer: Option<Catalogue>,
    problem: Option<Clean>,
    /// `None` until the answers arrive.
    found: Option<Vec<Remedy>>,
    marked: usize,
    /// Set while the dialog asks before the marked remedy replaces the session.
    question: Option<DialogButton>,
}

/// What a remedy does.
#[derive(Clone, Debug, PartialEq)]
enum RemedyChange {
    /// Launch this in place of the waiting session.
    Launch(Box<LaunchRequest>),
    /// Give the session this priority.
    Priority(i32),
}

/// A possible solution, one row of the dialog.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    pub words: String,
    change: RemedyChange,
}

impl From<Alternative> for Remedy {
    fn from(it: Alternative) -> Self {
        Self {
            words: it.words,
            change: RemedyChange::Launch(Box::new(it.request)),
        }
    }
}

impl WaitingDialog {
    #[must_use]
    pub fn new(session: &Session) -> Self {
        Self {
            session: session.key(),
            name: session.name.clone(),
            launch: None,
            missing: Vec::new(),
            offer: None,
            problem: None,
            found: None,
            marked: 0,
            question: None,
        }
    }

    /// Requests the settings of the launch and the available resources.
    pub fn ask(session: &Session) -> Vec<Step> {
        let (key, context) = (session.key(), session.context);
        let project = session.placement.project.as_ref();
        let requests = [
            Request::session(key, SessionRequest::Again),
            Request::context(
                context,
                ContextRequest::Catalogue {
                    project: project.map(ToString::to_string),
                    refresh: true,
                },
            ),
        ];
        let asks = requests.into_iter().map(|request| Step::Ask {
            request,
            purpose: Purpose::WhyNot(key),
        });
        asks.collect()
    }

    pub fn answered(
        &mut self,
        session: &Session,
        result: Result<Reply, Failure>,
        mirror: &Mirror,
        now: Timestamp,
    ) {
        match result {
            Ok(Reply::Again { launch, missing }) => {
                self.launch = Some(*launch);
                self.missing = missing;
            }
            Ok(Reply::Catalogue { catalogue }) => self.offer = Some(*catalogue),
            Ok(_) => return,
            Err(failure) => self.problem = Some(failure.message()),
        }
        if let (Some(launch), Some(offer)) = (&self.launch, &self.offer) {
            let request = complete(launch, session, mirror);
            let group = session.placement.resource_group.as_ref();
            let around = QueueSituation {
                offer,
                group: group.map_or(DEFAULT_GROUP, Clean::as_str),
                environment: resolve::find(
                    mirror.environments(session.context),
                    &session.environment.label(),
                ),
            };
            let smaller = alternatives(&request, around);
            let mut found = in_the_queue(session, &request, mirror, now);
            found.extend(smaller.into_iter().map(Remedy::from));
            self.found = Some(found);
        }
    }

    /// The launches that could start now, `None` until they are known.
    pub fn found(&self) -> Option<&[Remedy]> {
        self.found.as_deref()
    }

    pub fn failure(&self) -> Option<&Clean> {
        self.problem.as_ref()
    }

    pub fn marked(&self) -> usize {
        self.marked
    }

    fn marked_change(&self) -> Option<&RemedyChange> {
        let found = self.found.as_ref()?.get(self.marked)?;
        Some(&found.change)
    }

    /// The question before the marked remedy replaces the session, and its marked button. `None` while the
    /// dialog lists the remedies.
    pub fn question(&self) -> Option<(String, DialogButton)> {
        let button = self.question?;
        let words = &self.found()?.get(self.marked)?.words;
        let name = &self.name;
        let text = tr!(
            "A new session is launched {words}. {name} leaves the queue.",
            words,
            name
        );
        Some((text, button))
    }

    /// A row was pressed or clicked. A launch replaces the session, so the dialog asks first. If settings
    /// are missing, the launcher opens and the launch is confirmed there.
    fn press(&mut self, at: usize, env: &PanelEnv<'_>) -> Vec<Step> {
        if at >= self.found().map_or(0, <[Remedy]>::len) {
            return Vec::new();
        }
        self.marked = at;
        let asks = match self.marked_change() {
            Some(RemedyChange::Launch(request)) => self.is_known(request),
            _ => false,
        };
        if asks && self.still_waits(env.mirror) {
            self.question = Some(DialogButton::default());
            return Vec::new();
        }
        self.carry_out(env)
    }

    /// Carries out the marked remedy.
    fn carry_out(&self, env: &PanelEnv<'_>) -> Vec<Step> {
        let step = match self.marked_change() {
            None => return Vec::new(),
            Some(RemedyChange::Priority(priority)) => {
                priority::ask(self.session, &self.name, *priority)
            }
            Some(RemedyChange::Launch(_)) if !self.still_waits(env.mirror) => {
                let text = tr!("{name} isn't waiting any more", name = self.name);
                Step::toast(Level::Info, text)
            }
            Some(RemedyChange::Launch(request)) => self.launch(request),
        };
        vec![Step::CLOSE, step]
    }

    fn still_waits(&self, mirror: &Mirror) -> bool {
        let session = mirror.session(self.session);
        session.is_some_and(|it| it.status == Status::Pending)
    }

    /// Whether all settings of the launch are known.
    fn is_known(&self, request: &LaunchRequest) -> bool {
        self.missing.is_empty() && is_whole(request)
    }

    /// Launches at once if all settings are known. Otherwise the launcher asks for the rest. The waiting
    /// session leaves the queue when the new one is in it.
    fn launch(&self, request: &LaunchRequest) -> Step {
        let context = self.session.context;
        if self.is_known(request) {
            return Step::Ask {
                request: Request::Launch {
                    context,
                    launch: Box::new(request.clone()),
                },
                purpose: Purpose::Launch(LaunchedFrom {
                    launcher: None,
                    replaces: Some(self.session),
                }),
            };
        }
        Step::Relaunch(Box::new(EarlierLaunch {
            name: request.name.clone(),
            missing: self.missing.clone(),
            replaces: Some(self.session),
            ..EarlierLaunch::new(context, request.clone())
        }))
    }
}

const REPLACE_HINTS: &[Hint] = &[
    (
        Scope::Confirm,
        &[Action::ConfirmPress],
        tr_later!("replace"),
    ),
    (Scope::Confirm, MOVE, tr_later!("move")),
    (Scope::Confirm, &[Action::ConfirmNo], tr_later!("cancel")),
];

const PRIORITY_HINTS: &[Hint] = &[
    (
        Scope::Confirm,
        &[Action::ConfirmPress],
        tr_later!("set priority"),
    ),
    (Scope::Confirm, MOVE, tr_later!("move")),
    (Scope::Confirm, &[Action::ConfirmNo], tr_later!("cancel")),
];

const NO_REMEDY_HINTS: &[Hint] = &[(Scope::Confirm, &[Action::ConfirmNo], tr_later!("close"))];

const QUESTION_HINTS: &[Hint] = &[
    (Scope::Confirm, &[Action::ConfirmYes], tr_later!("replace")),
    (Scope::Confirm, &[Action::ConfirmNo], tr_later!("cancel")),
    (
        Scope::Confirm,
        &[Action::ConfirmToggle],
        tr_later!("other button"),
    ),
    (Scope::Confirm, &[Action::ConfirmPress], tr_later!("press")),
];

impl WaitingDialog {
    /// Handles an action while the question is asked.
    fn answer_question(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
        let button = self.question.as_mut();
        match button.and_then(|it| it.pressed_by(action)) {
            Some(DialogButton::Yes) => self.carry_out(env),
            Some(DialogButton::No) => self.back(env),
            None => Vec::new(),
        }
    }
}

impl Panel for WaitingDialog {
    fn scope(&self) -> Scope {
        Scope::Confirm
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        if self.question.is_some() {
            return self.answer_question(action, env);
        }
        let count = self.found.as_ref().map_or(0, Vec::len).max(1);
        match action {
            Action::ListDown | Action::ConfirmToggle => self.marked = (self.marked + 1) % count,
            Action::ListUp => self.marked = (self.marked + count - 1) % count,
            Action::ConfirmPress | Action::ConfirmYes => return self.press(self.marked, env),
            Action::ConfirmNo | Action::Back => return self.back(env),
            _ => {}
        }
        Vec::new()
    }

    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Button(DialogButton::Yes) => self.carry_out(env),
            DialogPart::Button(DialogButton::No) => self.back(env),
            DialogPart::Row(at) => self.press(at, env),
            DialogPart::Outside => self.back(env),
            _ => Vec::new(),
        }
    }

    /// From the question back to the remedies.
    fn back(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        match self.question.take() {
            Some(_) => Vec::new(),
            None => vec![Step::CLOSE],
        }
    }

    fn hints(&self) -> Vec<Hint> {
        let hints = match self.marked_change() {
            _ if self.question.is_some() => QUESTION_HINTS,
            Some(RemedyChange::Launch(_)) => REPLACE_HINTS,
            Some(RemedyChange::Priority(_)) => PRIORITY_HINTS,
            None => NO_REMEDY_HINTS,
        };
        hints.to_vec()
    }
}

/// The changes that let the session pass those ahead of it.
fn in_the_queue(
    session: &Session,
    request: &LaunchRequest,
    mirror: &Mirror,
    now: Timestamp,
) -> Vec<Remedy> {
    let ahead = ahead(session, mirror.sessions());
    let mut found = Vec::new();
    let may = mirror
        .why_not(session.context, Capability::Priority)
        .is_none();
    let statistics = mirror.context(session.context);
    let statistics = statistics.and_then(|state| state.statistics.as_deref());
    if let Outlook::Priority(priority) = outlook(session, mirror.sessions(), statistics)
        && may
    {
        let names = match ahead.as_slice() {
            [one] => one.name.to_string(),
            many => tr!("the {many} sessions ahead", many = many.len()),
        };
        found.push(Remedy {
            words: tr!("priority {priority}: before {names}", priority, names),
            change: RemedyChange::Priority(priority),
        });
    }
    let first = ahead
        .iter()
        .find_map(|it| Some((it, it.placement.starts_by?)));
    let batch = request.session_type == SessionType::Batch;
    if let Some((first, at)) = first.filter(|_| batch)
        && let Some(timeout) = timeout_before(at, now)
        && request.timeout.is_none_or(|it| it > timeout)
    {
        found.push(Remedy {
            words: tr!(
                "with a timeout of {timeout}: ends before {name} starts",
                timeout,
                name = first.name
            ),
            change: RemedyChange::Launch(Box::new(LaunchRequest {
                timeout: Some(timeout),
                ..request.clone()
            })),
        });
    }
    found
}

/// The longest timeout, in whole minutes, of a session that starts now and has ended before `at`.
fn timeout_before(at: Timestamp, now: Timestamp) -> Option<Span> {
    let left = at
        .duration_since(now)
        .as_secs()
        .checked_sub(START_AND_STOP)?;
    let minutes = u64::try_from(left / 60).ok()?;
    (minutes > 0).then_some(Span(minutes * 60))
}

/// Adds the amounts, which may have come from a preset or the defaults, and a free name, because the waiting
/// session still has its own.
fn complete(launch: &LaunchRequest, session: &Session, mirror: &Mirror) -> LaunchRequest {
    let earlier = launch::relaunch::again(session);
    let mut request = launch.clone();
    request.cpu = request.cpu.or(earlier.cpu);
    request.mem = request.mem.or(earlier.mem);
    if request.accelerators.is_empty() {
        request.accelerators = earlier.accelerators;
    }
    // A generated name isn't kept.
    let named = !session.name.as_str().ends_with("-session");
    request.name = named.then(|| {
        let taken = |name: &str| {
            let mut there = mirror.sessions();
            there.any(|it| it.context == session.context && !it.has_ended() && it.name == *name)
        };
        free_name(session.name.as_str(), 1, taken)
    });
    request
}

/// Whether the request can be launched without changes. The values of secrets aren't stored anywhere.
fn is_whole(request: &LaunchRequest) -> bool {
    !request.env.values().any(String::is_empty)
}
