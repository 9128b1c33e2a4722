//! Turns the bytes of a log into lines. Keeps colors, applies carriage returns, and removes everything else
//! that isn't text.

use jiff::Timestamp;

use crate::{
    model::log::{LONGEST_TIME, split_time},
    model::text::{Clean, is_hidden, is_joiner, is_joining},
    terminal::attributes::Attributes,
};

/// Longer lines are broken, so that an endless line can't fill the memory.
const LONGEST: usize = 16 * 1024;
/// Maximum length of an escape sequence. A longer one ends there.
const LONGEST_SEQUENCE: usize = 4 * 1024;
const TAB: usize = 8;

/// A line of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogLine {
    /// When the line was printed, if the engine keeps times.
    pub time: Option<Timestamp>,
    pub text: Clean,
    /// The byte where each look begins, empty for plain text.
    pub styles: Vec<(usize, Attributes)>,
}

impl LogLine {
    /// Approximate size in memory, in bytes.
    pub fn cost(&self) -> usize {
        self.text.as_str().len()
            + self.styles.len() * size_of::<(usize, Attributes)>()
            + size_of::<Self>()
    }

    /// The look at a byte of the text.
    pub fn style_at(&self, byte: usize) -> Attributes {
        let behind = self.styles.partition_point(|(start, _)| *start <= byte);
        behind
            .checked_sub(1)
            .and_then(|at| self.styles.get(at))
            .map_or_else(Attributes::default, |(_, style)| *style)
    }
}

/// Reads one source of a log and stores its unfinished line.
#[derive(Debug, Default)]
pub struct LineReader {
    /// The incomplete character at the end of the last chunk.
    partial: Vec<u8>,
    state: LineState,
    sequence: String,
    pen: Attributes,
    line: Vec<(char, Attributes)>,
    /// The position of the next character.
    cursor: usize,
    times: Option<Times>,
}

/// The times before the lines.
#[derive(Clone, Debug)]
struct Times {
    /// A possible time at the beginning of a line.
    coming: Option<String>,
    /// The time of the current line.
    time: Option<Timestamp>,
}

impl Times {
    fn new() -> Self {
        Self {
            coming: Some(String::new()),
            time: None,
        }
    }

    /// Takes a character at the beginning of a line. Returns the text if it isn't a time.
    fn take(&mut self, c: char) -> Option<String> {
        let coming = self.coming.as_mut()?;
        coming.push(c);
        if c != ' ' && c != '\n' && coming.len() <= LONGEST_TIME {
            return Some(String::new());
        }
        let coming = self.coming.take().unwrap_or_default();
        match split_time(coming.as_bytes()) {
            Some((at, _)) => {
                self.time = Some(at);
                Some(String::new())
            }
            None => Some(coming),
        }
    }

