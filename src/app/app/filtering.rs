//! Completes the filter of the list, and sets which account is yours.

use super::App;
use crate::rules::filter::{Completion, FilterKey, known_values};

impl App {
    /// What the end of the typed filter can become.
    pub fn filter_completion(&self) -> Completion {
        let values = |key: FilterKey| known_values(key, self.mirror.sessions());
        self.sessions.filter.completion(values)
    }

    /// Completes the end of the typed filter with the first candidate.
    pub(super) fn complete_filter(&mut self) {
        let completion = self.filter_completion();
        let Some(first) = completion.candidates.first() else {
            return;
        };
        self.sessions.filter.type_into(|input| {
            let text = format!("{}{first}", &input.text()[..completion.start]);
            input.set(&text);
        });
    }

    /// Takes your account of each context, which `owner:me` means.
    pub(super) fn know_accounts(&mut self) {
        self.sessions.filter.set_accounts(self.mirror.accounts());
    }
}
