//! Names of things: newtypes over UUIDs, so that a kernel's id is never taken for a session's.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

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

            /// The id with these 128 bits; for tests and for ids derived from something else.
            #[must_use]
            pub const fn from_u128(bits: u128) -> Self {
                Self(Uuid::from_u128(bits))
            }

            /// The first eight hexadecimal digits: what a person reads and types.
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
    /// A compute session.
    SessionId
);
uuid_id!(
    /// One container of a session.
    KernelId
);
uuid_id!(
    /// The store that made a container; label `workbay.instance`. Two daemons on one engine never
    /// touch each other's containers because of it.
    InstanceId
);

/// The name of an engine in the configuration (`local` when there is only one).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContextName(pub String);

impl ContextName {
    #[must_use]
    pub fn local() -> Self {
        Self("local".to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContextName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for ContextName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContextName({})", self.0)
    }
}
