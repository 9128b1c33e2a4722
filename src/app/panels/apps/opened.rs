//! An opened app or port: its URL, and the command that leads to it from your computer.

use super::super::{Hint, MOVE};
use crate::{
    action::{Action, Scope},
    app::step::Step,
    locale,
    model::{app::ProxyUrl, forward::OpenedForward, notice::Level, text::Clean},
};

#[derive(Clone, Debug)]
pub struct OpenedPage {
    pub opened: OpenedForward,
    /// Whether the token of the URL is shown.
    pub revealed: bool,
    pub qr: bool,
    /// Counts the URLs, so that the outer terminal distinguishes their links.
    pub urls: u32,
}

/// Why a forward has no QR code.
pub const NO_QR: &str = tr_later!(
    "only public forwards have a QR code: other machines reach this one by the ssh command only"
);

impl OpenedPage {
    #[must_use]
    pub fn new(opened: OpenedForward) -> Self {
        Self {
            opened,
            revealed: false,
            qr: false,
            urls: 0,
        }
    }

    pub fn set_url(&mut self, url: &str) {
        url.clone_into(&mut self.opened.url);
        self.urls += 1;
    }

    pub(super) fn toggle_qr(&mut self) -> Vec<Step> {
        if self.opened.forward.public.is_none() {
            return vec![Step::toast(Level::Info, locale::text(NO_QR))];
        }
        self.qr = !self.qr;
        Vec::new()
    }

    pub(super) fn hints(&self) -> Vec<Hint> {
        let mut hints = HINTS.to_vec();
        if self.opened.forward.public.is_none() {
            hints.retain(|hint| *hint.1 != [Action::ForwardQr]);
        } else {
            hints.retain(|hint| *hint.1 != [Action::ForwardReveal]);
        }
        hints
    }
}

/// An app at the app proxy of the cluster.
#[derive(Clone, Debug)]
pub struct ProxiedPage {
    pub title: Clean,
    pub proxied: ProxyUrl,
    /// Whether the token of the URL is shown.
    pub revealed: bool,
}

impl ProxiedPage {
    /// What clients use: the URL in a browser, or the address for other programs.
    pub fn target(&self) -> &str {
        self.proxied.address.as_ref().unwrap_or(&self.proxied.url)
    }

    pub(super) fn action(&mut self, action: Action) -> Vec<Step> {
        match action {
            Action::ForwardCopy => return vec![Step::Copy(self.target().to_owned())],
            Action::ForwardBrowse if self.proxied.address.is_none() => {
                return vec![Step::Browse(self.proxied.url.clone())];
            }
            Action::ForwardReveal if self.proxied.address.is_none() => {
                self.revealed = !self.revealed;
            }
            _ => {
                let why = Self::why_not(action).into_iter();
                return why.map(|why| Step::toast(Level::Info, why)).collect();
            }
        }
        Vec::new()
    }

    /// Why a key for an opened port does nothing here.
    fn why_not(action: Action) -> Option<&'static str> {
        Some(match action {
            Action::ForwardBrowse => {
                tr!("browsers can't open this app. Copy its address for another program")
            }
            Action::ForwardReveal => tr!("this address contains no token"),
            Action::ForwardCopyTunnel => tr!("the app proxy needs no ssh command. Copy the URL"),
            Action::ForwardQr => tr!("only opened ports can have a QR code"),
            Action::AppOpen => tr!("already open"),
            _ => return None,
        })
    }

    pub(super) fn hints(&self) -> Vec<Hint> {
        let mut hints = PROXIED_HINTS.to_vec();
        if self.proxied.address.is_some() {
            let of_url = [[Action::ForwardBrowse], [Action::ForwardReveal]];
            hints.retain(|hint| !of_url.iter().any(|it| hint.1 == *it));
        }
        hints
    }
}

const PROXIED_HINTS: &[Hint] = &[
    (Scope::Opened, &[Action::ForwardCopy], tr_later!("copy")),
    (
        Scope::Opened,
        &[Action::ForwardBrowse],
        tr_later!("browser"),
    ),
    (Scope::Opened, &[Action::ForwardReveal], tr_later!("token")),
    (Scope::Global, &[Action::Back], tr_later!("back")),
];

const HINTS: &[Hint] = &[
    (Scope::Opened, &[Action::ForwardCopy], tr_later!("copy URL")),
    (
        Scope::Opened,
        &[Action::ForwardCopyTunnel],
        tr_later!("copy ssh command"),
    ),
    (
        Scope::Opened,
        &[Action::ForwardBrowse],
        tr_later!("browser"),
    ),
    (Scope::Opened, &[Action::ForwardReveal], tr_later!("token")),
    (Scope::Opened, &[Action::ForwardQr], tr_later!("QR code")),
    (Scope::Global, &[Action::Back], tr_later!("back")),
];

/// The hints of the commands for SSH.
pub(super) const COMMAND_HINTS: &[Hint] = &[
    (
        Scope::Opened,
        &[Action::ForwardCopy],
        tr_later!("copy command"),
    ),
    (Scope::Opened, &[Action::AppOpen], tr_later!("open a port")),
    (Scope::Opened, MOVE, tr_later!("move")),
    (Scope::Global, &[Action::Back], tr_later!("back")),
];

/// The URL without the values of its tokens. `mask` replaces each of their characters.
pub fn masked(url: &str, mask: &str) -> String {
    let Some((address, query)) = url.split_once('?') else {
        return url.to_owned();
    };
    let (query, fragment) = match query.split_once('#') {
        Some((query, fragment)) => (query, format!("#{fragment}")),
        None => (query, String::new()),
    };
    let hidden = |part: &str| match part.split_once('=') {
        Some((name, _)) if name.contains("token") => format!("{name}={}", mask.repeat(8)),
        _ => part.to_owned(),
    };
    let parts: Vec<String> = query.split('&').map(hidden).collect();
    format!("{address}?{}{fragment}", parts.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tokens_are_hidden() {
        for (url, shown) in [
            ("http://h:1/tree", "http://h:1/tree"),
            (
                "http://h:1/?workbay_token=abc",
                "http://h:1/?workbay_token=********",
            ),
            (
                "http://h:1/?a=b&workbay_token=abc&c#x",
                "http://h:1/?a=b&workbay_token=********&c#x",
            ),
        ] {
            assert_eq!(masked(url, "*"), shown);
        }
    }
}
