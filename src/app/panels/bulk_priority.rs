//! The prompt for another priority of several waiting sessions.

use super::{Panel, PanelEnv, PromptLine};
use crate::{
    app::{
        bulk::{BulkVerb, counted},
        input::Input,
        step::{Go, Step},
    },
    model::priority,
};

#[derive(Clone, Debug)]
pub struct BulkPriority {
    input: Input,
    count: usize,
}

impl BulkPriority {
    /// A prompt for `count` sessions.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self {
            input: Input::default(),
            count,
        }
    }
}

impl Panel for BulkPriority {
    fn input(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn submit(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        match priority::parse(self.input.text()) {
            Ok(wanted) => vec![Step::CLOSE, Step::Go(Go::Bulk(BulkVerb::Priority(wanted)))],
            Err(_) => Vec::new(),
        }
    }

    fn problem(&self) -> Option<String> {
        let typed = !self.input.is_empty();
        typed
            .then(|| priority::parse(self.input.text()).err())
            .flatten()
    }

    fn prompt(&self) -> Option<PromptLine<'_>> {
        Some(PromptLine {
            label: tr!(
                "Priority of {count} (0 to 100):",
                count = counted(self.count)
            ),
            input: &self.input,
            note: tr!("highest first"),
        })
    }
}
