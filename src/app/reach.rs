//! More of a long list. A context may have more sessions than were told: they are asked for when the
//! end of what is loaded comes near, and by name when a filter is typed.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use super::{
    mirror::Mirror,
    sessions::Sessions,
    shown::Shown,
    step::{Purpose, Step},
};
use crate::{
    model::{capability::EngineState, id::ContextName, status::Tab},
    protocol::message::Request,
};

/// So many more rows are asked for at a time.
pub const MORE: u64 = 200;
/// A filter is asked for when typing has paused for so long.
const PAUSE: SignedDuration = SignedDuration::from_millis(300);

/// What is known of the filter in force beyond the sessions that are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// All sessions are loaded: the filter sees them all.
    Everything,
    /// Not asked or not answered yet.
    Asking,
    /// Every session with such a name is loaded.
    ByName,
    /// So many have such a name, more than are loaded.
    Cut(u64),
    /// Only what is loaded was searched.
    LoadedOnly,
}

#[derive(Clone, Debug, Default)]
pub struct Reaches {
    under_way: Vec<(ContextName, Tab)>,
    /// How many were told when asking for more brought nothing: not asked again until that changes.
    stuck: HashMap<(ContextName, Tab), u64>,
    search: Option<Search>,
}

#[derive(Clone, Debug)]
struct Search {
    shown: Shown,
    tab: Tab,
    word: String,
    /// When it is asked; `None` = it was.
    due: Option<Timestamp>,
    /// The contexts asked, with their answers.
    asked: Vec<(ContextName, Answer)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    None,
    Total(u64),
    Failed,
}

impl Reaches {
    /// Whether more rows of what is shown are on their way.
    pub fn is_loading(&self, mirror: &Mirror, sessions: &Sessions) -> bool {
        let tab = sessions.tab();
        mirror
            .shown(sessions.shown())
            .any(|state| self.under_way.contains(&(state.context.name, tab)))
    }

    /// Asks again even where it brought nothing last time: a person wants it.
    pub fn insist(&mut self) {
        self.stuck.clear();
    }

    /// Answers of a connection that broke will not come.
    pub fn forget(&mut self) {
        self.under_way.clear();
        self.stuck.clear();
        self.search = None;
    }

    /// What is to be asked now: the next rows near the end of the list, or the filter.
    pub fn ask_if_due(
        &mut self,
        mirror: &Mirror,
        sessions: &Sessions,
        now: Timestamp,
    ) -> Vec<Step> {
        if !mirror.is_up() {
            return Vec::new();
        }
        self.follow_filter(sessions, now);
        if sessions.filter.is_on() {
            return self.ask_search(mirror, now);
        }
        if sessions.is_near_end() {
            return self.ask_more(mirror, sessions);
        }
        Vec::new()
    }

    fn ask_more(&mut self, mirror: &Mirror, sessions: &Sessions) -> Vec<Step> {
        let tab = sessions.tab();
        let mut steps = Vec::new();
        for (context, told) in in_part(mirror, sessions.shown(), tab) {
            let key = (context, tab);
            if self.under_way.contains(&key) || self.stuck.get(&key) == Some(&told) {
                continue;
            }
            self.under_way.push(key);
            steps.push(Step::Ask {
                request: Request::Reach {
                    context,
                    tab,
                    text: None,
                    count: u32::try_from(told + MORE).unwrap_or(u32::MAX),
                },
                purpose: Purpose::Reach {
                    context,
                    tab,
                    word: None,
                    told,
                },
            });
        }
        steps
    }

    /// More rows were told, or could not be.
    pub fn answered(&mut self, context: ContextName, tab: Tab, told: u64, mirror: &Mirror) {
        let key = (context, tab);
        self.under_way.retain(|other| *other != key);
        match mirror.told_in_part(context, tab) {
            Some(now) if now <= told => self.stuck.insert(key, now),
            _ => self.stuck.remove(&key),
        };
    }

