//! The apps of sessions, and the ports of this machine that lead to them.

mod requests;
