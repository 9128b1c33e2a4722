//! The launcher: prepares a launch on five pages. All fields have initial values, problems appear next to
//! their field while you type, and typed values are never lost.

mod again;
pub mod allocation;
mod forecast;
mod fresh;
mod go;
mod grown;
pub mod help;
mod hints;
mod info;
mod network;
mod overlay;
mod page;
mod panel;
mod recipe;
mod requests;
mod review;
mod script;
mod session_type;
mod storage;
mod turn;

use jiff::Timestamp;

use super::{
    allowed::why_no_launch_in, facts::Facts, mirror::Mirror, shown_contexts::ShownContexts,
};
use crate::{
    model::{
        failure::Failure,
        id::{ContextName, SessionKey},
        launch_field::{FieldProblem, LaunchField},
        spec::LaunchRequest,
    },
    rules::launch::{self, grown::Grown, relaunch::Missing},
};

pub use again::{EarlierLaunch, KeptHome};
pub use allocation::AllocationForm;
pub use forecast::{QueueForecast, Shortfall};
pub use go::Destination;
pub use info::LaunchInfo;
pub use network::NetworkForm;
pub use overlay::{Confirmation, Overlay, PathPrompt, PathPurpose, QuestionSubject};
pub use page::{FormResponse, FormRow, Page, PageForm, Unfinished};
pub use review::{CARDS, LAUNCH, ReviewForm};
pub use script::ScriptInput;
pub use session_type::{ACCESS_KEY, EMAIL, OwnerSearch, PROJECT, SessionTypeForm};
pub use storage::{FolderCreation, FolderEntry, FolderRow, StorageForm};

/// The progress of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LaunchProgress {
    #[default]
    Editing,
    /// The daemon has the request but hasn't answered it yet.
    Asked,
    Failed(Failure),
}

/// The mark of a page in the list of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepMark {
    Unseen,
    Done,
    Wrong,
}

#[derive(Clone, Debug)]
pub struct Launcher {
    /// Tells this launcher from an earlier one whose launch is answered late.
    pub id: u64,
    /// The waiting session that this launch replaces.
    pub replaces: Option<SessionKey>,
    page: Page,
    /// The focused row of each page.
    focus: [Option<FormRow>; Page::ALL.len()],
    seen: [bool; Page::ALL.len()],
    pub session_type: SessionTypeForm,
    pub allocation: AllocationForm,
    pub storage: StorageForm,
    pub network: NetworkForm,
    pub review: ReviewForm,
    info: LaunchInfo,
    /// The content of all forms after the last change.
    request: LaunchRequest,
    /// The request with the amounts of its preset.
    filled: LaunchRequest,
    /// The content of the forms when the launcher was opened or reset.
    begun: LaunchRequest,
    problems: Vec<FieldProblem>,
    warnings: Vec<FieldProblem>,
    /// Why no launch is possible in the context now.
    blocked: Option<String>,
    /// The project of the last catalog request.
    asked_project: Option<String>,
    /// The time of the last catalog request.
    asked_at: Timestamp,
    /// When to request the catalog again, because sessions have started or ended.
    due: Option<Timestamp>,
    overlay: Option<Overlay>,
    /// What the engine doesn't report about the launch that filled the forms.
    pub missing: Vec<Missing>,
    /// The launch is repeated with more memory.
    grown: Option<Grown>,
    /// The home directory that it takes over; `None` = a new one.
    home: Option<KeptHome>,
    /// Something was chosen or typed since the launcher was opened.
    edited: bool,
    /// The warning about a launch without folders was shown. The next Enter launches.
    warned: bool,
    pub progress: LaunchProgress,
    /// Something was typed after the launch was sent.
    edited_since: bool,
}

impl Launcher {
    /// Creates a launcher for the shown context, or for any of them.
    #[must_use]
    pub fn new(facts: &Facts, mirror: &Mirror, shown: ShownContexts, now: Timestamp) -> Self {
        let names = || mirror.contexts().iter().map(|s| s.context.name);
        let free = |name: &ContextName| why_no_launch_in(*name, mirror).is_none();
        let context = shown
            .one()
            .or_else(|| names().find(free))
            .or_else(|| names().next())
            .unwrap_or_else(ContextName::local);
        let several = shown == ShownContexts::All && mirror.has_several_contexts();
        let contexts = if several {
            names().collect()
        } else {
            Vec::new()
        };
        let mut info = LaunchInfo::new(facts, context, contexts);
        info.now = now;
        info.update(mirror);
        let mut launcher = Self {
            id: 0,
            replaces: None,
            page: Page::Kind,
            focus: [None; Page::ALL.len()],
            seen: [true, false, false, false, false],
            session_type: SessionTypeForm::default(),
            allocation: AllocationForm::default(),
            storage: StorageForm::default(),
            network: NetworkForm::default(),
            review: ReviewForm,
            info,
            request: LaunchRequest::default(),
            filled: LaunchRequest::default(),
            begun: LaunchRequest::default(),
            problems: Vec::new(),
            warnings: Vec::new(),
            blocked: why_no_launch_in(context, mirror),
            asked_project: None,
            asked_at: now,
            due: None,
            overlay: None,
            missing: Vec::new(),
            grown: None,
            home: None,
            edited: false,
            warned: false,
            progress: LaunchProgress::Editing,
            edited_since: false,
        };
        launcher.fill(&LaunchRequest::default());
        launcher.begun = launcher.request.clone();
        launcher
    }

    /// Fills every form from `request`.
    pub fn fill(&mut self, request: &LaunchRequest) {
        for page in Page::ALL {
            let (form, info) = self.form_mut(page);
            form.read(request, info);
        }
        self.check();
    }

