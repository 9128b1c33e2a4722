//! Actions on the marked sessions: the dialog, the requests, and their result.

use std::collections::HashSet;

use jiff::Timestamp;

use super::App;
use crate::{
    action::{Action, Scope},
    app::{
        allowed::why_not,
        bulk::{BulkJob, BulkPlan, BulkReport, BulkVerb, counted},
        focus::Focus,
        panels::{
            bulk::{BulkDialog, report::BulkResults},
            bulk_priority::BulkPriority,
            export::ExportForm,
        },
        step::Step,
    },
    model::{failure::Failure, id::SessionKey, notice::Level, session::Session},
    protocol::message::Reply,
};

impl App {
    /// Whether actions apply to the marked sessions instead of the selected one.
    pub fn acts_on_marked(&self) -> bool {
        self.focus() == Focus::Sessions && !self.sessions.marks.is_empty()
    }

    /// The marked sessions: those of the list in its order, then the others.
    pub(super) fn marked(&self) -> Vec<&Session> {
        let marks = &self.sessions.marks;
        let rows: HashSet<SessionKey> = self.sessions.keys().iter().copied().collect();
        let in_list = self.sessions.keys().iter().copied();
        let in_list = in_list.filter(|key| marks.has(*key));
        let others = marks.keys().filter(|key| !rows.contains(key));
        let keys = in_list.chain(others);
        keys.filter_map(|key| self.mirror.session(key)).collect()
    }

    fn why_not_this(&self, action: Action, session: &Session) -> Option<String> {
        let shown = self.sessions.shown();
        why_not(action, Some(session), shown, &self.mirror, &self.facts)
    }

    /// Why an action is possible with none of the marked sessions. `None` if the action isn't about several
    /// sessions, or possible with one of them.
    pub(super) fn why_not_marked(&self, action: Action) -> Option<String> {
        verb_of(action)?;
        let marked = self.marked();
        let mut first = None;
        for session in &marked {
            let why = self.why_not_this(action, session)?;
            first.get_or_insert(why);
        }
        match (first, marked.len()) {
            (Some(why), count @ 2..) => Some(tr!(
                "not possible for the {count} marked sessions: {why}",
                count,
                why
            )),
            (first, _) => first,
        }
    }

    /// An action on the marked sessions, `None` if it applies only to the selected one.
    pub(super) fn on_marked(&mut self, action: Action, now: Timestamp) -> Option<Vec<Step>> {
        if action == Action::CopyId {
            let ids: Vec<String> = self.marked().iter().map(|it| it.id.to_string()).collect();
            return Some(vec![Step::Copy(ids.join("\n"))]);
        }
        let verb = verb_of(action)?;
        if let Some(why) = self.why_not_marked(action) {
            return Some(vec![Step::toast(Level::Warning, why)]);
        }
        if action == Action::SessionPriority {
            self.panels
                .push(BulkPriority::new(self.sessions.marks.len()));
            return Some(Vec::new());
        }
        Some(self.open_bulk(verb, now))
    }

    /// Asks for confirmation of an action on the marked sessions.
    pub(super) fn open_bulk(&mut self, verb: BulkVerb, now: Timestamp) -> Vec<Step> {
        let action = verb.action();
        let plan = BulkPlan::new(verb, self.marked(), |it| self.why_not_this(action, it));
        if plan.targets.is_empty() {
            let why = plan.refused.first().cloned();
            let why = why.unwrap_or_else(|| tr!("no session is marked").to_owned());
            return vec![Step::toast(Level::Warning, why)];
        }
        let keys = plan.targets.iter().map(|it| it.key);
        let sessions: Vec<Session> = keys
            .filter_map(|key| self.mirror.session(key).cloned())
            .collect();
        let mut dialog = BulkDialog::new(plan, &sessions, &self.env(now));
        let steps = dialog.ask_files();
        self.panels.push(dialog);
        steps
    }

