//! TCP lines that stand for hours.

use std::{os::fd::AsFd, time::Duration};

use rustix::net::sockopt;

/// When the machine asks a silent line whether the other end is there, how often, and how many questions
/// may stay without an answer.
pub(super) const KEEPALIVE_AFTER: Duration = Duration::from_secs(20);
pub(super) const KEEPALIVE_EVERY: Duration = Duration::from_secs(10);
pub(super) const KEEPALIVE_COUNT: u32 = 3;

/// Keys go out at once, and a line that is gone is noticed. A machine that cannot do that goes without.
pub(super) fn prepare(tcp: impl AsFd) {
    let tcp = tcp.as_fd();
    let _ = sockopt::set_tcp_nodelay(tcp, true);
    let _ = sockopt::set_socket_keepalive(tcp, true);
    let _ = sockopt::set_tcp_keepidle(tcp, KEEPALIVE_AFTER);
    let _ = sockopt::set_tcp_keepintvl(tcp, KEEPALIVE_EVERY);
    let _ = sockopt::set_tcp_keepcnt(tcp, KEEPALIVE_COUNT);
}