    pub fn page(&self) -> Page {
        self.page
    }

    pub fn info(&self) -> &LaunchInfo {
        &self.info
    }

    pub fn request(&self) -> &LaunchRequest {
        &self.request
    }

    /// Why no launch is possible in the context now.
    pub fn blocked(&self) -> Option<&str> {
        self.blocked.as_deref()
    }

    /// The request with the amounts of its preset.
    pub fn filled(&self) -> &LaunchRequest {
        &self.filled
    }

    pub fn warnings(&self) -> &[FieldProblem] {
        &self.warnings
    }

    pub fn problems(&self) -> &[FieldProblem] {
        &self.problems
    }

    /// The overlay on top of the page.
    pub fn overlay(&self) -> Option<&Overlay> {
        self.overlay.as_ref()
    }

    /// The context whose environments are listed.
    pub fn context(&self) -> ContextName {
        self.info.context
    }

    pub fn form(&self, page: Page) -> &dyn PageForm {
        match page {
            Page::Kind => &self.session_type,
            Page::Allocation => &self.allocation,
            Page::Storage => &self.storage,
            Page::Network => &self.network,
            Page::Review => &self.review,
        }
    }

    fn form_mut(&mut self, page: Page) -> (&mut dyn PageForm, &LaunchInfo) {
        let form: &mut dyn PageForm = match page {
            Page::Kind => &mut self.session_type,
            Page::Allocation => &mut self.allocation,
            Page::Storage => &mut self.storage,
            Page::Network => &mut self.network,
            Page::Review => &mut self.review,
        };
        (form, &self.info)
    }

    /// The rows of the page that can have the focus, from the top.
    pub fn rows(&self) -> Vec<FormRow> {
        self.form(self.page).rows(&self.info)
    }

    /// The focused row.
    pub fn row(&self) -> FormRow {
        let rows = self.rows();
        let kept = self.focus[self.page.position()].filter(|row| rows.contains(row));
        kept.or_else(|| self.form(self.page).first(&self.info))
            .unwrap_or(FormRow::of(LaunchField::SessionType))
    }

    /// The problem with a field.
    pub fn problem(&self, field: LaunchField) -> Option<&str> {
        if let LaunchProgress::Failed(failure) = &self.progress
            && failure.field == Some(field)
        {
            return Some(failure.what.as_str());
        }
        let wrong = self.problems.iter().find(|it| it.field == field);
        wrong.map(|it| it.message.as_str())
    }

    /// The row that fixes a problem, `None` if there is none.
    pub fn row_of(&self, problem: &FieldProblem) -> Option<FormRow> {
        let page = problem.field.row().page;
        self.form(page).row_of(problem, &self.info)
    }

    /// The problem with one line of a field that is a list.
    pub fn problem_on(&self, row: FormRow) -> Option<&str> {
        let is_here = |it: &FieldProblem| it.field == row.field && self.row_of(it) == Some(row);
        if let LaunchProgress::Failed(failure) = &self.progress
            && let Some(field) = failure.field
            && is_here(&FieldProblem::new(field, ""))
        {
            return Some(failure.what.as_str());
        }
        let wrong = self.problems.iter().find(|it| is_here(it));
        wrong.map(|it| it.message.as_str())
    }

    /// A warning about a field that has no problem.
    pub fn warning(&self, field: LaunchField) -> Option<&str> {
        let found = self.warnings.iter().find(|it| it.field == field);
        found.map(|it| it.message.as_str())
    }

    /// The problems on a page.
    pub fn wrong_on(&self, page: Page) -> impl Iterator<Item = (LaunchField, &str)> {
        let refused = match &self.progress {
            LaunchProgress::Failed(failure) => {
                failure.field.map(|field| (field, failure.what.as_str()))
            }
            _ => None,
        };
        let problems = self.problems.iter();
        let problems = problems.map(|it| (it.field, it.message.as_str()));
        refused
            .into_iter()
            .chain(problems)
            .filter(move |(field, _)| field.row().page == page)
    }

    pub fn mark(&self, page: Page) -> StepMark {
        if self.wrong_on(page).next().is_some() {
            return StepMark::Wrong;
        }
        let done = self.seen[page.position()] && page < Page::Review;
        if done {
            StepMark::Done
        } else {
            StepMark::Unseen
        }
    }

    /// Closing would lose something: a choice or a text since the launcher was opened.
    pub fn is_touched(&self) -> bool {
        let has_problems = || {
            let mut forms = Page::ALL.into_iter().map(|page| self.form(page));
            forms.any(|form| !form.problems(&self.info).is_empty())
        };
        self.edited && (self.request != self.begun || has_problems())
    }

    /// Builds the request from the forms again and finds its problems.
    fn check(&mut self) {
        let mut request = LaunchRequest::default();
        let mut problems = Vec::new();
        for page in Page::ALL {
            let form = self.form(page);
            form.write(&mut request, &self.info);
            problems.extend(form.problems(&self.info));
        }
        self.info.defaults.secrets.mark(&mut request);
        request.home_of = self.kept_home().map(|it| it.session.id);
        let (info, blocked) = (&self.info, &self.blocked);
        problems.extend(
            blocked
                .iter()
                .map(|why| FieldProblem::new(LaunchField::Context, why)),
        );
        info.with_ground(&request, |ground| {
            problems.extend(launch::check(&request, ground));
            self.warnings = launch::warnings(&request, ground);
            self.filled = ground.filled(&request);
        });
        problems.sort_by_key(|it| (it.field.row().page, it.field, it.item));
        self.problems = problems;
        self.request = request;
    }
}
