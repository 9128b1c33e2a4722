//! Settings for TCP connections that stay open for hours.

use std::{os::fd::AsFd, time::Duration};

use rustix::net::sockopt;

/// When the kernel first checks a quiet connection, how often it checks again, and how many checks may stay
/// unanswered.
pub(super) const KEEPALIVE_AFTER: Duration = Duration::from_secs(20);
pub(super) const KEEPALIVE_EVERY: Duration = Duration::from_secs(10);
pub(super) const KEEPALIVE_COUNT: u32 = 3;

/// Sends keys immediately and detects lost connections. Errors are ignored: the connection works without it.
pub(super) fn prepare(tcp: impl AsFd) {
    let tcp = tcp.as_fd();
    let _ = sockopt::set_tcp_nodelay(tcp, true);
    let _ = sockopt::set_socket_keepalive(tcp, true);
    let _ = sockopt::set_tcp_keepidle(tcp, KEEPALIVE_AFTER);
    let _ = sockopt::set_tcp_keepintvl(tcp, KEEPALIVE_EVERY);
    let _ = sockopt::set_tcp_keepcnt(tcp, KEEPALIVE_COUNT);
}
