//! The command line that a launch is shown and copied as, read back by a shell.

use std::process::Command;

use crate::{cli::run, machine::Machine};

/// What a shell makes of a line: every word of it, each ended by a zero byte.
fn words(shell: &str, line: &str) -> Vec<String> {
    let script = format!("workbay() {{ printf '%s\\0' \"$@\"; }}\n{line}");
    let output = Command::new(shell).args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{shell}: {line}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn a_command_of_several_lines_is_read_back_by_any_shell() {
    let machine = Machine::new();
    for command in [
        "make\nmake test",
        "\n\n  echo 'it''s' \"$HOME\" `id` \\\n\n",
        "printf 'a\\tb\\n' | tee \"x y\"\n# 한국어\t!\n",
        "-n",
    ] {
        let given = ["launch", "--dry-run", "--batch", "--timeout", "2h"];
        let option = format!("--command={command}");
        let arguments = [&given[..], &[option.as_str()]].concat();
        let (code, line, err) = run(&machine, &arguments);
        assert_eq!(code, 0, "{err}");
        for shell in ["sh", "bash"] {
            let command_words: Vec<&str> = match command {
                "-n" => vec!["--command=-n"],
                _ => vec!["--command", command],
            };
            let whole = [
                &["launch", "--batch"][..],
                &command_words,
                &["--timeout", "2h"],
            ]
            .concat();
            assert_eq!(words(shell, &line), whole, "{shell}: {line}");
        }
    }
}
