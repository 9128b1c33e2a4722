//! `workbay --plain`: the same verbs in numbered menus and sentences, for screen readers, terminals that only print
//! lines, and slow connections.
//!
//! A number stands for a line that can be typed, and a line is a command of the command line, which runs as a process of
//! its own. So a new command appears here without any code.

mod announce;
mod arguments;
mod console;
mod editor;
mod help;
mod launch;
mod list;
mod menu;
mod reader;
mod runner;
mod sessions;
mod watcher;
mod words;

use clap::Command;
use color_eyre::{Result, eyre::WrapErr as _};

use self::{
    console::{Console, Leave},
    list::Listing,
    menu::Place,
    words::Act,
};
use crate::{
    cli::{
        PlainOptions, Start,
        parts::{self, Failed},
    },
    model::{nearest::nearest, status::Tab},
};

/// The state of the conversation.
struct Plain {
    console: Console,
    tree: Command,
    start: Start,
    options: PlainOptions,
    /// The list that numbers of sessions mean.
    listing: Listing,
    /// The menus that are open, the last one on top. Empty = the list.
    places: Vec<Place>,
}

/// Runs until the user leaves. Returns the exit code.
///
/// # Errors
/// If the program can't start its threads.
pub fn main(start: Start, options: PlainOptions) -> Result<u8> {
    let (console, events) = Console::open().wrap_err("stdin can't be read")?;
    watcher::start(start.paths.clone(), events).wrap_err("the daemon can't be watched")?;
    let mut plain = Plain {
        console,
        tree: parts::tree(),
        start,
        options,
        listing: Listing::default(),
        places: Vec::new(),
    };
    plain.greet();
    plain.run();
    plain
        .console
        .say(tr!("workbay has ended. Sessions keep running."));
    Ok(0)
}

impl Plain {
    fn greet(&mut self) {
        if let Some(why) = self.options.why {
            self.console.say(&tr!(
                "{why}, so workbay starts in plain mode, which needs no more than lines of text.",
                why
            ));
        }
        let mut greeting = tr!("workbay, plain mode.").to_owned();
        if let Ok(name) = parts::context(&self.start) {
            greeting.push(' ');
            greeting.push_str(&tr!("Context {name}.", name));
        }
        if self.start.loaded.settings.ui.read_only {
            greeting.push(' ');
            greeting.push_str(tr!("Read-only: commands that change sessions are refused."));
        }
        self.console.say(&greeting);
        self.list(Some(Tab::Running), String::new());
        self.console
            .say(tr!("Type a number or a command, then Enter. Type help for the commands, menu for a menu, quit to leave."));
    }

    fn run(&mut self) {
        loop {
            let prompt = format!("{}> ", self.name());
            let outcome = match self.console.ask(&prompt) {
                Ok(line) => self.line(&line),
                Err(Leave::Cancel) => {
                    self.console
                        .say(tr!("Press Ctrl-C again to leave, or type a command."));
                    continue;
                }
                Err(leave) => Err(leave),
            };
            match outcome {
                Ok(()) => {}
                Err(Leave::Cancel) => self.console.say(tr!(
                    "Cancelled. Press Ctrl-C again to leave, or type a command."
                )),
                Err(Leave::Quit) => return,
            }
        }
    }

    /// What the prompt names.
    fn name(&self) -> String {
        let name = self.places.last().map(|place| place.name.clone());
        name.unwrap_or_else(|| match self.listing.tab {
            Some(tab) => tab.title().to_lowercase(),
            None => "all".to_owned(),
        })
    }

    /// The session that commands apply to, if none is typed.
    fn session(&self) -> Option<&String> {
        self.places.last()?.session.as_ref()
    }

    fn line(&mut self, line: &str) -> Result<(), Leave> {
        if line.is_empty() {
            self.again();
            return Ok(());
        }
        match shlex::split(line) {
            Some(words) => self.words(words),
            None => {
                self.console
                    .say(tr!("Error: a quote has no end. Type the line again."));
                Ok(())
            }
        }
    }

    /// Enter alone: the next page of the list, or the menu again.
    fn again(&mut self) {
        match self.places.last().cloned() {
            None if self.listing.has_more() => self.next_page(),
            None => self.list(self.listing.tab, self.listing.filter.clone()),
            Some(place) if place.is_session => {
                let word = place.session.unwrap_or_default();
                self.open(&word);
            }
            Some(place) => self.show(&place),
        }
    }

