//! A launch: one request may make several sessions; one answer tells of all of them, and the whole
//! is remembered once.

use super::{
    clock,
    core::Core,
    heart::{Heart, News, Step},
    inbound::ConnectionId,
    remembered::Memory,
    station::Station,
    translate,
};
use crate::{
    controller::{
        fact::{Ask, Fact, Launch, Ticket},
        observe::fact::{Ask as Question, Fact as Observed},
        turn::Answer,
    },
    model::{
        capability::EngineState,
        id::{KernelId, SessionId},
        launch::check::{self, Ground},
        name,
        recent::{self, RecentEdit, RecentId},
        spec::LaunchRequest,
    },
    protocol::message::{Failure, FailureKind, Reply, RequestId},
};

/// Containers of one session that ids are made for.
const MOST_CONTAINERS: u32 = 1000;

impl Core {
    pub(super) async fn launch(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        number: usize,
        mut request: LaunchRequest,
    ) {
        let station = &self.stations[number];
        station.secrets.mark(&mut request);
        let context = station.context.name;
        if station.heart.is_observing() && request.home_of.is_some() {
            let text = format!("context {context} has no homes that could be taken over");
            let failure = Failure::new(FailureKind::Refused, text);
            return self.answer(connection, id, Err(failure));
        }
        let (title, copies) = match copies(station, &request) {
            Ok(copies) => copies,
            Err(failure) => return self.answer(connection, id, Err(failure)),
        };
        let memory = Memory::new(context, title.as_deref(), &request);
        let tickets = self
            .waiters
            .tickets_of_launch(connection, id, copies.len(), memory);
        for (ticket, request) in tickets.into_iter().zip(copies) {
            let news = asked(&self.stations[number].heart, ticket, request);
            self.settle(number, news).await;
        }
    }

    /// A launch that succeeds is written down with what it made, once for the whole request.
    pub(super) fn remember(&self, step: &mut Step) {
        for (ticket, answer) in &step.answers {
            if let Ok(Answer::Launched(session)) = answer
                && let Some(memory) = self.waiters.to_be_remembered(*ticket)
            {
                step.writes.push(memory.write(&session.name));
            }
        }
    }

    pub(super) async fn recents(&self) -> Result<Reply, Failure> {
        let entries = self.store.recents().await;
        told(entries)
    }

    pub(super) async fn edit_recent(
        &self,
        id: RecentId,
        edit: RecentEdit,
    ) -> Result<Reply, Failure> {
        if let RecentEdit::Rename { title } = &edit {
            recent::check_title(title).map_err(|why| Failure::new(FailureKind::Usage, why))?;
        }
        told(self.store.edit_recent(id, edit).await)
    }
}

fn told(entries: Result<Vec<recent::Recent>, crate::store::StoreError>) -> Result<Reply, Failure> {
    entries
        .map(|entries| Reply::Recents { entries })
        .map_err(|error| translate::store_failure(&error))
}

/// The single launches a request stands for, and the name of the whole where they are several.
fn copies(
    station: &Station,
    request: &LaunchRequest,
) -> Result<(Option<String>, Vec<LaunchRequest>), Failure> {
    let count = request.copies();
    if count == 1 {
        let single = LaunchRequest {
            count: None,
            ..request.clone()
        };
        return Ok((None, vec![single]));
    }
    let base = request.name.clone().unwrap_or_else(name::generated);
    let whole = LaunchRequest {
        name: Some(base.clone()),
        ..request.clone()
    };
    check_whole(station, &whole)?;
    let single = |name| LaunchRequest {
        name: Some(name),
        count: None,
        ..request.clone()
    };
    let singles = check::names(&base, count).into_iter().map(single);
    Ok((Some(base), singles.collect()))
}

/// What is wrong with all of them is said before the first is made; each is checked again by its
/// heart, which knows more.
fn check_whole(station: &Station, whole: &LaunchRequest) -> Result<(), Failure> {
    let taken = |name: &str| {
        let mut sessions = station.heart.sessions();
        sessions.any(|session| !session.status.is_final() && session.name == *name)
    };
    let ground = Ground {
        capabilities: match station.heart.engine() {
            EngineState::Connected { info } => Some(&info.capabilities),
            _ => None,
        },
        taken: Some(&taken),
        ..Ground::at(clock::now())
    };
    match check::check(whole, &ground).into_iter().next() {
        None => Ok(()),
        Some(problem) => {
            let failure = Failure::new(FailureKind::Usage, problem.message);
            Err(failure.about(problem.field))
        }
    }
}

fn asked(heart: &Heart, ticket: Ticket, request: LaunchRequest) -> News {
    match heart {
        Heart::Local(_) => News::Local(Fact::Asked {
            ticket,
            ask: Ask::Launch(Box::new(with_ids(request))),
        }),
        Heart::Observed(_) => News::Observed(Observed::Asked {
            ticket,
            ask: Question::Launch(Box::new(request)),
        }),
    }
}

fn with_ids(request: LaunchRequest) -> Launch {
    // More than any policy allows is refused before it is looked at.
    let containers = request.containers().min(MOST_CONTAINERS);
    Launch {
        session: SessionId::random(),
        kernel: KernelId::random(),
        subs: (1..containers).map(|_| KernelId::random()).collect(),
        request,
    }
}
