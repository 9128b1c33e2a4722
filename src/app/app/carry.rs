//! Carries out the steps that panels return.

use std::collections::VecDeque;

use jiff::Timestamp;

use super::{
    super::{
        effect::Effect,
        equivalent::equivalent,
        focus::Page,
        logs::feed::LogOrder,
        msg::Ticket,
        panels::{
            AnyPanel, explorer::Explorer, notifications::NoticeList, transfers::TransferList,
        },
        settings::SettingsOrder,
        step::{Go, Purpose, Step},
        themes::ThemeOrder,
    },
    App,
};
use crate::action::Action;

impl App {
    /// Carries out the panels' steps: moves inside the TUI at once, the rest as effects.
    pub(super) fn carry_out(&mut self, steps: Vec<Step>, now: Timestamp) -> Vec<Effect> {
        let next = |queue: &mut VecDeque<Step>, steps: Vec<Step>| {
            steps.into_iter().rev().for_each(|it| queue.push_front(it));
        };
        let mut effects = Vec::new();
        let mut queue: VecDeque<Step> = steps.into();
        while let Some(step) = queue.pop_front() {
            match step {
                Step::Do(effect) => effects.push(effect),
                Step::Ask { request, purpose } => {
                    if let Some(line) = equivalent(&request, &self.mirror) {
                        self.commands.add(line, now);
                    }
                    let ticket = self.ticket(purpose);
                    effects.push(Effect::Ask { ticket, request });
                }
                Step::List { tab, filter } => next(&mut queue, self.show_filtered(tab, &filter)),
                Step::Copy(text) => {
                    let ticket = self.ticket(Purpose::Effect);
                    effects.push(Effect::Copy { ticket, text });
                }
                Step::Browse(url) => {
                    let ticket = self.ticket(Purpose::Effect);
                    effects.push(Effect::Browse { ticket, url });
                }
                Step::Save { path, contents } => {
                    let ticket = self.ticket(Purpose::Effect);
                    effects.push(Effect::SaveFile {
                        ticket,
                        path,
                        contents,
                    });
                }
                Step::SaveLog { log, path, times } => {
                    let ticket = self.ticket(Purpose::Effect);
                    let order = LogOrder::Save {
                        ticket,
                        path,
                        times,
                    };
                    effects.push(Effect::Log { log, order });
                }
                Step::SavePrivate { path, contents } => {
                    let ticket = self.ticket(Purpose::Effect);
                    effects.push(Effect::SavePrivate {
                        ticket,
                        path,
                        contents,
                    });
                }
                Step::Edit { field, text } => {
                    let ticket = self.ticket(Purpose::Edit(field));
                    effects.push(Effect::Edit { ticket, text });
                }
                Step::SaveRecipe { path, launch } => {
                    let ticket = self.ticket(Purpose::Effect);
                    effects.push(Effect::SaveRecipe {
                        ticket,
                        path,
                        launch,
                    });
                }
                Step::KeepTheme(name) => {
                    let ticket = self.ticket(Purpose::Effect);
                    effects.push(Effect::Theme(ThemeOrder::Keep { ticket, name }));
                }
                Step::Layouts(order) => {
                    let directory = self.facts.layouts.clone();
                    effects.push(Effect::Layouts { directory, order });
                }
                Step::RestoreLayout(name) => {
                    next(&mut queue, self.restore_layout(&name));
                }
                Step::SaveSetting { key, value } => {
                    let ticket = self.ticket(Purpose::SaveSetting);
                    let order = match value {
                        Some(value) => SettingsOrder::Save { ticket, key, value },
                        None => SettingsOrder::Reset { ticket, key },
                    };
                    effects.push(Effect::Settings(order));
                }
                Step::EditSettings { line } => {
                    let path = self.facts.settings_file.clone();
                    let ticket = self.ticket(Purpose::Settings);
                    effects.push(Effect::EditSettings { ticket, path, line });
                }
                Step::ReadRecipe { path } => {
                    let ticket = self.ticket(Purpose::Recipe);
                    effects.push(Effect::ReadRecipe { ticket, path });
                }
                Step::Toast { level, text } => {
                    let text = self.sentence(text);
                    self.toasts.push(level, text, now);
                }
                Step::Launched(launched) => {
                    let session = self.mirror.session(launched.first);
                    self.toasts.launched(launched, now);
                    // The session may have changed before the answer arrived.
                    if let Some(session) = session {
                        self.toasts.follow(session, now);
                    }
                }
                Step::Relaunch(relaunch) => next(&mut queue, self.relaunch(relaunch, now)),
                Step::Columns { tab, columns } => self.sessions.set_columns(tab, columns),
                Step::Command(command) => {
                    next(&mut queue, self.carry_out_command(command, now));
                }
                Step::RunCommand(plan) => next(&mut queue, self.run_command(*plan)),
                Step::Bulk(plan) => next(&mut queue, self.start_bulk(*plan)),
                Step::EditNotices(edit) => next(&mut queue, self.edit_notices(edit)),
                Step::NewShell { place, name, start } => {
                    next(&mut queue, self.new_shell(place, &name, *start));
                }
                Step::Explore { place, path } => self.explore(place, path),
                Step::Transfer(step) => next(&mut queue, self.transfers.step(step)),
                Step::CompletePath(typed) => {
                    let ticket = self.ids.ticket();
                    if let Some(explorer) = self.panels.get_mut::<Explorer>() {
                        explorer.completing(ticket);
                    }
                    effects.push(Effect::CompletePath { ticket, typed });
                }
                Step::Choose { id, choice } => next(&mut queue, self.choose(&id, choice, now)),
                Step::Invoke(scope, action) => next(&mut queue, self.invoke(scope, action, now)),
                Step::Go(go) => next(&mut queue, self.go(go, now)),
            }
        }
        effects
    }

