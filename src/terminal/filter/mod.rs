//! Filters the output of a session for the user's own terminal, where no emulator does: `workbay shell` and
//! `exec`.
//!
//! This is an allow list: text and drawing sequences pass unchanged. Everything else is dropped: the
//! clipboard (unless the settings allow it), titles, notifications, files, windows, printing, other strings,
//! and sequences that make a terminal type text that a program chose. A sequence passes as a whole or not at
//! all, so the result doesn't depend on how the output is cut into pieces.

use super::link;
use crate::model::{
    link_schemes::LinkSchemes,
    settings::{ClipboardPolicy, TerminalSettings},
    text,
};

mod sequences;
#[cfg(test)]
mod tests;

const ESC: u8 = 0x1b;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const BEL: u8 = 0x07;

/// Longest control sequence that is examined. Longer ones are dropped.
const SEQUENCE_LIMIT: usize = 256;
/// Longest operating system command. A clipboard write may be longer.
const COMMAND_LIMIT: usize = 4 * 1024;
/// What terminals accept: 74,994 bytes in base64, and the prefix.
const CLIPBOARD_LIMIT: usize = 75_008;

/// Filters one stream of output.
#[derive(Debug)]
pub struct OutputFilter {
    state: SequenceState,
    /// The bytes of an incomplete sequence or character.
    pending: Vec<u8>,
    may_write_clipboard: bool,
    link_schemes: LinkSchemes,
    allows: Allows,
}

