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
            let text = tr!(
                "{name}: copied {copied} to {directory}",
                name,
                copied = loss::amount(copied),
                directory
            );
            if *skipped == 0 {
                return Step::toast(Level::Success, text);
            }
            let first = &transfer.progress.current;
            let text = tr!(
                "{text}\nNot copied: {first}. {name} keeps running",
                text,
                first,
                name
            );
            Step::toast(Level::Warning, text)
        }
        TransferEnd::Failed(failure) => {
            let hint = failure.hint.as_ref().map_or("", |hint| hint.as_str());
            let text = tr!(
                "{name} keeps running: {message}\n{hint}",
                name,
                message = failure.message(),
                hint
            );
            Step::toast(Level::Error, text.trim_end())
        }
        TransferEnd::Interrupted(why) => {
            let text = tr!("copying files of {name} was interrupted: {why}", name, why);
            Step::toast(
                Level::Warning,
                tr!("{text}\n{name} keeps running", text, name),
            )
        }
        TransferEnd::Cancelled | TransferEnd::Unchanged => {
            let text = tr!("copying files of {name} was cancelled", name);
            let rest = tr!("Nothing was copied, and {name} keeps running", name);
            Step::toast(Level::Info, format!("{text}\n{rest}"))
        }
    }
}
