//! The keys, clicks and hints of the app launcher.

use super::{AppLauncher, AppPage};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        input::Input,
        panels::{DialogButton, Hint, INPUT_HINTS, MOVE, Panel, PanelEnv},
        step::Step,
    },
    key::Key,
};

const LIST_HINTS: &[Hint] = &[
    (Scope::Apps, &[Action::AppOpen], tr_later!("open")),
    (Scope::Apps, &[Action::AppOptions], tr_later!("options")),
    (
        Scope::Apps,
        &[Action::AppProxy],
        tr_later!("at the cluster's proxy"),
    ),
    (Scope::Apps, &[Action::AppLog], tr_later!("log")),
    (Scope::Apps, &[Action::AppStop], tr_later!("stop")),
    (Scope::Apps, &[Action::AppRestart], tr_later!("restart")),
    (Scope::Apps, &[Action::AppsRefresh], tr_later!("refresh")),
    (Scope::Global, &[Action::Back], tr_later!("close")),
    (Scope::Apps, MOVE, tr_later!("move")),
];

/// The hints of the rows that aren't apps.
const OTHER_HINTS: &[Hint] = &[
    (Scope::Apps, &[Action::AppOpen], tr_later!("open")),
    (Scope::Apps, &[Action::AppsRefresh], tr_later!("refresh")),
    (Scope::Global, &[Action::Back], tr_later!("close")),
    (Scope::Apps, MOVE, tr_later!("move")),
];

const STARTING_HINTS: &[Hint] = &[(Scope::Global, &[Action::Back], tr_later!("background"))];

const FAILED_HINTS: &[Hint] = &[
    (Scope::Apps, &[Action::AppOpen], tr_later!("try again")),
    (Scope::Apps, &[Action::AppOptions], tr_later!("options")),
    (Scope::Apps, &[Action::AppLog], tr_later!("log")),
    (Scope::Global, &[Action::Back], tr_later!("back")),
    (Scope::Apps, MOVE, tr_later!("scroll")),
];

const LOG_HINTS: &[Hint] = &[
    (Scope::Apps, &[Action::AppsRefresh], tr_later!("refresh")),
    (Scope::Apps, MOVE, tr_later!("scroll")),
    (Scope::Global, &[Action::Back], tr_later!("back")),
];

const END_HINTS: &[Hint] = &[
    (Scope::Confirm, &[Action::ConfirmYes], tr_later!("yes")),
    (Scope::Confirm, &[Action::ConfirmNo], tr_later!("cancel")),
    (
        Scope::Confirm,
        &[Action::ConfirmToggle],
        tr_later!("other button"),
    ),
    (Scope::Confirm, &[Action::ConfirmPress], tr_later!("press")),
];

impl Panel for AppLauncher {
    fn scope(&self) -> Scope {
        match &self.page {
            AppPage::List | AppPage::Starting(_) | AppPage::Failed(_) | AppPage::Log(_) => {
                Scope::Apps
            }
            AppPage::Options(_) | AppPage::Public(_) => Scope::Input,
            AppPage::End(_) => Scope::Confirm,
            AppPage::Opened(_) | AppPage::Proxied(_) | AppPage::Ssh(_) => Scope::Opened,
        }
    }

