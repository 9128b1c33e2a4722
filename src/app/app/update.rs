//! Routes each message to the panel or view that it is for.

use jiff::{SignedDuration, Timestamp};

use super::App;
use crate::{
    app::{
        effect::Effect,
        focus::{Focus, Page},
        launcher::Launcher,
        msg::Msg,
        panels::{explorer::Explorer, folders::FoldersPanel},
        step::Step,
    },
    keymap::Keymap,
    model::{notice::Level, problem::Problem},
};

impl App {
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
        let steps = self.route(msg, now);
        let mut effects = self.carry_out(steps, now);
        effects.extend(self.follow(now));
        if may_change_saved {
            effects.extend(self.save());
        }
        effects
    }

    /// Hands a message to the panel or view that it is for.
    fn route(&mut self, msg: Msg, now: Timestamp) -> Vec<Step> {
        match msg {
            Msg::Key(key) if self.areas.too_small => self.unseen_key(key),
            Msg::Paste(_) | Msg::Mouse(_) if self.areas.too_small => Vec::new(),
            Msg::Key(key) => self.key(key, now),
            Msg::Paste(text) => self.paste(&text, now),
            Msg::Mouse(mouse) => self.pointer(mouse, now),
            Msg::Resize { .. } => Vec::new(),
            Msg::Focus(on) => self.focus_changed(on),
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
                let (level, text) = match result {
                    Ok(text) => (Level::Success, text),
                    Err(text) => (Level::Error, text),
                };
                vec![Step::Toast { level, text }]
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
        }
    }

    /// Updates what follows from the state after a message.
    fn follow(&mut self, now: Timestamp) -> Vec<Effect> {
        self.follow_pull();
        self.follow_conflicts();
        self.follow_control_room();
        let steps = self.follow_bulk();
        let mut effects = self.carry_out(steps, now);
        let steps = self.look_at_panes(now);
        effects.extend(self.carry_out(steps, now));
        self.follow_sequence(now);
        self.follow_tour();
        effects.extend(self.follow_mouse());
        effects
    }

    fn focus_changed(&mut self, on: bool) -> Vec<Step> {
        self.in_front = on;
        let mut steps = self.panes.focus(on && self.page == Page::Panes);
        // The user may have changed the colors elsewhere, or sessions with another program.
        if on {
            steps.extend(self.ask_colors());
            steps.extend(self.refresh_on_return());
        }
        steps
    }

    /// Asks the terminal for its colors. Only a terminal that answered before is asked.
    fn ask_colors(&self) -> Option<Step> {
        let knows = self.panes.colors().background.is_some();
        knows.then_some(Step::Do(Effect::AskColors))
    }

    /// Mouse movement without a button sends a lot of data over a slow connection. It is requested only while
    /// the focused program wants it.
    fn follow_mouse(&mut self) -> Option<Effect> {
        let wanted = self.mouse && self.focus() == Focus::Panes && self.panes.want_moves();
        let changed = wanted != std::mem::replace(&mut self.mouse_moves, wanted);
        // Releasing the mouse also switches these reports off.
        (changed && self.mouse).then_some(Effect::MouseMoves(wanted))
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

    pub(super) fn leave(&mut self) -> Vec<Step> {
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
pub(super) fn interrupt_ends(at: Timestamp) -> Timestamp {
    at.saturating_add(SignedDuration::from_secs(1))
        .unwrap_or(Timestamp::MAX)
}
