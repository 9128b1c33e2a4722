//! Collects what the parser reports besides cells: queries of the child, titles, bells, clipboard writes.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use unicode_width::UnicodeWidthChar as _;

use vt100::{Callbacks, MouseProtocolMode, Screen};

use crate::{
    model::{link_schemes::LinkSchemes, text::Clean},
    terminal::{
        defaults::DefaultColors,
        link::{Link, Numbers},
    },
};

/// Longest title kept, in cells.
const TITLE_CELLS: usize = 64;
/// Most bytes of answers that are kept until they are fetched. Further queries get no answer.
const ANSWERS_LIMIT: usize = 4 * 1024;

/// The link of the next cells.
#[derive(Debug)]
pub(super) enum Linked {
    To(Arc<Link>),
    No,
}

/// A text for the clipboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipboardText {
    pub text: String,
    /// An earlier text came before it and was not fetched.
    pub mixed: bool,
}

#[derive(Debug, Default)]
pub(super) struct Reports {
    /// Bytes for the child.
    pub answers: Vec<u8>,
    pub title: Option<Clean>,
    pub bell: bool,
    /// The last clipboard write since it was fetched.
    pub clipboard: Option<ClipboardText>,
    /// The child wants focus reports (mode 1004).
    pub focus: bool,
    /// How the child wants keys to be reported that have no bytes of their own (modifyOtherKeys).
    pub other_keys: u8,
    /// Between the start and the end of a synchronized update (mode 2026).
    pub in_update: bool,
    /// A link began or ended, and the emulator hasn't handled that yet.
    pub link: Option<Linked>,
    /// The numbers of links.
    pub links: Numbers,
    /// The schemes that links may have.
    pub link_schemes: LinkSchemes,
    /// The answers to programs that query the default colors.
    pub colors: DefaultColors,
    /// An overlong string is being ended, so everything that the parser reports is ignored.
    pub is_muted: bool,
}

impl Reports {
    fn answer(&mut self, bytes: &[u8]) {
        if self.answers.len() + bytes.len() <= ANSWERS_LIMIT {
            self.answers.extend_from_slice(bytes);
        }
    }

    fn set_private_mode(&mut self, mode: u16, on: bool) {
        match mode {
            1004 => self.focus = on,
            2026 => self.in_update = on,
            _ => {}
        }
    }

    /// DECRQM: 1 = set, 2 = reset, 0 = unknown.
    fn private_mode(&self, screen: &Screen, mode: u16) -> u8 {
        let mouse = screen.mouse_protocol_mode();
        let known = |on: bool| if on { 1 } else { 2 };
        match mode {
            1 => known(screen.application_cursor()),
            25 => known(!screen.hide_cursor()),
            1000 => known(mouse == MouseProtocolMode::PressRelease),
            1002 => known(mouse == MouseProtocolMode::ButtonMotion),
            1003 => known(mouse == MouseProtocolMode::AnyMotion),
            1004 => known(self.focus),
            1049 => known(screen.alternate_screen()),
            2004 => known(screen.bracketed_paste()),
            2026 => known(self.in_update),
            _ => 0,
        }
    }

    /// Answers OSC 10 and 11: `?` queries the color, and each further `?` queries the color of the next number.
    /// Requests to set a color are ignored, because they would change the outer terminal permanently.
    fn default_colors(&mut self, first: u16, asked: &[&[u8]]) {
        for (osc, what) in (first..).zip(asked) {
            if let (b"?", Some(color)) = (*what, self.colors.of(osc)) {
                self.answer(format!("\x1b]{osc};{color}\x1b\\").as_bytes());
            }
        }
    }

    fn device_status(&mut self, screen: &Screen, private: bool, what: u16) {
        match what {
            5 if !private => self.answer(b"\x1b[0n"),
            6 => {
                let (row, column) = screen.cursor_position();
                let (_, columns) = screen.size();
                let column = column.min(columns.get() - 1);
                let mark = if private { "?" } else { "" };
                self.answer(format!("\x1b[{mark}{};{}R", row + 1, column + 1).as_bytes());
            }
            _ => {}
        }
    }
}

/// The first value of the first parameter, or 0 without parameters.
fn first(params: &[&[u16]]) -> u16 {
    params
        .first()
        .and_then(|param| param.first())
        .copied()
        .unwrap_or(0)
}

