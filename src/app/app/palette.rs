//! The command palette and the help: opens them for the view below, and carries out what is chosen there.

use jiff::Timestamp;

use super::App;
use crate::{
    action::{Action, Scope},
    app::{
        focus::{Focus, Page},
        launcher::Launcher,
        panels::{
            commands::CommandList,
            help::Help,
            palette::{Palette, PaletteQuery, entry::Choice},
        },
        step::{Step, UrlUse},
    },
    key::Key,
    model::{failure::Failure, files::FilePlace, notice::Level},
    protocol::message::Reply,
};

impl App {
    /// Opens or closes the palette.
    pub(super) fn toggle_palette(&mut self, now: Timestamp) -> Vec<Step> {
        if self.panels.close::<Palette>() {
            return Vec::new();
        }
        if self.focus() == Focus::Filter {
            self.sessions.filter.submit();
        }
        let session = self.command_session();
        let palette = Palette::new(self.scopes_here(), session, &self.env(now));
        let steps = palette.ask();
        self.panels.push(palette);
        steps
    }

    /// Opens the help, or closes it.
    pub(super) fn open_help(&mut self, now: Timestamp) -> Vec<Step> {
        if self.panels.close::<Help>() {
            return Vec::new();
        }
        let help = Help::new(&self.scopes_here(), &self.env(now));
        self.panels.push(help);
        Vec::new()
    }

    /// Opens or closes the list of equivalent commands.
    pub(super) fn toggle_command_log(&mut self) -> Vec<Step> {
        if !self.panels.close::<CommandList>() {
            self.panels
                .push(CommandList::new(self.commands.entries().len()));
        }
        Vec::new()
    }

    /// The scopes whose actions are possible in the view or panel that has the keys, the innermost first.
    fn scopes_here(&self) -> Vec<Scope> {
        let inner = self.scope();
        let mut scopes = match inner {
            Scope::Terminal | Scope::Leader | Scope::Panes => vec![Scope::Leader, Scope::Panes],
            // A text has no actions to choose from.
            Scope::Input => Vec::new(),
            _ => super::keys::own_scopes(inner),
        };
        scopes.extend_from_slice(self.outer_scopes(inner));
        scopes.push(Scope::Global);
        let mut seen = Vec::new();
        scopes.retain(|scope| {
            let is_new = !seen.contains(scope);
            seen.push(*scope);
            is_new
        });
        scopes
    }

    pub(super) fn palette_answered(
        &mut self,
        query: PaletteQuery,
        result: Result<Reply, Failure>,
        now: Timestamp,
    ) {
        let mut panels = std::mem::take(&mut self.panels);
        if let Some(palette) = panels.get_mut::<Palette>() {
            palette.answered(query, result, &self.env(now));
        }
        self.panels = panels;
    }

    /// Carries out an entry of the palette, which is closed.
    pub(super) fn choose(&mut self, id: &str, choice: Choice, now: Timestamp) -> Vec<Step> {
        self.frecency.used(id, now);
        match choice {
            Choice::Action(scope, action) => self.invoke(scope, action, now),
            Choice::Session(key) => self.elsewhere(|app| app.show_session(key)),
            Choice::Launch(launch) => vec![Step::Relaunch(launch)],
            Choice::Folder(context, folder) => {
                vec![Step::explore(FilePlace::Folder { context, folder })]
            }
            Choice::Browse(id) => vec![Step::url(id, UrlUse::Browse)],
            Choice::CopyUrl(id) => vec![Step::url(id, UrlUse::Copy)],
            Choice::Context(shown) => self.elsewhere(|app| app.show_context(shown)),
            Choice::Command(at) => self
                .leave_panels()
                .map_or_else(|| self.custom_command(at, now), |refused| vec![refused]),
            Choice::Layout(name) => self.elsewhere(|app| app.restore_layout(&name)),
            Choice::Setting(at) => self.open_settings(Some(at), now),
        }
    }

    /// Invokes an action as if its key was pressed in a scope of the view below.
    pub(super) fn invoke(&mut self, scope: Scope, action: Action, now: Timestamp) -> Vec<Step> {
        let elsewhere = scope == Scope::Global && leads_elsewhere(action);
        if elsewhere && let Some(refused) = self.leave_panels() {
            return vec![refused];
        }
        let mut steps = Vec::new();
        if matches!(action, Action::TabNext | Action::TabPrevious) && elsewhere {
            steps.extend(self.show(Page::Sessions));
        }
        // This action sends the key that invokes it.
        let key = (action == Action::PaneLiteral).then(|| self.leader_key());
        steps.extend(self.action(scope, action, key.flatten(), now));
        steps
    }

    fn leader_key(&self) -> Option<Key> {
        let keys = self
            .keymap
            .keys_for(Scope::Terminal, Action::TerminalLeader);
        keys.first()?.parse().ok()
    }

    /// Goes to another view after all panels are closed.
    fn elsewhere(&mut self, go: impl FnOnce(&mut Self) -> Vec<Step>) -> Vec<Step> {
        match self.leave_panels() {
            Some(refused) => vec![refused],
            None => go(self),
        }
    }

    /// Closes all panels, but not a launcher with typed values. Then the step reports it.
    fn leave_panels(&mut self) -> Option<Step> {
        if self.panels.get().is_some_and(Launcher::is_touched) {
            let text = tr!("the launcher has values that aren't launched yet. Close it first");
            return Some(Step::toast(Level::Warning, text));
        }
        self.panels.clear();
        self.sessions.filter.submit();
        None
    }

    /// Your editor has closed the configuration file.
    pub(super) fn settings_edited(result: Result<String, crate::model::text::Clean>) -> Vec<Step> {
        vec![match result {
            Ok(_) => {
                let text = tr!(
                    "your configuration file was read again\n`workbay config check` finds \
                            mistakes"
                );
                Step::toast(Level::Info, text)
            }
            Err(text) => Step::Toast {
                level: Level::Error,
                text,
            },
        }]
    }
}

/// Whether an action of the scope Global leads to another view, which a panel would hide.
fn leads_elsewhere(action: Action) -> bool {
    matches!(
        action,
        Action::Panes
            | Action::HostShell
            | Action::TabNext
            | Action::TabPrevious
            | Action::TabRunning
            | Action::TabFinished
            | Action::TabOthers
            | Action::Notices
            | Action::Folders
            | Action::Dashboard
            | Action::Ports
            | Action::Transfers
            | Action::Layouts
    )
}
