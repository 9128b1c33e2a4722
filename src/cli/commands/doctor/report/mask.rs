//! Masks secrets in a text that leaves this machine: known values, and words that look like a secret.

use std::time::Duration;

use crate::{
    cli::Start,
    config::contexts::{Credentials, EngineSpec, Source},
    model::secret_rules::{self, names::is_secret},
};

const MASK: &str = "•••";

/// Shorter values, and these words, would match everywhere.
const SHORTEST: usize = 4;
const WORDS: [&str; 8] = [
    "true", "false", "none", "auto", "always", "never", "host", "local",
];

/// Values that must be masked, the longest first.
pub(super) struct Known(Vec<String>);

impl Known {
    /// Values of the environment, the settings and the contexts. Doesn't run programs that print a secret.
    pub(super) fn of(start: &Start, environment: impl Iterator<Item = (String, String)>) -> Self {
        let environment: Vec<(String, String)> = environment.collect();
        let variable = |name: &str| {
            let found = environment.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone())
        };
        let rules = &start.loaded.settings.launch.secrets;
        let mut all: Vec<String> = environment
            .iter()
            .filter(|(name, value)| rules.is_secret(name, value))
            .map(|(_, value)| value.clone())
            .collect();
        all.extend(start.loaded.settings.launch.env.values().cloned());
        for entry in &start.contexts.list {
            let EngineSpec::Backendai(spec) = &entry.engine else {
                continue;
            };
            let (Credentials::Keys {
                access: name,
                secret,
            }
            | Credentials::Login {
                username: name,
                password: secret,
            }) = &spec.credentials;
            let read = |source: &Source| match source {
                Source::Command(_) => None,
                other => other.resolve(variable, Duration::ZERO).ok(),
            };
            let both = [name, secret].into_iter().filter_map(read);
            all.extend(both.map(|secret| secret.expose().to_owned()));
        }
        for file in [
            start.paths.config_file(),
            start.paths.contexts_file(),
            start.paths.resources_file(),
        ] {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            all.extend(written_out(&text));
        }
        Self::from_values(all)
    }

    fn from_values(mut all: Vec<String>) -> Self {
        all.retain(|value| value.len() >= SHORTEST && !WORDS.contains(&value.as_str()));
        all.sort_by_key(|value| std::cmp::Reverse(value.len()));
        all.dedup();
        Self(all)
    }

    /// The text without these values.
    pub(super) fn mask(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for value in &self.0 {
            text = text.replace(value.as_str(), MASK);
        }
        secret_rules::mask(&text).lines().map(line).collect()
    }
}

/// Values in a configuration file under the name of a secret, although they shouldn't be written there.
fn written_out(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        for (at, _) in line.match_indices('=') {
            let name: String = line[..at]
                .trim_end()
                .chars()
                .rev()
                .take_while(|c| is_of_name(*c))
                .collect();
            let name: String = name.chars().rev().collect();
            let value = line[at + 1..].trim_start();
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
            if let Some(quote) = quote
                && is_secret(&name)
                && let Some(inner) = value[1..].split(quote).next()
            {
                found.push(inner.to_owned());
            }
        }
    }
    found
}

fn is_of_name(one: char) -> bool {
    one.is_ascii_alphanumeric() || matches!(one, '_' | '-')
}

/// A line without words that look like a secret, whatever wrote the line.
fn line(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut next_is_secret = false;
    for word in text.split(' ') {
        let lower = word.to_ascii_lowercase();
        let masked = match (next_is_secret && !word.is_empty(), named(word)) {
            (true, _) => MASK.to_owned(),
            (false, Some(name)) => format!("{}={MASK}", without_login(name)),
            _ if is_token(word) => MASK.to_owned(),
            _ => without_login(word),
        };
        if !word.is_empty() {
            next_is_secret = ["bearer", "basic", "authorization:"]
                .iter()
                .any(|scheme| lower.trim_matches('"') == *scheme);
        }
        words.push(masked);
    }
    words.join(" ") + "\n"
}

/// The text before the first value whose name is that of a secret.
fn named(word: &str) -> Option<&str> {
    let mut all = word.match_indices('=');
    let found = all.find(|(at, _)| at + 1 < word.len() && names_secret(&word[..*at]));
    found.map(|(at, _)| &word[..at])
}

/// Whether the text ends with the name of a secret variable or field: `(TOKEN`, `?password`.
fn names_secret(text: &str) -> bool {
    let name = text.rsplit(|c| !is_of_name(c)).next().unwrap_or_default();
    is_secret(name)
}

/// A JSON web token.
fn is_token(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    word.starts_with("eyJ") && word.matches('.').count() == 2
}

/// `https://user:password@host` as `https://•••@host`.
fn without_login(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else {
        return word.to_owned();
    };
    let end = rest.find('/').unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) if rest[..at].contains(':') => format!("{scheme}://{MASK}{}", &rest[at..]),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_is_masked_in_every_source() {
        for (text, masked) in [
            (
                "asked http://kim:pw1@host:80/x twice",
                "asked http://•••@host:80/x twice",
            ),
            ("ssh://kim@host/run stays", "ssh://kim@host/run stays"),
            (
                "env (API_TOKEN=abc) MODE=fast",
                "env (API_TOKEN=••• MODE=fast",
            ),
            (
                "authorization: Bearer abc.def done",
                "authorization: ••• ••• done",
            ),
            ("got eyJhbGci.eyJzdWIi.c2ln, kept", "got ••• kept"),
            (
                "http://kim:pw1@host/x?page=1&token=abc&more=2 why=\"PASSWORD=abc\"",
                "http://•••@host/x?page=1&token=••• why=\"PASSWORD=•••",
            ),
            ("PWD=/home/kim", "PWD=/home/kim"),
        ] {
            assert_eq!(line(text), format!("{masked}\n"));
        }
    }

    #[test]
    fn known_values_go_everywhere_and_the_longest_first() {
        let known = ["hush-hush", "hush", "true", "abc"].map(str::to_owned);
        let known = Known::from_values(known.to_vec());
        assert_eq!(
            known.mask("xhush-hushx true hush abc"),
            "x•••x true ••• abc\n"
        );
    }

    #[test]
    fn secrets_in_a_file_are_known() {
        let text = "secret-key = \"s3cr\"\nenv = { A = 'x', API_TOKEN = 't0k' }\npassword = { env = \"P\" }\n";
        assert_eq!(written_out(text), ["s3cr", "t0k"]);
    }
}
