//! The model of the screen. It is pure: messages in, effects out, no I/O, no clock.
//!
//! [`app::App`] routes messages. Every panel is a plain struct in its own file that returns [`step::Step`]s
//! and never names `app`. `view::layout` computes positions as [`area::Areas`], and [`app::App::laid_out`]
//! takes them back.

pub mod allowed;
#[expect(
    clippy::module_inception,
    reason = "`app::app` routes messages between the other modules"
)]
pub mod app;
pub mod area;
pub mod bulk;
pub mod command_log;
pub mod custom_commands;
pub mod detail;
pub mod durations;
pub mod effect;
mod equivalent;
pub mod extension_rules;
pub mod facts;
mod file_name;
pub mod focus;
pub mod frecency;
pub mod input;
pub mod launcher;
pub mod layouts;
pub mod logs;
pub mod machine;
pub mod mirror;
pub mod msg;
pub mod notices;
pub mod panels;
pub mod panes;
pub mod quick_select;
pub mod saved;
pub mod session_actions;
pub mod sessions;
pub mod settings;
pub mod shown_contexts;
pub mod step;
#[cfg(test)]
pub mod testing;
pub mod themes;
pub mod tour;
pub mod trail;
pub mod transfers;
