//! Recent launches: the pinned ones and the newest.

use super::{
    input::Input,
    step::{Purpose, Step},
};
use crate::{
    action::Action,
    key::Key,
    model::{
        failure::Failure,
        recent::{Recent, RecentEdit},
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

#[derive(Clone, Debug, Default)]
pub struct Recents {
    /// `None` until the daemon has sent them.
    entries: Option<Vec<Recent>>,
    marked: usize,
    /// The new title of the marked launch, while it is typed.
    renaming: Option<Input>,
    /// Why loading or changing the launches failed.
    problem: Option<Clean>,
    scroll: usize,
    height: usize,
}

/// The result of an action in the panel.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    None,
    Ask(Step),
    Open(Box<Recent>),
    Close,
}

fn ask(request: Request) -> Step {
    Step::Ask {
        request,
        purpose: Purpose::Recents,
    }
}

impl Recents {
    /// The request when the panel opens.
    pub fn ask() -> Step {
        ask(Request::Recents)
    }

    pub fn entries(&self) -> Option<&[Recent]> {
        self.entries.as_deref()
    }

    pub fn marked(&self) -> usize {
        self.marked
    }

    pub fn renaming(&self) -> Option<&Input> {
        self.renaming.as_ref()
    }

    pub fn problem(&self) -> Option<&Clean> {
        self.problem.as_ref()
    }

    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// Takes the number of visible rows from the layout.
    pub fn laid_out(&mut self, height: usize) {
        self.height = height.max(1);
        self.keep_visible();
    }

    fn keep_visible(&mut self) {
        let last = self.count().saturating_sub(self.height.max(1));
        self.scroll = self
            .scroll
            .max((self.marked + 1).saturating_sub(self.height.max(1)))
            .min(self.marked)
            .min(last);
    }

    fn count(&self) -> usize {
        self.entries.as_ref().map_or(0, Vec::len)
    }

    fn entry(&self) -> Option<&Recent> {
        self.entries.as_ref()?.get(self.marked)
    }

    /// Takes the launches from the daemon, or the reason why it can't send them. The marked launch stays
    /// marked if it moved.
    pub fn answered(&mut self, result: Result<Reply, Failure>) {
        match result {
            Ok(Reply::Recents { entries }) => {
                let marked = self.entry().map(|it| it.id);
                let at = entries.iter().position(|it| Some(it.id) == marked);
                self.marked = at
                    .unwrap_or(self.marked)
                    .min(entries.len().saturating_sub(1));
                self.entries = Some(entries);
                self.problem = None;
            }
            Ok(_) => {}
            Err(failure) => {
                self.entries.get_or_insert_default();
                self.problem = Some(failure.message());
            }
        }
        self.keep_visible();
    }

    pub fn move_by(&mut self, by: isize) {
        self.go_to(self.marked.saturating_add_signed(by));
    }

    /// Marks a row that was clicked.
    pub fn go_to(&mut self, at: usize) {
        self.marked = at.min(self.count().saturating_sub(1));
        self.keep_visible();
    }

    /// Handles a key while a title is typed.
    pub fn key(&mut self, key: Key) -> bool {
        self.renaming.as_mut().is_some_and(|input| input.key(key))
    }

    pub fn paste(&mut self, text: &str) {
        if let Some(input) = &mut self.renaming {
            input.paste(text);
        }
    }

    /// Handles an action of the panel, or of the input for a title.
    pub fn action(&mut self, action: Action) -> Wish {
        if self.renaming.is_some() {
            return self.in_renaming(action);
        }
        match action {
            Action::ListDown => self.move_by(1),
            Action::ListUp => self.move_by(-1),
            Action::Back | Action::Quit | Action::Interrupt => return Wish::Close,
            _ => return self.on_entry(action),
        }
        Wish::None
    }

    fn on_entry(&mut self, action: Action) -> Wish {
        let Some(entry) = self.entry() else {
            return Wish::None;
        };
        let edit = |edit| Wish::Ask(ask(Request::EditRecent { id: entry.id, edit }));
        match action {
            Action::RecentOpen => Wish::Open(Box::new(entry.clone())),
            Action::RecentPin => edit(RecentEdit::Pin {
                pinned: !entry.pinned,
            }),
            Action::RecentRemove => edit(RecentEdit::Remove),
            Action::RecentRename => {
                self.renaming = Some(Input::with_text(entry.title.as_str()));
                Wish::None
            }
            _ => Wish::None,
        }
    }

    fn in_renaming(&mut self, action: Action) -> Wish {
        match action {
            Action::InputSubmit => {
                let title = self.renaming.take();
                let title = title.map(|it| it.text().trim().to_owned());
                let named = title.filter(|title| !title.is_empty());
                match (named, self.entry()) {
                    (Some(title), Some(entry)) if entry.title != *title => {
                        Wish::Ask(ask(Request::EditRecent {
                            id: entry.id,
                            edit: RecentEdit::Rename { title },
                        }))
                    }
                    _ => Wish::None,
                }
            }
            Action::InputCancel | Action::Back | Action::Interrupt => {
                self.renaming = None;
                Wish::None
            }
            _ => Wish::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::{id::ContextName, spec::LaunchRequest};

    fn recent(id: i64, title: &str) -> Recent {
        Recent {
            id,
            at: Timestamp::UNIX_EPOCH,
            context: ContextName::local(),
            title: Clean::new(title),
            pinned: false,
            launch: LaunchRequest::default(),
        }
    }

    fn told(entries: Vec<Recent>) -> Recents {
        let mut recents = Recents::default();
        recents.laid_out(5);
        recents.answered(Ok(Reply::Recents { entries }));
        recents
    }

    #[test]
    fn the_marked_one_stays_marked_when_it_is_pinned() {
        let mut recents = told(vec![recent(1, "one"), recent(2, "two")]);
        recents.action(Action::ListDown);
        let Wish::Ask(Step::Ask { request, .. }) = recents.action(Action::RecentPin) else {
            panic!("nothing was asked");
        };
        let edit = RecentEdit::Pin { pinned: true };
        assert_eq!(request, Request::EditRecent { id: 2, edit });
        let entries = vec![recent(2, "two"), recent(1, "one")];
        recents.answered(Ok(Reply::Recents { entries }));
        assert_eq!(recents.marked(), 0);
    }

    #[test]
    fn a_title_is_typed_in_place() {
        let mut recents = told(vec![recent(1, "one")]);
        recents.action(Action::RecentRename);
        assert!(recents.key("x".parse().unwrap()));
        let Wish::Ask(Step::Ask { request, .. }) = recents.action(Action::InputSubmit) else {
            panic!("nothing was asked");
        };
        let title = "onex".to_owned();
        let edit = RecentEdit::Rename { title };
        assert_eq!(request, Request::EditRecent { id: 1, edit });
        // An empty title changes nothing.
        recents.action(Action::RecentRename);
        recents.key("ctrl-u".parse().unwrap());
        assert_eq!(recents.action(Action::InputSubmit), Wish::None);
        assert_eq!(told(Vec::new()).action(Action::RecentOpen), Wish::None);
    }
}
