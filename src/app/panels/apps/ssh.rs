//! The commands that enter a session by SSH.

use super::{AppLauncher, AppPage, AppsQuestion, opened::COMMAND_HINTS};
use crate::{
    action::Action,
    app::{
        panels::{Hint, PanelEnv, scroll::ListCursor},
        step::Step,
    },
    model::{
        failure::Failure,
        forward::{Forward, ForwardOptions, ForwardTarget, SshAccess},
        notice::Level,
        request::ForwardRequest,
        text::Clean,
    },
    protocol::message::{Reply, Request},
    rules::ssh_tunnel::{SshCommand, SshRoute, commands},
};

#[derive(Clone, Debug, Default)]
pub struct SshPage {
    access: Option<Result<SshAccess, Failure>>,
    /// The port that was opened for SSH.
    port: Option<u16>,
    /// Whether the port is being opened.
    opening: bool,
    lines: Vec<SshCommand>,
    pub list: ListCursor,
}

impl SshPage {
    pub fn is_loading(&self) -> bool {
        self.access.is_none()
    }

    pub fn is_opening(&self) -> bool {
        self.opening
    }

    pub fn port(&self) -> Option<u16> {
        self.port
    }

    pub fn access(&self) -> Option<&SshAccess> {
        self.access.as_ref()?.as_ref().ok()
    }

    pub fn failure(&self) -> Option<&Failure> {
        self.access.as_ref()?.as_ref().err()
    }

    pub fn commands(&self) -> &[SshCommand] {
        &self.lines
    }

    /// Takes the number of visible rows. Also updates the commands, which contain the session's name.
    pub(super) fn laid_out(&mut self, height: usize, name: &Clean, route: &SshRoute) {
        self.update(name, route);
        self.list.laid_out(height, self.lines.len());
    }

    fn update(&mut self, name: &Clean, route: &SshRoute) {
        let Some(access) = self.access() else {
            self.lines.clear();
            return;
        };
        let mut lines = commands(name.as_str(), access, self.port);
        if let Some(port) = self.port {
            lines.push(SshCommand {
                title: tr_later!("Tunnel"),
                line: route.tunnel(port),
            });
        }
        self.lines = lines;
    }

    pub(super) fn move_by(&mut self, by: isize) {
        self.list.move_by(by, self.lines.len());
    }

    pub(super) fn hints(&self) -> Vec<Hint> {
        let mut hints = COMMAND_HINTS.to_vec();
        let has_commands = !self.lines.is_empty();
        hints.retain(|hint| match hint.1 {
            [Action::AppOpen] => has_commands && self.port.is_none(),
            [Action::ForwardCopy] => has_commands,
            _ => true,
        });
        hints
    }
}

/// Why a key for the URL of an app does nothing here.
fn not_of_ssh(action: Action) -> &'static str {
    match action {
        Action::ForwardBrowse => tr!("a browser can't open SSH. Copy a command instead"),
        Action::ForwardReveal => tr!("SSH commands contain no token"),
        _ => tr!("SSH commands have no QR code"),
    }
}

impl AppLauncher {
    pub(super) fn on_ssh(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
        let session = self.session;
        let AppPage::Ssh(page) = &mut self.page else {
            return Vec::new();
        };
        if page.list.action(action, page.lines.len()) {
            return Vec::new();
        }
        match action {
            Action::ForwardCopy => {
                let marked = page.lines.get(page.list.marked());
                let copy = marked.map(|it| Step::Copy(it.line.clone()));
                copy.into_iter().collect()
            }
            Action::ForwardCopyTunnel => match page.port {
                Some(port) => vec![Step::Copy(env.facts.ssh_route().tunnel(port))],
                None => vec![Step::toast(Level::Info, tr!("open a port first"))],
            },
            Action::AppOpen if page.access().is_some() && page.port.is_none() && !page.opening => {
                page.opening = true;
                let request = Request::Forward {
                    request: ForwardRequest::Open {
                        session,
                        target: ForwardTarget::Ssh,
                        options: ForwardOptions::default(),
                    },
                };
                vec![self.request(request, AppsQuestion::SshPort)]
            }
            Action::AppOpen => match page.port {
                Some(port) => vec![Step::toast(
                    Level::Info,
                    tr!("port {port} is open for SSH already", port),
                )],
                None => Vec::new(),
            },
            Action::ForwardBrowse | Action::ForwardReveal | Action::ForwardQr => {
                vec![Step::toast(Level::Info, not_of_ssh(action))]
            }
            _ => Vec::new(),
        }
    }

    /// Takes the files for SSH, or the opened port.
    pub(super) fn ssh_answered(&mut self, result: Result<Reply, Failure>) -> Vec<Step> {
        let AppPage::Ssh(page) = &mut self.page else {
            return Vec::new();
        };
        match result {
            Ok(Reply::SshAccess { access }) => page.access = Some(Ok(access)),
            Ok(Reply::Opened { opened }) => {
                page.opening = false;
                page.port = Some(opened.forward.port);
            }
            Ok(_) => {}
            Err(failure) if page.access().is_some() => {
                page.opening = false;
                return vec![Step::toast(Level::Error, failure.message())];
            }
            Err(failure) => page.access = Some(Err(failure)),
        }
        Vec::new()
    }

    /// Shows the commands of a port that is open already.
    pub fn know_forwards<'a>(&mut self, forwards: impl IntoIterator<Item = &'a Forward>) {
        let session = self.session;
        if let AppPage::Ssh(page) = &mut self.page {
            let mut forwards = forwards.into_iter();
            let open = forwards.find(|it| it.session == session && it.target == ForwardTarget::Ssh);
            page.port = open.map(|it| it.port).or(page.port);
        }
    }
}
