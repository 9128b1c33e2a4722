//! Where folders come in a container, and the rule for it.

use super::super::{inside, spec::FolderMount, text::Clean};

/// The absolute path in the container, without doubled slashes or one at its end.
pub fn target(mount: &FolderMount) -> String {
    let path = mount.path.as_deref().map(str::trim).unwrap_or_default();
    let path = match path {
        "" => format!("{}/{}", inside::HOME, mount.folder),
        path if path.starts_with('/') => path.to_owned(),
        path => format!("{}/{path}", inside::HOME),
    };
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    format!("/{}", parts.join("/"))
}

/// The rule for one path: letters, digits, `_ . - /`, and it stays where it is said to be.
pub fn check_path(path: &str) -> Result<(), String> {
    let shown = Clean::new(path);
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/');
    if let Some(c) = path.chars().find(|c| !fine(*c)) {
        return Err(format!(
            "'{}' cannot be in a path: letters, digits, _ . - and / only",
            Clean::new(&c.to_string())
        ));
    }
    if path.split('/').any(|part| part == ".." || part == ".") {
        return Err(format!("{shown}: a path must not climb with . or .."));
    }
    Ok(())
}

/// Directories of the system inside; a folder over one of them would break the session.
const SYSTEM: [&str; 17] = [
    "/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/opt", "/proc", "/root",
    "/run", "/sbin", "/sys", "/tmp", "/usr", "/var",
];

/// What is the kernel's, whole.
const KERNEL: [&str; 3] = ["/dev/", "/proc/", "/sys/"];

/// Nobody mounts more in one session.
const MOST: usize = 100;

/// The rule for all of them together; `automatic` are mounted by themselves.
pub fn check(mounts: &[FolderMount], automatic: &[String]) -> Result<(), String> {
    if mounts.len() > MOST {
        return Err(format!("{} folders: {MOST} at most", mounts.len()));
    }
    let mut targets: Vec<String> = automatic
        .iter()
        .map(|name| format!("{}/{name}", inside::HOME))
        .collect();
    for (at, mount) in mounts.iter().enumerate() {
        if let Some(path) = &mount.path {
            check_path(path.trim()).map_err(|why| format!("{}: {why}", mount.folder))?;
        }
        if mounts[..at]
            .iter()
            .any(|other| other.folder == mount.folder)
        {
            return Err(format!("the folder {} is mounted twice", mount.folder));
        }
        let target = target(mount);
        if target == inside::HOME || target == inside::TOOLBOX {
            return Err(format!("{}: {target} is workbay's own", mount.folder));
        }
        let kernel = KERNEL.iter().any(|top| target.starts_with(top));
        if kernel || SYSTEM.contains(&target.as_str()) {
            return Err(format!(
                "{}: {target} is a directory of the system: mount it below {}",
                mount.folder,
                inside::HOME
            ));
        }
        if targets.contains(&target) {
            return Err(format!(
                "{}: something else is mounted at {target}",
                mount.folder
            ));
        }
        targets.push(target);
    }
    Ok(())
}

/// The rule for a new folder's name.
pub fn check_name(name: &str) -> Result<(), String> {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let shown = Clean::new(name);
    if name.is_empty() {
        return Err("a folder needs a name".to_owned());
    }
    if name.len() > 64 {
        return Err(format!(
            "the name is too long ({}): 64 characters at most",
            name.len()
        ));
    }
    if let Some(c) = name.chars().find(|c| !fine(*c)) {
        return Err(format!(
            "'{}' cannot be in the name of a folder: letters, digits, _ . and - only",
            Clean::new(&c.to_string())
        ));
    }
    if matches!(name, "." | "..") || name.starts_with('-') {
        return Err(format!("'{shown}' is no name of a folder"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(folder: &str, path: Option<&str>) -> FolderMount {
        FolderMount {
            folder: folder.to_owned(),
            path: path.map(str::to_owned),
            read_only: false,
        }
    }

    #[test]
    fn targets() {
        assert_eq!(target(&mount("data", None)), "/home/work/data");
        assert_eq!(target(&mount("data", Some("in/a/"))), "/home/work/in/a");
        assert_eq!(target(&mount("data", Some("/srv/x"))), "/srv/x");
    }

    #[test]
    fn the_rule() {
        let why = |mounts: &[FolderMount]| check(mounts, &[".cache".to_owned()]).unwrap_err();
        assert!(why(&[mount("a", Some("../x"))]).contains("climb"));
        assert!(why(&[mount("a", Some("x y"))]).contains("' '"));
        assert!(why(&[mount("a", Some("/etc/"))]).contains("system"));
        for system in ["/", "//etc", "/usr/", "/proc/sys", "/var//"] {
            assert!(
                why(&[mount("a", Some(system))]).contains("system"),
                "{system}"
            );
        }
        assert!(why(&[mount("a", Some("/home//work"))]).contains("own"));
        assert!(why(&[mount("a", Some("x/y")), mount("b", Some("x//y"))]).contains("x/y"));
        assert!(why(&[mount("a", Some("/home/work"))]).contains("own"));
        assert!(why(&[mount("a", None), mount("a", Some("b"))]).contains("twice"));
        assert!(why(&[mount("a", Some("x")), mount("b", Some("x"))]).contains("/home/work/x"));
        assert!(why(&[mount("a", Some(".cache"))]).contains(".cache"));
        assert_eq!(
            check(&[mount("a", None), mount("b", Some("/srv/b"))], &[]),
            Ok(())
        );
    }

    #[test]
    fn names_of_folders() {
        assert_eq!(check_name("my-data.1"), Ok(()));
        for bad in ["", "..", "a/b", "자료", "-x", &"x".repeat(65)] {
            assert!(check_name(bad).is_err(), "{bad} was taken");
        }
    }
}
