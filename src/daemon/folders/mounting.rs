//! Which sessions mount which folder.

use crate::{
    model::{
        failure::Failure,
        folder::{Folder, MountingSession},
        natural,
        session::Session,
    },
    state_machine::MachineState,
};

/// How many sessions an error names.
const NAMED: usize = 5;

fn mounting<'a>(known: &'a dyn MachineState, folder: &'a str) -> impl Iterator<Item = &'a Session> {
    known.sessions().filter(move |session| {
        !session.has_ended() && session.folders.iter().any(|it| it == folder)
    })
}

/// Adds the sessions that mount each folder and haven't ended.
pub(super) fn add_mounting_sessions(known: &dyn MachineState, folders: &mut [Folder]) {
    let mounting: Vec<&Session> = known
        .sessions()
        .filter(|it| !it.has_ended() && !it.folders.is_empty())
        .collect();
    for folder in folders.iter_mut().filter(|it| it.trashed_at.is_none()) {
        let using = mounting
            .iter()
            .filter(|it| it.folders.contains(&folder.name));
        folder.mounted_by = using
            .map(|session| MountingSession {
                session: session.key(),
                name: session.name.clone(),
            })
            .collect();
        folder
            .mounted_by
            .sort_by(|one, other| natural::compare(one.name.as_str(), other.name.as_str()));
    }
}

/// Fails if a session that hasn't ended mounts the folder.
pub(super) fn refuse_if_mounted(known: &dyn MachineState, folder: &str) -> Result<(), Failure> {
    let mut names: Vec<&str> = mounting(known, folder).map(|it| it.name.as_str()).collect();
    names.sort_by(|one, other| natural::compare(one, other));
    let Some(first) = names.first() else {
        return Ok(());
    };
    let named = names[..names.len().min(NAMED)].join(", ");
    let named = match names.len().saturating_sub(NAMED) {
        0 => named,
        n => tr_sent!("{named} and {n} more", named, n),
    };
    let (what, hint) = if names.len() == 1 {
        (
            tr_sent!(
                "folder {folder} is mounted by the session {named}",
                folder,
                named
            ),
            tr_sent!(
                "terminate the session first (`workbay terminate {first}`), then try again",
                first
            ),
        )
    } else {
        (
            tr_sent!(
                "folder {folder} is mounted by the sessions {named}",
                folder,
                named
            ),
            tr_sent!(
                "terminate the sessions first (`workbay terminate {first}`), then try again",
                first
            ),
        )
    };
    Err(Failure::refused(what).hint(hint))
}
