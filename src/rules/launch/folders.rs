//! Where folders are mounted in a container, and the rules for their paths.

use crate::model::{
    failure::Failure,
    folder::FolderRequest,
    inside,
    launch_field::LaunchField,
    name,
    spec::FolderMount,
    text::{Clean, is_hidden},
};

/// Checks one path: letters, digits, `_ . - /`, and no part that leads elsewhere.
pub fn check_path(path: &str) -> Result<(), String> {
    let shown = Clean::new(path);
    let word = |c: char| !is_hidden(c) && (c.is_alphanumeric() || name::is_mark(c));
    let fine = |c: char| word(c) || matches!(c, '_' | '.' | '-' | '/');
    if let Some(c) = path.chars().find(|c| !fine(*c)) {
        return Err(tr!(
            "'{c}' isn't allowed in a path. Use letters, digits, _ . - and /",
            c = Clean::new(&c.to_string())
        ));
    }
    if path.split('/').any(|part| part == ".." || part == ".") {
        return Err(tr!(
            "invalid path '{shown}'. Don't use the parts . and ..",
            shown
        ));
    }
    Ok(())
}

/// System directories of a container. A folder mounted over one of them would break the session.
const SYSTEM: [&str; 17] = [
    "/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/opt", "/proc", "/root",
    "/run", "/sbin", "/sys", "/tmp", "/usr", "/var",
];

/// The kernel's directories, with everything in them.
const KERNEL: [&str; 3] = ["/dev/", "/proc/", "/sys/"];

/// The max number of folders in one session.
const MOST: usize = 100;

/// The problems of the mounts: the index of each, and the reason. `automatic` are the automounted folders.
pub fn check(mounts: &[FolderMount], automatic: &[String]) -> Vec<(usize, String)> {
    if mounts.len() > MOST {
        let why = tr!(
            "{count} folders are too many (max: {most})",
            count = mounts.len(),
            most = MOST
        );
        return vec![(MOST, why)];
    }
    let mut targets: Vec<String> = automatic
        .iter()
        .map(|name| format!("{}/{name}", inside::HOME))
        .collect();
    let mut faults = Vec::new();
    for (at, mount) in mounts.iter().enumerate() {
        let target = mount.target();
        let outcome = check_one(mount, &target, &mounts[..at], &targets);
        faults.extend(outcome.err().map(|why| (at, why)));
        targets.push(target);
    }
    faults
}

/// Checks the name of a folder, or a path below it, because it becomes a part of the path in the container.
pub(super) fn check_folder(folder: &str) -> Result<(), String> {
    let shown = Clean::new(folder);
    if folder.contains(is_hidden) || folder.len() > 255 {
        return Err(tr!(
            "invalid folder '{shown}': too long, or contains a control character",
            shown
        ));
    }
    let climbs = |part: &str| matches!(part, "" | "." | "..");
    if folder.split('/').any(climbs) {
        return Err(tr!(
            "invalid folder '{shown}': a part of its path is empty, . or ..",
            shown
        ));
    }
    Ok(())
}

/// Checks one mount against those `before` it, whose paths are `targets`.
fn check_one(
    mount: &FolderMount,
    target: &String,
    before: &[FolderMount],
    targets: &[String],
) -> Result<(), String> {
    let folder = &mount.folder;
    check_folder(folder)?;
    if let Some(path) = &mount.path {
        check_path(path.trim()).map_err(|why| format!("{folder}: {why}"))?;
    }
    if before.iter().any(|other| other.folder == *folder) {
        return Err(tr!(
            "folder '{folder}' is mounted twice. Remove one mount",
            folder
        ));
    }
    if target == inside::HOME || target == inside::TOOLBOX {
        return Err(tr!(
            "{folder}: workbay itself uses {target}. Choose another path",
            folder,
            target
        ));
    }
    let kernel = KERNEL.iter().any(|top| target.starts_with(top));
    if kernel || SYSTEM.contains(&target.as_str()) {
        return Err(tr!(
            "{folder}: {target} is a system directory. Choose a path below {home}",
            folder,
            target,
            home = inside::HOME
        ));
    }
    if targets.contains(target) {
        return Err(tr!(
            "{folder}: another folder is mounted at {target}. Choose another path",
            folder,
            target
        ));
    }
    Ok(())
}

