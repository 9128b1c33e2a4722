//! Reads keymap files: `inherits` and one table per scope.

use indexmap::{IndexMap, map::Entry};

use crate::{
    action::{Action, Scope},
    config::document::{Document, DocumentEntry, DocumentFault, Item, Value},
    key::{self, Key, KeyCode},
    model::nearest::nearest,
};

/// What is wrong with a binding, for `workbay keys check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A value of the wrong kind.
    Invalid,
    UnknownScope,
    UnknownAction,
    /// The action belongs to other scopes.
    WrongScope,
    UnknownKey,
    /// The same key is bound twice in one table.
    Double,
    /// A shorter binding hides a longer one.
    Shadowed,
}

impl FaultKind {
    /// `unknown-action`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::UnknownScope => "unknown-scope",
            Self::UnknownAction => "unknown-action",
            Self::WrongScope => "wrong-scope",
            Self::UnknownKey => "unknown-key",
            Self::Double => "double",
            Self::Shadowed => "shadowed",
        }
    }
}

/// A fault of a keymap file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFault {
    pub kind: FaultKind,
    pub fault: DocumentFault,
    /// The other binding: number of its file, and position in it.
    pub other: Option<(usize, usize)>,
}

impl KeyFault {
    pub fn new(kind: FaultKind, fault: DocumentFault) -> Self {
        Self {
            kind,
            fault,
            other: None,
        }
    }

    #[must_use]
    pub fn with(mut self, other: &Binding) -> Self {
        self.other = Some((other.file, other.at));
        self
    }
}

impl From<DocumentFault> for KeyFault {
    fn from(fault: DocumentFault) -> Self {
        Self::new(FaultKind::Invalid, fault)
    }
}

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

/// All bindings of a chain of files, in the order of their definition. Later files override earlier ones key by key.
#[derive(Debug, Default)]
pub struct Bindings(IndexMap<(Scope, Vec<Key>), Binding>);

impl Bindings {
    pub fn iter(&self) -> impl Iterator<Item = &Binding> {
        self.0.values()
    }

    /// Adds the file with this number. Returns the faults.
    pub fn add(&mut self, file: usize, document: &Document) -> Vec<KeyFault> {
        let mut faults = Vec::new();
        for table in document
            .entries()
            .iter()
            .filter(|entry| entry.key != "inherits")
        {
            let Some(scope) = Scope::ALL.iter().find(|scope| scope.name() == table.key) else {
                let known = Scope::ALL.iter().map(|scope| scope.name());
                let fault = DocumentFault::unknown(table.at, "scope", &table.key, known);
                faults.push(KeyFault::new(FaultKind::UnknownScope, fault));
                continue;
            };
            match table.item.table() {
                Ok(entries) => {
                    let outcomes = entries.iter().map(|entry| self.take(file, *scope, entry));
                    faults.extend(outcomes.filter_map(Result::err));
                }
                Err(fault) => faults.push(fault.into()),
            }
        }
        faults
    }

    fn take(&mut self, file: usize, scope: Scope, entry: &DocumentEntry) -> Result<(), KeyFault> {
        let unknown = |fault| KeyFault::new(FaultKind::UnknownKey, fault);
        let keys = key::parse_sequence(&entry.key).map_err(|why| unknown(no_key(entry, why)))?;
        keys.iter()
            .try_for_each(|key| pressable(entry.at, *key))
            .map_err(unknown)?;
        let known = self.0.entry((scope, keys.clone()));
        if let Entry::Occupied(known) = &known
            && known.get().file == file
        {
            let twin = known.get();
            let message = tr!(
                "'{key}' is bound twice in [{name}]",
                key = entry.key,
                name = scope.name()
            );
            let fault = DocumentFault::new(entry.at, message);
            return Err(KeyFault::new(FaultKind::Double, fault).with(twin));
        }
        let actions = actions(scope, &entry.item)?;
        if let Entry::Occupied(overridden) = known {
            overridden.shift_remove();
        }
        if !actions.is_empty() {
            let binding = Binding {
                scope,
                keys: keys.clone(),
                actions,
                file,
                at: entry.at,
            };
            self.0.insert((scope, keys), binding);
        }
        Ok(())
    }

