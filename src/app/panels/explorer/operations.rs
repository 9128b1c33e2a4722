//! What the explorer does with files.

use super::{
    DeleteQuestion, Explorer, ExplorerPrompt, ExplorerPurpose, PromptKind, Purpose, is_readable,
};
use crate::{
    action::Action,
    app::{
        allowed,
        panels::PanelEnv,
        session_actions::relaunch,
        step::Step,
        transfers::{FileClipboard, TransferJob, TransferStep},
    },
    model::{
        files::{FileKind, FileName, FilePath, FileRequest},
        notice::Level,
        text::Clean,
    },
};

/// Names that the question lists.
const NAMED: usize = 6;

impl Explorer {
    /// Why nothing can be changed here, `None` if something can.
    pub fn why_read_only(&self, env: &PanelEnv<'_>) -> Option<String> {
        if env.facts.read_only {
            return Some(tr!("read-only: the setting `ui.read-only` is on").to_owned());
        }
        let name = self.place.context();
        let context = env.mirror.context(name);
        if context.is_some_and(|it| it.context.read_only) {
            return Some(tr!(
                "read-only: contexts.toml has read-only for the context {name}",
                name
            ));
        }
        self.directory.read_only().map(ToString::to_string)
    }

    pub(super) fn operate(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
        if let Some(why) = self.why_not(action, env) {
            return vec![Step::toast(Level::Warning, why)];
        }
        match action {
            Action::ExplorerOpen => self.open(env),
            Action::ExplorerEdit => self.edit(env),
            Action::ExplorerParent => match self.directory.path().parent() {
                Some(parent) => self.enter(parent),
                None => vec![Step::toast(Level::Info, tr!("this is the top directory"))],
            },
            Action::ExplorerUpload => self.ask_for(PromptKind::Upload, &directory_text(env)),
            Action::ExplorerDownload => {
                let paths = self.subject_paths();
                self.ask_for(PromptKind::Download(paths), &directory_text(env))
            }
            Action::ExplorerRename => self.ask_new_name(),
            Action::ExplorerNewDirectory => self.ask_for(PromptKind::NewDirectory, ""),
            Action::ExplorerNewFile => self.ask_for(PromptKind::NewFile, ""),
            Action::ExplorerDelete => self.ask_to_delete(),
            Action::ExplorerCopy => self.clip(false),
            Action::ExplorerCut => self.clip(true),
            Action::ExplorerPaste => self.paste_files(env),
            Action::SessionSameHome => self.relaunch(env),
            Action::ExplorerCopyPath => {
                let path = self.entry().and_then(|it| self.path_of(&it.name));
                let path = path.map(|path| Step::Copy(path.as_path().to_string_lossy().into()));
                path.into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Why an operation isn't possible now.
    fn why_not(&self, action: Action, env: &PanelEnv<'_>) -> Option<String> {
        let changes = matches!(
            action,
            Action::ExplorerUpload
                | Action::ExplorerRename
                | Action::ExplorerNewDirectory
                | Action::ExplorerNewFile
                | Action::ExplorerDelete
                | Action::ExplorerCut
                | Action::ExplorerPaste
        );
        let needs_entry = matches!(
            action,
            Action::ExplorerDownload
                | Action::ExplorerRename
                | Action::ExplorerDelete
                | Action::ExplorerCopy
                | Action::ExplorerCut
                | Action::ExplorerEdit
        );
        let talks = changes || needs_entry;
        if talks && !env.mirror.is_up() {
            return Some(tr!("daemon disconnected. Retrying automatically").to_owned());
        }
        if changes && let Some(why) = self.why_read_only(env) {
            return Some(why);
        }
        (needs_entry && self.subjects().is_empty()).then(|| tr!("No entry is selected").to_owned())
    }

    /// Relaunches the ended session whose home directory is shown, in this directory. The launcher replaces the
    /// explorer.
    fn relaunch(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        let Some(session) = self.session().and_then(|it| env.full(it)) else {
            let text = tr!("Only in the home directory of an ended session");
            return vec![Step::toast(Level::Warning, text)];
        };
        let action = Action::SessionSameHome;
        if let Some(why) =
            allowed::why_not(action, Some(&session), env.shown, env.mirror, env.facts)
        {
            return vec![Step::toast(Level::Warning, why)];
        }
        let mut steps = self.close_streams();
        steps.extend([Step::CLOSE, relaunch::in_same_home(&session)]);
        steps
    }

    fn open(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        let Some(entry) = self.entry() else {
            return Vec::new();
        };
        match entry.kind {
            FileKind::Directory => {
                let path = self.path_of(&entry.name.clone());
                path.map_or_else(Vec::new, |path| self.enter(path))
            }
            FileKind::File => self.edit(env),
            FileKind::Link => {
                let target = entry.target.as_ref().map(FileName::shown);
                let target = target.map_or_else(String::new, |it| tr!(" to {it}", it));
                let text = tr!(
                    "'{shown}' is a link{target}. Links aren't followed",
                    shown = entry.name.shown(),
                    target
                );
                vec![Step::toast(Level::Info, text)]
            }
            FileKind::Special => {
                let text = tr!(
                    "'{shown}' is a pipe, socket or device",
                    shown = entry.name.shown()
                );
                vec![Step::toast(Level::Info, text)]
            }
        }
    }

    fn edit(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        let Some(entry) = self.entry() else {
            return Vec::new();
        };
        if !is_readable(entry) {
            let text = tr!("'{shown}' isn't a file", shown = entry.name.shown());
            return vec![Step::toast(Level::Warning, text)];
        }
        let Some(path) = self.path_of(&entry.name) else {
            return Vec::new();
        };
        if !env.mirror.is_up() {
            let why = tr!("daemon disconnected. Retrying automatically");
            return vec![Step::toast(Level::Warning, why)];
        }
        vec![Step::Transfer(TransferStep::Start(TransferJob::Edit {
            place: self.place.clone(),
            path,
            read_only: self.why_read_only(env).is_some(),
        }))]
    }

    fn ask_for(&mut self, kind: PromptKind, text: &str) -> Vec<Step> {
        self.prompt = Some(ExplorerPrompt::new(kind, text));
        Vec::new()
    }

    fn ask_new_name(&mut self) -> Vec<Step> {
        let Some(name) = self.entry().map(|it| it.name.clone()) else {
            return Vec::new();
        };
        let text = name.shown();
        self.ask_for(PromptKind::Rename(name), text.as_str())
    }

    fn ask_to_delete(&mut self) -> Vec<Step> {
        let subjects = self.subjects();
        let names = subjects.iter().take(NAMED).map(|it| it.name.shown());
        self.question = Some(DeleteQuestion::new(self.subject_paths(), names.collect()));
        Vec::new()
    }

    pub(super) fn delete(&mut self) -> Vec<Step> {
        let Some(mut question) = self.question.take() else {
            return Vec::new();
        };
        self.chosen.clear();
        let mut steps: Vec<Step> = question.close().into_iter().collect();
        steps.push(Step::Transfer(TransferStep::Start(TransferJob::Delete {
            from: self.place.clone(),
            paths: question.paths,
        })));
        steps
    }

    fn clip(&mut self, moves: bool) -> Vec<Step> {
        let paths = self.subject_paths();
        let count = paths.len();
        let what = match self.subjects().as_slice() {
            [one] => format!("'{}'", one.name.shown()),
            _ => tr!("{count} entries", count),
        };
        self.chosen.clear();
        let word = if moves { tr!("cut") } else { tr!("copied") };
        let text = tr!(
            "{what} {word}. Paste with v in another directory, p opens another place",
            what,
            word
        );
        vec![
            Step::Transfer(TransferStep::Clip(FileClipboard {
                from: self.place.clone(),
                paths,
                moves,
            })),
            Step::toast(Level::Info, text),
        ]
    }

    fn paste_files(&self, env: &PanelEnv<'_>) -> Vec<Step> {
        let Some(clipboard) = env.transfers.clipboard().cloned() else {
            let text = tr!("Nothing to paste. Press c to copy or X to cut");
            return vec![Step::toast(Level::Info, text)];
        };
        let directory = self.directory.path().clone();
        let is_inside = |path: &_| directory.is_within(path);
        if clipboard.from == self.place && clipboard.paths.iter().any(is_inside) {
            let text = tr!("A directory can't be pasted into itself. Choose another directory");
            return vec![Step::toast(Level::Warning, text)];
        }
        let is_same = clipboard.from == self.place
            && clipboard
                .paths
                .iter()
                .all(|path| path.parent().as_ref() == Some(&directory));
        if clipboard.moves && is_same {
            let text = tr!("The entries are already in this directory. Choose another directory");
            return vec![Step::toast(Level::Info, text)];
        }
        vec![Step::Transfer(TransferStep::Start(TransferJob::Copy {
            from: clipboard.from,
            paths: clipboard.paths,
            to: self.place.clone(),
            directory,
            moves: clipboard.moves,
        }))]
    }

    /// Handles Enter in the prompt.
    pub(super) fn submit_prompt(&mut self) -> Vec<Step> {
        let Some(prompt) = self.prompt.clone() else {
            return Vec::new();
        };
        let name = || prompt.name().map(|name| FileName(name.to_owned()));
        let steps = match prompt.kind.clone() {
            PromptKind::NewDirectory => {
                name().map(|name| self.create(name, |path| FileRequest::CreateDirectory { path }))
            }
            PromptKind::NewFile => {
                name().map(|name| self.create(name, |path| FileRequest::CreateFile { path }))
            }
            PromptKind::Rename(old) => name().map(|name| self.rename(&old, name)),
            PromptKind::Upload => prompt.path().map(|from| {
                vec![Step::Transfer(TransferStep::Start(TransferJob::Upload {
                    from,
                    to: self.place.clone(),
                    directory: self.directory.path().clone(),
                }))]
            }),
            PromptKind::Download(paths) => prompt.path().map(|to| {
                self.chosen.clear();
                vec![Step::Transfer(TransferStep::Start(TransferJob::Download {
                    from: self.place.clone(),
                    paths,
                    to,
                }))]
            }),
        };
        match steps {
            Ok(steps) => {
                self.prompt = None;
                steps
            }
            Err(why) => {
                if let Some(prompt) = &mut self.prompt {
                    prompt.problem = Some(why);
                }
                Vec::new()
            }
        }
    }

    fn create(&self, name: FileName, request: impl FnOnce(FilePath) -> FileRequest) -> Vec<Step> {
        let done = tr!("'{shown}' created", shown = name.shown());
        self.change(name, &done, request)
    }

    fn rename(&self, old: &FileName, name: FileName) -> Vec<Step> {
        // A name that isn't text is shown with other characters, so the unchanged text keeps it.
        if name.0.to_str() == Some(old.shown().as_str()) {
            return Vec::new();
        }
        let Some(from) = self.path_of(old) else {
            return Vec::new();
        };
        let done = tr!(
            "'{shown}' renamed to '{shown2}'",
            shown = old.shown(),
            shown2 = name.shown()
        );
        self.change(name, &done, |to| FileRequest::Rename { from, to })
    }

    fn change(
        &self,
        name: FileName,
        done: &str,
        request: impl FnOnce(FilePath) -> FileRequest,
    ) -> Vec<Step> {
        match self.directory.path().join(&name.0) {
            Ok(path) => vec![Step::Ask {
                request: self.request(request(path)),
                purpose: Purpose::Explorer(ExplorerPurpose::Changed {
                    place: self.place.clone(),
                    done: Clean::new(done),
                    name,
                }),
            }],
            Err(failure) => vec![Step::failure(&failure)],
        }
    }
}

/// The directory where the TUI was started, as a prompt begins.
fn directory_text(env: &PanelEnv<'_>) -> String {
    let directory = env.facts.directory.to_string_lossy();
    format!("{}/", directory.trim_end_matches('/'))
}
