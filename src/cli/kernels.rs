//! Finds a container of a session by the user's input.

use super::{
    connection::Connection,
    fail::{Fail, code},
};
use crate::model::{
    id::KernelId,
    selector::{self, KernelError},
    session::Session,
    text::Clean,
};

/// Finds the container by its host name or a prefix of its id.
pub async fn find(
    connection: &Connection,
    session: &Session,
    word: &str,
) -> Result<KernelId, Fail> {
    // A row of the list may lack containers.
    let whole = super::find::detail(connection, session.key()).await?;
    let kernels = whole.as_ref().map_or(&session.kernels, |s| &s.kernels);
    let name = &session.name;
    let word = Clean::new(word);
    match selector::kernel(kernels, word.as_str()) {
        Ok(kernel) => Ok(kernel.id),
        Err(KernelError::Several(names)) => {
            let why = tr!(
                "'{word}' matches several containers: {names}",
                word,
                names = names.join(", ")
            );
            Err(Fail::usage(why).hint(tr!("use the host name, or type more of the id")))
        }
        Err(KernelError::None(names)) => {
            let why = tr!("session {name} has no container '{word}'", name, word);
            let fail = Fail::new(code::NOT_FOUND, why);
            Err(match names.as_slice() {
                [] => fail.hint(tr!("it has no container yet")),
                names => fail.hint(tr!("available: {names}", names = names.join(", "))),
            })
        }
    }
}

/// The container that the user named, if any.
pub async fn chosen(
    connection: &Connection,
    session: &Session,
    word: Option<&str>,
) -> Result<Option<KernelId>, Fail> {
    match word {
        Some(word) => find(connection, session, word).await.map(Some),
        None => Ok(None),
    }
}
