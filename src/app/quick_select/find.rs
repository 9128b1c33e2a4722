//! Finds what is worth copying in a line of text.

use std::{
    net::{Ipv4Addr, Ipv6Addr},
    ops::Range,
};

/// What a part of the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchKind {
    Url,
    Path,
    Uuid,
    Address,
    Hash,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub range: Range<usize>,
    pub kind: MatchKind,
}

/// The schemes of URLs that are recognized.
const SCHEMES: &[&str] = &[
    "http", "https", "ftp", "ftps", "sftp", "ssh", "file", "git", "ws", "wss", "s3", "gs", "tcp",
];
/// The lengths of a shortened commit and of the longest digest.
const HASH: std::ops::RangeInclusive<usize> = 7..=64;
const UUID: usize = 36;

/// Returns URLs, paths, UUIDs, IP addresses and hashes in the order of the text. They don't overlap.
#[must_use]
pub fn find(text: &str) -> Vec<Found> {
    let mut found: Vec<Found> = urls(text).collect();
    let kinds: [(MatchKind, IsPart, IsMatch); 4] = [
        (MatchKind::Path, is_of_path, path),
        (MatchKind::Uuid, is_of_uuid, uuid),
        (MatchKind::Address, is_of_address, address),
        (MatchKind::Hash, |c| c.is_ascii_alphanumeric(), hash),
    ];
    for (kind, is_part, is_match) in kinds {
        for word in words(text, is_part) {
            let Some(inner) = is_match(&text[word.clone()]) else {
                continue;
            };
            let range = word.start + inner.start..word.start + inner.end;
            if !found.iter().any(|it| overlap(&it.range, &range)) {
                found.push(Found { range, kind });
            }
        }
    }
    found.sort_by_key(|it| it.range.start);
    found
}

type IsPart = fn(char) -> bool;
/// Returns the part of a word that matches.
type IsMatch = fn(&str) -> Option<Range<usize>>;

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// The longest parts that consist of these characters.
fn words(text: &str, is_part: IsPart) -> impl Iterator<Item = Range<usize>> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, _) = chars.find(|(_, c)| is_part(*c))?;
        while chars.next_if(|(_, c)| is_part(*c)).is_some() {}
        let end = chars.peek().map_or(text.len(), |(at, _)| *at);
        Some(start..end)
    })
}

fn urls(text: &str) -> impl Iterator<Item = Found> {
    text.match_indices("://").filter_map(|(at, separator)| {
        let before = &text[..at];
        let scheme_at = before
            .char_indices()
            .rev()
            .take_while(|(_, c)| c.is_ascii_alphanumeric())
            .last()?
            .0;
        let scheme = before[scheme_at..].to_ascii_lowercase();
        if !SCHEMES.contains(&scheme.as_str()) {
            return None;
        }
        let rest = &text[at + separator.len()..];
        // Other characters are encoded in URLs. In Korean text, a particle can follow a URL without a blank.
        let is_part = |c: char| c.is_ascii_graphic() && !"<>\"`{}|\\^'".contains(c);
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let address = without_punctuation(&rest[..end]);
        (!address.is_empty()).then(|| Found {
            range: scheme_at..at + separator.len() + address.len(),
            kind: MatchKind::Url,
        })
    })
}

/// Removes what ends a sentence, and a bracket that was opened before the URL.
fn without_punctuation(mut url: &str) -> &str {
    while let Some(last) = url.chars().next_back() {
        let count = |c: char| url.matches(c).count();
        let ends = match last {
            '.' | ',' | ';' | ':' | '!' | '?' => true,
            ')' => count(')') > count('('),
            ']' => count(']') > count('['),
            _ => false,
        };
        if !ends {
            break;
        }
        url = &url[..url.len() - last.len_utf8()];
    }
    url
}

fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || "._-+@%~/$".contains(c)
}

fn path(word: &str) -> Option<Range<usize>> {
    let word = word.trim_end_matches(['.', '$', '@', '%']);
    // Two slashes begin a comment, or follow an unknown scheme.
    let is_path = word.contains('/') && !word.starts_with("//");
    if !is_path || !word.chars().any(char::is_alphanumeric) {
        return None;
    }
    let is_anchored = ["/", "~", "./", "../", "$"]
        .iter()
        .any(|begin| word.starts_with(begin));
    if !is_anchored {
        let parts: Vec<&str> = word.split('/').filter(|part| !part.is_empty()).collect();
        // Neither a date, nor a rate such as `MB/s`.
        let has_letter = word.chars().any(char::is_alphabetic);
        let is_long = parts.iter().all(|part| part.chars().count() > 1);
        if !has_letter || parts.len() < 2 || (parts.len() == 2 && !is_long) {
            return None;
        }
    }
    Some(0..word.len())
}

