//! For a waiting session: the sessions ahead of it or those that use the resources, and what would help.

use crate::{
    cli::connection::Connection,
    model::{session::Session, status::Status},
    rules::ahead::{ahead, holders, named, priority_to_be_first},
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
    if before.is_empty() {
        let holders = holders(session, snapshot.sessions.iter());
        let held = (!holders.is_empty()).then(|| ("Blocked by", named(&holders)));
        return held.into_iter().collect();
    }
    let mut fields = vec![("Ahead", named(&before))];
    if let Some(priority) = priority_to_be_first(&before) {
        let name = &session.name;
        let help = format!("`workbay priority {name} {priority}` puts it first");
        fields.push(("Would help", help));
    }
    fields
}
