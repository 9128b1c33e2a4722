//! The protocol of ttyd: one WebSocket message each way, whose first byte is the command. Pure.

use bytes::{BufMut as _, Bytes, BytesMut};

/// The WebSocket sub-protocol.
pub(super) const SUBPROTOCOL: &str = "tty";

/// ttyd pauses and resumes reading its program's output. After a pause, output that it has already
/// read still arrives.
pub(super) const PAUSE: Bytes = Bytes::from_static(b"2");
pub(super) const RESUME: Bytes = Bytes::from_static(b"3");

/// One message from ttyd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TtydMessage {
    /// What the terminal shows next.
    Output(Bytes),
    /// The window's title, the preferences of ttyd's own web page, and messages of later versions.
    /// A terminal needs none of them.
    Aside,
}

/// Reads one message.
pub(super) fn read(message: Bytes) -> TtydMessage {
    match message.first() {
        Some(b'0') => TtydMessage::Output(message.slice(1..)),
        _ => TtydMessage::Aside,
    }
}

/// The first message. ttyd starts its program at this size when it receives it.
pub(super) fn hello(columns: u16, rows: u16) -> Bytes {
    let (columns, rows) = size(columns, rows);
    Bytes::from(format!(
        r#"{{"AuthToken":"","columns":{columns},"rows":{rows}}}"#
    ))
}

pub(super) fn input(typed: &[u8]) -> Bytes {
    let mut message = BytesMut::with_capacity(typed.len() + 1);
    message.put_u8(b'0');
    message.put_slice(typed);
    message.freeze()
}

pub(super) fn resize(columns: u16, rows: u16) -> Bytes {
    let (columns, rows) = size(columns, rows);
    Bytes::from(format!(r#"1{{"columns":{columns},"rows":{rows}}}"#))
}

/// Programs handle a small terminal better than one with zero cells.
fn size(columns: u16, rows: u16) -> (u16, u16) {
    (columns.max(1), rows.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_as_the_web_page_of_ttyd_says_it() {
        assert_eq!(hello(80, 24), r#"{"AuthToken":"","columns":80,"rows":24}"#);
        assert_eq!(resize(120, 30), r#"1{"columns":120,"rows":30}"#);
        assert_eq!(resize(0, 0), r#"1{"columns":1,"rows":1}"#);
        assert_eq!(input(b"exit\r"), &b"0exit\r"[..]);
    }

    #[test]
    fn only_output_reaches_the_terminal() {
        let said = |bytes: &'static [u8]| read(Bytes::from_static(bytes));
        assert_eq!(
            said(b"0\x1b[?1049h"),
            TtydMessage::Output(Bytes::from_static(b"\x1b[?1049h"))
        );
        assert_eq!(said(b"0"), TtydMessage::Output(Bytes::new()));
        for aside in [&b"1/bin/bash (main1)"[..], b"2{ }", b"9new", b"", b"\xff"] {
            assert_eq!(said(aside), TtydMessage::Aside);
        }
    }

    #[test]
    fn fuzz_ttyd() {
        crate::fuzz::parser("ttyd", &[], |bytes, _| {
            if let TtydMessage::Output(output) = read(Bytes::copy_from_slice(bytes)) {
                assert_eq!(output, bytes[1..]);
            }
        });
    }
}
