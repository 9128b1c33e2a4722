//! The model of the screen. PURE: messages in, effects out, no I/O, no clock.

pub mod effect;
pub mod msg;
