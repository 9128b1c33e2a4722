//! The places whose files can be opened: running sessions, and folders that are known.

use crate::{
    app::{mirror::Mirror, panels::scroll::ListCursor},
    model::{files::FilePlace, natural, text::Clean},
};

/// The list of places, on top of the explorer.
#[derive(Clone, Debug, Default)]
pub struct PlacePicker {
    pub list: ListCursor,
}

/// One row: a place, its title and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceRow {
    pub place: FilePlace,
    pub title: Clean,
    pub kind: &'static str,
}

/// The title of a place: the name of the session or folder, and what it is.
pub fn title_of(place: &FilePlace, mirror: &Mirror) -> (Clean, &'static str) {
    match place {
        FilePlace::Folder { folder, .. } => (Clean::new(folder), tr!("folder")),
        FilePlace::Session { session } => match mirror.session(*session) {
            Some(known) if known.has_ended() => (known.name.clone(), tr!("ended session")),
            Some(known) => (known.name.clone(), tr!("session")),
            None => (Clean::new(&session.id.to_string()), tr!("session")),
        },
    }
}

/// The running sessions, the folders that they mount, and the places that were open before.
pub fn rows(mirror: &Mirror, visited: &[FilePlace]) -> Vec<PlaceRow> {
    let mut rows: Vec<PlaceRow> = Vec::new();
    let mut add = |place: FilePlace| {
        let (title, kind) = title_of(&place, mirror);
        let row = PlaceRow { place, title, kind };
        if !rows.iter().any(|it| it.place == row.place) {
            rows.push(row);
        }
    };
    for session in mirror.sessions().filter(|it| it.status.is_live()) {
        add(FilePlace::Session {
            session: session.key(),
        });
        for folder in &session.folders {
            add(FilePlace::Folder {
                context: session.context,
                folder: folder.to_string(),
            });
        }
    }
    visited.iter().cloned().for_each(&mut add);
    rows.sort_by(|one, other| {
        let by_title = natural::compare(one.title.as_str(), other.title.as_str());
        one.kind.cmp(other.kind).then(by_title)
    });
    rows
}