    fn next_line(&mut self) {
        self.coming = Some(String::new());
        self.time = None;
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LineState {
    #[default]
    Text,
    Escape,
    /// `ESC (` and similar: one more character follows.
    Charset,
    Csi,
    /// OSC, DCS and similar, up to BEL or ST.
    InString,
    /// ESC in such a string.
    StringEscape,
}

impl LineReader {
    /// Reads a chunk and passes every finished line to `take`.
    pub fn read(&mut self, bytes: &[u8], mut take: impl FnMut(LogLine)) {
        let joined;
        let mut rest: &[u8] = if self.partial.is_empty() {
            bytes
        } else {
            self.partial.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.partial);
            &joined
        };
        while !rest.is_empty() {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.chars(text, &mut take);
                    return;
                }
                Err(error) => {
                    let (valid, bad) = rest.split_at(error.valid_up_to());
                    self.chars(&String::from_utf8_lossy(valid), &mut take);
                    let Some(length) = error.error_len() else {
                        self.partial = bad.to_vec();
                        return;
                    };
                    self.char(char::REPLACEMENT_CHARACTER, &mut take);
                    rest = &bad[length..];
                }
            }
        }
    }

    fn chars(&mut self, text: &str, take: &mut impl FnMut(LogLine)) {
        for c in text.chars() {
            self.char(c, take);
        }
    }

    /// Creates a reader for lines with times.
    pub fn with_times() -> Self {
        Self {
            times: Some(Times::new()),
            ..Self::default()
        }
    }

    /// The unfinished line, `None` if it is empty.
    pub fn unfinished(&self) -> Option<LogLine> {
        (!self.line.is_empty()).then(|| self.finished())
    }

    /// Finishes the last line, at the end of the log.
    pub fn finish(&mut self) -> Option<LogLine> {
        let coming = self.times.as_mut().and_then(|times| times.coming.take());
        let coming = coming.unwrap_or_default();
        self.line.extend(coming.chars().map(|c| (c, self.pen)));
        let line = self.unfinished();
        *self = match self.times {
            Some(_) => Self::with_times(),
            None => Self::default(),
        };
        line
    }

    fn finished(&self) -> LogLine {
        LogLine {
            time: self.times.as_ref().and_then(|times| times.time),
            ..finished(&self.line)
        }
    }

    fn char(&mut self, c: char, take: &mut impl FnMut(LogLine)) {
        let at_start = self.times.as_mut().and_then(|times| times.take(c));
        match at_start {
            None => self.shown(c, take),
            Some(text) => text.chars().for_each(|c| self.shown(c, take)),
        }
    }

    fn shown(&mut self, c: char, take: &mut impl FnMut(LogLine)) {
        match self.state {
            LineState::Text => self.text(c, take),
            LineState::Escape => self.escape(c),
            LineState::Csi => self.csi(c),
            LineState::InString => self.string(c),
            // Exactly one more character belongs to the sequence.
            LineState::Charset | LineState::StringEscape => self.state = LineState::Text,
        }
    }

    fn text(&mut self, c: char, take: &mut impl FnMut(LogLine)) {
        match c {
            '\n' => {
                take(self.finished());
                self.line.clear();
                self.cursor = 0;
                if let Some(times) = &mut self.times {
                    times.next_line();
                }
            }
            '\r' => self.cursor = 0,
            '\u{8}' => self.cursor = self.cursor.saturating_sub(1),
            '\t' => {
                let stop = (self.cursor / TAB + 1) * TAB;
                while self.cursor < stop {
                    self.put(' ', take);
                }
            }
            '\u{1b}' => self.begin(LineState::Escape),
            '\u{9b}' => self.begin(LineState::Csi),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => self.begin(LineState::InString),
            ' '..='~' => self.put(c, take),
            c if is_hidden(c) => {}
            c => self.put(c, take),
        }
    }

    fn begin(&mut self, state: LineState) {
        self.state = state;
        self.sequence.clear();
    }

    fn put(&mut self, c: char, take: &mut impl FnMut(LogLine)) {
        if self.cursor >= LONGEST {
            take(self.finished());
            self.line.clear();
            self.cursor = 0;
        }
        match self.line.get_mut(self.cursor) {
            Some(place) => *place = (c, self.pen),
            None => self.line.push((c, self.pen)),
        }
        self.cursor += 1;
    }

    fn escape(&mut self, c: char) {
        match c {
            '[' => self.begin(LineState::Csi),
            ']' | 'P' | 'X' | '^' | '_' => self.begin(LineState::InString),
            ' '..='/' => self.state = LineState::Charset,
            _ => self.state = LineState::Text,
        }
    }

    fn string(&mut self, c: char) {
        self.sequence.push('.');
        match c {
            '\u{7}' | '\u{9c}' | '\n' => self.state = LineState::Text,
            '\u{1b}' => self.state = LineState::StringEscape,
            // An unfinished sequence must not swallow the whole log.
            _ if self.sequence.len() > LONGEST_SEQUENCE => self.state = LineState::Text,
            _ => {}
        }
    }

    fn csi(&mut self, c: char) {
        match c {
            'm' => {
                self.pen.select(self.sequence.as_bytes());
                self.state = LineState::Text;
            }
            'K' => {
                self.state = LineState::Text;
                match self.sequence.as_str() {
                    "" | "0" => self.line.truncate(self.cursor),
                    "2" => {
                        self.line.clear();
                        self.pad();
                    }
                    _ => {}
                }
            }
            'G' => {
                let column: usize = self.sequence.parse().unwrap_or(1);
                self.cursor = column.saturating_sub(1).min(LONGEST - 1);
                self.pad();
                self.state = LineState::Text;
            }
            '@'..='~' => self.state = LineState::Text,
            c if !c.is_ascii() || self.sequence.len() > LONGEST_SEQUENCE => {
                self.state = LineState::Text;
            }
            c => self.sequence.push(c),
        }
    }

    /// Adds blanks up to the cursor.
    fn pad(&mut self) {
        if self.line.len() < self.cursor {
            self.line.resize(self.cursor, (' ', Attributes::default()));
        }
    }
}

