//! Access lists of folders, for sessions that run as their image's own user: what either side creates in a folder can be read,
//! changed and deleted by the other.

use std::{fs::File, io, path::Path};

use rustix::{
    fs::{FileType, Mode, OFlags, XattrFlags, fgetxattr, fsetxattr, openat},
    io::Errno,
};

use crate::tree::{self, TreeEntry, WalkStep};

/// The list of a file, and that of what is created in a directory.
const ACCESS: &str = "system.posix_acl_access";
const DEFAULT: &str = "system.posix_acl_default";

const VERSION: u32 = 2;
/// The number of entries that have no user or group.
const NOBODY: u32 = u32::MAX;
const READ_WRITE: u16 = 6;
const EXECUTE: u16 = 1;
/// Users of an earlier list that are kept.
const MOST_USERS: usize = 64;

/// The kinds of entries, in the order of a list.
mod tag {
    pub const OWNER: u16 = 0x01;
    pub const USER: u16 = 0x02;
    pub const OWNING_GROUP: u16 = 0x04;
    pub const MASK: u16 = 0x10;
    pub const OTHERS: u16 = 0x20;
}

/// Lets `users` use a folder and everything in it, also what is created later. What this process may not change, and
/// files that their owner has closed for all others, stay as they are.
pub(in crate::engine::docker) fn open_to(folder: &Path, users: &[u32]) -> io::Result<()> {
    let top = File::open(folder)?;
    if users_of(&top, DEFAULT).is_some_and(|known| users.iter().all(|it| known.contains(it))) {
        // What was created since then has the list of its directory.
        return Ok(());
    }
    tree::visit(folder, |entry| match open_entry(&entry, users) {
        Ok(()) => Ok(WalkStep::Into),
        // It belongs to another user, or was replaced meanwhile.
        Err(Errno::PERM | Errno::ACCESS | Errno::NOENT | Errno::LOOP | Errno::NOTDIR) => {
            Ok(WalkStep::Past)
        }
        Err(error) => Err(error.into()),
    })
}

