//! Text that is typed into a terminal of a session, and what arrived of it.

use workbay::{
    engine::api::{ExecCommand, Output},
    model::id::{KernelId, SessionId},
};

use crate::{
    built::row,
    support::{Bench, within},
    terminal::Terminal,
};

/// A file of the session, read over a good connection.
pub async fn content(bench: &Bench, session: SessionId, file: &str) -> String {
    output(bench, session, None, &["cat", file]).await
}

/// What a command prints in a container of the session; the main one by default.
pub async fn output(
    bench: &Bench,
    session: SessionId,
    kernel: Option<KernelId>,
    argv: &[&str],
) -> String {
    let command = ExecCommand {
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        tty: None,
        kernel,
    };
    let mut running = within(bench.engine.exec(session, command)).await.unwrap();
    let mut text = Vec::new();
    loop {
        match within(running.output.recv()).await.unwrap() {
            Output::Stdout(bytes) => text.extend_from_slice(&bytes),
            Output::End { .. } => return String::from_utf8(text).unwrap(),
            Output::Stderr(_) => {}
            Output::Lost { why } => panic!("{why}"),
        }
    }
}

/// Whether the terminal shows this line.
pub fn shows(screen: &str, line: &str) -> bool {
    screen.lines().any(|shown| shown.trim() == line)
}

/// Opens a terminal of the session in the list, and lets what is typed go into the file `typed`.
pub fn open_terminal(terminal: &mut Terminal, session: &str) {
    terminal.type_("/");
    terminal.type_(session);
    terminal.type_("\r");
    terminal.wait_until("it runs", |screen| {
        row(screen, session).is_some_and(|row| row.contains("RUNNING"))
    });
    terminal.type_("s");
    terminal.wait_for("work@");
    terminal.type_("stty -echoctl; cat > typed\r");
    terminal.wait_for("cat > typed");
}

/// Ends the last line and the file `typed`, and waits until the shell answers again.
pub fn end_typing(terminal: &mut Terminal, typed: &mut String) {
    terminal.type_("\r\x04");
    typed.push('\n');
    terminal.type_("echo $((6*7)) is the end\r");
    terminal.wait_for("42 is the end");
}

/// Types lines with their numbers, key by key, faster than the connection brings their echo. Returns them. Each begins
/// with the end of the line before it: when the last one is echoed, every key has arrived, and none is on its way.
pub fn type_lines(terminal: &mut Terminal, numbers: std::ops::Range<u32>) -> String {
    let mut all = String::new();
    for number in numbers {
        let line = format!("\nline {number} of a long text that is typed key by key");
        for key in line.chars() {
            terminal.type_(&if key == '\n' { '\r' } else { key }.to_string());
        }
        all += &line;
    }
    let last = all.lines().last().unwrap().to_owned();
    terminal.wait_until("the last line is echoed", |screen| shows(screen, &last));
    all
}
