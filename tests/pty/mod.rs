//! The built program on a pseudo-terminal, with real containers, as a person uses it.

mod endurance;
mod explorer;
mod given_back;
mod habits;
mod hung;
mod keys;
mod notices;
mod settings;
mod themes;
mod tour;
mod whole_path;
mod windows;
