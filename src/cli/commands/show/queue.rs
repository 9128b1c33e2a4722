//! For a waiting session: the sessions ahead of it or those that use the resources, and what would start it.

use crate::{
    cli::{connection::Connection, find},
    model::{session::Session, status::Status},
    rules::ahead::{Outlook, ahead, ends, holders, named, outlook},
};

pub async fn around(connection: &Connection, session: &Session) -> Vec<(&'static str, String)> {
    if session.status != Status::Pending || session.placement.queue_position.is_none() {
        return Vec::new();
    }
    // If the other sessions aren't available, the rest is still shown.
    let Ok(snapshot) = connection.snapshot().await else {
        return Vec::new();
    };
    let before = ahead(session, snapshot.sessions.iter());
    let holders = holders(session, snapshot.sessions.iter());
    let mut fields = match (before.as_slice(), holders.as_slice()) {
        ([], []) => Vec::new(),
        ([], holders) => vec![(tr!("Blocked by"), named(holders))],
        (before, _) => vec![(tr_later!("Ahead"), named(before))],
    };
    let state = find::state(&snapshot, session.context);
    let statistics = state.and_then(|state| state.statistics.as_deref());
    match outlook(session, snapshot.sessions.iter(), statistics) {
        Outlook::Priority(priority) => {
            let help = tr!(
                "`workbay priority {name} {priority}` starts it now",
                name = session.name,
                priority
            );
            fields.push((tr!("Would help"), help));
        }
        Outlook::Ends(ended) => fields.push((tr!("Starts when"), ends(&ended))),
        Outlook::Unknown => {}
    }
    fields
}
