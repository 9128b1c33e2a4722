//! Quick select: labels the URLs, paths, hashes, addresses and UUIDs on the screen with letters. Typing the letters of
//! a label copies its text. The screen stands for the time in which you choose: new output doesn't move a label.

pub mod find;
pub mod labels;
pub mod lines;

use std::ffi::OsStr;

use self::{
    find::{MatchKind, find},
    labels::{MOST, labels},
    lines::ScreenLine,
};
use super::step::Step;
use crate::{
    action::Action,
    key::{Key, KeyCode},
    model::{
        files::{FilePath, FilePlace},
        id::SessionKey,
        notice::Level,
    },
};

/// The home directory in a session.
const HOME: &str = "/home/work";

/// A part of one row that belongs to a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchCells {
    pub column: u16,
    pub row: u16,
    pub width: u16,
}

/// A text that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuickMatch {
    /// The text that is copied.
    pub text: String,
    pub kind: MatchKind,
    /// The letters that choose it. Equal texts have the same ones.
    pub label: String,
    /// Its visible cells, each row apart.
    pub cells: Vec<MatchCells>,
}

/// The screen with its labels.
#[derive(Clone, Debug)]
pub struct QuickSelect {
    lines: Vec<ScreenLine>,
    /// From top to bottom.
    matches: Vec<QuickMatch>,
    typed: String,
    /// The match that Enter copies, chosen with the arrow keys.
    marked: Option<usize>,
    /// The session of the screen, whose files can be shown.
    session: Option<SessionKey>,
}

/// What a key did.
#[derive(Clone, Debug, PartialEq)]
pub enum Picked {
    /// Nothing was chosen yet.
    Nothing,
    /// A text was chosen, and the labels are removed.
    Done(Vec<Step>),
}

impl QuickSelect {
    /// Labels what is found in these lines. `None` if nothing is found.
    #[must_use]
    pub fn new(lines: Vec<ScreenLine>, session: Option<SessionKey>) -> Option<Self> {
        let mut matches: Vec<QuickMatch> = lines.iter().flat_map(matches_of).collect();
        label(&mut matches);
        matches.retain(|it| !it.label.is_empty());
        (!matches.is_empty()).then_some(Self {
            lines,
            matches,
            typed: String::new(),
            marked: None,
            session,
        })
    }

    /// The message when there is nothing to choose.
    #[must_use]
    pub fn nothing() -> Step {
        let text = tr!("no URL, path, hash, IP address or UUID is on the screen");
        Step::toast(Level::Info, text)
    }

    pub fn lines(&self) -> &[ScreenLine] {
        &self.lines
    }

    /// The matches that the typed letters can still choose.
    pub fn open(&self) -> impl Iterator<Item = &QuickMatch> {
        let typed = &self.typed;
        self.matches
            .iter()
            .filter(move |it| it.label.starts_with(typed))
    }

    /// The match that Enter copies.
    pub fn marked(&self) -> Option<&QuickMatch> {
        self.matches.get(self.marked?)
    }

    /// The letters so far.
    pub fn typed(&self) -> &str {
        &self.typed
    }

    /// Handles a key. A capital letter opens the text instead of copying it. Keys that choose nothing are ignored.
    pub fn key(&mut self, key: Key) -> Picked {
        if key.ctrl || key.alt {
            return Picked::Nothing;
        }
        match key.code {
            KeyCode::Char(letter) => return self.letter(letter),
            KeyCode::Backspace => {
                self.typed.pop();
            }
            KeyCode::Up | KeyCode::Left => self.mark(false),
            KeyCode::Tab if key.shift => self.mark(false),
            KeyCode::Down | KeyCode::Right | KeyCode::Tab => self.mark(true),
            _ => {}
        }
        Picked::Nothing
    }

    /// Handles Enter and Escape. `None` for any other action.
    pub fn action(&self, action: Action) -> Option<Vec<Step>> {
        match action {
            Action::InputSubmit => Some(match self.marked() {
                Some(it) => vec![Step::Copy(it.text.clone())],
                None => Vec::new(),
            }),
            Action::InputCancel | Action::Back | Action::Interrupt => Some(Vec::new()),
            _ => None,
        }
    }

