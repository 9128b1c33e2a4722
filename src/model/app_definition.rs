//! Apps that the environment catalog defines, and the templates in their commands.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    app::{AppArgument, AppProtocol},
    spec::check_variable_name,
    text::{Clean, is_hidden},
};

/// An app of the environment catalog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AppDefinition {
    /// The name in requests: `jupyter`.
    pub name: String,
    /// `None` = the usual title of this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Clean>,
    /// The program and its arguments, with templates like `{port}`.
    pub command: Vec<String>,
    /// The port that it listens on; `None` = a free one, chosen when it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The page that is opened first, beginning with `/`; `None` = the usual one of this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default)]
    pub protocol: AppProtocol,
    /// What may be given when it is started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<AppArgument>,
    /// Its variables, in addition to those of the session. Values may have templates.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
}

/// The most apps of one environment.
pub const MOST_APPS: usize = 32;
const MOST_WORDS: usize = 64;
const MOST_ARGUMENTS: usize = 16;
const LONGEST_NAME: usize = 64;
const LONGEST_TEXT: usize = 1024;

/// The template of the port.
pub const PORT: &str = "port";

impl AppDefinition {
    /// An app with this name and an empty command.
    #[must_use]
    pub fn of(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            title: None,
            command: Vec::new(),
            port: None,
            path: None,
            protocol: AppProtocol::default(),
            arguments: Vec::new(),
            variables: BTreeMap::new(),
        }
    }

    /// The names that its templates may have.
    pub fn template_names(&self) -> Vec<&str> {
        let arguments = self.arguments.iter();
        let names = arguments.map(|argument| argument.name.as_str());
        std::iter::once(PORT).chain(names).collect()
    }

    /// Why it can't be used.
    pub fn check(&self) -> Result<(), String> {
        check_name(&self.name)?;
        let name = &self.name;
        if self.command.is_empty() || self.command.len() > MOST_WORDS {
            return Err(tr!(
                "app '{name}' needs a command of 1 to {most} words",
                name,
                most = MOST_WORDS
            ));
        }
        if self.port == Some(0) {
            return Err(tr!("app '{name}' can't listen on port 0", name));
        }
        if self.path.as_ref().is_some_and(|path| !is_path(path)) {
            return Err(tr!("the path of app '{name}' must begin with '/'", name));
        }
        if self.arguments.len() > MOST_ARGUMENTS || self.variables.len() > MOST_ARGUMENTS {
            return Err(tr!(
                "app '{name}' has more than {most} arguments or variables",
                name,
                most = MOST_ARGUMENTS
            ));
        }
        for argument in &self.arguments {
            check_argument_name(argument.name.as_str())?;
        }
        for variable in self.variables.keys() {
            check_variable_name(variable)?;
        }
        let titles = self.title.iter().map(Clean::as_str);
        let arguments = self.arguments.iter();
        let texts = titles
            .chain(self.command.iter().map(String::as_str))
            .chain(self.variables.values().map(String::as_str))
            .chain(arguments.flat_map(|it| [it.title.as_str(), it.default.as_str()]));
        for text in texts {
            check_text(text)?;
        }
        self.check_templates()
    }

    fn check_templates(&self) -> Result<(), String> {
        let known = self.template_names();
        let texts = self.command.iter().chain(self.variables.values());
        let mut names = texts.flat_map(|text| templates(text));
        match names.find(|name| !known.contains(name)) {
            Some(name) => Err(tr!(
                "unknown template '{{{name}}}' of app '{app}'",
                name,
                app = self.name
            )),
            None => Ok(()),
        }
    }
}

/// Why the apps of an environment can't be used together.
pub fn check_all(apps: &[AppDefinition]) -> Result<(), String> {
    if apps.len() > MOST_APPS {
        return Err(tr!(
            "an environment has too many apps (max: {most})",
            most = MOST_APPS
        ));
    }
    for (at, app) in apps.iter().enumerate() {
        app.check()?;
        if apps[..at].iter().any(|other| other.name == app.name) {
            return Err(tr!("two apps have the name '{name}'", name = app.name));
        }
    }
    Ok(())
}

/// Names are also names of files. Numbers are the names of ports.
pub fn check_name(name: &str) -> Result<(), String> {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_number = name.chars().all(|c| c.is_ascii_digit());
    if name.is_empty()
        || name.len() > LONGEST_NAME
        || name.starts_with('.')
        || is_number
        || !name.chars().all(fine)
    {
        let name = Clean::new(name);
        return Err(tr!(
            "invalid app name '{name}'. Use letters, digits, '-', '_' and '.', and not only digits",
            name
        ));
    }
    Ok(())
}

