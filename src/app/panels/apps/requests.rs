//! What the app launcher starts, opens and stops.

use super::{
    AppLauncher, AppLog, AppPage, EndQuestion, Starting,
    form::{Chosen, FormTarget, OptionsForm},
    listing::Entry,
    pages::{AppsQuestion, request_of},
};
use crate::{
    app::{
        panels::{DialogButton, PanelEnv, scroll::ListCursor},
        step::Step,
    },
    model::{
        app::{App, AppStart, AppState, ProxyOptions},
        capability::Capability,
        forward::ForwardOptions,
        notice::Level,
        request::AppRequest,
        text::Clean,
    },
    protocol::message::Request,
};

impl AppLauncher {
    /// Carries out what was chosen: starts the app if necessary, and opens a forward.
    pub(super) fn start(&mut self, chosen: Chosen, env: &PanelEnv<'_>) -> Vec<Step> {
        let Chosen {
            target,
            start,
            options,
        } = chosen;
        let verb = match &target {
            FormTarget::App(app) if app.state != AppState::Running => "Starting",
            FormTarget::App(_) | FormTarget::Port => "Opening",
        };
        let request = request_of(self.session, &target, &start, &options);
        let title = target.title(&request);
        self.page = AppPage::Starting(Starting {
            title: title.clone(),
            verb,
            since: env.now,
        });
        let app = target.app().map(|app| app.name.clone());
        vec![self.request(request, AppsQuestion::Open { title, app })]
    }

    /// Handles Enter on the marked row.
    pub(super) fn open(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        let app = match self.entry() {
            Some(Entry::App(app)) => app.clone(),
            Some(Entry::Port) => {
                let form = OptionsForm::new(FormTarget::Port, env.facts);
                self.page = AppPage::Options(Box::new(form));
                return Vec::new();
            }
            Some(Entry::Ssh) => return self.open_ssh(),
            None => return Vec::new(),
        };
        let is_stopped = matches!(app.state, AppState::Stopped | AppState::Failed { .. });
        if is_stopped && !app.startable {
            let text = tr!(
                "{title} isn't running. Start it in a shell of the session",
                title = app.title
            );
            return vec![Step::toast(Level::Warning, text)];
        }
        if is_stopped && !app.arguments.is_empty() {
            return self.open_options(app, env);
        }
        let chosen = Chosen {
            start: AppStart::of(app.name.as_str()),
            options: ForwardOptions::default(),
            target: FormTarget::App(Box::new(app)),
        };
        self.start(chosen, env)
    }

    pub(super) fn open_options(&mut self, app: App, env: &PanelEnv<'_>) -> Vec<Step> {
        let form = OptionsForm::new(FormTarget::App(Box::new(app)), env.facts);
        self.page = AppPage::Options(Box::new(form));
        Vec::new()
    }

    /// Starts the app if necessary, and opens it at the proxy of the cluster.
    pub(super) fn open_at_proxy(&mut self, app: &App, env: &PanelEnv<'_>) -> Vec<Step> {
        let context = self.session.context;
        if let Some(why) = env.mirror.why_not(context, Capability::AppProxy) {
            return vec![Step::toast(Level::Warning, why.as_str())];
        }
        self.page = AppPage::Starting(Starting {
            title: app.title.clone(),
            verb: "Opening",
            since: env.now,
        });
        let request = Request::App {
            session: self.session,
            request: AppRequest::Proxy {
                start: AppStart::of(app.name.as_str()),
                options: ProxyOptions::default(),
            },
        };
        let question = AppsQuestion::Proxy {
            title: app.title.clone(),
            app: app.name.clone(),
        };
        vec![self.request(request, question)]
    }

    pub(super) fn open_ssh(&mut self) -> Vec<Step> {
        self.page = AppPage::Ssh(Box::default());
        let request = Request::SshAccess {
            session: self.session,
        };
        vec![self.request(request, AppsQuestion::SshAccess)]
    }

    pub(super) fn open_log(&mut self, app: Clean, title: Clean) -> Vec<Step> {
        let request = Request::App {
            session: self.session,
            request: AppRequest::Log {
                app: app.to_string(),
            },
        };
        self.page = AppPage::Log(AppLog {
            app,
            title,
            lines: None,
            list: ListCursor::default(),
        });
        vec![self.request(request, AppsQuestion::Log)]
    }

    /// Asks whether to stop or restart an app.
    pub(super) fn ask_to_end(&mut self, app: App, restarts: bool) -> Vec<Step> {
        let runs = !matches!(app.state, AppState::Stopped | AppState::Failed { .. });
        if !app.startable {
            let text = tr!(
                "{title} was started inside the session. Stop it in a shell of the session",
                title = app.title
            );
            return vec![Step::toast(Level::Warning, text)];
        }
        if !runs {
            let text = tr!("{title} isn't running", title = app.title);
            return vec![Step::toast(Level::Warning, text)];
        }
        self.page = AppPage::End(Box::new(EndQuestion {
            app,
            restarts,
            button: DialogButton::No,
        }));
        Vec::new()
    }

    /// Stops the app, and starts it again if it restarts.
    pub(super) fn end(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        let AppPage::End(question) = &self.page else {
            return Vec::new();
        };
        let (app, restarts) = (question.app.clone(), question.restarts);
        self.page = AppPage::Starting(Starting {
            title: app.title.clone(),
            verb: if restarts { "Restarting" } else { "Stopping" },
            since: env.now,
        });
        let request = Request::App {
            session: self.session,
            request: AppRequest::Stop {
                app: app.name.to_string(),
            },
        };
        let question = AppsQuestion::Stop {
            title: app.title,
            app: app.name,
            restarts,
        };
        vec![self.request(request, question)]
    }
}
