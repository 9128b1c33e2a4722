//! Finds out whether an engine that sends nothing is still responding.
//!
//! One request may take long on a healthy engine, for example on a slow disk, so a slow request alone proves
//! nothing. The daemon sends a `ping` instead, which needs no container. Only an engine that doesn't answer
//! it counts as disconnected.

use std::{pin::Pin, time::Duration};

use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use crate::model::failure::Failure;

/// A healthy engine rarely takes longer than this.
const DOUBT: Duration = Duration::from_secs(5);

/// How often an idle engine is pinged while a client is watching.
const REST: Duration = Duration::from_secs(30);

/// How long a ping may take. Engines have a limit of their own, whose error explains more.
const PING_LIMIT: Duration = Duration::from_secs(15);

pub(in crate::daemon) type AnswerFuture<'a, T> =
    Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// The answer to the request, or an error if the engine stops responding first.
pub(in crate::daemon) async fn unless_silent<'a, T>(
    ping: impl Fn() -> AnswerFuture<'a, ()>,
    mut asked: AnswerFuture<'_, T>,
) -> Result<T, Failure> {
    tokio::select! {
        biased;
        outcome = &mut asked => outcome,
        silence = silence_after(ping, DOUBT) => Err(silence),
    }
}

/// Ends when the engine stops responding while a client is watching, and sends no pings otherwise. The caller
/// restarts it with each message of the engine.
pub(in crate::daemon) async fn wait_for_silence<'a>(
    ping: impl Fn() -> AnswerFuture<'a, ()>,
    mut looked_at: watch::Receiver<bool>,
) -> Failure {
    loop {
        if looked_at.wait_for(|looked_at| *looked_at).await.is_err() {
            // No client can watch any more.
            std::future::pending::<()>().await;
        }
        tokio::select! {
            silence = silence_after(&ping, REST) => return silence,
            _ = looked_at.wait_for(|looked_at| !*looked_at) => {}
        }
    }
}

/// Ends when a ping isn't answered. A ping is sent after each pause.
async fn silence_after<'a>(ping: impl Fn() -> AnswerFuture<'a, ()>, pause: Duration) -> Failure {
    loop {
        sleep(pause).await;
        match timeout(PING_LIMIT, ping()).await {
            Ok(Err(error)) if error.is_lost() => return error,
            Ok(_) => {}
            Err(_) => {
                return Failure::unreachable(
                    tr_sent!("this context"),
                    tr_sent!("no answer for {seconds}s", seconds = PING_LIMIT.as_secs()),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::time::Instant;

    use super::*;

    fn lost() -> Failure {
        Failure::unreachable("x", "it hangs")
    }

    #[tokio::test(start_paused = true)]
    async fn what_takes_long_is_waited_for_as_long_as_the_engine_has_a_word() {
        let asked = async {
            sleep(Duration::from_secs(100)).await;
            Ok(7)
        };
        let words = AtomicU32::new(0);
        let ping = || -> AnswerFuture<'_, ()> {
            words.fetch_add(1, Ordering::Relaxed);
            Box::pin(async {
                sleep(Duration::from_secs(2)).await;
                // An engine that answers with an error is still responding.
                Err(Failure::reported("busy"))
            })
        };
        assert_eq!(unless_silent(ping, Box::pin(asked)).await.unwrap(), 7);
        assert_eq!(words.into_inner(), 14);
    }

    #[tokio::test(start_paused = true)]
    async fn an_engine_that_hangs_is_lost_long_before_the_request_is_given_up() {
        let begun = Instant::now();
        let never = || -> AnswerFuture<'_, ()> { Box::pin(std::future::pending()) };
        let silence = unless_silent(never, Box::pin(std::future::pending::<Result<(), _>>()));
        let said = silence.await.unwrap_err();
        assert!(
            said.is_lost() && said.to_string().contains("no answer for 15s"),
            "{said}"
        );
        assert_eq!(begun.elapsed(), DOUBT + PING_LIMIT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_engine_is_noticed_only_while_a_client_watches() {
        let looked_at = watch::Sender::new(false);
        let ping = || -> AnswerFuture<'static, ()> { Box::pin(async { Err(lost()) }) };
        let noticed = wait_for_silence(ping, looked_at.subscribe());
        let mut noticed = std::pin::pin!(noticed);
        let hour = Duration::from_secs(3600);
        assert!(timeout(hour, &mut noticed).await.is_err());
        looked_at.send_replace(true);
        assert!(timeout(REST / 2, &mut noticed).await.is_err());
        looked_at.send_replace(false);
        assert!(timeout(hour, &mut noticed).await.is_err());
        looked_at.send_replace(true);
        assert!(timeout(hour, &mut noticed).await.unwrap().is_lost());
    }
}
