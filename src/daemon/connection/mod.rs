//! The connections of clients: the socket, admission, and what a connection carries.

pub(super) mod activity;
pub(super) mod admission;
pub(super) mod client;
pub(super) mod greeting;
pub(super) mod inbound;
pub(super) mod outbox;
pub(super) mod server;
pub(super) mod server_state;
pub(super) mod socket;
pub(super) mod streams;
