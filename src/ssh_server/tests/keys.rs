use std::{fs, os::unix::fs::PermissionsExt as _};

use crate::ssh_server::{ClientKey, HostKey, Keys};

#[test]
fn a_host_key_is_made_once_and_kept_for_its_owner_only() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("host_key");
    let made = HostKey::load_or_generate(&path).unwrap();
    let again = HostKey::load_or_generate(&path).unwrap();
    assert_eq!(made.fingerprint(), again.fingerprint());
    assert!(made.fingerprint().starts_with("SHA256:"));
    assert!(made.public_line().starts_with("ssh-ed25519 AAAA"));
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    let other = HostKey::generate().unwrap();
    assert_ne!(other.fingerprint(), made.fingerprint());
    let error = other.store(&path).unwrap_err().to_string();
    assert!(error.contains("host_key can't be written"), "{error}");
    assert_eq!(
        HostKey::load(&path).unwrap().fingerprint(),
        made.fingerprint()
    );
}

#[test]
fn a_file_that_is_no_host_key_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("host_key");
    fs::write(&path, "nonsense").unwrap();
    let error = HostKey::load_or_generate(&path).err().unwrap();
    assert!(
        error.to_string().contains("host_key isn't a host key"),
        "{error}"
    );
    fs::write(&path, vec![b'x'; 100_000]).unwrap();
    assert!(HostKey::load(&path).is_err());
    assert!(HostKey::load(directory.path()).is_err());
}

#[test]
fn a_key_pair_belongs_together() {
    let key = ClientKey::generate("work@training").unwrap();
    let begin = "-----BEGIN OPENSSH PRIVATE KEY-----\n";
    assert!(key.private.expose().starts_with(begin));
    let bare = ClientKey::public_of(&key.private).unwrap();
    assert_eq!(key.public, format!("{bare} work@training"));
    assert_eq!(Keys::parse("f", &key.public).unwrap().len(), 1);
}

#[test]
fn lines_of_authorized_keys_are_read_or_named() {
    let key = ClientKey::generate("me").unwrap().public;
    let text = format!("# mine\n\n  {key}\n{key}\n");
    assert_eq!(Keys::parse("f", &text).unwrap().len(), 2);
    assert!(Keys::parse("f", "").unwrap().is_empty());
    for (line, reason) in [
        ("nonsense", "not a public key"),
        ("ssh-ed25519", "not a public key"),
        ("ssh-ed25519 AAAA", "not a public key"),
        (
            "-----BEGIN OPENSSH PRIVATE KEY-----",
            "this is a private key",
        ),
        (&format!("command=\"ls\" {key}"), "options before a key"),
        (
            &format!("cert-authority {key}"),
            "certificates aren't supported",
        ),
        (
            "ssh-ed25519-cert-v01@openssh.com AAAA",
            "certificates aren't supported",
        ),
    ] {
        let error = Keys::parse("keys/mine", &format!("\n{line}\n"))
            .err()
            .unwrap();
        let said = error.to_string();
        assert!(
            said.starts_with("keys/mine:2: ") && said.contains(reason),
            "{said}"
        );
        assert!(error.hint.is_some());
    }
}
