//! The built program on a pseudo-terminal, with real containers, as a user uses it.

mod endurance;
mod every_action;
mod explorer;
mod given_back;
mod habits;
mod hung;
mod keys;
mod layouts;
mod notices;
mod panes;
mod settings;
mod themes;
mod tour;
mod whole_path;
mod windows;

use crate::terminal::Terminal;

const LEADER: &str = "\x1d";

/// Types the leader key, then these keys.
fn leader(terminal: &mut Terminal, keys: &str) {
    terminal.type_(LEADER);
    terminal.type_(keys);
}
