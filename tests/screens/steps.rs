//! Steps that many tests have in common.

use workbay::{
    model::{
        capability::EngineState, catalogue::Catalogue, change::Change, id::ContextName,
        request::ContextRequest, session::Session,
    },
    protocol::message::Reply,
};

use crate::{
    screen::Screen,
    world::{busy, day, snapshot},
};

/// The list of a working day.
pub fn working_day(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows)
        .daemon(snapshot(day()))
        .notice(Change::Usage { samples: busy() })
}

/// Answers the request for the catalogue.
pub fn answered(screen: Screen, offer: Catalogue) -> Screen {
    let catalogue = Box::new(offer);
    screen.answer(
        |r| matches!(r.of_context(), Some(ContextRequest::Catalogue { .. })),
        Ok(Reply::Catalogue { catalogue }),
    )
}

/// A session is new or has changed.
pub fn changed(screen: Screen, session: Session) -> Screen {
    let session = Box::new(session);
    screen.notice(Change::Session { session })
}

/// A new state of this machine's engine.
pub fn engine(engine: EngineState) -> Change {
    Change::Engine {
        context: ContextName::local(),
        engine: Box::new(engine),
    }
}
