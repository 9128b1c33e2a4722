//! Handles keys and pasted text: first by the keymap, innermost scope first, then by the focused text or
//! terminal.

use jiff::{SignedDuration, Timestamp};

use super::App;
use crate::{
    action::{Action, Scope},
    app::{
        focus::{Focus, Page},
        step::Step,
    },
    key::{Key, KeyCode},
    keymap::{Lookup, commands::CommandLookup},
    terminal::emulator::CursorShape,
};

/// How long the hint line says that a key does nothing.
const UNBOUND_STAYS: SignedDuration = SignedDuration::from_secs(3);

/// How long the next key of a sequence is awaited before the possible keys are listed.
const EXPLAINED_AFTER: SignedDuration = SignedDuration::from_millis(500);

/// A sequence of keys that isn't complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeySequence {
    since: Timestamp,
    /// The possible keys are listed.
    explained: bool,
}

/// The result of looking up keys in the scopes.
enum Found {
    Actions(Scope, Vec<Action>),
    /// One of your own commands.
    Command(usize),
    /// The beginning of a sequence.
    Pending,
    Nothing,
}

impl App {
    pub(super) fn key(&mut self, key: Key, now: Timestamp) -> Vec<Step> {
        if let Some(steps) = self.tour_key(key) {
            return steps;
        }
        let key = self.as_bound(key);
        // In a form, a plain character goes to the text first, even if it is bound elsewhere.
        let form = self.top().is_some_and(|it| it.panel().is_form());
        if form
            && is_text(key)
            && self.pending.is_empty()
            && let Some(steps) = self.type_key(key, now)
        {
            return steps;
        }
        let inner = self.scope();
        self.pending.push(key);
        match self.find(&own_scopes(inner)) {
            Found::Actions(scope, actions) => return self.matched(scope, actions, key, now),
            Found::Command(at) => return self.custom_command(at, now),
            Found::Pending => return Vec::new(),
            Found::Nothing => {}
        }
        if self.pending.len() == 1
            && let Some(steps) = self.type_key(key, now)
        {
            self.pending.clear();
            return steps;
        }
        match self.find(self.outer_scopes(inner)) {
            Found::Actions(scope, actions) => self.matched(scope, actions, key, now),
            Found::Command(at) => self.custom_command(at, now),
            Found::Pending => Vec::new(),
            Found::Nothing => {
                let keys = std::mem::take(&mut self.pending);
                // Where the help isn't in reach, the hint line couldn't name its key.
                let explains = match self.focus() {
                    Focus::Sessions | Focus::Detail => true,
                    Focus::Panel => self.outer_scopes(inner).contains(&Scope::Global),
                    Focus::Filter | Focus::Logs | Focus::Panes => false,
                };
                if is_text(key) && explains {
                    let until = now.saturating_add(UNBOUND_STAYS);
                    self.unbound = Some((keys, until.unwrap_or(Timestamp::MAX)));
                }
                Vec::new()
            }
        }
    }

    /// The keys that just did nothing in the list.
    pub fn unbound(&self) -> Option<&[Key]> {
        self.unbound.as_ref().map(|(keys, _)| keys.as_slice())
    }

    /// Handles a key while the screen is too small to show anything. Only leaving is possible, because every
    /// other key would act on something that nobody sees.
    pub(super) fn unseen_key(&mut self, key: Key) -> Vec<Step> {
        self.pending.clear();
        let Lookup::Matched(actions) = self.keymap.lookup(Scope::Global, &[key]) else {
            return Vec::new();
        };
        let leaves = |action: &Action| matches!(action, Action::Quit | Action::Interrupt);
        if actions.iter().any(leaves) {
            return self.leave();
        }
        Vec::new()
    }

    /// Some terminals can tell Shift-Enter from Enter, others can't. A program gets the exact key. In
    /// workbay, the key is treated as the plain one unless it is bound.
    fn as_bound(&self, key: Key) -> Key {
        let inner = self.scope();
        let scopes = own_scopes(inner);
        let outer = self.outer_scopes(inner);
        let commands = &self.facts.commands.keys;
        let bound = |scope: &Scope| {
            self.keymap.lookup(*scope, &[key]) != Lookup::NotFound
                || commands.lookup(*scope, &[key]) != CommandLookup::NotFound
        };
        if self.is_in_terminal() || scopes.iter().chain(outer).any(bound) {
            key
        } else {
            key.plainer()
        }
    }

