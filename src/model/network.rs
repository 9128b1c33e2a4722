//! What sessions on this machine's own engines reach: the `[network]` table of `resources.toml`.

use serde::{Deserialize, Serialize};

/// What the bridges of all our networks begin with: one rule of the machine's firewall serves them all.
pub const BRIDGES: &str = "wb-";

/// Those whose sessions are kept from programs of the machine.
pub const GUARDED_BRIDGES: &str = "wb-c";

/// Those whose sessions may reach them.
pub const OPEN_BRIDGES: &str = "wb-o";

/// Which network a session is on, the loosest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isolation {
    /// The engine's default network, with every other container on it.
    Bridge,
    /// A network of the user without traffic between its sessions.
    #[default]
    User,
    /// A network of its own.
    Session,
    /// No network. The containers of a cluster session reach each other and nothing else.
    None,
}

impl Isolation {
    /// All of them, as they are documented.
    pub const ALL: [Self; 4] = [Self::User, Self::Session, Self::None, Self::Bridge];

    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bridge => "bridge",
            Self::User => "user",
            Self::Session => "session",
            Self::None => "none",
        }
    }
}

/// What is set about networks; `None` = not set, so the default is wanted where it is possible. What is set
/// is kept, or the session is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetworkRules {
    pub isolation: Option<Isolation>,
    /// Sessions may reach programs that listen on this machine.
    pub host_access: Option<bool>,
}

impl NetworkRules {
    pub fn isolation(self) -> Isolation {
        self.isolation.unwrap_or_default()
    }

    pub fn allows_host(self) -> bool {
        self.host_access.unwrap_or(false)
    }

    /// The engine's default network is wanted and this machine's programs are to be out of reach, which
    /// cannot both be.
    pub fn is_open_bridge(self) -> bool {
        self.isolation == Some(Isolation::Bridge) && self.host_access == Some(false)
    }

    /// Of two files the tighter setting counts.
    pub fn tighten(&mut self, other: Self) {
        self.isolation = match (self.isolation, other.isolation) {
            (Some(one), Some(two)) => Some(one.max(two)),
            (one, two) => one.or(two),
        };
        self.host_access = match (self.host_access, other.host_access) {
            (Some(one), Some(two)) => Some(one && two),
            (one, two) => one.or(two),
        };
    }
}

/// What a look at the engine's machine found, each with the reason where it is not so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guarded {
    /// Why sessions reach programs that listen on the machine; `None` = they do not.
    pub host: Option<String>,
    /// Why sessions reach each other; `None` = they do not.
    pub sessions: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tighter_setting_counts_and_what_is_not_set_says_nothing() {
        let rules = |isolation, host_access| NetworkRules {
            isolation,
            host_access,
        };
        let both = |mut one: NetworkRules, two| {
            one.tighten(two);
            one
        };
        let (open, closed) = (
            rules(Some(Isolation::Bridge), Some(true)),
            rules(Some(Isolation::Session), Some(false)),
        );
        assert_eq!(both(open, closed), closed);
        assert_eq!(both(closed, open), closed);
        let unset = NetworkRules::default();
        assert_eq!((both(open, unset), both(unset, open)), (open, open));
        assert_eq!(unset.isolation(), Isolation::User);
        assert!(!unset.allows_host());
    }
}
