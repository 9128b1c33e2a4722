//! What a manager announces about itself. Pure.

use std::fmt;

use serde::Deserialize;

use crate::engine::backendai::request::http::API_VERSION;
use crate::model::text::Clean;

/// The answer of `GET /`.
#[derive(Debug, Deserialize)]
pub(in crate::engine::backendai) struct Announcement {
    /// The newest API version of the manager, for example `v9.20250722`.
    version: String,
    /// The manager's own version, for example `26.9.6`.
    manager: String,
}

/// A manager's version. A suffix after the numbers (`rc1`, `.dev0`) is ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::engine::backendai) struct Version(
    pub(in crate::engine::backendai) u16,
    pub(in crate::engine::backendai) u16,
    pub(in crate::engine::backendai) u16,
);

impl Announcement {
    /// The API version to send: the server's, but not newer than the one we know.
    pub(in crate::engine::backendai) fn api_version(&self) -> String {
        if key(&self.version) < key(API_VERSION) {
            Clean::new(&self.version).into_string()
        } else {
            API_VERSION.to_owned()
        }
    }

    pub(in crate::engine::backendai) fn version(&self) -> Version {
        Version::read(&self.manager)
    }

    /// The manager's version for display.
    pub(in crate::engine::backendai) fn shown(&self) -> Clean {
        Clean::new(&self.manager)
    }
}

/// `v9.20250722` as numbers. An unreadable version counts as the oldest.
fn key(version: &str) -> (u32, u32) {
    let numbers = version.trim_start_matches('v').split_once('.');
    numbers.map_or((0, 0), |(major, date)| {
        (major.parse().unwrap_or(0), date.parse().unwrap_or(0))
    })
}

impl Version {
    /// The leading `N.N.N`; missing parts are 0.
    pub(in crate::engine::backendai) fn read(text: &str) -> Self {
        let mut parts = text.trim().trim_start_matches('v').split('.').map(|part| {
            let end = part
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(part.len());
            part[..end].parse().unwrap_or(0)
        });
        let mut next = || parts.next().unwrap_or(0);
        Self(next(), next(), next())
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_leniently() {
        for (text, version) in [
            ("26.9.6", Version(26, 9, 6)),
            ("24.09.12", Version(24, 9, 12)),
            ("25.15.0rc1", Version(25, 15, 0)),
            ("26.4.0.dev0", Version(26, 4, 0)),
            ("26.4", Version(26, 4, 0)),
            ("main", Version(0, 0, 0)),
        ] {
            assert_eq!(Version::read(text), version, "{text}");
        }
    }

    #[test]
    fn the_older_of_both_api_versions_is_spoken() {
        let of = |version: &str| {
            Announcement {
                version: version.to_owned(),
                manager: String::new(),
            }
            .api_version()
        };
        assert_eq!(of("v8.20240915"), "v8.20240915");
        assert_eq!(of("v9.20250722"), "v9.20250722");
        assert_eq!(of("v10.20280101"), "v9.20250722");
    }
}
