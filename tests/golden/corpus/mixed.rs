//! Streams put together from pieces of the saved ones, with bytes changed and lost.

use proptest::{prelude::*, sample::Index};

use super::stream::{self, RecordedStream};

/// A piece of a stream, and what was done to it.
#[derive(Clone, Debug)]
struct StreamPart {
    stream: Index,
    from: Index,
    length: usize,
    changes: Vec<(Index, u8)>,
    lost: Vec<Index>,
}

impl StreamPart {
    fn bytes(&self, streams: &[RecordedStream]) -> Vec<u8> {
        let whole = self.stream.get(streams).bytes();
        let from = self.from.index(whole.len());
        let to = whole.len().min(from + self.length);
        let mut bytes = whole[from..to].to_vec();
        for (at, byte) in &self.changes {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        for at in &self.lost {
            let at = at.index(bytes.len());
            if bytes.len() > 1 {
                bytes.remove(at);
            }
        }
        bytes
    }
}

fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        any::<u8>(),
        prop::sample::select(b"\x1b[]\\;:?0123456789hlmHrJKLMPX@bc\x18\x07\n\r\x08".as_slice()),
    ]
}

fn part() -> impl Strategy<Value = StreamPart> {
    (
        any::<Index>(),
        any::<Index>(),
        1..300_usize,
        prop::collection::vec((any::<Index>(), byte()), 0..6),
        prop::collection::vec(any::<Index>(), 0..4),
    )
        .prop_map(|(stream, from, length, changes, lost)| StreamPart {
            stream,
            from,
            length,
            changes,
            lost,
        })
}

/// Told in words where a test fails.
#[derive(Clone)]
pub struct Mixed(pub Vec<u8>);

impl std::fmt::Debug for Mixed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

pub fn mixed() -> impl Strategy<Value = Mixed> {
    prop::collection::vec(part(), 1..5).prop_map(|parts| {
        let streams = stream::all();
        let bytes = parts.iter().flat_map(|part| part.bytes(streams));
        Mixed(bytes.collect())
    })
}
