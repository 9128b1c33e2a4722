//! The whole screen's state, and where every message goes. Routing only: what a message means is
//! decided by the panel it reaches.

mod actions;
mod acts;
mod carry;
mod contexts;
mod daemon;
mod frame;
mod keeping;
mod kept;
mod keys;
mod launched;
mod launching;
mod notices;
mod panels;
mod pointer;
mod pulling;
mod scheduling;
mod scope;
mod shells;
mod wake;
mod whynot;

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use super::{
    area::Areas,
    confirm::Confirm,
    detail::Detail,
    effect::Effect,
    facts::Facts,
    focus::{Focus, Page},
    help::Help,
    keep::KeepForm,
    kept::Kept,
    launcher::Launcher,
    logs::Logs,
    mirror::Mirror,
    msg::{Msg, Ticket},
    new_shell::NewShell,
    notice_list::NoticeList,
    notices::Notices,
    panels::Panels,
    panes::Panes,
    picker::Picker,
    pull::PullWatch,
    reach::Reaches,
    recents::Recents,
    reprieves::Reprieves,
    scheduling::Scheduling,
    sessions::Sessions,
    shells::Shells,
    shown::Shown,
    step::{Ids, Purpose, Step},
    toast::Toasts,
    whynot::WhyNot,
};
use crate::{
    key::Key,
    keymap::Keymap,
    model::{
        id::{ContextName, SessionKey},
        notice::Level,
        session::Session,
    },
    terminal::defaults::DefaultColours,
};

/// Everything the screen shows. Changed by [`App::update`] and [`App::laid_out`] only.
#[derive(Debug)]
pub struct App {
    pub facts: Facts,
    pub keymap: Keymap,
    pub mirror: Mirror,
    pub page: Page,
    pub sessions: Sessions,
    pub detail: Option<Detail>,
    /// What is open on top of the view.
    pub panels: Panels,
    /// The list of contexts.
    pub picker: Option<Picker>,
    /// The list of all shells.
    pub shells: Option<Shells>,
    /// What is to be run in a new shell.
    pub new_shell: Option<NewShell>,
    pub reach: Reaches,
    pub launcher: Option<Launcher>,
    /// Launches of before.
    pub recents: Option<Recents>,
    pub notices: Notices,
    /// The list of notices, open.
    pub notice_list: Option<NoticeList>,
    /// Why a session waits.
    pub waits: Option<WhyNot>,
    /// The image that a launch made here waits for.
    pub pull: PullWatch,
    /// The scheduling history of a session.
    pub scheduling: Option<Scheduling>,
    pub confirm: Option<Confirm>,
    /// What can be done against idle checks.
    pub keep: Option<KeepForm>,
    pub reprieves: Reprieves,
    pub help: Option<Help>,
    pub logs: Option<Logs>,
    pub panes: Panes,
    pub toasts: Toasts,
    /// Keys of an unfinished sequence.
    pub pending: Vec<Key>,
    pub mouse: bool,
    /// The outer terminal tells of movement without a button.
    mouse_moves: bool,
    /// Whether the bars of what the person holds are to be seen.
    pub statistics_shown: bool,
    /// Whether the outer terminal has the focus.
    pub in_front: bool,
    /// The context to begin with, until the daemon has said which there are.
    wanted: Option<ContextName>,
    /// A snapshot has come: what is shown was chosen.
    begun: bool,
    ids: Ids,
    asked: HashMap<Ticket, Purpose>,
    /// What the daemon samples for us now; `None` = unknown to it.
    watched: Option<Vec<SessionKey>>,
    interrupted: Option<Timestamp>,
    /// Row and time of the last click, for double clicks.
    clicked: Option<(SessionKey, Timestamp)>,
    areas: Areas,
    dirty: bool,
    /// How it is left is remembered.
    keeps: bool,
    /// What was remembered, until the sessions are known.
    restored: Option<Kept>,
    kept_last: Option<Kept>,
}

impl App {
    #[must_use]
    pub fn new(facts: Facts, keymap: Keymap) -> Self {
        Self {
            panes: Panes::new(&facts.tag)
                .with(&facts.terminal)
                .saving_to(facts.copies.clone()),
            mouse: facts.mouse,
            statistics_shown: facts.statistics,
            notices: Notices::new(facts.notifications.quiet),
            facts,
            keymap,
            mirror: Mirror::default(),
            page: Page::Sessions,
            sessions: Sessions::default(),
            detail: None,
            panels: Panels::default(),
            picker: None,
            shells: None,
            new_shell: None,
            reach: Reaches::default(),
            launcher: None,
            recents: None,
            notice_list: None,
            scheduling: None,
            waits: None,
            pull: PullWatch::default(),
            confirm: None,
            keep: None,
            reprieves: Reprieves::default(),
            help: None,
            logs: None,
            toasts: Toasts::default(),
            pending: Vec::new(),
            mouse_moves: false,
            in_front: true,
            wanted: None,
            begun: false,
            ids: Ids::default(),
            asked: HashMap::new(),
            watched: None,
            interrupted: None,
            clicked: None,
            areas: Areas::default(),
            dirty: true,
            keeps: false,
            restored: None,
            kept_last: None,
        }
    }

