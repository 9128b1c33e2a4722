//! `workbay env`: lists environments and pulls images.

pub mod ls;
pub mod pull;
