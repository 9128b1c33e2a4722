//! Searches, and moves from match to match and from error to error. `run/logs` searches the log. This file
//! sends the orders and handles the answers.

use super::{
    Logs,
    feed::{LogOrder, Searched},
    scroll::Goal,
    search::{Matcher, Search},
};
use crate::{
    app::{input::Input, step::Step},
    model::notice::Level,
};

impl Logs {
    /// Goes to the first match of the typed text.
    pub(super) fn search_typed(&mut self) -> Vec<Step> {
        let text = self.typing.as_ref().map_or("", Input::text).to_owned();
        if text.is_empty() {
            return self.end_search();
        }
        let from = self.top.map_or(self.extent.first, |top| top.number);
        vec![self.search(Matcher::text(&text), from)]
    }

    pub(super) fn search(&mut self, matcher: Matcher, from: u64) -> Step {
        self.searches += 1;
        let id = self.searches;
        self.search = Some(Search::new(id, matcher.clone()));
        self.order(LogOrder::Search { id, matcher, from })
    }

    pub(super) fn end_search(&mut self) -> Vec<Step> {
        match self.search.take() {
            Some(_) => vec![self.order(LogOrder::EndSearch)],
            None => Vec::new(),
        }
    }

    /// Goes to the next match after the last one, or to the one before it.
    pub(super) fn seek(&mut self, forward: bool) -> Vec<Step> {
        let first = self.visible().first().map_or(0, |row| row.number);
        let Some(search) = &mut self.search else {
            let text = tr!("no search yet. Search for a word or for errors first");
            return vec![Step::toast(Level::Info, text)];
        };
        search.seeks = true;
        let (id, current) = (search.id, search.current);
        let after = current.map(|number| number + u64::from(forward));
        let from = after.unwrap_or(first);
        vec![self.order(LogOrder::Seek { id, from, forward })]
    }

    /// Goes to the first line that looks like an error, and then to the next ones.
    pub(super) fn next_error(&mut self) -> Step {
        match &mut self.search {
            Some(search) if search.matcher == Matcher::Errors => {
                search.seeks = true;
                let from = search.current.map_or(0, |number| number + 1);
                let id = search.id;
                self.order(LogOrder::Seek {
                    id,
                    from,
                    forward: true,
                })
            }
            _ => self.search(Matcher::Errors, 0),
        }
    }

    pub(super) fn go_to_match(&mut self, number: u64) {
        let is_visible = self.visible().iter().any(|row| row.number == number);
        if !is_visible || self.goal.is_some() {
            self.go_to(Goal::Match(number));
            self.resume();
        } else if self.top.is_none() {
            self.pause();
        }
    }

    pub(super) fn searched(&mut self, state: Searched) {
        let search = self.search.as_mut();
        if let Some(search) = search.filter(|search| search.id == state.id) {
            search.state = state;
        }
    }

    pub(super) fn hit(&mut self, id: u64, number: Option<u64>) -> Vec<Step> {
        let search = self.search.as_mut();
        let Some(search) = search.filter(|search| search.id == id && search.seeks) else {
            return Vec::new();
        };
        search.seeks = false;
        match number {
            Some(number) => {
                search.current = Some(number);
                self.go_to_match(number);
                Vec::new()
            }
            None if search.matcher == Matcher::Errors => {
                let mut steps = self.end_search();
                steps.push(Step::toast(Level::Info, tr!("no error found in the log")));
                steps
            }
            None => Vec::new(),
        }
    }
}