    /// Bindings whose keys are also the beginning of a longer binding, which could never be pressed. Each
    /// result is (file number, fault).
    fn clashes(&self) -> Vec<(usize, KeyFault)> {
        let mut found = Vec::new();
        for long in self.iter() {
            let beginnings = (1..long.keys.len()).map(|length| &long.keys[..length]);
            let shorter =
                beginnings.filter_map(|keys| self.0.get_index_of(&(long.scope, keys.to_vec())));
            if let Some(short) = shorter.min().and_then(|first| self.0.get_index(first)) {
                found.push(clash(short.1, long));
            }
        }
        found
    }
}

/// Reports the fault at the later binding, because the user can change that one.
fn clash(short: &Binding, long: &Binding) -> (usize, KeyFault) {
    let (later, earlier) = if (short.file, short.at) > (long.file, long.at) {
        (short, long)
    } else {
        (long, short)
    };
    let (begin, whole) = (text(&short.keys), text(&long.keys));
    let message = tr!(
        "in [{name}] '{begin}' is bound to {actions} and also begins '{whole}'",
        name = short.scope.name(),
        begin,
        actions = Action::names(&short.actions),
        whole
    );
    let fault = DocumentFault::new(later.at, message);
    // The later binding is intended, so suggest to remove the earlier one.
    let other = text(&earlier.keys);
    let help = tr!(
        "unbind the other one: \"{other}\" = \"none\" in [{name}]",
        other,
        name = short.scope.name()
    );
    let fault = KeyFault::new(FaultKind::Shadowed, fault.help(help));
    (later.file, fault.with(earlier))
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
        Some(name) => fault.help(tr!("did you mean '{name}'?", name)),
        None => fault,
    }
}

/// Refuses keys that no terminal reports under that name.
pub(super) fn pressable(at: usize, key: Key) -> Result<(), DocumentFault> {
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
            let fault = DocumentFault::new(at, tr!("terminals never report '{key}'", key));
            return Err(fault.help(tr!("write '{upper}'", upper)));
        }
        _ => return Ok(()),
    };
    Err(
        DocumentFault::new(at, tr!("terminals send '{key}' as {twin}", key, twin))
            .help(tr!("bind '{twin}'", twin)),
    )
}

/// Keys in the notation of keymap files: `g g`.
pub fn text(keys: &[Key]) -> String {
    let keys: Vec<String> = keys.iter().map(Key::to_string).collect();
    keys.join(" ")
}

/// An action, a list of actions, or no action for `"none"`.
fn actions(scope: Scope, item: &Item) -> Result<Vec<Action>, KeyFault> {
    match &item.value {
        Value::Text(name) if name == "none" => Ok(Vec::new()),
        Value::Text(_) => Ok(vec![action(scope, item)?]),
        Value::List(items) if items.is_empty() => Err(DocumentFault::new(
            item.at,
            tr!("the list of actions is empty"),
        )
        .help(tr!("write \"none\" to unbind the key"))
        .into()),
        Value::List(items) => items.iter().map(|item| action(scope, item)).collect(),
        _ => Err(item
            .mismatch(tr!("an action like \"list.down\" or a list of actions"))
            .into()),
    }
}

fn action(scope: Scope, item: &Item) -> Result<Action, KeyFault> {
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
        let fault = match fault.help {
            Some(_) => fault,
            None => fault.help(tr!("`workbay keys` lists all actions")),
        };
        return Err(KeyFault::new(FaultKind::UnknownAction, fault));
    };
    if action.scopes().contains(&scope) {
        return Ok(action);
    }
    let scopes: Vec<String> = action
        .scopes()
        .iter()
        .map(|scope| format!("[{}]", scope.name()))
        .collect();
    let message = tr!(
        "{name} does nothing in [{name2}]",
        name,
        name2 = scope.name()
    );
    let fault = DocumentFault::new(item.at, message)
        .help(tr!("it belongs to {scopes}", scopes = scopes.join(", ")));
    Err(KeyFault::new(FaultKind::WrongScope, fault))
}

/// All bindings of a chain of files, and every fault with the number of its file.
pub fn of_chain(chain: &[Document]) -> (Bindings, Vec<(usize, KeyFault)>) {
    let mut bindings = Bindings::default();
    let mut faults = Vec::new();
    for (number, document) in chain.iter().enumerate() {
        let found = bindings.add(number, document).into_iter();
        faults.extend(found.map(|fault| (number, fault)));
    }
    faults.extend(bindings.clashes());
    (bindings, faults)
}
