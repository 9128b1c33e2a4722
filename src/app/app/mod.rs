//! The state of the whole screen. Routes each message to a panel, which decides what the message means.

mod actions;
mod acts;
mod answers;
mod apps;
mod bulk;
mod carry;
mod contexts;
mod control_room;
mod custom_commands;
mod daemon;
mod dashboard;
mod files;
mod filtering;
mod folders;
mod frame;
mod keys;
mod launching;
mod layouts;
mod notices;
mod palette;
mod panels;
mod pointer;
mod rescue;
mod saved;
mod scratch;
mod settings;
mod shells;
pub mod statistics;
mod toast_text;
mod tour;
mod update;
mod views;
mod wake;

use std::collections::HashMap;

use jiff::Timestamp;

use super::{
    area::Areas,
    bulk::BulkState,
    command_log::CommandLog,
    detail::Detail,
    extension_rules::ExtensionRules,
    facts::Facts,
    focus::{Focus, Page},
    frecency::Frecency,
    layouts::{Layout, LayoutRow},
    logs::Logs,
    mirror::Mirror,
    msg::Ticket,
    notices::Notices,
    notices::toast::Toasts,
    panels::{AnyPanel, Panels, notifications::NoticeList},
    panes::Panes,
    saved::SavedState,
    sessions::Sessions,
    sessions::columns::SavedView,
    sessions::lines::ListRow,
    sessions::reach::Reaches,
    shown_contexts::ShownContexts,
    step::{Ids, Purpose, Step},
    themes::Themes,
    tour::Tour,
    transfers::Transfers,
};
use crate::{
    action::{Action, Scope},
    key::Key,
    keymap::Keymap,
    model::{
        id::{ContextName, SessionKey},
        session::Session,
        text::Clean,
    },
    terminal::defaults::DefaultColors,
};

/// Everything that the screen shows. Only [`App::update`] and [`App::laid_out`] change it.
#[derive(Debug)]
pub struct App {
    pub facts: Facts,
    pub keymap: Keymap,
    pub mirror: Mirror,
    pub page: Page,
    /// The view below the floating shell, while it is shown.
    below: Page,
    pub sessions: Sessions,
    pub detail: Option<Detail>,
    /// The open panels on top of the view.
    pub panels: Panels,
    pub reach: Reaches,
    pub notices: Notices,
    /// The sessions of the newest launch, until a key is pressed. A pull of their image opens a dialog.
    launched: Vec<SessionKey>,
    /// The newest session that was launched, until it runs and its apps are shown.
    apps_of: Option<SessionKey>,
    pub extension_rules: ExtensionRules,
    pub logs: Option<Logs>,
    pub panes: Panes,
    pub toasts: Toasts,
    /// Actions on several sessions.
    pub bulk: BulkState,
    /// Saved views, by name.
    views: Vec<SavedView>,
    /// The themes to choose from, empty until they are read.
    pub themes: Themes,
    /// The saved layouts of panes, `None` until they are read.
    layouts: Option<Vec<LayoutRow>>,
    /// The layout to show when the sessions are known.
    starts_with: Option<(Clean, Layout)>,
    /// The commands that do what was done here.
    commands: CommandLog,
    /// How often entries of the palette were used.
    frecency: Frecency,
    /// The transfers of files, which continue while the explorer is closed.
    pub transfers: Transfers,
    /// Keys of an unfinished sequence.
    pub pending: Vec<Key>,
    sequence: Option<keys::KeySequence>,
    /// The last invoked action and its scope.
    invoked: Option<(Scope, Action)>,
    pub mouse: bool,
    /// The outer terminal reports mouse movement without a button.
    mouse_moves: bool,
    /// Whether to show the bars of your resource use.
    pub statistics_shown: bool,
    /// Whether the outer terminal has the focus.
    pub in_front: bool,
    /// The context to show first, until the daemon has sent its list of contexts.
    wanted: Option<ContextName>,
    /// The first snapshot has arrived and decided which context is shown.
    begun: bool,
    ids: Ids,
    asked: HashMap<Ticket, Purpose>,
    /// The sessions whose use the daemon samples for this TUI, `None` if the daemon doesn't know.
    watched: Option<Vec<SessionKey>>,
    interrupted: Option<Timestamp>,
    /// You were asked to confirm that transfers stop when you quit.
    leaving: Option<Timestamp>,
    tour: Option<Tour>,
    /// The keys that did nothing in the list, and until when the hint line says so.
    unbound: Option<(Vec<Key>, Timestamp)>,
    /// Row and time of the last click, for double clicks.
    clicked: Option<(ListRow, Timestamp)>,
    areas: Areas,
    dirty: bool,
    /// Whether the state of the TUI is saved for the next one.
    saves: bool,
    /// The saved state, until the sessions are known.
    restored: Option<SavedState>,
    /// How many shells kept running in their sessions when the TUI was left.
    shells_left: usize,
    saved_last: Option<SavedState>,
}

