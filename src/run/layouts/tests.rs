use std::os::unix::fs::PermissionsExt as _;

use jiff::Timestamp;

use super::*;
use crate::{
    app::{panes::Panes, step::Ids},
    model::id::{SessionId, SessionKey},
};

fn layout(session: u128) -> Layout {
    let (mut panes, mut ids) = (Panes::new("f"), Ids::default());
    let key = SessionKey::local(SessionId::from_u128(session));
    panes.open_session(key, &"train".into(), false, &mut ids);
    Layout::new(panes.saved(), Timestamp::UNIX_EPOCH).unwrap()
}

fn save(files: &LayoutFiles, name: &str, session: u128) -> LayoutsRead {
    let name = name.to_owned();
    let layout = Box::new(layout(session));
    files.carry_out(LayoutOrder::Save { name, layout })
}

fn names(read: &LayoutsRead) -> Vec<&str> {
    read.rows.iter().map(|row| row.name.as_str()).collect()
}

#[test]
fn layouts_are_saved_replaced_and_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let files = LayoutFiles::new(dir.path().join("state/layouts"));
    assert_eq!(files.carry_out(LayoutOrder::List).rows, []);
    let saved = save(&files, "dev", 1);
    assert_eq!(saved.saved, Some(Clean::new("dev")));
    assert_eq!(files.read("dev"), Ok(layout(1)));
    save(&files, "all", 2);
    let replaced = save(&files, "dev", 3);
    assert_eq!(names(&replaced), ["all", "dev"]);
    assert_eq!(files.read("dev"), Ok(layout(3)));
    let path = files.path("dev");
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let left = fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(left, 2, "a partial file is left");
    let order = LayoutOrder::Delete { name: "all".into() };
    let deleted = files.carry_out(order);
    assert_eq!(names(&deleted), ["dev"]);
    let missing = files.read("all").unwrap_err();
    assert!(missing.contains("Saved layouts: dev"), "{missing}");
}

#[test]
fn a_bad_file_is_listed_with_its_place_and_stays() {
    let dir = tempfile::tempdir().unwrap();
    let files = LayoutFiles::new(dir.path().to_path_buf());
    save(&files, "good", 1);
    let bad = "{\n  \"version\": 1,\n  \"tabs\": 5\n}\n";
    fs::write(files.path("bad"), bad).unwrap();
    fs::write(dir.path().join("notes.txt"), "no layout").unwrap();
    let read = files.carry_out(LayoutOrder::List);
    assert_eq!(names(&read), ["bad", "good"]);
    let why = read.rows[0].read.clone().unwrap_err();
    assert!(why.as_str().contains("bad.json:3:"), "{why}");
    assert!(why.as_str().contains("delete the layout"), "{why}");
    assert!(read.rows[1].read.is_ok());
    save(&files, "other", 2);
    assert_eq!(fs::read_to_string(files.path("bad")).unwrap(), bad);
}

#[test]
fn what_cannot_be_written_is_reported_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let files = LayoutFiles::new(dir.path().to_path_buf());
    save(&files, "dev", 1);
    // A directory in the place of the partial file.
    fs::create_dir(dir.path().join("dev.json.new")).unwrap();
    let failed = save(&files, "dev", 2);
    let why = failed.outcome.unwrap().unwrap_err();
    assert!(why.as_str().contains("wasn't saved"), "{why}");
    assert_eq!(failed.saved, None);
    assert_eq!(files.read("dev"), Ok(layout(1)));
    let climbing = save(&files, "../dev", 2);
    assert!(climbing.outcome.unwrap().is_err());
    assert!(files.read("../dev").is_err());
    // A directory isn't a layout.
    fs::create_dir(files.path("dir")).unwrap();
    assert!(files.read("dir").unwrap_err().contains("isn't a layout"));
}
