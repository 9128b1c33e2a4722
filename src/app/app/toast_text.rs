//! The text of a launch's toast, always for the current state of the session.

use super::App;
use crate::{
    action::{Action, Scope},
    app::{
        allowed,
        focus::Focus,
        notices::toast::{Launched, Toast, ToastContent},
        panels::pull::PullDialog,
    },
    locale,
    model::{notice::Level, session::Session, text::Clean},
};

/// The next actions, the most likely first.
const NEXT: [(Action, &str); 4] = [
    (Action::SessionShell, tr_later!("shell")),
    (Action::SessionLogs, tr_later!("log")),
    (Action::SessionOpen, tr_later!("details")),
    (Action::SessionTerminate, tr_later!("terminate")),
];

impl App {
    /// The current text of a toast.
    pub fn toast_text(&self, toast: &Toast) -> (Level, Clean) {
        match &toast.what {
            ToastContent::Said { level, text } => (*level, text.clone()),
            ToastContent::Launch(launched) => self.launch_text(launched),
        }
    }

    /// A toast with a capital first letter. Reasons of failures begin with a small one, because they follow
    /// `workbay: ` on the command line. A name keeps its letters.
    pub(super) fn sentence(&self, text: Clean) -> Clean {
        let is_name = |name: &str| text.as_str().starts_with(name);
        let mut sessions = self.mirror.sessions();
        let named = sessions.any(|it| is_name(it.name.as_str())) || is_name(&self.facts.host);
        let first = text.as_str().split(char::is_whitespace).next();
        let first = first.unwrap_or_default().trim_end_matches([':', ',']);
        let is_word = first.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        if named || !is_word || first == "workbay" {
            return text;
        }
        let mut letters = text.as_str().chars();
        let capital = letters.next().map(|c| c.to_ascii_uppercase());
        let capital = capital.map(|c| format!("{c}{}", letters.as_str()));
        Clean::multiline(&capital.unwrap_or_default())
    }

    fn launch_text(&self, launched: &Launched) -> (Level, Clean) {
        let others = match launched.all.len() {
            0 | 1 => String::new(),
            count => tr!("{count} sessions, ", count),
        };
        let Some(session) = self.mirror.session(launched.first) else {
            let text = tr!(
                "{others}{name} is {status}",
                others,
                name = launched.name,
                status = launched.status
            );
            return (Level::Info, Clean::new(&text));
        };
        let (name, status) = (&session.name, &session.status);
        let level = if status.is_live() {
            Level::Success
        } else {
            Level::Info
        };
        // The open dialog already shows the pull.
        let pull = session
            .pull
            .as_ref()
            .filter(|_| !self.panels.is_open::<PullDialog>());
        let pull = pull.map(|pull| format!("\n{}", pull.words().join(", ")));
        let text = format!(
            "{}{}\n{}",
            tr!("{others}{name} is {status}", others, name, status),
            pull.unwrap_or_default(),
            self.next(session)
        );
        (level, Clean::multiline(text.trim_end()))
    }

    /// The keys that work for the session in the current view.
    fn next(&self, session: &Session) -> String {
        let here =
            self.focus() == Focus::Sessions && self.sessions.selected() == Some(session.key());
        if !here {
            return String::new();
        }
        let shown = self.sessions.shown();
        let next = NEXT.into_iter().filter_map(|(action, word)| {
            let why = allowed::why_not(action, Some(session), shown, &self.mirror, &self.facts);
            let keys = self.keymap.keys_for(Scope::Sessions, action);
            let key = keys.into_iter().next().filter(|_| why.is_none())?;
            Some(format!("{key} {}", locale::text(word)))
        });
        next.collect::<Vec<_>>().join(", ")
    }
}
