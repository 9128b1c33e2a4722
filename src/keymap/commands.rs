//! The keys of your own commands. A key that the keymap binds stays with its action, so that no command hides one.

use super::{Keymap, Lookup, read};
use crate::{
    action::Scope,
    config::Problem,
    key::{self, Key},
    model::custom_command::{CommandScope, CustomCommand},
};

/// The meaning of the keys pressed so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandLookup {
    NotFound,
    /// The beginning of a command's keys.
    Pending,
    /// The position of a command.
    Matched(usize),
}

/// The keys of commands that conflict with nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandKeys(Vec<(Scope, Vec<Key>, usize)>);

impl CommandKeys {
    /// Binds the keys of all commands. Each conflict is a problem, and that command has no key.
    pub fn bind(commands: &[CustomCommand], keymap: &Keymap) -> (Self, Vec<Problem>) {
        let (mut bound, mut problems) = (Self::default(), Vec::new());
        for (at, command) in commands.iter().enumerate() {
            let Some(text) = &command.key else {
                continue;
            };
            match bound.free(command, text, commands, keymap) {
                Ok(keys) => {
                    let scopes = command.scopes.iter().map(|scope| scope_of(*scope));
                    bound
                        .0
                        .extend(scopes.map(|scope| (scope, keys.clone(), at)));
                }
                Err((message, help)) => problems.push(Problem {
                    file: command.place.file.clone(),
                    line: command.place.line,
                    column: command.place.column,
                    message,
                    help: Some(help),
                }),
            }
        }
        (bound, problems)
    }

    /// Looks up `keys` in one scope.
    pub fn lookup(&self, scope: Scope, keys: &[Key]) -> CommandLookup {
        let mut here = self.0.iter().filter(|(it, ..)| *it == scope);
        let found = here.find(|(_, own, _)| own.starts_with(keys));
        match found {
            Some((_, own, at)) if own.len() == keys.len() => CommandLookup::Matched(*at),
            Some(_) => CommandLookup::Pending,
            None => CommandLookup::NotFound,
        }
    }

    /// The keys that can follow `keys` in a scope, each with its command or `None` for a further key.
    pub fn next_keys(&self, scope: Scope, keys: &[Key]) -> Vec<(Key, Option<usize>)> {
        let longer = self
            .0
            .iter()
            .filter(|(it, own, _)| *it == scope && own.len() > keys.len() && own.starts_with(keys));
        let next = longer.map(|(_, own, at)| {
            let is_last = own.len() == keys.len() + 1;
            (own[keys.len()], is_last.then_some(*at))
        });
        next.collect()
    }

    /// The keys of a command in a scope, as text.
    pub fn of(&self, at: usize, scope: Scope) -> Option<String> {
        let mut here = self.0.iter();
        let found = here.find(|(it, _, command)| *it == scope && *command == at)?;
        Some(read::text(&found.1))
    }

    /// The keys of a command, if they are free in all its scopes. The error is what is wrong, and the fix.
    fn free(
        &self,
        command: &CustomCommand,
        text: &str,
        commands: &[CustomCommand],
        keymap: &Keymap,
    ) -> Result<Vec<Key>, (String, String)> {
        let fix = || tr!("choose another key. `workbay keys` lists the keys").to_owned();
        let keys = key::parse_sequence(text).map_err(|why| (why, fix()))?;
        for key in &keys {
            if let Err(fault) = read::pressable(0, *key) {
                return Err((fault.message, fault.help.unwrap_or_else(fix)));
            }
        }
        for scope in &command.scopes {
            let inner = scope_of(*scope);
            for scope in outwards(inner) {
                if let Some(why) = taken(keymap, *scope, &keys) {
                    return Err((
                        tr!(
                            "the key '{text}' of '{name}' {why}",
                            text,
                            name = command.name,
                            why
                        ),
                        fix(),
                    ));
                }
            }
            let twin = self.0.iter().find(|(it, own, _)| {
                *it == inner && (own.starts_with(&keys) || keys.starts_with(own))
            });
            if let Some((_, _, at)) = twin {
                let other = commands.get(*at).map_or("", |it| it.name.as_str());
                let why = tr!(
                    "the key '{text}' of '{name}' is that of '{other}'",
                    text,
                    name = command.name,
                    other
                );
                return Err((why, tr!("choose another key for one of them").to_owned()));
            }
        }
        Ok(keys)
    }
}

/// The scope of the keymap that a command's keys are in.
pub fn scope_of(scope: CommandScope) -> Scope {
    match scope {
        CommandScope::List => Scope::Sessions,
        CommandScope::Detail => Scope::Detail,
        CommandScope::Terminal => Scope::Leader,
    }
}

