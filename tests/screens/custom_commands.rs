//! Your own commands: their keys, where they are listed, the dialog, and what they run.

use workbay::{
    app::{effect::Effect, msg::Msg, panels::custom_command::CommandDialog},
    keymap::Keymap,
    model::custom_command::{CommandPlace, CommandScope, CommandTarget, Confirm, CustomCommand},
    protocol::message::StreamOpen,
};

use crate::{
    screen::{Screen, facts},
    world::{day, snapshot},
};

fn command(name: &str, key: &str, target: CommandTarget, template: &str) -> CustomCommand {
    CustomCommand {
        name: name.to_owned(),
        key: Some(key.to_owned()),
        scopes: vec![CommandScope::List, CommandScope::Detail],
        template: template.to_owned(),
        confirm: Confirm::No,
        target,
        changes: true,
        show: String::new(),
        place: CommandPlace {
            file: "config.toml".into(),
            line: 4,
            column: 1,
        },
    }
}

fn commands() -> Vec<CustomCommand> {
    let mut restart = command(
        "restart nginx",
        "alt-n",
        CommandTarget::Session,
        "nginx -s reload",
    );
    restart.confirm = Confirm::Text("Requests that are open will fail.".to_owned());
    let mut usage = command(
        "disk usage",
        "alt-d",
        CommandTarget::Background,
        "du -sh {name}",
    );
    "status:running".clone_into(&mut usage.show);
    let mut top = command(
        "cluster status",
        "alt-s",
        CommandTarget::Pane,
        "sinfo -u {user}",
    );
    top.scopes.push(CommandScope::Terminal);
    top.changes = false;
    vec![restart, usage, top]
}

fn screen(columns: u16, rows: u16) -> Screen {
    with(columns, rows, commands())
}

fn with(columns: u16, rows: u16, commands: Vec<CustomCommand>) -> Screen {
    let mut screen = Screen::new(columns, rows);
    screen.app = workbay::app::app::App::new(facts(), Keymap::default()).with_commands(commands);
    screen.daemon(snapshot(day())).press("j j")
}

/// The commands that run in the background, each with its session.
fn background(screen: &Screen) -> Vec<(Option<String>, Vec<String>)> {
    let runs = screen.effects().iter().filter_map(|effect| match effect {
        Effect::RunCommand { session, argv, .. } => {
            Some((session.as_ref().map(ToString::to_string), argv.clone()))
        }
        _ => None,
    });
    runs.collect()
}

#[test]
fn a_key_runs_a_command_in_the_background_with_the_name_as_an_argument() {
    let screen = screen(120, 40).press("alt-d");
    let runs = background(&screen);
    assert_eq!(runs.len(), 1, "{}", screen.text());
    assert_eq!(runs[0].0.as_deref(), Some("train-resnet"));
    assert_eq!(
        runs[0].1,
        ["sh", "-c", "du -sh \"${1}\"", "workbay", "train-resnet"]
    );
    assert!(
        screen.sees("Disk usage started on train-resnet"),
        "{}",
        screen.text()
    );
}

#[test]
fn a_command_with_a_question_asks_and_runs_in_the_session() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let asked = screen(columns, rows).press("alt-n");
        assert!(asked.is_open::<CommandDialog>());
        insta::assert_snapshot!(format!("command_question_{columns}x{rows}"), asked.text());
    }
    let cancelled = screen(80, 24).press("alt-n n");
    assert!(!cancelled.is_open::<CommandDialog>());
    let run = screen(80, 24).press("alt-n y");
    let opened = run.effects().iter().find_map(|effect| match effect {
        Effect::Open {
            open: StreamOpen::Terminal { start, .. },
            ..
        } => Some(start.clone()),
        _ => None,
    });
    let start = opened.unwrap();
    assert!(start.fresh);
    assert_eq!(
        start.command[4..],
        ["sh", "-c", "nginx -s reload", "workbay"]
    );
}

