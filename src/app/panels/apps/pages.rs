//! The answers of the daemon to the app launcher, and the pages that show them.

use super::{
    AppLauncher, AppLog, AppPage, PUBLIC_WORD, PublicQuestion,
    form::FormTarget,
    listing::Listing,
    opened::{OpenedPage, ProxiedPage},
};
use crate::{
    app::{
        panels::scroll::ListCursor,
        step::{Purpose, Step},
    },
    model::{
        app::AppStart,
        failure::Failure,
        forward::{ForwardOptions, ForwardTarget, OpenedForward},
        id::SessionKey,
        notice::Level,
        request::{AppRequest, ForwardRequest},
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

/// Where the answer to a request of the app launcher goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppsPurpose {
    pub session: SessionKey,
    /// The name of the session.
    pub name: Clean,
    /// The number of the request. The page of an older one is left.
    pub number: u64,
    pub question: AppsQuestion,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppsQuestion {
    List,
    /// An app or port is opened. `app` is the app's name.
    Open {
        title: Clean,
        app: Option<Clean>,
    },
    /// An app is opened at the proxy of the cluster.
    Proxy {
        title: Clean,
        app: Clean,
    },
    Stop {
        title: Clean,
        app: Clean,
        restarts: bool,
    },
    Log,
    SshAccess,
    /// A port for SSH is opened.
    SshPort,
}

/// A failed start, with the app's own last lines.
#[derive(Clone, Debug)]
pub struct StartFailure {
    pub title: Clean,
    /// The app, `None` for a port.
    pub app: Option<Clean>,
    pub failure: Failure,
    pub list: ListCursor,
}

impl StartFailure {
    /// The number of lines of the reason.
    pub fn lines(&self) -> usize {
        self.reason().count()
    }

    /// The lines of the reason.
    pub fn reason(&self) -> impl Iterator<Item = &str> {
        let why = self.failure.why.as_ref();
        why.into_iter().flat_map(|why| why.as_str().lines())
    }
}

impl PublicQuestion {
    pub fn is_confirmed(&self, name: &Clean) -> bool {
        let typed = self.input.text().trim();
        typed == PUBLIC_WORD || *name == *typed
    }

    /// Why the typed text confirms nothing. The beginning of a right text isn't a problem.
    pub fn problem(&self, name: &Clean) -> Option<String> {
        let typed = self.input.text().trim();
        let begins = PUBLIC_WORD.starts_with(typed) || name.as_str().starts_with(typed);
        (!begins).then(|| {
            tr!(
                "type '{word}' or '{name}' to confirm, or press Esc",
                word = PUBLIC_WORD,
                name
            )
        })
    }
}

impl AppLog {
    /// The number of lines.
    pub fn count(&self) -> usize {
        match &self.lines {
            Some(Ok(lines)) => lines.len(),
            _ => 0,
        }
    }
}

/// The request that opens an app or a port.
pub(super) fn request_of(
    session: SessionKey,
    target: &FormTarget,
    start: &AppStart,
    options: &ForwardOptions,
) -> Request {
    match target {
        FormTarget::App(_) => Request::App {
            session,
            request: AppRequest::Open {
                start: start.clone(),
                options: options.clone(),
            },
        },
        FormTarget::Port => Request::Forward {
            request: ForwardRequest::Open {
                session,
                target: ForwardTarget::Port {
                    // The form has checked the number.
                    port: start.app.parse().unwrap_or_default(),
                },
                options: options.clone(),
            },
        },
    }
}

impl AppLauncher {
    /// Whether a page waits for the answer.
    pub fn expects(&self, asked: &AppsPurpose) -> bool {
        self.session == asked.session
            && (asked.question == AppsQuestion::List || asked.number == self.asked)
    }

    /// Takes an answer that a page waits for.
    pub fn answered(&mut self, asked: AppsPurpose, result: Result<Reply, Failure>) -> Vec<Step> {
        match (asked.question, result) {
            (AppsQuestion::List, result) => self.listed(result),
            (AppsQuestion::Open { .. }, Ok(Reply::Opened { opened })) => {
                self.page = AppPage::Opened(Box::new(OpenedPage::new(*opened)));
                Vec::new()
            }
            (AppsQuestion::Proxy { title, .. }, Ok(Reply::Proxied { proxied })) => {
                self.page = AppPage::Proxied(Box::new(ProxiedPage {
                    title,
                    proxied,
                    revealed: false,
                }));
                Vec::new()
            }
            (AppsQuestion::Open { title, app }, Err(failure)) => {
                self.failed(title, app, failure);
                vec![self.ask()]
            }
            (AppsQuestion::Proxy { title, app }, Err(failure)) => {
                self.failed(title, Some(app), failure);
                vec![self.ask()]
            }
            (
                AppsQuestion::Stop {
                    title,
                    app,
                    restarts,
                },
                Ok(_),
            ) => self.stopped(title, app, restarts),
            (AppsQuestion::Stop { title, app, .. }, Err(failure)) => {
                self.failed(title, Some(app), failure);
                vec![self.ask()]
            }
            (AppsQuestion::Log, result) => {
                self.log_read(result);
                Vec::new()
            }
            (AppsQuestion::SshAccess | AppsQuestion::SshPort, result) => self.ssh_answered(result),
            (AppsQuestion::Open { .. } | AppsQuestion::Proxy { .. }, Ok(_)) => Vec::new(),
        }
    }

    /// The requests of the broken connection get no answers, so the list is requested again. A start may have
    /// succeeded: the list shows it.
    pub fn link_up(&mut self) -> Option<Step> {
        match self.page {
            AppPage::List => {}
            AppPage::Starting(_) | AppPage::Log(AppLog { lines: None, .. }) => {
                self.page = AppPage::List;
            }
            AppPage::Ssh(ref page) if page.is_loading() || page.is_opening() => {
                self.page = AppPage::List;
            }
            _ => return None,
        }
        self.asked += 1;
        Some(self.ask())
    }

    fn listed(&mut self, result: Result<Reply, Failure>) -> Vec<Step> {
        let marked = self.app().map(|app| app.name.clone());
        match result {
            Ok(Reply::Apps { apps }) => {
                let was_loading = !matches!(self.listing, Listing::Known(_));
                self.listing = Listing::Known(apps);
                let at = marked.and_then(|name| self.listing.position(name.as_str()));
                let at = at.unwrap_or(if was_loading { 0 } else { self.list.marked() });
                self.list.go_to(at, self.listing.entries().len());
            }
            Ok(_) => {}
            Err(failure) => {
                self.listing = Listing::Failed(failure);
                self.list.go_to(0, self.listing.entries().len());
            }
        }
        Vec::new()
    }

    fn failed(&mut self, title: Clean, app: Option<Clean>, failure: Failure) {
        let mut failed = StartFailure {
            title,
            app,
            failure,
            list: ListCursor::default(),
        };
        // The last lines say the most.
        let lines = failed.lines();
        failed.list.go_to(lines, lines);
        self.page = AppPage::Failed(Box::new(failed));
    }

    fn stopped(&mut self, title: Clean, app: Clean, restarts: bool) -> Vec<Step> {
        if restarts {
            let (request, question) = again(self.session, title, app);
            return vec![self.request(request, question)];
        }
        self.page = AppPage::List;
        let text = tr!("{title} stopped", title);
        vec![Step::toast(Level::Success, text), self.ask()]
    }

    fn log_read(&mut self, result: Result<Reply, Failure>) {
        let AppPage::Log(log) = &mut self.page else {
            return;
        };
        log.lines = match result {
            Ok(Reply::AppLog { lines }) => Some(Ok(lines)),
            Ok(_) => return,
            Err(failure) => Some(Err(failure.message())),
        };
        let count = log.count();
        log.list.go_to(count, count);
    }
}

/// The request that starts a stopped app again.
fn again(session: SessionKey, title: Clean, app: Clean) -> (Request, AppsQuestion) {
    let request = AppRequest::Open {
        start: AppStart {
            again: true,
            ..AppStart::of(app.as_str())
        },
        options: ForwardOptions::default(),
    };
    let app = Some(app);
    (
        Request::App { session, request },
        AppsQuestion::Open { title, app },
    )
}

/// Handles an answer whose page was left.
pub fn in_background(asked: AppsPurpose, result: Result<Reply, Failure>) -> Vec<Step> {
    let AppsPurpose {
        session,
        name,
        number,
        question,
    } = asked;
    match (question, result) {
        (AppsQuestion::Open { title, .. }, Ok(Reply::Opened { opened })) => {
            vec![Step::toast(
                Level::Success,
                of_opened(&title, &name, &opened),
            )]
        }
        (AppsQuestion::Proxy { title, .. }, Ok(Reply::Proxied { proxied })) => {
            let target = match proxied.address {
                Some(address) => tr!(" at {address}", address),
                None => tr!(". Open it again for its URL").to_owned(),
            };
            let text = tr!(
                "{title} of {name} is open at the cluster's app proxy{target}",
                title,
                name,
                target
            );
            vec![Step::toast(Level::Success, text)]
        }
        (
            AppsQuestion::Open { title, .. }
            | AppsQuestion::Proxy { title, .. }
            | AppsQuestion::Stop { title, .. },
            Err(failure),
        ) => {
            let text = tr!(
                "{title} of {name}: {message}",
                title,
                name,
                message = failure.message()
            );
            vec![Step::toast(Level::Error, text)]
        }
        (
            AppsQuestion::Stop {
                title,
                app,
                restarts: true,
            },
            Ok(_),
        ) => {
            let (request, question) = again(session, title, app);
            vec![Step::Ask {
                request,
                purpose: Purpose::Apps(AppsPurpose {
                    session,
                    name,
                    number,
                    question,
                }),
            }]
        }
        (AppsQuestion::Stop { title, .. }, Ok(_)) => {
            vec![Step::toast(
                Level::Success,
                tr!("{title} of {name} stopped", title, name),
            )]
        }
        _ => Vec::new(),
    }
}

fn of_opened(title: &Clean, name: &Clean, opened: &OpenedForward) -> String {
    let url = &opened.forward.address_url;
    tr!(
        "{title} of {name} is open at {url}\npress P for its URL with the token",
        title,
        name,
        url
    )
}
