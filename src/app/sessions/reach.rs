//! Loads more of a long list. A context can have more sessions than are loaded. They are requested when you
//! come near the end of the loaded rows, and by name when you type a filter.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use crate::app::{
    mirror::Mirror,
    sessions::Sessions,
    shown_contexts::ShownContexts,
    step::{Purpose, Step},
};
use crate::{
    model::{capability::EngineState, id::ContextName, request::ContextRequest, status::Tab},
    protocol::message::Request,
};

/// The number of rows in one request.
const MORE: u64 = 200;
/// A filter is requested after typing has paused for this time.
const PAUSE: SignedDuration = SignedDuration::from_millis(300);

/// What is known about the matches of the filter outside the loaded sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchState {
    /// All sessions are loaded, so the filter sees all of them.
    Everything,
    /// The engine hasn't been asked or hasn't answered.
    Asking,
    /// Every session with a matching name is loaded.
    ByName,
    /// The number of sessions with a matching name, which is more than are loaded.
    Cut(u64),
    /// Only loaded sessions were searched.
    LoadedOnly,
}

#[derive(Clone, Debug, Default)]
pub struct Reaches {
    under_way: Vec<(ContextName, Tab)>,
    /// The number of loaded sessions when a request for more returned none. It isn't repeated until that
    /// number changes.
    stuck: HashMap<(ContextName, Tab), u64>,
    search: Option<NameSearch>,
}

#[derive(Clone, Debug)]
struct NameSearch {
    shown: ShownContexts,
    tab: Tab,
    word: String,
    /// When the request is due, `None` after it was sent.
    due: Option<Timestamp>,
    /// The contexts that were asked, with their answers.
    asked: Vec<(ContextName, PageAnswer)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageAnswer {
    None,
    Total(u64),
    Failed,
}

impl Reaches {
    /// Whether more rows of the list are being loaded.
    pub fn is_loading(&self, mirror: &Mirror, sessions: &Sessions) -> bool {
        let tab = sessions.tab();
        mirror
            .shown(sessions.shown())
            .any(|state| self.under_way.contains(&(state.context.name, tab)))
    }

    /// Allows the request again even if it returned nothing last time, because you asked for it.
    pub fn insist(&mut self) {
        self.stuck.clear();
    }

    /// Forgets requests of a broken connection, which get no answers.
    pub fn forget(&mut self) {
        self.under_way.clear();
        self.stuck.clear();
        self.search = None;
    }

    /// Returns the requests that are due: the next rows near the end of the list, or the filter.
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
        for (context, before) in in_part(mirror, sessions.shown(), tab) {
            let key = (context, tab);
            if self.under_way.contains(&key) || self.stuck.get(&key) == Some(&before) {
                continue;
            }
            self.under_way.push(key);
            steps.push(Step::Ask {
                request: Request::context(
                    context,
                    ContextRequest::Reach {
                        tab,
                        text: None,
                        count: u32::try_from(before + MORE).unwrap_or(u32::MAX),
                    },
                ),
                purpose: Purpose::Reach {
                    context,
                    tab,
                    word: None,
                    before,
                },
            });
        }
        steps
    }

    /// More rows have arrived, or the request failed.
    pub fn answered(&mut self, context: ContextName, tab: Tab, before: u64, mirror: &Mirror) {
        let key = (context, tab);
        self.under_way.retain(|other| *other != key);
        match mirror.reported_total(context, tab) {
            Some(now) if now <= before => self.stuck.insert(key, now),
            _ => self.stuck.remove(&key),
        };
    }

    /// Follows the typed filter. A new word is requested after a pause.
    fn follow_filter(&mut self, sessions: &Sessions, now: Timestamp) {
        let Some(word) = sessions.filter.longest_word() else {
            self.search = None;
            return;
        };
        let (shown, tab) = (sessions.shown(), sessions.tab());
        let same = |s: &NameSearch| s.shown == shown && s.tab == tab && s.word == word;
        if self.search.as_ref().is_some_and(same) {
            return;
        }
        // There is nothing to wait for unless the filter is being typed.
        let pause = match sessions.filter.editing() {
            Some(_) => PAUSE,
            None => SignedDuration::ZERO,
        };
        self.search = Some(NameSearch {
            shown,
            tab,
            word: word.to_owned(),
            due: Some(now.saturating_add(pause).unwrap_or(now)),
            asked: Vec::new(),
        });
    }

    /// Skips the pause, because Enter has kept the filter.
    pub fn hurry(&mut self) {
        if let Some(NameSearch { due: Some(due), .. }) = &mut self.search {
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
        for (context, before) in in_part(mirror, search.shown, search.tab) {
            search.asked.push((context, PageAnswer::None));
            steps.push(Step::Ask {
                request: Request::context(
                    context,
                    ContextRequest::Reach {
                        tab: search.tab,
                        text: Some(search.word.clone()),
                        count: u32::try_from(MORE).unwrap_or(u32::MAX),
                    },
                ),
                purpose: Purpose::Reach {
                    context,
                    tab: search.tab,
                    word: Some(search.word.clone()),
                    before,
                },
            });
        }
        steps
    }

    /// A context has searched its names. `None` means that it couldn't.
    pub fn searched(&mut self, context: ContextName, tab: Tab, word: &str, total: Option<u64>) {
        let Some(search) = &mut self.search else {
            return;
        };
        if search.tab != tab || search.word != word {
            return;
        }
        for (asked, answer) in &mut search.asked {
            if *asked == context {
                *answer = total.map_or(PageAnswer::Failed, PageAnswer::Total);
            }
        }
    }

    /// What is known about the active filter.
    pub fn found(&self, mirror: &Mirror, sessions: &Sessions) -> SearchState {
        let (shown, tab) = (sessions.shown(), sessions.tab());
        let Some(search) = &self.search else {
            let whole = mirror.count(shown, tab) <= mirror.total(shown, tab);
            return if whole {
                SearchState::Everything
            } else {
                SearchState::LoadedOnly
            };
        };
        if search.due.is_some() {
            let whole = mirror.count(shown, tab) <= mirror.total(shown, tab);
            return if whole {
                SearchState::Everything
            } else {
                SearchState::Asking
            };
        }
        let answers = || search.asked.iter().map(|(_, answer)| *answer);
        if search.asked.is_empty() {
            return SearchState::Everything;
        }
        if answers().any(|answer| answer == PageAnswer::None) {
            return SearchState::Asking;
        }
        if answers().any(|answer| answer == PageAnswer::Failed) {
            return SearchState::LoadedOnly;
        }
        let total = |answer| match answer {
            PageAnswer::Total(total) => total,
            PageAnswer::None | PageAnswer::Failed => 0,
        };
        if answers().any(|answer| total(answer) > MORE) {
            return SearchState::Cut(answers().map(total).sum());
        }
        SearchState::ByName
    }

    /// When the request for the filter is due.
    pub fn wake_at(&self, now: Timestamp) -> Option<Timestamp> {
        self.search.as_ref()?.due.filter(|due| *due > now)
    }
}

/// The connected contexts with more sessions than are loaded, and the number of loaded ones.
fn in_part(mirror: &Mirror, shown: ShownContexts, tab: Tab) -> Vec<(ContextName, u64)> {
    mirror
        .shown(shown)
        .filter(|state| matches!(state.engine, EngineState::Connected { .. }))
        .filter_map(|state| {
            let context = state.context.name;
            Some((context, mirror.reported_total(context, tab)?))
        })
        .collect()
}
