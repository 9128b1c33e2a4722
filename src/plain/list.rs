//! Lists of sessions as sentences, in pages.

use jiff::Timestamp;

use super::announce::is_same;
use crate::{
    cli::parts::{Found, elapsed, moment},
    model::{
        session::{Session, has_several_owners},
        status::Tab,
    },
    rules::ending::ending,
};

/// How many sessions are printed at once.
pub const PAGE: usize = 20;

/// The list that was printed last.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// `None` = every tab.
    pub tab: Option<Tab>,
    pub filter: String,
    /// How many were printed.
    pub shown: usize,
    /// The words that mean the sessions.
    pub words: Vec<String>,
    pub sessions: Vec<Session>,
    pub total: Option<u64>,
}

impl Listing {
    pub fn new(tab: Option<Tab>, filter: String, found: Found) -> Self {
        let (words, sessions) = found.sessions.into_iter().unzip();
        Self {
            tab,
            filter,
            shown: 0,
            words,
            sessions,
            total: found.total,
        }
    }

    /// The sentence before the first session.
    pub fn heading(&self) -> String {
        let count = self.sessions.len();
        let several = if self.total.is_some() { 2 } else { count };
        let which = match self.tab {
            Some(Tab::Running) => tr_plural!(
                several,
                "running or waiting session",
                "running or waiting sessions"
            ),
            Some(Tab::Finished) => tr_plural!(several, "finished session", "finished sessions"),
            Some(Tab::Others) => {
                tr_plural!(several, "session with problems", "sessions with problems")
            }
            None => tr_plural!(several, "session", "sessions"),
        };
        let which = match self.filter.as_str() {
            "" => which.to_owned(),
            filter => tr!("{which} that match '{filter}'", which, filter),
        };
        match (count, self.total) {
            (0, _) if !self.filter.is_empty() => tr!(
                "No {which}. Type `filter` alone to remove the filter.",
                which
            ),
            (0, _) if self.tab == Some(Tab::Running) => {
                tr!("No {which}. Type `launch` to launch one.", which)
            }
            (0, _) => tr!("No {which}.", which),
            (count, Some(total)) => tr!("{count} of {total} {which}.", count, total, which),
            (count, _) => tr!("{count} {which}.", count, which),
        }
    }

    /// The next page: a numbered line for each session, and how many follow.
    pub fn next_page(&mut self, now: Timestamp) -> Vec<String> {
        let owners = has_several_owners(&self.sessions);
        let to = (self.shown + PAGE).min(self.sessions.len());
        let numbered = self.sessions[self.shown..to].iter().enumerate();
        let mut lines: Vec<String> = numbered
            .map(|(at, session)| {
                let number = self.shown + at + 1;
                format!("{number}. {}", line(session, owners, now))
            })
            .collect();
        self.shown = to;
        if self.has_more() {
            let count = self.sessions.len();
            lines.push(tr!(
                "{to} of {count} sessions. Enter shows more.",
                to,
                count
            ));
        }
        lines
    }

    pub fn has_more(&self) -> bool {
        self.shown < self.sessions.len()
    }
}

/// A session in one line, the most important first.
pub fn line(session: &Session, owners: bool, now: Timestamp) -> String {
    let slots = &session.requested_slots;
    let mut parts = vec![session.name.to_string(), session.status.to_string()];
    let ending = ending(session).map(|ending| ending.to_string());
    parts.extend(ending.filter(|ending| !is_same(ending, &session.status)));
    if let Some(position) = session.placement.queue_position {
        parts.push(tr!("position {value} in the queue", value = position + 1));
    }
    parts.extend(session.pending_request.iter().map(ToString::to_string));
    parts.push(session.environment.label());
    parts.push(format!("{} CPU", slots.cpu));
    parts.push(slots.mem.to_string());
    let devices = slots.accelerators.iter().filter(|(_, amount)| **amount > 0);
    parts.extend(devices.map(|(slot, amount)| {
        let amount = crate::model::resources::Cpu::from_millis(*amount);
        format!("{amount} {slot}")
    }));
    if owners {
        parts.push(tr!("owner {owner}", owner = session.owner));
    }
    let since = |at: Timestamp| elapsed(now.duration_since(at).as_secs().max(0));
    parts.push(match (session.terminated_at, session.started_at) {
        (Some(at), _) => tr!("ended {moment}", moment = moment(at)),
        (None, Some(at)) => tr!("started {since} ago", since = since(at)),
        (None, None) => tr!("launched {since} ago", since = since(session.created_at)),
    });
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{status::Status, testing};

    fn listing(count: u128) -> Listing {
        let sessions = (1..=count).map(|number| {
            let name = format!("train-{number}");
            let session = Session {
                status: Status::Running,
                ..testing::session(number << 96, &name)
            };
            (name, session)
        });
        let found = Found {
            sessions: sessions.collect(),
            total: None,
            remarks: Vec::new(),
        };
        Listing::new(Some(Tab::Running), String::new(), found)
    }

    #[test]
    fn long_lists_come_in_pages_with_running_numbers() {
        let mut list = listing(45);
        let now = list.sessions[0].created_at;
        assert_eq!(list.heading(), "45 running or waiting sessions.");
        let first = list.next_page(now);
        assert!(first[0].starts_with("1. train-1, RUNNING, "), "{first:?}");
        assert_eq!(
            first.last().unwrap(),
            "20 of 45 sessions. Enter shows more."
        );
        let second = list.next_page(now);
        assert!(second[0].starts_with("21. train-21, "), "{second:?}");
        let third = list.next_page(now);
        assert_eq!(third.len(), 5);
        assert!(!list.has_more());
    }

    #[test]
    fn a_line_says_the_state_and_the_resources_in_words() {
        let list = listing(1);
        let session = &list.sessions[0];
        let text = line(session, false, session.created_at);
        assert!(text.contains(" CPU, "), "{text}");
        assert!(text.is_ascii(), "{text}");
        let korean = testing::session(1 << 96, "한글-세션");
        assert!(line(&korean, true, korean.created_at).starts_with("한글-세션, "));
    }

    #[test]
    fn an_empty_list_says_what_to_type() {
        assert_eq!(
            listing(0).heading(),
            "No running or waiting sessions. Type `launch` to launch one."
        );
    }
}
