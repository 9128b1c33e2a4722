//! The keys of a view or panel, built from the list of actions and the active keymap. Typing searches, and Enter runs
//! the marked action.

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};

use super::{
    Hint, MOVE, Panel, PanelEnv,
    scroll::{ListCursor, motion},
};
use crate::{
    action::{Action, Scope},
    app::{
        allowed::lacking, area::DialogPart, input::Input, panels::palette::entry::Choice,
        step::Step,
    },
    key::Key,
    locale,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HelpRow {
    /// A scope's title.
    Title(&'static str),
    Entry(HelpEntry),
    /// A useful note for the scope.
    Note(&'static str),
    Gap,
}

/// An action in a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpEntry {
    pub scope: Scope,
    pub target: HelpTarget,
    /// All keys of the action, the most convenient first.
    pub keys: Vec<String>,
}

/// What an entry runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HelpTarget {
    Action(Action),
    /// One of your own commands: its position and its name.
    Command(usize, String),
}

impl HelpEntry {
    /// One line about it.
    pub fn doc(&self) -> &str {
        match &self.target {
            HelpTarget::Action(action) => action.doc(),
            HelpTarget::Command(_, name) => name,
        }
    }

    /// The name in keymap files.
    pub fn name(&self) -> &'static str {
        match &self.target {
            HelpTarget::Action(action) => action.name(),
            HelpTarget::Command(..) => tr!("your command"),
        }
    }
}

/// Explains how the numbers of the detail compare to those of other tools.
const CPU: &str = tr_later!("CPU is in cores: 1.00 is 100% in `docker stats` (one busy core)");

/// What a key adds to the score if it is exactly the typed text.
const EXACT_KEY: u32 = 500;

#[derive(Clone, Debug)]
pub struct Help {
    all: Vec<HelpRow>,
    shown: Vec<HelpRow>,
    /// The scopes whose actions can be run.
    here: Vec<Scope>,
    search: Input,
    pub list: ListCursor,
    /// Why the marked action can't be run, until the next key.
    problem: Option<String>,
}

impl Help {
    /// Help for a view: the keys of its scopes `here` first, then all others. Actions that are never possible in the
    /// shown contexts are left out, because their keys would only be refused.
    #[must_use]
    pub fn new(here: &[Scope], env: &PanelEnv<'_>) -> Self {
        let terminal = here.contains(&Scope::Leader).then_some(Scope::Terminal);
        let scopes = terminal.into_iter().chain(here.iter().copied());
        let mut all = Vec::new();
        let mut seen: Vec<Scope> = Vec::new();
        for scope in scopes.chain(Scope::ALL) {
            if !seen.contains(&scope) {
                seen.push(scope);
                add_scope(&mut all, scope, env);
            }
        }
        let mut help = Self {
            all,
            shown: Vec::new(),
            here: here.to_vec(),
            search: Input::default(),
            list: ListCursor::default(),
            problem: None,
        };
        help.filter();
        help
    }

    pub fn rows(&self) -> &[HelpRow] {
        &self.shown
    }

    pub fn search(&self) -> &Input {
        &self.search
    }

    /// Whether Enter can run the actions of a scope.
    pub fn is_here(&self, scope: Scope) -> bool {
        self.here.contains(&scope)
    }

    /// The number of visible entries, and of all entries.
    pub fn counts(&self) -> (usize, usize) {
        let is_entry = |row: &&HelpRow| matches!(row, HelpRow::Entry(_));
        let entries = |rows: &[HelpRow]| rows.iter().filter(is_entry).count();
        (entries(&self.shown), entries(&self.all))
    }

    pub fn marked(&self) -> Option<&HelpEntry> {
        match self.shown.get(self.list.marked())? {
            HelpRow::Entry(entry) => Some(entry),
            _ => None,
        }
    }

    /// Changes the search text and filters the entries.
    fn type_into<T>(&mut self, change: impl FnOnce(&mut Input) -> T) -> T {
        let before = self.search.text().to_owned();
        let result = change(&mut self.search);
        if self.search.text() != before {
            self.problem = None;
            self.filter();
        }
        result
    }

