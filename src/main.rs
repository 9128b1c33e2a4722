//! Chooses TUI, command line or daemon; prints the error chain; exit code. Nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == "runner") {
        return workbay::runner::main(args);
    }
    ExitCode::SUCCESS
}
