//! The actions on each page of the app launcher.

use super::{AppLauncher, AppPage, PublicQuestion, listing::Entry};
use crate::{
    action::Action,
    app::{
        input::Input,
        panels::{DialogButton, Panel, PanelEnv},
        step::{Step, UrlUse},
    },
    model::notice::Level,
};

impl AppLauncher {
    pub(super) fn on_list(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
        if self.list.action(action, self.listing.entries().len()) {
            return Vec::new();
        }
        let app = self.app().cloned();
        match (action, app) {
            (Action::AppOpen, _) => self.open(env),
            (Action::AppsRefresh, _) => {
                self.listing.retry();
                vec![self.ask()]
            }
            (Action::AppOptions, Some(app)) => self.open_options(app, env),
            (Action::AppOptions, None) if matches!(self.entry(), Some(Entry::Port)) => {
                self.open(env)
            }
            (Action::AppProxy, Some(app)) => self.open_at_proxy(&app, env),
            (Action::AppLog, Some(app)) => self.open_log(app.name, app.title),
            (Action::AppStop, Some(app)) => self.ask_to_end(app, false),
            (Action::AppRestart, Some(app)) => self.ask_to_end(app, true),
            _ => Vec::new(),
        }
    }

    pub(super) fn on_proxied(&mut self, action: Action) -> Vec<Step> {
        match &mut self.page {
            AppPage::Proxied(page) => page.action(action),
            _ => Vec::new(),
        }
    }

    pub(super) fn submit_form(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        let AppPage::Options(form) = &mut self.page else {
            return Vec::new();
        };
        let Some(chosen) = form.choose() else {
            return Vec::new();
        };
        if chosen.options.public.is_none() {
            return self.start(chosen, env);
        }
        self.page = AppPage::Public(Box::new(PublicQuestion {
            form: (**form).clone(),
            chosen,
            input: Input::default(),
        }));
        Vec::new()
    }

    pub(super) fn confirm_public(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        let name = self.name.clone();
        let AppPage::Public(question) = &self.page else {
            return Vec::new();
        };
        if !question.is_confirmed(&name) {
            return Vec::new();
        }
        let chosen = question.chosen.clone();
        self.start(chosen, env)
    }

    /// Asks for a new URL of the opened forward.
    pub(super) fn url(&self, then: UrlUse) -> Vec<Step> {
        match &self.page {
            AppPage::Opened(page) => vec![Step::url(page.opened.forward.id, then)],
            _ => Vec::new(),
        }
    }

    pub(super) fn on_opened(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
        let AppPage::Opened(page) = &mut self.page else {
            return Vec::new();
        };
        match action {
            Action::ForwardBrowse => self.url(UrlUse::Browse),
            Action::ForwardCopy => self.url(UrlUse::Copy),
            Action::ForwardCopyTunnel => {
                vec![Step::Copy(
                    env.facts.ssh_route().tunnel(page.opened.forward.port),
                )]
            }
            Action::ForwardReveal => {
                page.revealed = !page.revealed;
                Vec::new()
            }
            Action::ForwardQr => page.toggle_qr(),
            Action::AppOpen => {
                vec![Step::toast(Level::Info, tr!("already open"))]
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn on_failed(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
        let AppPage::Failed(failed) = &mut self.page else {
            return Vec::new();
        };
        let lines = failed.lines();
        if failed.list.action(action, lines) {
            return Vec::new();
        }
        let app = failed.app.clone();
        match (action, app) {
            (Action::AppOpen, _) => {
                self.page = AppPage::List;
                self.open(env)
            }
            (Action::AppLog, Some(name)) => {
                let title = failed.title.clone();
                self.open_log(name, title)
            }
            (Action::AppOptions, Some(_)) => match self.app().cloned() {
                Some(app) => self.open_options(app, env),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    pub(super) fn on_log(&mut self, action: Action) -> Vec<Step> {
        let AppPage::Log(log) = &mut self.page else {
            return Vec::new();
        };
        let count = log.count();
        if log.list.action(action, count) {
            return Vec::new();
        }
        let (app, title) = (log.app.clone(), log.title.clone());
        match action {
            Action::AppsRefresh => self.open_log(app, title),
            _ => Vec::new(),
        }
    }

    pub(super) fn on_question(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
        let AppPage::End(question) = &mut self.page else {
            return Vec::new();
        };
        match question.button.pressed_by(action) {
            Some(DialogButton::Yes) => self.end(env),
            Some(DialogButton::No) => self.back(env),
            None => Vec::new(),
        }
    }
}
