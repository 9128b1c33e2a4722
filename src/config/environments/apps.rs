//! The apps of an environment: `[[environment.NAME.apps]]`.

use std::collections::BTreeMap;

use super::super::{
    document::{DocumentEntry, DocumentFault, Item},
    setting_values::word,
    table_rows::{self, KeyRow, row, set},
};
use crate::model::{
    app::{AppArgument, AppProtocol},
    app_definition::{
        self, AppDefinition, MOST_APPS, check_argument_name, check_name, check_text, templates,
    },
    spec::check_variable_name,
    text::Clean,
};

const PROTOCOLS: [AppProtocol; 2] = [AppProtocol::Http, AppProtocol::Tcp];

/// Reads the list of tables. Returns the first fault.
pub(super) fn read(item: &Item) -> Result<Vec<AppDefinition>, DocumentFault> {
    let tables = item
        .list()
        .map_err(|fault| fault.help(tr!("write each app as [[environment.NAME.apps]]")))?;
    if tables.len() > MOST_APPS {
        let text = tr!(
            "an environment has too many apps (max: {most})",
            most = MOST_APPS
        );
        return Err(DocumentFault::new(item.at, text));
    }
    let mut apps = Vec::new();
    for table in tables {
        let app = app(table)?;
        apps.push(app);
        app_definition::check_all(&apps).map_err(|why| DocumentFault::new(table.at, why))?;
    }
    Ok(apps)
}

fn app(item: &Item) -> Result<AppDefinition, DocumentFault> {
    let entries = item.table()?;
    let mut app = AppDefinition::of("");
    read_table(&mut app, APP, tr!("setting of an app"), entries)?;
    let what = if app.name.is_empty() {
        Some("name")
    } else if app.command.is_empty() {
        Some("command")
    } else {
        None
    };
    if let Some(missing) = what {
        let fault = DocumentFault::new(item.at, tr!("the app has no {missing}", missing));
        return Err(fault.help(tr!(
            "write name = \"NAME\" and command = [\"PROGRAM\", \"--port={port}\"]",
            port = "{port}"
        )));
    }
    check_templates(&app, entries)?;
    Ok(app)
}

