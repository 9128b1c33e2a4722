//! `[network]`: what sessions can reach.

use super::super::{
    document::{DocumentFault, Item},
    table_rows::{KeyRow, row, set},
    writing::{plain, quoted},
};
use crate::model::network::{Isolation, NetworkRules};

const ISOLATION: &str = "isolation";
pub(super) const ISOLATION_KEY: &str = "network.isolation";

/// `[network]`.
pub(super) const NETWORK: &[KeyRow<NetworkRules>] = &[
    row!(
        ISOLATION,
        |n, i| set(&mut n.isolation, isolation(i).map(Some)),
        |n| n.isolation.map(|isolation| quoted(isolation.word()))
    ),
    row!("host-access", host_access: Item::boolean, plain),
];

fn isolation(item: &Item) -> Result<Isolation, DocumentFault> {
    let written = item.text()?;
    let known = || Isolation::ALL.into_iter();
    let found = known().find(|isolation| isolation.word() == written);
    found.ok_or_else(|| {
        DocumentFault::unknown(item.at, ISOLATION, written, known().map(Isolation::word))
    })
}

/// Checks for settings that exclude each other within one file.
pub(super) fn check(rules: NetworkRules, places: &[(String, usize)]) -> Option<DocumentFault> {
    let at = isolation_at(places)?;
    rules.is_open_bridge().then(|| open_bridge(at))
}

/// The position of the isolation setting.
pub(super) fn isolation_at(places: &[(String, usize)]) -> Option<usize> {
    let found = places.iter().find(|(key, _)| key == ISOLATION);
    found.map(|(_, at)| *at)
}

/// The fault for two settings that exclude each other.
pub(super) fn open_bridge(at: usize) -> DocumentFault {
    let message = tr!(
        "isolation = \"bridge\" and host-access = false exclude each other: sessions on \
                   the engine's default network can reach this machine"
    );
    DocumentFault::new(at, message).help(tr!("use isolation = \"user\", or set host-access = true"))
}
