//! The command lines of your own commands: placeholders such as `{name}`, and the program that runs them.
//!
//! A value never becomes part of the text that a shell reads. Each placeholder becomes a positional parameter in
//! quotation marks, and the values are the arguments of the shell. So whatever a session is called, it is one word.

use crate::model::{forward::Forward, session::Session};

/// All placeholders, each with its meaning.
const PLACEHOLDERS: [(&str, &str); 10] = [
    (
        "session",
        "the session's id, as workbay's commands accept it",
    ),
    ("id", "the same"),
    ("name", "the session's name"),
    (
        "container",
        "the engine's id of the session's main container",
    ),
    (
        "image",
        "the image's reference, or the name of the environment",
    ),
    ("context", "the session's context"),
    ("owner", "the session's owner"),
    ("user", "your login name on this machine"),
    ("home", "the session's home directory on this machine"),
    (
        "ports",
        "the ports of this machine that lead to the session, each a word of its own",
    ),
];

/// A mistake in a template, at a byte offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateFault {
    pub at: usize,
    pub message: String,
    pub help: String,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Placeholder(&'static str),
}

/// A template that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Part>);

/// The values of the placeholders.
#[derive(Clone, Copy, Debug)]
pub struct TemplateValues<'a> {
    pub session: Option<&'a Session>,
    pub forwards: &'a [Forward],
    pub user: &'a str,
}

impl Template {
    /// Reads a template. `{{` and `}}` are braces, and so are braces after `$`, as in `${HOME}`.
    pub fn read(text: &str) -> Result<Self, TemplateFault> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut quotes = Quotes::default();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let at = text.len() - rest.len();
            if rest.starts_with("{{") || rest.starts_with("}}") {
                plain.push(c);
                rest = &rest[2..];
                continue;
            }
            if c == '{' && !plain.ends_with('$') {
                let (name, after) = placeholder(at, rest)?;
                if let Some(mark) = quotes.open().or(quotes.escaped.then_some('\\')) {
                    return Err(in_quotes(at, name, mark));
                }
                parts.push(Part::Text(std::mem::take(&mut plain)));
                parts.push(Part::Placeholder(name));
                rest = after;
                continue;
            }
            quotes.take(c);
            plain.push(c);
            rest = &rest[c.len_utf8()..];
        }
        parts.push(Part::Text(plain));
        parts.retain(|part| *part != Part::Text(String::new()));
        Ok(Self(parts))
    }

    /// Whether it needs a session.
    pub fn needs_session(&self) -> bool {
        let mut parts = self.0.iter();
        parts.any(|part| matches!(part, Part::Placeholder(name) if *name != "user"))
    }

    /// The program and its arguments. The error is a sentence about a value that the session doesn't have.
    pub fn fill(&self, values: TemplateValues<'_>) -> Result<Vec<String>, String> {
        let mut script = String::new();
        let mut arguments: Vec<String> = Vec::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => script.push_str(text),
                Part::Placeholder(name) => {
                    let words = values.words(name)?;
                    let first = arguments.len() + 1;
                    arguments.extend(words);
                    let numbers = first..=arguments.len();
                    let words: Vec<String> = numbers.map(|it| format!("\"${{{it}}}\"")).collect();
                    script.push_str(&words.join(" "));
                }
            }
        }
        let shell = ["sh", "-c", &script, "workbay"].map(str::to_owned);
        Ok(shell.into_iter().chain(arguments).collect())
    }

    /// The command line as a user reads it, with quoted values.
    pub fn shown(&self, values: TemplateValues<'_>) -> String {
        let shown = self.0.iter().map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::Placeholder(name) => match values.words(name) {
                Ok(words) => words
                    .iter()
                    .map(|word| super::launch::command::quote(word))
                    .collect::<Vec<_>>()
                    .join(" "),
                Err(_) => format!("{{{name}}}"),
            },
        });
        shown.collect()
    }
}

impl TemplateValues<'_> {
    fn words(&self, name: &str) -> Result<Vec<String>, String> {
        if name == "user" {
            return Ok(vec![self.user.to_owned()]);
        }
        let session = self
            .session
            .ok_or(tr!("no session is selected").to_owned())?;
        let lacking = |what| tr!("{name} has no {what}", name = session.name, what);
        let word = match name {
            "session" | "id" => session.id.to_string(),
            "name" => session.name.to_string(),
            "container" => {
                let main = session.main_kernel();
                let id = main.and_then(|kernel| kernel.container_id.as_ref());
                id.ok_or_else(|| lacking(tr!("container")))?.to_string()
            }
            "image" => session.environment.label(),
            "context" => session.context.to_string(),
            "owner" => session.owner.to_string(),
            "home" => {
                let home = session.home.clone();
                home.ok_or_else(|| lacking(tr!("home directory on this machine")))?
            }
            _ => {
                let forwards = self.forwards.iter();
                let own = forwards.filter(|it| it.session == session.key());
                return Ok(own.map(|it| it.port.to_string()).collect());
            }
        };
        Ok(vec![word])
    }
}