fn open_entry(entry: &TreeEntry<'_>, users: &[u32]) -> rustix::io::Result<()> {
    let mode = entry.stat.st_mode;
    let is_directory = entry.is_directory();
    let is_plain = FileType::from_raw_mode(mode) == FileType::RegularFile;
    let is_top = entry.name.to_bytes() == b".";
    // A folder itself is private, its private files are meant to be.
    let is_private = !Mode::from_raw_mode(mode).intersects(Mode::RWXG | Mode::RWXO);
    if !(is_directory || is_plain) || (!is_top && is_private) {
        return Ok(());
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(entry.dir, entry.name, flags, Mode::empty())?;
    let file = File::from(file);
    let permission = if is_directory || mode & 0o100 != 0 {
        READ_WRITE | EXECUTE
    } else {
        READ_WRITE
    };
    let list = list(mode, &with_known(&file, ACCESS, users), permission);
    fsetxattr(&file, ACCESS, &list, XattrFlags::empty())?;
    if is_directory {
        let list = self::list(mode, &with_known(&file, DEFAULT, users), permission);
        fsetxattr(&file, DEFAULT, &list, XattrFlags::empty())?;
    }
    Ok(())
}

/// The users, and those that the file's list has already.
fn with_known(file: &File, name: &str, users: &[u32]) -> Vec<u32> {
    let mut all = users_of(file, name).unwrap_or_default();
    all.truncate(MOST_USERS);
    all.extend(users);
    all.sort_unstable();
    all.dedup();
    all
}

/// The users of a list; `None` without a list.
fn users_of(file: &File, name: &str) -> Option<Vec<u32>> {
    let mut buffer = [0; 4096];
    let length = fgetxattr(file, name, &mut buffer[..]).ok()?;
    let entries = buffer.get(4..length)?.chunks_exact(8);
    let users = entries.filter_map(|entry| {
        let number = |at: usize| Some(u16::from_le_bytes([*entry.get(at)?, *entry.get(at + 1)?]));
        let id = u32::from_le_bytes(entry[4..].try_into().ok()?);
        (number(0)? == tag::USER).then_some(id)
    });
    Some(users.collect())
}

/// A list that gives users, in ascending order, a permission, and keeps that of the owner, the group and others.
fn list(mode: u32, users: &[u32], permission: u16) -> Vec<u8> {
    let bits = |shift: u32| (mode >> shift & 7) as u16;
    let mut entries = vec![(tag::OWNER, bits(6), NOBODY)];
    entries.extend(users.iter().map(|user| (tag::USER, permission, *user)));
    entries.push((tag::OWNING_GROUP, bits(3), NOBODY));
    entries.push((tag::MASK, permission | bits(3), NOBODY));
    entries.push((tag::OTHERS, bits(0), NOBODY));
    let mut bytes = VERSION.to_le_bytes().to_vec();
    for (kind, permission, id) in entries {
        bytes.extend(kind.to_le_bytes());
        bytes.extend(permission.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt as _, symlink},
        process::Command,
    };

    use super::*;

    /// What a user with this number gets from a shell line, and whether it succeeded. Only root can be another user.
    fn as_user(user: u32, dir: &Path, line: &str) -> bool {
        let user = user.to_string();
        let ran = Command::new("setpriv")
            .args([
                "--reuid",
                &user,
                "--regid",
                &user,
                "--clear-groups",
                "sh",
                "-ec",
                line,
            ])
            .current_dir(dir)
            .output();
        ran.unwrap().status.success()
    }

    #[test]
    fn two_users_share_what_either_creates() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let folder = dir.path().join("folder");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        std::os::unix::fs::chown(&folder, Some(1000), Some(1000)).unwrap();
        let line = "mkdir old; echo a > old/file; echo s > secret; chmod 600 secret; ln -s /etc/passwd link";
        assert!(as_user(1000, &folder, line));
        let (inside, outside) = (dir.path().to_path_buf(), 1234);
        assert!(!as_user(outside, &inside, "ls folder"));
        let before = fs::metadata("/etc/passwd").unwrap().permissions();

        open_to(&folder, &[1000, outside]).unwrap();
        let line = "cd folder; cat old/file; echo b >> old/file; mkdir -p new/deep; echo c > new/deep/file";
        assert!(as_user(outside, &inside, line));
        assert!(!as_user(outside, &inside, "cat folder/secret"));
        assert!(as_user(
            1000,
            &folder,
            "echo d >> new/deep/file; rm -r new; echo e > old/more"
        ));
        assert!(as_user(
            outside,
            &inside,
            "echo f >> folder/old/more; rm -r folder/old"
        ));
        assert_eq!(fs::metadata("/etc/passwd").unwrap().permissions(), before);
        // Another image later: the first user keeps its access.
        open_to(&folder, &[1000, 4321]).unwrap();
        assert!(as_user(
            4321,
            &inside,
            "mkdir folder/x; echo g > folder/x/y"
        ));
        assert!(as_user(outside, &inside, "cat folder/x/y; rm -r folder/x"));
        // What root creates there can be deleted as well.
        assert!(as_user(
            0,
            &folder,
            "mkdir -p root/deep; echo > root/deep/file"
        ));
        assert!(as_user(1000, &folder, "rm -r root"));
    }

    #[test]
    fn a_link_in_the_folder_is_never_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, outer) = (dir.path().join("folder"), dir.path().join("outer"));
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir(&outer).unwrap();
        fs::write(outer.join("file"), "").unwrap();
        symlink(&outer, folder.join("link")).unwrap();
        symlink(outer.join("file"), folder.join("file")).unwrap();
        open_to(&folder, &[1234]).unwrap();
        let has_list = |path: &Path| users_of(&File::open(path).unwrap(), ACCESS).is_some();
        assert!(has_list(&folder));
        assert!(!has_list(&outer) && !has_list(&outer.join("file")));
    }
}
