//! The host environment: a session in this machine's own userland, without an image to fetch.
//!
//! It is an almost empty image of workbay (links as on this machine, an account, mount points) with
//! read-only mounts of this machine's /usr and of the few files of /etc that a shell needs.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use bollard::{body_full, models::Mount, query_parameters::CreateImageOptionsBuilder};
use futures_util::TryStreamExt as _;

use crate::{
    engine::{
        api::Result,
        docker::{
            connect::connection::EngineConnection, container::labels, folder::mounts,
            toolbox::fingerprint,
        },
    },
    model::{failure::Failure, inside},
};

/// The repository of workbay's image; never listed as an environment.
pub(in crate::engine::docker) const REPOSITORY: &str = "workbay/host";

/// Top directories that are links into /usr on a merged system and directories on others.
const TOP: [&str; 6] = ["bin", "lib", "lib32", "lib64", "libx32", "sbin"];

/// The parts of /etc that a shell needs; nothing else of it is mounted. For directories that also contain keys,
/// only the public parts are listed.
const ETC: [&str; 22] = [
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "alternatives",
    "ssl/certs",
    "ssl/cert.pem",
    "ssl/openssl.cnf",
    "pki/ca-trust/extracted",
    "pki/tls/cert.pem",
    "pki/tls/certs",
    "pki/tls/openssl.cnf",
    "ca-certificates",
    "crypto-policies",
    "profile",
    "bash.bashrc",
    "bashrc",
    "zsh",
    "inputrc",
    "terminfo",
    "localtime",
    "services",
    "protocols",
];

/// The paths of this machine's keys: a listed path that is a link must not lead to them.
const KEYS: [&str; 3] = ["/etc/ssl/private", "/etc/pki/tls/private", "/etc/shadow"];

/// How a top directory of this machine, such as /bin or /lib, appears inside.
enum TopDirectory {
    /// A link with the same target.
    Link(PathBuf),
    /// A directory to mount.
    Directory,
}

/// `debian-12`, from /etc/os-release.
pub(in crate::engine::docker) fn version() -> String {
    let text = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let field = |name: &str| {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))?;
        let value = line.trim_matches(|c| c == '"' || c == '\'').to_owned();
        (!value.is_empty()).then_some(value)
    };
    let id = field("ID").unwrap_or_else(|| "linux".to_owned());
    field("VERSION_ID").map_or(id.clone(), |version| format!("{id}-{version}"))
}

/// Why this machine's userland can't be used; `None` = it can.
pub(in crate::engine::docker) fn unavailable() -> Option<String> {
    let shell = fs::canonicalize("/bin/sh").ok()?;
    let usual = ["/usr", "/bin"].iter().any(|dir| shell.starts_with(dir));
    (!usual).then(|| {
        tr_sent!(
            "this machine's programs are in {path}, not below /usr, so the host environment isn't \
             available. Launch an image instead",
            path = shell.parent().unwrap_or(&shell).display()
        )
    })
}

/// The mounts of this machine's files.
pub(in crate::engine::docker) fn mounts() -> Vec<Mount> {
    let info = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mut all = mounts::read_only_tree(Path::new("/usr"), &info);
    for (name, top) in tops() {
        // The engine mounts its init in /sbin, so that directory is never covered.
        if matches!(top, TopDirectory::Directory) && name != "sbin" {
            all.extend(mounts::read_only_tree(&Path::new("/").join(name), &info));
        }
    }
    let etc = ETC.iter().map(|name| Path::new("/etc").join(name));
    all.extend(
        etc.filter(|path| fs::canonicalize(path).is_ok_and(|place| has_no_keys(&place)))
            .map(|path| mounts::read_only(&path, &path)),
    );
    all
}

/// Whether a path without links is neither inside a key directory nor above one.
fn has_no_keys(place: &Path) -> bool {
    let mut keys = KEYS.iter().map(Path::new);
    !keys.any(|keys| keys.starts_with(place) || place.starts_with(keys))
}

/// Creates workbay's image if it doesn't exist; returns its reference.
pub(in crate::engine::docker) async fn ensure_image(
    connection: &EngineConnection,
    user: (u32, u32),
) -> Result<String> {
    let archive = archive(user).map_err(|error| {
        Failure::internal(tr_sent!(
            "the image of the host environment can't be created: {error}",
            error
        ))
    })?;
    let tag = fingerprint(&archive);
    let reference = format!("{REPOSITORY}:{tag}");
    match connection.docker.inspect_image(&reference).await {
        Ok(_) => return Ok(reference),
        Err(bollard::errors::Error::DockerResponseServerError {
            status_code: 404, ..
        }) => {}
        Err(error) => return Err(connection.fault(error)),
    }
    let options = CreateImageOptionsBuilder::default()
        .from_src("-")
        // The complete reference: Podman accepts no separate tag.
        .repo(&reference)
        .changes(vec![format!("LABEL {}=1", labels::OURS)])
        .build();
    let body = body_full(archive.into());
    let import = connection
        .docker
        .create_image(Some(options), Some(body), None);
    import
        .try_collect::<Vec<_>>()
        .await
        .map_err(|error| connection.fault(error))?;
    Ok(reference)
}

