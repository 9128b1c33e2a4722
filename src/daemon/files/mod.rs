//! Files of folders and sessions, for clients.
//!
//! The main loop decides whether a place may be opened ([`place`]). What takes time runs in tasks: requests
//! ([`requests`]), the streams of files and of work ([`streams`]), rescues ([`rescue`]), and copies that an engine can't do itself ([`across`]).

mod across;
mod place;
mod requests;
mod rescue;
mod streams;

pub(in crate::daemon) use self::{
    place::WaitingPlace,
    streams::{FileStream, open},
};
