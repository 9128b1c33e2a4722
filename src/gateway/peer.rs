//! Which user of this machine is at the other end of a connection.

use std::{
    fmt::Write as _,
    net::{IpAddr, SocketAddr},
    sync::LazyLock,
};

use tokio::sync::Semaphore;

/// The tables of the kernel, one line for each socket.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

/// A table changes while it is read, so a socket can be missing although it exists.
const ATTEMPTS: usize = 5;

/// How many tables are read at the same time, so that a flood of connections doesn't use all threads.
static READERS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(2));

/// The Unix user whose process is connected to the socket `local` of this process from `remote`. `None` = the peer
/// isn't on this machine, or its process has closed the connection: then the kernel doesn't say whose it was. Reads files,
/// so call it from a thread that may block.
pub fn peer_uid(local: SocketAddr, remote: SocketAddr) -> Option<u32> {
    if !is_this_machine(local, remote) {
        return None;
    }
    let ends = [Ends::new(remote, local), Ends::mapped(remote, local)];
    (0..ATTEMPTS).find_map(|_| {
        let mut found = TABLES.iter().filter_map(|table| {
            let text = std::fs::read_to_string(table).ok()?;
            owner(&text, &ends)
        });
        found.next()
    })
}

/// [`peer_uid`] on a thread that may block.
pub(super) async fn lookup(local: SocketAddr, remote: SocketAddr) -> Option<u32> {
    let _permit = READERS.acquire().await.ok()?;
    let found = tokio::task::spawn_blocking(move || peer_uid(local, remote));
    found.await.ok().flatten()
}

/// Whether both ends of a connection are on this machine.
pub(super) fn is_this_machine(local: SocketAddr, remote: SocketAddr) -> bool {
    let remote = remote.ip().to_canonical();
    remote.is_loopback() || remote == local.ip().to_canonical()
}

/// Both addresses of a socket as they are in a table.
struct Ends {
    own: String,
    other: String,
}

impl Ends {
    fn new(own: SocketAddr, other: SocketAddr) -> Self {
        Self {
            own: notation(own.ip().to_canonical(), own.port()),
            other: notation(other.ip().to_canonical(), other.port()),
        }
    }

    /// The same in an IPv6 socket, which has IPv4 addresses as `::ffff:127.0.0.1`.
    fn mapped(own: SocketAddr, other: SocketAddr) -> Self {
        let mapped = |address: SocketAddr| {
            let ip = match address.ip() {
                IpAddr::V4(v4) => v4.to_ipv6_mapped(),
                IpAddr::V6(v6) => v6,
            };
            notation(ip.into(), address.port())
        };
        Self {
            own: mapped(own),
            other: mapped(other),
        }
    }
}

/// An address as the kernel prints it: words of four bytes, each in the order of the processor.
fn notation(ip: IpAddr, port: u16) -> String {
    let bytes = match ip {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets().to_vec(),
    };
    let mut text = String::new();
    for word in bytes.as_chunks::<4>().0 {
        let _ = write!(text, "{:08X}", u32::from_ne_bytes(*word));
    }
    let _ = write!(text, ":{port:04X}");
    text
}

/// The user of the first socket with these ends that a process has open. A socket that its process has closed is
/// listed as root's without an inode, even if another user opened it.
fn owner(table: &str, ends: &[Ends]) -> Option<u32> {
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (own, other) = (fields.next()?, fields.next()?);
        if !ends.iter().any(|it| it.own == own && it.other == other) {
            return None;
        }
        // After the addresses: state, queues, timer, retransmissions, uid, timeout, inode.
        let uid = fields.nth(4)?.parse().ok()?;
        let inode = fields.nth(1)?;
        (inode != "0").then_some(uid)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 23 1 0 100 0 0 10 0
   1: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 24 1 0 20 4 30 10 -1
   2: 0100007F:D432 0100007F:1F90 06 00000000:00000000 03:00001770 00000000     0        0 0 3 0
";

    fn address(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn the_owner_of_the_other_end_is_found() {
        let server = address("127.0.0.1:8080");
        let of = |port: u16| {
            let client = SocketAddr::new(server.ip(), port);
            owner(TABLE, &[Ends::new(client, server)])
        };
        assert_eq!(of(0xd431), Some(1001));
        // The process has closed it: the table names root, even if another user opened it.
        assert_eq!(of(0xd432), None);
        assert_eq!(of(0xd433), None);
    }

    #[test]
    fn the_own_user_is_found_with_both_kinds_of_addresses() {
        let own = rustix::process::geteuid().as_raw();
        for (listen, connect) in [
            ("127.0.0.1:0", "127.0.0.1"),
            ("[::1]:0", "::1"),
            ("[::]:0", "127.0.0.1"),
        ] {
            let listener = std::net::TcpListener::bind(listen).unwrap();
            let port = listener.local_addr().unwrap().port();
            let ip: IpAddr = connect.parse().unwrap();
            let client = std::net::TcpStream::connect((ip, port)).unwrap();
            let (server, remote) = listener.accept().unwrap();
            let local = server.local_addr().unwrap();
            assert_eq!(peer_uid(local, remote), Some(own), "{listen}");
            drop(client);
            // A process that another test starts at this moment has a copy of the socket until it runs its program.
            let is_gone = (0..1000).any(|_| peer_uid(local, remote).is_none());
            assert!(is_gone, "{listen}");
        }
    }

    #[test]
    fn peers_elsewhere_have_no_user() {
        let (local, remote) = (address("192.0.2.1:80"), address("192.0.2.9:5000"));
        assert_eq!(peer_uid(local, remote), None);
    }
}