fn is_of_uuid(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-'
}

fn uuid(word: &str) -> Option<Range<usize>> {
    let dashes = [8, 13, 18, 23];
    let is_uuid = word.len() == UUID
        && word.bytes().enumerate().all(|(at, byte)| {
            if dashes.contains(&at) {
                byte == b'-'
            } else {
                byte.is_ascii_hexdigit()
            }
        });
    is_uuid.then_some(0..word.len())
}

fn is_of_address(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '.' || c == ':'
}

fn address(word: &str) -> Option<Range<usize>> {
    let trimmed = word.trim_end_matches(['.', ':']);
    if trimmed.parse::<Ipv6Addr>().is_ok() && trimmed.len() > 2 {
        return Some(0..trimmed.len());
    }
    // A port can follow.
    let host = trimmed.split(':').next().unwrap_or_default();
    host.parse::<Ipv4Addr>().ok()?;
    Some(0..host.len())
}

fn hash(word: &str) -> Option<Range<usize>> {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let has_both = word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic());
    (HASH.contains(&word.len()) && has_both && word.bytes().all(is_hex)).then_some(0..word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(&str, MatchKind)> {
        let found = find(text).into_iter();
        found.map(|it| (&text[it.range], it.kind)).collect()
    }

    #[test]
    fn urls_end_where_the_sentence_continues() {
        use MatchKind::Url;
        for (text, url) in [
            (
                "see https://a.example/b?c=1&d=%20#e.",
                "https://a.example/b?c=1&d=%20#e",
            ),
            ("(http://a.example/x_(y))", "http://a.example/x_(y)"),
            ("주소는 https://a.example/경로", "https://a.example/"),
            ("'ssh://git@a.example/r.git',", "ssh://git@a.example/r.git"),
            ("http://[::1]:8888/?token=ab", "http://[::1]:8888/?token=ab"),
            ("[a](https://a.example)", "https://a.example"),
        ] {
            assert_eq!(of(text), [(url, Url)], "{text}");
        }
        assert_eq!(of("https:// alert:// javascript://x"), []);
    }

    #[test]
    fn paths_keep_their_name_only() {
        use MatchKind::Path;
        for (text, path) in [
            ("  --> src/app/mod.rs:12:5", "src/app/mod.rs"),
            ("work@host:~/data$ ls", "~/data"),
            ("PATH=/usr/bin", "/usr/bin"),
            ("cat 데이터/학습.py", "데이터/학습.py"),
            ("a/.hidden/b", "a/.hidden/b"),
            ("../x.", "../x"),
            ("\"/tmp/a b\"", "/tmp/a"),
        ] {
            assert_eq!(of(text), [(path, Path)], "{text}");
        }
        assert_eq!(of("3.5 MB/s on 12/05/2026, 1/2, / and I/O"), []);
    }

    #[test]
    fn hashes_addresses_and_uuids_are_whole_words() {
        use MatchKind::{Address, Hash, Uuid};
        assert_eq!(of("commit 2b1c0de fixes it"), [("2b1c0de", Hash)]);
        assert_eq!(of("defaced 1234567 0x7ffe12ab ABCDEF12"), []);
        assert_eq!(
            of("10.0.0.1:8080 fe80::1 12:34:56 1.2.3.456"),
            [("10.0.0.1", Address), ("fe80::1", Address)]
        );
        let id = "019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b";
        assert_eq!(of(&format!("id={id},")), [(id, Uuid)]);
        let file = format!("/runs/{id}/log");
        assert_eq!(of(&file), [(file.as_str(), MatchKind::Path)]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_gives_parts_in_order_that_do_not_overlap(text in "\\PC{0,80}|[a-f0-9:/.~ -]{0,80}") {
            let found = find(&text);
            for pair in found.windows(2) {
                proptest::prop_assert!(pair[0].range.end <= pair[1].range.start);
            }
            for one in found {
                let part = text.get(one.range);
                proptest::prop_assert!(part.is_some_and(|it| !it.is_empty() && !it.contains(' ')));
            }
        }
    }
}
