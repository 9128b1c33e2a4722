//! The options of an app or a port before it is opened.

use std::collections::BTreeMap;

use super::super::{Hint, scroll::motion};
use crate::{
    action::{Action, Scope},
    app::{facts::Facts, input::Input},
    key::{Key, KeyCode},
    model::{
        app::{App, AppProtocol, AppStart},
        cidr::Network,
        forward::{ForwardOptions, ForwardTarget, PublicOptions},
        ports,
        request::ForwardRequest,
        span::Span,
        text::Clean,
    },
    protocol::message::Request,
};

/// What is opened.
#[derive(Clone, Debug)]
pub enum FormTarget {
    App(Box<App>),
    /// A port, whose number the form asks for.
    Port,
}

impl FormTarget {
    pub fn app(&self) -> Option<&App> {
        match self {
            Self::App(app) => Some(app),
            Self::Port => None,
        }
    }

    /// The title of what a request opens.
    pub fn title(&self, request: &Request) -> Clean {
        match (self, request) {
            (Self::App(app), _) => app.title.clone(),
            (
                Self::Port,
                Request::Forward {
                    request:
                        ForwardRequest::Open {
                            target: ForwardTarget::Port { port },
                            ..
                        },
                },
            ) => Clean::new(&tr!("Port {port}", port)),
            (Self::Port, _) => Clean::new(tr!("Port")),
        }
    }
}

/// The checked options. `start.app` is the number of the port if there is no app.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub target: FormTarget,
    pub start: AppStart,
    pub options: ForwardOptions,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Port,
    Protocol,
    /// An argument, by its name.
    Argument(String),
    Variables,
    Preferred,
    Public,
    Networks,
    Expires,
}

#[derive(Clone, Debug)]
pub struct FormField {
    pub kind: FieldKind,
    pub title: String,
    pub input: Input,
    /// What may be typed.
    pub note: String,
}

#[derive(Clone, Debug)]
pub struct OptionsForm {
    pub target: FormTarget,
    fields: Vec<FormField>,
    /// The focused one of the visible fields.
    at: usize,
    pub public: bool,
    /// Whether the settings allow public forwards.
    pub may_be_public: bool,
    pub protocol: AppProtocol,
    /// Why the last submit was refused.
    pub problem: Option<String>,
}

impl OptionsForm {
    #[must_use]
    pub fn new(target: FormTarget, facts: &Facts) -> Self {
        let mut fields = match &target {
            FormTarget::App(app) => of_app(app),
            FormTarget::Port => vec![
                field(
                    FieldKind::Port,
                    tr!("Port"),
                    "",
                    tr!("a port in the session"),
                ),
                field(FieldKind::Protocol, tr!("Protocol"), "", tr!("http or tcp")),
            ],
        };
        let pool = facts.apps.port_pool;
        let automatic = facts.apps.preferred_port;
        let note = match automatic {
            Some(port) => tr!("empty: {port}", port),
            None => tr!("empty: a free one of {pool}", pool),
        };
        let expires = tr!("for example 8h; empty: until you close it");
        fields.extend([
            field(FieldKind::Preferred, tr!("Preferred port"), "", &note),
            field(FieldKind::Public, tr!("Open to public"), "", ""),
            field(
                FieldKind::Networks,
                tr!("Allowed networks"),
                "",
                tr!("for example 10.0.0.0/8; empty: everyone"),
            ),
            field(FieldKind::Expires, tr!("Closes after"), "8h", expires),
        ]);
        Self {
            target,
            fields,
            at: 0,
            public: false,
            may_be_public: facts.apps.open_to_public,
            protocol: AppProtocol::Http,
            problem: None,
        }
    }

    /// The visible fields. Those of a public forward appear when it is public.
    pub fn fields(&self) -> impl Iterator<Item = &FormField> {
        let fields = self.fields.iter();
        fields.filter(|field| self.public || !is_of_public(&field.kind))
    }

    /// The focused one of the visible fields.
    pub fn at(&self) -> usize {
        self.at
    }

    fn focused(&self) -> Option<FieldKind> {
        self.fields().nth(self.at).map(|field| field.kind.clone())
    }

    pub(super) fn go_to(&mut self, at: usize) {
        if at < self.fields().count() {
            self.at = at;
        }
    }

    fn move_by(&mut self, by: isize) {
        let count = self.fields().count().cast_signed();
        self.at = (self.at.cast_signed() + by)
            .rem_euclid(count)
            .cast_unsigned();
    }

    pub(super) fn input(&mut self) -> Option<&mut Input> {
        let kind = self.focused()?;
        if matches!(kind, FieldKind::Public | FieldKind::Protocol) {
            return None;
        }
        let mut fields = self.fields.iter_mut();
        let field = fields.find(|field| field.kind == kind)?;
        Some(&mut field.input)
    }

