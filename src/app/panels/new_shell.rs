//! The form for a new shell in a session: its command, directory and user, one line for each.

use super::{Panel, PanelEnv};
use crate::{
    app::{area::DialogPart, input::Input, panes::ShellPlace, step::Step},
    key::{Key, KeyCode},
    model::{shell_start::ShellStart, text::Clean},
};

/// The lines of the form, from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewShellField {
    /// A shell, or a command with its arguments.
    Run,
    Directory,
    User,
}

impl NewShellField {
    pub const ALL: [Self; 3] = [Self::Run, Self::Directory, Self::User];

    pub fn title(self) -> &'static str {
        match self {
            Self::Run => tr!("Shell or command"),
            Self::Directory => tr!("Directory"),
            Self::User => tr!("User"),
        }
    }

    /// The meaning of an empty line.
    pub fn usual(self) -> &'static str {
        match self {
            Self::Run => tr!("the best available shell"),
            Self::Directory => tr!("home"),
            Self::User => tr!("the session's"),
        }
    }
}

#[derive(Clone, Debug)]
pub struct NewShell {
    /// Where it is opened.
    pub place: ShellPlace,
    pub name: Clean,
    inputs: [Input; 3],
    at: usize,
    /// Enter was pressed on an invalid form. From then on, its problems are shown.
    pressed: bool,
}

impl NewShell {
    #[must_use]
    pub fn new(place: ShellPlace, name: &Clean) -> Self {
        Self {
            place,
            name: name.clone(),
            inputs: Default::default(),
            at: 0,
            pressed: false,
        }
    }

    pub fn input(&self, field: NewShellField) -> &Input {
        &self.inputs[field as usize]
    }

    /// The line that has the focus.
    pub fn field(&self) -> NewShellField {
        NewShellField::ALL[self.at]
    }

    /// Returns the shell to start when Enter is pressed. A line with a problem gets the focus instead.
    fn start(&mut self) -> Option<ShellStart> {
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
    pub fn wrong(&self) -> Option<(NewShellField, String)> {
        self.chosen().err().filter(|_| self.pressed)
    }

    fn chosen(&self) -> Result<ShellStart, (NewShellField, String)> {
        let text = |field| self.input(field).text().trim().to_owned();
        let given = |field| Some(text(field)).filter(|text| !text.is_empty());
        let run = text(NewShellField::Run);
        let words = shlex::split(&run).ok_or_else(|| {
            let why = tr!("a quotation mark isn't closed").to_owned();
            (NewShellField::Run, why)
        })?;
        let (shell, command) = match words.as_slice() {
            [] => (None, Vec::new()),
            [shell] => (Some(shell.clone()), Vec::new()),
            _ => (None, words),
        };
        let directory = given(NewShellField::Directory);
        if directory.as_ref().is_some_and(|it| !it.starts_with('/')) {
            let why = tr!("use the absolute path, for example /home/work/data").to_owned();
            return Err((NewShellField::Directory, why));
        }
        let user = given(NewShellField::User);
        if user
            .as_ref()
            .is_some_and(|it| it.contains(char::is_whitespace))
        {
            let why = tr!("use one name or number, for example root or 1000").to_owned();
            return Err((NewShellField::User, why));
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

impl Panel for NewShell {
    fn input(&mut self) -> Option<&mut Input> {
        Some(&mut self.inputs[self.at])
    }

    fn submit(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        let open = self.start().map(|start| Step::NewShell {
            place: self.place,
            name: self.name.clone(),
            start: Box::new(start),
        });
        open.map_or_else(Vec::new, |open| vec![Step::CLOSE, open])
    }

    fn key(&mut self, key: Key, _: &PanelEnv<'_>) -> Option<Vec<Step>> {
        let count = self.inputs.len();
        match key.code {
            KeyCode::Tab if key.shift => self.at = (self.at + count - 1) % count,
            KeyCode::Up => self.at = (self.at + count - 1) % count,
            KeyCode::Tab | KeyCode::Down => self.at = (self.at + 1) % count,
            _ => return self.inputs[self.at].key(key).then(Vec::new),
        }
        Some(Vec::new())
    }

    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Row(at) => self.at = at.min(self.inputs.len() - 1),
            DialogPart::Outside => return self.back(env),
            _ => {}
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::id::{SessionId, SessionKey};

    fn form(lines: [&str; 3]) -> NewShell {
        let key = SessionKey::local(SessionId::from_u128(1));
        let mut form = NewShell::new(ShellPlace::Session(key), &Clean::new("train"));
        for (at, line) in lines.into_iter().enumerate() {
            form.inputs[at].paste(line);
        }
        form
    }

    #[test]
    fn one_word_is_a_shell_more_are_a_command() {
        let start = form(["zsh", "/tmp", "root"]).start().unwrap();
        assert_eq!(start.shell.as_deref(), Some("zsh"));
        assert_eq!(start.directory.as_deref(), Some("/tmp"));
        assert_eq!(start.user.as_deref(), Some("root"));
        assert!(start.fresh);
        let start = form(["grep -r 'a b' .", "", ""]).start().unwrap();
        assert_eq!(start.command, ["grep", "-r", "a b", "."]);
        assert_eq!((start.shell, start.directory), (None, None));
        assert!(!form(["", "", ""]).start().unwrap().is_usual());
    }

    #[test]
    fn a_mistake_is_reported_at_its_line() {
        for (lines, field) in [
            (["echo 'a", "", ""], NewShellField::Run),
            (["", "data", ""], NewShellField::Directory),
            (["", "", "two names"], NewShellField::User),
        ] {
            let mut form = form(lines);
            assert_eq!(form.wrong(), None, "not before it is asked for");
            assert_eq!(form.start(), None);
            assert_eq!(form.wrong().unwrap().0, field);
            assert_eq!(form.field(), field);
        }
    }
}
