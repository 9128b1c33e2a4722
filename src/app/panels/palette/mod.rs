//! The command palette: runs an action, goes to a session, launches an environment, and so on. Words like
//! `:ctx prod` and `:q` can be typed instead (`words.rs`).

mod collect;
pub mod entry;
pub mod search;
pub mod words;

use super::{
    Hint, MOVE, Panel, PanelEnv, layouts::LayoutList, scroll::ListCursor, themes::ThemePicker,
};
use crate::{
    action::{Action, Scope},
    app::{
        allowed,
        area::DialogPart,
        custom_commands::CommandEnv,
        input::Input,
        step::{Purpose, Step},
    },
    key::{Key, KeyCode},
    model::{
        capability::Capability,
        failure::Failure,
        folder::{Folder, FolderRequest},
        id::{ContextName, SessionKey},
        recent::Recent,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};
use entry::{Choice, EntryKind, PaletteEntry};
use search::Search;
use words::{Command, WordValues};

/// A list that the daemon sends.
#[derive(Clone, Debug, Default)]
pub enum Loaded<T> {
    #[default]
    Loading,
    Known(Vec<T>),
    Failed(Clean),
}

/// What the palette asked the daemon for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaletteQuery {
    Recents,
    Folders(ContextName),
}

/// The lists that the daemon sends after the palette was opened.
#[derive(Clone, Debug, Default)]
pub struct PaletteData {
    recents: Loaded<Recent>,
    folders: Vec<(ContextName, Loaded<Folder>)>,
}

#[derive(Debug)]
pub struct Palette {
    pub input: Input,
    /// The scopes whose actions are possible in the view below.
    scopes: Vec<Scope>,
    /// The session that actions apply to.
    session: Option<SessionKey>,
    data: PaletteData,
    entries: Vec<PaletteEntry>,
    search: Search,
    pub list: ListCursor,
    /// The marked row was chosen with the arrow keys, so Enter runs it even if the text is a command.
    moved: bool,
    /// Why the text was refused or the entry can't be used, until the next key.
    problem: Option<String>,
}

/// A row of the list.
#[derive(Clone, Debug)]
pub enum PaletteRow<'a> {
    /// The typed command.
    Word(Command),
    Entry(&'a PaletteEntry),
}

impl Palette {
    /// `session` is what the actions of `scopes` apply to.
    #[must_use]
    pub fn new(scopes: Vec<Scope>, session: Option<SessionKey>, env: &PanelEnv<'_>) -> Self {
        let folders = env.mirror.contexts().iter().map(|it| it.context.name);
        let folders = folders.filter(|name| env.mirror.can(*name, Capability::Folders));
        let folders = folders.map(|name| (name, Loaded::Loading)).collect();
        let mut palette = Self {
            input: Input::default(),
            scopes,
            session,
            data: PaletteData {
                recents: Loaded::Loading,
                folders,
            },
            entries: Vec::new(),
            search: Search::default(),
            list: ListCursor::default(),
            moved: false,
            problem: None,
        };
        palette.collect(env);
        palette
    }

    /// The requests when the palette opens, and after a broken connection.
    pub fn ask(&self) -> Vec<Step> {
        let ask = |request, what| Step::Ask {
            request,
            purpose: Purpose::Palette(what),
        };
        let list = || FolderRequest::List {
            trash: false,
            measure: false,
        };
        let folders = self.data.folders.iter().map(|(context, _)| {
            let request = Request::context(*context, list().into());
            ask(request, PaletteQuery::Folders(*context))
        });
        let recents = ask(Request::Recents, PaletteQuery::Recents);
        let themes = ThemePicker::ask();
        [recents, themes, LayoutList::ask()]
            .into_iter()
            .chain(folders)
            .collect()
    }

    /// Takes a list from the daemon.
    pub fn answered(
        &mut self,
        query: PaletteQuery,
        result: Result<Reply, Failure>,
        env: &PanelEnv<'_>,
    ) {
        match (query, result) {
            (PaletteQuery::Recents, Ok(Reply::Recents { entries })) => {
                self.data.recents = Loaded::Known(entries);
            }
            (PaletteQuery::Recents, Err(failure)) => {
                self.data.recents = Loaded::Failed(failure.message());
            }
            (PaletteQuery::Folders(context), result) => {
                let loaded = match result {
                    Ok(Reply::Folders { folders }) => Loaded::Known(folders),
                    Ok(_) => return,
                    Err(failure) => Loaded::Failed(failure.message()),
                };
                let mut all = self.data.folders.iter_mut();
                if let Some((_, place)) = all.find(|(name, _)| *name == context) {
                    *place = loaded;
                }
            }
            (PaletteQuery::Recents, Ok(_)) => return,
        }
        self.collect(env);
    }