/// What passes besides text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Allows {
    /// Sequences that programs draw with.
    Drawing,
    /// Sequences that affect only the current line: a log can't change earlier lines.
    Line { colors: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SequenceState {
    Text,
    Escape,
    Control,
    Command,
    /// ESC in a command: `\` ends the command.
    CommandEscape,
    /// A string that is dropped.
    Dropped,
    /// A control sequence that is dropped.
    DroppedControl,
}

impl OutputFilter {
    /// A dialog isn't possible here, so a program may write to the clipboard only if the settings allow it.
    #[must_use]
    pub fn new(settings: &TerminalSettings) -> Self {
        Self {
            state: SequenceState::Text,
            pending: Vec::new(),
            may_write_clipboard: settings.clipboard == ClipboardPolicy::Allow,
            link_schemes: settings.link_schemes.clone(),
            allows: Allows::Drawing,
        }
    }

    /// For a log, and for commands that don't have the terminal to themselves. Passes text, sequences that
    /// move and erase within a line, and colors if `colors` is set.
    #[must_use]
    pub fn of_log(colors: bool) -> Self {
        Self {
            allows: Allows::Line { colors },
            ..Self::new(&TerminalSettings::default())
        }
    }

    /// Returns what may reach the terminal from the next bytes of the stream.
    pub fn pass(&mut self, output: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(output.len());
        for &byte in output {
            self.take(byte, &mut out);
        }
        out
    }

    fn take(&mut self, byte: u8, out: &mut Vec<u8>) {
        match self.state {
            SequenceState::Text => self.in_text(byte, out),
            SequenceState::Escape => self.in_escape(byte, out),
            SequenceState::Control => self.in_control(byte, out),
            SequenceState::Command => self.in_command(byte, out),
            SequenceState::CommandEscape if byte == b'\\' => self.end_of_command(b"\x1b\\", out),
            SequenceState::Dropped if matches!(byte, BEL | CAN | SUB) => {
                self.begin(SequenceState::Text);
            }
            SequenceState::DroppedControl if matches!(byte, 0x40..=0x7e | CAN | SUB) => {
                self.begin(SequenceState::Text);
            }
            SequenceState::Dropped | SequenceState::DroppedControl if byte == ESC => {
                self.begin(SequenceState::Escape);
            }
            SequenceState::Dropped | SequenceState::DroppedControl => {}
            SequenceState::CommandEscape => {
                self.begin(SequenceState::Escape);
                self.in_escape(byte, out);
            }
        }
    }

    fn begin(&mut self, state: SequenceState) {
        self.state = state;
        self.pending.clear();
    }

    fn in_text(&mut self, byte: u8, out: &mut Vec<u8>) {
        if byte < 0x80 {
            if !self.pending.is_empty() {
                self.end_of_broken_character(out);
            }
            match byte {
                ESC => self.begin(SequenceState::Escape),
                b' '..=b'~' | 0x08..=0x0a | b'\r' => out.push(byte),
                // Bell, other line ends, and the two that switch character sets.
                0x07..=0x0f if self.allows == Allows::Drawing => out.push(byte),
                _ => {}
            }
            return;
        }
        self.pending.push(byte);
        match std::str::from_utf8(&self.pending) {
            Ok(character) => {
                let hidden = character.chars().any(text::is_hidden);
                if !hidden {
                    out.extend_from_slice(&self.pending);
                }
                self.pending.clear();
            }
            Err(error) if error.error_len().is_none() => {}
            Err(_) => {
                // The last byte may begin another character.
                self.pending.pop();
                let was_first = self.pending.is_empty();
                self.end_of_broken_character(out);
                if !was_first {
                    self.in_text(byte, out);
                }
            }
        }
    }

    fn end_of_broken_character(&mut self, out: &mut Vec<u8>) {
        self.pending.clear();
        out.extend_from_slice("\u{fffd}".as_bytes());
    }

    fn in_escape(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            ESC => self.begin(SequenceState::Escape),
            CAN | SUB => self.begin(SequenceState::Text),
            b'[' if self.pending.is_empty() => self.begin(SequenceState::Control),
            b']' if self.pending.is_empty() => self.begin(SequenceState::Command),
            // `k` is the title sequence of screen and tmux.
            b'P' | b'X' | b'^' | b'_' | b'k' if self.pending.is_empty() => {
                self.begin(SequenceState::Dropped);
            }
            0x20..=0x2f if self.pending.len() < SEQUENCE_LIMIT => self.pending.push(byte),
            0x30..=0x7e => {
                let draws = self.allows == Allows::Drawing;
                if draws && sequences::is_escape_allowed(&self.pending, byte) {
                    out.push(ESC);
                    out.extend_from_slice(&self.pending);
                    out.push(byte);
                }
                self.begin(SequenceState::Text);
            }
            0x80.. => {
                self.begin(SequenceState::Text);
                self.in_text(byte, out);
            }
            _ => {}
        }
    }

    fn in_control(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            ESC => self.begin(SequenceState::Escape),
            CAN | SUB => self.begin(SequenceState::Text),
            0x20..=0x3f if self.pending.len() < SEQUENCE_LIMIT => self.pending.push(byte),
            0x20..=0x3f => self.begin(SequenceState::DroppedControl),
            0x40..=0x7e => {
                let parameters = std::mem::take(&mut self.pending);
                let allowed = match (self.allows, byte) {
                    (Allows::Drawing, _) => true,
                    // With a private marker, `m` changes how keys are reported.
                    (Allows::Line { colors }, b'm') => colors && sequences::is_plain(&parameters),
                    (Allows::Line { .. }, b'C' | b'D' | b'G' | b'K') => true,
                    (Allows::Line { .. }, _) => false,
                };
                if allowed {
                    sequences::allowed_control(&parameters, byte, out);
                }
                self.begin(SequenceState::Text);
            }
            0x80.. => {
                self.begin(SequenceState::Text);
                self.in_text(byte, out);
            }
            _ => {}
        }
    }

    fn in_command(&mut self, byte: u8, out: &mut Vec<u8>) {
        let limit = if self.may_write_clipboard && self.pending.starts_with(b"52;") {
            CLIPBOARD_LIMIT
        } else {
            COMMAND_LIMIT
        };
        match byte {
            BEL => self.end_of_command(b"\x07", out),
            CAN | SUB => self.begin(SequenceState::Text),
            ESC => self.state = SequenceState::CommandEscape,
            0x20.. if self.pending.len() < limit => self.pending.push(byte),
            // Too long, or with a control character inside.
            _ => self.begin(SequenceState::Dropped),
        }
    }

    fn end_of_command(&mut self, end: &[u8], out: &mut Vec<u8>) {
        if self.is_command_allowed() {
            out.extend_from_slice(b"\x1b]");
            out.extend_from_slice(&self.pending);
            out.extend_from_slice(end);
        }
        self.begin(SequenceState::Text);
    }

    fn is_command_allowed(&self) -> bool {
        if self.allows != Allows::Drawing {
            return false;
        }
        let command = &self.pending;
        // Queries of the terminal's two default colors. Programs can't set them here, so they don't control
        // the answer.
        if command == b"10;?" || command == b"11;?" {
            return true;
        }
        if let Some(link) = command.strip_prefix(b"8;") {
            let mut parts = link.splitn(2, |byte| *byte == b';');
            let (parameters, address) = (parts.next(), parts.next());
            return parameters.is_some_and(|it| it.iter().all(u8::is_ascii_graphic))
                && address
                    .is_some_and(|it| it.is_empty() || link::is_allowed(it, &self.link_schemes));
        }
        let write = command
            .strip_prefix(b"52;")
            .filter(|_| self.may_write_clipboard);
        write.is_some_and(|write| {
            let is_base64 =
                |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
            let mut parts = write.splitn(2, |byte| *byte == b';');
            let (selection, data) = (parts.next(), parts.next());
            selection.is_some_and(|it| it.iter().all(u8::is_ascii_alphanumeric))
                && data.is_some_and(|it| it.iter().all(is_base64))
        })
    }
}
