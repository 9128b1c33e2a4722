//! Chooses the bars above the list: those of the selected session's resource group.

use super::{
    super::{area::STATISTICS_ROWS, step::Step},
    App,
};
use crate::model::{
    catalogue::ResourceGroup, id::ContextName, notice::Level, statistics::Statistics, text::Clean,
};

/// What the bars show about a context.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a> {
    /// Only if the list shows several contexts.
    pub context: Option<ContextName>,
    pub statistics: &'a Statistics,
    pub group: &'a ResourceGroup,
}

impl App {
    /// Shows or hides the bars. Explains it if the bars can't be visible.
    pub(super) fn toggle_statistics(&mut self) -> Vec<Step> {
        let were_shown = self.statistics_shown;
        self.statistics_shown = true;
        let is_known = self.statistics().is_some();
        self.statistics_shown = !were_shown;
        let is_low = self.screen_rows() < STATISTICS_ROWS;
        let text = if is_known && !is_low {
            return Vec::new();
        } else if were_shown {
            tr!("the resource bars are hidden").to_owned()
        } else if is_low {
            tr!("the resource bars need {rows} rows", rows = STATISTICS_ROWS)
        } else {
            tr!("the resources of your sessions aren't known yet").to_owned()
        };
        vec![Step::toast(Level::Info, text)]
    }

    /// Returns `None` if the bars are hidden or their data isn't known.
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
