//! Links that a child printed (OSC 8).
//!
//! A link has a number of this process, so that a cell on its way to the outer terminal can carry it
//! where there is room for a number only. It is known by that number as long as anybody holds it.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError, Weak},
};

/// What the numbers fit into: the three bytes of a colour.
const NUMBERS: u32 = 1 << 24;
/// Longest address taken, as terminals and browsers have it.
const LONGEST: usize = 2083;
/// Longest name by which a child says that two pieces are one link.
const LONGEST_NAME: usize = 256;

/// Where a link may lead, beside files of this machine.
const SCHEMES: &[&str] = &["http", "https", "mailto", "ftp", "ftps"];

/// The name of this machine.
static HOST: LazyLock<String> = LazyLock::new(|| {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
});

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Known {
    links: HashMap<u32, Weak<Link>>,
    last: u32,
}

/// The address of some cells.
#[derive(Debug)]
pub struct Link {
    number: u32,
    address: String,
    /// The child's own name of it (`id=`).
    name: String,
}

impl Link {
    /// The link in the parameters of OSC 8, behind the `8`; `None` where there is none to be taken.
    pub fn parse(parameters: &[u8], address: &[u8]) -> Option<Arc<Self>> {
        if !is_allowed(address) {
            return None;
        }
        let address = String::from_utf8(address.to_vec()).ok()?;
        let name = parameters
            .split(|byte| *byte == b':')
            .find_map(|parameter| parameter.strip_prefix(b"id="))
            .filter(|name| name.len() <= LONGEST_NAME)
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .unwrap_or_default();
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let number = known.free_number()?;
        let link = Arc::new(Self {
            number,
            address,
            name,
        });
        known.links.insert(number, Arc::downgrade(&link));
        Some(link)
    }

    /// The link of this number, while somebody shows it.
    pub fn find(number: u32) -> Option<Arc<Self>> {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.links.get(&number)?.upgrade()
    }

    /// Below 2^24, never 0.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Visible ASCII characters only.
    pub fn address(&self) -> &str {
        &self.address
    }
}

/// Whether the user's terminal may get this address.
pub fn is_allowed(address: &[u8]) -> bool {
    address.len() <= LONGEST
        && address.iter().all(u8::is_ascii_graphic)
        && std::str::from_utf8(address).is_ok_and(|address| may_lead_to(address, &HOST))
}

/// Whether the user's terminal may open this address. A file of another host would be fetched from there,
/// and a program of a session chooses the host.
fn may_lead_to(address: &str, host: &str) -> bool {
    let Some((scheme, rest)) = address.split_once(':') else {
        return false;
    };
    let scheme = scheme.to_ascii_lowercase();
    if scheme == "file" {
        return is_local_file(rest, host);
    }
    SCHEMES.contains(&scheme.as_str())
}

/// What follows `file:`. Some systems take `\\` for `/`, and a path that begins with two of them for a host.
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

impl Known {
    fn free_number(&mut self) -> Option<u32> {
        if self.links.len() >= NUMBERS as usize / 2 {
            return None;
        }
        loop {
            self.last = (self.last + 1) % NUMBERS;
            if self.last != 0 && !self.links.contains_key(&self.last) {
                return Some(self.last);
            }
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.links.remove(&self.number);
    }
}

/// Two links are the same where a child says the same of them; their numbers may differ.
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
    use super::*;

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
            let link = Link::parse(b"", good.as_bytes()).unwrap();
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
            assert!(Link::parse(b"", bad.as_bytes()).is_none(), "{bad}");
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
            assert!(may_lead_to(good, "here"), "{good}");
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
            assert!(!may_lead_to(bad, "here"), "{bad}");
        }
    }

    #[test]
    fn a_link_is_known_as_long_as_somebody_holds_it() {
        let link = Link::parse(b"id=a", b"https://one.example").unwrap();
        let number = link.number();
        assert_eq!(Link::find(number).unwrap().address(), "https://one.example");
        drop(link);
        assert!(Link::find(number).is_none());
    }

    #[test]
    fn the_same_words_are_the_same_link() {
        let link = |parameters: &[u8]| Link::parse(parameters, b"https://one.example").unwrap();
        assert_eq!(link(b""), link(b""));
        assert_eq!(link(b"id=1:x=2"), link(b"id=1"));
        assert_ne!(link(b"id=1"), link(b"id=2"));
    }
}
