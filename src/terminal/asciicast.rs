//! Recordings of terminals in the format asciicast v2: a header, then one event in each line, as JSON.

use std::fmt;

use serde_json::{Value, json};

/// Largest width and height that is read.
const LARGEST: u64 = 1000;

/// Writes the lines of a recording. Bytes of an incomplete character wait for the next output.
#[derive(Debug, Default)]
pub struct Encoder {
    partial: Vec<u8>,
}

impl Encoder {
    /// The first line. `started` is in seconds since 1970.
    #[must_use]
    pub fn header(columns: u16, rows: u16, started: i64, title: &str) -> String {
        let header = json!({
            "version": 2,
            "width": columns,
            "height": rows,
            "timestamp": started,
            "title": title,
            "env": { "TERM": "xterm-256color" },
        });
        format!("{header}\n")
    }

    /// Output of the program, `seconds` after the start. `None` if no character is complete.
    pub fn output(&mut self, seconds: f64, bytes: &[u8]) -> Option<String> {
        self.partial.extend_from_slice(bytes);
        let end = complete(&self.partial);
        if end == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&self.partial[..end]).into_owned();
        self.partial.drain(..end);
        Some(event(seconds, "o", &text))
    }

    /// The terminal has this size from now on.
    #[must_use]
    pub fn resize(seconds: f64, columns: u16, rows: u16) -> String {
        event(seconds, "r", &format!("{columns}x{rows}"))
    }
}

/// The bytes before an incomplete character at the end. Bytes that belong to no character count as complete.
fn complete(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    for (back, byte) in bytes[from..].iter().rev().enumerate() {
        let needed = match byte {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            0x80..=0xbf => continue,
            _ => return bytes.len(),
        };
        let start = bytes.len() - back - 1;
        return if back + 1 < needed {
            start
        } else {
            bytes.len()
        };
    }
    bytes.len()
}

fn event(seconds: f64, code: &str, data: &str) -> String {
    // Microseconds, as asciinema writes them.
    let seconds = (seconds * 1e6).round() / 1e6;
    format!("{}\n", json!([seconds, code, data]))
}

/// The first line of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub columns: u16,
    pub rows: u16,
    pub title: Option<String>,
}

/// Something that happened in a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Seconds after the start.
    pub at: f64,
    pub kind: EventKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    Output(String),
    Resize {
        columns: u16,
        rows: u16,
    },
    /// Input, a marker, or an event of a later version.
    Other,
}

/// Why a line can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    NotJson,
    /// Another version of the format, or no asciicast.
    Version(Option<u64>),
    Malformed,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson => write!(f, "{}", tr!("the line isn't JSON")),
            Self::Version(Some(version)) => {
                let text = tr!(
                    "asciicast version {version} isn't supported, only version 2",
                    version
                );
                f.write_str(&text)
            }
            Self::Version(None) => write!(
                f,
                "{}",
                tr!("the file isn't a recording in asciicast format")
            ),
            Self::Malformed => write!(
                f,
                "{}",
                tr!("the line isn't an event of an asciicast recording")
            ),
        }
    }
}

impl Header {
    /// Reads the first line. Fails if it isn't the header of version 2.
    pub fn read(line: &str) -> Result<Self, Unreadable> {
        let value: Value = serde_json::from_str(line).map_err(|_| Unreadable::Version(None))?;
        let number = |name: &str| value.get(name).and_then(Value::as_u64);
        match number("version") {
            Some(2) => {}
            other => return Err(Unreadable::Version(other)),
        }
        let size = |name: &str| {
            let size = number(name).filter(|size| (1..=LARGEST).contains(size));
            size.and_then(|size| u16::try_from(size).ok())
        };
        let (Some(columns), Some(rows)) = (size("width"), size("height")) else {
            return Err(Unreadable::Malformed);
        };
        let title = value.get("title").and_then(Value::as_str);
        Ok(Self {
            columns,
            rows,
            title: title.map(str::to_owned),
        })
    }
}

