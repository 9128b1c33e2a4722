//! The prompt for the folder into which files of a session are copied before it is terminated.

use std::ffi::OsStr;

use jiff::Timestamp;

use super::{Panel, PanelEnv, PromptLine, terminate::TerminateDialog};
use crate::{
    app::{
        input::Input,
        step::{Go, Step},
        transfers::{TransferJob, TransferStep},
    },
    model::{
        failure::Failure, files::FilePath, id::SessionKey, loss::Rescue, session::Session,
        text::Clean,
    },
    rules::launch::folders,
};

#[derive(Clone, Debug)]
pub struct RescueForm {
    session: SessionKey,
    name: Clean,
    /// Empty = all files that aren't in a folder.
    paths: Vec<FilePath>,
    input: Input,
    /// The session is terminated after the copy, with force or without.
    then_terminate: Option<bool>,
}

impl RescueForm {
    /// For the files that are chosen in the dialog. The session is terminated after the copy.
    #[must_use]
    pub fn before(dialog: &TerminateDialog, session: Option<&Session>, now: Timestamp) -> Self {
        let folder = session.and_then(|it| it.folders.first());
        let stamp = now.strftime("%Y%m%d-%H%M%S");
        let text = match folder {
            Some(folder) => format!("{folder}/{}-{stamp}", dialog.name),
            None => String::new(),
        };
        Self {
            session: dialog.session,
            name: dialog.name.clone(),
            paths: dialog.files.chosen(),
            input: Input::with_text(&text),
            then_terminate: Some(dialog.force),
        }
    }

    fn rescue(&self) -> Result<Rescue, Failure> {
        let typed = FilePath::parse(OsStr::new(self.input.text().trim()))?;
        let mut parts = typed.as_path().iter();
        let folder = parts.next().and_then(OsStr::to_str).unwrap_or_default();
        folders::check_name(folder).map_err(Failure::usage)?;
        let directory = FilePath::parse(parts.as_path().as_os_str())?;
        if directory.is_root() {
            let text = tr!("name a new directory of the folder: FOLDER/DIRECTORY");
            return Err(Failure::usage(text).hint(tr!("for example data/rescued")));
        }
        Ok(Rescue {
            paths: self.paths.clone(),
            folder: folder.to_owned(),
            directory,
        })
    }
}

impl Panel for RescueForm {
    fn input(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }

    fn submit(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        let Ok(rescue) = self.rescue() else {
            return Vec::new();
        };
        let job = TransferJob::Rescue {
            session: self.session,
            name: self.name.clone(),
            rescue,
            then_terminate: self.then_terminate,
        };
        let start = Step::Transfer(TransferStep::Start(job));
        vec![Step::CLOSE, start, Step::Go(Go::Transfers)]
    }

    fn problem(&self) -> Option<String> {
        let failure = self.rescue().err().filter(|_| !self.input.is_empty());
        failure.map(|failure| failure.message().into_string())
    }

    fn prompt(&self) -> Option<PromptLine<'_>> {
        let what = match self.paths.len() {
            0 => tr!("all files").to_owned(),
            1 => tr!("1 file").to_owned(),
            many => tr!("{many} files", many),
        };
        Some(PromptLine {
            label: tr!(
                "Copy {what} of {name} to FOLDER/DIRECTORY",
                what,
                name = self.name
            ),
            input: &self.input,
            note: tr!("then terminate"),
        })
    }
}
