//! Takes answers to questions about the terminal that come while the TUI runs: after the wait for them ended, or
//! to the questions about colors that are asked again. They arrive as typed keys. Colors are passed on as a message,
//! everything else is dropped.

use crate::{
    app::msg::Msg,
    key::{Key, KeyCode},
    terminal::defaults::{DefaultColors, Rgb},
};

/// The filter for messages from the keyboard.
#[derive(Debug, Default)]
pub struct LateAnswer {
    awaited: Vec<AnswerKind>,
    begun: Option<BegunAnswer>,
    /// The characters of the begun answer.
    text: String,
    /// The colors that the terminal reported last.
    colors: DefaultColors,
    /// The messages of the begun answer, until it is certain that they are one.
    held: Vec<Msg>,
    /// The last key was Esc. If the answer is cut there, it arrives as Esc and another key instead of as one key with
    /// Alt.
    after_escape: bool,
}

/// An answer of a terminal, as keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerKind {
    /// `ESC ] 1 0 ; r g b : … ESC \`, the same with 11
    Color,
    /// `ESC P > | … ESC \`
    Name,
    /// `ESC [ ? … c` or `… u`. It arrives as keys only if it was cut.
    Kind,
}

impl AnswerKind {
    fn key(self) -> Key {
        match self {
            Self::Color => alt(']'),
            Self::Name => alt('P'),
            Self::Kind => alt('['),
        }
    }

    /// The characters allowed at each position of the beginning.
    fn beginning(self) -> &'static [&'static str] {
        match self {
            Self::Color => &["1", "01", ";", "r", "g", "b"],
            Self::Name => &[">", "|"],
            Self::Kind => &["?"],
        }
    }

    /// Whether the answer may contain this character after its beginning.
    fn may_contain(self, c: char) -> bool {
        match self {
            Self::Color => c.is_ascii_hexdigit() || matches!(c, ':' | '/'),
            Self::Name => c == ' ' || c.is_ascii_graphic(),
            Self::Kind => c.is_ascii_digit() || c == ';',
        }
    }

    fn ends_with(self, key: Key) -> bool {
        match self {
            Self::Color | Self::Name => key == alt('\\') || key == Key::ctrl('g'),
            Self::Kind => key == Key::char('c') || key == Key::char('u'),
        }
    }
}

/// An answer whose first keys have come.
#[derive(Clone, Copy, Debug)]
struct BegunAnswer {
    kind: AnswerKind,
    /// The number of characters after the first key.
    length: usize,
    /// The end was cut after its ESC.
    escaped: bool,
}

/// What a key means for a begun answer.
enum AnswerPart {
    Inside,
    End,
    Foreign,
}

/// A terminal that stopped answering is asked again with each focus.
const MOST_AWAITED: usize = 32;
/// Longest answer: `11;rgba:ffff/ffff/ffff/ffff`, a long name.
const LONGEST: usize = 64;

impl BegunAnswer {
    /// Whether nobody types what has come so far.
    fn is_certain(self) -> bool {
        self.length >= self.kind.beginning().len()
    }

    fn take(&mut self, key: Key) -> AnswerPart {
        let ends = if self.escaped {
            key == Key::char('\\')
        } else {
            self.kind.ends_with(key)
        };
        if ends {
            return AnswerPart::End;
        }
        if self.escaped || self.length >= LONGEST {
            return AnswerPart::Foreign;
        }
        match key.code {
            KeyCode::Esc if self.is_certain() => self.escaped = true,
            KeyCode::Char(c) if !key.alt && !key.ctrl && self.fits(c) => self.length += 1,
            _ => return AnswerPart::Foreign,
        }
        AnswerPart::Inside
    }

    fn fits(self, c: char) -> bool {
        match self.kind.beginning().get(self.length) {
            Some(allowed) => allowed.contains(c),
            None => self.kind.may_contain(c),
        }
    }
}

impl LateAnswer {
    /// A filter for answers that have not come in time. `cut` is what has been read of an incomplete one. `None` =
    /// all answers have come.
    pub fn new(cut: Option<&[u8]>) -> Self {
        let Some(cut) = cut else {
            return Self::default();
        };
        let mut late = Self {
            awaited: vec![
                AnswerKind::Color,
                AnswerKind::Color,
                AnswerKind::Kind,
                AnswerKind::Name,
                AnswerKind::Kind,
            ],
            ..Self::default()
        };
        for key in keys(cut) {
            late.filter(Msg::Key(key));
        }
        // The user didn't type this.
        late.held.clear();
        late
    }

    /// The colors that are known already. If the terminal has answered once, it is asked again when it gets the
    /// focus or reports another color scheme, because its colors may have changed (`Effect::AskColors`).
    #[must_use]
    pub fn knowing(mut self, colors: DefaultColors) -> Self {
        self.colors = colors;
        self
    }

    /// The app asks for both colors now. The answers to the questions before may still come.
    fn ask_again(&mut self) {
        if self.awaited.len() < MOST_AWAITED {
            self.awaited.extend([AnswerKind::Color, AnswerKind::Color]);
        }
    }