impl Event {
    /// Reads a line after the first one.
    pub fn read(line: &str) -> Result<Self, Unreadable> {
        let value: Value = serde_json::from_str(line).map_err(|_| Unreadable::NotJson)?;
        let parts = value.as_array().map(Vec::as_slice);
        let Some([at, code, data]) = parts else {
            return Err(Unreadable::Malformed);
        };
        let (Some(at), Some(code), Some(data)) = (at.as_f64(), code.as_str(), data.as_str()) else {
            return Err(Unreadable::Malformed);
        };
        if !at.is_finite() || at < 0.0 {
            return Err(Unreadable::Malformed);
        }
        let kind = match code {
            "o" => EventKind::Output(data.to_owned()),
            "r" => match size(data) {
                Some((columns, rows)) => EventKind::Resize { columns, rows },
                None => return Err(Unreadable::Malformed),
            },
            _ => EventKind::Other,
        };
        Ok(Self { at, kind })
    }
}

/// `80x24`.
fn size(text: &str) -> Option<(u16, u16)> {
    let (columns, rows) = text.split_once('x')?;
    let read = |text: &str| {
        let size: u16 = text.parse().ok()?;
        (1..=LARGEST).contains(&u64::from(size)).then_some(size)
    };
    Some((read(columns)?, read(rows)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let header = Encoder::header(80, 24, 1_764_255_600, "train \"1\"");
        assert_eq!(
            Header::read(header.trim_end()),
            Ok(Header {
                columns: 80,
                rows: 24,
                title: Some("train \"1\"".to_owned()),
            })
        );
        let mut encoder = Encoder::default();
        let line = encoder.output(1.5, "\x1b[31m한\r\n".as_bytes()).unwrap();
        assert!(
            line.ends_with("]\n") && !line.trim_end().contains('\n'),
            "{line}"
        );
        let event = Event::read(line.trim_end()).unwrap();
        assert_eq!(event.at.to_bits(), 1.5f64.to_bits());
        assert_eq!(event.kind, EventKind::Output("\x1b[31m한\r\n".to_owned()));
        let line = Encoder::resize(2.25, 100, 30);
        let resized = EventKind::Resize {
            columns: 100,
            rows: 30,
        };
        assert_eq!(Event::read(line.trim_end()).unwrap().kind, resized);
    }

    #[test]
    fn a_character_in_two_pieces_is_one_character() {
        let mut encoder = Encoder::default();
        let bytes = "a학🎉".as_bytes();
        let mut text = String::new();
        for byte in bytes {
            if let Some(line) = encoder.output(0.0, &[*byte])
                && let EventKind::Output(data) = Event::read(line.trim_end()).unwrap().kind
            {
                text.push_str(&data);
            }
        }
        assert_eq!(text, "a학🎉");
        let invalid = encoder.output(0.0, b"\xff\xfe").unwrap();
        assert!(invalid.contains('\u{fffd}'), "{invalid}");
    }

    #[test]
    fn other_files_are_refused_with_the_reason() {
        assert_eq!(Header::read("hello"), Err(Unreadable::Version(None)));
        let third = r#"{"version": 3, "term": {}}"#;
        assert_eq!(Header::read(third), Err(Unreadable::Version(Some(3))));
        let huge = r#"{"version": 2, "width": 100000, "height": 1}"#;
        assert_eq!(Header::read(huge), Err(Unreadable::Malformed));
        for line in ["[1]", "[-1, \"o\", \"x\"]", "[1, \"r\", \"0x0\"]", "{}"] {
            assert_eq!(Event::read(line), Err(Unreadable::Malformed), "{line}");
        }
        assert_eq!(Event::read("[1, \"o\""), Err(Unreadable::NotJson));
        assert_eq!(
            Event::read("[1, \"m\", \"x\"]").unwrap().kind,
            EventKind::Other
        );
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_in_any_pieces_give_the_same_text(
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..64),
            cut in 0usize..64,
        ) {
            let text = |pieces: &[&[u8]]| {
                let mut encoder = Encoder::default();
                let mut text = String::new();
                for piece in pieces {
                    if let Some(line) = encoder.output(0.0, piece)
                        && let EventKind::Output(data) = Event::read(line.trim_end()).unwrap().kind
                    {
                        text.push_str(&data);
                    }
                }
                text
            };
            let cut = cut.min(bytes.len());
            // Valid text is the same however it is cut.
            if let Ok(valid) = std::str::from_utf8(&bytes) {
                proptest::prop_assert_eq!(text(&[&bytes[..cut], &bytes[cut..]]), valid);
            } else {
                text(&[&bytes[..cut], &bytes[cut..]]);
            }
        }
    }
}
