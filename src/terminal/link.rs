//! Links that a child printed (OSC 8).
//!
//! A link has a number, because a cell has room only for a number on its way to the outer terminal. An
//! emulator numbers its links and finds them by number. Emulators that are shown together use numbers of
//! different places.

use std::sync::{Arc, LazyLock, Weak};

use crate::model::link_schemes::LinkSchemes;

/// The size of the numbers: the three bytes of a color. The upper bits are the place.
const BITS: u32 = 24;
/// The lower bits count the links of a place: four times as many as an emulator keeps at a time.
const BITS_OF_LINKS: u32 = 14;
/// Longest accepted address, as in terminals and browsers.
const LONGEST: usize = 2083;
/// Longest name with which a child marks two pieces as one link.
const LONGEST_NAME: usize = 256;

/// The name of this machine.
static HOST: LazyLock<String> = LazyLock::new(|| {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
});

/// Numbers the links. No two links in use have the same number. The number of a dropped link is not reused
/// soon, because a cell with that number may still be on the screen.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    place: u32,
    last: usize,
    /// The links by the lower part of their numbers minus one.
    links: Vec<Weak<Link>>,
}

/// The address of some cells.
#[derive(Debug)]
pub struct Link {
    number: u32,
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
        numbers.give(|number| Self {
            number,
            address,
            name,
        })
    }

    /// Never 0 and below 2^24.
    pub fn number(&self) -> u32 {
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
    /// Numbers that differ from those of other places, unless the places differ by a multiple of 1,024.
    pub fn of_place(place: u32) -> Self {
        Self {
            place: place % (1 << (BITS - BITS_OF_LINKS)),
            ..Self::default()
        }
    }

    /// `None` while all numbers belong to links in use.
    fn give(&mut self, link: impl FnOnce(u32) -> Link) -> Option<Arc<Link>> {
        let most = (1 << BITS_OF_LINKS) - 1;
        let mut next = (0..most).map(|step| (self.last + step) % most);
        let is_free = |at: &usize| self.links.get(*at).is_none_or(|it| it.strong_count() == 0);
        let at = next.find(is_free)?;
        let low = u32::try_from(at).ok()? + 1;
        let link = Arc::new(link((self.place << BITS_OF_LINKS) | low));
        let weak = Arc::downgrade(&link);
        match self.links.get_mut(at) {
            Some(known) => *known = weak,
            None => self.links.push(weak),
        }
        self.last = at + 1;
        Some(link)
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
    fn a_number_is_one_links_alone_as_long_as_somebody_holds_it() {
        let mut numbers = Numbers::of_place(1023);
        let mut next = || Link::parse(b"", b"https://one.example", &usual(), &mut numbers);
        let held = next().unwrap();
        let let_go = next().unwrap().number();
        assert!(held.number() > 0 && let_go != held.number());
        assert_ne!(
            next().unwrap().number(),
            let_go,
            "it is not used again soon"
        );
        let all: Vec<_> = std::iter::from_fn(next).collect();
        let seen: HashSet<u32> = all.iter().map(|link| link.number()).collect();
        assert_eq!(seen.len(), (1 << BITS_OF_LINKS) - 2);
        assert!(!seen.contains(&held.number()));
        assert!(seen.iter().all(|number| *number < 1 << BITS));
        drop(all);
        assert!(
            seen.contains(
                &Link::parse(b"", b"ftp://a", &usual(), &mut numbers)
                    .unwrap()
                    .number()
            )
        );
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
        assert_eq!(in_place(1), in_place(1025));
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
