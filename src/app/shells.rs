//! The list of all shells, where you go to one or open one: panes with their windows, and every session that
//! can have a shell.

use super::{
    input::Input,
    mirror::Mirror,
    panes::{Desk, Pane, PaneId, Panes, Place, State},
};
use crate::{
    action::Action,
    key::Key,
    model::{id::SessionKey, natural, session::Session, text::Clean},
    terminal::control::Window,
};

/// The destination of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    Pane(PaneId),
    /// A window of a pane's tmux, by its number.
    Window(PaneId, u32),
    /// A session without a pane.
    Session(SessionKey),
    /// The shell of this machine, if it isn't open yet.
    Host,
}

/// How to show the chosen shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// In its place, or on a desk of its own.
    Show,
    Beside,
    Below,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub door: Door,
    pub name: Clean,
    /// A note about the shell.
    pub note: Clean,
}

#[derive(Clone, Debug)]
pub struct Shells {
    query: Input,
    /// All there are.
    all: Vec<Row>,
    /// Positions of the rows that match the typed text.
    fitting: Vec<usize>,
    marked: usize,
    scroll: usize,
    height: usize,
}

impl Shells {
    /// Marks the focused pane.
    #[must_use]
    pub fn new(mirror: &Mirror, panes: &Panes, host: &str) -> Self {
        let mut shells = Self {
            query: Input::default(),
            all: rows(mirror, panes, host),
            fitting: Vec::new(),
            marked: 0,
            scroll: 0,
            height: 1,
        };
        shells.fit();
        let active = panes.active().map(|pane| Door::Pane(pane.id));
        let at = shells.rows().position(|row| Some(row.door) == active);
        shells.marked = at.unwrap_or(0);
        shells
    }

    /// Sessions, panes or windows were added, removed or changed.
    pub fn update(&mut self, mirror: &Mirror, panes: &Panes, host: &str) {
        let marked = self.marked().map(|row| row.door);
        self.all = rows(mirror, panes, host);
        self.fit();
        let at = self.rows().position(|row| Some(row.door) == marked);
        self.go_to(at.unwrap_or(self.marked));
    }

    pub fn query(&self) -> &Input {
        &self.query
    }

    /// The rows that match the typed text.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.fitting.iter().filter_map(|at| self.all.get(*at))
    }

    pub fn marked(&self) -> Option<&Row> {
        self.all.get(*self.fitting.get(self.marked)?)
    }

    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// The number of all rows, matching or not, so that the dialog keeps its size while you type.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    fn fit(&mut self) {
        let typed = self.query.text().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let fits = |row: &Row| {
            let text = format!("{} {}", row.name, row.note).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let all = self.all.iter().enumerate();
        self.fitting = all.filter(|(_, row)| fits(row)).map(|(at, _)| at).collect();
        self.go_to(self.marked);
    }

    /// Handles a key that no scope binds. Returns `false` if the key isn't used.
    pub fn key(&mut self, key: Key) -> bool {
        let taken = self.query.key(key);
        if taken {
            self.marked = 0;
            self.fit();
        }
        taken
    }

    pub fn paste(&mut self, text: &str) {
        self.query.paste(text);
        self.marked = 0;
        self.fit();
    }

    /// Handles an action of the list's scope. Returns the chosen row, and how to show it.
    pub fn action(&mut self, action: Action) -> Option<(Door, Way)> {
        let page = self.height.max(2).cast_signed() - 1;
        match action {
            Action::ListDown => self.move_by(1),
            Action::ListUp => self.move_by(-1),
            Action::ListPageDown => self.move_by(page),
            Action::ListPageUp => self.move_by(-page),
            Action::ShellShow => return self.choose(Way::Show),
            Action::ShellBeside => return self.choose(Way::Beside),
            Action::ShellBelow => return self.choose(Way::Below),
            _ => {}
        }
        None
    }

    fn choose(&self, way: Way) -> Option<(Door, Way)> {
        self.marked().map(|row| (row.door, way))
    }

    pub fn move_by(&mut self, by: isize) {
        self.go_to(self.marked.saturating_add_signed(by));
    }

    /// Marks a row, counted among the matching rows.
    pub fn go_to(&mut self, at: usize) {
        self.marked = at.min(self.fitting.len().saturating_sub(1));
        let last = self.fitting.len().saturating_sub(self.height);
        self.scroll = self
            .scroll
            .max((self.marked + 1).saturating_sub(self.height))
            .min(self.marked)
            .min(last);
    }

    /// Takes the number of visible rows from the layout.
    pub fn laid_out(&mut self, height: usize) {
        self.height = height.max(1);
        self.go_to(self.marked);
    }
}