impl App {
    #[must_use]
    pub fn new(facts: Facts, keymap: Keymap) -> Self {
        let mut sessions = Sessions::default();
        sessions.set_default_columns(&facts.columns);
        Self {
            panes: Panes::new(&facts.tag)
                .with(&facts.terminal)
                .saving_to(facts.copies.clone())
                .recording_to(facts.recordings.clone(), facts.terminal.record_limit.0),
            mouse: facts.mouse,
            statistics_shown: facts.statistics,
            notices: Notices::new(facts.notifications.quiet),
            facts,
            keymap,
            mirror: Mirror::default(),
            page: Page::Sessions,
            below: Page::Sessions,
            sessions,
            detail: None,
            panels: Panels::default(),
            reach: Reaches::default(),
            launched: Vec::new(),
            themes: Themes::default(),
            layouts: None,
            starts_with: None,
            apps_of: None,
            extension_rules: ExtensionRules::default(),
            logs: None,
            toasts: Toasts::default(),
            bulk: BulkState::default(),
            views: Vec::new(),
            commands: CommandLog::default(),
            frecency: Frecency::default(),
            transfers: Transfers::default(),
            leaving: None,
            tour: None,
            pending: Vec::new(),
            sequence: None,
            invoked: None,
            mouse_moves: false,
            in_front: true,
            wanted: None,
            begun: false,
            ids: Ids::default(),
            asked: HashMap::new(),
            watched: None,
            interrupted: None,
            unbound: None,
            clicked: None,
            areas: Areas::default(),
            dirty: true,
            saves: false,
            restored: None,
            shells_left: 0,
            saved_last: None,
        }
    }

    /// Shows this context first instead of the default one.
    #[must_use]
    pub fn starting_in(mut self, context: Option<ContextName>) -> Self {
        self.wanted = context;
        self
    }

    /// Sets the default colors of the outer terminal.
    #[must_use]
    pub fn on(mut self, colours: DefaultColors) -> Self {
        self.panes = self.panes.on(colours);
        self
    }

    /// The commands that do what was done here.
    pub fn commands(&self) -> &CommandLog {
        &self.commands
    }

    /// Whether the data of this context can be outdated.
    pub fn is_stale(&self, context: ContextName) -> bool {
        self.mirror
            .stale_since(ShownContexts::One(context))
            .is_some()
    }

    pub(super) fn screen_rows(&self) -> u16 {
        self.areas.screen.height
    }

    /// Whether the screen needs short texts.
    pub fn is_narrow(&self) -> bool {
        self.areas.screen.width < 100
    }

    /// The session that actions apply to: that of the marked notification, that of the focused detail,
    /// otherwise the selected one.
    pub fn current(&self) -> Option<&Session> {
        let id = match (self.top(), &self.detail, self.focus()) {
            (Some(AnyPanel::Notices(list)), ..) => list.notice(&self.notices)?.session,
            (Some(AnyPanel::Explorer(explorer)), ..) => explorer.session(),
            (_, Some(detail), Focus::Detail) => Some(detail.session()),
            _ => self.sessions.selected(),
        };
        self.mirror.session(id?)
    }

    /// Changes the view. Leaving a log closes it, but terminals stay open.
    fn show(&mut self, page: Page) -> Vec<Step> {
        let mut steps = self.hide_scratch();
        self.pending.clear();
        self.panels.close::<NoticeList>();
        if page != Page::Logs
            && let Some(mut logs) = self.logs.take()
        {
            steps.extend(logs.close());
        }
        if (page == Page::Panes) != (self.page == Page::Panes) {
            steps.extend(self.panes.focus(page == Page::Panes && self.in_front));
        }
        self.page = page;
        steps
    }

    /// The action that was invoked last, and the scope that its key belongs to.
    pub fn invoked(&self) -> Option<(Scope, Action)> {
        self.invoked
    }

    /// How many shells keep running after the TUI was left.
    pub fn shells_left(&self) -> usize {
        self.shells_left
    }
}
