//! The form for a new shell in a session: its command, directory and user, one line for each.

use super::{input::Input, panes::Place};
use crate::{
    key::{Key, KeyCode},
    model::{shell::ShellStart, text::Clean},
};

/// The lines of the form, from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// A shell, or a command with its arguments.
    Run,
    Directory,
    User,
}

impl Field {
    pub const ALL: [Self; 3] = [Self::Run, Self::Directory, Self::User];

    pub fn title(self) -> &'static str {
        match self {
            Self::Run => "Shell or command",
            Self::Directory => "Directory",
            Self::User => "User",
        }
    }

    /// The meaning of an empty line.
    pub fn usual(self) -> &'static str {
        match self {
            Self::Run => "the best available shell",
            Self::Directory => "home",
            Self::User => "the session's",
        }
    }
}

#[derive(Clone, Debug)]
pub struct NewShell {
    /// Where it is opened.
    pub place: Place,
    pub name: Clean,
    inputs: [Input; 3],
    at: usize,
    /// Enter was pressed on an invalid form. From then on, its problems are shown.
    pressed: bool,
}

impl NewShell {
    #[must_use]
    pub fn new(place: Place, name: &Clean) -> Self {
        Self {
            place,
            name: name.clone(),
            inputs: Default::default(),
            at: 0,
            pressed: false,
        }
    }

    pub fn input(&self, field: Field) -> &Input {
        &self.inputs[field as usize]
    }

    /// The line that has the focus.
    pub fn field(&self) -> Field {
        Field::ALL[self.at]
    }

    /// Focuses a line that was clicked.
    pub fn go_to(&mut self, at: usize) {
        self.at = at.min(self.inputs.len() - 1);
    }

    /// Handles a key that no scope binds. Returns `false` if the key isn't used.
    pub fn key(&mut self, key: Key) -> bool {
        let count = self.inputs.len();
        match key.code {
            KeyCode::Tab if key.shift => self.at = (self.at + count - 1) % count,
            KeyCode::Up => self.at = (self.at + count - 1) % count,
            KeyCode::Tab | KeyCode::Down => self.at = (self.at + 1) % count,
            _ => return self.inputs[self.at].key(key),
        }
        true
    }

    pub fn paste(&mut self, text: &str) {
        self.inputs[self.at].paste(text);
    }

    /// Returns the shell to start when Enter is pressed. A line with a problem gets the focus instead.
    pub fn submit(&mut self) -> Option<ShellStart> {
        match self.chosen() {
            Ok(start) => Some(start),
            Err((field, _)) => {
                self.pressed = true;
                self.at = field as usize;
                None
            }
        }
    }

    /// The problem and its line.
    pub fn problem(&self) -> Option<(Field, String)> {
        self.chosen().err().filter(|_| self.pressed)
    }

    fn chosen(&self) -> Result<ShellStart, (Field, String)> {
        let text = |field| self.input(field).text().trim().to_owned();
        let given = |field| Some(text(field)).filter(|text| !text.is_empty());
        let run = text(Field::Run);
        let words = shlex::split(&run).ok_or_else(|| {
            let why = "a quotation mark isn't closed".to_owned();
            (Field::Run, why)
        })?;
        let (shell, command) = match words.as_slice() {
            [] => (None, Vec::new()),
            [shell] => (Some(shell.clone()), Vec::new()),
            _ => (None, words),
        };
        let directory = given(Field::Directory);
        if directory.as_ref().is_some_and(|it| !it.starts_with('/')) {
            let why = "use the absolute path, for example /home/work/data".to_owned();
            return Err((Field::Directory, why));
        }
        let user = given(Field::User);
        if user
            .as_ref()
            .is_some_and(|it| it.contains(char::is_whitespace))
        {
            let why = "use one name or number, for example root or 1000".to_owned();
            return Err((Field::User, why));
        }
        Ok(ShellStart {
            shell,
            user,
            directory,
            command,
            fresh: true,
            ..ShellStart::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::id::{SessionId, SessionKey};

    fn form(lines: [&str; 3]) -> NewShell {
        let key = SessionKey::local(SessionId::from_u128(1));
        let mut form = NewShell::new(Place::Session(key), &Clean::new("train"));
        for (at, line) in lines.into_iter().enumerate() {
            form.go_to(at);
            form.paste(line);
        }
        form
    }

    #[test]
    fn one_word_is_a_shell_more_are_a_command() {
        let start = form(["zsh", "/tmp", "root"]).submit().unwrap();
        assert_eq!(start.shell.as_deref(), Some("zsh"));
        assert_eq!(start.directory.as_deref(), Some("/tmp"));
        assert_eq!(start.user.as_deref(), Some("root"));
        assert!(start.fresh);
        let start = form(["grep -r 'a b' .", "", ""]).submit().unwrap();
        assert_eq!(start.command, ["grep", "-r", "a b", "."]);
        assert_eq!((start.shell, start.directory), (None, None));
        assert!(!form(["", "", ""]).submit().unwrap().is_usual());
    }

    #[test]
    fn a_mistake_is_told_at_its_line() {
        for (lines, field) in [
            (["echo 'a", "", ""], Field::Run),
            (["", "data", ""], Field::Directory),
            (["", "", "two names"], Field::User),
        ] {
            let mut form = form(lines);
            assert_eq!(form.problem(), None, "not before it is asked for");
            assert_eq!(form.submit(), None);
            assert_eq!(form.problem().unwrap().0, field);
            assert_eq!(form.field(), field);
        }
    }
}