    /// Marks the entry `by` rows away, or the next one in that direction.
    fn move_by(&mut self, by: isize) {
        self.problem = None;
        let last = self.shown.len().saturating_sub(1);
        let wanted = self.list.marked().saturating_add_signed(by).min(last);
        let is_entry = |at: &usize| matches!(self.shown.get(*at), Some(HelpRow::Entry(_)));
        let after = || (wanted..self.shown.len()).find(is_entry);
        let before = || (0..=wanted).rev().find(is_entry);
        let found = if by < 0 {
            before().or_else(after)
        } else {
            after().or_else(before)
        };
        self.list.go_to(found.unwrap_or(0), self.shown.len());
        self.show_title();
    }

    /// The title above the first entry of a scope stays visible.
    fn show_title(&mut self) {
        let above = self.shown.iter().take(self.list.marked()).rev();
        let others = above.take_while(|row| !is_row(row)).count();
        self.list.reveal(self.list.marked() - others);
    }

    /// Keeps the entries that match, and the titles above them. Marks the best one.
    fn filter(&mut self) {
        let query = self.search.text().trim().to_owned();
        let mut best = None;
        if query.is_empty() {
            self.shown.clone_from(&self.all);
        } else {
            let scores = scores(&self.all, &query);
            let most = scores.iter().copied().max().unwrap_or(0);
            let fits = |at: usize| scores[at] > 0;
            let (shown, positions) = kept(&self.all, fits);
            best = positions
                .iter()
                .position(|at| at.is_some_and(|at| scores[at] == most));
            self.shown = shown;
        }
        self.list.go_to(0, self.shown.len());
        match best {
            Some(at) => self.list.go_to(at, self.shown.len()),
            None => self.move_by(0),
        }
    }

    fn run(&mut self) -> Vec<Step> {
        let Some(entry) = self.marked() else {
            return Vec::new();
        };
        let (scope, name) = (entry.scope, entry.name());
        if self.is_here(scope) {
            let run = match &entry.target {
                HelpTarget::Action(action) => Step::Invoke(scope, *action),
                HelpTarget::Command(at, name) => Step::Choose {
                    id: format!("action:custom/{name}"),
                    choice: Choice::Command(*at),
                },
            };
            return vec![Step::CLOSE, run];
        }
        let title = scope.title().to_lowercase();
        self.problem = Some(tr!("{name} works only here: {title}", name, title));
        Vec::new()
    }
}

fn is_row(row: &HelpRow) -> bool {
    matches!(row, HelpRow::Entry(_))
}

/// The score of each row, 0 if it doesn't match. Letters that are only scattered over a row count if no row contains
/// the words.
fn scores(rows: &[HelpRow], query: &str) -> Vec<u32> {
    let as_words: Vec<String> = query
        .split_whitespace()
        .map(|it| format!("'{it}"))
        .collect();
    let scores = scores_of(rows, query, &as_words.join(" "));
    if scores.iter().any(|score| *score > 0) {
        return scores;
    }
    scores_of(rows, query, query)
}

fn scores_of(rows: &[HelpRow], typed: &str, query: &str) -> Vec<u32> {
    let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let score = |row: &HelpRow| {
        let HelpRow::Entry(entry) = row else { return 0 };
        let (doc, name) = (entry.doc(), entry.name());
        let english = match &entry.target {
            HelpTarget::Action(action) if action.doc_in_english() != doc => action.doc_in_english(),
            _ => "",
        };
        let text = format!("{doc} {name} {} {english}", entry.keys.join(" "));
        let text = Utf32Str::new(&text, &mut buffer);
        let is_key = entry.keys.iter().any(|key| key == typed);
        let fuzzy = pattern.score(text, &mut matcher).unwrap_or(0);
        fuzzy + if is_key { EXACT_KEY } else { 0 }
    };
    rows.iter().map(score).collect()
}

