//! The names of containers.

/// `workbay.<name>.<kernel>`; the kernel's part keeps names of two daemons apart. Engines accept only ASCII
/// letters: any other is written as `_u<number>_`.
pub(in crate::engine::docker) fn container_name(session_name: &str, kernel_short: &str) -> String {
    format!("workbay.{}.{kernel_short}", escaped(session_name))
}

/// Extracts the session's name from a container's name.
pub(in crate::engine::docker) fn session_name(container_name: &str) -> Option<String> {
    let inner = container_name
        .trim_start_matches('/')
        .strip_prefix("workbay.")?;
    inner.rsplit_once('.').map(|(name, _)| plain(name))
}

fn escaped(name: &str) -> String {
    let mut written = String::with_capacity(name.len());
    let mut left = name.chars().peekable();
    while let Some(c) = left.next() {
        // An underscore that would be read as the start of such a number is escaped too.
        let like_one = c == '_' && left.peek() == Some(&'u');
        if c.is_ascii() && !like_one {
            written.push(c);
        } else {
            written.push_str("_u");
            written.push_str(&format_number(c));
            written.push('_');
        }
    }
    written
}

fn format_number(c: char) -> String {
    format!("{:x}", u32::from(c))
}

fn plain(name: &str) -> String {
    let mut read = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find("_u") {
        let (before, from) = rest.split_at(at);
        read.push_str(before);
        if let Some((c, after)) = number(&from[2..]) {
            read.push(c);
            rest = after;
        } else {
            // Written by another program: kept as it is.
            read.push_str("_u");
            rest = &from[2..];
        }
    }
    read.push_str(rest);
    read
}

/// Parses `d559_`; returns the character and the rest.
fn number(text: &str) -> Option<(char, &str)> {
    let (digits, after) = text.split_once('_')?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    Some((char::from_u32(number)?, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_in_and_come_out() {
        let name = container_name("my.first-one", "0a1b2c3d");
        assert_eq!(name, "workbay.my.first-one.0a1b2c3d");
        assert_eq!(
            session_name(&format!("/{name}")),
            Some("my.first-one".to_owned())
        );
        assert_eq!(session_name("/somebody"), None);
    }

    #[test]
    fn names_in_other_scripts_become_what_an_engine_takes_and_come_back() {
        let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        for session in ["학습-작업", "naïve_u", "_u41_", "a_users_u", "데이터.2"] {
            let name = container_name(session, "0a1b2c3d");
            assert!(name.chars().all(fine), "{name}");
            assert_eq!(session_name(&name).as_deref(), Some(session), "{name}");
        }
        assert_eq!(session_name("workbay._ux_y.1").as_deref(), Some("_ux_y"));
    }
}