    /// Whether the daemon hasn't sent a list of this kind yet.
    pub fn is_loading(&self, kind: EntryKind) -> bool {
        match kind {
            EntryKind::Recent => matches!(self.data.recents, Loaded::Loading),
            EntryKind::Folder => {
                let mut all = self.data.folders.iter();
                all.any(|(_, loaded)| matches!(loaded, Loaded::Loading))
            }
            _ => false,
        }
    }

    /// Why the list of a kind isn't complete.
    pub fn failure(&self, kind: EntryKind) -> Option<&Clean> {
        match kind {
            EntryKind::Recent => match &self.data.recents {
                Loaded::Failed(why) => Some(why),
                _ => None,
            },
            EntryKind::Folder => self.data.folders.iter().find_map(|(_, it)| match it {
                Loaded::Failed(why) => Some(why),
                _ => None,
            }),
            _ => None,
        }
    }

    /// Collects the entries again. The marked entry stays marked.
    fn collect(&mut self, env: &PanelEnv<'_>) {
        let marked = match self.row(WordValues::of(env), self.list.marked()) {
            Some(PaletteRow::Entry(entry)) => Some(entry.id.clone()),
            _ => None,
        };
        self.entries = collect::entries(&self.scopes, &self.data, env);
        self.find(env, false);
        let at = marked.filter(|_| self.moved).and_then(|id| {
            let mut found = self.search.found().iter();
            found.position(|at| self.entries.get(*at as usize).is_some_and(|it| it.id == id))
        });
        let first = at.map_or(0, |at| at + self.words(WordValues::of(env)));
        self.list.go_to(first, self.count(WordValues::of(env)));
    }

    fn find(&mut self, env: &PanelEnv<'_>, narrows: bool) {
        let typed = self.input.text();
        let when = (env.now, narrows);
        self.search.search(typed, &self.entries, env.frecency, when);
    }

    fn typed(&mut self, env: &PanelEnv<'_>) {
        self.problem = None;
        self.moved = false;
        self.find(env, true);
        self.list.go_to(0, self.count(WordValues::of(env)));
    }

    /// The command that the text means.
    fn word(&self, values: WordValues<'_>) -> Option<Command> {
        words::read(self.input.text(), values)?.ok()
    }

    /// Whether the text is a command with a wrong argument. The name of a context isn't guessed, but other words can
    /// belong to an entry: `launch python`.
    fn is_refused(&self, values: WordValues<'_>) -> bool {
        let text = self.input.text();
        let is_wrong = matches!(words::read(text, values), Some(Err(_)));
        is_wrong && (words::takes_argument(text) || self.search.found().is_empty())
    }

    /// How many rows a typed command takes.
    fn words(&self, values: WordValues<'_>) -> usize {
        usize::from(self.word(values).is_some())
    }

    /// The number of rows.
    pub fn count(&self, values: WordValues<'_>) -> usize {
        self.words(values) + self.search.found().len()
    }

    /// The number of all entries.
    pub fn total(&self) -> usize {
        self.entries.len()
    }

