//! The list of all shells, where you go to one or open one: panes with their windows, and every session that
//! can have a shell.

use super::{Hint, MOVE, Panel, PanelEnv, scroll::ListCursor};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        input::Input,
        mirror::Mirror,
        panes::{Axis, Pane, PaneId, PaneState, PaneTab, Panes, ShellPlace},
        step::{Go, Step},
    },
    key::Key,
    model::{id::SessionKey, natural, session::Session, text::Clean},
    terminal::control::Window,
};

/// The destination of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellTarget {
    Pane(PaneId),
    /// A window of a pane's tmux, by its number.
    Window(PaneId, u32),
    /// A session without a pane.
    Session(SessionKey),
    /// The shell of this machine, if it isn't open yet.
    Host,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellRow {
    pub target: ShellTarget,
    pub name: Clean,
    /// A note about the shell.
    pub note: Clean,
}

#[derive(Clone, Debug)]
pub struct ShellPicker {
    query: Input,
    /// All there are.
    all: Vec<ShellRow>,
    /// Positions of the rows that match the typed text.
    fitting: Vec<usize>,
    pub list: ListCursor,
}

impl ShellPicker {
    /// Marks the focused pane.
    #[must_use]
    pub fn new(mirror: &Mirror, panes: &Panes, host: &str) -> Self {
        let mut shells = Self {
            query: Input::default(),
            all: rows(mirror, panes, host),
            fitting: Vec::new(),
            list: ListCursor::default(),
        };
        shells.fit();
        let active = panes.active().map(|pane| ShellTarget::Pane(pane.id));
        shells.mark(active, 0);
        shells
    }

    fn mark(&mut self, target: Option<ShellTarget>, otherwise: usize) {
        let at = self.rows().position(|row| Some(row.target) == target);
        let count = self.fitting.len();
        self.list.go_to(at.unwrap_or(otherwise), count);
    }

    pub fn query(&self) -> &Input {
        &self.query
    }

    /// The rows that match the typed text.
    pub fn rows(&self) -> impl Iterator<Item = &ShellRow> {
        self.fitting.iter().filter_map(|at| self.all.get(*at))
    }

    pub fn marked(&self) -> Option<&ShellRow> {
        self.all.get(*self.fitting.get(self.list.marked())?)
    }

    /// The number of all rows, matching or not, so that the dialog keeps its size while you type.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    fn fit(&mut self) {
        let typed = self.query.text().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let fits = |row: &ShellRow| {
            let text = format!("{} {}", row.name, row.note).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let all = self.all.iter().enumerate();
        self.fitting = all.filter(|(_, row)| fits(row)).map(|(at, _)| at).collect();
        self.list.move_by(0, self.fitting.len());
    }

    fn typed(&mut self) {
        self.list.go_to(0, self.fitting.len());
        self.fit();
    }

    fn choose(&self, beside: Option<Axis>) -> Vec<Step> {
        let target = self.marked().map(|row| row.target);
        let open = target.map(|it| Step::Go(Go::OpenShell(it, beside)));
        open.map_or_else(Vec::new, |open| vec![Step::CLOSE, open])
    }
}

const HINTS: &[Hint] = &[
    (Scope::Shells, &[Action::ShellShow], tr_later!("show")),
    (Scope::Shells, &[Action::ShellBeside], tr_later!("beside")),
    (Scope::Shells, &[Action::ShellBelow], tr_later!("below")),
    (Scope::Shells, MOVE, tr_later!("move")),
    (Scope::Global, &[Action::Back], tr_later!("cancel")),
];

impl Panel for ShellPicker {
    fn scope(&self) -> Scope {
        Scope::Shells
    }