    /// The scopes that are looked up after the text. A terminal takes every key, so no scope follows it.
    pub(super) fn outer_scopes(&self, inner: Scope) -> &'static [Scope] {
        match (inner, self.focus(), self.top()) {
            (Scope::Terminal | Scope::Leader | Scope::Global, ..) => &[],
            (_, _, Some(top)) => top.panel().outer_scopes(),
            // Arrow keys move the list while its filter is typed.
            (Scope::Input, Focus::Filter, _) => &[Scope::Sessions, Scope::Global],
            (Scope::Input, Focus::Logs, _) => &[Scope::Logs, Scope::Global],
            _ => &[Scope::Global],
        }
    }

    fn find(&self, scopes: &[Scope]) -> Found {
        for scope in scopes {
            match self.keymap.lookup(*scope, &self.pending) {
                Lookup::Matched(actions) => return Found::Actions(*scope, actions),
                Lookup::Pending(_) => return Found::Pending,
                Lookup::NotFound => {}
            }
            match self.facts.commands.keys.lookup(*scope, &self.pending) {
                CommandLookup::Matched(at) => return Found::Command(at),
                CommandLookup::Pending => return Found::Pending,
                CommandLookup::NotFound => {}
            }
        }
        Found::Nothing
    }

    fn matched(
        &mut self,
        scope: Scope,
        actions: Vec<Action>,
        key: Key,
        now: Timestamp,
    ) -> Vec<Step> {
        self.pending.clear();
        let mut steps = Vec::new();
        for action in actions {
            steps.extend(self.action(scope, action, Some(key), now));
        }
        steps
    }

    /// Passes a key to the focused text or terminal. Returns `None` if it isn't used.
    fn type_key(&mut self, key: Key, now: Timestamp) -> Option<Vec<Step>> {
        let taken = match self.focus() {
            Focus::Panel => {
                let steps = self.with_panel(now, |top, env| top.key(key, env))??;
                return Some(self.moved(steps, now));
            }
            Focus::Panes => return self.panes.key(key, &mut self.ids, now),
            Focus::Logs => return self.logs.as_mut()?.key(key),
            Focus::Filter => self.sessions.filter.type_into(|input| input.key(key))?,
            Focus::Detail | Focus::Sessions => false,
        };
        taken.then(Vec::new)
    }

    pub(super) fn paste(&mut self, text: &str, now: Timestamp) -> Vec<Step> {
        match self.focus() {
            Focus::Panes => return self.panes.paste(text),
            Focus::Logs => {
                if let Some(logs) = &mut self.logs {
                    return logs.paste(text);
                }
            }
            Focus::Panel => return self.on_panel(now, |top, env| top.paste(text, env)),
            Focus::Filter => {
                self.sessions.filter.type_into(|input| input.paste(text));
            }
            Focus::Detail | Focus::Sessions => {}
        }
        Vec::new()
    }

    /// The keys that can continue an unfinished sequence.
    pub fn continuations(&self) -> Vec<(Key, Option<Action>)> {
        let inner = self.scope();
        if self.pending.is_empty() && inner != Scope::Leader {
            return Vec::new();
        }
        let mut scopes = own_scopes(inner);
        scopes.extend_from_slice(self.outer_scopes(inner));
        let mut all: Vec<(Key, Option<Action>)> = Vec::new();
        for scope in scopes {
            let next = self.keymap.next_keys(scope, &self.pending).into_iter();
            // The innermost scope wins.
            let new = next.filter(|(key, _)| !all.iter().any(|(known, _)| known == key));
            let new: Vec<_> = new.collect();
            all.extend(new);
        }
        all
    }

    /// The keys of your own commands that can continue an unfinished sequence, each with the command's name.
    pub fn command_continuations(&self) -> Vec<(Key, Option<&str>)> {
        let inner = self.scope();
        if self.pending.is_empty() && inner != Scope::Leader {
            return Vec::new();
        }
        let commands = &self.facts.commands;
        let scopes = own_scopes(inner).into_iter();
        let next = scopes.flat_map(|scope| commands.keys.next_keys(scope, &self.pending));
        let named = next.map(|(key, at)| {
            let command = at.and_then(|at| commands.list.get(at));
            (key, command.map(|it| it.name.as_str()))
        });
        named.collect()
    }

    /// Notes when a sequence of keys began, and forgets it when the sequence ends.
    pub(super) fn follow_sequence(&mut self, now: Timestamp) {
        let begun =
            !self.pending.is_empty() || (self.page == Page::Panes && self.scope() == Scope::Leader);
        if !begun {
            self.sequence = None;
        } else if self.sequence.is_none() {
            self.sequence = Some(KeySequence {
                since: now,
                explained: false,
            });
        }
    }

    /// When the continuations of the sequence are listed.
    pub(super) fn explains_at(&self) -> Option<Timestamp> {
        let sequence = self.sequence.as_ref().filter(|it| !it.explained)?;
        let at = sequence.since.saturating_add(EXPLAINED_AFTER);
        Some(at.unwrap_or(Timestamp::MAX))
    }

    pub(super) fn explain_sequence(&mut self, now: Timestamp) {
        let is_due = self.explains_at().is_some_and(|at| at <= now);
        if let Some(sequence) = self.sequence.as_mut().filter(|_| is_due) {
            sequence.explained = true;
        }
    }

    /// Whether the continuations of the typed keys are listed, because the next key hasn't come for a moment.
    pub fn explains_sequence(&self) -> bool {
        self.sequence.as_ref().is_some_and(|it| it.explained)
    }

    /// The cursor of the focused program. Elsewhere it is the default cursor of the terminal.
    pub fn cursor_shape(&self) -> CursorShape {
        let pane = self.panes.active().filter(|_| self.is_in_terminal());
        pane.map_or(CursorShape::Default, |pane| pane.emulator.cursor_shape())
    }

    /// Whether keys go to a program in a terminal now.
    fn is_in_terminal(&self) -> bool {
        self.page == Page::Panes && self.scope() == Scope::Terminal
    }
}

/// The scopes that are looked up before the text or terminal gets the key.
pub(super) fn own_scopes(inner: Scope) -> Vec<Scope> {
    match inner {
        Scope::Detail => vec![Scope::Detail, Scope::Sessions],
        scope => vec![scope],
    }
}

fn is_text(key: Key) -> bool {
    matches!(key.code, KeyCode::Char(_)) && !key.ctrl && !key.alt
}
