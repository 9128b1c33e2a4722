//! The columns that you chose for the tabs of the list, and saved views: a filter with an order,
//! columns and a grouping.

use serde::{Deserialize, Serialize};

use super::{
    Sessions,
    sort::{Column, SortOrder},
};
use crate::{model::status::Tab, rules::grouping::Grouping};

/// A column of a tab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnChoice {
    pub column: Column,
    pub shown: bool,
    /// In cells. `None` = as wide as its contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u16>,
}

/// The columns of a tab in their order. Empty = chosen by the width of the list.
pub type ColumnChoices = Vec<ColumnChoice>;

/// A filter, an order, columns and a grouping under a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedView {
    pub name: String,
    pub tab: Tab,
    pub filter: String,
    pub order: SortOrder,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: ColumnChoices,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grouping: Option<Grouping>,
}

/// All columns of a tab: the `shown` ones, then the others. The name is always shown.
pub fn all_of(tab: Tab, shown: &[Column]) -> ColumnChoices {
    let rest = Column::ALL.into_iter();
    let rest = rest.filter(|it| it.is_of(tab) && !shown.contains(it));
    let choice = |column, shown| ColumnChoice {
        column,
        shown,
        width: None,
    };
    let shown = shown.iter().map(|column| choice(*column, true));
    shown
        .chain(rest.map(|column| choice(column, false)))
        .collect()
}

/// Keeps what is valid of saved columns.
fn valid(tab: Tab, mut columns: ColumnChoices) -> ColumnChoices {
    let mut known = Vec::new();
    columns.retain(|it| {
        let is_new = !known.contains(&it.column);
        known.push(it.column);
        is_new && it.column.is_of(tab)
    });
    for choice in &mut columns {
        choice.shown |= choice.column == Column::Name;
    }
    let has_name = columns.iter().any(|it| it.column == Column::Name);
    if has_name { columns } else { Vec::new() }
}

impl Sessions {
    /// The chosen columns of the shown tab, otherwise those of the setting. Empty = chosen by the width of the list.
    pub fn columns(&self) -> &[ColumnChoice] {
        let tab = self.tab() as usize;
        match self.columns[tab].as_slice() {
            [] => &self.default_columns[tab],
            chosen => chosen,
        }
    }

    /// Takes the setting `ui.columns`: names of columns in their order. Each tab has those that it can show.
    pub fn set_default_columns(&mut self, names: &[String]) {
        let named = names.iter().filter_map(|name| Column::of_name(name));
        let named: Vec<Column> = named.collect();
        for tab in Tab::ALL {
            let of_tab = named.iter().copied().filter(|it| it.is_of(tab));
            let mut shown: Vec<Column> = of_tab.collect();
            let columns = &mut self.default_columns[tab as usize];
            columns.clear();
            if shown.is_empty() {
                continue;
            }
            if !shown.contains(&Column::Name) {
                shown.insert(0, Column::Name);
            }
            *columns = all_of(tab, &shown);
        }
    }

    /// The chosen columns of all tabs.
    pub fn all_columns(&self) -> &[ColumnChoices; 3] {
        &self.columns
    }

    pub fn set_columns(&mut self, tab: Tab, columns: ColumnChoices) {
        self.columns[tab as usize] = valid(tab, columns);
    }

    /// Restores the saved columns of all tabs.
    pub fn restore_columns(&mut self, columns: Vec<ColumnChoices>) {
        for (tab, columns) in Tab::ALL.into_iter().zip(columns) {
            self.set_columns(tab, columns);
        }
    }

    /// What is shown now, under a name.
    pub fn to_view(&self, name: &str) -> SavedView {
        SavedView {
            name: name.to_owned(),
            tab: self.tab(),
            filter: self.filter.query().to_string(),
            order: self.order(),
            columns: self.columns().to_vec(),
            grouping: self.grouping(),
        }
    }

    /// Shows a saved view.
    pub fn show_view(&mut self, view: &SavedView) {
        self.show_tab(view.tab);
        self.filter.replace(&view.filter);
        if view.order.column.is_of(view.tab) {
            self.sort(view.order);
        }
        self.set_columns(view.tab, view.columns.clone());
        self.group_by(view.grouping);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::settings::LIST_COLUMNS;

    #[test]
    fn the_setting_names_every_column_and_a_choice_overrides_it() {
        for column in Column::ALL {
            let name = serde_json::to_value(column).unwrap();
            let name = name.as_str().unwrap();
            assert!(LIST_COLUMNS.contains(&name), "{name}");
            assert_eq!(Column::of_name(name), Some(column));
        }
        assert_eq!(LIST_COLUMNS.len(), Column::ALL.len());
        let mut sessions = Sessions::default();
        assert!(sessions.columns().is_empty());
        sessions.set_default_columns(&["cpu".to_owned(), "ended".to_owned()]);
        let shown = |sessions: &Sessions| {
            let columns = sessions.columns().iter().filter(|it| it.shown);
            columns.map(|it| it.column).collect::<Vec<_>>()
        };
        assert_eq!(shown(&sessions), [Column::Name, Column::Cpu]);
        let tab = sessions.tab();
        sessions.set_columns(tab, all_of(tab, &[Column::Name]));
        assert_eq!(shown(&sessions), [Column::Name]);
        sessions.set_columns(tab, Vec::new());
        assert_eq!(shown(&sessions), [Column::Name, Column::Cpu]);
    }

    #[test]
    fn saved_columns_are_kept_as_far_as_they_are_valid() {
        let all = all_of(Tab::Running, &[Column::Name, Column::Cpu]);
        assert!(all[1].shown && !all[2].shown);
        assert!(all.iter().all(|it| it.column != Column::Result));
        let result = ColumnChoice {
            column: Column::Result,
            shown: true,
            width: None,
        };
        let mut damaged = all.clone();
        damaged.extend([all[1].clone(), result]);
        damaged[0].shown = false;
        assert_eq!(valid(Tab::Running, damaged), all);
        assert!(valid(Tab::Running, all[1..].to_vec()).is_empty());
    }
}
