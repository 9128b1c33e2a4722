//! The app launcher: the apps of a session, opening one, and what leads to it.

pub mod form;
pub mod listing;
pub mod opened;
mod pages;
mod panel;
pub mod ssh;

use jiff::Timestamp;

use self::{
    form::{Chosen, FormTarget, OptionsForm},
    listing::{Entry, Listing},
    opened::{OpenedPage, ProxiedPage},
    pages::request_of,
    ssh::SshPage,
};
use super::{DialogButton, Panel, PanelEnv, scroll::ListCursor};
use crate::{
    action::Action,
    app::{
        durations,
        input::Input,
        step::{Purpose, Step, UrlUse},
    },
    model::{
        app::{App, AppStart, AppState, ProxyOptions},
        capability::Capability,
        forward::{ForwardId, ForwardOptions},
        id::SessionKey,
        notice::Level,
        request::AppRequest,
        session::Session,
        text::Clean,
    },
    protocol::message::Request,
};

pub use pages::{AppsPurpose, AppsQuestion, StartFailure, in_background};

/// The word that confirms a public forward, besides the name of the session.
pub const PUBLIC_WORD: &str = "public";

#[derive(Clone, Debug)]
pub struct AppLauncher {
    pub session: SessionKey,
    pub name: Clean,
    pub listing: Listing,
    pub list: ListCursor,
    pub page: AppPage,
    /// The number of the last request that a page waits for.
    asked: u64,
    /// The rows that the layout has room for.
    height: usize,
    /// Whether the engine has a proxy for apps.
    has_proxy: bool,
}

/// What the app launcher shows.
#[derive(Clone, Debug)]
pub enum AppPage {
    List,
    Options(Box<OptionsForm>),
    /// A public forward is confirmed by a typed word.
    Public(Box<PublicQuestion>),
    /// Whether to stop or restart an app.
    End(Box<EndQuestion>),
    Starting(Starting),
    Failed(Box<StartFailure>),
    Opened(Box<OpenedPage>),
    /// An app at the proxy of the cluster.
    Proxied(Box<ProxiedPage>),
    Log(AppLog),
    Ssh(Box<SshPage>),
}

#[derive(Clone, Debug)]
pub struct PublicQuestion {
    pub form: OptionsForm,
    pub chosen: Chosen,
    pub input: Input,
}

#[derive(Clone, Debug)]
pub struct EndQuestion {
    pub app: App,
    pub restarts: bool,
    pub button: DialogButton,
}

#[derive(Clone, Debug)]
pub struct Starting {
    pub title: Clean,
    /// `Starting`, `Opening`, `Restarting` or `Stopping`.
    pub verb: &'static str,
    pub since: Timestamp,
}

/// The last lines that an app printed.
#[derive(Clone, Debug)]
pub struct AppLog {
    pub app: Clean,
    pub title: Clean,
    /// `None` until the daemon has sent them.
    pub lines: Option<Result<Vec<Clean>, Clean>>,
    pub list: ListCursor,
}

impl AppLauncher {
    #[must_use]
    pub fn new(session: &Session) -> Self {
        Self {
            session: session.key(),
            name: session.name.clone(),
            listing: Listing::Loading,
            list: ListCursor::default(),
            page: AppPage::List,
            asked: 0,
            height: 0,
            has_proxy: false,
        }
    }

    /// For an engine that has a proxy for apps.
    #[must_use]
    pub fn with_proxy(mut self, has_proxy: bool) -> Self {
        self.has_proxy = has_proxy;
        self
    }

    /// Requests the list.
    pub fn ask(&mut self) -> Step {
        let request = Request::App {
            session: self.session,
            request: AppRequest::List,
        };
        self.request(request, AppsQuestion::List)
    }

    fn request(&mut self, request: Request, question: AppsQuestion) -> Step {
        // The list is read in the background of every page.
        if question != AppsQuestion::List {
            self.asked += 1;
        }
        Step::Ask {
            request,
            purpose: Purpose::Apps(AppsPurpose {
                session: self.session,
                name: self.name.clone(),
                number: self.asked,
                question,
            }),
        }
    }

    /// When the elapsed time of a start changes.
    pub fn wake_at(&self, now: Timestamp) -> Option<Timestamp> {
        matches!(self.page, AppPage::Starting(_)).then(|| durations::after(now, 1))
    }

    /// The rows that the layout has room for.
    pub fn height(&self) -> usize {
        self.height
    }

    fn entry(&self) -> Option<Entry<'_>> {
        self.listing.entries().get(self.list.marked()).copied()
    }

    /// The marked app.
    pub fn app(&self) -> Option<&App> {
        match self.entry()? {
            Entry::App(app) => Some(app),
            Entry::Port | Entry::Ssh => None,
        }
    }

    /// Carries out what was chosen: starts the app if necessary, and opens a forward.
    fn start(&mut self, chosen: Chosen, env: &PanelEnv<'_>) -> Vec<Step> {
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
    fn open(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
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

    fn open_options(&mut self, app: App, env: &PanelEnv<'_>) -> Vec<Step> {
        let form = OptionsForm::new(FormTarget::App(Box::new(app)), env.facts);
        self.page = AppPage::Options(Box::new(form));
        Vec::new()
    }

    /// Starts the app if necessary, and opens it at the proxy of the cluster.
    fn open_at_proxy(&mut self, app: &App, env: &PanelEnv<'_>) -> Vec<Step> {
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

    fn on_proxied(&mut self, action: Action) -> Vec<Step> {
        match &mut self.page {
            AppPage::Proxied(page) => page.action(action),
            _ => Vec::new(),
        }
    }

    fn open_ssh(&mut self) -> Vec<Step> {
        self.page = AppPage::Ssh(Box::default());
        let request = Request::SshAccess {
            session: self.session,
        };
        vec![self.request(request, AppsQuestion::SshAccess)]
    }

    fn open_log(&mut self, app: Clean, title: Clean) -> Vec<Step> {
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
    fn ask_to_end(&mut self, app: App, restarts: bool) -> Vec<Step> {
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
    fn end(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
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

    fn on_list(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
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

    fn submit_form(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
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

    fn confirm_public(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
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
    fn url(&self, then: UrlUse) -> Vec<Step> {
        match &self.page {
            AppPage::Opened(page) => vec![Step::url(page.opened.forward.id, then)],
            _ => Vec::new(),
        }
    }

    fn on_opened(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
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

    /// Takes a new URL of a forward.
    pub fn new_url(&mut self, id: ForwardId, url: &str) {
        if let AppPage::Opened(page) = &mut self.page
            && page.opened.forward.id == id
        {
            page.set_url(url);
        }
    }

    fn on_failed(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
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

    fn on_log(&mut self, action: Action) -> Vec<Step> {
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

    fn on_question(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
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
