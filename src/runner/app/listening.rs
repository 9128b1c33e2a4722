//! The ports on which programs of the container listen, where a connection to its loopback addresses reaches them.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use super::process;
use crate::model::inside;

/// The most descriptors that are looked at to find the owners of sockets.
const MOST_DESCRIPTORS: usize = 200_000;

/// The state `LISTEN` in /proc/net/tcp.
const LISTEN: &str = "0A";

/// A port and the program that listens on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listener {
    pub(super) port: u16,
    /// `None` if the program belongs to another user.
    pub(super) owner: Option<Owner>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) pid: i32,
    /// As in `setsid`.
    pub(super) session: i32,
    /// The name of the program: `python3`.
    pub(super) name: String,
    pub(super) is_ours: bool,
    /// Its ports speak only with the Jupyter server that started it.
    pub(super) is_kernel: bool,
}

/// In the order of the ports, each once.
pub(super) fn listeners() -> Vec<Listener> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    let texts = tables.map(|table| fs::read_to_string(table).unwrap_or_default());
    let mut sockets: BTreeMap<u16, Vec<u64>> = BTreeMap::new();
    for (port, inode) in texts.iter().flat_map(|text| parse(text)) {
        sockets.entry(port).or_default().push(inode);
    }
    if sockets.is_empty() {
        return Vec::new();
    }
    let owners = owners();
    let listener = |(port, inodes): (u16, Vec<u64>)| {
        let pid = inodes.iter().find_map(|inode| owners.get(inode));
        Listener {
            port,
            owner: pid.and_then(|pid| owner(*pid)),
        }
    };
    sockets.into_iter().map(listener).collect()
}

pub(super) fn is_listening(port: u16) -> bool {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    let texts = tables.map(|table| fs::read_to_string(table).unwrap_or_default());
    texts
        .iter()
        .flat_map(|text| parse(text))
        .any(|(listening, _)| listening == port)
}

/// Ports and inodes of the sockets of one table that loopback connections reach.
fn parse(table: &str) -> Vec<(u16, u64)> {
    let line = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (local, state, inode) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
        let (address, port) = local.split_once(':')?;
        if *state != LISTEN || !is_reached(address_of(address)?) {
            return None;
        }
        Some((u16::from_str_radix(port, 16).ok()?, inode.parse().ok()?))
    };
    table.lines().skip(1).filter_map(line).collect()
}

/// Addresses are words of 32 bits in the machine's own byte order.
fn address_of(hex: &str) -> Option<IpAddr> {
    let mut bytes = Vec::new();
    for at in (0..hex.len()).step_by(8) {
        let word = u32::from_str_radix(hex.get(at..at + 8)?, 16).ok()?;
        bytes.extend(word.to_ne_bytes());
    }
    match bytes.len() {
        4 => <[u8; 4]>::try_from(bytes)
            .ok()
            .map(|it| Ipv4Addr::from(it).into()),
        16 => <[u8; 16]>::try_from(bytes)
            .ok()
            .map(|it| Ipv6Addr::from(it).into()),
        _ => None,
    }
}

/// Whether connections to 127.0.0.1 or ::1 arrive at it. The name server of a container network (127.0.0.11) isn't one
/// of its programs.
fn is_reached(address: IpAddr) -> bool {
    let address = address.to_canonical();
    let loopback = [
        IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(Ipv6Addr::LOCALHOST),
    ];
    address.is_unspecified() || loopback.contains(&address)
}

/// The process of each socket, by inode.
fn owners() -> HashMap<u64, i32> {
    let mut all = HashMap::new();
    let mut seen = 0;
    for pid in process::all() {
        let Ok(descriptors) = fs::read_dir(format!("/proc/{pid}/fd")) else {
            continue;
        };
        for descriptor in descriptors.flatten() {
            seen += 1;
            if seen > MOST_DESCRIPTORS {
                return all;
            }
            let target = fs::read_link(descriptor.path()).unwrap_or_default();
            let target = target.to_string_lossy();
            let inode = target
                .strip_prefix("socket:[")
                .and_then(|it| it.strip_suffix(']'));
            if let Some(inode) = inode.and_then(|inode| inode.parse().ok()) {
                all.entry(inode).or_insert(pid);
            }
        }
    }
    all
}

fn owner(pid: i32) -> Option<Owner> {
    let session = process::stat(pid)?.session;
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let words = process::command_line(pid);
    let first = words.first().map(String::as_str).unwrap_or_default();
    let is_ours = first.starts_with(inside::TOOLBOX) && words.iter().any(|word| word == "runner");
    Some(Owner {
        pid,
        session,
        name: name.trim().to_owned(),
        is_ours,
        is_kernel: words.iter().any(|word| is_connection_file(word)),
    })
}

/// Jupyter starts its kernels with such a file: `/home/work/.local/share/jupyter/runtime/kernel-UUID.json`.
fn is_connection_file(word: &str) -> bool {
    let name = word.rsplit_once('/').map(|(_, name)| name);
    name.is_some_and(|name| name.starts_with("kernel-") && name.strip_suffix(".json").is_some())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    const TABLE: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
        0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 11 1 0 100 0\n\
        1: 0B00007F:A1B2 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12 1 0 100 0\n\
        2: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 13 1 0 100 0\n\
        3: 0100007F:1F91 0100007F:0050 01 00000000:00000000 00:00000000 00000000     0        0 14 1 0 100 0\n\
        4: 020011AC:0051 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 15 1 0 100 0\n\
        nonsense\n";

    #[test]
    #[cfg(target_endian = "little")]
    fn only_what_the_loopback_reaches_counts() {
        assert_eq!(parse(TABLE), [(8080, 11), (80, 13)]);
        let six = "header\n0: 00000000000000000000000001000000:0050 0:0 0A 0:0 0:0 0 0 0 7 1\n\
                   1: 0000000000000000FFFF00000100007F:0051 0:0 0A 0:0 0:0 0 0 0 8 1\n\
                   2: B80D0120000000000000000001000000:0052 0:0 0A 0:0 0:0 0 0 0 9 1\n";
        assert_eq!(parse(six), [(80, 7), (81, 8)]);
    }

    #[test]
    fn a_listening_program_is_found_by_its_port() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let found = listeners()
            .into_iter()
            .find(|one| one.port == port)
            .unwrap();
        assert_eq!(
            found.owner.unwrap().pid,
            i32::try_from(std::process::id()).unwrap()
        );
        assert!(is_listening(port) && !is_listening(1));
    }

    #[test]
    fn kernels_are_known_by_their_connection_files() {
        assert!(is_connection_file(
            "/home/work/.local/share/jupyter/runtime/kernel-1a-2b.json"
        ));
        assert!(is_connection_file("--f=/tmp/kernel-v3.json"));
        assert!(!is_connection_file("/home/work/kernel.json") && !is_connection_file("x.json"));
    }
}