    fn letter(&mut self, letter: char) -> Picked {
        let lower = letter.to_ascii_lowercase();
        self.typed.push(lower);
        if self.open().next().is_none() {
            self.typed.pop();
            return Picked::Nothing;
        }
        let chosen = self.matches.iter().find(|it| it.label == self.typed);
        match chosen {
            Some(it) if letter.is_ascii_uppercase() => Picked::Done(self.open_match(it)),
            Some(it) => Picked::Done(vec![Step::Copy(it.text.clone())]),
            None => Picked::Nothing,
        }
    }

    /// Marks the next match for Enter, from the bottom of the screen upwards at first.
    fn mark(&mut self, down: bool) {
        let count = self.matches.len();
        self.marked = Some(match self.marked {
            None => count - 1,
            Some(at) if down => (at + 1) % count,
            Some(at) => (at + count - 1) % count,
        });
    }

    /// Opens a URL in the browser and the directory of a path in the explorer. What can't be opened is copied.
    fn open_match(&self, chosen: &QuickMatch) -> Vec<Step> {
        let text = &chosen.text;
        let why = match chosen.kind {
            MatchKind::Url if is_for_browser(text) => return vec![Step::Browse(text.clone())],
            MatchKind::Url => tr!("only http and https URLs can be opened"),
            MatchKind::Path => match self.session.zip(directory(text)) {
                Some((session, path)) => {
                    let place = FilePlace::Session { session };
                    return vec![Step::Explore { place, path }];
                }
                None => tr!("only paths below /home/work can be opened"),
            },
            MatchKind::Uuid | MatchKind::Address | MatchKind::Hash => {
                tr!("only URLs and paths can be opened")
            }
        };
        let toast = Step::toast(Level::Info, tr!("{why}, so the text is copied", why));
        vec![toast, Step::Copy(text.clone())]
    }
}

/// The browser gets no other schemes: the session chooses the text.
fn is_for_browser(url: &str) -> bool {
    let url = url.to_ascii_lowercase();
    url.starts_with("http://") || url.starts_with("https://")
}

/// The directory of a path below the home directory. The path itself can be a file.
fn directory(path: &str) -> Option<FilePath> {
    let below = path
        .strip_prefix(HOME)
        .or_else(|| path.strip_prefix('~'))
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    let parent = below.rsplit_once('/').map_or("", |(parent, _)| parent);
    FilePath::parse(OsStr::new(parent)).ok()
}

/// The matches of a line. The links of programs come before what is found in the text.
fn matches_of(line: &ScreenLine) -> Vec<QuickMatch> {
    let links = line
        .links
        .iter()
        .map(|(range, address)| (range.clone(), MatchKind::Url, address.clone()));
    let found = find(&line.text).into_iter().filter(|found| {
        let covers = |link: &std::ops::Range<usize>| {
            link.start < found.range.end && found.range.start < link.end
        };
        !line.links.iter().any(|(link, _)| covers(link))
    });
    let found = found.map(|it| {
        let text = line.text[it.range.clone()].to_owned();
        (it.range, it.kind, text)
    });
    let all = links.chain(found).map(|(range, kind, text)| QuickMatch {
        cells: cells(line, &range),
        text,
        kind,
        label: String::new(),
    });
    let mut all: Vec<QuickMatch> = all.filter(|it| !it.cells.is_empty()).collect();
    all.sort_by_key(|it| it.cells.first().map(|cells| (cells.row, cells.column)));
    all
}

/// The visible cells of a part of a line.
fn cells(line: &ScreenLine, range: &std::ops::Range<usize>) -> Vec<MatchCells> {
    let mut cells: Vec<MatchCells> = Vec::new();
    for place in line.places.iter().filter(|it| range.contains(&it.at)) {
        match cells.last_mut() {
            Some(last) if last.row == place.row && last.column + last.width == place.column => {
                last.width += place.width;
            }
            _ => cells.push(MatchCells {
                column: place.column,
                row: place.row,
                width: place.width,
            }),
        }
    }
    cells
}

/// Gives each different text a label. The shortest ones are at the bottom, where the newest output is.
fn label(matches: &mut [QuickMatch]) {
    let mut texts: Vec<&str> = Vec::new();
    for it in matches.iter().rev() {
        if texts.len() < MOST && !texts.contains(&it.text.as_str()) {
            texts.push(&it.text);
        }
    }
    let texts: Vec<String> = texts.into_iter().map(str::to_owned).collect();
    let labels = labels(texts.len());
    for it in matches {
        if let Some(at) = texts.iter().position(|text| *text == it.text) {
            it.label.clone_from(&labels[at]);
        }
    }
}

#[cfg(test)]
mod tests;
