//! Each promise of `docs/security.md` names tests that exist.

use std::{fs, path::Path};

fn sources(dir: &Path, text: &mut String) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|it| it == "rs") {
            text.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_promise_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut code = String::new();
    sources(&root.join("src"), &mut code);
    sources(&root.join("tests"), &mut code);
    let page = fs::read_to_string(root.join("docs/security.md")).unwrap();
    let (_, section) = page.split_once("## Promises").expect("its promises");
    let (section, _) = section.split_once("\n## ").expect("the next part");
    let rows = section
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip(1);
    let mut missing = Vec::new();
    for row in rows {
        let tests = row.split('|').nth(2).expect("a column of tests");
        let names: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test checks: {row}");
        missing.extend(
            names
                .into_iter()
                .filter(|name| !code.contains(&format!("fn {name}("))),
        );
    }
    assert!(missing.is_empty(), "tests that do not exist: {missing:?}");
}
