//! The pages of the launcher.

/// The steps of the launcher, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Page {
    #[default]
    Kind,
    Allocation,
    Storage,
    Network,
    Review,
}

impl Page {
    pub const ALL: [Self; 5] = [
        Self::Kind,
        Self::Allocation,
        Self::Storage,
        Self::Network,
        Self::Review,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Self::Kind => tr!("Session type"),
            Self::Allocation => tr!("Environments & resource allocation"),
            Self::Storage => tr!("Data & storage"),
            Self::Network => tr!("Network"),
            Self::Review => tr!("Confirm & launch"),
        }
    }

    /// The title where there is little room.
    pub fn short_title(self) -> &'static str {
        match self {
            Self::Kind => tr!("Type"),
            Self::Allocation => tr!("Environment"),
            Self::Storage => tr!("Data"),
            Self::Network => tr!("Network"),
            Self::Review => tr!("Launch"),
        }
    }

    /// Its index, from 0.
    pub fn position(self) -> usize {
        self as usize
    }

    #[must_use]
    pub fn next(self) -> Self {
        let at = (self.position() + 1).min(Self::ALL.len() - 1);
        Self::ALL[at]
    }

    #[must_use]
    pub fn previous(self) -> Self {
        Self::ALL[self.position().saturating_sub(1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_one_another() {
        let mut page = Page::Kind;
        for expected in Page::ALL {
            assert_eq!(page, expected);
            assert_eq!(Page::ALL[page.position()], page);
            page = page.next();
        }
        assert_eq!(page.next(), Page::Review);
        assert_eq!(Page::Kind.previous(), Page::Kind);
    }
}