    pub(super) fn action(&mut self, action: Action) {
        match action {
            Action::LauncherNext => self.move_by(1),
            Action::LauncherPrevious => self.move_by(-1),
            Action::LauncherMore | Action::LauncherLess | Action::LauncherToggle => self.toggle(),
            action => self.move_by(motion(action, 1).unwrap_or(0).clamp(-1, 1)),
        }
    }

    /// Handles a key of the focused field. Returns `false` if the key isn't used.
    pub(super) fn key(&mut self, key: Key) -> bool {
        self.problem = None;
        if let Some(input) = self.input() {
            return input.key(key);
        }
        let is_text = matches!(key.code, KeyCode::Char(_)) && !key.ctrl && !key.alt;
        if is_text && key.code == KeyCode::Char(' ') {
            self.toggle();
        }
        is_text
    }

    fn toggle(&mut self) {
        match self.focused() {
            Some(FieldKind::Public) if self.may_be_public => self.public = !self.public,
            Some(FieldKind::Public) => {
                let why = tr!("the setting apps.open-to-public doesn't allow public forwards");
                self.problem = Some(why.to_owned());
            }
            Some(FieldKind::Protocol) => {
                self.protocol = match self.protocol {
                    AppProtocol::Http => AppProtocol::Tcp,
                    AppProtocol::Tcp => AppProtocol::Http,
                };
            }
            _ => {}
        }
    }

    /// Returns the options if all of them are right. Otherwise focuses the wrong field.
    pub(super) fn choose(&mut self) -> Option<Chosen> {
        match self.check() {
            Ok(chosen) => Some(chosen),
            Err((kind, why)) => {
                let wrong = self.fields().position(|field| field.kind == kind);
                self.at = wrong.unwrap_or(self.at);
                self.problem = Some(why);
                None
            }
        }
    }

    fn check(&self) -> Result<Chosen, (FieldKind, String)> {
        let mut start = AppStart::default();
        let mut options = ForwardOptions::default();
        let mut public = PublicOptions::default();
        if let FormTarget::App(app) = &self.target {
            start.app = app.name.to_string();
        }
        for field in self.fields() {
            let text = field.input.text().trim();
            let wrong = |why: String| (field.kind.clone(), why);
            match &field.kind {
                FieldKind::Port => start.app = port(text).map_err(wrong)?.to_string(),
                FieldKind::Protocol => options.protocol = Some(self.protocol),
                FieldKind::Argument(name) => {
                    start.arguments.insert(name.clone(), text.to_owned());
                }
                FieldKind::Variables => start.env = variables(text).map_err(wrong)?,
                FieldKind::Preferred => options.preferred_port = preferred(text).map_err(wrong)?,
                FieldKind::Public => {}
                FieldKind::Networks => public.allowed = networks(text).map_err(wrong)?,
                FieldKind::Expires => public.expires = expires(text).map_err(wrong)?,
            }
        }
        options.public = self.public.then_some(public);
        Ok(Chosen {
            target: self.target.clone(),
            start,
            options,
        })
    }

    pub(super) fn hints(&self) -> Vec<Hint> {
        let mut hints = HINTS.to_vec();
        let turns = matches!(
            self.focused(),
            Some(FieldKind::Public | FieldKind::Protocol)
        );
        hints.retain(|hint| turns || *hint.1 != [Action::LauncherToggle]);
        hints
    }
}

const HINTS: &[Hint] = &[
    (Scope::Input, &[Action::InputSubmit], tr_later!("open")),
    (
        Scope::Launcher,
        &[Action::LauncherToggle],
        tr_later!("change"),
    ),
    (
        Scope::Launcher,
        &[Action::LauncherNext],
        tr_later!("next field"),
    ),
    (Scope::Input, &[Action::InputCancel], tr_later!("back")),
];

fn is_of_public(kind: &FieldKind) -> bool {
    matches!(kind, FieldKind::Networks | FieldKind::Expires)
}

fn field(kind: FieldKind, title: &str, text: &str, note: &str) -> FormField {
    FormField {
        kind,
        title: title.to_owned(),
        input: Input::with_text(text),
        note: note.to_owned(),
    }
}

/// An app that runs already takes no arguments.
fn of_app(app: &App) -> Vec<FormField> {
    if !app.startable {
        return Vec::new();
    }
    let mut fields: Vec<FormField> = app
        .arguments
        .iter()
        .map(|argument| {
            let kind = FieldKind::Argument(argument.name.to_string());
            field(kind, argument.title.as_str(), argument.default.as_str(), "")
        })
        .collect();
    let note = tr!("NAME=value, separated by blanks");
    fields.push(field(FieldKind::Variables, tr!("Variables"), "", note));
    fields
}

