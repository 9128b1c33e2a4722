//! Recent launches: the pinned ones and the newest.

use super::{Hint, INPUT_HINTS, MOVE, Panel, PanelEnv, scroll::ListCursor};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        input::Input,
        launcher::EarlierLaunch,
        step::{Purpose, Step},
    },
    key::Key,
    model::{
        failure::Failure,
        notice::Level,
        recent::{Recent, RecentEdit},
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

#[derive(Clone, Debug, Default)]
pub struct Recents {
    /// `None` until the daemon has sent them.
    entries: Option<Vec<Recent>>,
    pub list: ListCursor,
    /// The new title of the marked launch, while it is typed.
    renaming: Option<Input>,
    /// Why loading or changing the launches failed.
    problem: Option<Clean>,
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

    pub fn renaming(&self) -> Option<&Input> {
        self.renaming.as_ref()
    }

    pub fn failure(&self) -> Option<&Clean> {
        self.problem.as_ref()
    }

    fn count(&self) -> usize {
        self.entries.as_ref().map_or(0, Vec::len)
    }

    fn entry(&self) -> Option<&Recent> {
        self.entries.as_ref()?.get(self.list.marked())
    }

    /// Takes the launches from the daemon, or the reason why it can't send them. The marked launch stays
    /// marked if it moved.
    pub fn answered(&mut self, result: Result<Reply, Failure>) {
        match result {
            Ok(Reply::Recents { entries }) => {
                let marked = self.entry().map(|it| it.id);
                let at = entries.iter().position(|it| Some(it.id) == marked);
                let at = at.unwrap_or(self.list.marked());
                self.list.go_to(at, entries.len());
                self.entries = Some(entries);
                self.problem = None;
            }
            Ok(_) => {}
            Err(failure) => {
                self.entries.get_or_insert_default();
                self.problem = Some(failure.message());
            }
        }
    }

    fn on_entry(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
        let Some(entry) = self.entry() else {
            return Vec::new();
        };
        let edit = |edit| vec![ask(Request::EditRecent { id: entry.id, edit })];
        match action {
            Action::RecentOpen if env.mirror.context(entry.context).is_none() => {
                let text = tr!(
                    "its context {context} isn't configured any more",
                    context = entry.context
                );
                vec![Step::toast(Level::Warning, text)]
            }
            Action::RecentOpen => {
                let relaunch = EarlierLaunch::new(entry.context, entry.launch.clone());
                vec![Step::CLOSE, Step::Relaunch(Box::new(relaunch))]
            }
            Action::RecentPin => edit(RecentEdit::Pin {
                pinned: !entry.pinned,
            }),
            Action::RecentRemove => edit(RecentEdit::Remove),
            Action::RecentRename => {
                self.renaming = Some(Input::with_marked(entry.title.as_str()));
                Vec::new()
            }
            _ => Vec::new(),
        }
    }
}

const HINTS: &[Hint] = &[
    (Scope::Recents, &[Action::RecentOpen], tr_later!("relaunch")),
    (Scope::Recents, &[Action::RecentPin], tr_later!("pin")),
    (Scope::Recents, &[Action::RecentRename], tr_later!("rename")),
    (Scope::Recents, &[Action::RecentRemove], tr_later!("remove")),
    (Scope::Recents, MOVE, tr_later!("move")),
    (Scope::Global, &[Action::Back], tr_later!("cancel")),
];

const EMPTY_HINTS: &[Hint] = &[(Scope::Global, &[Action::Back], tr_later!("cancel"))];

impl Panel for Recents {
    fn scope(&self) -> Scope {
        match self.renaming {
            Some(_) => Scope::Input,
            None => Scope::Recents,
        }
    }

    fn input(&mut self) -> Option<&mut Input> {
        self.renaming.as_mut()
    }

    /// Handles an action of the list, or of the input for a title.
    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::Back | Action::InputCancel => self.back(env),
            Action::InputSubmit => self.submit(env),
            _ if self.renaming.is_some() => Vec::new(),
            _ if self.list.action(action, self.count()) => Vec::new(),
            _ => self.on_entry(action, env),
        }
    }

    fn submit(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        let title = self.renaming.take();
        let title = title.map(|it| it.text().trim().to_owned());
        let named = title.filter(|title| !title.is_empty());
        match (named, self.entry()) {
            (Some(title), Some(entry)) if entry.title != *title => {
                vec![ask(Request::EditRecent {
                    id: entry.id,
                    edit: RecentEdit::Rename { title },
                })]
            }
            _ => Vec::new(),
        }
    }

    fn back(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        match self.renaming.take() {
            Some(_) => Vec::new(),
            None => vec![Step::CLOSE],
        }
    }

    /// A click marks a row. A click on the marked row opens it.
    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        if let DialogPart::Row(row) = part
            && self.renaming.is_none()
        {
            let at = self.list.scroll() + row;
            if at == self.list.marked() {
                return self.on_entry(Action::RecentOpen, env);
            }
            self.list.go_to(at, self.count());
        }
        Vec::new()
    }

    fn wheel(&mut self, by: isize, _: &PanelEnv<'_>) {
        self.list.move_by(by.signum(), self.count());
    }

    fn laid_out(&mut self, height: usize, _: &PanelEnv<'_>) {
        self.list.laid_out(height, self.count());
    }

    fn hints(&self) -> Vec<Hint> {
        match self.renaming {
            Some(_) => INPUT_HINTS.to_vec(),
            None if self.entries().is_none_or(<[_]>::is_empty) => EMPTY_HINTS.to_vec(),
            None => HINTS.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::{
        app::testing::TestEnv,
        model::{id::ContextName, spec::LaunchRequest},
    };

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

    fn answered(entries: Vec<Recent>) -> Recents {
        let mut recents = Recents::default();
        recents.list.laid_out(5, 0);
        recents.answered(Ok(Reply::Recents { entries }));
        recents
    }

    fn act(recents: &mut Recents, action: Action) -> Vec<Step> {
        recents.action(action, None, &TestEnv::default().env())
    }

    fn press(recents: &mut Recents, key: &str) {
        let used = recents.key(key.parse().unwrap(), &TestEnv::default().env());
        assert_eq!(used, Some(Vec::new()));
    }

    #[test]
    fn the_marked_one_stays_marked_when_it_is_pinned() {
        let mut recents = answered(vec![recent(1, "one"), recent(2, "two")]);
        act(&mut recents, Action::ListDown);
        let asked = act(&mut recents, Action::RecentPin);
        let edit = RecentEdit::Pin { pinned: true };
        assert_eq!(asked, [ask(Request::EditRecent { id: 2, edit })]);
        let entries = vec![recent(2, "two"), recent(1, "one")];
        recents.answered(Ok(Reply::Recents { entries }));
        assert_eq!(recents.list.marked(), 0);
    }

    #[test]
    fn a_title_is_typed_in_place() {
        let mut recents = answered(vec![recent(1, "one")]);
        act(&mut recents, Action::RecentRename);
        press(&mut recents, "x");
        let asked = act(&mut recents, Action::InputSubmit);
        let title = "x".to_owned();
        let edit = RecentEdit::Rename { title };
        assert_eq!(asked, [ask(Request::EditRecent { id: 1, edit })]);
        // An empty title changes nothing.
        act(&mut recents, Action::RecentRename);
        press(&mut recents, "ctrl-u");
        assert_eq!(act(&mut recents, Action::InputSubmit), []);
        assert_eq!(act(&mut answered(Vec::new()), Action::RecentOpen), []);
    }
}