    /// Does what the words say.
    fn words(&mut self, words: Vec<String>) -> Result<(), Leave> {
        if let [word] = words.as_slice()
            && word.chars().all(|c| c.is_ascii_digit())
            && word != "0"
        {
            return self.number(word);
        }
        let Some(word) = words::find(&words) else {
            return self.command(words);
        };
        let rest = &words[1..];
        match word.act {
            Act::Help if rest.is_empty() => self.help(),
            Act::Help => self.help_of(rest),
            Act::Menu => self.enter(menu::main()),
            Act::Back => self.back(),
            Act::Quit => return Err(Leave::Quit),
            Act::List(tab) => {
                self.places.clear();
                self.list(tab, self.listing.filter.clone());
            }
            Act::Filter => self.filter(&rest.join(" "))?,
            Act::Contexts => self.contexts(),
            Act::Switch => self.switch(rest.first().map(String::as_str)),
            Act::Notifications => self.notifications(),
            Act::Open => match rest.first() {
                Some(word) => self.open_typed(word),
                None => self.console.say(tr!("Type open and a number or a name.")),
            },
            Act::Command(prefix) => {
                let prefix = prefix.iter().map(|it| (*it).to_owned());
                return self.command(prefix.chain(rest.iter().cloned()).collect());
            }
        }
        Ok(())
    }

    /// A number of the menu on top, or of the list.
    fn number(&mut self, word: &str) -> Result<(), Leave> {
        let Some(place) = self.places.last() else {
            self.open_typed(word);
            return Ok(());
        };
        let at = word.parse::<usize>().ok().and_then(|it| it.checked_sub(1));
        match at.and_then(|at| place.items.get(at)) {
            Some(item) => {
                let words = item.words.clone();
                self.words(words)
            }
            None => {
                let count = place.items.len();
                self.console.say(&tr!("Error: number {word} isn't in the menu. Use 1 to {count}, or a command. Enter lists them again.", word, count));
                Ok(())
            }
        }
    }

    fn command(&mut self, words: Vec<String>) -> Result<(), Leave> {
        let (command, count) = words::command(&self.tree, &words);
        if count == 0 {
            let text = unknown(&self.tree, &words[0]);
            self.console.say(&text);
            return Ok(());
        }
        if command.has_subcommands() && words.len() == count {
            let place = menu::of_command(command, &words, self.session().cloned());
            self.enter(place);
            return Ok(());
        }
        if words == ["launch"] {
            return self.launch();
        }
        if let Some(words) = self.complete(words)? {
            self.run_command(&words);
        }
        Ok(())
    }

    fn enter(&mut self, place: Place) {
        self.show(&place);
        self.places.push(place);
    }

    fn show(&self, place: &Place) {
        let numbered = place.items.iter().enumerate();
        let lines: Vec<String> = numbered
            .map(|(at, item)| format!("{}. {}", at + 1, item.label))
            .collect();
        self.console.say(&lines.join("\n"));
        self.console.say(tr!("Type a number, or back."));
    }

    fn back(&mut self) {
        self.places.pop();
        match self.places.last().cloned() {
            Some(place) => self.show(&place),
            None => self.list(self.listing.tab, self.listing.filter.clone()),
        }
    }

    fn failed(&self, failed: &Failed) {
        self.console.say(&tr!("Error: {why}", why = failed.message));
        if let Some(hint) = &failed.hint {
            self.console.say(&tr!("To fix it: {hint}", hint));
        }
    }
}

/// The sentence about a word that means nothing, with the nearest one that does.
fn unknown(tree: &Command, word: &str) -> String {
    let own = words::WORDS.iter().flat_map(|it| it.names).copied();
    let commands = tree.get_subcommands().filter(|it| !it.is_hide_set());
    let known: Vec<&str> = own.chain(commands.map(Command::get_name)).collect();
    match nearest(word, &known) {
        Some(near) => tr!(
            "Error: unknown command '{word}'. Did you mean '{near}'? Type help for the commands.",
            word,
            near
        ),
        None => tr!(
            "Error: unknown command '{word}'. Type help for the commands.",
            word
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_word_leads_to_the_nearest_one() {
        let tree = parts::tree();
        assert!(unknown(&tree, "terminat").contains("Did you mean 'terminate'?"));
        assert!(unknown(&tree, "notificatons").contains("Did you mean 'notifications'?"));
        assert!(!unknown(&tree, "xyzzyxyzzy").contains("Did you mean"));
    }
}