fn port(text: &str) -> Result<u16, String> {
    let port = text.parse::<u16>().ok().filter(|port| *port > 0);
    port.ok_or_else(|| tr!("invalid port '{text}'. Use a number from 1 to 65535", text))
}

fn preferred(text: &str) -> Result<Option<u16>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let port = text.parse::<u16>().ok();
    let usable = |port: &u16| (1025..=65534).contains(port) && !ports::RESERVED.contains(port);
    let port = port.filter(usable).ok_or_else(|| {
        tr!("invalid preferred port '{text}'. Use 1025 to 65534, except 2000 to 2003, 2200 and 7681", text)
    })?;
    Ok(Some(port))
}

fn networks(text: &str) -> Result<Vec<String>, String> {
    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
    words
        .map(|word| word.parse::<Network>().map(|network| network.to_string()))
        .collect()
}

fn expires(text: &str) -> Result<Option<Span>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let span = text.parse::<Span>()?;
    Ok(Some(span))
}

fn variables(text: &str) -> Result<BTreeMap<String, String>, String> {
    let pair = |word: &str| {
        let (name, value) = word.split_once('=').filter(|(name, _)| !name.is_empty())?;
        Some((name.to_owned(), value.to_owned()))
    };
    text.split_whitespace()
        .map(|word| {
            pair(word).ok_or_else(|| tr!("invalid variable '{word}'. Use NAME=value", word))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::facts,
        model::app::{AppArgument, AppCategory, AppSource, AppState},
    };

    fn board() -> FormTarget {
        FormTarget::App(Box::new(App {
            name: Clean::new("tensorboard"),
            title: Clean::new("TensorBoard"),
            category: AppCategory::MachineLearning,
            protocol: AppProtocol::Http,
            ports: Vec::new(),
            source: AppSource::Installed,
            state: AppState::Stopped,
            path: Clean::new("/"),
            arguments: vec![AppArgument {
                name: Clean::new("logdir"),
                title: Clean::new("Log directory"),
                default: Clean::new("/home/work/logs"),
            }],
            startable: true,
        }))
    }

    fn typed(form: &mut OptionsForm, kind: &FieldKind, text: &str) {
        let at = form.fields().position(|field| field.kind == *kind).unwrap();
        form.go_to(at);
        form.input().unwrap().set(text);
    }

    #[test]
    fn an_app_has_its_defaults() {
        let mut form = OptionsForm::new(board(), &facts());
        let chosen = form.choose().unwrap();
        assert_eq!(chosen.start.arguments["logdir"], "/home/work/logs");
        assert_eq!(chosen.options, ForwardOptions::default());
    }

    #[test]
    fn the_wrong_field_gets_the_focus() {
        for (kind, text, problem) in [
            (FieldKind::Variables, "A", "invalid variable 'A'"),
            (FieldKind::Preferred, "80", "invalid preferred port '80'"),
            (FieldKind::Preferred, "2200", "invalid preferred port"),
            (FieldKind::Networks, "10.0.0.1/8", "bits after the prefix"),
            (FieldKind::Expires, "soon", "invalid duration 'soon'"),
        ] {
            let mut form = OptionsForm::new(board(), &facts());
            form.public = true;
            typed(&mut form, &kind, text);
            form.go_to(0);
            assert!(form.choose().is_none(), "{text}");
            assert_eq!(form.focused(), Some(kind));
            let why = form.problem.unwrap();
            assert!(why.contains(problem), "{why}");
        }
        for text in ["", "0", "65536", "http"] {
            let mut form = OptionsForm::new(FormTarget::Port, &facts());
            typed(&mut form, &FieldKind::Port, text);
            assert!(form.choose().is_none(), "{text}");
        }
    }

    #[test]
    fn fields_of_a_public_forward_appear_with_it() {
        let mut facts = facts();
        facts.apps.open_to_public = true;
        let mut form = OptionsForm::new(FormTarget::Port, &facts);
        let count = form.fields().count();
        form.go_to(count - 1);
        assert!(form.key(Key::char(' ')));
        assert!(form.public);
        assert_eq!(form.fields().count(), count + 2);
        typed(&mut form, &FieldKind::Port, "8000");
        typed(&mut form, &FieldKind::Networks, "10.0.0.0/8 192.168.1.7");
        let public = form.choose().unwrap().options.public.unwrap();
        assert_eq!(public.allowed, ["10.0.0.0/8", "192.168.1.7/32"]);
        assert_eq!(public.expires, Some(Span(8 * 3_600)));
    }
}
