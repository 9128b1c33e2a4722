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

/// Where a link may lead: what a person's terminal opens without asking a program of the session.
const SCHEMES: &[&str] = &["http", "https", "mailto", "file"];

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
        if address.len() > LONGEST || !address.iter().all(u8::is_ascii_graphic) {
            return None;
        }
        let address = String::from_utf8(address.to_vec()).ok()?;
        let scheme = address.split_once(':')?.0.to_ascii_lowercase();
        if !SCHEMES.contains(&scheme.as_str()) {
            return None;
        }
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
            format!("https://{}", "x".repeat(LONGEST - 8)),
        ] {
            let link = Link::parse(b"", good.as_bytes()).unwrap();
            assert_eq!(link.address(), good);
        }
        for bad in [
            "javascript:alert(1)".to_owned(),
            "ssh://host".to_owned(),
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
