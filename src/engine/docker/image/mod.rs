//! Images: local ones, the host environment, pulls and registry logins.

pub(super) mod accounts;
pub(super) mod architecture;
pub(super) mod host;
pub(super) mod local;
pub(super) mod own;
pub(super) mod pull;
pub(super) mod registry_login;