impl Callbacks for Reports {
    fn audible_bell(&mut self, _: &mut Screen) {
        self.bell |= !self.is_muted;
    }

    fn set_window_title(&mut self, _: &mut Screen, title: &[u8]) {
        if !self.is_muted {
            self.title = Some(short_title(title));
        }
    }

    fn copy_to_clipboard(&mut self, _: &mut Screen, _selection: &[u8], data: &[u8]) {
        if self.is_muted {
            return;
        }
        if let Ok(bytes) = STANDARD.decode(data) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let before = self.clipboard.take();
            let mixed = before.is_some_and(|it| it.mixed || it.text != text);
            self.clipboard = Some(ClipboardText { text, mixed });
        }
    }

    fn paste_from_clipboard(&mut self, _: &mut Screen, selection: &[u8]) {
        if self.is_muted {
            return;
        }
        // A child can never read the clipboard. An empty answer keeps it from waiting.
        let mut answer = b"\x1b]52;".to_vec();
        answer.extend_from_slice(selection);
        answer.extend_from_slice(b";\x1b\\");
        self.answer(&answer);
    }

    fn unhandled_csi(
        &mut self,
        screen: &mut Screen,
        i1: Option<u8>,
        i2: Option<u8>,
        params: &[&[u16]],
        c: char,
    ) {
        match (i1, i2, c) {
            // A VT220 with colors. Level 4 would announce margins and rectangles, which aren't supported.
            (None, None, 'c') if first(params) == 0 => self.answer(b"\x1b[?62;22c"),
            (Some(b'>'), None, 'c') if first(params) == 0 => self.answer(b"\x1b[>1;10;0c"),
            (Some(b'>'), None, 'q') if first(params) == 0 => {
                let version = concat!("\x1bP>|workbay ", env!("CARGO_PKG_VERSION"), "\x1b\\");
                self.answer(version.as_bytes());
            }
            (Some(b'>'), None, 'm') => {
                if let [[4], rest @ ..] = params {
                    let level = first(rest);
                    self.other_keys = u8::try_from(level).unwrap_or(0).min(2);
                }
            }
            (Some(b'>'), None, 'n') if first(params) == 4 => self.other_keys = 0,
            (Some(b'?'), None, 'm') if first(params) == 4 => {
                self.answer(format!("\x1b[>4;{}m", self.other_keys).as_bytes());
            }
            (None, None, 'n') => self.device_status(screen, false, first(params)),
            (Some(b'?'), None, 'n') => self.device_status(screen, true, first(params)),
            (Some(b'?'), Some(b'$'), 'p') => {
                let mode = first(params);
                let state = self.private_mode(screen, mode);
                self.answer(format!("\x1b[?{mode};{state}$y").as_bytes());
            }
            (Some(b'$'), None, 'p') => {
                self.answer(format!("\x1b[{};0$y", first(params)).as_bytes());
            }
            (Some(b'?'), None, 'h' | 'l') => {
                for param in params {
                    self.set_private_mode(first(&[param]), c == 'h');
                }
            }
            _ => {}
        }
    }

    fn unhandled_osc(&mut self, _: &mut Screen, params: &[&[u8]]) {
        if self.is_muted {
            return;
        }
        match params {
            // The parser splits a title at its semicolons.
            [b"0" | b"2", pieces @ ..] => {
                self.title = Some(short_title(&pieces.join(&b';')));
            }
            [b"10", asked @ ..] => self.default_colors(10, asked),
            [b"11", asked @ ..] => self.default_colors(11, asked),
            [b"8", about, pieces @ ..] => {
                let link = Link::parse(
                    about,
                    &pieces.join(&b';'),
                    &self.link_schemes,
                    &mut self.links,
                );
                self.link = Some(link.map_or(Linked::No, Linked::To));
            }
            _ => {}
        }
    }
}

fn short_title(raw: &[u8]) -> Clean {
    let clean = Clean::from_bytes(raw);
    let mut cells = 0;
    let short: String = clean
        .as_str()
        .trim()
        .chars()
        .take_while(|c| {
            cells += c.width().unwrap_or(0);
            cells <= TITLE_CELLS
        })
        .collect();
    Clean::new(&short)
}
