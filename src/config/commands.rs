//! Reads your own commands: each `[[command]]` of your configuration file.

use jiff::{Timestamp, tz::TimeZone};

use super::{
    document::{Document, DocumentEntry, DocumentFault, Item, Value},
    setting_values::word,
};
use crate::{
    model::custom_command::{CommandPlace, CommandScope, CommandTarget, Confirm, CustomCommand},
    rules::{command_template::Template, filter::Filter},
};

/// The table's name.
pub(super) const TABLE: &str = "command";

/// The keys of a command.
const KEYS: [&str; 8] = [
    "name", "key", "scopes", "command", "confirm", "target", "changes", "show",
];

/// All valid commands of a file, and the faults of the others.
pub(super) fn read(document: &Document, item: &Item) -> (Vec<CustomCommand>, Vec<DocumentFault>) {
    let Value::List(items) = &item.value else {
        let fault = DocumentFault::new(
            item.at,
            tr!("[{table}] must be a list of tables", table = TABLE),
        );
        return (
            Vec::new(),
            vec![fault.help(tr!("write [[{table}]]", table = TABLE))],
        );
    };
    let (mut commands, mut faults) = (Vec::<CustomCommand>::new(), Vec::new());
    for item in items {
        match command(document, item, &mut faults) {
            Some((command, at)) if commands.iter().any(|it| it.name == command.name) => {
                let message = tr!("two commands are called '{name}'", name = command.name);
                faults.push(DocumentFault::new(at, message).help(tr!("rename one of them")));
            }
            Some((command, _)) => commands.push(command),
            None => {}
        }
    }
    (commands, faults)
}

/// One command, and the position of its name. `None` = it has a fault.
fn command(
    document: &Document,
    item: &Item,
    faults: &mut Vec<DocumentFault>,
) -> Option<(CustomCommand, usize)> {
    let entries = match item.table() {
        Ok(entries) => entries,
        Err(fault) => {
            faults.push(fault);
            return None;
        }
    };
    let before = faults.len();
    let (mut name, mut template) = (None, None);
    let mut command = CustomCommand {
        name: String::new(),
        key: None,
        scopes: vec![CommandScope::List, CommandScope::Detail],
        template: String::new(),
        confirm: Confirm::No,
        target: CommandTarget::Pane,
        changes: true,
        show: String::new(),
        place: place(document, item.at),
    };
    for entry in entries {
        let read = match entry.key.as_str() {
            "name" => word(&entry.item).map(|text| name = Some((text, entry.item.at))),
            "command" => template_of(&entry.item).map(|text| template = Some(text)),
            "key" => word(&entry.item).map(|key| {
                command.key = Some(key);
                command.place = place(document, entry.item.at);
            }),
            "scopes" => scopes(&entry.item).map(|scopes| command.scopes = scopes),
            "confirm" => confirm(&entry.item).map(|confirm| command.confirm = confirm),
            "target" => target(&entry.item).map(|target| command.target = target),
            "changes" => entry.item.boolean().map(|on| command.changes = on),
            "show" => show(&entry.item).map(|show| command.show = show),
            _ => Err(unknown(entry)),
        };
        faults.extend(read.err());
    }
    for (is_there, key, example) in [
        (has(entries, "name"), "name", "name = \"disk usage\""),
        (
            has(entries, "command"),
            "command",
            "command = \"du -sh {home}\"",
        ),
    ] {
        if !is_there {
            let fault = DocumentFault::new(item.at, tr!("the command has no '{key}'", key));
            faults.push(fault.help(tr!("write {example}", example)));
        }
    }
    if faults.len() > before {
        return None;
    }
    let (name, at) = name?;
    command.name = name;
    command.template = template?;
    Some((command, at))
}

fn has(entries: &[DocumentEntry], key: &str) -> bool {
    entries.iter().any(|entry| entry.key == key)
}

fn place(document: &Document, at: usize) -> CommandPlace {
    let (line, column) = document.position(at);
    CommandPlace {
        file: document.file().to_path_buf(),
        line,
        column,
    }
}

fn unknown(entry: &DocumentEntry) -> DocumentFault {
    let what = tr!("setting in [[{table}]]", table = TABLE);
    DocumentFault::unknown(entry.at, &what, &entry.key, KEYS)
}

fn template_of(item: &Item) -> Result<String, DocumentFault> {
    let text = word(item)?;
    if text.contains('\0') {
        return Err(DocumentFault::new(
            item.at,
            tr!("a command must not contain a NUL byte"),
        ));
    }
    match Template::read(&text) {
        Ok(_) => Ok(text),
        Err(fault) => Err(DocumentFault::new(item.at, fault.message).help(fault.help)),
    }
}