/// The entries that fit with the titles above them, and the position of each in `rows`.
fn kept(rows: &[HelpRow], fits: impl Fn(usize) -> bool) -> (Vec<HelpRow>, Vec<Option<usize>>) {
    let (mut shown, mut positions) = (Vec::new(), Vec::new());
    let mut title = None;
    for (at, row) in rows.iter().enumerate() {
        match row {
            HelpRow::Title(text) => title = Some(*text),
            HelpRow::Gap | HelpRow::Note(_) => {}
            HelpRow::Entry(_) if !fits(at) => {}
            HelpRow::Entry(_) => {
                if let Some(text) = title.take() {
                    if !shown.is_empty() {
                        shown.push(HelpRow::Gap);
                        positions.push(None);
                    }
                    shown.push(HelpRow::Title(text));
                    positions.push(None);
                }
                shown.push(row.clone());
                positions.push(Some(at));
            }
        }
    }
    (shown, positions)
}

const HINTS: &[Hint] = &[
    (Scope::Help, &[Action::HelpRun], tr_later!("run")),
    (Scope::Help, MOVE, tr_later!("move")),
    (Scope::Help, &[Action::ListPageDown], tr_later!("page")),
    (Scope::Global, &[Action::Back], tr_later!("close")),
];

impl Panel for Help {
    fn scope(&self) -> Scope {
        Scope::Help
    }

    fn is_form(&self) -> bool {
        true
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::Back => return self.back(env),
            Action::HelpRun => return self.run(),
            _ => {
                let page = self.list.page();
                self.move_by(motion(action, page).unwrap_or(0));
            }
        }
        Vec::new()
    }

    fn key(&mut self, key: Key, _: &PanelEnv<'_>) -> Option<Vec<Step>> {
        let used = self.type_into(|input| input.key(key));
        used.then(Vec::new)
    }

    fn paste(&mut self, text: &str, _: &PanelEnv<'_>) -> Vec<Step> {
        self.type_into(|input| input.paste(text));
        Vec::new()
    }

    fn back(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        if self.search.is_empty() {
            return vec![Step::CLOSE];
        }
        self.type_into(|input| input.set(""));
        Vec::new()
    }

    /// A click marks an entry. A click on the marked entry runs it.
    fn click(&mut self, part: DialogPart, _: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Row(row) => {
                let at = self.list.scroll() + row;
                if at == self.list.marked() {
                    return self.run();
                }
                if self.shown.get(at).is_some_and(is_row) {
                    self.list.go_to(at, self.shown.len());
                }
                Vec::new()
            }
            DialogPart::Outside => vec![Step::CLOSE],
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, _: &PanelEnv<'_>) {
        self.move_by(by);
    }

    fn laid_out(&mut self, height: usize, _: &PanelEnv<'_>) {
        self.list.laid_out(height, self.shown.len());
        self.show_title();
    }

    fn hints(&self) -> Vec<Hint> {
        HINTS.to_vec()
    }

    fn problem(&self) -> Option<String> {
        self.problem.clone()
    }
}

/// Adds the actions of a scope that have a key, verbs before movements.
fn add_scope(rows: &mut Vec<HelpRow>, scope: Scope, env: &PanelEnv<'_>) {
    let keys = |action: Action| env.keymap.keys_for(scope, action);
    let bound = Action::ALL
        .iter()
        .copied()
        .filter(|action| !keys(*action).is_empty() && !lacking(*action, env.shown, env.mirror));
    let mut bound: Vec<Action> = bound.collect();
    let commands = &env.facts.commands;
    let own = commands.of(scope).filter_map(|(at, command)| {
        let keys = vec![commands.keys.of(at, scope)?];
        let target = HelpTarget::Command(at, command.name.clone());
        Some(HelpRow::Entry(HelpEntry {
            scope,
            target,
            keys,
        }))
    });
    let own: Vec<HelpRow> = own.collect();
    if bound.is_empty() && own.is_empty() {
        return;
    }
    bound.sort_by_key(|action| action.is_movement());
    if !rows.is_empty() {
        rows.push(HelpRow::Gap);
    }
    rows.push(HelpRow::Title(scope.title()));
    rows.extend(own);
    rows.extend(bound.into_iter().map(|action| {
        HelpRow::Entry(HelpEntry {
            scope,
            target: HelpTarget::Action(action),
            keys: keys(action),
        })
    }));
    if scope == Scope::Detail {
        rows.push(HelpRow::Note(locale::text(CPU)));
    }
}
