//! The sorted sessions of a tab, with the text that a filter searches in one piece of memory. With a hundred
//! thousand ended sessions, a typed letter must not search in each whole session.

use unicode_width::UnicodeWidthStr as _;

use super::{Owners, Widest};
use crate::{
    app::{
        mirror::Mirror,
        sessions::{filter::Filter, sort::SortOrder},
        shown_contexts::ShownContexts,
    },
    model::{
        id::{SessionId, SessionKey},
        session::{Session, has_several_owners, placement_words},
        status::{Status, Tab},
        text::Clean,
    },
    rules::{
        ending::{Ending, ending, is_meant},
        reclaim::{Reclaim, reclaim},
    },
};

#[derive(Debug, Default)]
pub(super) struct Index {
    entries: Vec<IndexEntry>,
    /// The texts in lowercase, one entry after another. Empty without a filter.
    text: String,
    has_text: bool,
    several_owners: bool,
    /// Positions of the entries that match the filter.
    kept: Vec<usize>,
    /// The text of the filter, `None` if the entries haven't been filtered yet.
    query: Option<String>,
    /// The words of that text, and whether it had conditions.
    words: String,
    had_conditions: bool,
}

#[derive(Debug)]
struct IndexEntry {
    key: SessionKey,
    widest: Widest,
    looked_at: LookedAt,
}

/// The texts that a filter can search: name, environment, context, the words for how the session ended, and
/// in a list with several owners owner, project and agents.
#[derive(Clone, Copy, Debug, Default)]
struct LookedAt {
    /// The beginning of the texts, and the end of each.
    start: usize,
    ends: [usize; 5],
    /// The set of characters in the texts, see [`letter`].
    letters: u64,
    /// Whether they are ASCII, so that they can be compared by bytes.
    is_ascii: bool,
}

/// The text for how the session ended. It matches only whole words or their beginnings, because the letters
/// of a short name are in many a `terminated`.
const ENDING: usize = 3;
/// The text of owner, project and agents. Fuzzy matching would find most words in an agent's long name.
const PLACEMENT: usize = 4;

/// The bit of a character in a set.
fn letter(byte: u8) -> u64 {
    let bit = match byte {
        b'a'..=b'z' => byte - b'a',
        b'0'..=b'9' => byte - b'0' + 26,
        other => other % 28 + 36,
    };
    1 << bit
}

fn letters(text: &str) -> u64 {
    text.bytes().fold(0, |set, byte| set | letter(byte))
}

impl Index {
    /// Collects the sessions of a tab again.
    pub fn collect(&mut self, mirror: &Mirror, tab: Tab, shown: ShownContexts, order: SortOrder) {
        let of_tab = |session: &&Session| session.tab() == tab && shown.has(session.context);
        let mut found: Vec<&Session> = mirror.sessions().filter(of_tab).collect();
        found.sort_unstable_by(|a, b| order.compare(a, b, mirror));
        self.several_owners = has_several_owners(found.iter().copied());
        self.entries.clear();
        self.entries.extend(found.into_iter().map(IndexEntry::of));
        self.text.clear();
        self.has_text = false;
        self.query = None;
    }

    /// The filter has changed since the entries were filtered.
    pub fn is_behind(&self, filter: &Filter) -> bool {
        self.query.as_deref() != Some(filter.query().as_str())
            || (filter.editing().is_some() && !self.has_text)
    }

    /// Keeps the entries that match the filter.
    pub fn keep(&mut self, filter: &mut Filter, mirror: &Mirror, shown: ShownContexts) {
        filter.set_several_owners(self.several_owners);
        if (filter.is_on() || filter.editing().is_some()) && !self.has_text {
            self.write_text(mirror, shown);
        }
        let query = filter.words().to_owned();
        let has_conditions = filter.has_conditions();
        let last = self.words.as_str();
        let narrower = self.query.is_some() && !has_conditions && !self.had_conditions && {
            let plain = !last.is_empty() && is_plain(last) && is_plain(&query);
            plain && narrows(last, &query) && !has_code(last)
        };
        let mut kept = std::mem::take(&mut self.kept);
        if !narrower {
            kept.clear();
            kept.extend(0..self.entries.len());
        }
        if filter.is_on() {
            let words: Option<Vec<Word<'_>>> =
                is_plain(&query).then(|| query.split_whitespace().map(Word::new).collect());
            kept.retain(|at| {
                let entry = &self.entries[*at];
                let meets = |session: &Session| filter.meets_conditions(session);
                if has_conditions && !mirror.session(entry.key).is_some_and(meets) {
                    return false;
                }
                match &words {
                    Some(words) if entry.looked_at.is_ascii => {
                        words.iter().all(|word| self.meets(entry, word))
                            || is_id(&query, entry.key.id)
                    }
                    _ => mirror
                        .session(entry.key)
                        .is_some_and(|session| filter.accepts(session, shown)),
                }
            });
        }
        self.kept = kept;
        self.query = Some(filter.query().as_str().to_owned());
        self.words = query;
        self.had_conditions = has_conditions;
    }

