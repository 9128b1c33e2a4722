//! Converts a line of a log to bytes of a spool file, and back.
//!
//! A record contains its length (4 bytes), the source (1), the time in nanoseconds (8), the number of styles
//! (2), the styles (18 each) and the text. Only the process that wrote a spool file reads it.

use jiff::Timestamp;

use crate::{
    app::logs::{lines::LogEntry, log_line::LogLine},
    model::{log::LogSource, text::Clean},
    terminal::attributes::{Attributes, Color, Underline},
};

const LENGTH: usize = 4;
const HEAD: usize = LENGTH + 1 + 8 + 2;
const LOOK: usize = 18;
/// Marks a line without a time.
const NO_TIME: i64 = i64::MIN;

/// Adds the record of a line.
pub(super) fn write(out: &mut Vec<u8>, entry: &LogEntry) {
    let text = entry.line.text.as_str().as_bytes();
    let styles = &entry.line.styles;
    let styles = &styles[..styles.len().min(usize::from(u16::MAX))];
    let length = HEAD + styles.len() * LOOK + text.len();
    let time = entry.line.time.map(Timestamp::as_nanosecond);
    let time = time.and_then(|time| i64::try_from(time).ok());
    out.extend_from_slice(&(length as u32).to_le_bytes());
    out.push(u8::from(entry.source == LogSource::Stderr));
    out.extend_from_slice(&time.unwrap_or(NO_TIME).to_le_bytes());
    out.extend_from_slice(&(styles.len() as u16).to_le_bytes());
    for (at, style) in styles {
        out.extend_from_slice(&(*at as u32).to_le_bytes());
        write_style(out, style);
    }
    out.extend_from_slice(text);
}

/// A record and the bytes after it; `None` at the end.
pub(super) fn split(bytes: &[u8]) -> Option<(Record<'_>, &[u8])> {
    let length = u32::from_le_bytes(bytes.first_chunk::<LENGTH>().copied()?) as usize;
    let (record, rest) = bytes.split_at_checked(length)?;
    Some((Record::new(record)?, rest))
}

/// A record as it is stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    head: &'a [u8],
    styles: &'a [u8],
    text: &'a [u8],
}

impl<'a> Record<'a> {
    fn new(record: &'a [u8]) -> Option<Self> {
        let (head, rest) = record.split_at_checked(HEAD)?;
        let styles = u16::from_le_bytes(head.last_chunk().copied()?);
        let (styles, text) = rest.split_at_checked(usize::from(styles) * LOOK)?;
        Some(Self { head, styles, text })
    }

    pub(super) fn text(&self) -> &'a str {
        std::str::from_utf8(self.text).unwrap_or_default()
    }

    pub(super) fn time(&self) -> Option<Timestamp> {
        let time = self.head.get(LENGTH + 1..)?.first_chunk().copied()?;
        let time = Some(i64::from_le_bytes(time)).filter(|time| *time != NO_TIME)?;
        Timestamp::from_nanosecond(time.into()).ok()
    }

    pub(super) fn entry(&self) -> LogEntry {
        let source = match self.head.get(LENGTH) {
            Some(1) => LogSource::Stderr,
            _ => LogSource::Stdout,
        };
        let styles = self.styles.chunks_exact(LOOK).filter_map(|style| {
            let (at, style) = style.split_first_chunk()?;
            Some((u32::from_le_bytes(*at) as usize, read_style(style)))
        });
        let line = LogLine {
            time: self.time(),
            text: Clean::new(self.text()),
            styles: styles.collect(),
        };
        LogEntry { source, line }
    }
}

fn write_style(out: &mut Vec<u8>, style: &Attributes) {
    for color in [style.foreground, style.background, style.underline_color] {
        out.extend_from_slice(&match color {
            Color::Default => [0, 0, 0, 0],
            Color::Indexed(index) => [1, index, 0, 0],
            Color::Rgb(red, green, blue) => [2, red, green, blue],
        });
    }
    let flags = [
        style.bold,
        style.dim,
        style.italic,
        style.blink,
        style.reverse,
        style.concealed,
        style.struck,
    ];
    let bits = flags.iter().enumerate();
    out.push(bits.fold(0, |sum, (bit, on)| sum | u8::from(*on) << bit));
    out.push(match style.underline {
        Underline::None => 0,
        Underline::Single => 1,
        Underline::Double => 2,
        Underline::Curly => 3,
        Underline::Dotted => 4,
        Underline::Dashed => 5,
    });
}

fn read_style(bytes: &[u8]) -> Attributes {
    let mut colors = bytes.chunks_exact(4).map(|color| match *color {
        [1, index, ..] => Color::Indexed(index),
        [2, red, green, blue] => Color::Rgb(red, green, blue),
        _ => Color::Default,
    });
    let mut color = || colors.next().unwrap_or_default();
    let (foreground, background, underline_color) = (color(), color(), color());
    let flags = bytes.get(12).copied().unwrap_or_default();
    let has = |bit: u8| flags & (1 << bit) != 0;
    Attributes {
        foreground,
        background,
        underline_color,
        bold: has(0),
        dim: has(1),
        italic: has(2),
        blink: has(3),
        reverse: has(4),
        concealed: has(5),
        struck: has(6),
        underline: match bytes.get(13) {
            Some(1) => Underline::Single,
            Some(2) => Underline::Double,
            Some(3) => Underline::Curly,
            Some(4) => Underline::Dotted,
            Some(5) => Underline::Dashed,
            _ => Underline::None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::logs::lines::Lines;

    #[test]
    fn a_line_comes_back_as_it_was() {
        let mut lines = Lines::with_times();
        let mut entries = Vec::new();
        let log = "2026-05-04T09:30:01.000000005Z \x1b[1;31;48;2;1;2;3ma\x1b[4:3;58;5;9m한\x1b[0mb\n\nno time\n2026-05-04T09:30:02Z \x1b[2;3;5;7;8;9mx\n";
        for source in [LogSource::Stdout, LogSource::Stderr] {
            lines.read(source, log.as_bytes(), |entry| entries.push(entry));
        }
        assert_eq!(entries.len(), 8);
        let mut bytes = Vec::new();
        for entry in &entries {
            write(&mut bytes, entry);
        }
        let mut rest = &bytes[..];
        for entry in entries {
            let (record, after) = split(rest).unwrap();
            assert_eq!(record.entry(), entry);
            assert!(split(&rest[..rest.len() - after.len() - 1]).is_none());
            rest = after;
        }
        assert!(rest.is_empty());
    }
}
