//! Reads the values of the settings in `[apps]`.

use std::path::PathBuf;

use super::{
    amount::number,
    document::{DocumentFault, Item, Value},
};
use crate::model::settings::PortRange;

/// `"10250-10749"`: two ports from 1025 to 65534.
pub(super) fn port_range(item: &Item) -> Result<PortRange, DocumentFault> {
    let text = item.text()?;
    let ports = text.split_once('-').and_then(|(first, last)| {
        let range = PortRange {
            first: first.trim().parse().ok()?,
            last: last.trim().parse().ok()?,
        };
        (1025 <= range.first && range.first <= range.last && range.last <= 65534).then_some(range)
    });
    ports.ok_or_else(|| {
        let fault = DocumentFault::new(item.at, tr!("invalid range of ports '{text}'", text));
        fault.help(tr!(
            "write the first and the last port, from 1025 to 65534: \"10250-10749\""
        ))
    })
}

/// `"auto"` or a port from 1025 to 65534.
pub(super) fn preferred_port(item: &Item) -> Result<Option<u16>, DocumentFault> {
    match &item.value {
        Value::Text(text) if text == "auto" => Ok(None),
        _ => number(item, 1025, 65534).map(|port| Some(port as u16)),
    }
}

/// The absolute path of a file; empty = none. `~/` is the user's home directory.
pub(super) fn some_file(item: &Item) -> Result<Option<PathBuf>, DocumentFault> {
    let text = item.text()?.trim();
    let is_complete = text.starts_with('/') || text.starts_with("~/");
    match text {
        "" => Ok(None),
        text if is_complete && !text.contains('\0') => Ok(Some(PathBuf::from(text))),
        text => {
            let fault = DocumentFault::new(item.at, tr!("invalid path '{text}'", text));
            Err(fault.help(tr!("write a path that begins with / or ~/")))
        }
    }
}
