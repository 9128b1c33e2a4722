//! Whose bars stand above the list: those of the group that the selected session is in.

use super::{app::App, area::STATISTICS_ROWS, step::Step};
use crate::model::{
    catalogue::ResourceGroup, id::ContextName, notice::Level, statistics::Statistics, text::Clean,
};

/// What is shown of a context.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a> {
    /// Where the list shows several contexts.
    pub context: Option<ContextName>,
    pub statistics: &'a Statistics,
    pub group: &'a ResourceGroup,
}

impl App {
    /// Shows or hides them; says so where nothing is seen of it.
    pub(super) fn toggle_statistics(&mut self) -> Vec<Step> {
        self.statistics_shown = !self.statistics_shown;
        let text = if !self.statistics_shown {
            return Vec::new();
        } else if self.screen_rows() < STATISTICS_ROWS {
            format!("the resource bars need {STATISTICS_ROWS} rows")
        } else if self.statistics().is_none() {
            "the resources of your sessions aren't known yet".to_owned()
        } else {
            return Vec::new();
        };
        vec![Step::toast(Level::Info, text)]
    }

    /// `None` = hidden, or not known.
    pub fn statistics(&self) -> Option<Counted<'_>> {
        if !self.statistics_shown {
            return None;
        }
        let selected = self
            .sessions
            .selected()
            .and_then(|id| self.mirror.session(id));
        let mut shown = self.mirror.shown(self.sessions.shown());
        let first = shown.next()?;
        let several = shown.next().is_some();
        let state = match selected {
            Some(session) if several => self.mirror.context(session.context)?,
            _ if several => return None,
            _ => first,
        };
        let statistics = state.statistics.as_deref()?;
        let here = selected.filter(|session| session.context == state.context.name);
        let name = here.and_then(|session| session.placement.resource_group.as_ref());
        Some(Counted {
            context: several.then_some(state.context.name),
            statistics,
            group: statistics.group(name.map(Clean::as_str))?,
        })
    }
}
