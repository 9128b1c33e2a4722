//! The environment variables that a client may set.

/// How many a channel may set, and how long they may be in bytes.
const MOST: usize = 32;
const LONGEST_NAME: usize = 64;
const LONGEST_VALUE: usize = 1024;

/// Names that are accepted, besides those that begin with `LC_`. They describe the client's terminal and language.
const ACCEPTED: [&str; 4] = ["LANG", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION"];

/// Variables of one channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Variables(Vec<(String, String)>);

impl Variables {
    /// Sets a variable that a client asked for. Returns whether it was accepted.
    pub(super) fn accept(&mut self, name: &str, value: &str) -> bool {
        let is_known = ACCEPTED.contains(&name) || name.starts_with("LC_");
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let fits = name.len() <= LONGEST_NAME && value.len() <= LONGEST_VALUE;
        if !is_known || !fits || !name.chars().all(is_name) || value.chars().any(char::is_control) {
            return false;
        }
        self.0.retain(|(known, _)| known != name);
        if self.0.len() >= MOST {
            return false;
        }
        self.0.push((name.to_owned(), value.to_owned()));
        true
    }

    /// Sets a variable of the server's own.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), value.to_owned()));
    }

    pub(super) fn get(&self, name: &str) -> Option<String> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    }

    /// As `NAME=VALUE`.
    pub(super) fn words(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(name, value)| format!("{name}={value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_variables_are_accepted() {
        let mut variables = Variables::default();
        assert!(variables.accept("LANG", "de_DE.UTF-8"));
        assert!(variables.accept("LANG", "C"));
        assert!(variables.accept("LC_ALL", "a b $(c) 'd'"));
        let long = "x".repeat(LONGEST_VALUE + 1);
        for (name, value) in [
            ("PATH", "/tmp"),
            ("LD_PRELOAD", "/tmp/x.so"),
            ("LC_A=B", "x"),
            ("LANG", "a\nb"),
            ("LANG", &long),
            ("", ""),
        ] {
            assert!(!variables.accept(name, value), "{name}={value}");
        }
        let words: Vec<String> = variables.words().collect();
        assert_eq!(words, ["LANG=C", "LC_ALL=a b $(c) 'd'"]);
    }

    #[test]
    fn their_number_is_bounded() {
        let mut variables = Variables::default();
        let accepted = (0..1000).filter(|number| variables.accept(&format!("LC_{number}"), "x"));
        assert_eq!(accepted.count(), MOST);
    }
}
