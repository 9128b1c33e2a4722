//! Reads keymap files: `inherits` and one table per scope.

use crate::{
    action::{Action, Scope},
    config::document::{Document, DocumentEntry, DocumentFault, Item, Value},
    key::{self, Key, KeyCode},
    model::nearest::nearest,
};

/// One effective binding of a keymap file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    pub scope: Scope,
    pub keys: Vec<Key>,
    pub actions: Vec<Action>,
    /// The file of the chain that contains the binding, and its position in the file.
    pub file: usize,
    pub at: usize,
}

/// All bindings of a chain of files. Later files override earlier ones key by key.
#[derive(Debug, Default)]
pub struct Bindings {
    pub list: Vec<Binding>,
}

impl Bindings {
    /// Adds the file with this number. Returns the faults.
    pub fn add(&mut self, file: usize, document: &Document) -> Vec<DocumentFault> {
        let mut faults = Vec::new();
        for table in document
            .entries()
            .iter()
            .filter(|entry| entry.key != "inherits")
        {
            let Some(scope) = Scope::ALL.iter().find(|scope| scope.name() == table.key) else {
                let known = Scope::ALL.iter().map(|scope| scope.name());
                faults.push(DocumentFault::unknown(table.at, "scope", &table.key, known));
                continue;
            };
            match table.item.table() {
                Ok(entries) => {
                    let outcomes = entries.iter().map(|entry| self.take(file, *scope, entry));
                    faults.extend(outcomes.filter_map(Result::err));
                }
                Err(fault) => faults.push(fault),
            }
        }
        faults
    }

    fn take(
        &mut self,
        file: usize,
        scope: Scope,
        entry: &DocumentEntry,
    ) -> Result<(), DocumentFault> {
        let keys = key::parse_sequence(&entry.key).map_err(|why| no_key(entry, why))?;
        keys.iter().try_for_each(|key| pressable(entry.at, *key))?;
        let same = |known: &Binding| known.scope == scope && known.keys == keys;
        if self
            .list
            .iter()
            .any(|known| same(known) && known.file == file)
        {
            let message = format!("'{}' is bound twice in [{}]", entry.key, scope.name());
            return Err(DocumentFault::new(entry.at, message));
        }
        let actions = actions(scope, &entry.item)?;
        self.list.retain(|known| !same(known));
        if !actions.is_empty() {
            self.list.push(Binding {
                scope,
                keys,
                actions,
                file,
                at: entry.at,
            });
        }
        Ok(())
    }

    /// Bindings whose keys are also the beginning of a longer binding, which could never be pressed. Each
    /// result is (file number, fault).
    pub fn clashes(&self) -> Vec<(usize, DocumentFault)> {
        let mut found = Vec::new();
        for long in &self.list {
            let short = self.list.iter().find(|short| {
                short.scope == long.scope
                    && short.keys.len() < long.keys.len()
                    && long.keys.starts_with(&short.keys)
            });
            if let Some(short) = short {
                found.push(clash(short, long));
            }
        }
        found
    }
}

/// Reports the fault at the later binding, because the user can change that one.
fn clash(short: &Binding, long: &Binding) -> (usize, DocumentFault) {
    let (later, earlier) = if (short.file, short.at) > (long.file, long.at) {
        (short, long)
    } else {
        (long, short)
    };
    let (begin, whole) = (text(&short.keys), text(&long.keys));
    let message = format!(
        "in [{}] '{begin}' is bound to {} and also begins '{whole}'",
        short.scope.name(),
        names(&short.actions),
    );
    let fault = DocumentFault::new(later.at, message);
    // The later binding is intended, so suggest to remove the earlier one.
    let other = text(&earlier.keys);
    let help = format!(
        "unbind the other one: \"{other}\" = \"none\" in [{}]",
        short.scope.name()
    );
    (later.file, fault.help(help))
}

/// Reports keys that can't be parsed, with the nearest key name.
fn no_key(entry: &DocumentEntry, why: String) -> DocumentFault {
    let fault = DocumentFault::new(entry.at, why);
    let names: Vec<&str> = key::names().collect();
    let words = entry.key.split_whitespace();
    let near = words
        .filter(|word| word.parse::<Key>().is_err())
        .find_map(|word| nearest(word.rsplit('-').next()?, &names));
    match near {
        Some(name) => fault.help(format!("did you mean '{name}'?")),
        None => fault,
    }
}

/// Refuses keys that no terminal reports under that name.
fn pressable(at: usize, key: Key) -> Result<(), DocumentFault> {
    let KeyCode::Char(c) = key.code else {
        return Ok(());
    };
    let twin = match c {
        'h' if key.ctrl => "backspace",
        'i' if key.ctrl => "tab",
        'm' if key.ctrl => "enter",
        '[' if key.ctrl => "esc",
        c if key.shift && c.is_lowercase() => {
            let upper: String = c.to_uppercase().collect();
            let fault = DocumentFault::new(at, format!("terminals never report '{key}'"));
            return Err(fault.help(format!("write '{upper}'")));
        }
        _ => return Ok(()),
    };
    Err(
        DocumentFault::new(at, format!("terminals send '{key}' as {twin}"))
            .help(format!("bind '{twin}'")),
    )
}

fn names(actions: &[Action]) -> String {
    let names: Vec<&str> = actions.iter().map(|action| action.name()).collect();
    names.join(", ")
}

/// Keys in the notation of keymap files: `g g`.
pub fn text(keys: &[Key]) -> String {
    let keys: Vec<String> = keys.iter().map(Key::to_string).collect();
    keys.join(" ")
}

/// An action, a list of actions, or no action for `"none"`.
fn actions(scope: Scope, item: &Item) -> Result<Vec<Action>, DocumentFault> {
    match &item.value {
        Value::Text(name) if name == "none" => Ok(Vec::new()),
        Value::Text(_) => Ok(vec![action(scope, item)?]),
        Value::List(items) if items.is_empty() => {
            Err(DocumentFault::new(item.at, "the list of actions is empty")
                .help("write \"none\" to unbind the key"))
        }
        Value::List(items) => items.iter().map(|item| action(scope, item)).collect(),
        _ => Err(item.mismatch("an action like \"list.down\" or a list of actions")),
    }
}

fn action(scope: Scope, item: &Item) -> Result<Action, DocumentFault> {
    let name = item.text()?;
    let Some(action) = Action::from_name(name) else {
        let here = Action::ALL
            .iter()
            .filter(|action| action.scopes().contains(&scope));
        let others = Action::ALL
            .iter()
            .filter(|action| !action.scopes().contains(&scope));
        let known: Vec<&str> = here.chain(others).map(|action| action.name()).collect();
        let fault = DocumentFault::unknown(item.at, "action", name, known);
        return Err(match fault.help {
            Some(_) => fault,
            None => fault.help("`workbay keys` lists all actions"),
        });
    };
    if action.scopes().contains(&scope) {
        return Ok(action);
    }
    let scopes: Vec<String> = action
        .scopes()
        .iter()
        .map(|scope| format!("[{}]", scope.name()))
        .collect();
    let message = format!("{name} does nothing in [{}]", scope.name());
    Err(DocumentFault::new(item.at, message).help(format!("it belongs to {}", scopes.join(", "))))
}