/// Arguments are named by templates.
pub fn check_argument_name(name: &str) -> Result<(), String> {
    if name.is_empty()
        || name.len() > LONGEST_NAME
        || !name.chars().all(is_of_template)
        || name == PORT
    {
        let name = Clean::new(name);
        return Err(tr!(
            "invalid argument name '{name}'. Use letters, digits, '-' and '_', and not 'port'",
            name
        ));
    }
    Ok(())
}

/// A value that is given to an app.
pub fn check_text(text: &str) -> Result<(), String> {
    if text.len() > LONGEST_TEXT || text.contains(is_hidden) {
        let text = Clean::new(text);
        let start: String = text.as_str().chars().take(40).collect();
        return Err(tr!(
            "'{start}' is longer than {most} bytes or contains a control character",
            start,
            most = LONGEST_TEXT
        ));
    }
    Ok(())
}

fn is_path(path: &str) -> bool {
    let fine = |c: char| c.is_ascii_graphic();
    path.starts_with('/')
        && !path.starts_with("//")
        && path.len() <= LONGEST_TEXT
        && path.chars().all(fine)
}

fn is_of_template(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

/// The names of the templates in a text: `{port}` gives `port`. `${HOME}` is a shell's, and other braces are text.
pub fn templates(text: &str) -> Vec<&str> {
    pieces(text)
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Template(name) => Some(name),
            Piece::Text(_) => None,
        })
        .collect()
}

/// Replaces the templates whose names have a value. Others stay as they are.
pub fn filled(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut all = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => all.push_str(text),
            Piece::Template(name) => match value(name) {
                Some(value) => all.push_str(&value),
                None => all.extend(["{", name, "}"]),
            },
        }
    }
    all
}

enum Piece<'a> {
    Text(&'a str),
    Template(&'a str),
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    let (mut rest, mut from) = (text, 0);
    while let Some(at) = rest[from..].find('{').map(|at| at + from) {
        let name = rest[at + 1..].split('}').next().unwrap_or_default();
        let end = at + 1 + name.len();
        let is_closed = rest[end..].starts_with('}');
        let is_template = is_closed
            && !name.is_empty()
            && name.chars().all(is_of_template)
            && !rest[..at].ends_with('$');
        if !is_template {
            from = at + 1;
            continue;
        }
        all.push(Piece::Text(&rest[..at]));
        all.push(Piece::Template(name));
        rest = &rest[end + 1..];
        from = 0;
    }
    all.push(Piece::Text(rest));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app() -> AppDefinition {
        AppDefinition {
            command: ["serve", "--port={port}", "{dir}"]
                .map(str::to_owned)
                .to_vec(),
            arguments: vec![AppArgument {
                name: "dir".into(),
                title: "Directory".into(),
                default: "/home/work".into(),
            }],
            path: Some("/start".to_owned()),
            ..AppDefinition::of("serve")
        }
    }

    #[test]
    fn templates_are_filled_and_other_braces_stay() {
        let value = |name: &str| (name == "port").then(|| "80".to_owned());
        for (text, expected) in [
            ("--port={port}", "--port=80"),
            ("{port}{port}", "8080"),
            ("${port} {a b} {} {port", "${port} {a b} {} {port"),
            ("{{port}}", "{80}"),
            ("{other}", "{other}"),
        ] {
            assert_eq!(filled(text, value), expected);
        }
        assert_eq!(templates("{a}-{b}${c}"), ["a", "b"]);
    }

    #[test]
    fn an_app_that_cannot_start_is_refused() {
        assert_eq!(check_all(&[app()]), Ok(()));
        let changes: &[fn(&mut AppDefinition)] = &[
            |it| it.name = "../x".to_owned(),
            |it| it.name = "8080".to_owned(),
            |it| it.name = ".x".to_owned(),
            |it| it.command.clear(),
            |it| it.command.push("{nothing}".to_owned()),
            |it| it.command.push("x".repeat(2000)),
            |it| it.command = vec!["x".to_owned(); 100],
            |it| it.port = Some(0),
            |it| it.path = Some("start".to_owned()),
            |it| it.path = Some("//evil.example".to_owned()),
            |it| it.path = Some("/a b\r\nX: y".to_owned()),
            |it| it.arguments[0].name = "port".into(),
            |it| drop(it.variables.insert("A=B".to_owned(), String::new())),
            |it| drop(it.variables.insert("A".to_owned(), "\u{1b}[2J".to_owned())),
        ];
        for (at, change) in changes.iter().enumerate() {
            let mut bad = app();
            change(&mut bad);
            assert!(bad.check().is_err(), "change {at} was taken: {bad:?}");
        }
        assert!(check_all(&[app(), app()]).is_err());
        assert!(check_all(&vec![app(); 100]).is_err());
    }
}
