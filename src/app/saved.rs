//! The state that the next TUI restores: the order, columns and groups of each tab, saved views,
//! the panes on their tabs, and what was used in the command palette.

use serde::{Deserialize, Serialize};

use super::{
    frecency::Frecency,
    panes::{SavedPane, SavedPaneTab},
    sessions::{
        columns::{ColumnChoices, SavedView},
        lines::Folds,
        sort::SortOrder,
    },
};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedState {
    /// The orders of Running, Finished and Others, empty for the default ones.
    pub orders: Vec<SortOrder>,
    /// The chosen columns of the same tabs. Empty = chosen by the width of the list.
    pub columns: Vec<ColumnChoices>,
    pub views: Vec<SavedView>,
    /// How the list is grouped, and the folded groups.
    pub folds: Folds,
    /// The tabs of the terminal view.
    #[serde(alias = "desks")]
    pub pane_tabs: Vec<SavedPaneTab>,
    /// The floating shells, which are hidden.
    pub floating: Vec<SavedPane>,
    /// Position of the pane tab that is shown.
    pub active: usize,
    /// The use of the entries of the command palette.
    pub palette: Frecency,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{panes::Panes, step::Ids},
        model::id::{SessionId, SessionKey},
    };

    #[test]
    fn the_earlier_key_of_the_tabs_is_read() {
        let (mut panes, mut ids) = (Panes::new("f"), Ids::default());
        let key = SessionKey::local(SessionId::from_u128(7));
        panes.open_session(key, &"train".into(), false, &mut ids);
        let (pane_tabs, active) = panes.saved();
        let saved = SavedState {
            pane_tabs,
            active,
            ..SavedState::default()
        };
        let text = serde_json::to_string(&saved).unwrap();
        let earlier = text.replace("\"pane_tabs\":[", "\"desks\":[");
        assert_ne!(earlier, text);
        assert_eq!(serde_json::from_str::<SavedState>(&earlier).unwrap(), saved);
    }
}