    pub fn row(&self, values: WordValues<'_>, at: usize) -> Option<PaletteRow<'_>> {
        let words = self.words(values);
        if at < words {
            return self.word(values).map(PaletteRow::Word);
        }
        let found = self.search.found().get(at - words)?;
        self.entries.get(*found as usize).map(PaletteRow::Entry)
    }

    /// The matching characters of an entry, as positions in `TITLE DETAIL`.
    pub fn hits(&self, entry: &PaletteEntry) -> Vec<usize> {
        self.search.hits(entry)
    }

    /// The kind that the typed prefix restricts the list to.
    pub fn kind(&self) -> Option<EntryKind> {
        self.search.kind()
    }

    /// Why an entry can't be used now.
    pub fn why_not(&self, entry: &PaletteEntry, env: &PanelEnv<'_>) -> Option<String> {
        match &entry.choice {
            Choice::Action(_, action) => {
                let session = self.session.and_then(|key| env.mirror.session(key));
                allowed::why_not(*action, session, env.shown, env.mirror, env.facts)
            }
            Choice::Launch(launch) => allowed::why_no_change(env.facts)
                .or_else(|| allowed::why_no_launch_in(launch.context, env.mirror)),
            Choice::Command(at) => {
                let command = env.facts.commands.list.get(*at)?;
                let session = self.session.and_then(|key| env.mirror.session(key));
                let (mirror, facts, now) = (env.mirror, env.facts, env.now);
                CommandEnv { mirror, facts, now }.why_not(command, session)
            }
            _ => None,
        }
    }

    fn run(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        if !self.moved && self.is_refused(WordValues::of(env)) {
            let read = words::read(self.input.text(), WordValues::of(env));
            self.problem = read.and_then(Result::err);
            return Vec::new();
        }
        let (step, problem) = match self.row(WordValues::of(env), self.list.marked()) {
            Some(PaletteRow::Word(command)) => (Some(Step::Command(command)), None),
            Some(PaletteRow::Entry(entry)) => match self.why_not(entry, env) {
                Some(why) => (None, Some(why)),
                None => {
                    let (id, choice) = (entry.id.clone(), entry.choice.clone());
                    (Some(Step::Choose { id, choice }), None)
                }
            },
            None => (None, Some(self.nothing(WordValues::of(env)))),
        };
        self.problem = problem;
        step.map_or_else(Vec::new, |step| vec![Step::CLOSE, step])
    }

    /// Why the text means nothing.
    pub fn nothing(&self, values: WordValues<'_>) -> String {
        let (kind, text) = search::split(self.input.text());
        match kind {
            Some(kind) if self.is_loading(kind) => tr!("Loading {plural}", plural = kind.plural()),
            Some(kind) if text.is_empty() => tr!("No {plural}", plural = kind.plural()),
            Some(kind) => tr!("No {plural} match '{text}'", plural = kind.plural(), text),
            None => match words::nothing_begins_so(&self.input, values) {
                Some(_) => tr!("Nothing matches '{text}'", text),
                None => tr!("Nothing to choose").to_owned(),
            },
        }
    }

    /// Completes the last word, or says that nothing begins like it.
    fn complete(&mut self, env: &PanelEnv<'_>) {
        if let Some(rest) = words::completion(&self.input, WordValues::of(env)) {
            let text = format!("{}{rest}", self.input.text());
            self.input.set(&text);
            self.typed(env);
        } else if words::candidates(&self.input, WordValues::of(env)).is_empty() {
            self.problem = words::nothing_begins_so(&self.input, WordValues::of(env));
        }
    }
}

const HINTS: &[Hint] = &[
    (Scope::Palette, &[Action::PaletteRun], tr_later!("run")),
    (Scope::Palette, MOVE, tr_later!("move")),
    (
        Scope::Palette,
        &[Action::PaletteComplete],
        tr_later!("complete"),
    ),
    (Scope::Global, &[Action::Back], tr_later!("close")),
];

impl Panel for Palette {
    fn scope(&self) -> Scope {
        Scope::Palette
    }

    fn is_form(&self) -> bool {
        true
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::PaletteRun => return self.run(env),
            Action::PaletteComplete => self.complete(env),
            Action::Back => return self.back(env),
            _ => {
                self.problem = None;
                self.moved |= self.list.action(action, self.count(WordValues::of(env)));
            }
        }
        Vec::new()
    }

    /// Backspace in an empty line closes it, as in vi. The right arrow key completes, as in shells.
    fn key(&mut self, key: Key, env: &PanelEnv<'_>) -> Option<Vec<Step>> {
        if self.input.is_empty() && key.code == KeyCode::Backspace {
            return Some(self.back(env));
        }
        let at_end = self.input.before_cursor() == self.input.text();
        if at_end && key == Key::plain(KeyCode::Right) {
            self.complete(env);
            return Some(Vec::new());
        }
        let before = self.input.text().to_owned();
        let used = self.input.key(key);
        if self.input.text() != before {
            self.typed(env);
        }
        used.then(Vec::new)
    }

    fn paste(&mut self, text: &str, env: &PanelEnv<'_>) -> Vec<Step> {
        self.input.paste(text);
        self.typed(env);
        Vec::new()
    }

    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Row(row) if self.list.scroll() + row < self.count(WordValues::of(env)) => {
                let count = self.count(WordValues::of(env));
                self.list.go_to(self.list.scroll() + row, count);
                self.moved = true;
                self.run(env)
            }
            DialogPart::Outside => self.back(env),
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, env: &PanelEnv<'_>) {
        self.moved = true;
        self.list
            .move_by(by.signum(), self.count(WordValues::of(env)));
    }

    fn laid_out(&mut self, height: usize, env: &PanelEnv<'_>) {
        self.list.laid_out(height, self.count(WordValues::of(env)));
    }

    fn update(&mut self, env: &PanelEnv<'_>) {
        self.collect(env);
    }

    fn hints(&self) -> Vec<Hint> {
        HINTS.to_vec()
    }

    fn problem(&self) -> Option<String> {
        self.problem.clone()
    }
}