/// A template with an unknown name is reported at its word.
fn check_templates(app: &AppDefinition, entries: &[DocumentEntry]) -> Result<(), DocumentFault> {
    let known = app.template_names();
    let check = |item: &Item| {
        let text = item.text().unwrap_or_default();
        let unknown = templates(text)
            .into_iter()
            .find(|name| !known.contains(name));
        unknown.map_or(Ok(()), |name| {
            Err(DocumentFault::unknown(
                item.at,
                tr!("template"),
                name,
                known.iter().copied(),
            ))
        })
    };
    for entry in entries {
        match entry.key.as_str() {
            "command" => entry.item.list()?.iter().try_for_each(check)?,
            "variables" => {
                let variables = entry.item.table()?.iter();
                variables.map(|entry| &entry.item).try_for_each(check)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn read_table<T>(
    place: &mut T,
    rows: &[KeyRow<T>],
    what: &str,
    entries: &[DocumentEntry],
) -> Result<(), DocumentFault> {
    let mut faults = Vec::new();
    table_rows::read_into(place, rows, what, entries, &mut faults);
    faults.into_iter().next().map_or(Ok(()), Err)
}

/// Nothing writes the catalog, so `show` returns `None`.
macro_rules! key {
    ($name:literal, $field:ident, $read:expr) => {
        row!(
            $name,
            |place, item| set(&mut place.$field, $read(item)),
            |_| None
        )
    };
}

const APP: &[KeyRow<AppDefinition>] = &[
    key!("name", name, name),
    key!("title", title, |item| clean(item).map(Some)),
    key!("command", command, command),
    key!("port", port, port),
    key!("path", path, path),
    key!("protocol", protocol, protocol),
    key!("arguments", arguments, arguments),
    key!("variables", variables, variables),
];

const ARGUMENT: &[KeyRow<AppArgument>] = &[
    key!("name", name, argument_name),
    key!("title", title, clean),
    key!("default", default, clean),
];

fn checked(
    item: &Item,
    check: impl Fn(&str) -> Result<(), String>,
) -> Result<String, DocumentFault> {
    let text = item.text()?;
    check(text).map_err(|why| DocumentFault::new(item.at, why))?;
    Ok(text.to_owned())
}

fn name(item: &Item) -> Result<String, DocumentFault> {
    checked(item, check_name)
}

fn clean(item: &Item) -> Result<Clean, DocumentFault> {
    checked(item, check_text).map(|text| Clean::new(&text))
}

fn argument_name(item: &Item) -> Result<Clean, DocumentFault> {
    checked(item, check_argument_name).map(|text| Clean::new(&text))
}

fn command(item: &Item) -> Result<Vec<String>, DocumentFault> {
    let words = item.list().map_err(|fault| {
        fault.help(tr!(
            "write each word of the command as a string: [\"serve\", \"--port={port}\"]",
            port = "{port}"
        ))
    })?;
    words.iter().map(|word| checked(word, check_text)).collect()
}

fn port(item: &Item) -> Result<Option<u16>, DocumentFault> {
    let number = item.integer()?;
    match u16::try_from(number) {
        Ok(port) if port > 0 => Ok(Some(port)),
        _ => {
            let fault = DocumentFault::new(item.at, tr!("invalid port {number}", number));
            Err(fault.help(tr!(
                "use 1 to 65535, or omit it to get a free one for {port}",
                port = "{port}"
            )))
        }
    }
}

fn path(item: &Item) -> Result<Option<String>, DocumentFault> {
    let path = word(item)?;
    if path.starts_with('/') {
        return Ok(Some(path));
    }
    let fault = DocumentFault::new(
        item.at,
        tr!("invalid path '{path}'", path = Clean::new(&path)),
    );
    Err(fault.help(tr!("it must begin with '/'")))
}

fn protocol(item: &Item) -> Result<AppProtocol, DocumentFault> {
    let name = word(item)?;
    let known = PROTOCOLS.iter().find(|protocol| protocol.word() == name);
    known.copied().ok_or_else(|| {
        DocumentFault::unknown(
            item.at,
            tr!("protocol"),
            &name,
            PROTOCOLS.map(AppProtocol::word),
        )
    })
}

fn arguments(item: &Item) -> Result<Vec<AppArgument>, DocumentFault> {
    let one = |item: &Item| {
        let mut argument = AppArgument {
            name: Clean::default(),
            title: Clean::default(),
            default: Clean::default(),
        };
        read_table(
            &mut argument,
            ARGUMENT,
            tr!("setting of an argument"),
            item.table()?,
        )?;
        if argument.name.is_empty() {
            return Err(DocumentFault::new(item.at, tr!("the argument has no name")));
        }
        if argument.title.is_empty() {
            argument.title = argument.name.clone();
        }
        Ok(argument)
    };
    item.list()?.iter().map(one).collect()
}

fn variables(item: &Item) -> Result<BTreeMap<String, String>, DocumentFault> {
    let one = |entry: &DocumentEntry| {
        check_variable_name(&entry.key).map_err(|why| DocumentFault::new(entry.at, why))?;
        Ok((entry.key.clone(), checked(&entry.item, check_text)?))
    };
    item.table()?.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::{document::Document, environments::file::Drafts};

    fn read(text: &str) -> Result<Vec<AppDefinition>, String> {
        let document = Document::parse(Path::new("e.toml"), text).unwrap();
        let drafts = Drafts::default().with(&document);
        let shown = |problems: Vec<crate::config::Problem>| {
            let problem = problems.into_iter().next().unwrap();
            let help = problem.help.map(|help| format!(" ({help})"));
            format!(
                "{}:{}: {}{}",
                problem.line,
                problem.column,
                problem.message,
                help.unwrap_or_default()
            )
        };
        Ok(drafts.map_err(shown)?.finished().remove(0).apps)
    }

    #[test]
    fn an_app_of_the_host_environment_is_read() {
        let apps = read(
            "[[environment.host.apps]]\n\
             name = \"docs\"\n\
             title = \"Documentation\"\n\
             command = [\"serve\", \"--port={port}\", \"{dir}\"]\n\
             port = 8000\n\
             path = \"/index.html\"\n\
             protocol = \"http\"\n\
             arguments = [{ name = \"dir\", title = \"Directory\", default = \"/home/work\" }]\n\
             variables = { ROOT = \"{dir}\" }\n\
             [[environment.host.apps]]\n\
             name = \"db\"\n\
             command = [\"db\"]\n\
             protocol = \"tcp\"\n",
        )
        .unwrap();
        assert_eq!(apps.len(), 2);
        let first = &apps[0];
        assert_eq!((first.name.as_str(), first.port), ("docs", Some(8000)));
        assert_eq!(first.arguments[0].default, "/home/work");
        assert_eq!(first.variables["ROOT"], "{dir}");
        assert_eq!(apps[1].protocol, AppProtocol::Tcp);
    }

    #[test]
    fn faults_have_their_position_and_a_fix() {
        let app = "[[environment.host.apps]]\n";
        for (lines, expected) in [
            (
                "nmae = \"a\"\n",
                "2:1: unknown setting of an app 'nmae' (did you mean 'name'?)",
            ),
            ("name = \"a\"\n", "1:1: the app has no command"),
            (
                "name = \"a\"\ncommand = [\"x\", \"{prot}\"]\n",
                "3:17: unknown template 'prot' (did you mean 'port'?)",
            ),
            (
                "name = \"a\"\ncommand = [\"x\"]\nprotocol = \"htp\"\n",
                "4:12: unknown protocol 'htp' (did you mean 'http'?)",
            ),
            (
                "name = \"a\"\ncommand = \"x --y\"\n",
                "3:11: expected a list, found a string (write each word",
            ),
            (
                "name = \"a\"\ncommand = [\"x\"]\nport = 70000\n",
                "4:8: invalid port 70000 (use 1 to 65535",
            ),
            (
                "name = \"a\"\ncommand = [\"x\"]\narguments = [{ nme = \"b\" }]\n",
                "4:16: unknown setting of an argument 'nme' (did you mean 'name'?)",
            ),
            (
                "name = \"../a\"\n",
                "2:8: invalid app name '../a'. Use letters",
            ),
        ] {
            let problem = read(&format!("{app}{lines}")).unwrap_err();
            assert!(problem.starts_with(expected), "{problem}");
        }
        let twice = "name = \"a\"\ncommand = [\"x\"]\n";
        let problem = read(&format!("{app}{twice}{app}{twice}")).unwrap_err();
        assert!(
            problem.starts_with("4:1: two apps have the name 'a'"),
            "{problem}"
        );
        let problem = read("[environment.host]\nimage = \"x\"\n").unwrap_err();
        assert!(
            problem.contains("environment 'host' has no image"),
            "{problem}"
        );
    }
}