    pub(super) fn ticket(&mut self, purpose: Purpose) -> Ticket {
        let ticket = self.ids.ticket();
        self.asked.insert(ticket, purpose);
        ticket
    }

    /// Moves inside the TUI.
    pub(super) fn go(&mut self, go: Go, now: Timestamp) -> Vec<Step> {
        match go {
            Go::Sessions => self.show(Page::Sessions),
            Go::Panes => self.show(Page::Panes),
            Go::Below => self.hide_scratch(),
            Go::Shell(id) => {
                let Some(session) = self.mirror.session(id) else {
                    return Vec::new();
                };
                let keeps_alive = self.mirror.streams_keep_alive(id.context);
                let mut steps =
                    self.panes
                        .open_session(id, &session.name, keeps_alive, &mut self.ids);
                steps.extend(self.panes.session_changed(session, &mut self.ids));
                steps.extend(self.show(Page::Panes));
                steps
            }
            Go::CloseTop => {
                self.panels.pop();
                Vec::new()
            }
            Go::Open(action) => self.open_panel(action, now).unwrap_or_default(),
            Go::Act(action) => self.act_on_notice(action, now),
            Go::Show(shown) => self.show_context(shown),
            Go::ShowSession(key) => self.show_session(key),
            Go::Detail(key) => {
                self.open_detail(key);
                Vec::new()
            }
            Go::Logs(key) => self.open_logs(key),
            Go::ContainerShell(key, kernel) => self.open_container_shell(key, kernel),
            Go::OpenShell(target, beside) => self.open_target(target, beside, now),
            Go::Bulk(verb) => self.open_bulk(verb, now),
            Go::Transfers => {
                self.panels.push(TransferList::default());
                Vec::new()
            }
            Go::Rescue => {
                self.open_rescue(now);
                Vec::new()
            }
            Go::LoadExtensionRules(context) => vec![self.extension_rules.ask(context)],
        }
    }

    /// Carries out an action on the session of a notification.
    fn act_on_notice(&mut self, action: Action, now: Timestamp) -> Vec<Step> {
        let may = self.why_not(action).is_none();
        let steps = self.on_session(action, now);
        // A dialog opens on top of the list. Every other action leads elsewhere, so the list closes.
        let is_on_top = matches!(self.panels.dialog(), Some(AnyPanel::Notices(_)));
        if may && is_on_top {
            self.panels.close::<NoticeList>();
        }
        steps
    }
}
