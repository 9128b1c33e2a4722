//! Host keys, key pairs of clients, and the keys that may log in.

use std::{
    fs,
    io::{ErrorKind, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
    sync::Arc,
};

use russh::keys::{
    HashAlg, PrivateKey, PublicKey,
    ssh_key::{LineEnding, private::Ed25519Keypair},
};

use crate::model::{failure::Failure, secret::Secret};

/// The longest key file that is read.
const LONGEST: u64 = 64 * 1024;

/// The key by which clients recognize a server.
#[derive(Clone)]
pub struct HostKey(Arc<PrivateKey>);

impl HostKey {
    /// Makes a new Ed25519 key.
    ///
    /// # Errors
    ///
    /// The system has no random numbers.
    pub fn generate() -> Result<Self, Failure> {
        Ok(Self(Arc::new(ed25519("workbay")?)))
    }

    /// Reads a key from a file in OpenSSH's format.
    ///
    /// # Errors
    ///
    /// The file can't be read, or isn't a private key without a passphrase.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        let text = read(path)?;
        let key = PrivateKey::from_openssh(text.expose()).map_err(|error| {
            Failure::internal(tr_sent!("{path} isn't a host key", path = path.display()))
                .because(error.to_string())
                .hint(tr_sent!("move the file away, and a new key is made"))
        })?;
        if key.is_encrypted() {
            let text = tr_sent!(
                "the host key {path} has a passphrase",
                path = path.display()
            );
            return Err(
                Failure::internal(text).hint(tr_sent!("move the file away, and a new key is made"))
            );
        }
        Ok(Self(Arc::new(key)))
    }

    /// Writes the key to a file that only its owner can read. An existing file isn't replaced.
    ///
    /// # Errors
    ///
    /// The file exists or can't be written.
    pub fn store(&self, path: &Path) -> Result<(), Failure> {
        let text = openssh(&self.0)?;
        write_private(path, text.expose())
    }

    /// Reads the key at `path`, or creates it if the file does not exist. If several processes create it at once, all get the same key.
    ///
    /// # Errors
    ///
    /// The file exists but isn't a key, or it can't be written.
    pub fn load_or_generate(path: &Path) -> Result<Self, Failure> {
        if !path.exists() {
            let made = Self::generate()?;
            match made.store(path) {
                Ok(()) => return Ok(made),
                Err(_) if path.exists() => {}
                Err(error) => return Err(error),
            }
        }
        Self::load(path)
    }

    /// For example `SHA256:` and 43 letters, as `ssh-keygen -l` prints it.
    pub fn fingerprint(&self) -> String {
        self.0.fingerprint(HashAlg::Sha256).to_string()
    }

    /// The public key as a line without a comment: `ssh-ed25519 AAAA…`. With a host name before it, it is a line of
    /// `known_hosts`.
    pub fn public_line(&self) -> String {
        line(self.0.public_key())
    }

    pub(super) fn private(&self) -> PrivateKey {
        PrivateKey::clone(&self.0)
    }
}

/// A new key pair with which a client logs in.
pub struct ClientKey {
    /// The private key in OpenSSH's format: the content of `id_container`.
    pub private: Secret,
    /// The public key as a line of `authorized_keys`.
    pub public: String,
}

impl ClientKey {
    /// Makes a new Ed25519 key pair.
    ///
    /// # Errors
    ///
    /// The system has no random numbers, or the comment isn't one line.
    pub fn generate(comment: &str) -> Result<Self, Failure> {
        let key = ed25519(comment)?;
        let public = format!("{} {comment}", line(key.public_key()));
        Ok(Self {
            private: openssh(&key)?,
            public: public.trim_end().to_owned(),
        })
    }

    /// The public key of a private key in OpenSSH's format.
    ///
    /// # Errors
    ///
    /// `private` isn't a private key.
    pub fn public_of(private: &Secret) -> Result<String, Failure> {
        // The error of the library describes only the format.
        let key = PrivateKey::from_openssh(private.expose()).map_err(|error| {
            Failure::refused(tr_sent!("the private key can't be read")).because(error.to_string())
        })?;
        Ok(line(key.public_key()))
    }
}

/// The public keys that may log in.
#[derive(Clone, Default)]
pub struct Keys {
    authorized: Vec<PublicKey>,
}

