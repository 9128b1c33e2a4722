//! The session's home changes its owner: before its first process, where that is not who made it, and after
//! the last one. Run as root in a container of its own, while nothing else is at work in the home.

use std::{fs, io, path::Path, process::ExitCode};

use rustix::{
    fs::{AtFlags, Gid, Uid, chownat},
    io::Errno,
};

use super::complain;
use crate::{
    model::inside,
    tree::{self, Next},
};

/// Gives all of it to `user`, written as an image writes it: a name or a number, maybe with a group behind a
/// colon.
pub(super) fn give(user: &str) -> ExitCode {
    let read = |file| fs::read_to_string(file).unwrap_or_default();
    let (passwd, group) = (read("/etc/passwd"), read("/etc/group"));
    let owner = match resolve(user, &passwd, &group) {
        Ok(owner) => owner,
        Err(name) => {
            complain(&format!(
                "the image is to run as '{name}', which its /etc/passwd and /etc/group do not know"
            ));
            return ExitCode::from(2);
        }
    };
    match give_tree(inside::HOME.as_ref(), owner) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!(
                "the home cannot be given to {}:{}: {error}",
                owner.0, owner.1
            ));
            ExitCode::FAILURE
        }
    }
}

/// uid and gid; the name that nobody has.
fn resolve(user: &str, passwd: &str, groups: &str) -> Result<(u32, u32), String> {
    let (user, group) = match user.split_once(':') {
        Some((user, group)) => (user, Some(group)),
        None => (user, None),
    };
    let user = if user.is_empty() { "root" } else { user };
    let entry = line_of(passwd, user);
    let uid = match (field(entry, 2), user) {
        (Some(uid), _) => uid,
        (None, "root") => 0,
        (None, _) => user.parse().map_err(|_| user.to_owned())?,
    };
    let gid = match group {
        None | Some("") => field(entry, 3).unwrap_or(0),
        Some(group) => match field(line_of(groups, group), 2) {
            Some(gid) => gid,
            None => group.parse().map_err(|_| group.to_owned())?,
        },
    };
    Ok((uid, gid))
}

/// The line of that name, or of that number.
fn line_of<'a>(file: &'a str, wanted: &str) -> Option<&'a str> {
    let has = |line: &&str, index| line.split(':').nth(index) == Some(wanted);
    let by_name = file.lines().find(|line| has(line, 0));
    by_name.or_else(|| file.lines().find(|line| has(line, 2)))
}

fn field(line: Option<&str>, index: usize) -> Option<u32> {
    line?.split(':').nth(index)?.parse().ok()
}

/// Links are given, not what they lead to, and what is mounted below is not looked into.
fn give_tree(path: &Path, owner: (u32, u32)) -> io::Result<()> {
    let (uid, gid) = (Uid::from_raw(owner.0), Gid::from_raw(owner.1));
    tree::visit(path, |entry| {
        let how = AtFlags::SYMLINK_NOFOLLOW;
        match chownat(entry.dir, entry.name, Some(uid), Some(gid), how) {
            Ok(()) | Err(Errno::NOENT) => Ok(Next::Into),
            Err(error) => Err(error.into()),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    const PASSWD: &str = "root:x:0:0::/root:/bin/sh\nrstudio:x:1000:1001::/home/rstudio:/bin/sh\n";
    const GROUPS: &str = "root:x:0:\nstaff:x:50:rstudio\n";

    #[test]
    fn a_user_is_found_as_an_engine_finds_it() {
        for (written, owner) in [
            ("", (0, 0)),
            ("root", (0, 0)),
            ("rstudio", (1000, 1001)),
            ("1000", (1000, 1001)),
            ("1234", (1234, 0)),
            ("rstudio:staff", (1000, 50)),
            ("1234:77", (1234, 77)),
            (":50", (0, 50)),
        ] {
            assert_eq!(resolve(written, PASSWD, GROUPS), Ok(owner), "{written}");
        }
        assert_eq!(resolve("", "", ""), Ok((0, 0)));
        assert_eq!(
            resolve("nobody-here", PASSWD, GROUPS),
            Err("nobody-here".to_owned())
        );
        assert_eq!(resolve("0:wheel", PASSWD, GROUPS), Err("wheel".to_owned()));
    }

    #[test]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        fs::create_dir_all(home.join("a")).unwrap();
        let outside = dir.path().join("outside");
        fs::write(&outside, "").unwrap();
        std::os::unix::fs::symlink(&outside, home.join("a/link")).unwrap();
        let mine = fs::metadata(&outside).unwrap();
        let owner = if mine.uid() == 0 {
            (4321, 4321)
        } else {
            (mine.uid(), mine.gid())
        };
        give_tree(&home, owner).unwrap();
        let link = fs::symlink_metadata(home.join("a/link")).unwrap();
        assert_eq!((link.uid(), link.gid()), owner);
        assert_eq!(fs::metadata(&outside).unwrap().uid(), mine.uid());
    }
}
