//! The network access of sessions on the engines of this machine: the `[network]` table of `resources.toml`.

use serde::{Deserialize, Serialize};

/// The prefix of the bridges of all workbay networks, so that one rule of the machine's firewall covers them
/// all.
pub const BRIDGES: &str = "wb-";

/// The prefix of bridges whose sessions can't reach programs on the machine.
pub const GUARDED_BRIDGES: &str = "wb-c";

/// The prefix of bridges whose sessions can reach programs on the machine.
pub const OPEN_BRIDGES: &str = "wb-o";

/// The network of a session, ordered from the least to the most isolated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isolation {
    /// The engine's default network, which is shared with all other containers.
    Bridge,
    /// A network of the user without traffic between its sessions.
    #[default]
    User,
    /// A separate network for the session.
    Session,
    /// No network. The containers of a cluster session can only reach each other.
    None,
}

impl Isolation {
    /// All values, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::User, Self::Session, Self::None, Self::Bridge];

    /// The value in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bridge => "bridge",
            Self::User => "user",
            Self::Session => "session",
            Self::None => "none",
        }
    }
}

/// The settings for networks; `None` = not set, so the default applies where it is possible. A setting that
/// can't be met makes workbay refuse the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetworkRules {
    pub isolation: Option<Isolation>,
    /// Whether sessions may reach programs that listen on this machine.
    pub host_access: Option<bool>,
}

impl NetworkRules {
    pub fn isolation(self) -> Isolation {
        self.isolation.unwrap_or_default()
    }

    pub fn allows_host(self) -> bool {
        self.host_access.unwrap_or(false)
    }

    /// Whether the settings contradict each other: the engine's default network, with this machine's programs
    /// out of reach.
    pub fn is_open_bridge(self) -> bool {
        self.isolation == Some(Isolation::Bridge) && self.host_access == Some(false)
    }

    /// Keeps the tighter of each two settings.
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

/// What a check of the engine's machine found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guarded {
    /// Why sessions can reach programs that listen on the machine; `None` = they can't.
    pub host: Option<String>,
    /// Why sessions can reach each other; `None` = they can't.
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