/// Names that Backend.AI reserves for files of a session's home directory.
const RESERVED: [&str; 4] = [".terminfo", ".jupyter", ".tmux.conf", ".ssh"];
/// Names that workbay uses itself, beside the folders of this machine.
const OWN: [&str; 1] = [TRASH];

/// The directory with the folders in the trash, among the folders of this machine.
pub const TRASH: &str = ".trash";

/// Checks the name of a new folder: its characters, and that a session doesn't need it itself.
pub fn check_new_name(name: &str) -> Result<(), String> {
    check_name(name)?;
    if is_reserved(name) {
        return Err(tr!(
            "the folder name '{name}' is reserved. A session has files of its own with this name",
            name = Clean::new(name)
        ));
    }
    Ok(())
}

/// Whether a folder can't have this name, because a session has a file or directory with it.
fn is_reserved(name: &str) -> bool {
    let stem = |end: &str| name.strip_prefix('.').and_then(|it| it.strip_suffix(end));
    let word = |stem: &str| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        !stem.is_empty() && stem.chars().all(plain)
    };
    RESERVED.contains(&name)
        || OWN.contains(&name)
        || stem("rc").is_some_and(word)
        || stem("_profile").is_some_and(word)
}

/// Checks a request about folders before an engine gets it.
pub fn check_request(request: &FolderRequest) -> Result<(), Failure> {
    let new = match request {
        FolderRequest::Create { new } => Some(&new.name),
        FolderRequest::Rename { name, .. } | FolderRequest::Clone { name, .. } => Some(name),
        _ => None,
    };
    let usage = |why: String| Failure::usage(why).about(LaunchField::Folders);
    if let Some(name) = new {
        check_new_name(name).map_err(usage)?;
    }
    let grouped = match request {
        FolderRequest::Create { new } => new.group.is_some() && new.name.starts_with('.'),
        _ => false,
    };
    if grouped {
        let why = tr!("a folder of a project can't be an automounted folder");
        return Err(usage(why.to_owned()).hint(tr!("use a name that doesn't begin with a dot")));
    }
    let (FolderRequest::Invite { users, .. }
    | FolderRequest::Share { users, .. }
    | FolderRequest::Unshare { users, .. }) = request
    else {
        return Ok(());
    };
    let wrong = |user: &&String| !user.contains('@') || user.contains(is_hidden);
    match users.iter().find(wrong) {
        None if users.is_empty() => {
            Err(usage(tr!("no user is named").to_owned())
                .hint(tr!("name one or more email addresses")))
        }
        None => Ok(()),
        Some(user) => Err(usage(tr!(
            "invalid email address '{user}'",
            user = Clean::new(user)
        ))
        .hint(tr!(
            "use the address that the user logs in with, for example jin@example.com"
        ))),
    }
}