    pub(super) fn start_bulk(&mut self, plan: BulkPlan) -> Vec<Step> {
        let open = self.mirror.sessions().filter(|it| !it.has_ended());
        let taken = open.map(|it| it.name.to_string()).collect();
        let mut job = BulkJob::new(self.ids.ticket(), plan, taken);
        let steps = job.ask();
        self.bulk.jobs.push(job);
        steps
    }

    pub(super) fn bulk_answered(
        &mut self,
        (job, session): (u64, SessionKey),
        result: Result<Reply, Failure>,
    ) -> Vec<Step> {
        let mut jobs = self.bulk.jobs.iter_mut();
        let job = jobs.find(|it| it.id() == job);
        job.map_or_else(Vec::new, |job| job.answered(session, result))
    }

    /// Reports the actions that every session has a result of.
    pub(super) fn follow_bulk(&mut self) -> Vec<Step> {
        if self.bulk.jobs.is_empty() {
            return Vec::new();
        }
        let mut reports: Vec<BulkReport> = Vec::new();
        let mirror = &self.mirror;
        self.bulk.jobs.retain_mut(|job| {
            job.follow(mirror);
            reports.extend(job.report().cloned());
            job.report().is_none()
        });
        let steps = reports.iter().map(|report| self.bulk_toast(report));
        let steps = steps.collect();
        for report in reports {
            // The others stay marked, so that the action can be repeated.
            for target in &report.done {
                self.sessions.marks.remove(target.key);
            }
            self.bulk.report = Some(report);
        }
        steps
    }

    fn bulk_toast(&self, report: &BulkReport) -> Step {
        let mut text = report.summary();
        let is_complete = report.failed.is_empty() && report.refused.is_empty();
        let keys = self.keymap.keys_for(Scope::Sessions, Action::BulkResults);
        if let (false, Some(key)) = (is_complete, keys.first()) {
            text = tr!("{text}\n{key} results", text, key);
        }
        let level = if report.failed.is_empty() {
            Level::Success
        } else {
            Level::Warning
        };
        Step::toast(level, text)
    }

    pub(super) fn show_bulk_results(&mut self) -> Vec<Step> {
        match &self.bulk.report {
            Some(report) => {
                self.panels.push(BulkResults::new(report.clone()));
                Vec::new()
            }
            None => {
                let text = tr!("no action on several sessions has finished yet");
                vec![Step::toast(Level::Info, text)]
            }
        }
    }

    /// Asks for the file that the marked sessions are exported to, or all of the list if none is marked.
    pub(super) fn open_export(&mut self) -> Vec<Step> {
        let keys: Vec<SessionKey> = if self.sessions.marks.is_empty() {
            self.sessions.keys().to_vec()
        } else {
            self.marked().iter().map(|it| it.key()).collect()
        };
        if keys.is_empty() {
            return vec![Step::toast(Level::Info, tr!("no session to export"))];
        }
        self.panels.push(ExportForm::new(keys));
        Vec::new()
    }

    pub(super) fn mark_all(&mut self) -> Vec<Step> {
        self.sessions.mark_all(&self.mirror);
        let (shown, tab) = (self.sessions.shown(), self.sessions.tab());
        let is_partial = self.mirror.count(shown, tab) > self.mirror.total(shown, tab);
        let marked = self.sessions.marks.len();
        if marked == 0 || !is_partial {
            return Vec::new();
        }
        let text = tr!(
            "{marked} marked. Sessions that aren't loaded yet aren't marked",
            marked = counted(marked)
        );
        vec![Step::toast(Level::Info, text)]
    }
}

/// Whether an action can apply to several sessions at once.
pub(super) fn is_bulk(action: Action) -> bool {
    action == Action::CopyId || verb_of(action).is_some()
}

fn verb_of(action: Action) -> Option<BulkVerb> {
    Some(match action {
        Action::SessionTerminate => BulkVerb::Terminate { force: false },
        Action::SessionAgain => BulkVerb::Relaunch,
        Action::SessionExtend => BulkVerb::Extend,
        Action::SessionPriority => BulkVerb::Priority(0),
        _ => return None,
    })
}
