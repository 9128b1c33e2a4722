//! What is reported about the copy of a session's files into a folder.

use super::{Transfer, TransferEnd};
use crate::{
    app::step::Step,
    model::{files::SpaceUse, notice::Level, resources::Bytes},
    rules::loss,
};

/// The toast of its end. Unless everything is copied, the session keeps running.
pub(super) fn toast_of(transfer: &Transfer, end: &TransferEnd) -> Step {
    let name = transfer.job.subject();
    let (_, directory) = transfer.job.target();
    match end {
        TransferEnd::Done { skipped } => {
            let copied = SpaceUse {
                files: transfer.progress.files,
                size: Bytes(transfer.progress.bytes),
            };
            let text = format!("{name}: copied {} to {directory}", loss::amount(copied));
            if *skipped == 0 {
                return Step::toast(Level::Success, text);
            }
            let first = &transfer.progress.current;
            let text = format!("{text}\nNot copied: {first}. {name} keeps running");
            Step::toast(Level::Warning, text)
        }
        TransferEnd::Failed(failure) => {
            let hint = failure.hint.as_ref().map_or("", |hint| hint.as_str());
            let text = format!("{name} keeps running: {}\n{hint}", failure.message());
            Step::toast(Level::Error, text.trim_end())
        }
        TransferEnd::Interrupted(why) => {
            let text = format!("copying files of {name} was interrupted: {why}");
            Step::toast(Level::Warning, format!("{text}\n{name} keeps running"))
        }
        TransferEnd::Cancelled | TransferEnd::Unchanged => {
            let text = format!("copying files of {name} was cancelled");
            let rest = format!("Nothing was copied, and {name} keeps running");
            Step::toast(Level::Info, format!("{text}\n{rest}"))
        }
    }
}
