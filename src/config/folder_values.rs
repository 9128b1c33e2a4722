//! Reads the values of the settings in `[folders]`.

use super::document::{DocumentFault, Item};
use crate::model::settings::HostPath;

/// `["/data/*:ro", "/scratch"]`.
pub(super) fn host_paths(item: &Item) -> Result<Vec<HostPath>, DocumentFault> {
    let paths = item.list()?.iter().map(|path| {
        let read = path.text()?.parse();
        read.map_err(|why: String| {
            DocumentFault::new(path.at, why).help(tr!(
                "write an absolute path: \"/scratch\", \"/data/*\" for every directory in it, \
                 with :ro if sessions may only read it"
            ))
        })
    });
    paths.collect()
}
