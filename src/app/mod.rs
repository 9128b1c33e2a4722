//! The model of the screen. It is pure: messages in, effects out, no I/O, no clock.
//!
//! [`app::App`] routes messages. Every panel is a plain struct in its own file that returns [`step::Step`]s
//! and never names `app`. `view::layout` computes positions as [`area::Areas`], and [`app::App::laid_out`]
//! takes them back.

pub mod allowed;
#[expect(
    clippy::module_inception,
    reason = "the floor plan calls the router app/app.rs"
)]
pub mod app;
pub mod area;
pub mod clock;
pub mod confirm;
pub mod detail;
pub mod effect;
pub mod facts;
pub mod filter;
pub mod focus;
pub mod help;
pub mod input;
pub mod keep;
pub mod kept;
pub mod launcher;
pub mod logs;
pub mod mirror;
pub mod msg;
pub mod new_shell;
pub mod notice_list;
pub mod notices;
pub mod panels;
pub mod panes;
pub mod picker;
pub mod pull;
pub mod reach;
pub mod recents;
pub mod reprieves;
pub mod scheduling;
pub mod sessions;
pub mod shells;
pub mod shown;
pub mod sort;
pub mod step;
#[cfg(test)]
pub mod testing;
pub mod toast;
pub mod whynot;