    /// Filters the entries again, because time has passed.
    pub fn forget_kept(&mut self) {
        self.query = None;
    }

    /// The matching sessions, in order.
    pub fn keys(&self) -> impl Iterator<Item = SessionKey> {
        self.kept.iter().map(|at| self.entries[*at].key)
    }

    /// The widths that columns would need to show the matching sessions in full.
    pub fn widest(&self) -> Widest {
        let kept = self.kept.iter().map(|at| self.entries[*at].widest);
        kept.fold(Widest::default(), Widest::and)
    }

    fn write_text(&mut self, mirror: &Mirror, shown: ShownContexts) {
        self.has_text = true;
        for entry in &mut self.entries {
            let Some(session) = mirror.session(entry.key) else {
                continue;
            };
            let start = self.text.len();
            let environment = &session.environment;
            let context = match shown {
                ShownContexts::All => session.context.as_str(),
                ShownContexts::One(_) => "",
            };
            let ending = ending(session).map_or_else(String::new, Ending::words);
            let placement = if self.several_owners {
                placement_words(session)
            } else {
                String::new()
            };
            let mut ends = [start; 5];
            let texts = [
                [session.name.as_str(), "", ""],
                [environment.name.as_str(), ":", environment.version.as_str()],
                [context, "", ""],
                [ending.as_str(), "", ""],
                [placement.as_str(), "", ""],
            ];
            for (end, pieces) in ends.iter_mut().zip(texts) {
                self.text.extend(pieces);
                *end = self.text.len();
            }
            let written = &mut self.text[start..];
            written.make_ascii_lowercase();
            entry.looked_at = LookedAt {
                start,
                ends,
                letters: letters(written),
                is_ascii: written.is_ascii(),
            };
        }
    }

    /// Whether one of the texts contains the word's characters in this order.
    fn meets(&self, entry: &IndexEntry, word: &Word<'_>) -> bool {
        let looked_at = &entry.looked_at;
        if word.letters & !looked_at.letters != 0 {
            return false;
        }
        let mut start = looked_at.start;
        looked_at.ends.iter().enumerate().any(|(place, end)| {
            let one = &self.text[start..*end];
            start = *end;
            match place {
                ENDING => is_meant(one, word.text),
                PLACEMENT => one.contains(word.text),
                _ => comes_in(word.text.as_bytes(), one.as_bytes()),
            }
        })
    }
}

impl IndexEntry {
    fn of(session: &Session) -> Self {
        let cells = |text: &Clean| u16::try_from(text.as_str().width()).unwrap_or(u16::MAX);
        let environment = &session.environment;
        let label = cells(&environment.name).saturating_add(cells(&environment.version));
        Self {
            key: session.key(),
            widest: Widest {
                name: cells(&session.name),
                environment: label.saturating_add(1),
                queued: queued_cells(session),
                reclaim: reclaim(session) != Reclaim::Never,
                owners: Owners::of(&session.owner),
                accelerators: session.has_accelerators(),
                clusters: session.containers() > 1,
            },
            looked_at: LookedAt::default(),
        }
    }
}

/// The cells of `▪ PENDING #12`. 0 if the session isn't in a queue.
fn queued_cells(session: &Session) -> u16 {
    let position = session.placement.queue_position;
    let position = position.filter(|_| session.status == Status::Pending);
    position.map_or(0, |position| {
        let digits = (position + 1).ilog10() as u16 + 1;
        session.status.to_string().width() as u16 + "▪  #".width() as u16 + digits
    })
}

struct Word<'a> {
    text: &'a str,
    letters: u64,
}

impl<'a> Word<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            letters: letters(text),
        }
    }
}

/// Whether the query has no signs of the filter's language, and only characters that match nothing but
/// themselves.
fn is_plain(query: &str) -> bool {
    let own =
        |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b' ' | b'-' | b'_' | b'.' | b':');
    query.bytes().all(own)
}

/// Whether the matches of `last` include all matches of `query`. Beginnings of ids count only from two digits
/// on.
fn narrows(last: &str, query: &str) -> bool {
    query.starts_with(last) && (last.len() >= 2 || !is_hexadecimal(query))
}

/// An exit code matches only completely: the matches of `exit1` don't include those of `exit13`.
fn has_code(query: &str) -> bool {
    let word = query.split_whitespace().next_back().unwrap_or_default();
    word.starts_with("exit") && word.ends_with(|c: char| c.is_ascii_digit())
}

fn is_hexadecimal(query: &str) -> bool {
    query.bytes().all(|c| c.is_ascii_hexdigit() || c == b'-')
}

fn is_id(query: &str, id: SessionId) -> bool {
    query.len() >= 2 && is_hexadecimal(query) && id.starts_with(query)
}

fn comes_in(word: &[u8], text: &[u8]) -> bool {
    let mut text = text.iter();
    word.iter().all(|wanted| text.any(|byte| byte == wanted))
}

#[cfg(test)]
mod tests;
