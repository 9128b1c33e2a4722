//! Which variables hold secrets. Their values are masked on screens and never stored.
//!
//! A value is secret by the name of its variable, by its format, or because of the user's settings. Each
//! process that receives a request classifies it again with its own settings and never removes a mark,
//! because the client and the daemon may have different settings.

pub mod names;
mod values;

use std::{collections::BTreeMap, fmt, str::FromStr};

use super::{
    spec::{LaunchRequest, LaunchSpec},
    text::Clean,
};

pub use values::mask;

/// The rules in effect: the built-in ones without `remove`, and with `add`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecretRules {
    /// Names that are always secret.
    pub add: Vec<NamePattern>,
    /// Names whose values are never secret.
    pub remove: Vec<NamePattern>,
}

impl SecretRules {
    /// Whether the value of this variable must not be stored or shown.
    pub fn is_secret(&self, name: &str, value: &str) -> bool {
        let listed = |list: &[NamePattern]| list.iter().any(|pattern| pattern.matches(name));
        listed(&self.add)
            || (!listed(&self.remove) && (names::is_secret(name) || values::contains_secret(value)))
    }

    /// Marks the secret variables of a request, and keeps existing marks.
    pub fn mark(&self, request: &mut LaunchRequest) {
        let LaunchRequest {
            env, secret_names, ..
        } = request;
        secret_names.retain(|name| env.contains_key(name));
        let found = env
            .iter()
            .filter(|(name, value)| self.is_secret(name, value));
        secret_names.extend(found.map(|(name, _)| name.clone()));
    }

    /// Removes secret values, but not their names, from a launch that workbay didn't write itself.
    pub fn hide(&self, spec: &mut LaunchSpec) {
        let found = spec.env.iter();
        let found = found.filter(|(name, value)| self.is_secret(name, value));
        let names: Vec<String> = found.map(|(name, _)| name.clone()).collect();
        for name in names {
            spec.env.remove(&name);
            if !spec.secret_names.contains(&name) {
                spec.secret_names.push(name);
            }
        }
    }
}

/// The variables of a request, without the values of secret ones.
#[must_use]
pub fn blanked(request: &LaunchRequest) -> BTreeMap<String, String> {
    let kept = |(name, value): (&String, &String)| {
        let kept = if request.is_secret(name) { "" } else { value };
        (name.clone(), kept.to_owned())
    };
    request.env.iter().map(kept).collect()
}

/// The name of a variable, in which `*` matches any text. Case doesn't matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern(String);

impl NamePattern {
    pub fn matches(&self, name: &str) -> bool {
        matches(self.0.as_bytes(), name.to_ascii_uppercase().as_bytes())
    }
}

impl FromStr for NamePattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '*';
        if text.len() <= 128 && text.chars().all(allowed) && text.chars().any(|c| c != '*') {
            return Ok(Self(text.to_ascii_uppercase()));
        }
        Err(tr!(
            "Invalid pattern '{typed}'. Use letters, digits, _ and *, as in \"LICENSE_*\"",
            typed = Clean::new(text)
        ))
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Backtracks to the last `*` only, so that each try is linear.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if pattern.get(p) == Some(&b'*') {
            star = Some((p, n));
            p += 1;
        } else if pattern.get(p) == Some(&name[n]) {
            p += 1;
            n += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            (p, n) = (at + 1, from + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests;
