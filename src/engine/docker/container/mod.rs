//! Turns a plan into containers, and starts, stops, lists and labels them.

pub(super) mod cores;
pub(super) mod create;
pub(super) mod events;
pub(super) mod helper;
pub(super) mod identity;
pub(super) mod labels;
pub(super) mod launch;
pub(super) mod lifecycle;
pub(super) mod list;
pub(super) mod members;
pub(super) mod names;
pub(super) mod planned;
pub(super) mod survey;
pub(super) mod variables;
