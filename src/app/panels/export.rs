//! The prompt for the file that sessions are exported to. The end of its name decides the format.

use std::path::PathBuf;

use super::{Panel, PanelEnv, PromptLine};
use crate::{
    app::{bulk::counted, input::Input, step::Step},
    model::id::SessionKey,
    rules::export::{self, ExportFormat},
};

#[derive(Clone, Debug)]
pub struct ExportForm {
    input: Input,
    sessions: Vec<SessionKey>,
}

impl ExportForm {
    #[must_use]
    pub fn new(sessions: Vec<SessionKey>) -> Self {
        Self {
            input: Input::with_text("sessions.csv"),
            sessions,
        }
    }

    fn format(&self) -> Result<ExportFormat, String> {
        ExportFormat::of_file(self.input.text().trim())
    }
}

impl Panel for ExportForm {
    fn input(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn submit(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        let Ok(format) = self.format() else {
            return Vec::new();
        };
        let sessions: Vec<_> = self
            .sessions
            .iter()
            .filter_map(|it| env.full(*it))
            .collect();
        // A relative path is in the directory where the TUI was started.
        let path: PathBuf = env.facts.directory.join(self.input.text().trim());
        let contents = export::contents(format, &sessions, env.now).into_bytes();
        vec![Step::CLOSE, Step::Save { path, contents }]
    }

    fn problem(&self) -> Option<String> {
        self.format().err()
    }

    fn prompt(&self) -> Option<PromptLine<'_>> {
        Some(PromptLine {
            label: tr!(
                "Export {sessions} to:",
                sessions = counted(self.sessions.len())
            ),
            input: &self.input,
            note: tr!(".csv or .json"),
        })
    }
}
