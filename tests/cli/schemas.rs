//! The check of JSON against its documented schemas, which every test here uses.

use serde_json::json;

use crate::schemas::{check, name_of};

#[test]
#[should_panic(expected = "doesn't describe")]
fn a_field_of_another_type_is_found() {
    check(
        "themes",
        &json!([{ "kind": "theme", "name": 3, "own": false, "in_use": true }]),
    );
}

#[test]
fn commands_have_their_schemas() {
    for (line, name) in [
        (&["env", "ls", "--json"][..], "env-ls"),
        (&["--context", "a", "ls", "--json"], "ls"),
        (&["recent", "launch", "3", "--json"], "launch"),
    ] {
        assert_eq!(name_of(line).as_deref(), Some(name));
    }
}
