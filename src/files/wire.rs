//! The protocol between the daemon and the helper in a container: frames on the helper's stdin and stdout.
//!
//! A frame is a kind (one byte), the length of its content (four bytes, the highest first) and the content. The helper
//! carries out any number of requests, or one transfer or work, and then ends.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::LocalWork;
use crate::model::{
    failure::Failure,
    files::{FileAnswer, FilePath, FileProgress, FileRequest, WriteOptions},
};

/// The length of what precedes the content.
pub const HEAD: usize = 5;
/// The longest message.
const MAX_MESSAGE: usize = 32 << 20;
/// The most bytes of a file in one frame.
pub const MAX_PIECE: usize = 256 * 1024;

/// What a frame contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// JSON: an [`Order`] or an [`Event`].
    Message,
    /// Bytes of a file.
    Data,
    /// The file that is being written is complete.
    End,
}

/// What the helper is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "kebab-case")]
pub enum Order {
    Request {
        request: FileRequest,
    },
    /// Data frames follow, then [`Event::Done`].
    Read {
        path: FilePath,
        offset: u64,
    },
    /// Data frames and an `End` frame follow in the other direction, then [`Event::Done`].
    Write {
        path: FilePath,
        options: WriteOptions,
    },
    /// The end of the input cancels it.
    Work {
        work: LocalWork,
    },
}

/// What the helper reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    Answer { answer: FileAnswer },
    Progress { progress: FileProgress },
    Failed { failure: Failure },
    Done,
}

/// The bytes of a message.
pub fn message(content: &impl Serialize) -> Vec<u8> {
    // Orders and events have no maps and no floats, so that they can always be written.
    let json = serde_json::to_vec(content).unwrap_or_default();
    frame(FrameKind::Message, &json)
}

/// The bytes of a frame.
pub fn frame(kind: FrameKind, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + content.len());
    bytes.extend_from_slice(&head(kind, content.len()));
    bytes.extend_from_slice(content);
    bytes
}

/// What precedes the content.
pub fn head(kind: FrameKind, length: usize) -> [u8; HEAD] {
    let [a, b, c, d] = u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes();
    [kind as u8, a, b, c, d]
}

/// Reads what precedes the content. Fails for what the other side never sends.
pub fn read_head(bytes: [u8; HEAD]) -> Result<(FrameKind, usize), Failure> {
    let [kind, rest @ ..] = bytes;
    let length = u32::from_be_bytes(rest) as usize;
    let (kind, most) = match kind {
        0 => (FrameKind::Message, MAX_MESSAGE),
        1 => (FrameKind::Data, MAX_PIECE),
        2 => (FrameKind::End, 0),
        _ => return Err(invalid()),
    };
    if length > most {
        return Err(invalid());
    }
    Ok((kind, length))
}

/// Reads a message.
pub fn read_message<T: DeserializeOwned>(content: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(content).map_err(|_| invalid())
}

fn invalid() -> Failure {
    Failure::reported(tr_sent!(
        "an invalid message of workbay's helper in the session"
    ))
    .hint(tr_sent!(
        "launch the session again: `workbay relaunch` uses the same settings"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_read_as_it_was_written() {
        let order = Order::Read {
            path: FilePath::root(),
            offset: 7,
        };
        let bytes = message(&order);
        let (kind, length) = read_head(bytes[..HEAD].try_into().unwrap()).unwrap();
        assert_eq!((kind, length), (FrameKind::Message, bytes.len() - HEAD));
        assert_eq!(read_message::<Order>(&bytes[HEAD..]).unwrap(), order);
        for kind in [FrameKind::Data, FrameKind::End] {
            let head = head(kind, 0);
            assert_eq!(read_head(head).unwrap(), (kind, 0));
        }
    }

    #[test]
    fn what_a_hostile_helper_sends_is_refused() {
        for bad in [
            [3, 0, 0, 0, 0],
            [0, 255, 255, 255, 255],
            [1, 0, 4, 0, 1],
            [2, 0, 0, 0, 1],
        ] {
            assert!(read_head(bad).is_err(), "{bad:?}");
        }
        assert!(read_message::<Event>(b"{\"event\":\"other\"}").is_err());
    }
}
