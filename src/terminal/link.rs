//! Links that a child printed (OSC 8).
//!
//! A link has a number, with which the outer terminal recognizes the pieces of one link. An emulator counts its
//! links. Emulators that are shown together count for different places.

use std::sync::{Arc, LazyLock};

use crate::model::link_schemes::LinkSchemes;

/// Longest accepted address, as in terminals and browsers.
const LONGEST: usize = 2083;
/// Longest name with which a child marks two pieces as one link.
const LONGEST_NAME: usize = 256;

/// The name of this machine.
static HOST: LazyLock<String> = LazyLock::new(|| {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
});

/// Numbers the links of a place.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    place: u32,
    last: u32,
}

/// The address of some cells.
#[derive(Debug)]
pub struct Link {
    number: u64,
    address: String,
    /// The name that the child gave the link (`id=`).
    name: String,
}

impl Link {
    /// Parses the parameters of OSC 8 after the `8`. `None` if they contain no acceptable link.
    pub fn parse(
        parameters: &[u8],
        address: &[u8],
        schemes: &LinkSchemes,
        numbers: &mut Numbers,
    ) -> Option<Arc<Self>> {
        if !is_allowed(address, schemes) {
            return None;
        }
        let address = String::from_utf8(address.to_vec()).ok()?;
        let name = parameters
            .split(|byte| *byte == b':')
            .find_map(|parameter| parameter.strip_prefix(b"id="))
            .filter(|name| name.len() <= LONGEST_NAME)
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .unwrap_or_default();
        Some(Arc::new(Self {
            number: numbers.next(),
            address,
            name,
        }))
    }

    pub fn number(&self) -> u64 {
        self.number
    }

    /// Contains only visible ASCII characters.
    pub fn address(&self) -> &str {
        &self.address
    }
}

/// Whether this address may be sent to the user's terminal.
pub fn is_allowed(address: &[u8], schemes: &LinkSchemes) -> bool {
    address.len() <= LONGEST
        && address.iter().all(u8::is_ascii_graphic)
        && std::str::from_utf8(address).is_ok_and(|address| may_lead_to(address, schemes, &HOST))
}

/// Whether the user's terminal may open this address. It would fetch a file from another host, and the
/// program in the session chooses the host.
fn may_lead_to(address: &str, schemes: &LinkSchemes, host: &str) -> bool {
    let Some((scheme, rest)) = address.split_once(':') else {
        return false;
    };
    let is_file = scheme.eq_ignore_ascii_case("file");
    schemes.allow(scheme) && (!is_file || is_local_file(rest, host))
}

/// Checks what follows `file:`. Some systems read `\\` as `/`, and a path that begins with two slashes as a
/// host.
fn is_local_file(rest: &str, host: &str) -> bool {
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let (of, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let here = ["", "localhost", host];
            if !here.iter().any(|name| of.eq_ignore_ascii_case(name)) {
                return false;
            }
            path
        }
        None => rest,
    };
    let lower = path.to_ascii_lowercase();
    path.starts_with('/')
        && !path.starts_with("//")
        && !["\\", "%5c", "/%2f"].iter().any(|it| lower.contains(it))
}

impl Numbers {
    /// Numbers that differ from those of other places.
    pub fn of_place(place: u32) -> Self {
        Self { place, last: 0 }
    }

    fn next(&mut self) -> u64 {
        self.last = self.last.wrapping_add(1);
        u64::from(self.place) << 32 | u64::from(self.last)
    }
}

/// Two links are equal if their address and name are equal. Their numbers may differ.
impl PartialEq for Link {
    fn eq(&self, other: &Self) -> bool {
        (&self.address, &self.name) == (&other.address, &other.name)
    }
}

impl Eq for Link {}

impl std::hash::Hash for Link {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (&self.address, &self.name).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn usual() -> LinkSchemes {
        LinkSchemes::default()
    }

    #[test]
    fn the_settings_say_which_schemes_are_taken() {
        let schemes = ["ssh", "https"].iter().map(|it| it.parse().unwrap());
        let schemes: LinkSchemes = schemes.collect();
        let takes = |address: &str| is_allowed(address.as_bytes(), &schemes);
        assert!(takes("SSH://host") && takes("https://a.example"));
        assert!(!takes("http://a.example") && !takes("file:///a") && !takes("sshx://host"));
    }

    #[test]
    fn only_harmless_addresses_are_taken() {
        for good in [
            "http://a.example/x?y=1;z#한".replace('한', "%ED%95%9C"),
            "HTTPS://b.example".to_owned(),
            "mailto:a@b.example".to_owned(),
            "file:///home/work/a".to_owned(),
            "ftp://a.example".to_owned(),
            format!("https://{}", "x".repeat(LONGEST - 8)),
        ] {
            let link =
                Link::parse(b"", good.as_bytes(), &usual(), &mut Numbers::default()).unwrap();
            assert_eq!(link.address(), good);
        }
        for bad in [
            "javascript:alert(1)".to_owned(),
            "ssh://host".to_owned(),
            "file://elsewhere.example/a".to_owned(),
            "vscode://x".to_owned(),
            "no-scheme".to_owned(),
            "http://a\x1b[2J".to_owned(),
            "http://a b".to_owned(),
            "http://한".to_owned(),
            format!("https://{}", "x".repeat(LONGEST - 7)),
        ] {
            let link = Link::parse(b"", bad.as_bytes(), &usual(), &mut Numbers::default());
            assert!(link.is_none(), "{bad}");
        }
    }

    #[test]
    fn files_are_those_of_this_machine() {
        for good in [
            "file:///a",
            "file:/a",
            "file://localhost/a",
            "FILE://Here/a%20b",
        ] {
            assert!(may_lead_to(good, &usual(), "here"), "{good}");
        }
        for bad in [
            "file://there/a",
            "file://user@here/a",
            "file://here:80/a",
            "file://here.example/a",
            "file:////there/a",
            "file://here//there/a",
            "file:///\\there/a",
            "file:\\\\there\\a",
            "file:///%5C%5Cthere/a",
            "file:///%2Fthere/a",
            "file://here",
            "file:a",
            "file:",
        ] {
            assert!(!may_lead_to(bad, &usual(), "here"), "{bad}");
        }
    }

    #[test]
    fn each_link_has_a_number_of_its_own() {
        let mut numbers = Numbers::of_place(1023);
        let mut next = || {
            let link = Link::parse(b"", b"https://one.example", &usual(), &mut numbers);
            link.unwrap().number()
        };
        let seen: HashSet<u64> = (0..100_000).map(|_| next()).collect();
        assert_eq!(seen.len(), 100_000);
    }

    #[test]
    fn two_places_have_no_number_in_common() {
        let in_place = |place| {
            let mut numbers = Numbers::of_place(place);
            Link::parse(b"", b"https://one.example", &usual(), &mut numbers)
                .unwrap()
                .number()
        };
        assert_ne!(in_place(1), in_place(2));
        assert_ne!(in_place(1), in_place(1025));
    }

    #[test]
    fn the_same_words_are_the_same_link() {
        let mut numbers = Numbers::default();
        let mut link = |parameters: &[u8]| {
            Link::parse(parameters, b"https://one.example", &usual(), &mut numbers).unwrap()
        };
        assert_eq!(link(b""), link(b""));
        assert_eq!(link(b"id=1:x=2"), link(b"id=1"));
        assert_ne!(link(b"id=1"), link(b"id=2"));
    }
}
