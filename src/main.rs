//! Chooses TUI, command line or daemon; prints the error chain; exit code. Nothing else.

fn main() {}
