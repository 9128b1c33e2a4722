//! The list of results of the last action on several sessions.

use super::super::{Hint, MOVE, Panel, PanelEnv, scroll::ListCursor};
use crate::{
    action::{Action, Scope},
    app::{area::DialogPart, bulk::BulkReport, step::Step},
    key::Key,
};

/// What a line of the list is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportKind {
    Failed,
    LeftOut,
    Done,
}

#[derive(Clone, Debug)]
pub struct BulkResults {
    pub report: BulkReport,
    pub list: ListCursor,
}

impl BulkResults {
    #[must_use]
    pub fn new(report: BulkReport) -> Self {
        Self {
            report,
            list: ListCursor::default(),
        }
    }

    /// All lines: what failed, what was left out, what worked.
    pub fn rows(&self) -> Vec<(ReportKind, String)> {
        let failed = self.report.failed.iter();
        let failed = failed.map(|(name, why)| (ReportKind::Failed, format!("{name}: {why}")));
        let refused = self.report.refused.iter().cloned();
        let refused = refused.map(|it| (ReportKind::LeftOut, it));
        let done = self.report.done.iter();
        let done = done.map(|it| (ReportKind::Done, it.name.to_string()));
        failed.chain(refused).chain(done).collect()
    }

    fn text(&self) -> String {
        let line = |(kind, text): (ReportKind, String)| {
            let word = match kind {
                ReportKind::Failed => tr!("failed"),
                ReportKind::LeftOut => tr!("left out"),
                ReportKind::Done => self.report.verb.done(),
            };
            format!("{word}\t{text}")
        };
        let lines: Vec<String> = self.rows().into_iter().map(line).collect();
        lines.join("\n")
    }
}

const HINTS: &[Hint] = &[
    (Scope::Notices, MOVE, tr_later!("move")),
    (Scope::Notices, &[Action::NoticeCopy], tr_later!("copy all")),
    (Scope::Global, &[Action::Back], tr_later!("close")),
];

impl Panel for BulkResults {
    fn scope(&self) -> Scope {
        Scope::Notices
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        if self.list.action(action, self.rows().len()) {
            return Vec::new();
        }
        match action {
            Action::NoticeCopy => vec![Step::Copy(self.text())],
            Action::Back | Action::BulkResults => self.back(env),
            _ => Vec::new(),
        }
    }

    fn click(&mut self, part: DialogPart, _: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Outside => vec![Step::CLOSE],
            DialogPart::Row(row) => {
                let at = self.list.scroll() + row;
                self.list.go_to(at, self.rows().len());
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, _: &PanelEnv<'_>) {
        self.list.move_by(by, self.rows().len());
    }

    fn laid_out(&mut self, height: usize, _: &PanelEnv<'_>) {
        self.list.laid_out(height, self.rows().len());
    }

    fn hints(&self) -> Vec<Hint> {
        HINTS.to_vec()
    }
}
