//! Finds secrets in a text by their format: credentials in addresses and connection strings, tokens of known
//! services, keys.

use std::ops::Range;

use crate::model::secret_rules::names;

/// Replaces a secret in displayed texts.
const MASK: &str = "•••";

/// Whether the text contains a secret.
pub(super) fn contains_secret(text: &str) -> bool {
    !spans(text).is_empty()
}

/// The text with all secrets masked.
#[must_use]
pub fn mask(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans(text) {
        if span.start >= from {
            out.push_str(&text[from..span.start]);
            out.push_str(MASK);
        }
        from = from.max(span.end);
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// The ranges of secrets, ordered by their start.
fn spans(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    blocks(text, &mut found);
    logins(text, &mut found);
    fields(text, &mut found);
    tokens(text, &mut found);
    found.sort_by_key(|span| span.start);
    found
}

/// Finds PEM blocks: from `-----BEGIN` to the end of the block or of the text.
fn blocks(text: &str, found: &mut Vec<Range<usize>>) {
    let mut from = 0;
    while let Some(at) = text[from..].find("-----BEGIN ") {
        let start = from + at;
        let end = text[start..].find("-----END ").map(|end| start + end);
        let end = end.and_then(|end| Some(end + 9 + text[end + 9..].find("-----")? + 5));
        from = end.unwrap_or(text.len());
        found.push(start..from);
    }
}

/// Finds the user and the password of `scheme://user:password@host`.
fn logins(text: &str, found: &mut Vec<Range<usize>>) {
    for (at, mark) in text.match_indices("://") {
        let start = at + mark.len();
        let rest = &text[start..];
        let word = rest.find(|c: char| c.is_whitespace() || "\"'`<>".contains(c));
        let word = &rest[..word.unwrap_or(rest.len())];
        let authority = &word[..word.find(['/', '?', '#']).unwrap_or(word.len())];
        if let Some(end) = login(authority).or_else(|| unescaped_login(word, authority)) {
            found.push(start..start + end);
        }
    }
}

/// The length of the user and the password in `user:password@host`.
fn login(text: &str) -> Option<usize> {
    let end = text.rfind('@')?;
    let (_, password) = text[..end].split_once(':')?;
    (!password.is_empty()).then_some(end)
}

/// Like `login`, for a password with an unescaped `/`, `?` or `#`. In that case, the text after the `:` isn't
/// a port.
fn unescaped_login(word: &str, authority: &str) -> Option<usize> {
    let (_, port) = authority.split_once(':')?;
    let is_port = port.chars().all(|c| c.is_ascii_digit());
    (!is_port && !authority.contains('@')).then(|| login(word))?
}

/// Finds the values of `name=value` and `"name": "value"` whose name is that of a secret, and what follows
/// `Bearer` and `Basic`.
fn fields(text: &str, found: &mut Vec<Range<usize>>) {
    for (at, mark) in text.match_indices(['=', ':']) {
        let before = text[..at].trim_end_matches([' ', '"', '\'']);
        let name = before.rfind(|c: char| !(c.is_ascii_alphanumeric() || "_- ".contains(c)));
        let name = &before[name.map_or(0, |at| at + 1 + continued(&before[at..]))..];
        // In a sentence, a name is one word. In a connection string, it may be two.
        let name = if mark == ":" {
            name.rsplit(' ').next().unwrap_or_default()
        } else {
            name
        };
        if !names::is_strong(name) || ["PWD", "OLDPWD"].contains(&name.trim()) {
            continue;
        }
        if let Some(span) = value(text, at + 1) {
            found.push(span);
        }
    }
    for scheme in ["earer ", "asic ", "EARER ", "ASIC "] {
        for (at, _) in text.match_indices(scheme) {
            let start = at + scheme.len();
            if let Some(span) = value(text, start).filter(|span| span.len() >= 12) {
                found.push(span);
            }
        }
    }
}

/// The number of bytes of the first character after its first byte.
fn continued(text: &str) -> usize {
    text.chars().next().map_or(0, |c| c.len_utf8() - 1)
}

/// The value that begins at `at`: in quotes, or up to the next separator.
fn value(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let start = at + rest.len() - rest.trim_start_matches(' ').len();
    let rest = &text[start..];
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (start, end) = match quote {
        Some(quote) => (start + 1, rest[1..].find(quote)),
        None => {
            let end = |c: char| c.is_whitespace() || ";&,\"'`".contains(c);
            (start, rest.find(end))
        }
    };
    let end = end.map_or(text.len(), |end| start + end);
    let value = &text[start..end];
    // `$NAME` refers to a secret but doesn't contain it.
    let is_name = value.starts_with('$');
    (!value.is_empty() && !is_name).then_some(start..end)
}

/// The fixed beginning of a service's tokens.
struct Format {
    begins: &'static str,
    /// The minimum number of characters that follow.
    least: usize,
    /// Allowed characters besides letters and digits.
    marks: &'static str,
    /// Whether words could look the same. If so, a token must have a digit and a letter.
    mixed: bool,
}

const fn format(begins: &'static str, least: usize, marks: &'static str) -> Format {
    Format {
        begins,
        least,
        marks,
        mixed: false,
    }
}

const fn mixed(begins: &'static str, least: usize, marks: &'static str) -> Format {
    Format {
        begins,
        least,
        marks,
        mixed: true,
    }
}

const FORMATS: &[Format] = &[
    format("ghp_", 20, ""),
    format("gho_", 20, ""),
    format("ghu_", 20, ""),
    format("ghs_", 20, ""),
    format("ghr_", 20, ""),
    format("github_pat_", 20, "_"),
    format("glpat-", 16, "_-."),
    mixed("sk-", 16, "_-"),
    format("sk_live_", 16, ""),
    format("sk_test_", 16, ""),
    format("rk_live_", 16, ""),
    format("xoxa-", 10, "-"),
    format("xoxb-", 10, "-"),
    format("xoxp-", 10, "-"),
    format("xoxr-", 10, "-"),
    format("xoxs-", 10, "-"),
    format("AKIA", 16, ""),
    format("ASIA", 16, ""),
    format("AIza", 30, "_-"),
    format("hf_", 20, ""),
    format("npm_", 30, ""),
    format("dckr_pat_", 20, "_-"),
    mixed("pypi-", 50, "_-"),
    format("AGE-SECRET-KEY-", 30, ""),
    format("hooks.slack.com/services/", 20, "/"),
];

fn tokens(text: &str, found: &mut Vec<Range<usize>>) {
    for format in FORMATS {
        for (at, begins) in text.match_indices(format.begins) {
            let is_end = |c: char| !(c.is_ascii_alphanumeric() || format.marks.contains(c));
            let rest = &text[at + begins.len()..];
            let rest = &rest[..rest.find(is_end).unwrap_or(rest.len())];
            let varied = rest.contains(|c: char| c.is_ascii_digit())
                && rest.contains(|c: char| c.is_ascii_alphabetic());
            let matches = rest.len() >= format.least && (varied || !format.mixed);
            if matches && is_beginning(text, at) {
                found.push(at..at + begins.len() + rest.len());
            }
        }
    }
    for (at, _) in text.match_indices("eyJ") {
        let is_end = |c: char| !(c.is_ascii_alphanumeric() || "_-.=".contains(c));
        let rest = &text[at..];
        let rest = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        let mut parts = rest.split('.');
        let whole = [4, 4, 0].map(|least| parts.next().is_some_and(|part| part.len() >= least));
        if whole == [true; 3] && is_beginning(text, at) {
            found.push(at..at + rest.len());
        }
    }
}

/// Whether a token may begin at this position.
fn is_beginning(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    before.is_none_or(|c| !c.is_ascii_alphanumeric())
}