impl Keys {
    /// Reads lines of an `authorized_keys` file. Empty lines and comments are skipped. `file` is for messages.
    ///
    /// # Errors
    ///
    /// A line isn't a public key, or has options: what they restrict isn't supported, so the key isn't accepted
    /// without them. The message names the file and the line.
    pub fn parse(file: &str, text: &str) -> Result<Self, Failure> {
        let mut keys = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                keys.authorized.push(parse_line(file, number, line)?);
            }
        }
        Ok(keys)
    }

    /// Adds the keys of another list.
    pub fn extend(&mut self, other: Self) {
        self.authorized.extend(other.authorized);
    }

    pub fn is_empty(&self) -> bool {
        self.authorized.is_empty()
    }

    pub fn len(&self) -> usize {
        self.authorized.len()
    }

    pub(super) fn contains(&self, key: &PublicKey) -> bool {
        let wanted = key.key_data();
        self.authorized.iter().any(|one| one.key_data() == wanted)
    }
}

fn parse_line(file: &str, number: usize, line: &str) -> Result<PublicKey, Failure> {
    let bad = |what: &str| {
        Failure::usage(format!("{file}:{number}: {what}")).hint(tr_sent!(
            "write one public key per line, for example the content of ~/.ssh/id_ed25519.pub"
        ))
    };
    if line.starts_with("-----BEGIN") {
        return Err(bad(tr_sent!("this is a private key, not a public one")));
    }
    let first = line.split_whitespace().next().unwrap_or_default();
    if first.contains("-cert-v01") || first == "cert-authority" {
        return Err(bad(tr_sent!("certificates aren't supported")));
    }
    let is_type = |word: &str| {
        ["ssh-", "ecdsa-", "sk-"]
            .iter()
            .any(|it| word.starts_with(it))
    };
    if !is_type(first) && line.split_whitespace().any(is_type) {
        return Err(bad(tr_sent!("options before a key aren't supported")));
    }
    PublicKey::from_openssh(line)
        .map_err(|error| bad(&tr_sent!("not a public key: {error}", error)))
}

fn ed25519(comment: &str) -> Result<PrivateKey, Failure> {
    let mut seed = zeroize::Zeroizing::new([0; 32]);
    getrandom::fill(&mut *seed).map_err(|error| {
        Failure::internal(tr_sent!("a key can't be made"))
            .because(tr_sent!("no random numbers: {error}", error))
    })?;
    let mut key = PrivateKey::from(Ed25519Keypair::from_seed(&seed));
    key.set_comment(comment);
    Ok(key)
}

fn openssh(key: &PrivateKey) -> Result<Secret, Failure> {
    let text = key.to_openssh(LineEnding::LF).map_err(|error| {
        Failure::internal(tr_sent!("a key can't be written")).because(error.to_string())
    })?;
    Ok(Secret::new(text.as_str()))
}

fn line(key: &PublicKey) -> String {
    let bare = PublicKey::new(key.key_data().clone(), "");
    // Encoding fails only for keys that can't be decoded.
    bare.to_openssh().unwrap_or_default().trim_end().to_owned()
}

fn read(path: &Path) -> Result<Secret, Failure> {
    let failed = |why: String| {
        Failure::internal(tr_sent!(
            "the key file {path} can't be read",
            path = path.display()
        ))
        .because(why)
    };
    let metadata = fs::metadata(path).map_err(|error| failed(error.to_string()))?;
    if !metadata.is_file() || metadata.len() > LONGEST {
        return Err(failed(
            tr_sent!("it isn't a regular file, or it is larger than 64 KiB").to_owned(),
        ));
    }
    let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    Ok(Secret::new(text))
}

fn write_private(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::internal(tr_sent!(
            "the key file {path} can't be written",
            path = path.display()
        ))
        .because(error.to_string())
    };
    // The file appears under its name only when it is complete.
    let draft = path.with_extension(format!("{}.new", uuid::Uuid::new_v4().simple()));
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)
        .map_err(failed)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all());
    let placed = written.and_then(|()| fs::hard_link(&draft, path));
    let removed = fs::remove_file(&draft);
    match placed {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(failed(error)),
        outcome => outcome.and(removed).map_err(failed),
    }
}
