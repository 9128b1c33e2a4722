//! Which variables hold secrets: their values are masked, and kept nowhere.

use std::collections::BTreeMap;

/// Parts of a name that tell a secret (the WebUI's list).
const PARTS: [&str; 20] = [
    "AUTH",
    "ACCESS",
    "SECRET",
    "_KEY",
    "PASSWORD",
    "PASSWD",
    "PWD",
    "TOKEN",
    "PRIVATE",
    "CREDENTIAL",
    "JWT",
    "KEYPAIR",
    "CERTIFICATE",
    "SSH",
    "ENCRYPT",
    "SIGNATURE",
    "SALT",
    "PIN",
    "PASSPHRASE",
    "OAUTH",
];

/// Whether the value of a variable of this name is kept nowhere.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    PARTS.iter().any(|part| name.contains(part))
}

/// The same variables, secret ones without their values.
#[must_use]
pub fn blanked(env: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    env.iter()
        .map(|(name, value)| {
            let kept = if is_secret(name) { "" } else { value };
            (name.clone(), kept.to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell() {
        for secret in ["API_TOKEN", "db_password", "AWS_ACCESS_KEY_ID", "SSH_X"] {
            assert!(is_secret(secret), "{secret}");
        }
        for open in ["KEYBOARD", "STAGE", "OMP_NUM_THREADS", "PATH"] {
            assert!(!is_secret(open), "{open}");
        }
    }
}
