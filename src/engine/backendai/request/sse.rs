//! Server-sent events: bytes to events. Pure.

/// The longest event, in bytes. A longer one means that the stream is broken.
const MAX: usize = 1 << 20;

/// One event. Comments don't count as events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::engine::backendai) struct SseEvent {
    pub(in crate::engine::backendai) name: String,
    pub(in crate::engine::backendai) data: String,
}

/// Splits incoming bytes into whole events.
#[derive(Debug, Default)]
pub(in crate::engine::backendai) struct Parser {
    /// The unfinished line.
    line: Vec<u8>,
    /// The last byte was a carriage return, so a following line feed doesn't end another line.
    after_return: bool,
    event: SseEvent,
    has_data: bool,
}

impl Parser {
    /// The events that `bytes` complete; `None` if an event is too long.
    pub(in crate::engine::backendai) fn push(&mut self, bytes: &[u8]) -> Option<Vec<SseEvent>> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => self.end_line(&mut events),
                _ => self.line.push(byte),
            }
            if self.line.len() + self.event.data.len() > MAX {
                return None;
            }
        }
        Some(events)
    }

    fn end_line(&mut self, events: &mut Vec<SseEvent>) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            if std::mem::take(&mut self.has_data) {
                events.push(event);
            }
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            // Ignores comments, `id` and `retry`: there is no replay, and we choose our own
            // reconnect time.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ": ping\n\nevent: session_started\ndata: {\"a\":1}\n\nretry: 5\ndata:x\ndata: y\r\n\r\nevent: lost\n\n";

    fn expected() -> Vec<SseEvent> {
        let event = |name: &str, data: &str| SseEvent {
            name: name.to_owned(),
            data: data.to_owned(),
        };
        vec![event("session_started", "{\"a\":1}"), event("", "x\ny")]
    }

    #[test]
    fn events_come_whole_however_they_are_cut() {
        let whole = Parser::default().push(TEXT.as_bytes()).unwrap();
        assert_eq!(whole, expected());
        for size in 1..TEXT.len() {
            let mut parser = Parser::default();
            let mut events = Vec::new();
            for part in TEXT.as_bytes().chunks(size) {
                events.append(&mut parser.push(part).unwrap());
            }
            assert_eq!(events, expected(), "in parts of {size}");
        }
    }

    #[test]
    fn a_line_without_end_is_no_memory_leak() {
        let mut parser = Parser::default();
        let part = vec![b'x'; 64 * 1024];
        assert!((0..32).any(|_| parser.push(&part).is_none()));
    }

    /// The events of `pieces`, and whether the parser refused them.
    fn pushed(pieces: &[&[u8]]) -> (Vec<SseEvent>, bool) {
        let mut parser = Parser::default();
        let mut events = Vec::new();
        for piece in pieces {
            match parser.push(piece) {
                Some(more) => events.extend(more),
                None => return (events, true),
            }
        }
        (events, false)
    }

    #[test]
    fn fuzz_sse() {
        crate::fuzz::parser("sse", &[], |bytes, random| {
            let whole = pushed(&[bytes]);
            crate::fuzz::bounded(bytes, &whole);
            assert_eq!(pushed(&random.split(bytes)), whole);
        });
    }
}