    fn outer_scopes(&self) -> &'static [Scope] {
        match &self.page {
            // The keys that move between fields are those of the launcher.
            AppPage::Options(_) => &[Scope::Launcher],
            AppPage::Public(_) => &[],
            _ => &[Scope::Global],
        }
    }

    fn is_form(&self) -> bool {
        matches!(self.page, AppPage::Options(_) | AppPage::Public(_))
    }

    fn input(&mut self) -> Option<&mut Input> {
        match &mut self.page {
            AppPage::Options(form) => form.input(),
            AppPage::Public(question) => Some(&mut question.input),
            _ => None,
        }
    }

    fn key(&mut self, key: Key, _: &PanelEnv<'_>) -> Option<Vec<Step>> {
        if let AppPage::Options(form) = &mut self.page {
            return form.key(key).then(Vec::new);
        }
        self.input()?.key(key).then(Vec::new)
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        if matches!(action, Action::Back | Action::InputCancel) {
            return self.back(env);
        }
        match &mut self.page {
            AppPage::List => self.on_list(action, env),
            AppPage::Options(_) if action == Action::InputSubmit => self.submit_form(env),
            AppPage::Options(form) => {
                form.action(action);
                Vec::new()
            }
            AppPage::Public(_) if action == Action::InputSubmit => self.confirm_public(env),
            AppPage::Public(_) | AppPage::Starting(_) => Vec::new(),
            AppPage::End(_) => self.on_question(action, env),
            AppPage::Failed(_) => self.on_failed(action, env),
            AppPage::Opened(_) => self.on_opened(action, env),
            AppPage::Proxied(_) => self.on_proxied(action),
            AppPage::Log(_) => self.on_log(action),
            AppPage::Ssh(_) => self.on_ssh(action, env),
        }
    }

    /// Goes back to the list, and from the list closes the panel. A start continues in the background.
    fn back(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        let page = std::mem::replace(&mut self.page, AppPage::List);
        match page {
            AppPage::List => vec![Step::CLOSE],
            AppPage::Public(question) => {
                self.page = AppPage::Options(Box::new(question.form));
                Vec::new()
            }
            // The state of the app may have changed.
            AppPage::Starting(_)
            | AppPage::Opened(_)
            | AppPage::Proxied(_)
            | AppPage::Failed(_) => {
                self.asked += 1;
                vec![self.ask()]
            }
            AppPage::Options(_) | AppPage::End(_) | AppPage::Log(_) | AppPage::Ssh(_) => Vec::new(),
        }
    }

    /// A click marks a row. A click on the marked row opens it.
    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match (part, &mut self.page) {
            (DialogPart::Outside, AppPage::List) => vec![Step::CLOSE],
            (DialogPart::Row(row), AppPage::List) => {
                let Some(at) = self.listing.entry_at(row, self.list.marked(), self.height) else {
                    return Vec::new();
                };
                if at == self.list.marked() {
                    return self.open(env);
                }
                self.list.go_to(at, self.listing.entries().len());
                Vec::new()
            }
            (DialogPart::Row(row), AppPage::Options(form)) => {
                form.go_to(row);
                Vec::new()
            }
            (DialogPart::Button(DialogButton::Yes), AppPage::End(_)) => self.end(env),
            (DialogPart::Button(DialogButton::No), AppPage::End(_)) => self.back(env),
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, _: &PanelEnv<'_>) {
        match &mut self.page {
            AppPage::Log(log) => {
                let count = log.count();
                log.list.move_by(by, count);
            }
            AppPage::Failed(failed) => {
                let count = failed.lines();
                failed.list.move_by(by, count);
            }
            AppPage::Ssh(page) => page.move_by(by.signum()),
            AppPage::List => self.list.move_by(by.signum(), self.listing.entries().len()),
            _ => {}
        }
    }

    fn laid_out(&mut self, height: usize, env: &PanelEnv<'_>) {
        self.height = height;
        self.list.laid_out(height, self.listing.entries().len());
        let route = env.facts.ssh_route();
        match &mut self.page {
            AppPage::Log(log) => {
                let count = log.count();
                log.list.laid_out(height, count);
            }
            AppPage::Failed(failed) => {
                let count = failed.lines();
                failed.list.laid_out(height, count);
            }
            AppPage::Ssh(page) => page.laid_out(height, &self.name, &route),
            _ => {}
        }
    }

    fn hints(&self) -> Vec<Hint> {
        match &self.page {
            AppPage::List if self.app().is_some() => {
                let mut hints = LIST_HINTS.to_vec();
                hints.retain(|hint| self.has_proxy || *hint.1 != [Action::AppProxy]);
                hints
            }
            AppPage::List => OTHER_HINTS.to_vec(),
            AppPage::Options(form) => form.hints(),
            AppPage::Public(_) => INPUT_HINTS.to_vec(),
            AppPage::End(_) => END_HINTS.to_vec(),
            AppPage::Starting(_) => STARTING_HINTS.to_vec(),
            AppPage::Failed(failed) => {
                let mut hints = FAILED_HINTS.to_vec();
                let needs_app =
                    |hint: &Hint| matches!(hint.1, [Action::AppOptions | Action::AppLog]);
                hints.retain(|hint| failed.app.is_some() || !needs_app(hint));
                hints
            }
            AppPage::Opened(page) => page.hints(),
            AppPage::Proxied(page) => page.hints(),
            AppPage::Log(_) => LOG_HINTS.to_vec(),
            AppPage::Ssh(page) => page.hints(),
        }
    }

    fn problem(&self) -> Option<String> {
        match &self.page {
            AppPage::Options(form) => form.problem.clone(),
            AppPage::Public(question) => question.problem(&self.name),
            _ => None,
        }
    }
}
