//! Checks whether this user may use the engine's socket on this machine.

use std::{
    fs,
    os::unix::{fs::FileTypeExt, fs::MetadataExt, net::UnixStream},
    path::{Path, PathBuf},
};

use super::Finding;

/// Whether the engine's socket exists and this user may open it. Used only when the engine isn't reachable.
pub fn access() -> Option<Finding> {
    let socket = docker_socket()?;
    let meta = fs::metadata(&socket).ok()?;
    if !meta.file_type().is_socket() {
        return None;
    }
    if UnixStream::connect(&socket).is_ok() {
        return Some(Finding::ok(
            tr_later!("access"),
            tr!("you can use {socket}", socket = socket.display()),
        ));
    }
    Some(refused(&socket, meta.gid()))
}

fn refused(socket: &Path, owner: u32) -> Finding {
    let user = std::env::var("USER").unwrap_or_else(|_| "$USER".to_owned());
    let groups = rustix::process::getgroups().unwrap_or_default();
    let in_force = groups.iter().any(|group| group.as_raw() == owner);
    let group = group_of(owner);
    let shown = socket.display();
    if in_force || rustix::process::geteuid().is_root() {
        return Finding::bad(
            tr_later!("access"),
            tr!("{shown} exists, but the engine isn't running", shown),
        )
        .hint("sudo systemctl start docker");
    }
    let Some((name, members)) = group else {
        return Finding::bad(
            tr_later!("access"),
            tr!("you have no permission to use {shown}", shown),
        );
    };
    if members.contains(&user) {
        let message = tr!(
            "{user} is in group {name}, but joined it after this login",
            user,
            name
        );
        return Finding::bad(tr_later!("access"), message).hint(tr!(
            "log out and in again, or run `newgrp {name}` in this shell",
            name
        ));
    }
    Finding::bad(
        tr_later!("access"),
        tr!(
            "{user} isn't in group {name}, which has permission to use {shown}",
            user,
            name,
            shown
        ),
    )
    .hint(tr!(
        "sudo usermod -aG {name} {user}, then log out and in again. Members of {name} have the \
         rights of root",
        name,
        user
    ))
}

/// The socket at which Docker is expected. `None` if it isn't on this machine.
fn docker_socket() -> Option<PathBuf> {
    match std::env::var("DOCKER_HOST") {
        Ok(host) if !host.is_empty() => host.strip_prefix("unix://").map(PathBuf::from),
        _ => Some(PathBuf::from("/var/run/docker.sock")),
    }
}

/// A group's name and members.
fn group_of(gid: u32) -> Option<(String, Vec<String>)> {
    let text = fs::read_to_string("/etc/group").ok()?;
    text.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, _, number) = (fields.next()?, fields.next()?, fields.next()?);
        let members = fields.next().unwrap_or_default();
        (number.parse() == Ok(gid)).then(|| {
            let members = members.split(',').map(str::to_owned).collect();
            (name.to_owned(), members)
        })
    })
}
