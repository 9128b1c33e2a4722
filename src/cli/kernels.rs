//! A container of a session, by what a person writes.

use super::{
    fail::{Fail, code},
    line::Line,
};
use crate::model::{id::KernelId, session::Session, text::Clean};

/// The kernel meant by a host name or the beginning of an id.
pub async fn find(line: &Line, session: &Session, word: &str) -> Result<KernelId, Fail> {
    // A row of the list may lack kernels.
    let whole = super::find::detail(line, session.key()).await?;
    let kernels = whole.as_ref().map_or(&session.kernels, |s| &s.kernels);
    let word = word.to_ascii_lowercase();
    let named = kernels
        .iter()
        .find(|kernel| kernel.hostname == word.as_str());
    let by_id = || {
        let mut found = kernels
            .iter()
            .filter(|kernel| word.len() >= 2 && kernel.id.to_string().starts_with(&word));
        found.next().filter(|_| found.next().is_none())
    };
    if let Some(kernel) = named.or_else(by_id) {
        return Ok(kernel.id);
    }
    let names: Vec<String> = kernels
        .iter()
        .map(|kernel| format!("{} ({})", kernel.hostname, kernel.id.short()))
        .collect();
    let fail = Fail::new(
        code::NOT_FOUND,
        format!(
            "session {} has no kernel '{}'",
            session.name,
            Clean::new(&word)
        ),
    );
    Err(if names.is_empty() {
        fail.help("it has none yet")
    } else {
        fail.help(format!("it has {}", names.join(", ")))
    })
}

/// The one that a person named, if any.
pub async fn chosen(
    line: &Line,
    session: &Session,
    word: Option<&str>,
) -> Result<Option<KernelId>, Fail> {
    match word {
        Some(word) => find(line, session, word).await.map(Some),
        None => Ok(None),
    }
}
