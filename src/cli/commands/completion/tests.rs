use std::{ffi::OsString, time::Duration};

use clap::CommandFactory;

use super::{Candidate, candidates, line::Typed};
use crate::{
    cli::args::Cli,
    locale::{self, embedded},
};

/// The candidates without directories and without a daemon.
fn found(words: &[&str]) -> Vec<Candidate> {
    let mut command = Cli::command();
    command.build();
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    candidates(&command, &words, |_| None, Duration::ZERO)
}

fn offered(words: &[&str]) -> Vec<String> {
    let found = found(words).into_iter();
    found.map(|candidate| candidate.value).collect()
}

fn typed(arguments: &[&str]) -> Option<Typed> {
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    Typed::read(&arguments)
}

fn words(line: &str) -> Vec<String> {
    typed(&["bash", ":=", line]).unwrap().words
}

#[test]
fn commands_options_and_known_values_are_offered() {
    assert_eq!(offered(&["laun"]), ["launch"]);
    assert!(offered(&["env", ""]).contains(&"pull".to_owned()));
    assert_eq!(offered(&["ls", "--ta"]), ["--tab"]);
    assert_eq!(offered(&["ls", "--tab", "fin"]), ["finished"]);
    assert_eq!(offered(&["ls", "--tab=fin"]), ["--tab=finished"]);
    assert_eq!(offered(&["completion", "z"]), ["zsh"]);
    assert_eq!(offered(&["ls", "--cont"]), ["--context"], "a global option");
    assert_eq!(offered(&["top", "--context", "x", "--sort", "m"]), ["mem"]);
}

#[test]
fn descriptions_are_in_the_users_language() {
    let english = found(&["folder", ""]);
    let _korean = locale::in_this_thread(embedded::korean());
    let korean = found(&["folder", ""]);
    assert_eq!(korean.len(), english.len());
    let places: [&[&str]; 4] = [
        &[""],
        &["folder", ""],
        &["launch", "--"],
        &["wait", "--for", ""],
    ];
    for words in places {
        let all = found(words);
        assert!(!all.is_empty(), "{words:?}");
        for Candidate { value, about } in all {
            let is_korean = about.chars().any(|c| ('가'..='힣').contains(&c));
            assert!(is_korean || value == "--cpu", "{value}: {about}");
        }
    }
    let first = |words: &[&str]| found(words).remove(0);
    let running = Candidate::new("running", "세션이 실행 중임 (배치: 시작됨)");
    assert_eq!(first(&["wait", "--for", "run"]), running);
}

#[test]
fn nothing_is_offered_where_nothing_is_known() {
    for words in [
        &["runn"][..],
        &["__c"],
        &["launch", "--name", ""],
        &["ls", "--limit", ""],
        &["exec", "train", "--", ""],
        &["exec", "train", "ls", "--ker"],
        &["run", "ls", "--en"],
        &["rename", "train", ""],
        &["nothing", ""],
        &["show", ""],
    ] {
        let offered = offered(words);
        let commands = words == ["nothing", ""];
        assert!(offered.is_empty() || commands, "{words:?}: {offered:?}");
    }
}

#[test]
fn each_word_of_a_list_is_completed() {
    assert_eq!(offered(&["ls", "--columns", "na"]), ["name"]);
    assert_eq!(
        offered(&["ls", "--columns", "name,sta"]),
        ["name,status", "name,started"]
    );
    assert_eq!(
        offered(&["ls", "--columns=id,exit"]),
        ["--columns=id,exit-code"]
    );
    assert_eq!(offered(&["ls", "--sort", "exi"]), ["exit-code"]);
    assert_eq!(offered(&["ls", "--sort", "cpu:d"]), ["cpu:desc"]);
}

#[test]
fn the_shell_completes_names_of_files() {
    assert_eq!(offered(&["launch", "--from", "rec"]), [":files"]);
    assert_eq!(offered(&["man", "--dir", ""]), [":files"]);
    assert_eq!(offered(&["doctor", "--report="]), [":files"]);
}

#[test]
fn a_flag_takes_no_value_and_short_options_do() {
    let after = offered(&["logs", "-f", "x", "--ta"]);
    assert_eq!(after, ["--tail"]);
    assert_eq!(offered(&["ls", "-o", "w"]), ["wide"]);
    assert_eq!(offered(&["ls", "-q", "--re"]), ["--reverse"]);
}

#[test]
fn a_line_is_taken_apart_as_a_shell_does() {
    assert_eq!(words("workbay show tr"), ["show", "tr"]);
    assert_eq!(words("X=1 /usr/bin/workbay ls "), ["ls", ""]);
    assert_eq!(
        words(r#"workbay launch --name "my se"#),
        ["launch", "--name", "my se"]
    );
    assert_eq!(words(r"workbay show a\ b 'c d'"), ["show", "a b", "c d"]);
    assert_eq!(typed(&["bash", ":=", "other ls"]), None);
    assert_eq!(typed(&["words"]).unwrap().words, [""]);
}

#[test]
fn bash_gets_what_follows_its_own_end_of_a_word() {
    let printed = |line: &str, value: &str| {
        let typed = typed(&["bash", " :=", line]).unwrap();
        typed.printed(&Candidate::new(value, "about"))
    };
    assert_eq!(
        printed("workbay launch --env python:3", "python:3.12"),
        "3.12\n"
    );
    assert_eq!(
        printed("workbay launch --env=py", "--env=python"),
        "python\n"
    );
    assert_eq!(printed("workbay show tr", "train"), "train\n");
    assert_eq!(
        printed("workbay launch --mount my", "my data"),
        "'my data'\n"
    );
    let others = typed(&["words", "show", ""]).unwrap();
    let printed = others.printed(&Candidate::new("train", "RUNNING\nmore"));
    assert_eq!(printed, "train\tRUNNING\n");
}