    /// Begins with this context instead of the default one.
    #[must_use]
    pub fn starting_in(mut self, context: Option<ContextName>) -> Self {
        self.wanted = context;
        self
    }

    /// On an outer terminal of these colours.
    #[must_use]
    pub fn on(mut self, colours: DefaultColours) -> Self {
        self.panes = self.panes.on(colours);
        self
    }

    /// Takes one message at time `now` and says what is to be done outside.
    pub fn update(&mut self, msg: Msg, now: Timestamp) -> Vec<Effect> {
        self.dirty |= self.is_seen(&msg);
        let may_change_kept = self.may_change_kept(&msg);
        if matches!(msg, Msg::Key(_) | Msg::Paste(_) | Msg::Mouse(_)) {
            self.settle();
            self.pull.touched();
        }
        let steps = match msg {
            Msg::Key(key) => self.key(key, now),
            Msg::Paste(text) => self.paste(&text, now),
            Msg::Mouse(mouse) => self.pointer(mouse, now),
            Msg::Resize { .. } => Vec::new(),
            Msg::Focus(on) => {
                self.in_front = on;
                self.panes.focus(on && self.page == Page::Panes)
            }
            Msg::Tick => self.tick(now),
            Msg::Daemon(link) => self.link(link, now),
            Msg::Answer { ticket, result } => self.answer(ticket, result, now),
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
            Msg::Leave => self.leave(),
        };
        let mut effects = self.carry_out(steps, now);
        self.follow_pull();
        let steps = self.look_at_panes(now);
        effects.extend(self.carry_out(steps, now));
        effects.extend(self.follow_mouse());
        if may_change_kept {
            effects.extend(self.keep());
        }
        effects
    }

    /// Movement without a button costs a slow line much: it is asked for only while the program with
    /// the keys wants it.
    fn follow_mouse(&mut self) -> Option<Effect> {
        let wanted = self.mouse && self.focus() == Focus::Panes && self.panes.want_moves();
        let changed = wanted != std::mem::replace(&mut self.mouse_moves, wanted);
        // Where the mouse is given back, so is this.
        (changed && self.mouse).then_some(Effect::MouseMoves(wanted))
    }

    /// Whether what is known of this context may be old.
    pub fn is_stale(&self, context: ContextName) -> bool {
        self.mirror.stale_since(Shown::One(context)).is_some()
    }

    pub(super) fn screen_rows(&self) -> u16 {
        self.areas.screen.height
    }

    /// Whether words must be saved.
    pub fn is_narrow(&self) -> bool {
        self.areas.screen.width < 100
    }

    /// The session that actions are about: the marked notice's, the detail's when it has the keys,
    /// else the selected one.
    pub fn current(&self) -> Option<&Session> {
        let id = match (&self.detail, self.focus()) {
            (_, Focus::Notices) => self.marked_notice().and_then(|it| it.session),
            (Some(detail), Focus::Detail) => Some(detail.session()),
            _ => self.sessions.selected(),
        };
        self.mirror.session(id?)
    }

    /// Changes the page; a log that is left is closed, terminals go on.
    fn show(&mut self, page: Page) -> Vec<Step> {
        let mut steps = Vec::new();
        self.pending.clear();
        self.notice_list = None;
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

    fn leave(&mut self) -> Vec<Step> {
        let mut steps: Vec<Step> = self.keep().map(Step::Do).into_iter().collect();
        self.keeps = false;
        steps.extend(self.panes.close_all());
        if let Some(mut logs) = self.logs.take() {
            steps.extend(logs.close());
        }
        steps.push(Step::Do(Effect::Quit));
        steps
    }

    fn tick(&mut self, now: Timestamp) -> Vec<Step> {
        self.toasts.expire(now);
        if self.interrupted.is_some_and(|at| now >= interrupt_ends(at)) {
            self.interrupted = None;
        }
        let mut steps = self.panes.tick(&mut self.ids, now);
        if let Some(launcher) = &mut self.launcher {
            steps.extend(launcher.tick(&self.mirror, now));
        }
        steps
    }

    /// Tells the panes which of them a person has before them.
    fn look_at_panes(&mut self, now: Timestamp) -> Vec<Step> {
        let on_page = self.page == Page::Panes;
        self.panes.look(on_page, &mut self.ids, now)
    }
}

/// Until when a second Ctrl-C leaves.
fn interrupt_ends(at: Timestamp) -> Timestamp {
    at.saturating_add(SignedDuration::from_secs(1))
        .unwrap_or(Timestamp::MAX)
}
