//! The control room: the screens of several sessions side by side, each as its terminal shows it now.

mod grid;

use ratatui::layout::Rect;

use super::{Hint, Panel, PanelEnv};
use crate::{
    action::{Action, Scope},
    app::{
        mirror::Mirror,
        step::{Go, Step},
    },
    key::Key,
    model::{id::SessionKey, natural, notice::Level, status::Status},
};

pub use grid::Grid;

/// What is in a tile of the current page.
#[derive(Clone, Debug)]
pub struct RoomPage {
    pub sessions: Vec<SessionKey>,
    pub grid: Grid,
    /// The number of the page, from 0.
    pub page: usize,
    pub pages: usize,
    /// The sessions of all pages.
    pub count: usize,
    /// The position of the selected tile on the page.
    pub selected: usize,
}

#[derive(Debug)]
pub struct ControlRoom {
    /// The sessions that were marked in the list, otherwise all running ones are shown.
    marked: Vec<SessionKey>,
    selected: Option<SessionKey>,
    /// Where `selected` was, if that session is gone.
    position: usize,
    /// Tiles show whole screens, scaled down, instead of the newest lines.
    pub scaled: bool,
    /// How many sessions and pages there are, for the hints.
    shown: (usize, usize),
}

impl ControlRoom {
    /// Shows the marked sessions, or all running ones. Selects one of them.
    #[must_use]
    pub fn new(marked: Vec<SessionKey>, selected: Option<SessionKey>) -> Self {
        Self {
            marked,
            selected,
            position: 0,
            scaled: false,
            shown: (0, 0),
        }
    }

    pub fn is_of_marked(&self) -> bool {
        !self.marked.is_empty()
    }

    /// All sessions of the room, by name.
    fn sessions(&self, mirror: &Mirror) -> Vec<SessionKey> {
        let wanted = mirror.sessions().filter(|session| {
            if self.marked.is_empty() {
                session.status == Status::Running
            } else {
                self.marked.contains(&session.key())
            }
        });
        let mut named: Vec<_> = wanted.map(|it| (it.name.as_str(), it.key())).collect();
        named.sort_by(|(one, id), (other, other_id)| {
            natural::compare(one, other).then(id.cmp(other_id))
        });
        named.into_iter().map(|(_, key)| key).collect()
    }

    /// What the room shows on a screen.
    #[must_use]
    pub fn page(&self, mirror: &Mirror, screen: Rect) -> RoomPage {
        let all = self.sessions(mirror);
        let grid = Grid::of(tiles(screen), all.len());
        let per_page = grid.per_page();
        let known = all.iter().position(|key| Some(*key) == self.selected);
        let at = known
            .unwrap_or(self.position)
            .min(all.len().saturating_sub(1));
        let page = at / per_page;
        RoomPage {
            sessions: all
                .iter()
                .copied()
                .skip(page * per_page)
                .take(per_page)
                .collect(),
            grid,
            page,
            pages: all.len().div_ceil(per_page).max(1),
            count: all.len(),
            selected: at % per_page,
        }
    }

    /// Selects another tile, by a number of tiles.
    fn step(&mut self, by: isize, env: &PanelEnv<'_>) {
        let all = self.sessions(env.mirror);
        let known = all.iter().position(|key| Some(*key) == self.selected);
        let at = known
            .unwrap_or(self.position)
            .min(all.len().saturating_sub(1));
        let to = at
            .saturating_add_signed(by)
            .min(all.len().saturating_sub(1));
        self.position = to;
        self.selected = all.get(to).copied();
    }

    fn open(&self, env: &PanelEnv<'_>) -> Vec<Step> {
        let page = self.page(env.mirror, env.screen);
        let Some(session) = page.sessions.get(page.selected) else {
            return Vec::new();
        };
        let running = env
            .mirror
            .session(*session)
            .is_some_and(|it| it.status.is_live());
        if !running {
            let text = tr!("only running sessions have a terminal");
            return vec![Step::toast(Level::Warning, text)];
        }
        if env.panes.is_connecting_screen(*session) {
            let text = tr!("the connection to this session isn't ready. Try again in a second");
            return vec![Step::toast(Level::Info, text)];
        }
        vec![Step::CLOSE, Step::Go(Go::Shell(*session))]
    }
}

/// The area of the tiles: below the title, above the hints.
#[must_use]
pub fn tiles(screen: Rect) -> Rect {
    Rect {
        y: screen.y + 1,
        height: screen.height.saturating_sub(2),
        ..screen
    }
}

const OPEN: Hint = (Scope::Room, &[Action::RoomOpen], tr_later!("open terminal"));
const SELECT: Hint = (
    Scope::Room,
    &[
        Action::ListUp,
        Action::ListDown,
        Action::RoomLeft,
        Action::RoomRight,
    ],
    tr_later!("select"),
);
const NEXT_PAGE: Hint = (Scope::Room, &[Action::ListPageDown], tr_later!("next page"));
const SCALE: Hint = (Scope::Room, &[Action::RoomScale], tr_later!("scale"));
const CLOSE: Hint = (Scope::Global, &[Action::Back], tr_later!("close"));

impl Panel for ControlRoom {
    fn scope(&self) -> Scope {
        Scope::Room
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        let grid = self.page(env.mirror, env.screen).grid;
        let row = grid.columns.cast_signed();
        let page = grid.per_page().cast_signed();
        match action {
            Action::RoomLeft => self.step(-1, env),
            Action::RoomRight => self.step(1, env),
            Action::ListUp => self.step(-row, env),
            Action::ListDown => self.step(row, env),
            Action::ListPageUp => self.step(-page, env),
            Action::ListPageDown => self.step(page, env),
            Action::ListFirst => self.step(isize::MIN, env),
            Action::ListLast => self.step(isize::MAX, env),
            Action::RoomScale => self.scaled = !self.scaled,
            Action::RoomOpen => return self.open(env),
            Action::Back => return self.back(env),
            _ => {}
        }
        Vec::new()
    }

    fn laid_out(&mut self, _: usize, env: &PanelEnv<'_>) {
        let page = self.page(env.mirror, env.screen);
        self.shown = (page.count, page.pages);
    }

    /// Only the keys that have an effect on what is shown.
    fn hints(&self) -> Vec<Hint> {
        let (count, pages) = self.shown;
        let hints = [
            (OPEN, count > 0),
            (SELECT, count > 1),
            (NEXT_PAGE, pages > 1),
            (SCALE, count > 0),
            (CLOSE, true),
        ];
        hints
            .into_iter()
            .filter_map(|(hint, is_useful)| is_useful.then_some(hint))
            .collect()
    }
}
