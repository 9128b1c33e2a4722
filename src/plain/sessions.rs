//! Lists of sessions, contexts and notifications, which plain mode prints itself.

use super::{
    Plain,
    console::Leave,
    list::{self, Listing},
    menu::{self, Item, Place},
    words,
};
use crate::{
    cli::parts::{self, Failed},
    model::{session::Session, status::Tab},
    rules::filter::quoted,
};

/// How many notifications are printed.
const NOTIFICATIONS: usize = 20;

impl Plain {
    /// Lists a tab.
    pub(super) fn list(&mut self, tab: Option<Tab>, filter: String) {
        if let Err(failed) = self.try_list(tab, filter) {
            self.failed(&failed);
            self.console.say(tr!("Press Enter to try again."));
        }
    }

    fn try_list(&mut self, tab: Option<Tab>, filter: String) -> Result<(), Failed> {
        let found = parts::sessions(&self.start, tab, &filter)?;
        for remark in &found.remarks {
            self.console.say(&tr!("Warning: {remark}", remark));
        }
        self.listing = Listing::new(tab, filter, found);
        self.console.say(&self.listing.heading());
        self.next_page();
        Ok(())
    }

    pub(super) fn next_page(&mut self) {
        let lines = self.listing.next_page(parts::now());
        if !lines.is_empty() {
            self.console.say(&lines.join("\n"));
        }
    }

    pub(super) fn filter(&mut self, text: &str) -> Result<(), Leave> {
        let filter = if !text.is_empty() {
            text.to_owned()
        } else if self.listing.filter.is_empty() {
            self.console.ask(tr!(
                "Filter, for example train status:failed gpu>0. Enter lists everything: "
            ))?
        } else {
            String::new()
        };
        self.places.clear();
        if let Err(failed) = self.try_list(self.listing.tab, filter) {
            self.failed(&failed);
            self.console
                .say(tr!("The list and its filter haven't changed."));
        }
        Ok(())
    }

    /// Opens the menu of a session by its number or its name.
    pub(super) fn open_typed(&mut self, word: &str) {
        match words::numbered(word, &self.listing.words) {
            Ok(Some(found)) if found.len() == 1 => self.open(&found[0]),
            Ok(Some(_)) => self.console.say(tr!("Error: type one number.")),
            Ok(None) => self.open(word),
            Err(why) => self.console.say(&tr!("Error: {why}", why)),
        }
    }

    /// Opens the menu of a session, with its state now.
    pub(super) fn open(&mut self, word: &str) {
        let known = self.listing.words.iter().position(|it| it == word);
        let name = known.map(|at| self.listing.sessions[at].name.to_string());
        let filter = name.map(|name| format!("name={}", quoted(&name)));
        let found = match parts::sessions(&self.start, None, &filter.unwrap_or_default()) {
            Ok(found) => found.sessions,
            Err(failed) => return self.failed(&failed),
        };
        let is_meant = |(name, session): &&(String, Session)| {
            name == word || (word.len() > 1 && session.id.to_string().starts_with(word))
        };
        let Some((word, session)) = found.iter().find(is_meant) else {
            self.console.say(&tr!(
                "Error: session '{word}' not found. Type list for the names.",
                word
            ));
            return;
        };
        let place = menu::of_session(&self.tree, session, word);
        self.console.say(&list::line(session, false, parts::now()));
        if self
            .places
            .last()
            .is_some_and(|it| it.is_session && it.session == place.session)
        {
            self.places.pop();
        }
        self.enter(place);
    }

    pub(super) fn contexts(&mut self) {
        let contexts = match parts::contexts(&self.start) {
            Ok(contexts) => contexts,
            Err(failed) => return self.failed(&failed),
        };
        let now = parts::context(&self.start).ok();
        let items = contexts.into_iter().map(|(name, state)| {
            let used = if Some(name) == now {
                tr!(", in use")
            } else {
                ""
            };
            Item::new(format!("{name}{used}, {state}"), &["switch", name.as_str()])
        });
        self.enter(Place {
            name: "contexts".to_owned(),
            items: items.collect(),
            ..Place::default()
        });
    }

    pub(super) fn switch(&mut self, name: Option<&str>) {
        let Some(name) = name else {
            return self.console.say(tr!(
                "Type switch and the name of a context. Type contexts for the names."
            ));
        };
        match self.start.contexts.named(name) {
            Ok(context) => {
                self.start.requested_context = Some(context.to_string());
                self.places.clear();
                self.console.say(&tr!("Context {context}.", context));
                self.list(Some(Tab::Running), String::new());
            }
            Err(why) => self.console.say(&tr!("Error: {why}", why)),
        }
    }

    pub(super) fn notifications(&self) {
        let notices = match parts::notifications(&self.start) {
            Ok(notices) => notices,
            Err(failed) => return self.failed(&failed),
        };
        if notices.is_empty() {
            return self.console.say(tr!("No notifications."));
        }
        let newest = notices.iter().rev().take(NOTIFICATIONS);
        let lines: Vec<String> = newest
            .map(|notice| format!("{}, {}", parts::moment(notice.at), notice.text))
            .collect();
        self.console.say(&lines.join("\n"));
    }
}
