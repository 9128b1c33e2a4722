//! The keys of forwards and of SSH, in a private directory beside the state database.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    config::saving::private_directory,
    gateway::{derived_secret, new_token},
    model::{
        failure::Failure, forward::Forward, forward::SshAccess, id::SessionKey, secret::Secret,
        text::Clean,
    },
    ssh_server::{ClientKey, HostKey, Keys},
};

/// The name of the account in a session.
pub(super) const USER: &str = "work";
/// The name by which `known_hosts` knows the host key, whatever address a client connects to.
const HOST_ALIAS: &str = "workbay";
/// The longest key file of the user that is read.
const LONGEST: u64 = 256 * 1024;

/// The secret of a forward: clients with its cookie keep their access when the next daemon opens it again.
pub(super) fn secret_of(key: &Secret, forward: &Forward) -> Secret {
    let name = format!("{} {}", forward.id, forward.opened_at);
    derived_secret(key, &name)
}

/// The key that the secrets of forwards are derived from.
pub(super) fn gateway_key(directory: &Path) -> Result<Secret, Failure> {
    let path = directory.join("gateway.key");
    read_or_create(&path, || Ok(new_token()?.expose().to_owned()))
}

/// The files of SSH.
pub(super) struct KeyFiles {
    directory: PathBuf,
}

impl KeyFiles {
    pub fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
        }
    }

    /// The private key of a session.
    fn of_session(&self, session: SessionKey) -> PathBuf {
        let directory = self.directory.join("sessions");
        directory.join(session.id.to_string())
    }

    /// The private key with which this user logs in to every session.
    fn of_client(&self) -> PathBuf {
        self.directory.join("id_workbay")
    }

    /// The private key of the session, which is created when it is first needed.
    pub fn private_key(&self, session: SessionKey) -> Result<Secret, Failure> {
        key(
            &self.of_session(session),
            &format!("workbay {}", session.id),
        )
    }

    fn client_key(&self) -> Result<Secret, Failure> {
        key(&self.of_client(), "workbay")
    }

    pub fn host_key(&self) -> Result<HostKey, Failure> {
        private_directory(&self.directory).map_err(|error| broken(&self.directory, &error))?;
        HostKey::load_or_generate(&self.directory.join("ssh_host_ed25519_key"))
    }

    /// The keys that may log in: the session's, workbay's own, and the user's.
    pub fn authorized(&self, session: SessionKey, users: Option<&Path>) -> Result<Keys, Failure> {
        let mut keys = Keys::default();
        for private in [self.private_key(session)?, self.client_key()?] {
            keys.extend(Keys::parse("id", &ClientKey::public_of(&private)?)?);
        }
        if let Some(path) = users {
            keys.extend(users_keys(path)?);
        }
        Ok(keys)
    }

    /// Creates what is missing for one session, and names it for an SSH client.
    pub fn session_access(&self, session: SessionKey) -> Result<SshAccess, Failure> {
        self.private_key(session)?;
        self.access(&self.of_session(session))
    }

    /// Creates what is missing for every session, and names it for an SSH client.
    pub fn client_access(&self) -> Result<SshAccess, Failure> {
        self.client_key()?;
        self.access(&self.of_client())
    }

    fn access(&self, identity: &Path) -> Result<SshAccess, Failure> {
        let known_hosts = self.directory.join("known_hosts");
        let line = format!("{HOST_ALIAS} {}\n", self.host_key()?.public_line());
        if fs::read_to_string(&known_hosts).ok().as_deref() != Some(&line) {
            fs::write(&known_hosts, &line).map_err(|error| broken(&known_hosts, &error))?;
        }
        Ok(SshAccess {
            user: Clean::new(USER),
            identity_file: identity.display().to_string(),
            known_hosts_file: known_hosts.display().to_string(),
            host_key_alias: HOST_ALIAS.to_owned(),
        })
    }

    /// Deletes the key of a session that has ended.
    pub fn forget(&self, session: SessionKey) {
        // Most sessions have none.
        let _ = fs::remove_file(self.of_session(session));
    }
}

