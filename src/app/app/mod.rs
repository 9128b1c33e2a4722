//! The state of the whole screen. Routes each message to a panel, which decides what the message means.

mod actions;
mod acts;
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
mod views;
mod wake;

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use super::{
    area::Areas,
    bulk::BulkState,
    command_log::CommandLog,
    detail::Detail,
    effect::Effect,
    extension_rules::ExtensionRules,
    facts::Facts,
    focus::{Focus, Page},
    frecency::Frecency,
    launcher::Launcher,
    layouts::{Layout, LayoutRow},
    logs::Logs,
    mirror::Mirror,
    msg::{Msg, Ticket},
    notices::Notices,
    notices::toast::Toasts,
    panels::{
        AnyPanel, Panels, explorer::Explorer, folders::FoldersPanel, notifications::NoticeList,
    },
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
        notice::Level,
        problem::Problem,
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

    /// Handles a message at time `now` and returns the effects to carry out.
    pub fn update(&mut self, msg: Msg, now: Timestamp) -> Vec<Effect> {
        self.dirty |= self.is_seen(&msg);
        let may_change_saved = self.may_change_saved(&msg);
        self.sessions.passed(now, &self.facts.time_zone);
        if matches!(msg, Msg::Key(_) | Msg::Paste(_) | Msg::Mouse(_)) {
            self.settle();
            self.unbound = None;
            // A dialog that opens after a key would catch keys meant for something else.
            self.launched.clear();
        }
        let steps = match msg {
            Msg::Key(key) if self.areas.too_small => self.unseen_key(key),
            Msg::Paste(_) | Msg::Mouse(_) if self.areas.too_small => Vec::new(),
            Msg::Key(key) => self.key(key, now),
            Msg::Paste(text) => self.paste(&text, now),
            Msg::Mouse(mouse) => self.pointer(mouse, now),
            Msg::Resize { .. } => Vec::new(),
            Msg::Focus(on) => {
                self.in_front = on;
                let mut steps = self.panes.focus(on && self.page == Page::Panes);
                // The user may have changed the colors elsewhere, or sessions with another program.
                if on {
                    steps.extend(self.ask_colors());
                    steps.extend(self.refresh_on_return());
                }
                steps
            }
            Msg::ColorScheme { .. } => self.ask_colors().into_iter().collect(),
            Msg::Tick => self.tick(now),
            Msg::Daemon(link) => self.link(link, now),
            Msg::Answer { ticket, result } => self.answer(ticket, result, now),
            Msg::Stream { stream, event } if self.is_of_explorer(stream) => {
                self.explorer_stream(stream, &event)
            }
            Msg::Stream { stream, event } => {
                let steps = self.panes.stream(stream, &event, now);
                steps.unwrap_or_default()
            }
            Msg::Log { log, event } => match &mut self.logs {
                Some(logs) => logs.event(log, event),
                None => Vec::new(),
            },
            Msg::Done { ticket, result } => {
                self.asked.remove(&ticket);
                vec![match result {
                    Ok(text) => Step::Toast {
                        level: Level::Success,
                        text,
                    },
                    Err(text) => Step::Toast {
                        level: Level::Error,
                        text,
                    },
                }]
            }
            Msg::Edited { ticket, result } => self.edited(ticket, result, now),
            Msg::Recipe { ticket, result } => self.recipe_read(ticket, result, now),
            Msg::Transfer { id, event } => self.transfer_event(id, event, now),
            Msg::Recording { id, end } => self.panes.recording_ended(id, &end),
            Msg::EditedFile { transfer, result } => self.file_edited(transfer, result),
            Msg::PathCompleted { ticket, completion } => {
                if let Some(explorer) = self.panels.get_mut::<Explorer>() {
                    explorer.completed(ticket, completion);
                }
                Vec::new()
            }
            Msg::Themes(themes) => {
                self.themes = themes;
                self.update_panels(now);
                Vec::new()
            }
            Msg::Layouts(read) => self.layouts_read(*read, now),
            Msg::Machine(reading) => {
                self.machine_read(reading);
                Vec::new()
            }
            Msg::Settings(read) => self.settings_read(*read, now),
            Msg::SettingSaved { ticket, result } => self.setting_saved(ticket, result),
            Msg::TerminalColors(colors) => {
                self.panes.set_colors(colors);
                Vec::new()
            }
            Msg::Keymap(read) => self.keymap_read(read),
            Msg::Leave => self.leave(),
        };
        let mut effects = self.carry_out(steps, now);
        self.follow_pull();
        self.follow_conflicts();
        self.follow_control_room();
        let steps = self.follow_bulk();
        effects.extend(self.carry_out(steps, now));
        let steps = self.look_at_panes(now);
        effects.extend(self.carry_out(steps, now));
        self.follow_sequence(now);
        self.follow_tour();
        effects.extend(self.follow_mouse());
        if may_change_saved {
            effects.extend(self.save());
        }
        effects
    }

    /// Mouse movement without a button sends a lot of data over a slow connection. It is requested only while
    /// the focused program wants it.
    /// Asks the terminal for its colors. Only a terminal that answered before is asked.
    fn ask_colors(&self) -> Option<Step> {
        let knows = self.panes.colors().background.is_some();
        knows.then_some(Step::Do(Effect::AskColors))
    }

    fn follow_mouse(&mut self) -> Option<Effect> {
        let wanted = self.mouse && self.focus() == Focus::Panes && self.panes.want_moves();
        let changed = wanted != std::mem::replace(&mut self.mouse_moves, wanted);
        // Releasing the mouse also switches these reports off.
        (changed && self.mouse).then_some(Effect::MouseMoves(wanted))
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

    /// Takes a changed keymap. With a mistake in it, the previous one stays in use.
    fn keymap_read(&mut self, read: Result<Box<Keymap>, Vec<Problem>>) -> Vec<Step> {
        vec![match read {
            Ok(keymap) => {
                self.keymap = *keymap;
                self.pending.clear();
                let commands = self.facts.commands.list.clone();
                let mut steps = self.commands_read(commands);
                steps.push(Step::toast(
                    Level::Success,
                    tr!("the changed keymap is in use"),
                ));
                return steps;
            }
            Err(problems) => {
                let first = problems.first().map(ToString::to_string);
                let text = tr!(
                    "the keymap has a mistake, so the previous one stays in use\n{first}",
                    first = first.unwrap_or_default()
                );
                Step::toast(Level::Error, text)
            }
        }]
    }

    /// The action that was invoked last, and the scope that its key belongs to.
    pub fn invoked(&self) -> Option<(Scope, Action)> {
        self.invoked
    }

    fn leave(&mut self) -> Vec<Step> {
        let mut steps: Vec<Step> = self.save().map(Step::Do).into_iter().collect();
        self.saves = false;
        self.shells_left = self.panes.kept_shells();
        steps.extend(self.panes.close_all());
        if let Some(mut logs) = self.logs.take() {
            steps.extend(logs.close());
        }
        steps.push(Step::Do(Effect::Quit));
        steps
    }

    /// How many shells keep running after the TUI was left.
    pub fn shells_left(&self) -> usize {
        self.shells_left
    }

    fn tick(&mut self, now: Timestamp) -> Vec<Step> {
        self.explain_sequence(now);
        self.toasts.expire(now);
        if self.interrupted.is_some_and(|at| now >= interrupt_ends(at)) {
            self.interrupted = None;
        }
        if self
            .unbound
            .as_ref()
            .is_some_and(|(_, until)| now >= *until)
        {
            self.unbound = None;
        }
        let mut steps = self.panes.tick(&mut self.ids, now);
        if let Some(launcher) = self.panels.get_mut::<Launcher>() {
            steps.extend(launcher.tick(&self.mirror, now));
        }
        if let Some(page) = self
            .panels
            .get_mut::<FoldersPanel>()
            .filter(|_| self.mirror.is_up())
        {
            steps.extend(page.tick(now));
        }
        steps
    }

    /// Reports to the panes which of them are visible.
    fn look_at_panes(&mut self, now: Timestamp) -> Vec<Step> {
        let on_page = self.page == Page::Panes;
        self.panes.look(on_page, &mut self.ids, now)
    }
}

/// The time until which a second Ctrl-C quits.
fn interrupt_ends(at: Timestamp) -> Timestamp {
    at.saturating_add(SignedDuration::from_secs(1))
        .unwrap_or(Timestamp::MAX)
}