    /// Takes notice of what is typed; a new word is asked for after a pause.
    fn follow_filter(&mut self, sessions: &Sessions, now: Timestamp) {
        let Some(word) = sessions.filter.longest_word() else {
            self.search = None;
            return;
        };
        let (shown, tab) = (sessions.shown(), sessions.tab());
        let same = |s: &Search| s.shown == shown && s.tab == tab && s.word == word;
        if self.search.as_ref().is_some_and(same) {
            return;
        }
        // Kept with Enter, or come back to: nobody types.
        let pause = match sessions.filter.editing() {
            Some(_) => PAUSE,
            None => SignedDuration::ZERO,
        };
        self.search = Some(Search {
            shown,
            tab,
            word: word.to_owned(),
            due: Some(now.saturating_add(pause).unwrap_or(now)),
            asked: Vec::new(),
        });
    }

    /// The filter was kept with Enter: it is not waited any more.
    pub fn hurry(&mut self) {
        if let Some(Search { due: Some(due), .. }) = &mut self.search {
            *due = Timestamp::MIN;
        }
    }

    fn ask_search(&mut self, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        let Some(search) = &mut self.search else {
            return Vec::new();
        };
        if search.due.is_none_or(|due| now < due) {
            return Vec::new();
        }
        search.due = None;
        let mut steps = Vec::new();
        for (context, told) in in_part(mirror, search.shown, search.tab) {
            search.asked.push((context, Answer::None));
            steps.push(Step::Ask {
                request: Request::Reach {
                    context,
                    tab: search.tab,
                    text: Some(search.word.clone()),
                    count: u32::try_from(MORE).unwrap_or(u32::MAX),
                },
                purpose: Purpose::Reach {
                    context,
                    tab: search.tab,
                    word: Some(search.word.clone()),
                    told,
                },
            });
        }
        steps
    }

    /// A context searched its names; `None` = it could not.
    pub fn searched(&mut self, context: ContextName, tab: Tab, word: &str, total: Option<u64>) {
        let Some(search) = &mut self.search else {
            return;
        };
        if search.tab != tab || search.word != word {
            return;
        }
        for (asked, answer) in &mut search.asked {
            if *asked == context {
                *answer = total.map_or(Answer::Failed, Answer::Total);
            }
        }
    }

    /// What is known of the filter in force.
    pub fn found(&self, mirror: &Mirror, sessions: &Sessions) -> Found {
        let (shown, tab) = (sessions.shown(), sessions.tab());
        let Some(search) = &self.search else {
            let whole = mirror.count(shown, tab) <= mirror.told(shown, tab);
            return if whole {
                Found::Everything
            } else {
                Found::LoadedOnly
            };
        };
        if search.due.is_some() {
            let whole = mirror.count(shown, tab) <= mirror.told(shown, tab);
            return if whole {
                Found::Everything
            } else {
                Found::Asking
            };
        }
        let answers = || search.asked.iter().map(|(_, answer)| *answer);
        if search.asked.is_empty() {
            return Found::Everything;
        }
        if answers().any(|answer| answer == Answer::None) {
            return Found::Asking;
        }
        if answers().any(|answer| answer == Answer::Failed) {
            return Found::LoadedOnly;
        }
        let total = |answer| match answer {
            Answer::Total(total) => total,
            Answer::None | Answer::Failed => 0,
        };
        if answers().any(|answer| total(answer) > MORE) {
            return Found::Cut(answers().map(total).sum());
        }
        Found::ByName
    }

    /// When the filter is to be asked.
    pub fn wake_at(&self, now: Timestamp) -> Option<Timestamp> {
        self.search.as_ref()?.due.filter(|due| *due > now)
    }
}

/// The connected contexts that have sessions which were not told, and how many were.
fn in_part(mirror: &Mirror, shown: Shown, tab: Tab) -> Vec<(ContextName, u64)> {
    mirror
        .shown(shown)
        .filter(|state| matches!(state.engine, EngineState::Connected { .. }))
        .filter_map(|state| {
            let context = state.context.name;
            Some((context, mirror.told_in_part(context, tab)?))
        })
        .collect()
}
