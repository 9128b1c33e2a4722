//! The SSH library's settings.

use std::{borrow::Cow, time::Duration};

use russh::{MethodKind, MethodSet, SshId, server};

use super::keys::HostKey;

/// How often the client is asked for an answer.
pub(super) const KEEPALIVE: Duration = Duration::from_secs(60);

/// How many logins a client may try.
const ATTEMPTS: usize = 6;

/// How many bytes a client may send on a channel before they are received. Less than clients accept in the other
/// direction (2 MiB for OpenSSH), see [`super::backlog`].
const WINDOW: u32 = 1024 * 1024;

/// The longest packet in bytes.
const PACKET: u32 = 65_535;

pub(super) fn of(host_key: &HostKey) -> server::Config {
    let methods: &[MethodKind] = &[MethodKind::PublicKey];
    server::Config {
        server_id: SshId::Standard(Cow::Borrowed(concat!(
            "SSH-2.0-workbay_",
            env!("CARGO_PKG_VERSION")
        ))),
        methods: MethodSet::from(methods),
        // There is no secret to guess: a wrong public key is refused at once, so that a client with many keys gets in.
        auth_rejection_time: Duration::ZERO,
        auth_rejection_time_initial: Some(Duration::ZERO),
        keys: vec![host_key.private()],
        window_size: WINDOW,
        maximum_packet_size: PACKET,
        max_auth_attempts: ATTEMPTS,
        inactivity_timeout: None,
        keepalive_interval: Some(KEEPALIVE),
        // Silent clients are ended by this module, because the library doesn't know when it isn't reading.
        keepalive_max: 0,
        ..server::Config::default()
    }
}