fn tops() -> Vec<(&'static str, TopDirectory)> {
    let look = |name: &'static str| {
        let path = Path::new("/").join(name);
        let meta = fs::symlink_metadata(&path).ok()?;
        if meta.is_symlink() {
            return Some((name, TopDirectory::Link(fs::read_link(&path).ok()?)));
        }
        meta.is_dir().then_some((name, TopDirectory::Directory))
    };
    TOP.into_iter().filter_map(look).collect()
}

/// The image's files. They are the same bytes for the same machine and user: their fingerprint is the tag.
fn archive((uid, gid): (u32, u32)) -> io::Result<Vec<u8>> {
    let mut tar = tar::Builder::new(Vec::new());
    for (dir, mode) in [
        ("usr", 0o755),
        ("etc", 0o755),
        ("dev", 0o755),
        ("proc", 0o555),
        ("sys", 0o555),
        ("run", 0o755),
        ("sbin", 0o755),
        ("var", 0o755),
        ("var/tmp", 0o1777),
        ("tmp", 0o1777),
        ("root", 0o700),
        ("home", 0o755),
        (inside::HOME.trim_start_matches('/'), 0o755),
        ("opt", 0o755),
        (inside::TOOLBOX.trim_start_matches('/'), 0o755),
    ] {
        tar.append_data(
            &mut header(tar::EntryType::Directory, mode, 0),
            dir,
            io::empty(),
        )?;
    }
    for (name, top) in tops().into_iter().filter(|(name, _)| *name != "sbin") {
        match top {
            TopDirectory::Link(target) => {
                tar.append_link(&mut header(tar::EntryType::Symlink, 0o777, 0), name, target)?;
            }
            TopDirectory::Directory => {
                tar.append_data(
                    &mut header(tar::EntryType::Directory, 0o755, 0),
                    name,
                    io::empty(),
                )?;
            }
        }
    }
    for (name, contents) in account_files(uid, gid) {
        let mut header = header(tar::EntryType::Regular, 0o644, contents.len() as u64);
        tar.append_data(&mut header, name, contents.as_bytes())?;
    }
    tar.into_inner()
}

fn account_files(uid: u32, gid: u32) -> [(&'static str, String); 3] {
    let shell = ["/bin/bash", "/bin/sh"]
        .into_iter()
        .find(|path| Path::new(path).exists());
    let shell = shell.unwrap_or("/bin/sh");
    let mut passwd = format!("work:x:{uid}:{gid}:work:{}:{shell}\n", inside::HOME);
    let mut group = format!("work:x:{gid}:\n");
    if uid != 0 {
        passwd.insert_str(0, "root:x:0:0:root:/root:/bin/sh\n");
    }
    if gid != 0 {
        group.insert_str(0, "root:x:0:\n");
    }
    passwd.push_str("nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n");
    group.push_str("nogroup:x:65534:\n");
    let services =
        "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n";
    [
        ("etc/passwd", passwd),
        ("etc/group", group),
        ("etc/nsswitch.conf", services.to_owned()),
    ]
}

fn header(kind: tar::EntryType, mode: u32, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(0);
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_is_the_same_bytes_each_time_and_another_users_differs() {
        let one = archive((1000, 1000)).unwrap();
        assert_eq!(one, archive((1000, 1000)).unwrap());
        assert_ne!(one, archive((1001, 1000)).unwrap());
    }

    #[test]
    fn sbin_is_a_real_directory_and_nothing_is_mounted_on_it() {
        let bytes = archive((1000, 1000)).unwrap();
        let mut tar = tar::Archive::new(bytes.as_slice());
        let kinds: Vec<tar::EntryType> = tar
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.path().unwrap().starts_with("sbin"))
            .map(|entry| entry.header().entry_type())
            .collect();
        assert_eq!(kinds, [tar::EntryType::Directory]);
        assert!(
            mounts()
                .iter()
                .all(|mount| mount.target.as_deref() != Some("/sbin"))
        );
    }

    #[test]
    fn no_mount_of_etc_reaches_keys() {
        let all = mounts();
        let sources = all.iter().filter_map(|mount| mount.source.as_deref());
        for source in sources {
            let place = fs::canonicalize(source).unwrap();
            assert!(has_no_keys(&place), "{source}");
        }
        for (place, is_fine) in [
            ("/etc/ssl/certs", true),
            ("/etc/ssl", false),
            ("/etc", false),
            ("/", false),
            ("/etc/ssl/private/key.pem", false),
            ("/etc/ssl/private-not", true),
        ] {
            assert_eq!(has_no_keys(Path::new(place)), is_fine, "{place}");
        }
    }

    #[test]
    fn every_mount_of_the_machine_is_read_only() {
        let all = mounts();
        assert!(
            all.iter()
                .any(|mount| mount.target.as_deref() == Some("/usr"))
        );
        assert!(all.iter().all(|mount| mount.read_only == Some(true)));
    }
}
