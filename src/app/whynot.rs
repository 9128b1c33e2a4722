//! Why a session waits, and what could start now in its place.

use super::{
    mirror::Mirror,
    step::{Purpose, Step},
};
use crate::{
    action::Action,
    model::{
        catalogue::Catalogue,
        id::SessionKey,
        launch::{
            self,
            again::Missing,
            free_name,
            whatif::{Alternative, Around, alternatives},
        },
        resolve,
        session::Session,
        spec::LaunchRequest,
        text::Clean,
    },
    protocol::message::{Failure, Reply, Request},
};

/// Where an engine names no group.
const DEFAULT_GROUP: &str = "default";

#[derive(Clone, Debug)]
pub struct WhyNot {
    pub session: SessionKey,
    pub name: Clean,
    launch: Option<LaunchRequest>,
    /// Of its launch the engine does not tell.
    pub missing: Vec<Missing>,
    offer: Option<Catalogue>,
    problem: Option<Clean>,
    /// `None` while the answers are on their way.
    found: Option<Vec<Alternative>>,
    marked: usize,
}

/// What the person decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Nothing,
    Close,
    /// Launch this in its place.
    Launch(Box<LaunchRequest>),
}

impl WhyNot {
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
        }
    }

    /// How it was asked for, and what there is.
    pub fn ask(session: &Session) -> Vec<Step> {
        let (key, context) = (session.key(), session.context);
        let project = session.placement.project.as_ref();
        let requests = [
            Request::Again { session: key },
            Request::Catalogue {
                context,
                project: project.map(ToString::to_string),
                anew: true,
            },
        ];
        let asks = requests.into_iter().map(|request| Step::Ask {
            request,
            purpose: Purpose::WhyNot(key),
        });
        asks.collect()
    }

    pub fn answered(&mut self, session: &Session, result: Result<Reply, Failure>, mirror: &Mirror) {
        match result {
            Ok(Reply::Again { launch, missing }) => {
                self.launch = Some(*launch);
                self.missing = missing;
            }
            Ok(Reply::Catalogue { catalogue }) => self.offer = Some(*catalogue),
            Ok(_) => return,
            Err(failure) => self.problem = Some(failure.message),
        }
        if let (Some(launch), Some(offer)) = (&self.launch, &self.offer) {
            let request = complete(launch, session, mirror);
            let group = session.placement.resource_group.as_ref();
            let around = Around {
                offer,
                group: group.map_or(DEFAULT_GROUP, Clean::as_str),
                environment: resolve::find(
                    mirror.environments(session.context),
                    &session.environment.label(),
                ),
            };
            self.found = Some(alternatives(&request, around));
        }
    }

    /// What could start now; `None` while it is not known.
    pub fn found(&self) -> Option<&[Alternative]> {
        self.found.as_deref()
    }

    pub fn problem(&self) -> Option<&Clean> {
        self.problem.as_ref()
    }

    pub fn marked(&self) -> usize {
        self.marked
    }

    fn count(&self) -> usize {
        self.found.as_ref().map_or(0, Vec::len)
    }

    pub fn action(&mut self, action: Action) -> Answer {
        let count = self.count().max(1);
        match action {
            Action::ListDown | Action::ConfirmToggle => self.marked = (self.marked + 1) % count,
            Action::ListUp => self.marked = (self.marked + count - 1) % count,
            Action::ConfirmPress | Action::ConfirmYes => return self.press(self.marked),
            Action::ConfirmNo | Action::Back | Action::Quit | Action::Interrupt => {
                return Answer::Close;
            }
            _ => {}
        }
        Answer::Nothing
    }

    /// A row was pressed or clicked.
    pub fn press(&mut self, at: usize) -> Answer {
        let found = self.found.as_ref().and_then(|found| found.get(at));
        match found {
            Some(alternative) => Answer::Launch(Box::new(alternative.request.clone())),
            None => Answer::Nothing,
        }
    }
}

/// With its amounts, which may have been a preset's or the default ones, and a name that is free: the
/// waiting session has its own still.
fn complete(launch: &LaunchRequest, session: &Session, mirror: &Mirror) -> LaunchRequest {
    let told = launch::again::again(session);
    let mut request = launch.clone();
    request.cpu = request.cpu.or(told.cpu);
    request.mem = request.mem.or(told.mem);
    if request.accelerators.is_empty() {
        request.accelerators = told.accelerators;
    }
    // A generated name is no name to go on with.
    let named = !session.name.as_str().ends_with("-session");
    request.name = named.then(|| {
        let taken = |name: &str| {
            let mut there = mirror.sessions();
            there.any(|it| {
                it.context == session.context && !it.status.is_final() && it.name == *name
            })
        };
        free_name(session.name.as_str(), 1, taken)
    });
    request
}

/// Whether it can be launched as it stands: a secret's value is kept nowhere.
pub fn is_whole(request: &LaunchRequest) -> bool {
    !request.env.values().any(String::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::session,
        model::{
            catalogue::ResourceGroup,
            resources::{Bytes, Cpu, ResourceSlots},
        },
    };

    fn waiting() -> Session {
        let mut it = session(1, "train");
        it.requested_slots = ResourceSlots::new(Cpu::from_millis(4000), Bytes::mib(1024));
        it
    }

    fn told(remaining: ResourceSlots) -> WhyNot {
        let session = waiting();
        let mut mirror = Mirror::default();
        let change = crate::model::change::Change::Session {
            session: Box::new(session.clone()),
        };
        mirror.apply(change, jiff::Timestamp::UNIX_EPOCH);
        let mut it = WhyNot::new(&session);
        let launch = Box::default();
        let missing = Vec::new();
        it.answered(&session, Ok(Reply::Again { launch, missing }), &mirror);
        assert_eq!(it.found(), None);
        let group = ResourceGroup {
            name: "default".into(),
            using: ResourceSlots::default(),
            remaining,
            waiting: None,
            capacity: None,
        };
        let catalogue = Box::new(Catalogue {
            resource_groups: vec![group],
            ..Catalogue::default()
        });
        it.answered(&session, Ok(Reply::Catalogue { catalogue }), &mirror);
        it
    }

    #[test]
    fn what_was_not_said_is_what_the_session_has_and_its_name_is_taken() {
        let mut it = told(ResourceSlots::new(Cpu::from_millis(2000), Bytes::mib(4096)));
        assert_eq!(it.found().unwrap()[0].words, "with 2 CPU");
        let Answer::Launch(request) = it.action(Action::ConfirmPress) else {
            panic!("nothing is launched");
        };
        assert_eq!(request.cpu, Some(Cpu::from_millis(2000)));
        assert_eq!(request.mem, Some(Bytes::mib(1024)));
        assert_eq!(request.name.as_deref(), Some("train-2"));
        assert!(is_whole(&request));
    }

    #[test]
    fn with_nothing_to_press_enter_does_nothing() {
        let mut it = told(ResourceSlots::default());
        assert_eq!(it.found(), Some(&[][..]));
        assert_eq!(it.action(Action::ListDown), Answer::Nothing);
        assert_eq!(it.action(Action::ConfirmPress), Answer::Nothing);
        assert_eq!(it.action(Action::ConfirmNo), Answer::Close);
    }

    #[test]
    fn a_secret_without_its_value_is_not_whole() {
        let env = [("API_TOKEN".to_owned(), String::new())].into();
        let request = LaunchRequest {
            env,
            ..LaunchRequest::default()
        };
        assert!(!is_whole(&request));
    }
}
