use super::*;
use crate::{
    app::{panes::Panes, step::Ids},
    model::id::{SessionId, SessionKey},
};

fn layout() -> Layout {
    let (mut panes, mut ids) = (Panes::new("f"), Ids::default());
    let key = SessionKey::local(SessionId::from_u128(7));
    panes.open_session(key, &"train".into(), false, &mut ids);
    Layout::new(panes.saved(), Timestamp::UNIX_EPOCH).unwrap()
}

#[test]
fn a_file_has_what_was_saved() {
    let contents = layout().contents().unwrap();
    assert_eq!(Layout::read(&contents), Ok(layout()));
    assert_eq!(layout().panes()[0].name.as_str(), "train");
    assert_eq!(Layout::new((Vec::new(), 0), Timestamp::UNIX_EPOCH), None);
}

#[test]
fn the_earlier_key_of_the_tabs_is_read() {
    let text = String::from_utf8(layout().contents().unwrap()).unwrap();
    let earlier = text.replace("\"tabs\": [", "\"desks\": [");
    assert_ne!(earlier, text);
    assert_eq!(Layout::read(earlier.as_bytes()), Ok(layout()));
}

#[test]
fn a_mistake_has_a_place_and_a_reason() {
    let text = String::from_utf8(layout().contents().unwrap()).unwrap();
    let wrong = text.replace("\"active\": 0", "\"active\": \"first\"");
    let fault = Layout::read(wrong.as_bytes()).unwrap_err();
    assert_eq!(fault.line, 4, "{fault:?}");
    assert!(fault.message.contains("invalid type"), "{fault:?}");
    assert!(!fault.message.contains("at line"), "{fault:?}");
    let newer = text.replace("\"version\": 1", "\"version\": 2");
    let fault = Layout::read(newer.as_bytes()).unwrap_err();
    assert!(fault.message.contains("newer version"), "{fault:?}");
    let empty =
        "{\"version\": 1, \"saved_at\": \"1970-01-01T00:00:00Z\", \"active\": 0, \"tabs\": []}";
    let fault = Layout::read(empty.as_bytes()).unwrap_err();
    assert_eq!(fault.message, "it has no panes");
    for cut in [0, 1, 20, text.len() / 2] {
        let fault = Layout::read(&text.as_bytes()[..cut]).unwrap_err();
        assert!(fault.line >= 1 && fault.column >= 1, "{fault:?}");
    }
}

#[test]
fn names_are_names_of_files() {
    for name in ["a", "dev-1", "개발", "_x", "v1.2", &"a".repeat(64)] {
        assert_eq!(check_name(name), Ok(()), "{name}");
    }
    for name in [
        "",
        ".",
        "..",
        ".hidden",
        "-x",
        "a/b",
        "../x",
        "a b",
        "a\nb",
        "a\0",
        &"a".repeat(65),
    ] {
        assert!(check_name(name).is_err(), "{name:?}");
    }
}