/// The private key in this file, which is created when it is first needed.
fn key(path: &Path, comment: &str) -> Result<Secret, Failure> {
    read_or_create(path, || {
        Ok(ClientKey::generate(comment)?.private.expose().to_owned())
    })
}

/// The public keys of the user, from the file that the settings name.
fn users_keys(path: &Path) -> Result<Keys, Failure> {
    let path = match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    };
    let failed = |why: String| {
        Failure::internal(tr_sent!(
            "the public keys in {path} can't be read",
            path = path.display()
        ))
        .because(why)
        .hint(tr_sent!(
            "correct apps.authorized-keys in the settings, then run `workbay daemon stop`"
        ))
    };
    let size = fs::metadata(&path).map_err(|error| failed(error.to_string()))?;
    if size.len() > LONGEST {
        return Err(failed(tr_sent!("the file is too long").to_owned()));
    }
    let text = fs::read_to_string(&path).map_err(|error| failed(error.to_string()))?;
    Keys::parse(&path.display().to_string(), &text)
}

fn broken(path: &Path, error: &io::Error) -> Failure {
    Failure::internal(tr_sent!(
        "the key file {path} can't be used",
        path = path.display()
    ))
    .because(error.to_string())
}

/// Reads a private file. If there is none, it is created with `make`; of several processes that create it, all get the
/// same content.
fn read_or_create(
    path: &Path,
    make: impl FnOnce() -> Result<String, Failure>,
) -> Result<Secret, Failure> {
    let read = || fs::read_to_string(path).map(Secret::new);
    match read() {
        Ok(found) if !found.is_empty() => return Ok(found),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(broken(path, &error)),
        _ => {}
    }
    let text = make()?;
    let directory = path.parent().unwrap_or(path);
    let write = || -> io::Result<()> {
        private_directory(directory)?;
        let draft = path.with_extension("new");
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, path)
    };
    write()
        .and_then(|()| read())
        .map_err(|error| broken(path, &error))
}

/// What serves an SSH connection.
pub(super) struct SshKeys {
    pub host: Arc<HostKey>,
    pub authorized: Arc<Keys>,
}

impl SshKeys {
    pub fn load(
        files: &KeyFiles,
        session: SessionKey,
        users: Option<&Path>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            host: Arc::new(files.host_key()?),
            authorized: Arc::new(files.authorized(session, users)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::model::id::{ContextName, SessionId};

    #[test]
    fn keys_are_private_and_stay_the_same() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path().join("keys");
        let session = SessionKey::new(ContextName::local(), SessionId::from_u128(7));
        let files = KeyFiles::new(&directory);
        let access = files.session_access(session).unwrap();
        let mode = fs::metadata(&access.identity_file).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
        assert_eq!(
            fs::metadata(&directory).unwrap().permissions().mode() & 0o777,
            0o700
        );
        let key = files.private_key(session).unwrap();
        assert_eq!(files.private_key(session).unwrap(), key);
        assert_eq!(files.session_access(session).unwrap(), access);
        let lines = fs::read_to_string(&access.known_hosts_file).unwrap();
        assert!(lines.starts_with("workbay ssh-ed25519 "), "{lines}");
        files.forget(session);
        assert_ne!(files.private_key(session).unwrap(), key);
        let gateway = gateway_key(&directory).unwrap();
        assert_eq!(gateway_key(&directory).unwrap(), gateway);
    }

    #[test]
    fn keys_of_the_user_may_log_in_and_a_bad_file_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let session = SessionKey::new(ContextName::local(), SessionId::from_u128(7));
        let files = KeyFiles::new(&directory.path().join("keys"));
        let users = directory.path().join("mine.pub");
        let failure = files.authorized(session, Some(&users)).err().unwrap();
        assert!(failure.to_string().contains("mine.pub"), "{failure}");
        fs::write(&users, ClientKey::generate("me").unwrap().public).unwrap();
        assert_eq!(files.authorized(session, Some(&users)).unwrap().len(), 3);
    }
}