    fn is_form(&self) -> bool {
        true
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::ShellShow => return self.choose(None),
            Action::ShellBeside => return self.choose(Some(Axis::Beside)),
            Action::ShellBelow => return self.choose(Some(Axis::Below)),
            Action::Back => return self.back(env),
            _ => self.list.action(action, self.fitting.len()),
        };
        Vec::new()
    }

    fn key(&mut self, key: Key, _: &PanelEnv<'_>) -> Option<Vec<Step>> {
        let used = self.query.key(key);
        used.then(|| {
            self.typed();
            Vec::new()
        })
    }

    fn paste(&mut self, text: &str, _: &PanelEnv<'_>) -> Vec<Step> {
        self.query.paste(text);
        self.typed();
        Vec::new()
    }

    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Row(row) if self.list.scroll() + row < self.fitting.len() => {
                self.list
                    .go_to(self.list.scroll() + row, self.fitting.len());
                self.choose(None)
            }
            DialogPart::Outside => self.back(env),
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, _: &PanelEnv<'_>) {
        self.list.move_by(by.signum(), self.fitting.len());
    }

    /// Also takes changes of sessions, panes and windows.
    fn laid_out(&mut self, height: usize, env: &PanelEnv<'_>) {
        let marked = self.marked().map(|row| row.target);
        self.all = rows(env.mirror, env.panes, &env.facts.host);
        self.fit();
        self.mark(marked, self.list.marked());
        self.list.laid_out(height, self.fitting.len());
    }

    fn hints(&self) -> Vec<Hint> {
        HINTS.to_vec()
    }
}

fn rows(mirror: &Mirror, panes: &Panes, host: &str) -> Vec<ShellRow> {
    let mut rows = Vec::new();
    for tab in panes.tabs() {
        for pane in tab.panes().into_iter().filter_map(|id| panes.pane(id)) {
            rows.push(of_pane(panes, pane));
            rows.extend(windows(panes, pane));
        }
    }
    let several = mirror.has_several_contexts();
    let is_open = |session: &Session| {
        let place = ShellPlace::Session(session.key());
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
            tr!("{context}, not open", context = session.context)
        } else {
            tr!("not open").to_owned()
        };
        rows.push(ShellRow {
            target: ShellTarget::Session(session.key()),
            name: session.name.clone(),
            note: Clean::new(&note),
        });
    }
    if panes.iter().all(|pane| pane.place != ShellPlace::Host) {
        rows.push(ShellRow {
            target: ShellTarget::Host,
            name: Clean::new(host),
            note: tr!("this machine, not open").into(),
        });
    }
    rows
}

/// The row of a pane. If several panes are in the same place, each shows its window.
fn of_pane(panes: &Panes, pane: &Pane) -> ShellRow {
    let window = panes
        .window(pane)
        .filter(|_| is_one_of_several(panes, pane));
    let note = match (&pane.state, window) {
        (PaneState::Live, Some(window)) => Clean::new(&tr!(
            "window {index} {name}",
            index = window.index,
            name = window.name
        )),
        (PaneState::Live, None) if pane.place == ShellPlace::Host => tr!("this machine").into(),
        (PaneState::Live, None) => tr_in!("shell", "open").into(),
        (PaneState::Opening, _) => tr!("opening").into(),
        (PaneState::Ended { .. }, _) => tr!("ended").into(),
        (PaneState::Paused, _) => tr!("paused").into(),
        (PaneState::Lost { .. }, _) => tr!("lost").into(),
    };
    ShellRow {
        target: ShellTarget::Pane(pane.id),
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
fn windows(panes: &Panes, pane: &Pane) -> Vec<ShellRow> {
    let windows = panes.windows(pane).map_or(&[][..], |group| &group.windows);
    let several = is_one_of_several(panes, pane);
    let mut order = panes.tabs().iter().flat_map(PaneTab::panes);
    let first = order.find(|id| panes.pane(*id).is_some_and(|it| it.place == pane.place));
    if windows.len() < 2 || (several && first != Some(pane.id)) {
        return Vec::new();
    }
    let listed =
        |window: &&Window| !several || !(window.active || panes.is_elsewhere(pane, window.index));
    let row = |window: &Window| ShellRow {
        target: ShellTarget::Window(pane.id, window.index),
        name: Clean::new(&format!("{} {}", window.index, window.name)),
        note: match window {
            _ if window.bell => tr!("bell").into(),
            _ if window.active => tr!("shown").into(),
            _ if window.activity => tr!("new output").into(),
            _ => window.command.clone(),
        },
    };
    windows.iter().filter(listed).map(row).collect()
}