fn scopes(item: &Item) -> Result<Vec<CommandScope>, DocumentFault> {
    let mut scopes = Vec::new();
    for item in item.list()? {
        let word = item.text()?;
        let known = CommandScope::ALL.map(CommandScope::word);
        let found = CommandScope::ALL.into_iter().find(|it| it.word() == word);
        let scope = found.ok_or_else(|| DocumentFault::unknown(item.at, "scope", word, known))?;
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    if scopes.is_empty() {
        let fault = DocumentFault::new(item.at, tr!("the list of scopes is empty"));
        return Err(fault.help(tr!(
            "write [\"list\", \"detail\", \"terminal\"], or some of them"
        )));
    }
    Ok(scopes)
}

fn target(item: &Item) -> Result<CommandTarget, DocumentFault> {
    let word = item.text()?;
    let known = CommandTarget::ALL.map(CommandTarget::word);
    let found = CommandTarget::ALL.into_iter().find(|it| it.word() == word);
    found.ok_or_else(|| DocumentFault::unknown(item.at, "target", word, known))
}

fn confirm(item: &Item) -> Result<Confirm, DocumentFault> {
    match &item.value {
        Value::Bool(true) => Ok(Confirm::Yes),
        Value::Bool(false) => Ok(Confirm::No),
        Value::Text(text) if !text.trim().is_empty() => Ok(Confirm::Text(text.trim().to_owned())),
        _ => Err(item.mismatch(tr!("true, false or a question"))),
    }
}

/// A filter as in the list. Ages in it count from the time of use, so no clock is needed here.
fn show(item: &Item) -> Result<String, DocumentFault> {
    let text = item.text()?.trim().to_owned();
    match Filter::read(&text, Timestamp::UNIX_EPOCH, &TimeZone::UTC) {
        Ok(_) => Ok(text),
        Err(error) => Err(DocumentFault::new(item.at, error.message)),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn read_text(text: &str) -> (Vec<CustomCommand>, Vec<String>) {
        let document = Document::parse(Path::new("config.toml"), text).unwrap();
        let (commands, faults) = read(&document, document.get(TABLE).unwrap());
        let problems = faults
            .into_iter()
            .map(|it| document.problem(it).to_string());
        (commands, problems.collect())
    }

    #[test]
    fn a_command_has_defaults_and_all_its_fields() {
        let (commands, problems) = read_text(
            "[[command]]\nname = \"disk\"\ncommand = \"du -sh {home}\"\n\n[[command]]\nname = \
             \"stop\"\nkey = \"ctrl-k\"\nscopes = [\"terminal\"]\ncommand = \"kill 1\"\nconfirm = \
             \"Really?\"\ntarget = \"session\"\nchanges = false\nshow = \"status:running\"\n",
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!(
            commands[0].scopes,
            [CommandScope::List, CommandScope::Detail]
        );
        assert_eq!(
            (commands[0].target, commands[0].changes),
            (CommandTarget::Pane, true)
        );
        assert_eq!(
            (commands[0].key.as_deref(), &commands[0].confirm),
            (None, &Confirm::No)
        );
        assert_eq!(commands[1].key.as_deref(), Some("ctrl-k"));
        assert_eq!(commands[1].place.line, 7);
        assert_eq!(commands[1].confirm, Confirm::Text("Really?".to_owned()));
        assert_eq!(
            (commands[1].target, commands[1].changes),
            (CommandTarget::Session, false)
        );
    }

    #[test]
    fn each_mistake_is_named_with_its_line_and_the_other_commands_stay() {
        let (commands, problems) = read_text(
            "[[command]]\nname = \"good\"\ncommand = \"true\"\n[[command]]\nname = \"bad\"\nkye = \
             \"x\"\ncommand = \"echo {nmae}\"\ntarget = \"here\"\nconfirm = 3\nshow = \
             \"status:\"\nscopes = [\"lst\"]\n[[command]]\n[[command]]\nname = \
             \"good\"\ncommand = \"sh -c '{name}'\"\n",
        );
        let names: Vec<&str> = commands.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["good"]);
        let has = |text: &str| {
            assert!(
                problems.iter().any(|it| it.contains(text)),
                "{text}: {problems:#?}"
            );
        };
        has("config.toml:6:1: unknown setting in [[command]] 'kye'");
        has("config.toml:7:11: unknown placeholder '{nmae}' (did you mean '{name}'?)");
        has("config.toml:8:10: unknown target 'here'");
        has("config.toml:9:11: expected true, false or a question");
        has("config.toml:11:11: unknown scope 'lst' (did you mean 'list'?)");
        has("the command has no 'name'");
        has("the command has no 'command'");
        has("the placeholder {name} is quoted with '");
        let (_, twice) = read_text(
            "[[command]]\nname = \"a\"\ncommand = \"b\"\n[[command]]\nname = \"a\"\ncommand = \
             \"b\"\n",
        );
        assert!(
            twice[0].contains("config.toml:5:8: two commands are called 'a'"),
            "{twice:?}"
        );
        let (_, single) = read_text("[command]\nname = \"a\"\n");
        assert!(single[0].contains("write [[command]]"), "{single:?}");
    }
}
