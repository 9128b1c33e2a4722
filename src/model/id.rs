//! Newtypes for ids and names, so that the id of a container is never used as that of a session.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::fnv;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A new random id.
            #[must_use]
            pub fn random() -> Self {
                Self(Uuid::new_v4())
            }

            /// The id with these 128 bits, for tests and for derived ids.
            #[must_use]
            pub const fn from_u128(bits: u128) -> Self {
                Self(Uuid::from_u128(bits))
            }

            /// Whether its text begins with `beginning`, in lowercase.
            #[must_use]
            pub fn starts_with(self, beginning: &str) -> bool {
                let mut text = Uuid::encode_buffer();
                self.0.hyphenated().encode_lower(&mut text).starts_with(beginning)
            }

            /// The first eight hexadecimal digits, which users read and type.
            pub fn short(&self) -> String {
                let mut text = self.0.simple().to_string();
                text.truncate(8);
                text
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

uuid_id!(
    /// A session.
    SessionId
);
uuid_id!(
    /// One container of a session.
    KernelId
);
uuid_id!(
    /// The state database that created a container; label `workbay.instance`. It keeps two daemons on one
    /// engine from changing each other's containers.
    InstanceId
);

impl InstanceId {
    /// The instance that owns the containers of this context. For the engine of this machine, it is the state
    /// database's own. Every other context has a derived one, so that two contexts can use one engine.
    #[must_use]
    pub fn of_context(self, context: ContextName) -> Self {
        if context == ContextName::local() {
            return self;
        }
        let hash = fnv::wide(context.as_str().as_bytes());
        Self(Uuid::from_u128(self.0.as_u128() ^ hash))
    }
}

/// The longest name of a context, in bytes.
const CONTEXT_NAME_MAX: usize = 24;

/// The name of an engine in the configuration (`local` for that of this machine): lowercase letters, digits,
/// `.`, `_` and `-`, beginning with a letter or digit, max 24 characters. The bytes are stored inline, so
/// that keys with a context are as cheap to copy as an id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ContextName {
    /// Padded with zeros, so that the derived order is that of the texts.
    bytes: [u8; CONTEXT_NAME_MAX],
}

impl ContextName {
    /// Checks the name in `text`. The error is a sentence with the rule.
    pub fn new(text: &str) -> Result<Self, String> {
        let head = text
            .bytes()
            .next()
            .is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let tail = text.bytes().all(|b| {
            b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-')
        });
        if !head || !tail || text.len() > CONTEXT_NAME_MAX {
            return Err(tr!(
                "invalid context name '{typed}'. Use lowercase letters, digits, '.', '_' and '-', with \
                 a letter or digit first (max: {most} characters)",
                typed = super::text::Clean::new(text),
                most = CONTEXT_NAME_MAX
            ));
        }
        let mut bytes = [0; CONTEXT_NAME_MAX];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Ok(Self { bytes })
    }

    /// The context of this machine's engine.
    #[must_use]
    pub const fn local() -> Self {
        let mut bytes = [0; CONTEXT_NAME_MAX];
        let name = *b"local";
        let mut at = 0;
        while at < name.len() {
            bytes[at] = name[at];
            at += 1;
        }
        Self { bytes }
    }

    pub fn as_str(&self) -> &str {
        let end = self.bytes.iter().position(|b| *b == 0);
        let text = &self.bytes[..end.unwrap_or(CONTEXT_NAME_MAX)];
        // Only `new` and `local` create a name, so it is ASCII.
        std::str::from_utf8(text).unwrap_or_default()
    }
}

impl From<ContextName> for String {
    fn from(name: ContextName) -> Self {
        name.as_str().to_owned()
    }
}

impl TryFrom<String> for ContextName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::new(&text)
    }
}

impl FromStr for ContextName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::new(text)
    }
}

impl fmt::Display for ContextName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for ContextName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContextName({self})")
    }
}

/// Identifies a session among all contexts. Two contexts may use one cluster (as a user and as its
/// administrator), so an id alone isn't unique. Within one context, [`SessionId`] is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionKey {
    pub context: ContextName,
    pub id: SessionId,
}

impl SessionKey {
    #[must_use]
    pub const fn new(context: ContextName, id: SessionId) -> Self {
        Self { context, id }
    }

    /// A session of this machine's engine.
    #[must_use]
    pub const fn local(id: SessionId) -> Self {
        Self::new(ContextName::local(), id)
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.context, self.id)
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionKey({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_context_has_an_instance_of_its_own() {
        let store = InstanceId::from_u128(7);
        let of = |name| store.of_context(ContextName::new(name).unwrap());
        assert_eq!(of("local"), store);
        assert_ne!(of("a"), store);
        assert_ne!(of("a"), of("b"));
        assert_eq!(of("a"), of("a"));
    }

    #[test]
    fn a_context_name_keeps_its_rule_and_its_order() {
        for good in ["local", "a", "prod-2.kr", "24-letters-are-the-limit"] {
            assert_eq!(ContextName::new(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "Prod",
            "-a",
            "a b",
            "a/b",
            "25-letters-are-over-it---",
            "서울",
        ] {
            assert!(ContextName::new(bad).is_err(), "{bad} was taken");
        }
        assert_eq!(ContextName::new("local").unwrap(), ContextName::local());
        let mut names = ["b", "a-b", "a"].map(|n| ContextName::new(n).unwrap());
        names.sort_unstable();
        assert_eq!(names.map(|n| n.to_string()), ["a", "a-b", "b"]);
    }
}