    /// Passes a message on, with the messages held before it. Holds messages that may be an answer.
    pub fn filter(&mut self, msg: Msg) -> Vec<Msg> {
        let asks = matches!(msg, Msg::Focus(true) | Msg::ColorScheme { .. });
        if asks && self.colors.background.is_some() {
            self.ask_again();
        }
        if self.awaited.is_empty() {
            return vec![msg];
        }
        let key = match &msg {
            Msg::Key(key) => *key,
            // The size can change at any time.
            Msg::Resize { .. } => return vec![msg],
            _ => {
                let mut out = self.give_up();
                out.push(msg);
                return out;
            }
        };
        let Some(begun) = &mut self.begun else {
            return self.outside(key);
        };
        match begun.take(key) {
            AnswerPart::Inside => {
                if let KeyCode::Char(c) = key.code {
                    self.text.push(c);
                }
                self.held.push(msg);
                Vec::new()
            }
            AnswerPart::End => self.answered().into_iter().collect(),
            AnswerPart::Foreign => {
                let mut out = self.give_up();
                out.extend(self.outside(key));
                out
            }
        }
    }

    /// Takes a key that doesn't belong to a begun answer.
    fn outside(&mut self, key: Key) -> Vec<Msg> {
        let after_escape = std::mem::replace(&mut self.after_escape, key.code == KeyCode::Esc);
        let first = Key {
            alt: key.alt || after_escape,
            ..key
        };
        let kind = self.awaited.iter().copied().find(|it| it.key() == first);
        let Some(kind) = kind else {
            return vec![Msg::Key(key)];
        };
        self.begun = Some(BegunAnswer {
            kind,
            length: 0,
            escaped: false,
        });
        self.text.clear();
        self.held.push(Msg::Key(key));
        Vec::new()
    }

    /// Ends a begun answer without its end. Returns the messages that were typed after all.
    fn give_up(&mut self) -> Vec<Msg> {
        self.after_escape = false;
        if self.begun.is_some_and(BegunAnswer::is_certain) {
            self.answered();
        }
        self.begun = None;
        std::mem::take(&mut self.held)
    }

    /// The begun answer is complete. Returns the colors if it changed them.
    fn answered(&mut self) -> Option<Msg> {
        self.held.clear();
        let begun = self.begun.take()?;
        if let Some(at) = self.awaited.iter().position(|it| *it == begun.kind) {
            self.awaited.remove(at);
        }
        let (osc, color) = self.text.split_once(';')?;
        let color = Rgb::parse(color).filter(|_| begun.kind == AnswerKind::Color)?;
        let before = self.colors;
        match osc {
            "10" => self.colors.foreground = Some(color),
            _ => self.colors.background = Some(color),
        }
        (self.colors != before).then_some(Msg::TerminalColors(self.colors))
    }
}

/// The keys that these bytes are read as.
fn keys(bytes: &[u8]) -> Vec<Key> {
    let text = String::from_utf8_lossy(bytes);
    let mut keys = Vec::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        keys.push(match (c, c == '\x1b') {
            (_, true) => rest.next().map_or(Key::plain(KeyCode::Esc), alt),
            (c, false) => Key::char(c),
        });
    }
    keys
}

