//! Saved layouts of panes: the list of them, and showing one.

use jiff::Timestamp;

use super::App;
use crate::{
    action::Action,
    app::{
        allowed,
        focus::Page,
        layouts::{Layout, LayoutRow, LayoutsRead},
        panels::layouts::LayoutList,
        panes::{Arranged, FoundSession, SavedPane},
        session_actions,
        step::Step,
    },
    model::{capability::Capability, notice::Level, text::Clean},
};

impl App {
    /// Shows this layout as soon as the sessions are known.
    #[must_use]
    pub fn starting_with(mut self, layout: Option<(Clean, Layout)>) -> Self {
        self.starts_with = layout;
        self
    }

    /// The saved layouts, `None` until they are read.
    pub fn layouts(&self) -> Option<&[LayoutRow]> {
        self.layouts.as_deref()
    }

    /// Opens or closes the list of layouts.
    pub(super) fn toggle_layouts(&mut self) -> Vec<Step> {
        if self.panels.close::<LayoutList>() {
            return Vec::new();
        }
        self.panels.push(LayoutList::default());
        vec![LayoutList::ask()]
    }

    /// The files were read again, after what was ordered.
    pub(super) fn layouts_read(&mut self, read: LayoutsRead, now: Timestamp) -> Vec<Step> {
        if let (Some(name), Some(list)) = (&read.saved, self.panels.get_mut::<LayoutList>()) {
            list.mark(name, &read.rows);
        }
        self.layouts = Some(read.rows);
        self.update_panels(now);
        let (level, text) = match read.outcome {
            None => return Vec::new(),
            Some(Ok(text)) => (Level::Success, text),
            Some(Err(text)) => (Level::Error, text),
        };
        vec![Step::Toast { level, text }]
    }

    /// Shows the panes of a layout.
    pub(super) fn restore_layout(&mut self, name: &Clean) -> Vec<Step> {
        let rows = self.layouts.as_deref().unwrap_or_default();
        match rows.iter().find(|row| row.name == *name) {
            Some(row) => match row.read.clone() {
                Ok(layout) => self.arrange(name, layout),
                Err(text) => vec![Step::Toast {
                    level: Level::Error,
                    text,
                }],
            },
            None => vec![Step::toast(
                Level::Warning,
                tr!("layout '{name}' doesn't exist any more", name),
            )],
        }
    }

    /// Shows the layout of the command line, now that the sessions are known.
    pub(super) fn begin_with_layout(&mut self) -> Vec<Step> {
        match self.starts_with.take() {
            Some((name, layout)) => self.arrange(&name, layout),
            None => Vec::new(),
        }
    }

    fn arrange(&mut self, name: &Clean, layout: Layout) -> Vec<Step> {
        let mirror = &self.mirror;
        let find = |pane: &SavedPane| found(mirror, pane);
        let saved = (layout.tabs, layout.active);
        // A second TUI would take the terminals of the first one.
        let same_tags = self.saves;
        let (arranged, mut steps) = self.panes.arrange(saved, find, same_tags, &mut self.ids);
        self.panes
            .know_contexts(|context| mirror.streams_keep_alive(context));
        steps.extend(self.show(Page::Panes));
        steps.push(report(name, &arranged));
        steps
    }

    /// Relaunches the ended session of the focused pane, which shows the new session when it runs.
    pub(super) fn relaunch_pane(&mut self, now: Timestamp) -> Vec<Step> {
        let refused = |text: String| vec![Step::toast(Level::Warning, text)];
        let Some(pane) = self.panes.active() else {
            return Vec::new();
        };
        let Some(key) = pane.place.session().filter(|_| pane.session_over) else {
            return refused(tr!("only a pane of an ended session can be relaunched").to_owned());
        };
        let name = pane.name.clone();
        let Some(session) = self.full(key) else {
            return refused(tr!(
                "{name} isn't known any more, so it can't be relaunched. Close the pane",
                name
            ));
        };
        let shown = self.sessions.shown();
        let action = Action::SessionAgain;
        if let Some(why) =
            allowed::why_not(action, Some(&session), shown, &self.mirror, &self.facts)
        {
            return refused(why);
        }
        let Some(again) = session_actions::find(action) else {
            return Vec::new();
        };
        let outcome = (again.run)(&session, &self.env(now));
        self.panes.follow_relaunch();
        self.moved(outcome.steps, now)
    }
}

/// The session that a saved pane shows now.
fn found(mirror: &crate::app::mirror::Mirror, pane: &SavedPane) -> FoundSession {
    let Some(key) = pane.session else {
        return FoundSession::Over(Clean::default());
    };
    let known = mirror.session(key);
    if known.is_some_and(|session| !session.status.is_final()) {
        return FoundSession::Here(key);
    }
    // A relaunched session keeps its name.
    let mut live = mirror.sessions().filter(|session| {
        session.context == key.context && session.status.is_live() && session.name == pane.name
    });
    if let Some(newer) = live.next().filter(|_| pane.is_of_session()) {
        return FoundSession::Here(newer.key());
    }
    // A manager sends its sessions later.
    let may_come = mirror.context(key.context).is_some_and(|state| {
        state.context.kind.schedules() || mirror.can(key.context, Capability::Schedules)
    });
    if known.is_none() && may_come {
        return FoundSession::Here(key);
    }
    let why = match known {
        Some(session) => tr!("{name} has ended", name = session.name),
        None => tr!("{name} doesn't exist any more", name = pane.name),
    };
    FoundSession::Over(Clean::new(&why))
}

fn report(name: &Clean, arranged: &Arranged) -> Step {
    let mut text = match arranged.panes {
        1 => tr!("layout '{name}': 1 pane", name),
        n => tr!("layout '{name}': {n} panes", name, n),
    };
    match arranged.closed {
        0 => {}
        1 => text.push_str(tr!(". 1 other pane closed, its shell keeps running")),
        n => {
            let more = tr!(". {n} other panes closed, their shells keep running", n);
            text.push_str(&more);
        }
    }
    let over: Vec<&str> = arranged.over.iter().map(Clean::as_str).collect();
    let level = match over.as_slice() {
        [] => Level::Success,
        names => {
            text.push('\n');
            text.push_str(&tr!("ended: {names}", names = names.join(", ")));
            Level::Warning
        }
    };
    Step::toast(level, text)
}
