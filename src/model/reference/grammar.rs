//! The grammar of image references: `[domain[:port]/]path[:tag][@digest]`, as registries and engines define
//! it. A manager uses an architecture in place of the digest.
//!
//! Invalid references aren't sent to an engine, because it would report them late and with a less helpful
//! message.

use super::super::text::{Clean, is_hidden};

const LONGEST_NAME: usize = 255;
const LONGEST_TAG: usize = 128;
const LONGEST_ARCHITECTURE: usize = 64;

/// Checks an image reference. The error is a sentence that says why it isn't valid.
pub fn check(text: &str) -> Result<(), String> {
    check_characters(text)?;
    let (rest, at) = match text.split_once('@') {
        Some((rest, at)) => (rest, Some(at)),
        None => (text, None),
    };
    // A colon before a slash begins the port of the registry.
    let (name, tag) = match rest.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')) {
        Some((name, tag)) => (name, Some(tag)),
        None => (rest, None),
    };
    check_name(name)?;
    tag.map_or(Ok(()), check_tag)?;
    at.map_or(Ok(()), check_suffix)
}

/// Checks a tag.
pub fn check_tag(tag: &str) -> Result<(), String> {
    if tag.len() > LONGEST_TAG {
        return Err(tr!(
            "the tag is longer than {most} characters",
            most = LONGEST_TAG
        ));
    }
    let begins = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let goes_on = |c: char| begins(c) || matches!(c, '.' | '-');
    if tag.starts_with(begins) && tag.chars().all(goes_on) {
        return Ok(());
    }
    Err(tr!(
        "the tag '{tag}' must consist of letters, digits, _ . and -, and not begin with . or -",
        tag = Clean::new(tag)
    ))
}

fn check_characters(text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Err(tr!("it is empty").to_owned());
    }
    if text.contains(is_hidden) {
        return Err(tr!("it contains a control character or an invisible character").to_owned());
    }
    if text.contains(char::is_whitespace) {
        return Err(tr!("it contains a space").to_owned());
    }
    match text.chars().find(|c| !c.is_ascii()) {
        Some(c) => Err(tr!("it contains '{c}', which isn't ASCII", c)),
        None => Ok(()),
    }
}

fn check_name(name: &str) -> Result<(), String> {
    if name.len() > LONGEST_NAME {
        return Err(tr!(
            "the name is longer than {most} characters",
            most = LONGEST_NAME
        ));
    }
    let names_domain = |part: &str| part.contains(['.', ':']) || part == super::HERE;
    let path = match name.split_once('/').filter(|it| names_domain(it.0)) {
        Some((domain, _)) if !is_domain(domain) => {
            return Err(tr!("'{domain}' isn't a valid registry address", domain));
        }
        Some((_, path)) => path,
        None => name,
    };
    match path.split('/').find(|part| !is_component(part)) {
        None => Ok(()),
        Some("") => Err(tr!("a part of the name is empty").to_owned()),
        Some(part) if part.contains(|c: char| c.is_ascii_uppercase()) => {
            Err(tr!("'{part}' must be in lowercase", part))
        }
        Some(part) => Err(tr!(
            "'{part}' must consist of lowercase letters and digits, with single . _ __ or - \
             between them",
            part
        )),
    }
}