fn alt(c: char) -> Key {
    Key {
        alt: true,
        ..Key::char(c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLOR: &str = "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\";

    /// What the user is taken to have typed, when the bytes arrive in these pieces.
    fn typed(filter: &mut LateAnswer, pieces: &[&str]) -> String {
        let mut text = String::new();
        for key in pieces.iter().flat_map(|piece| keys(piece.as_bytes())) {
            for msg in filter.filter(Msg::Key(key)) {
                if let Msg::Key(key) = msg {
                    text += &key.to_string();
                }
            }
        }
        text
    }

    fn late() -> LateAnswer {
        LateAnswer::new(Some(b""))
    }

    #[test]
    fn a_late_answer_is_not_typed() {
        let mut filter = late();
        assert_eq!(typed(&mut filter, &[COLOR]), "");
        assert_eq!(typed(&mut filter, &["x"]), "x");
        let mut foreground = keys(b"\x1b]10;rgb:e0e0/e0e0/e0e0");
        foreground.push(Key::ctrl('g'));
        let passed = foreground
            .into_iter()
            .flat_map(|key| filter.filter(Msg::Key(key)));
        let typed_keys = passed.filter(|msg| matches!(msg, Msg::Key(_)));
        assert_eq!(typed_keys.count(), 0);
        assert_eq!(
            typed(&mut filter, &["\x1b]11"]),
            "alt-]11",
            "both have come"
        );
        let name = "\x1bP>|XTerm(390) 1\x1b\\";
        assert_eq!(typed(&mut filter, &[name]), "");
        assert_eq!(typed(&mut filter, &[&name[..4]]), "alt-P>|");
        assert_eq!(typed(&mut LateAnswer::new(None), &[&COLOR[..3]]), "alt-]1");
    }

    #[test]
    fn an_answer_that_is_cut_anywhere_is_not_typed() {
        for answer in [COLOR, "\x1bP>|XTerm(390)\x1b\\", "\x1b[?62;22c", "\x1b[?0u"] {
            for at in 1..answer.len() {
                let (read, rest) = answer.split_at(at);
                let mut filter = LateAnswer::new(Some(read.as_bytes()));
                let text = typed(&mut filter, &[rest, "x"]);
                assert_eq!(text, "x", "read until {at}: {answer:?}");
                let text = typed(&mut late(), &[read, rest, "x"]);
                // The keyboard reports an ESC without more bytes at once.
                let expected = if at == 1 { "escx" } else { "x" };
                // Nothing but a whole answer of this kind arrives as one event.
                if answer.starts_with("\x1b[") && at > 1 {
                    continue;
                }
                assert_eq!(text, expected, "cut at {at}: {answer:?}");
            }
        }
    }

    /// The backgrounds that the filter reports for these keys.
    fn backgrounds(filter: &mut LateAnswer, answer: &str) -> Vec<Option<Rgb>> {
        let keys = keys(answer.as_bytes()).into_iter();
        let passed = keys.flat_map(|key| filter.filter(Msg::Key(key)));
        let colors = passed.filter_map(|msg| match msg {
            Msg::TerminalColors(colors) => Some(colors.background),
            _ => None,
        });
        colors.collect()
    }

    #[test]
    fn a_late_color_is_reported_once() {
        let mut filter = late();
        let dark = Rgb::parse("rgb:1212/1212/1212");
        let answer = "\x1b]11;rgb:1212/1212/1212\x1b\\";
        assert_eq!(backgrounds(&mut filter, answer), [dark]);
        assert_eq!(backgrounds(&mut filter, answer), [], "it is known");
        let mut cut = LateAnswer::new(Some(b"\x1b]11;rgb:12"));
        assert_eq!(backgrounds(&mut cut, "12/1212/1212\x1b\\"), [dark]);
    }

    #[test]
    fn a_terminal_that_answered_is_asked_again_when_it_gets_the_focus() {
        let dark = DefaultColors {
            foreground: None,
            background: Rgb::parse("rgb:1212/1212/1212"),
        };
        let mut filter = LateAnswer::new(None).knowing(dark);
        let light = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\";
        assert_eq!(backgrounds(&mut filter, light), [], "nothing was asked");
        assert_eq!(filter.filter(Msg::Focus(true)), [Msg::Focus(true)]);
        let white = Rgb::parse("rgb:ffff/ffff/ffff");
        assert_eq!(backgrounds(&mut filter, light), [white]);
        filter.filter(Msg::ColorScheme { dark: true });
        let black = "\x1b]11;rgb:1212/1212/1212\x1b\\";
        assert_eq!(backgrounds(&mut filter, black), [dark.background]);
        let mut silent = LateAnswer::new(None);
        silent.filter(Msg::Focus(true));
        assert_eq!(backgrounds(&mut silent, light), []);
    }

    #[test]
    fn the_answers_to_two_questions_in_a_row_are_not_typed() {
        let dark = DefaultColors {
            foreground: None,
            background: Rgb::parse("rgb:1212/1212/1212"),
        };
        let mut filter = LateAnswer::new(None).knowing(dark);
        filter.filter(Msg::ColorScheme { dark: false });
        filter.filter(Msg::ColorScheme { dark: true });
        assert_eq!(typed(&mut filter, &[COLOR; 4]), "");
        assert_eq!(typed(&mut filter, &["x"]), "x");
        assert_eq!(
            typed(&mut filter, &[&COLOR[..3]]),
            "alt-]1",
            "all have come"
        );
    }

    #[test]
    fn an_answer_without_an_end_does_not_take_keys() {
        let mut filter = late();
        assert_eq!(typed(&mut filter, &["\x1b]11;rgb:1e1e/", "n", "q"]), "nq");
        assert_eq!(typed(&mut filter, &[COLOR]), "", "the other color");
    }

    #[test]
    fn what_is_no_answer_is_typed_whole() {
        let mut filter = late();
        assert_eq!(typed(&mut filter, &["\x1b]11;ok!"]), "alt-]11;ok!");
        assert_eq!(typed(&mut filter, &["\x1b]1x"]), "alt-]1x");
        assert_eq!(typed(&mut filter, &["\x1b", "]x"]), "esc]x");
    }

    #[test]
    fn a_new_size_does_not_end_an_answer() {
        let mut filter = late();
        assert_eq!(typed(&mut filter, &[&COLOR[..12]]), "");
        let size = Msg::Resize {
            columns: 80,
            rows: 24,
        };
        assert_eq!(filter.filter(size.clone()), [size]);
        assert_eq!(typed(&mut filter, &[&COLOR[12..], "x"]), "x");
    }
}