/// The scopes whose keys a command would hide.
fn outwards(scope: Scope) -> &'static [Scope] {
    match scope {
        Scope::Sessions => &[Scope::Sessions, Scope::Global],
        Scope::Detail => &[Scope::Detail, Scope::Global],
        _ => &[Scope::Leader],
    }
}

/// Why keys aren't free in a scope.
fn taken(keymap: &Keymap, scope: Scope, keys: &[Key]) -> Option<String> {
    let table = scope.name();
    for count in 1..=keys.len() {
        let begin = &keys[..count];
        match keymap.lookup(scope, begin) {
            Lookup::Matched(actions) => {
                let name = actions.first().map_or("none", |it| it.name());
                return Some(if count == keys.len() {
                    tr!("is bound to {name} in [{table}]", name, table)
                } else {
                    let begin = read::text(begin);
                    tr!(
                        "begins with '{begin}', which is bound to {name} in [{table}]",
                        begin,
                        name,
                        table
                    )
                });
            }
            Lookup::Pending(_) if count == keys.len() => {
                return Some(tr!("begins longer keys in [{table}]", table));
            }
            Lookup::Pending(_) => {}
            Lookup::NotFound => break,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::custom_command::{CommandPlace, CommandTarget, Confirm};

    fn command(name: &str, key: &str, scope: CommandScope) -> CustomCommand {
        CustomCommand {
            name: name.to_owned(),
            key: Some(key.to_owned()),
            scopes: vec![scope],
            template: "true".to_owned(),
            confirm: Confirm::No,
            target: CommandTarget::Pane,
            changes: true,
            show: String::new(),
            place: CommandPlace {
                file: "config.toml".into(),
                line: 3,
                column: 7,
            },
        }
    }

    fn keys(text: &str) -> Vec<Key> {
        key::parse_sequence(text).unwrap()
    }

    #[test]
    fn a_free_key_is_found_in_its_scope_only() {
        let commands = [
            command("a", "Q a", CommandScope::List),
            command("b", "alt-b", CommandScope::Terminal),
        ];
        let (bound, problems) = CommandKeys::bind(&commands, &Keymap::default());
        assert_eq!(problems, []);
        assert_eq!(
            bound.lookup(Scope::Sessions, &keys("Q")),
            CommandLookup::Pending
        );
        assert_eq!(
            bound.lookup(Scope::Sessions, &keys("Q a")),
            CommandLookup::Matched(0)
        );
        assert_eq!(
            bound.lookup(Scope::Detail, &keys("Q a")),
            CommandLookup::NotFound
        );
        assert_eq!(
            bound.lookup(Scope::Leader, &keys("alt-b")),
            CommandLookup::Matched(1)
        );
        assert_eq!(bound.of(0, Scope::Sessions).as_deref(), Some("Q a"));
        assert_eq!(
            bound.next_keys(Scope::Sessions, &keys("Q")),
            [(Key::char('a'), Some(0))]
        );
    }

    #[test]
    fn a_key_that_is_taken_is_a_problem_with_its_place() {
        let why = |key: &str, scope| {
            let commands = [command("mine", key, scope)];
            let (bound, problems) = CommandKeys::bind(&commands, &Keymap::builtin("vim").unwrap());
            assert_eq!(bound, CommandKeys::default(), "{key}");
            problems[0].to_string()
        };
        let list = CommandScope::List;
        let terminate = why("x", list);
        assert!(
            terminate.starts_with("config.toml:3:7: the key 'x' of 'mine' is bound to"),
            "{terminate}"
        );
        assert!(terminate.contains("session.terminate in [sessions]"));
        assert!(why("m", list).contains("app.toggle-mouse in [global]"));
        assert!(why("g", list).contains("begins longer keys in [sessions]"));
        assert!(why("x y", list).contains("begins with 'x'"));
        assert!(why("ctrl-i", list).contains("tab"));
        assert!(why("nokey-x", list).contains("config.toml:3:7"));
        assert!(why("d", CommandScope::Terminal).contains("pane.detach in [leader]"));
        let twins = [command("one", "alt-1", list), command("two", "alt-1", list)];
        let (bound, problems) = CommandKeys::bind(&twins, &Keymap::default());
        assert!(
            problems[0].message.contains("is that of 'one'"),
            "{problems:?}"
        );
        assert_eq!(
            bound.lookup(Scope::Sessions, &keys("alt-1")),
            CommandLookup::Matched(0)
        );
    }
}
