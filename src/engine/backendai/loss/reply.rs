//! What workbay's program in a session prints about files.

use serde::de::DeserializeOwned;

use crate::{
    engine::api::{Attached, Output, Result},
    model::{failure::Failure, text::Clean},
};

/// The longest message on stderr that is kept, in bytes.
const LONGEST_MESSAGE: usize = 1024;

/// Everything that the program prints, at most `most` bytes, if it succeeds.
pub(super) async fn read(mut attached: Attached, most: usize) -> Result<Vec<u8>> {
    let (mut out, mut message) = (Vec::new(), Vec::new());
    loop {
        match attached.output.recv().await {
            Some(Output::Stdout(bytes)) if out.len() + bytes.len() <= most => {
                out.extend_from_slice(&bytes);
            }
            Some(Output::Stdout(_)) => {
                return Err(Failure::refused(tr_sent!(
                    "the session has too many files for one answer"
                ))
                .hint(tr_sent!("name the paths that you need")));
            }
            Some(Output::Stderr(bytes)) => {
                let room = LONGEST_MESSAGE.saturating_sub(message.len());
                message.extend_from_slice(&bytes[..bytes.len().min(room)]);
            }
            Some(Output::End { exit_code: Some(0) }) => return Ok(out),
            Some(Output::End { .. }) => return Err(failed(&message)),
            Some(Output::Lost { why }) => {
                return Err(Failure::lost(why).hint(tr_sent!("check that the session still runs")));
            }
            None => {
                return Err(
                    Failure::lost(tr_sent!("the connection to the session broke"))
                        .hint(tr_sent!("check that the session still runs")),
                );
            }
        }
    }
}

/// Reads a line of JSON. Programs in the session may have taken the place of workbay's.
pub(super) fn parse<T: DeserializeOwned>(line: &[u8]) -> Result<T> {
    serde_json::from_slice(line).map_err(|_| unreadable())
}

pub(super) fn unreadable() -> Failure {
    Failure::reported(tr_sent!(
        "the session's answer about its files can't be read"
    ))
    .hint(tr_sent!(
        "try again. If it happens again, copy files with `workbay cp`"
    ))
}

fn failed(message: &[u8]) -> Failure {
    let lines = message.split(|byte| *byte == b'\n').map(Clean::from_bytes);
    let mut reasons =
        lines.filter_map(|line| line.as_str().strip_prefix("workbay: ").map(Clean::new));
    let why = reasons.next();
    Failure::reported(
        why.unwrap_or_else(|| tr_sent!("workbay's program in the session failed").into()),
    )
    .hint(tr_sent!("try again, or copy files with `workbay cp`"))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use tokio::sync::mpsc;

    use super::*;

    async fn replied(outputs: Vec<Output>) -> Result<Vec<u8>> {
        let (sender, output) = mpsc::channel(8);
        for one in outputs {
            sender.send(one).await.unwrap();
        }
        drop(sender);
        let (input, _typed) = mpsc::channel(1);
        read(Attached { output, input }, 10).await
    }

    #[tokio::test]
    async fn only_a_success_is_an_answer() {
        let out = |text: &'static str| Output::Stdout(Bytes::from_static(text.as_bytes()));
        let end = |code| Output::End {
            exit_code: Some(code),
        };
        let done = replied(vec![out("12345"), out("67890"), end(0)]).await;
        assert_eq!(done.unwrap(), b"1234567890");
        let long = replied(vec![out("12345"), out("678901")]).await;
        assert!(long.unwrap_err().to_string().contains("too many files"));
        let said = Output::Stderr(Bytes::from_static(b"x\nworkbay: it is \x1b[31mgone\n"));
        let failed = replied(vec![said, end(1)]).await.unwrap_err();
        assert!(failed.to_string().contains(": it is"), "{failed}");
        assert!(!failed.to_string().contains('\x1b'), "{failed}");
        assert!(replied(vec![out("1")]).await.unwrap_err().is_lost());
        assert!(parse::<u32>(b"[").is_err());
    }
}