/// Checks the characters of a folder's name.
pub fn check_name(name: &str) -> Result<(), String> {
    let word = |c: char| c.is_alphanumeric() || name::is_mark(c);
    let fine = |c: char| !is_hidden(c) && (word(c) || matches!(c, '_' | '.' | '-'));
    let shown = Clean::new(name);
    if name.is_empty() {
        return Err(tr!("a folder needs a name").to_owned());
    }
    let count = name.chars().count();
    // File systems limit bytes, not characters.
    if count > 64 || name.len() > 240 {
        return Err(tr!("the name has {count} characters (max: 64)", count));
    }
    if let Some(c) = name.chars().find(|c| !fine(*c)) {
        return Err(tr!(
            "'{c}' isn't allowed in a folder name. Use letters, digits, _ . and -",
            c = Clean::new(&c.to_string())
        ));
    }
    if matches!(name, "." | "..") || name.starts_with('-') {
        return Err(tr!(
            "invalid folder name '{shown}'. Use letters, digits, _ . and -",
            shown
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::folder::{FolderPermission, NewFolder};

    fn mount(folder: &str, path: Option<&str>) -> FolderMount {
        FolderMount {
            folder: folder.to_owned(),
            path: path.map(str::to_owned),
            read_only: false,
        }
    }

    #[test]
    fn targets() {
        assert_eq!(mount("data", None).target(), "/home/work/data");
        assert_eq!(mount("data", Some("in/a/")).target(), "/home/work/in/a");
        assert_eq!(mount("data", Some("/srv/x")).target(), "/srv/x");
    }

    #[test]
    fn the_rule() {
        let why = |mounts: &[FolderMount]| {
            let faults = check(mounts, &[".cache".to_owned()]);
            let [(at, why)] = &faults[..] else {
                panic!("{faults:?}");
            };
            assert_eq!(*at, mounts.len() - 1, "it is about the last one: {why}");
            why.clone()
        };
        assert!(why(&[mount("a", Some("../x"))]).contains(".."));
        assert!(why(&[mount("a", Some("x y"))]).contains("' '"));
        for bad in ["", "..", "../../etc", "a/../..", "/a"] {
            assert!(why(&[mount(bad, None)]).contains(".."), "{bad}");
        }
        for bad in ["a\0", "a\nb", "a\u{1b}[2J", &"x".repeat(256)] {
            let said = why(&[mount(bad, Some("in"))]);
            assert!(
                said.contains("control") && !said.contains(is_hidden),
                "{said:?}"
            );
        }
        assert!(why(&[mount("a", Some("/etc/"))]).contains("system"));
        for system in ["/", "//etc", "/usr/", "/proc/sys", "/var//"] {
            assert!(
                why(&[mount("a", Some(system))]).contains("system"),
                "{system}"
            );
        }
        assert!(why(&[mount("a", Some("/home//work"))]).contains("workbay itself"));
        assert!(why(&[mount("a", Some("x/y")), mount("b", Some("x//y"))]).contains("x/y"));
        assert!(why(&[mount("a", Some("/home/work"))]).contains("workbay itself"));
        assert!(why(&[mount("a", None), mount("a", Some("b"))]).contains("twice"));
        assert!(why(&[mount("a", Some("x")), mount("b", Some("x"))]).contains("/home/work/x"));
        assert!(why(&[mount("a", Some(".cache"))]).contains(".cache"));
        let fine = check(&[mount("a", None), mount("b", Some("/srv/b"))], &[]);
        assert!(fine.is_empty(), "{fine:?}");
    }

    #[test]
    fn each_mount_that_is_wrong_is_reported() {
        let mounts = [
            mount("a", Some("/etc")),
            mount("b", Some("x")),
            mount("c", Some("x")),
            mount("d", Some("..")),
        ];
        let wrong: Vec<usize> = check(&mounts, &[]).into_iter().map(|it| it.0).collect();
        assert_eq!(wrong, [0, 2, 3]);
        let crowd: Vec<FolderMount> = (0..=MOST).map(|n| mount(&format!("f{n}"), None)).collect();
        assert_eq!(check(&crowd, &[])[0].0, MOST);
    }

    #[test]
    fn names_that_sessions_need_are_reserved() {
        for bad in [".ssh", ".bashrc", ".bash_profile", ".terminfo", ".trash"] {
            assert!(check_new_name(bad).is_err(), "{bad} was taken");
        }
        for good in [
            ".local",
            ".cache",
            ".linuxbrew",
            "rc",
            ".rc",
            "bashrc",
            ".Xrc",
        ] {
            assert_eq!(check_new_name(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn requests_name_users_and_allowed_names() {
        let invite = |users: &[&str]| {
            check_request(&FolderRequest::Invite {
                folder: "data".into(),
                users: users.iter().map(|it| (*it).to_owned()).collect(),
                permission: FolderPermission::ReadOnly,
            })
        };
        assert!(invite(&["a@example.com"]).is_ok());
        for bad in [&[][..], &["a"], &["a@b", "\u{1b}@c"]] {
            assert!(invite(bad).is_err(), "{bad:?} was taken");
        }
        let new = NewFolder {
            group: Some("team".into()),
            ..NewFolder::named(".cache")
        };
        assert!(check_request(&FolderRequest::Create { new }).is_err());
        let rename = FolderRequest::Rename {
            folder: "a".into(),
            name: "..".into(),
        };
        assert!(check_request(&rename).is_err());
    }

    #[test]
    fn names_of_folders() {
        for good in ["my-data.1", "자료", "데이터-1"] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        let long = "자".repeat(65);
        for bad in [
            "",
            "..",
            "a/b",
            "자 료",
            "\u{202e}ab",
            "-x",
            &"x".repeat(65),
            &long,
        ] {
            assert!(check_name(bad).is_err(), "{bad} was taken");
        }
    }
}
