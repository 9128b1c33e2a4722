//! Commands at a terminal: the question of `terminate`, a terminal for `exec`.

use crate::{
    cli::sessions::with_session,
    machine::{BINARY, Machine},
    terminal::Terminal,
};

#[test]
fn terminate_says_what_is_lost_and_takes_no_for_an_answer() {
    let machine = with_session("cli-asked");
    let mut terminal =
        Terminal::start(&[BINARY, "terminate", "cli-asked"], &machine.env(), 100, 24);
    terminal.wait_for("The log and the home directory are kept for 7 days.");
    terminal.wait_for("Terminate cli-asked? [y/N]");
    terminal.type_("\r");
    assert_eq!(terminal.wait_end(), 1);
    assert_eq!(machine.json(&["ls", "--json"])[0]["status"], "RUNNING");

    let argv = [BINARY, "terminate", "cli-asked", "--wait"];
    let mut terminal = Terminal::start(&argv, &machine.env(), 100, 24);
    terminal.wait_for("[y/N]");
    terminal.type_("y\r");
    assert_eq!(terminal.wait_end(), 0);
    assert_eq!(
        machine.json(&["show", "cli-asked", "--json"])["status"],
        "TERMINATED"
    );
}

#[test]
fn exec_at_a_terminal_gives_the_command_a_terminal_of_its_size() {
    let machine = with_session("cli-tty");
    let script = "tty; stty size; read line; echo [$line]; exit 7";
    let argv = [BINARY, "exec", "cli-tty", "--", "sh", "-c", script];
    let mut terminal = Terminal::start(&argv, &machine.env(), 91, 17);
    terminal.wait_for("/dev/pts/");
    terminal.wait_for("17 91");
    terminal.type_("hello\r");
    terminal.wait_for("[hello]");
    assert_eq!(terminal.wait_end(), 7);
}

fn painted(terminal: &Terminal, sequence: &str) -> bool {
    String::from_utf8_lossy(&terminal.raw()).contains(sequence)
}

#[test]
fn at_a_terminal_the_list_has_colours_unless_they_are_unwanted() {
    let machine = with_session("cli-colour");
    let mut terminal = Terminal::start(&[BINARY, "ls"], &machine.env(), 140, 24);
    terminal.wait_for("RUNNING");
    terminal.wait_end();
    assert!(painted(&terminal, "\x1b[32mRUNNING\x1b[0m"));
    let mut env = machine.env();
    env.push(("NO_COLOR".to_owned(), "1".to_owned()));
    let mut terminal = Terminal::start(&[BINARY, "ls"], &env, 140, 24);
    terminal.wait_for("RUNNING");
    terminal.wait_end();
    assert!(!painted(&terminal, "\x1b[32m"));
}

#[test]
fn shell_comes_back_to_the_same_shell() {
    let machine = with_session("cli-shell");
    let open = || Terminal::start(&[BINARY, "shell", "cli-shell"], &machine.env(), 100, 24);
    let mut terminal = open();
    terminal.wait_for("work@cli-shell");
    terminal.type_("MARK=same-shell\r");
    terminal.wait_for("MARK=same-shell");
    // The leader and d leave; the shell continues.
    terminal.type_("\x1d");
    terminal.type_("d");
    assert_eq!(terminal.wait_end(), 0);
    let mut terminal = open();
    terminal.wait_for("work@cli-shell");
    terminal.type_("echo [$MARK]\r");
    terminal.wait_for("[same-shell]");
    terminal.type_("\x1b[24~");
    terminal.type_("d");
    assert_eq!(terminal.wait_end(), 0);
}

#[test]
fn shell_of_a_session_that_does_not_run_is_refused_with_its_status() {
    let machine = with_session("cli-ended");
    machine.ok(&["terminate", "cli-ended", "--force", "--yes", "--wait"]);
    let argv = [BINARY, "shell", "cli-ended"];
    let mut terminal = Terminal::start(&argv, &machine.env(), 100, 24);
    terminal.wait_for("session cli-ended is TERMINATED, not RUNNING");
    assert_eq!(terminal.wait_end(), 1);
}

#[test]
fn without_a_terminal_an_unknown_session_is_reported_before_the_question() {
    let machine = Machine::new();
    let (code, out, err) = crate::cli::run(&machine, &["terminate", "nowhere"]);
    assert_eq!((code, out.as_str()), (3, ""), "{err}");
    assert!(err.contains("nowhere") && !err.contains("--yes"), "{err}");
    let machine = with_session("cli-there");
    let (code, _, err) = crate::cli::run(&machine, &["terminate", "cli-there"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("--yes"), "{err}");
    assert_eq!(
        machine.json(&["show", "cli-there", "--json"])["status"],
        "RUNNING"
    );
}