/// The name of the placeholder at the start of `rest`, and what follows it.
fn placeholder(at: usize, rest: &str) -> Result<(&'static str, &str), TemplateFault> {
    let fault = |message: String, help: String| TemplateFault { at, message, help };
    let end = rest.find('}').ok_or_else(|| {
        let help = tr!(
            "write {placeholder}, or {brace} for a brace",
            placeholder = "{name}",
            brace = "{{"
        );
        fault(
            tr!("'{open}' without '{close}'", open = "{", close = "}"),
            help,
        )
    })?;
    let word = &rest[1..end];
    let names = PLACEHOLDERS.map(|(name, _)| name);
    match names.iter().find(|name| **name == word) {
        Some(name) => Ok((name, &rest[end + 1..])),
        None => {
            let help = match crate::model::nearest::nearest(word, &names) {
                Some(near) => tr!("did you mean '{{{near}}}'?", near),
                None => tr!(
                    "use one of {names}, or {{{{ for a brace",
                    names = names.join(", ")
                ),
            };
            Err(fault(tr!("unknown placeholder '{{{word}}}'", word), help))
        }
    }
}

/// A quoted placeholder would be text for another shell (`sh -c '… {name}'`), which would run what a name contains.
fn in_quotes(at: usize, name: &str, mark: char) -> TemplateFault {
    TemplateFault {
        at,
        message: tr!(
            "the placeholder {{{name}}} is quoted with {mark}",
            name,
            mark
        ),
        help: tr!("write it without quotation: its value is always one word").to_owned(),
    }
}

/// The quotation of a shell, as far as it was read.
#[derive(Default)]
struct Quotes {
    mark: Option<char>,
    escaped: bool,
}

impl Quotes {
    fn open(&self) -> Option<char> {
        self.mark
    }

    fn take(&mut self, c: char) {
        if std::mem::take(&mut self.escaped) {
            return;
        }
        match (self.mark, c) {
            (None | Some('"' | '`'), '\\') => self.escaped = true,
            (None, '\'' | '"' | '`') => self.mark = Some(c),
            (Some(mark), c) if mark == c => self.mark = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::model::{testing::session, text::Clean};

    fn fault(text: &str) -> TemplateFault {
        Template::read(text).unwrap_err()
    }

    /// What the command prints.
    fn printed(template: &str, name: &str) -> String {
        let mut session = session(1, "x");
        session.name = Clean::new(name);
        let values = TemplateValues {
            session: Some(&session),
            forwards: &[],
            user: "kim",
        };
        let argv = Template::read(template).unwrap().fill(values).unwrap();
        let output = Command::new(&argv[0]).args(&argv[1..]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn no_value_is_ever_read_as_a_part_of_the_command() {
        for name in [
            "a; echo harm",
            "$(echo harm)",
            "`echo harm`",
            "a\" ; echo harm; \"",
            "a' ; echo harm; '",
            "a\\",
            "* ? [a-z]",
            "a & b | c > d",
            "${HOME} $1",
            "-n",
            "",
        ] {
            assert_eq!(printed("printf '<%s>' {name}", name), format!("<{name}>"));
            assert_eq!(
                printed("printf '<%s>' /a/{name}.log {user}", name),
                format!("</a/{name}.log><kim>")
            );
            assert_eq!(
                printed("x=$(printf '<%s>' {name}); printf '%s' \"$x\"", name),
                format!("<{name}>")
            );
        }
    }

    #[test]
    fn a_placeholder_between_quotation_marks_is_refused() {
        for text in [
            "echo \"{name}\"",
            "sh -c 'echo {name}'",
            "echo `id {name}`",
            "echo \\{name}",
        ] {
            let found = fault(text);
            assert!(found.message.contains("{name}"), "{found:?}");
            assert_eq!(&text[found.at..=found.at], "{");
        }
        for text in [
            "echo \"a\"{name}'b'",
            "echo it\\'s {name}",
            "echo \"\\\"\" {name}",
        ] {
            assert!(Template::read(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn unknown_placeholders_are_named_with_the_nearest_one() {
        let unknown = fault("echo {nmae}");
        assert_eq!(
            (unknown.at, unknown.message.as_str()),
            (5, "unknown placeholder '{nmae}'")
        );
        assert_eq!(unknown.help, "did you mean '{name}'?");
        assert!(fault("echo {zzzzzz}").help.contains("session, id, name"));
        assert!(fault("echo {name").message.contains("without"));
        assert_eq!(printed("printf '%s' {{a}} ${{HOME:+x}}", "n"), "{a}x");
        assert_eq!(printed("printf '%s' ${HOME:+x}", "n"), "x");
    }

    #[test]
    fn a_lacking_value_is_named() {
        let mut session = session(1, "train");
        session.home = None;
        let values = TemplateValues {
            session: Some(&session),
            forwards: &[],
            user: "kim",
        };
        let template = Template::read("ls {home}").unwrap();
        assert!(template.needs_session());
        let why = template.fill(values).unwrap_err();
        assert_eq!(why, "train has no home directory on this machine");
        assert_eq!(template.shown(values), "ls {home}");
        let ports = Template::read("nmap {ports} end").unwrap();
        let argv = ports.fill(values).unwrap();
        assert_eq!(argv[2], "nmap  end");
        assert!(!Template::read("date {user}").unwrap().needs_session());
        let none = TemplateValues {
            session: None,
            ..values
        };
        assert_eq!(template.fill(none).unwrap_err(), "no session is selected");
    }
}
