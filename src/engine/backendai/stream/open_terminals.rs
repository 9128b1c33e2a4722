//! Tracks the open terminals of one engine: one for each tag in a session.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio_util::sync::CancellationToken;

use crate::model::id::SessionId;

/// Time limit for an older terminal to close.
const GOING: Duration = Duration::from_secs(3);

type TerminalKey = (SessionId, String);

/// The open terminals.
#[derive(Clone, Default)]
pub(in super::super) struct OpenTerminals {
    terminals: Arc<Mutex<HashMap<TerminalKey, OpenTerminal>>>,
}

#[derive(Clone)]
struct OpenTerminal {
    number: u64,
    taken: CancellationToken,
    gone: CancellationToken,
}

/// One terminal's claim on its tag. Dropping it releases the tag.
pub(super) struct TagClaim {
    held: OpenTerminals,
    key: TerminalKey,
    terminal: OpenTerminal,
}

impl OpenTerminals {
    /// Claims the tag for a new terminal. An older terminal with this tag is closed first.
    pub(super) async fn take(&self, session: SessionId, tag: &str) -> TagClaim {
        let key = (session, tag.to_owned());
        let (claim, older) = {
            let mut terminals = self.lock();
            let older = terminals.get(&key).cloned();
            let terminal = OpenTerminal {
                number: older.as_ref().map_or(0, |older| older.number + 1),
                taken: CancellationToken::new(),
                gone: CancellationToken::new(),
            };
            terminals.insert(key.clone(), terminal.clone());
            let held = self.clone();
            (
                TagClaim {
                    held,
                    key,
                    terminal,
                },
                older,
            )
        };
        if let Some(older) = older {
            end([older]).await;
        }
        claim
    }

    /// Ends every terminal of a session.
    pub(super) async fn take_all(&self, session: SessionId) {
        let older: Vec<OpenTerminal> = {
            let terminals = self.lock();
            let of_session = terminals.iter().filter(|((of, _), _)| *of == session);
            of_session.map(|(_, terminal)| terminal.clone()).collect()
        };
        end(older).await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TerminalKey, OpenTerminal>> {
        self.terminals
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

async fn end(terminals: impl IntoIterator<Item = OpenTerminal>) {
    let going: Vec<_> = terminals
        .into_iter()
        .map(|terminal| {
            terminal.taken.cancel();
            terminal.gone
        })
        .collect();
    let all = futures_util::future::join_all(going.iter().map(CancellationToken::cancelled));
    // A terminal that hangs must not block its successor forever.
    let _ = tokio::time::timeout(GOING, all).await;
}

impl TagClaim {
    /// Returns when another terminal claims the tag.
    pub(super) async fn taken(&mut self) {
        self.terminal.taken.cancelled().await;
    }
}

impl Drop for TagClaim {
    fn drop(&mut self) {
        let mut terminals = self.held.lock();
        let ours = terminals
            .get(&self.key)
            .is_some_and(|one| one.number == self.terminal.number);
        if ours {
            terminals.remove(&self.key);
        }
        drop(terminals);
        self.terminal.gone.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: SessionId = SessionId::from_u128(1);

    #[tokio::test]
    async fn a_tag_has_one_terminal_and_the_older_one_goes_first() {
        let held = OpenTerminals::default();
        let mut first = held.take(SESSION, "pane").await;
        let mut other = held.take(SESSION, "other").await;
        let (gone, went) = tokio::sync::oneshot::channel();
        tokio::spawn(async move {
            first.taken().await;
            drop(first);
            gone.send(()).unwrap();
        });
        let second = held.take(SESSION, "pane").await;
        went.await.unwrap();
        let elsewhere = tokio::time::timeout(Duration::ZERO, other.taken()).await;
        assert!(elsewhere.is_err(), "another tag's terminal was ended");
        assert_eq!(held.lock().len(), 2);
        drop(second);
        drop(other);
        assert!(held.lock().is_empty());
    }

    #[tokio::test]
    async fn a_place_given_up_late_is_not_its_successor_s() {
        let held = OpenTerminals::default();
        let first = held.take(SESSION, "pane").await;
        let mut second_take = std::pin::pin!(held.take(SESSION, "pane"));
        assert!(futures_util::poll!(&mut second_take).is_pending());
        drop(first);
        let second = second_take.await;
        assert_eq!(held.lock().len(), 1);
        drop(second);
        assert!(held.lock().is_empty());
    }

    #[tokio::test]
    async fn all_of_a_session_go_and_no_other_s() {
        let held = OpenTerminals::default();
        let mine = ["a", "b"].map(|tag| held.take(SESSION, tag));
        for claim in mine {
            let mut claim = claim.await;
            tokio::spawn(async move { claim.taken().await });
        }
        let _others = held.take(SessionId::from_u128(2), "a").await;
        held.take_all(SESSION).await;
        let left: Vec<_> = held.lock().keys().cloned().collect();
        assert_eq!(left, [(SessionId::from_u128(2), "a".to_owned())]);
    }
}
