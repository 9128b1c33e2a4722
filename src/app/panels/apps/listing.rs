//! The rows of the app launcher: apps below the headings of their categories, then ports and SSH.

use crate::locale;
use crate::model::{
    app::{App, AppCategory},
    failure::Failure,
};

/// The service that is workbay's own SSH page in every session.
const SSH_APP: &str = "sshd";

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
const OTHER_WAYS: &str = tr_later!("Ports and SSH");

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
                Entry::Port | Entry::Ssh => locale::text(OTHER_WAYS),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        app::{AppProtocol, AppSource, AppState, presentation},
        text::Clean,
    };

    fn app(name: &str) -> App {
        let (title, category, path) = presentation(name);
        App {
            name: Clean::new(name),
            title,
            category,
            protocol: AppProtocol::Http,
            ports: Vec::new(),
            source: AppSource::Image,
            state: AppState::Stopped,
            path,
            arguments: Vec::new(),
            startable: true,
        }
    }

    fn listing() -> Listing {
        let names = ["ttyd", "sshd", "jupyter", "jupyterlab", "tensorboard"];
        Listing::Known(names.map(app).to_vec())
    }

    fn headings(lines: &[Line<'_>]) -> Vec<&'static str> {
        let titles = lines.iter().filter_map(|line| match line {
            Line::Heading(title) => Some(*title),
            _ => None,
        });
        titles.collect()
    }

    #[test]
    fn apps_are_below_their_headings_and_ssh_is_there_once() {
        let listing = listing();
        let lines = listing.lines(40);
        assert_eq!(
            headings(&lines),
            ["Utilities", "Development", "ML tools", "Ports and SSH"]
        );
        let entries = listing.entries();
        assert_eq!(entries.len(), 6);
        assert_eq!(entries.last(), Some(&Entry::Ssh));
        assert_eq!(listing.position("jupyter"), Some(1));
        assert_eq!(listing.position("sshd"), None);
    }

    #[test]
    fn the_marked_entry_is_visible_and_can_be_clicked() {
        let listing = listing();
        for height in 1..20 {
            for marked in 0..6 {
                let visible = listing.visible(marked, height);
                assert!(visible.len() <= height);
                let at = visible
                    .iter()
                    .position(|line| matches!(line, Line::Entry(at, _) if *at == marked))
                    .unwrap();
                assert_eq!(listing.entry_at(at, marked, height), Some(marked));
            }
        }
        assert_eq!(listing.entry_at(0, 0, 10), None, "a heading");
        assert_eq!(listing.entry_at(99, 0, 10), None);
    }

    #[test]
    fn without_apps_ports_and_ssh_are_left() {
        for listing in [Listing::Loading, Listing::Known(Vec::new())] {
            assert_eq!(listing.entries(), [Entry::Port, Entry::Ssh]);
        }
    }
}
