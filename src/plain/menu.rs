//! Numbered menus: each number stands for a line that can also be typed.

use clap::Command;

use super::words;
use crate::{locale, model::session::Session};

/// A number of a menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub label: String,
    /// The words that it stands for.
    pub words: Vec<String>,
}

impl Item {
    pub fn new(label: impl Into<String>, words: &[&str]) -> Self {
        Self {
            label: label.into(),
            words: words.iter().map(|it| (*it).to_owned()).collect(),
        }
    }
}

/// What the numbers mean at the moment.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The prompt names it.
    pub name: String,
    pub items: Vec<Item>,
    /// The session that commands apply to, if none is typed.
    pub session: Option<String>,
    /// Whether it is the menu of that session.
    pub is_session: bool,
}

/// The sessions that an item of their menu is for.
#[derive(Clone, Copy)]
enum When {
    Any,
    Running,
    Waiting,
    NotEnded,
    Ended,
}

impl When {
    fn holds(self, session: &Session) -> bool {
        match self {
            Self::Any => true,
            Self::Running => session.status.is_live(),
            Self::Waiting => session.status.is_waiting(),
            Self::NotEnded => !session.has_ended(),
            Self::Ended => session.has_ended(),
        }
    }
}

/// The commands of a session that have labels of their own, in the order of the menu.
const OF_SESSION: [(&str, &[&str], When); 16] = [
    (tr_later!("Details"), &["show"], When::Any),
    (
        tr_later!("Log, the last 40 lines"),
        &["logs", "--tail", "40"],
        When::Any,
    ),
    (
        tr_later!("Follow the log, until Ctrl-C"),
        &["logs", "--tail", "10", "--follow"],
        When::NotEnded,
    ),
    (tr_later!("Shell"), &["shell"], When::Running),
    (tr_later!("Run a command"), &["exec"], When::Running),
    (tr_later!("Apps"), &["app"], When::Running),
    (tr_later!("Ports"), &["port"], When::Running),
    (tr_later!("Terminate"), &["terminate"], When::NotEnded),
    (tr_later!("Relaunch"), &["relaunch"], When::Any),
    (
        tr_later!("Extend the time before idle checks reclaim it"),
        &["extend"],
        When::Running,
    ),
    (
        tr_later!("Exempt from idle checks"),
        &["extend", "--exempt"],
        When::Running,
    ),
    (tr_later!("Rename"), &["rename"], When::NotEnded),
    (
        tr_later!("Change the priority"),
        &["priority"],
        When::Waiting,
    ),
    (tr_later!("Scheduling history"), &["history"], When::Any),
    (tr_later!("Usage now"), &["top", "--once"], When::Running),
    (tr_later!("Delete from the list"), &["rm"], When::Ended),
];

/// Commands that the menu of a session leaves out: other items do the same, or they are for scripts.
const LEFT_OUT: [&str; 4] = ["wait", "completion", "ssh-config", "ssh-proxy"];

/// The menu of a session. New commands that take a session appear after those with a label.
pub fn of_session(tree: &Command, session: &Session, word: &str) -> Place {
    let mut items: Vec<Item> = OF_SESSION
        .iter()
        .filter(|(_, _, when)| when.holds(session))
        .map(|(label, words, _)| Item::new(locale::text(label), words))
        .collect();
    let known = |name: &str| {
        OF_SESSION.iter().any(|(_, words, _)| words[0] == name) || LEFT_OUT.contains(&name)
    };
    let more = tree.get_subcommands().filter(|command| {
        let first = command.get_positionals().next();
        first.is_some_and(words::is_session) && !known(command.get_name())
    });
    items.extend(more.map(|command| Item::new(about(command), &[command.get_name()])));
    Place {
        name: session.name.to_string(),
        items,
        session: Some(word.to_owned()),
        is_session: true,
    }
}

/// The menu of a command that has commands of its own.
pub fn of_command(command: &Command, path: &[String], session: Option<String>) -> Place {
    let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
    let items = shown.map(|it| {
        let words = path.iter().cloned().chain([it.get_name().to_owned()]);
        Item {
            label: about(it),
            words: words.collect(),
        }
    });
    Place {
        name: path.join(" "),
        items: items.collect(),
        session,
        is_session: false,
    }
}

/// Everything by number.
pub fn main() -> Place {
    Place {
        name: "menu".to_owned(),
        items: vec![
            Item::new(tr!("Running sessions"), &["running"]),
            Item::new(tr!("Finished sessions"), &["finished"]),
            Item::new(tr!("Sessions with problems"), &["others"]),
            Item::new(tr!("Filter the sessions"), &["filter"]),
            Item::new(tr!("Launch a session"), &["launch"]),
            Item::new(tr!("Recent launches"), &["recent"]),
            Item::new(tr!("Folders"), &["folder"]),
            Item::new(tr_in!("list", "Open ports"), &["port"]),
            Item::new(tr!("Environments"), &["env"]),
            Item::new(tr!("Available resources"), &["resources"]),
            Item::new(tr!("Notifications"), &["notifications"]),
            Item::new(tr!("Contexts"), &["contexts"]),
            Item::new(tr!("Check this machine for problems"), &["doctor"]),
            Item::new(tr!("Help"), &["help"]),
            Item::new(tr!("Quit"), &["quit"]),
        ],
        session: None,
        is_session: false,
    }
}

fn about(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string);
    about.unwrap_or_else(|| command.get_name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::parts,
        model::{status::Status, testing},
    };

    fn labels(status: Status) -> Vec<String> {
        let session = Session {
            status,
            ..testing::session(1 << 96, "train-1")
        };
        let place = of_session(&parts::tree(), &session, "train-1");
        place.items.into_iter().map(|item| item.label).collect()
    }

    #[test]
    fn a_session_offers_what_its_state_allows() {
        let running = labels(Status::Running);
        for label in ["Details", "Shell", "Terminate", "Apps"] {
            assert!(running.iter().any(|it| it == label), "{label}: {running:?}");
        }
        let waiting = labels(Status::Pending);
        assert!(waiting.iter().any(|it| it == "Change the priority"));
        assert!(waiting.iter().all(|it| it != "Shell"));
        let ended = labels(Status::Terminated);
        assert!(ended.iter().any(|it| it == "Delete from the list"));
        assert!(ended.iter().all(|it| it != "Terminate"));
    }

    #[test]
    fn a_command_without_a_label_appears_with_its_help() {
        let running = labels(Status::Running);
        let commit = "Create an image from a running session";
        assert!(running.iter().any(|it| it == commit), "{running:?}");
    }

    #[test]
    fn each_item_leads_to_a_word_or_a_command() {
        let tree = parts::tree();
        let session = testing::session(1 << 96, "train-1");
        let items = main().items.into_iter();
        for item in items.chain(of_session(&tree, &session, "train-1").items) {
            let is_word = words::find(&item.words).is_some();
            assert!(
                is_word || words::command(&tree, &item.words).1 > 0,
                "{item:?}"
            );
        }
    }
}