fn finished(line: &[(char, Attributes)]) -> LogLine {
    let mut text = String::with_capacity(line.len());
    let mut styles = Vec::new();
    let mut before = Attributes::default();
    for (at, (c, style)) in line.iter().enumerate() {
        let after = line.get(at + 1).map(|(after, _)| *after);
        if is_joiner(*c) && !is_joining(text.chars().next_back(), *c, after) {
            continue;
        }
        if *style != before {
            styles.push((text.len(), *style));
            before = *style;
        }
        text.push(*c);
    }
    let trimmed = text.trim_end().len();
    text.truncate(trimmed);
    styles.retain(|(start, _)| *start < trimmed);
    LogLine {
        time: None,
        text: Clean::new(&text),
        styles,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::attributes::Color;

    fn read(chunks: &[&[u8]]) -> (Vec<String>, String) {
        let mut reader = LineReader::default();
        let mut lines = Vec::new();
        for chunk in chunks {
            reader.read(chunk, |line| lines.push(line.text.into_string()));
        }
        let last = reader.unfinished().unwrap_or_default().text.into_string();
        (lines, last)
    }

    #[test]
    fn lines_come_whole_however_they_are_cut() {
        let stream = "하나 é\nzwei \u{1b}[31mrot\u{1b}[0m\r\n셋".as_bytes();
        for size in 1..stream.len() {
            let chunks: Vec<&[u8]> = stream.chunks(size).collect();
            let (lines, last) = read(&chunks);
            assert_eq!(lines, ["하나 é", "zwei rot"], "{size}");
            assert_eq!(last, "셋");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_marked() {
        assert_eq!(read(&[b"a\xffb\xc3(\n"]).0, ["a\u{fffd}b\u{fffd}("]);
    }

    #[test]
    fn progress_overwrites_its_line() {
        assert_eq!(read(&[b" 10%\r 20%\r100%\n"]).0, ["100%"]);
        assert_eq!(read(&[b"long text\r\x1b[Kok\n"]).0, ["ok"]);
        assert_eq!(read(&[b"abc\x08\x08X\n"]).0, ["aXc"]);
        assert_eq!(read(&[b"a\tb\n"]).0, ["a       b"]);
        assert_eq!(read(&[b"50%\r"]).1, "50%");
    }

    #[test]
    fn sequences_and_tricks_vanish() {
        let stream = "a\x1b[2Jb\x1b]52;c;aGk=\x07c\x1b]0;t\x1b\\d\x1b(Be\x1bP+q\x1b\\f\u{202e}g\n";
        assert_eq!(read(&[stream.as_bytes()]).0, ["abcdefg"]);
        assert_eq!(read(&[b"a\x1b]unended\nb\n"]).0, ["ab"]);
    }

    #[test]
    fn a_line_without_end_is_broken() {
        let (lines, last) = read(&[&vec![b'x'; LONGEST + 5]]);
        assert_eq!(lines.len(), 1);
        assert_eq!((lines[0].len(), last.len()), (LONGEST, 5));
        let (lines, _) = read(&[&b"\x1b[99999999999Gx\n".repeat(3)]);
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn colors_are_kept_by_place() {
        let mut reader = LineReader::default();
        let mut lines = Vec::new();
        let stream = b"a\x1b[1;31mb\x1b[38;5;200mc\x1b[48;2;1;2;3md\x1b[mE\n";
        reader.read(stream, |line| lines.push(line));
        let line = &lines[0];
        assert_eq!(line.style_at(0), Attributes::default());
        assert_eq!(line.style_at(1).foreground, Color::Indexed(1));
        assert!(line.style_at(1).bold);
        assert_eq!(line.style_at(2).foreground, Color::Indexed(200));
        assert_eq!(line.style_at(3).background, Color::Rgb(1, 2, 3));
        assert_eq!(line.style_at(4), Attributes::default());
    }

    #[test]
    fn a_time_is_kept_of_what_is_written_over() {
        let mut reader = LineReader::with_times();
        let mut lines = Vec::new();
        let log =
            b"2026-05-04T09:30:01Z  10%\r100%\nno time\n2026-05-04T09:30:02Z \xed\x95\x9c\n\nlast";
        for piece in log.chunks(7) {
            reader.read(piece, |line| {
                let time = line.time.map(|at| at.as_second() - 1_777_887_000);
                lines.push((time, line.text.into_string()));
            });
        }
        let expected = [
            (Some(1), "100%"),
            (None, "no time"),
            (Some(2), "한"),
            (None, ""),
        ];
        assert_eq!(lines, expected.map(|(at, text)| (at, text.to_owned())));
        reader.read(b" words", |_| ());
        assert_eq!(reader.finish().unwrap().text.as_str(), "last words");
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_give_clean_lines(chunks in proptest::collection::vec(
            proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40), 0..10)
        ) {
            let mut reader = LineReader::default();
            for chunk in &chunks {
                reader.read(chunk, |line| {
                    for (start, _) in &line.styles {
                        assert!(line.text.as_str().is_char_boundary(*start));
                    }
                });
            }
        }
    }

    /// The text of all lines of `pieces`.
    fn texts(pieces: &[&[u8]]) -> Vec<String> {
        let mut reader = LineReader::default();
        let mut lines = Vec::new();
        for piece in pieces {
            reader.read(piece, |line| lines.push(line));
        }
        lines.extend(reader.finish());
        lines
            .into_iter()
            .map(|line| line.text.to_string())
            .collect()
    }

    #[test]
    fn fuzz_log_lines() {
        crate::fuzz::parser("log-lines", &[], |bytes, random| {
            let whole = texts(&[bytes]);
            crate::fuzz::bounded(bytes, &whole);
            assert_eq!(texts(&random.split(bytes)), whole);
        });
    }
}
