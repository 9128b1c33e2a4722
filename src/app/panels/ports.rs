//! The port board: all forwards, with what they lead to and what they have transferred.

use jiff::Timestamp;

use super::{
    DialogButton, FILTER_HINTS, Hint, MOVE, Panel, PanelEnv, apps::opened::NO_QR,
    scroll::ListCursor,
};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        durations,
        input::Input,
        mirror::Mirror,
        step::{Go, Purpose, Step, UrlUse},
    },
    key::Key,
    locale,
    model::{
        forward::{Forward, ForwardId, OpenedForward},
        natural,
        notice::Level,
        request::ForwardRequest,
        text::Clean,
    },
    protocol::message::Request,
};

#[derive(Clone, Debug, Default)]
pub struct PortBoard {
    pub list: ListCursor,
    filter: Input,
    /// Whether the filter is being typed.
    editing: bool,
    /// The marked forward, which stays marked when others appear.
    marked: Option<ForwardId>,
    /// The forward whose URL is shown with its token, and that URL.
    shown: Option<(ForwardId, String)>,
    /// Whether the QR code of the marked forward is shown.
    qr: bool,
    closing: Option<ClosingForward>,
    /// Whether any forward is listed.
    has_rows: bool,
}

/// The question whether to close a forward.
#[derive(Clone, Debug)]
pub struct ClosingForward {
    pub id: ForwardId,
    /// What it leads to: `Jupyter Notebook of train`.
    pub title: Clean,
    pub connections: u64,
    pub button: DialogButton,
}

impl PortBoard {
    pub fn filter(&self) -> &Input {
        &self.filter
    }

    pub fn is_editing(&self) -> bool {
        self.editing
    }

    pub fn closing(&self) -> Option<&ClosingForward> {
        self.closing.as_ref()
    }

    /// The URL of a forward with its token, if it is shown.
    pub fn shown(&self, id: ForwardId) -> Option<&str> {
        let shown = self.shown.as_ref().filter(|(of, _)| *of == id);
        shown.map(|(_, url)| url.as_str())
    }

    pub fn shows_qr(&self) -> bool {
        self.qr
    }

