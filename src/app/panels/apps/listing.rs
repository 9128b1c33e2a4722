//! The rows of the app launcher: apps below the headings of their categories, then ports and SSH.

use crate::model::{
    app::{App, AppCategory},
    failure::Failure,
};

/// The service that is workbay's own SSH page in every session.
pub const SSH_APP: &str = "sshd";

/// The apps of a session.
#[derive(Clone, Debug)]
pub enum Listing {
    Loading,
    Failed(Failure),
    Known(Vec<App>),
}

/// A row that can be marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    App(&'a App),
    /// Any port of the session.
    Port,
    Ssh,
}

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    Gap,
    Heading(&'static str),
    /// An entry and its number.
    Entry(usize, Entry<'a>),
}

/// The heading of the rows that aren't apps.
const OTHER_WAYS: &str = "Ports and SSH";

impl Listing {
    pub fn apps(&self) -> &[App] {
        match self {
            Self::Known(apps) => apps,
            Self::Loading | Self::Failed(_) => &[],
        }
    }

    /// Shows that the list is being loaded, unless there is one to look at meanwhile.
    pub fn retry(&mut self) {
        if !matches!(self, Self::Known(_)) {
            *self = Self::Loading;
        }
    }

    /// All rows that can be marked.
    pub fn entries(&self) -> Vec<Entry<'_>> {
        let apps = self.apps().iter();
        let mut entries: Vec<Entry<'_>> = apps
            .filter(|app| app.name != SSH_APP)
            .map(Entry::App)
            .collect();
        entries.extend([Entry::Port, Entry::Ssh]);
        entries
    }

    /// The lines in `height` lines, with gaps between the categories if there is room.
    pub fn lines(&self, height: usize) -> Vec<Line<'_>> {
        let entries = self.entries();
        let mut lines = Vec::new();
        let mut last = None;
        for (at, entry) in entries.into_iter().enumerate() {
            let heading = match entry {
                Entry::App(app) => app.category.title(),
                Entry::Port | Entry::Ssh => OTHER_WAYS,
            };
            if last != Some(heading) {
                if last.is_some() {
                    lines.push(Line::Gap);
                }
                lines.push(Line::Heading(heading));
                last = Some(heading);
            }
            lines.push(Line::Entry(at, entry));
        }
        if lines.len() > height {
            lines.retain(|line| *line != Line::Gap);
        }
        lines
    }

    /// The most lines that the list takes.
    pub fn most_lines(&self) -> usize {
        self.lines(usize::MAX).len()
    }

    /// The visible lines around the marked entry.
    pub fn visible(&self, marked: usize, height: usize) -> Vec<Line<'_>> {
        let lines = self.lines(height);
        let is_marked = |line: &Line<'_>| matches!(line, Line::Entry(at, _) if *at == marked);
        let at = lines.iter().position(is_marked).unwrap_or(0);
        let last = lines.len().saturating_sub(height);
        let first = at.saturating_sub(height / 2).min(last);
        lines.into_iter().skip(first).take(height).collect()
    }

    /// The entry on a visible line.
    pub fn entry_at(&self, row: usize, marked: usize, height: usize) -> Option<usize> {
        match self.visible(marked, height).get(row)? {
            Line::Entry(at, _) => Some(*at),
            Line::Gap | Line::Heading(_) => None,
        }
    }

    /// The number of an app among the entries.
    pub fn position(&self, name: &str) -> Option<usize> {
        let entries = self.entries();
        let mut entries = entries.iter();
        entries.position(|entry| matches!(entry, Entry::App(app) if app.name == *name))
    }
}

/// Whether the ports of an app are its name, so that they aren't shown twice.
pub fn is_named_by_port(app: &App) -> bool {
    matches!(
        app.category,
        AppCategory::Preopened | AppCategory::Listening
    )
}