#[test]
fn a_command_in_a_pane_runs_on_this_machine() {
    let run = screen(80, 24).press("alt-s");
    let command = run.effects().iter().find_map(|effect| match effect {
        Effect::OpenHostShell { command, .. } => Some(command.clone()),
        _ => None,
    });
    let command = command.unwrap();
    assert_eq!(
        command[4..],
        ["sh", "-c", "sinfo -u \"${1}\"", "workbay", "jin"]
    );
    assert!(run.sees("cluster status"), "{}", run.text());
    // A shell of this machine is another pane, and after the leader key the command is listed.
    let shell = run.press("F12").wait(1);
    assert!(
        shell.sees("After the leader key") && shell.sees("alt-s"),
        "{}",
        shell.text()
    );
    let again = shell.press("alt-s");
    let runs = again.effects().iter();
    let runs = runs
        .filter(|it| matches!(it, Effect::OpenHostShell { command, .. } if !command.is_empty()));
    assert_eq!(runs.count(), 2);
}

#[test]
fn marked_sessions_are_asked_about_once_with_those_left_out() {
    let screen = screen(120, 40).press("ctrl-a alt-d");
    assert!(screen.is_open::<CommandDialog>(), "{}", screen.text());
    insta::assert_snapshot!("command_marked", screen.text());
    let ran = screen.press("y");
    let runs = background(&ran);
    assert!(runs.len() > 2, "{runs:?}");
    let mut names: Vec<_> = runs.iter().map(|(session, _)| session.clone()).collect();
    names.dedup();
    assert_eq!(names.len(), runs.len());
}

#[test]
fn a_command_is_refused_with_the_reason_in_list_and_palette() {
    let mut read_only = facts();
    read_only.read_only = true;
    let mut screen = Screen::new(120, 40);
    let app = workbay::app::app::App::new(read_only, Keymap::default());
    screen.app = app.with_commands(commands());
    let screen = screen.daemon(snapshot(day())).press("j j");
    let refused = screen.press("alt-d");
    assert!(refused.sees("ead-only"), "{}", refused.text());
    assert_eq!(background(&refused), []);
    let palette = refused.press("esc :").typed(">disk usage");
    insta::assert_snapshot!("command_palette_read_only", palette.text());
    let nothing = palette.press("enter");
    assert_eq!(background(&nothing), []);
    // A command that changes nothing is possible.
    let allowed = nothing.press("ctrl-u").typed(">cluster").press("enter");
    let runs = allowed.effects().iter();
    let runs = runs
        .filter(|it| matches!(it, Effect::OpenHostShell { command, .. } if !command.is_empty()));
    assert_eq!(runs.count(), 1, "{}", allowed.text());
}

#[test]
fn help_lists_commands_and_runs_them() {
    let help = screen(120, 40).press("?").typed("disk usage");
    assert!(
        help.sees("alt-d") && help.sees("your command"),
        "{}",
        help.text()
    );
    let ran = help.press("enter");
    assert_eq!(background(&ran).len(), 1, "{}", ran.text());
}

#[test]
fn a_key_that_the_keymap_has_stays_with_its_action() {
    let clash = command("mine", "x", CommandTarget::Background, "true");
    let screen = with(80, 24, vec![clash]).press("x");
    assert_eq!(background(&screen), []);
    assert!(!screen.is_open::<CommandDialog>());
    // The palette still has it.
    let ran = screen.press("esc :").typed(">mine").press("enter");
    assert_eq!(background(&ran).len(), 1, "{}", ran.text());
}

#[test]
fn another_keymap_binds_the_keys_again_and_changed_commands_are_used_at_once() {
    let own = command("mine", "F", CommandTarget::Background, "true");
    let screen = with(80, 24, vec![own]).press("F");
    assert_eq!(background(&screen).len(), 1);
    let k9s = screen.send(Msg::Keymap(Ok(Box::new(Keymap::builtin("k9s").unwrap()))));
    assert!(
        k9s.sees("the key 'F' of 'mine' is bound to"),
        "{}",
        k9s.text()
    );
    let pressed = k9s.press("F");
    assert_eq!(background(&pressed).len(), 1, "the keymap has the key");
}