    /// The forwards that match the filter, by session and title.
    pub fn rows<'a>(&self, mirror: &'a Mirror) -> Vec<&'a Forward> {
        let typed = self.filter.text().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let fits = |forward: &&Forward| {
            let state = if forward.public.is_some() {
                "public"
            } else {
                ""
            };
            let Forward {
                session_name: name,
                title,
                port,
                ..
            } = forward;
            let text = format!("{name} {title} {port} {state}").to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let mut rows: Vec<&Forward> = mirror.forwards().iter().filter(fits).collect();
        rows.sort_by(|one, other| {
            natural::compare(one.session_name.as_str(), other.session_name.as_str())
                .then_with(|| natural::compare(one.title.as_str(), other.title.as_str()))
                .then(one.port.cmp(&other.port))
        });
        rows
    }

    /// The position of the marked forward.
    pub fn at(&self, rows: &[&Forward]) -> usize {
        let kept = rows.iter().position(|it| Some(it.id) == self.marked);
        let last = rows.len().saturating_sub(1);
        kept.unwrap_or_else(|| self.list.marked().min(last))
    }

    pub fn forward<'a>(&self, mirror: &'a Mirror) -> Option<&'a Forward> {
        let rows = self.rows(mirror);
        rows.get(self.at(&rows)).copied()
    }

    fn mark(&mut self, at: usize, rows: &[&Forward]) {
        self.list.go_to(at, rows.len());
        let marked = rows.get(self.list.marked()).map(|it| it.id);
        if marked != self.marked {
            self.shown = None;
            self.qr = false;
        }
        self.marked = marked;
    }

    /// Takes a new URL of a forward, which is shown from now on if `shows`.
    pub fn new_url(&mut self, opened: &OpenedForward, shows: bool) {
        let id = opened.forward.id;
        if shows || self.shown(id).is_some() {
            self.shown = Some((id, opened.url.clone()));
        }
    }

    /// When the age of a forward's last use changes, or the time until a public one is closed.
    pub fn wake_at(&self, mirror: &Mirror, now: Timestamp) -> Option<Timestamp> {
        let used = mirror.forwards().iter().filter_map(|forward| {
            let used = forward.traffic.last_used?;
            Some(durations::ago_changes_in(
                now.as_second() - used.as_second(),
            ))
        });
        let public = mirror.forwards().iter().filter_map(|forward| {
            let until = forward.public.as_ref()?.until?;
            let left = until.as_second() - now.as_second();
            (left > 0).then(|| durations::coarse_left_changes_in(left))
        });
        Some(durations::after(now, used.chain(public).min()?))
    }

    fn act(&mut self, action: Action, forward: &Forward, env: &PanelEnv<'_>) -> Vec<Step> {
        let id = forward.id;
        match action {
            Action::ForwardBrowse => vec![Step::url(id, UrlUse::Browse)],
            Action::ForwardCopy => vec![Step::url(id, UrlUse::Copy)],
            Action::ForwardCopyTunnel => {
                vec![Step::Copy(env.facts.ssh_route().tunnel(forward.port))]
            }
            Action::ForwardReveal if self.shown(id).is_some() => {
                self.shown = None;
                Vec::new()
            }
            Action::ForwardReveal => vec![Step::url(id, UrlUse::Show)],
            Action::ForwardQr if forward.public.is_none() => {
                vec![Step::toast(Level::Info, locale::text(NO_QR))]
            }
            Action::ForwardQr => {
                self.qr = !self.qr;
                Vec::new()
            }
            Action::ForwardShow if env.mirror.session(forward.session).is_none() => {
                let text = tr!(
                    "{session_name} isn't in the list any more",
                    session_name = forward.session_name
                );
                vec![Step::toast(Level::Warning, text)]
            }
            Action::ForwardShow => vec![Step::CLOSE, Step::Go(Go::ShowSession(forward.session))],
            Action::ForwardClose => {
                self.closing = Some(ClosingForward {
                    id,
                    title: Clean::new(&tr!(
                        "{title} of {session_name}",
                        title = forward.title,
                        session_name = forward.session_name
                    )),
                    connections: forward.traffic.connections,
                    button: DialogButton::No,
                });
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn on_question(&mut self, action: Action) -> Vec<Step> {
        let Some(question) = &mut self.closing else {
            return Vec::new();
        };
        match question.button.pressed_by(action) {
            Some(DialogButton::Yes) => return self.close(),
            Some(DialogButton::No) => self.closing = None,
            None => {}
        }
        Vec::new()
    }

    fn close(&mut self) -> Vec<Step> {
        let Some(question) = self.closing.take() else {
            return Vec::new();
        };
        vec![Step::Ask {
            request: Request::Forward {
                request: ForwardRequest::Close { id: question.id },
            },
            purpose: Purpose::toast(
                Level::Success,
                tr!("{title} closed", title = question.title),
            ),
        }]
    }
}

const HINTS: &[Hint] = &[
    (Scope::Ports, &[Action::ForwardCopy], tr_later!("copy URL")),
    (
        Scope::Ports,
        &[Action::ForwardCopyTunnel],
        tr_later!("copy ssh"),
    ),
    (Scope::Ports, &[Action::ForwardBrowse], tr_later!("browser")),
    (Scope::Ports, &[Action::ForwardReveal], tr_later!("show")),
    (Scope::Ports, &[Action::ForwardClose], tr_later!("close it")),
    (Scope::Ports, &[Action::ForwardShow], tr_later!("session")),
    (Scope::Ports, &[Action::ForwardFilter], tr_later!("filter")),
    (Scope::Global, &[Action::Back], tr_later!("back")),
    (Scope::Ports, &[Action::ForwardQr], tr_later!("QR code")),
];

const CLOSING_HINTS: &[Hint] = &[
    (Scope::Confirm, &[Action::ConfirmYes], tr_later!("close it")),
    (Scope::Confirm, &[Action::ConfirmNo], tr_later!("cancel")),
    (
        Scope::Confirm,
        &[Action::ConfirmToggle],
        tr_later!("other button"),
    ),
];

/// The hints of an empty board.
const EMPTY_HINTS: &[Hint] = &[(Scope::Global, &[Action::Back], tr_later!("close"))];

impl Panel for PortBoard {
    fn scope(&self) -> Scope {
        match (&self.closing, self.editing) {
            (Some(_), _) => Scope::Confirm,
            (None, true) => Scope::Input,
            (None, false) => Scope::Ports,
        }
    }

    fn outer_scopes(&self) -> &'static [Scope] {
        if self.editing {
            &[Scope::Ports, Scope::Global]
        } else {
            &[Scope::Global]
        }
    }

    fn input(&mut self) -> Option<&mut Input> {
        self.editing.then_some(&mut self.filter)
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        if self.closing.is_some() {
            return self.on_question(action);
        }
        let rows = self.rows(env.mirror);
        self.mark(self.at(&rows), &rows);
        if self.list.action(action, rows.len()) {
            self.mark(self.list.marked(), &rows);
            return Vec::new();
        }
        match (action, self.forward(env.mirror)) {
            (Action::ForwardFilter, _) => {
                self.editing = true;
                Vec::new()
            }
            (Action::InputSubmit, _) => {
                self.editing = false;
                Vec::new()
            }
            (Action::InputCancel | Action::Back, _) => self.back(env),
            (action, Some(forward)) => self.act(action, forward, env),
            (_, None) => vec![Step::toast(Level::Info, tr!("no forward is selected"))],
        }
    }

    /// Clears the filter, then closes the panel.
    fn back(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        if self.qr {
            self.qr = false;
            return Vec::new();
        }
        if self.editing || !self.filter.is_empty() {
            self.editing = false;
            self.filter.set("");
            return Vec::new();
        }
        vec![Step::CLOSE]
    }

    /// A click marks a row. A click on the marked row shows its session.
    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match (part, &self.closing) {
            (DialogPart::Button(DialogButton::Yes), Some(_)) => self.close(),
            (DialogPart::Button(DialogButton::No), Some(_)) => {
                self.closing = None;
                Vec::new()
            }
            (DialogPart::Outside, None) => vec![Step::CLOSE],
            (DialogPart::Row(row), None) => {
                let rows = self.rows(env.mirror);
                let at = self.list.scroll() + row;
                if at == self.at(&rows) {
                    return self.action(Action::ForwardShow, None, env);
                }
                self.mark(at, &rows);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, env: &PanelEnv<'_>) {
        let rows = self.rows(env.mirror);
        self.mark(self.at(&rows).saturating_add_signed(by.signum()), &rows);
    }

    fn laid_out(&mut self, height: usize, env: &PanelEnv<'_>) {
        let rows = self.rows(env.mirror);
        self.list.laid_out(height, rows.len());
        self.mark(self.at(&rows), &rows);
        let is_open = |id: ForwardId| env.mirror.forwards().iter().any(|it| it.id == id);
        if self.closing.as_ref().is_some_and(|it| !is_open(it.id)) {
            self.closing = None;
        }
        self.has_rows = !rows.is_empty();
    }

    fn hints(&self) -> Vec<Hint> {
        match (&self.closing, self.editing) {
            (Some(_), _) => CLOSING_HINTS.to_vec(),
            (None, true) => FILTER_HINTS.to_vec(),
            (None, false) if !self.has_rows && self.filter.is_empty() => EMPTY_HINTS.to_vec(),
            (None, false) => {
                let mut hints = HINTS.to_vec();
                hints.push((Scope::Ports, MOVE, tr!("move")));
                hints
            }
        }
    }
}
