//! The columns of the list, and saved views.

use super::App;
use crate::{
    app::{
        focus::Page,
        panels::{
            columns::ColumnPicker,
            palette::words::{ViewCommand, WordValues},
        },
        sessions::{columns::all_of, sort::Column},
        step::Step,
    },
    model::notice::Level,
    rules::grouping::Grouping,
};

impl App {
    /// What the words of the palette can be followed by.
    pub fn word_values(&self) -> WordValues<'_> {
        WordValues {
            mirror: &self.mirror,
            views: &self.views,
            themes: &self.themes,
        }
    }

    /// Lists the columns of the shown tab, those on the screen first.
    pub(super) fn open_columns(&mut self) -> Vec<Step> {
        let titles = self.areas.column_titles.iter();
        let widths: Vec<(Column, u16)> = titles
            .map(|(column, area)| (*column, area.width.saturating_sub(1)))
            .collect();
        let tab = self.sessions.tab();
        let mut choices = self.sessions.columns().to_vec();
        if choices.is_empty() {
            if widths.is_empty() {
                let text = tr!("the list has no rows, so it has no columns yet");
                return vec![Step::toast(Level::Info, text)];
            }
            let shown: Vec<Column> = widths.iter().map(|(column, _)| *column).collect();
            choices = all_of(tab, &shown);
        }
        self.panels.push(ColumnPicker::new(tab, choices, widths));
        Vec::new()
    }

    /// Groups the list by a value; `None` = by none.
    pub(super) fn group_list(&mut self, grouping: Option<Grouping>) -> Vec<Step> {
        self.sessions.group_by(grouping);
        self.show(Page::Sessions)
    }

    /// Groups the list by the next useful value.
    pub(super) fn group_list_by_next(&mut self) -> Vec<Step> {
        let why = self.sessions.group_by_next(&self.mirror);
        let toast = why.map(|why| Step::toast(Level::Info, why));
        toast.into_iter().chain(self.show(Page::Sessions)).collect()
    }

    /// Shows, saves or deletes a view.
    pub(super) fn view(&mut self, command: ViewCommand) -> Vec<Step> {
        let (level, text) = match command {
            ViewCommand::Show(name) => {
                let Some(view) = self.views.iter().find(|it| it.name == name).cloned() else {
                    let text = tr!(
                        "view '{name}' not found. {view_names}",
                        name,
                        view_names = self.view_names()
                    );
                    return vec![Step::toast(Level::Warning, text)];
                };
                self.go_to_tab(view.tab);
                self.sessions.show_view(&view);
                return Vec::new();
            }
            ViewCommand::Save(name) => {
                let view = self.sessions.to_view(&name);
                self.views.retain(|it| it.name != name);
                self.views.push(view);
                self.views.sort_by(|a, b| a.name.cmp(&b.name));
                let text = tr!("view '{name}' saved. `:view {name}` shows it", name);
                (Level::Success, text)
            }
            ViewCommand::Delete(name) => {
                let before = self.views.len();
                self.views.retain(|it| it.name != name);
                if self.views.len() == before {
                    let text = tr!(
                        "view '{name}' not found. {view_names}",
                        name,
                        view_names = self.view_names()
                    );
                    (Level::Warning, text)
                } else {
                    (Level::Info, tr!("view '{name}' deleted", name))
                }
            }
            ViewCommand::List => (Level::Info, self.view_names()),
        };
        vec![Step::toast(level, text)]
    }

    fn view_names(&self) -> String {
        let names: Vec<&str> = self.views.iter().map(|it| it.name.as_str()).collect();
        if names.is_empty() {
            tr!("No saved views. `:view-save NAME` saves the filter, order and columns").to_owned()
        } else {
            tr!("Saved views: {names}", names = names.join(", "))
        }
    }
}
