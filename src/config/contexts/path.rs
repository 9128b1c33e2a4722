//! Reads the path of a file in a context.

use std::path::{Path, PathBuf};

use super::super::document::{DocumentFault, Item, Value};

/// An absolute path or one below the home directory. The daemon has no other directory to resolve paths
/// against.
pub(super) fn read(item: &Item, home: Option<&Path>) -> Result<PathBuf, DocumentFault> {
    let Value::Text(text) = &item.value else {
        return Err(item.mismatch(tr!("a path")));
    };
    if let (Some(rest), Some(home)) = (text.strip_prefix("~/"), home) {
        return Ok(home.join(rest));
    }
    let path = PathBuf::from(text);
    if path.is_absolute() {
        return Ok(path);
    }
    let fault = DocumentFault::new(item.at, tr!("'{text}' isn't an absolute path", text));
    Err(fault.help(tr!("begin it with / or ~/")))
}