/// `host`, `host:5000`, `[::1]:5000`.
fn is_domain(domain: &str) -> bool {
    let (host, port) = match domain.rsplit_once(':').filter(|it| !it.1.contains(']')) {
        Some((host, port)) => (host, Some(port)),
        None => (domain, None),
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok() && !port.starts_with('+');
    port.is_none_or(is_port) && (is_literal(host) || host.split('.').all(is_label))
}

/// An IPv6 address in brackets.
fn is_literal(host: &str) -> bool {
    let inside = host.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    inside.is_some_and(|it| it.parse::<std::net::Ipv6Addr>().is_ok())
}

fn is_label(label: &str) -> bool {
    let ends = |c: char| c.is_ascii_alphanumeric();
    let all = |c: char| ends(c) || c == '-';
    label.starts_with(ends) && label.ends_with(ends) && label.chars().all(all)
}

/// `[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*`
fn is_component(part: &str) -> bool {
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_separator =
        |it: &str| matches!(it, "" | "." | "_" | "__") || it.bytes().all(|byte| byte == b'-');
    part.starts_with(word) && part.ends_with(word) && part.split(word).all(is_separator)
}

/// Checks what follows `@`: a digest or an architecture.
fn check_suffix(at: &str) -> Result<(), String> {
    let fine = match at.split_once(':') {
        Some((algorithm, hex)) => is_algorithm(algorithm) && is_digest(algorithm, hex),
        None => is_architecture(at),
    };
    if fine {
        return Ok(());
    }
    Err(tr!(
        "'@{at}' must be a digest (@sha256: and 64 hexadecimal digits) or an architecture",
        at
    ))
}

fn is_algorithm(algorithm: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric())
    };
    algorithm.split(['-', '_', '+', '.']).all(part)
}

fn is_digest(algorithm: &str, hex: &str) -> bool {
    let long_enough = match algorithm {
        "sha256" => hex.len() == 64,
        "sha512" => hex.len() == 128,
        _ => (32..=256).contains(&hex.len()),
    };
    long_enough && hex.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_architecture(text: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !text.is_empty() && text.len() <= LONGEST_ARCHITECTURE && text.chars().all(fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_every_form_are_accepted() {
        let digest = format!("sha256:{}", "0af".repeat(22).split_at(64).0);
        for good in [
            "busybox",
            "python:3.12",
            "docker.io/library/python:3.12",
            "localhost/mine",
            "localhost:5000/a/b_c/d__e/f--g:_x.Y-1",
            "r.example:443/a",
            "Registry.Example/a",
            "[::1]:5000/a:1",
            "127.0.0.1:1/team/tool:1",
            "cr.backend.ai/stable/python:3.9-ubuntu20.04@x86_64",
            "cr.example/x/y:1@aarch64",
            "e3b0c44298fc",
            &digest,
            &format!("a@{digest}"),
            &format!("r.example/a:1@{digest}"),
            &format!("a@multihash+base58:{}", "0".repeat(46)),
            &format!("a:{}", "x".repeat(128)),
            &"x".repeat(255),
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn everything_else_is_refused_with_the_reason() {
        for (bad, why) in [
            ("", "empty"),
            ("x\u{1b}[2J", "control"),
            ("x\0", "control"),
            ("x\ny", "control"),
            ("x\u{202e}", "invisible"),
            ("a b", "space"),
            ("이미지", "ASCII"),
            ("Python:3.12", "lowercase"),
            ("r.example/Team/a", "lowercase"),
            ("a..b", "single"),
            ("a___b", "single"),
            ("-a", "single"),
            ("--privileged", "single"),
            ("a_", "single"),
            ("../../etc", "registry"),
            ("./a", "registry"),
            ("/a", "empty"),
            ("a/", "empty"),
            ("a//b", "empty"),
            ("r.example:port/a", "registry"),
            ("r.example:70000/a", "registry"),
            ("r..example/a", "registry"),
            ("-r.example/a", "registry"),
            ("[::g]/a", "'[::g]'"),
            ("https://r.example/a", "registry"),
            ("me:hush@r.example/a", "digest"),
            ("a:", "tag"),
            ("a:-1", "tag"),
            ("a:1:2", "a:1"),
            ("a:x$y", "tag"),
            ("a;b", "single"),
            ("a@", "digest"),
            ("a@sha256:ab", "digest"),
            (&format!("a@sha256:{}", "A".repeat(64)), "digest"),
            (&format!("a@sha256:{}", "g".repeat(64)), "digest"),
            (&format!("a@1:{}", "0".repeat(64)), "digest"),
            ("a@x86_64@x86_64", "digest"),
            (&format!("a:{}", "x".repeat(129)), "128"),
            (&"x".repeat(256), "255"),
        ] {
            let said = check(bad).unwrap_err();
            assert!(said.contains(why), "{bad:?}: {said}");
            assert!(!said.contains(is_hidden), "{bad:?}: {said:?}");
        }
    }
}
