//! The command lines of the runner inside a session.

use crate::engine::api::{AttachRequest, ExecCommand, HelperTask};

/// A client of the session's tmux, which has the right size from its first byte. `prefer` is the shell for
/// windows without a chosen shell, if the session has it; `key` identifies the client inside the session.
pub(in crate::engine::docker) fn terminal(
    runner: &[String],
    request: &AttachRequest,
    prefer: Option<&str>,
    key: Option<&str>,
) -> Vec<String> {
    let size = size(request.columns, request.rows);
    let mut argv = ask(runner, &["attach", "--tag", &request.tag, "--size", &size]);
    argv.extend(key.map(|key| format!("--key={key}")));
    let start = &request.start;
    for (given, option) in [
        (start.fresh, "--fresh"),
        (start.toolbox, "--toolbox"),
        (start.user.is_some(), "--visitor"),
    ] {
        if given {
            argv.push(option.to_owned());
        }
    }
    for (option, value) in [
        ("--shell", start.shell.as_deref()),
        ("--prefer", prefer),
        ("--directory", start.directory.as_deref()),
    ] {
        // As one word, because a value may begin with a dash.
        argv.extend(value.map(|value| format!("{option}={value}")));
    }
    if !start.command.is_empty() {
        argv.push("--".to_owned());
        argv.extend(start.command.iter().cloned());
    }
    argv
}

/// A command, with the size of its terminal if it has one. `key` identifies the command inside the session.
pub(in crate::engine::docker) fn command(
    runner: &[String],
    command: &ExecCommand,
    key: Option<&str>,
) -> Vec<String> {
    let mut argv = ask(runner, &["exec"]);
    argv.extend(key.map(|key| format!("--key={key}")));
    if let Some((columns, rows)) = command.tty {
        argv.extend(["--size".to_owned(), size(columns, rows)]);
    }
    argv.push("--".to_owned());
    argv.extend(command.argv.iter().cloned());
    argv
}

/// The control connection of the session's tmux.
pub(in crate::engine::docker) fn control(runner: &[String], prefer: Option<&str>) -> Vec<String> {
    let mut argv = ask(runner, &["control"]);
    argv.extend(prefer.map(|shell| format!("--prefer={shell}")));
    argv
}

/// Detaches all remaining clients of older terminals.
pub(in crate::engine::docker) fn detach_all(runner: &[String]) -> Vec<String> {
    ask(runner, &["detach-all"])
}

/// A connection to a port inside.
pub(in crate::engine::docker) fn relay(
    runner: &[String],
    port: u16,
    key: Option<&str>,
) -> Vec<String> {
    let mut argv = ask(runner, &["relay"]);
    argv.extend(key.map(|key| format!("--key={key}")));
    argv.push(port.to_string());
    argv
}

/// A helper with pipes.
pub(in crate::engine::docker) fn helper(
    runner: &[String],
    task: &HelperTask,
    key: Option<&str>,
) -> Vec<String> {
    let (name, values) = match task {
        HelperTask::Sftp => ("sftp", Vec::new()),
        HelperTask::Files => ("files", Vec::new()),
        HelperTask::Listen { address, port } => ("listen", vec![address.clone(), port.to_string()]),
        HelperTask::Pack { path } => ("pack", vec![path.clone()]),
        HelperTask::Unpack { path } => ("unpack", vec![path.clone()]),
    };
    let mut argv = ask(runner, &[name]);
    argv.extend(key.map(|key| format!("--key={key}")));
    if !values.is_empty() {
        argv.push("--".to_owned());
        argv.extend(values);
    }
    argv
}

/// A request about the apps inside.
pub(in crate::engine::docker) fn app(
    runner: &[String],
    words: &[&str],
    key: Option<&str>,
) -> Vec<String> {
    let mut argv = ask(runner, &["app"]);
    argv.extend(key.map(|key| format!("--key={key}")));
    argv.extend(words.iter().map(|&word| word.to_owned()));
    argv
}

/// Counts (`list`) or packs (`pack`) the files inside that aren't in a folder.
pub(in crate::engine::docker) fn unsaved(
    runner: &[String],
    word: &str,
    key: Option<&str>,
) -> Vec<String> {
    let mut argv = ask(runner, &["unsaved"]);
    argv.extend(key.map(|key| format!("--key={key}")));
    argv.push(word.to_owned());
    argv
}

/// Ends the program that was started with this key.
pub(in crate::engine::docker) fn end(runner: &[String], key: &str) -> Vec<String> {
    ask(runner, &["end", key])
}

/// The runner's command in a container, taken from the container's entry point: it may have been created
/// with an older toolbox.
pub(in crate::engine::docker) fn runner(entrypoint: &[String]) -> Option<Vec<String>> {
    let end = entrypoint.iter().position(|word| word == "runner")?;
    (end > 0).then(|| entrypoint[..end].to_vec())
}

fn ask(runner: &[String], words: &[&str]) -> Vec<String> {
    let words = std::iter::once("runner")
        .chain(words.iter().copied())
        .map(str::to_owned);
    runner.iter().cloned().chain(words).collect()
}

/// At least 1x1: a terminal of size zero confuses programs more than a small one.
fn size(columns: u16, rows: u16) -> String {
    format!("{}x{}", columns.max(1), rows.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shell_start::ShellStart;

    #[test]
    fn the_runner_is_called_as_the_container_was_made() {
        let entry = [
            "/opt/workbay/lib/ld.so",
            "/opt/workbay/bin/workbay",
            "runner",
            "main",
        ];
        let entry = entry.map(str::to_owned);
        let called = runner(&entry).unwrap();
        let request = AttachRequest {
            tag: "t".into(),
            columns: 0,
            rows: 24,
            start: ShellStart::default(),
        };
        let argv = terminal(&called, &request, None, None);
        assert_eq!(argv[..2], entry[..2]);
        assert_eq!(
            argv[2..],
            ["runner", "attach", "--tag", "t", "--size", "1x24"]
        );
        assert_eq!(runner(&["sleep".to_owned()]), None);
    }

    #[test]
    fn a_helper_gets_its_key_before_its_order() {
        let listen = HelperTask::Listen {
            address: "127.0.0.1".to_owned(),
            port: 0,
        };
        let runner = ["x".to_owned()];
        assert_eq!(
            helper(&runner, &listen, Some("k")),
            ["x", "runner", "listen", "--key=k", "--", "127.0.0.1", "0"]
        );
        assert_eq!(
            helper(&runner, &HelperTask::Sftp, None),
            ["x", "runner", "sftp"]
        );
    }

    #[test]
    fn what_was_chosen_is_said_after_what_every_runner_knows() {
        let request = AttachRequest {
            tag: "t".into(),
            columns: 80,
            rows: 24,
            start: ShellStart {
                shell: Some("-zsh".to_owned()),
                user: Some("root".to_owned()),
                directory: Some("/tmp".to_owned()),
                command: vec!["ls".to_owned(), "--all".to_owned()],
                ..ShellStart::default()
            },
        };
        let argv = terminal(&["x".to_owned()], &request, Some("fish"), Some("k"));
        assert_eq!(
            argv[7..],
            [
                "--key=k",
                "--visitor",
                "--shell=-zsh",
                "--prefer=fish",
                "--directory=/tmp",
                "--",
                "ls",
                "--all"
            ]
        );
    }
}
