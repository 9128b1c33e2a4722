//! What Tab offers in real shells.

use std::{path::Path, process::Command};

use crate::{
    cli::sessions::until,
    machine::{BINARY, Machine, launch},
    terminal::Terminal,
};

/// The machine's variables, with the program in PATH.
fn env(machine: &Machine) -> Vec<(String, String)> {
    let program = Path::new(BINARY).parent().unwrap().display();
    let path = std::env::var("PATH").unwrap();
    let mut env = machine.env();
    env.retain(|(name, _)| name != "PATH");
    env.push(("PATH".to_owned(), format!("{program}:{path}")));
    env
}

fn offered(machine: &Machine, words: &[&str]) -> Vec<String> {
    let printed = machine.ok(&[&["__complete", "words"], words].concat());
    let values = printed.lines().map(|line| line.split('\t').next().unwrap());
    values.map(str::to_owned).collect()
}

#[test]
fn descriptions_are_in_the_language_of_the_shell() {
    let machine = Machine::new();
    let offered = |locale: &str, words: &[&str]| {
        let output = Command::new(BINARY)
            .args(["__complete", "words"])
            .args(words)
            .envs(env(&machine))
            .env("LC_ALL", locale)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let typed = ["wait", "--for", "end"];
    assert_eq!(offered("C.UTF-8", &typed), "ended\tThe session has ended\n");
    assert_eq!(offered("ko_KR.UTF-8", &typed), "ended\t세션이 종료됨\n");
    // Words of the line are not options of this program.
    let after_json = ["ls", "--json", "--tr"];
    let english = offered("C.UTF-8", &after_json);
    let korean = offered("ko_KR.UTF-8", &after_json);
    assert!(english.starts_with("--tree\t"), "{english}");
    assert!(
        korean.starts_with("--tree\t") && korean != english,
        "{korean}"
    );
    assert!(!machine.path("state").exists(), "a Tab started a daemon");
}

/// Types what begins a command, and Tab; the shell makes it whole.
#[track_caller]
fn completes(shell: &mut Terminal, typed: &str, whole: &str) {
    shell.type_(typed);
    shell.wait_for(typed);
    shell.type_("\t");
    shell.wait_for(whole);
    shell.type_("\x15\x0c");
    shell.wait_gone(whole);
}

#[test]
fn bash_completes_commands_values_and_contexts() {
    let machine = Machine::new();
    let argv = ["bash", "--norc", "--noprofile", "-i"];
    let mut shell = Terminal::start(&argv, &env(&machine), 100, 30);
    shell.type_("PS1='> '; source <(workbay completion bash); echo rea''dy\r");
    shell.wait_for("ready");
    completes(&mut shell, "workbay complet", "workbay completion ");
    completes(&mut shell, "workbay ls --tab=fin", "--tab=finished");
    completes(&mut shell, "workbay ls --sort cpu:de", "--sort cpu:desc");
    completes(&mut shell, "workbay ls --context lo", "--context local");
    assert!(!machine.path("state").exists(), "a Tab started a daemon");
}

#[test]
fn zsh_completes_too() {
    let machine = Machine::new();
    let mut shell = Terminal::start(&["zsh", "-f", "-i"], &env(&machine), 100, 30);
    shell.type_("PS1='> '; autoload -U compinit; compinit -u -D; source <(workbay completion zsh); echo rea''dy\r");
    shell.wait_for("ready");
    completes(&mut shell, "workbay complet", "workbay completion ");
    completes(&mut shell, "workbay ls --sort cpu:de", "--sort cpu:desc");
}

#[test]
fn fish_completes_too() {
    let machine = Machine::new();
    let script = "workbay completion fish | source; complete -C 'workbay ls --tab fin'";
    let output = Command::new("fish")
        .args(["--no-config", "-c", script])
        .envs(env(&machine))
        .output()
        .expect("fish is installed (scripts/test-setup)");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(printed.trim(), "finished", "{output:?}");
}

#[test]
fn sessions_are_offered_to_the_commands_that_take_them() {
    let machine = Machine::new();
    machine.ok(&launch("steady", &["--cpu", "0.2", "--wait"]));
    let ends = ["--cpu", "0.2", "--batch", "--command", "true", "--wait-end"];
    machine.ok(&launch("stopped", &ends));
    // A daemon that is busy right now is not waited for.
    let until_offered = |words: &[&str], wanted: &[&str]| {
        let what = format!("{wanted:?} is offered after {words:?}");
        until(&what, || offered(&machine, words) == wanted);
    };
    for verb in ["shell", "exec", "terminate", "top"] {
        until_offered(&[verb, "st"], &["steady"]);
    }
    until_offered(&["rm", ""], &["stopped"]);
    until_offered(&["show", "st"], &["stopped", "steady"]);
    until_offered(&["show", "local/ste"], &["local/steady"]);
    until_offered(&["logs", "steady", "--kernel", ""], &["main1"]);
    until_offered(&["launch", "--group", ""], &["default"]);
    until_offered(&["launch", "--env", "hos"], &["host", &host(&machine)]);
    let bash = ["__complete", "bash", ":=", "workbay terminate st"];
    until("bash gets the name", || machine.ok(&bash) == "steady\n");
    machine.ok(&["daemon", "stop"]);
    assert!(offered(&machine, &["shell", ""]).is_empty());
    assert!(machine.daemon_pid().is_none(), "a Tab started a daemon");
}

/// The host environment with its version.
fn host(machine: &Machine) -> String {
    let all = machine.json(&["env", "ls", "--json"]);
    format!("host:{}", all[0]["version"].as_str().unwrap())
}

#[test]
fn folders_in_the_trash_complete_by_name_or_by_id() {
    let machine = Machine::new();
    for name in ["inputs", "models", "models"] {
        machine.ok(&["folder", "create", name]);
        machine.ok(&["folder", "rm", name]);
    }
    machine.ok(&["folder", "create", "kept"]);
    let trash = machine.json(&["folder", "ls", "--trash", "--json"]);
    let trash = trash.as_array().unwrap().iter();
    let models = trash.filter(|it| it["name"] == "models");
    let mut expected: Vec<String> = models
        .map(|it| it["id"].as_str().unwrap().to_owned())
        .chain(["inputs".to_owned()])
        .collect();
    expected.sort();
    for command in ["restore", "purge"] {
        // A Tab waits only a moment for the daemon.
        until(&format!("{command} completes"), || {
            let mut names = offered(&machine, &["folder", command, ""]);
            names.sort();
            names == expected
        });
    }
}
