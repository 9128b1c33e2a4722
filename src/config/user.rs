//! The user, and the user's time zone.

use std::fs;

use jiff::tz::TimeZone;

/// The name of the current user id: from `/etc/passwd`, otherwise from the environment, otherwise the number.
pub fn user_name() -> String {
    let id = rustix::process::getuid().as_raw();
    let list = fs::read_to_string("/etc/passwd").unwrap_or_default();
    name_in(&list, id)
        .or_else(|| std::env::var("USER").ok().filter(|name| !name.is_empty()))
        .unwrap_or_else(|| id.to_string())
}

/// The SSH login of the user on this machine: `kim@gpu1`.
pub fn login() -> String {
    let host = rustix::system::uname();
    format!("{}@{}", user_name(), host.nodename().to_string_lossy())
}

/// The user's time zone: `TZ`, otherwise the zone of this machine.
///
/// Reads the machine's file directly. A look-up by name would walk the whole time zone database, which takes
/// longer than the rest of the program start.
pub fn time_zone() -> TimeZone {
    let asked = std::env::var_os("TZ").is_some();
    let local = (!asked).then(|| fs::read("/etc/localtime").ok()).flatten();
    local
        .and_then(|data| TimeZone::tzif("local", &data).ok())
        .unwrap_or_else(TimeZone::system)
}

/// `name:x:uid:…` lines.
fn name_in(list: &str, id: u32) -> Option<String> {
    list.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let uid: u32 = fields.nth(1)?.parse().ok()?;
        (uid == id).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_that_of_the_id() {
        let list = "root:x:0:0:root:/root:/bin/sh\nbroken\nada:x:1000:1000::/home/ada:/bin/sh\n";
        assert_eq!(name_in(list, 1000).as_deref(), Some("ada"));
        assert_eq!(name_in(list, 7), None);
    }
}
