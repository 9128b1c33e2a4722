//! The app launcher: the apps of a session, opening one, and what leads to it.

mod actions;
pub mod form;
pub mod listing;
pub mod opened;
mod pages;
mod panel;
mod requests;
pub mod ssh;

use jiff::Timestamp;

use self::{
    form::{Chosen, OptionsForm},
    listing::{Entry, Listing},
    opened::{OpenedPage, ProxiedPage},
    ssh::SshPage,
};
use super::{DialogButton, scroll::ListCursor};
use crate::{
    app::{
        durations,
        input::Input,
        step::{Purpose, Step},
    },
    model::{
        app::App, forward::ForwardId, id::SessionKey, request::AppRequest, session::Session,
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

    /// Takes a new URL of a forward.
    pub fn new_url(&mut self, id: ForwardId, url: &str) {
        if let AppPage::Opened(page) = &mut self.page
            && page.opened.forward.id == id
        {
            page.set_url(url);
        }
    }
}
