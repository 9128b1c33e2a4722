//! Finds where files are, and whether they may be opened or changed.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::{
    daemon::{
        connection::inbound::Inbound,
        main_loop::{core::Core, snapshots},
    },
    engine::{api::Engine, files::FileRoot},
    model::{
        capability::EngineState, failure::Failure, files::FilePlace, id::SessionKey,
        session::Session, status::Status, text::Clean,
    },
};

/// A place that may be opened.
pub(in crate::daemon) struct FoundPlace {
    pub engine: Arc<dyn Engine>,
    pub root: FileRoot,
    /// The running session whose use this is.
    pub running: Option<SessionKey>,
    /// Why nothing may be changed.
    pub read_only: Option<Clean>,
}

pub(in crate::daemon) type PlaceAnswer = oneshot::Sender<Result<FoundPlace, Failure>>;

/// A client that waits until the engine is connected.
pub(in crate::daemon) struct WaitingPlace {
    pub place: FilePlace,
    pub is_change: bool,
    pub answer: PlaceAnswer,
}

/// Asks the loop.
pub(super) async fn find(
    inbound: &mpsc::Sender<Inbound>,
    place: &FilePlace,
    is_change: bool,
) -> Result<FoundPlace, Failure> {
    let (answer, answered) = oneshot::channel();
    let waiting = WaitingPlace {
        place: place.clone(),
        is_change,
        answer,
    };
    let ending = || Failure::lost(tr_sent!("the daemon is stopping")).hint(tr_sent!("try again"));
    let sent = inbound.send(Inbound::FindPlace(waiting)).await;
    sent.map_err(|_| ending())?;
    answered.await.unwrap_or_else(|_| Err(ending()))
}

impl Core {
    /// Answers now, or when the engine is connected.
    pub(in crate::daemon) async fn place_asked(&mut self, waiting: WaitingPlace) {
        if let FilePlace::Session { session } = waiting.place {
            self.recall(session).await;
        }
        self.waiting_places.push(waiting);
    }

    /// Answers those whose engine is known now.
    pub(in crate::daemon) fn answer_waiting_places(&mut self) {
        for waiting in std::mem::take(&mut self.waiting_places) {
            if waiting.answer.is_closed() {
                continue;
            }
            match self.place_for(&waiting.place, waiting.is_change) {
                Ok(Some(found)) => drop(waiting.answer.send(Ok(found))),
                Ok(None) => self.waiting_places.push(waiting),
                Err(failure) => drop(waiting.answer.send(Err(failure))),
            }
        }
    }

    /// `None` = not yet known.
    fn place_for(&self, place: &FilePlace, is_change: bool) -> Result<Option<FoundPlace>, Failure> {
        let number = self.context_for(place.context(), is_change)?;
        let runner = &self.contexts[number];
        let known = runner.known();
        let (root, running) = match place {
            FilePlace::Folder { folder, .. } => (FileRoot::Folder(folder.clone()), None),
            FilePlace::Session { session } => {
                let found = snapshots::find(known, *session)?;
                match of_session(found, known.is_observing(), known.is_forgotten(session.id))? {
                    root @ FileRoot::Running(_) => (root, Some(*session)),
                    root => (root, None),
                }
            }
        };
        let read_only = runner.context.read_only.then(|| {
            Clean::new(&tr_sent!(
                "context '{context}' is read-only",
                context = place.context()
            ))
        });
        match (runner.lazy_engine.there(), known.engine()) {
            (Some(engine), _) => Ok(Some(FoundPlace {
                engine,
                root,
                running,
                read_only,
            })),
            (None, EngineState::Lost { why, hint, .. }) => {
                Err(Failure::lost(why.clone()).maybe_hint(hint.clone()))
            }
            (None, _) => Ok(None),
        }
    }
}

/// Where the files of a session are, if they exist.
fn of_session(
    session: &Session,
    is_observing: bool,
    is_forgotten: bool,
) -> Result<FileRoot, Failure> {
    let (name, status) = (&session.name, &session.status);
    if status.is_live() {
        return Ok(FileRoot::Running(session.id));
    }
    if !status.is_final() && *status != Status::Error {
        let text = tr_sent!(
            "session {name} is {status}: its files need a running or ended session",
            name,
            status
        );
        return Err(Failure::refused(text).hint(tr_sent!("try again when it runs")));
    }
    if is_observing {
        let text = tr_sent!(
            "session {name} has ended, and clusters keep no files of ended sessions",
            name
        );
        return Err(
            Failure::refused(text).hint(tr_sent!("only files in folders outlive a session"))
        );
    }
    if is_forgotten {
        let text = tr_sent!("the files of {name} were deleted", name);
        return Err(Failure::not_found(text).hint(tr_sent!(
            "files of ended sessions are kept for [history] keep-days"
        )));
    }
    Ok(FileRoot::Ended(session.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing;

    #[test]
    fn a_session_has_files_while_it_runs_and_after_its_end() {
        let mut session = testing::session(1, "train");
        let id = session.id;
        let of =
            |session: &Session, observing, forgotten| of_session(session, observing, forgotten);
        session.status = Status::Running;
        assert_eq!(of(&session, true, false), Ok(FileRoot::Running(id)));
        for ended in [Status::Terminated, Status::Error] {
            session.status = ended;
            assert_eq!(of(&session, false, false), Ok(FileRoot::Ended(id)));
            assert!(of(&session, false, true).unwrap_err().is_not_found());
            assert!(of(&session, true, false).is_err());
        }
        for other in [Status::Pending, Status::Preparing, Status::Terminating] {
            session.status = other;
            assert!(of(&session, false, false).is_err());
        }
    }
}