fn rows(mirror: &Mirror, panes: &Panes, host: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    for desk in panes.desks() {
        for pane in desk.panes().into_iter().filter_map(|id| panes.pane(id)) {
            rows.push(of_pane(panes, pane));
            rows.extend(windows(panes, pane));
        }
    }
    let several = mirror.has_several_contexts();
    let is_open = |session: &Session| {
        let place = Place::Session(session.key());
        panes
            .iter()
            .any(|pane| pane.place == place && pane.takes_keys())
    };
    let mut others: Vec<&Session> = mirror
        .sessions()
        .filter(|session| session.status.is_live() && !is_open(session))
        .collect();
    others.sort_by(|a, b| natural::compare(a.name.as_str(), b.name.as_str()));
    for session in others {
        let note = if several {
            format!("{}, not open", session.context)
        } else {
            "not open".to_owned()
        };
        rows.push(Row {
            door: Door::Session(session.key()),
            name: session.name.clone(),
            note: Clean::new(&note),
        });
    }
    if panes.iter().all(|pane| pane.place != Place::Host) {
        rows.push(Row {
            door: Door::Host,
            name: Clean::new(host),
            note: "this machine, not open".into(),
        });
    }
    rows
}

/// The row of a pane. If several panes are in the same place, each shows its window.
fn of_pane(panes: &Panes, pane: &Pane) -> Row {
    let window = panes
        .window(pane)
        .filter(|_| is_one_of_several(panes, pane));
    let note = match (&pane.state, window) {
        (State::Live, Some(window)) => {
            Clean::new(&format!("window {} {}", window.index, window.name))
        }
        (State::Live, None) if pane.place == Place::Host => "this machine".into(),
        (State::Live, None) => "open".into(),
        (State::Opening, _) => "opening".into(),
        (State::Ended { .. }, _) => "ended".into(),
        (State::Paused, _) => "paused".into(),
        (State::Lost { .. }, _) => "lost".into(),
    };
    Row {
        door: Door::Pane(pane.id),
        name: pane.name.clone(),
        note,
    }
}

fn is_one_of_several(panes: &Panes, pane: &Pane) -> bool {
    let same = |other: &&Pane| other.place == pane.place;
    panes.iter().filter(same).count() > 1
}

/// The windows of a pane, if there are several. If a session has several panes, the first one lists the
/// windows that no pane shows, so that each window is listed once.
fn windows(panes: &Panes, pane: &Pane) -> Vec<Row> {
    let windows = panes.windows(pane).map_or(&[][..], |group| &group.windows);
    let several = is_one_of_several(panes, pane);
    let mut order = panes.desks().iter().flat_map(Desk::panes);
    let first = order.find(|id| panes.pane(*id).is_some_and(|it| it.place == pane.place));
    if windows.len() < 2 || (several && first != Some(pane.id)) {
        return Vec::new();
    }
    let listed =
        |window: &&Window| !several || !(window.active || panes.is_elsewhere(pane, window.index));
    let row = |window: &Window| Row {
        door: Door::Window(pane.id, window.index),
        name: Clean::new(&format!("{} {}", window.index, window.name)),
        note: match window {
            _ if window.bell => "bell".into(),
            _ if window.active => "shown".into(),
            _ if window.activity => "new output".into(),
            _ => window.command.clone(),
        },
    };
    windows.iter().filter(listed).map(row).collect()
}
