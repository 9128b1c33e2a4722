//! The model of the screen. PURE: messages in, effects out, no I/O, no clock.
//!
//! [`app::App`] routes; every panel is a plain struct of its own file that answers with
//! [`step::Step`]s and never names `app`. What drawing needs to know about places comes from
//! `view::layout` as [`area::Areas`] and is handed back with [`app::App::laid_out`].

pub mod area;
pub mod effect;
pub mod facts;
pub mod focus;
pub mod input;
pub mod logs;
pub mod mirror;
pub mod msg;
pub mod panes;
pub mod step;
pub mod toast;
