//! What is said to ttyd and what it says: one WebSocket message each, whose first byte is the command.
//! Pure.

use bytes::{BufMut as _, Bytes, BytesMut};

/// The WebSocket sub-protocol.
pub(super) const SUBPROTOCOL: &str = "tty";

/// ttyd stops reading its program's output, and goes on. What it has read already still comes.
pub(super) const PAUSE: Bytes = Bytes::from_static(b"2");
pub(super) const RESUME: Bytes = Bytes::from_static(b"3");

/// One message of ttyd's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// What the terminal shows next.
    Output(Bytes),
    /// The window's title, the preferences of its own web page, and whatever later versions add: nothing
    /// that a terminal needs.
    Aside,
}

/// Reads one message.
pub(super) fn read(message: Bytes) -> Said {
    match message.first() {
        Some(b'0') => Said::Output(message.slice(1..)),
        _ => Said::Aside,
    }
}

/// The first message: ttyd starts its program when it has it, at this size.
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

/// A terminal without cells confuses programs more than a small one.
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
            Said::Output(Bytes::from_static(b"\x1b[?1049h"))
        );
        assert_eq!(said(b"0"), Said::Output(Bytes::new()));
        for aside in [&b"1/bin/bash (main1)"[..], b"2{ }", b"9new", b"", b"\xff"] {
            assert_eq!(said(aside), Said::Aside);
        }
    }

    #[test]
    fn fuzz_ttyd() {
        crate::fuzz::parser("ttyd", &[], |bytes, _| {
            if let Said::Output(output) = read(Bytes::copy_from_slice(bytes)) {
                assert_eq!(output, bytes[1..]);
            }
        });
    }
}
