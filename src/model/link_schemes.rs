//! The schemes of addresses that links in the output of programs may open.

use std::{str::FromStr, sync::Arc};

/// The schemes that most terminals open with a browser, a mail program or a file manager.
const USUAL: [&str; 6] = ["http", "https", "mailto", "ftp", "ftps", "file"];
/// Schemes of addresses that contain a program or a document from the session, or that lead to another
/// address.
const NEVER: [&str; 11] = [
    "about",
    "blob",
    "data",
    "feed",
    "filesystem",
    "jar",
    "javascript",
    "livescript",
    "mhtml",
    "vbscript",
    "view-source",
];
/// The max length of a scheme. No registered scheme is longer.
const LONGEST: usize = 64;

/// A scheme in lowercase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkScheme(String);

impl LinkScheme {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for LinkScheme {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let scheme = text.to_ascii_lowercase();
        let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let begins = scheme.starts_with(|c: char| c.is_ascii_lowercase());
        if !begins || !scheme.chars().all(is_sign) || scheme.len() > LONGEST {
            return Err(tr!(
                "invalid scheme '{text}'. Write the part before the colon, for example \"https\" \
                 or \"ssh\"",
                text
            ));
        }
        if NEVER.contains(&scheme.as_str()) {
            return Err(tr!(
                "scheme '{text}' isn't allowed: its addresses contain scripts or documents that a \
                 session wrote",
                text
            ));
        }
        Ok(Self(scheme))
    }
}

/// The schemes that the user's terminal may open. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkSchemes(Arc<[LinkScheme]>);

impl Default for LinkSchemes {
    fn default() -> Self {
        USUAL
            .map(|scheme| LinkScheme(scheme.to_owned()))
            .into_iter()
            .collect()
    }
}

impl FromIterator<LinkScheme> for LinkSchemes {
    fn from_iter<T: IntoIterator<Item = LinkScheme>>(schemes: T) -> Self {
        Self(schemes.into_iter().collect())
    }
}

impl LinkSchemes {
    pub fn iter(&self) -> impl Iterator<Item = &LinkScheme> {
        self.0.iter()
    }

    /// Whether the scheme may be opened. Case doesn't matter.
    pub fn allow(&self, scheme: &str) -> bool {
        self.iter().any(|it| it.0.eq_ignore_ascii_case(scheme))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_scripts_or_is_no_scheme_is_refused() {
        for good in ["ssh", "VSCode", "web+app", "x-man-page", "irc6"] {
            let scheme: LinkScheme = good.parse().unwrap();
            assert_eq!(scheme.as_str(), good.to_ascii_lowercase());
        }
        for never in NEVER.iter().chain(&["JavaScript", "Data"]) {
            let why = never.parse::<LinkScheme>().unwrap_err();
            assert!(why.contains("isn't allowed"), "{why}");
        }
        let long = "x".repeat(LONGEST + 1);
        for bad in ["", "ssh:", "ssh://", "1x", "a b", "a\u{1b}", "é", &long] {
            let why = bad.parse::<LinkScheme>().unwrap_err();
            assert!(why.contains("invalid scheme"), "{why}");
        }
    }

    #[test]
    fn the_usual_ones_may_be_set() {
        for scheme in LinkSchemes::default().iter() {
            assert_eq!(scheme.as_str().parse().as_ref(), Ok(scheme));
        }
    }
}
