//! Carries out the effects of the app. Every answer comes back as a message.

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use tokio::sync::mpsc;

use super::{
    background::COLORS_QUESTION,
    browser,
    clipboard::{self, Multiplexer},
    clock,
    connection::Current,
    custom_commands::BackgroundCommands,
    desktop::{self, Dialect},
    editor, files,
    layouts::LayoutFiles,
    logs::LogReaders,
    machine,
    recordings::Recordings,
    requests::Requests,
    saved::StateFile,
    screen::{self, Stage},
    settings::SettingsTask,
    streams::Streams,
    transfers::{self, TransferRunner},
};
use crate::{
    app::{effect::Effect, layouts::LayoutOrder, msg::Msg},
    config::recipe,
    model::{
        notice::{Level, Notice},
        text::Clean,
    },
    protocol::message::StreamOpen,
};

/// Capacity of the queue of answers to the app.
pub const ANSWERS: usize = 64;

/// Writes a new file and returns its path, or an error sentence.
type Save = fn(&Path, &[u8]) -> Result<PathBuf, String>;

/// What the loop does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Go,
    Quit,
}

/// Carries out the effects of the TUI.
pub struct EffectRunner {
    pub streams: Streams,
    pub logs: LogReaders,
    pub transfers: TransferRunner,
    pub recordings: Recordings,
    /// The directory where the TUI was started.
    pub directory: PathBuf,
    pub current: Current,
    pub questions: Requests,
    pub answers: mpsc::Sender<Msg>,
    pub inside_tmux: bool,
    /// The multiplexer around our terminal. Sequences for the outer terminal must be wrapped for it.
    pub multiplexer: Multiplexer,
    /// How to ask the terminal for desktop notifications. `None` = they are off.
    pub desktop: Option<Dialect>,
    /// The file that keeps the state of the TUI.
    pub state_file: Option<StateFile>,
    /// Your own commands that run in the background.
    pub background: BackgroundCommands,
    /// What reads and writes the settings. `None` = they stay as they are.
    pub settings: Option<SettingsTask>,
}

impl EffectRunner {
    /// The user pressed a key: if the daemon was quiet for long, checks whether it responds.
    pub fn check_daemon(&self) {
        if let Some(client) = &*self.current.borrow() {
            client.check();
        }
    }

    /// Carries out an effect. Fails only if the stage fails, when the terminal is gone.
    pub fn carry_out(&mut self, effect: Effect, stage: &mut dyn Stage) -> std::io::Result<Next> {
        match effect {
            Effect::Ask { ticket, request } => self.questions.ask(ticket, request),
            Effect::Open {
                stream,
                open: open @ StreamOpen::Log { .. },
            } => self.logs.open(stream, open, &self.current),
            Effect::Open { stream, open } => self.streams.open(stream, open, &self.current),
            Effect::Log { log, order } => self.logs.order(log, order),
            Effect::OpenHostShell {
                stream,
                command,
                columns,
                rows,
            } => self.streams.open_host(stream, command, (columns, rows)),
            Effect::RunCommand {
                command,
                session,
                argv,
            } => self.background.start(command, session, argv),
            Effect::Send {
                stream,
                origin,
                bytes,
            } => {
                if self.streams.send(stream, origin, bytes).is_err() {
                    stage.send(b"\x07")?;
                }
            }
            Effect::ResizeStream {
                stream,
                columns,
                rows,
            } => {
                // If the program is so stuck that its sizes queue up, it reads the last size later.
                let _ = self.streams.resize(stream, columns, rows);
            }
            Effect::Close { stream } => {
                self.streams.close(stream);
                self.logs.close(stream);
            }
            Effect::Copy { ticket, text } => {
                let result = match clipboard::osc52(&text, self.multiplexer) {
                    Ok(bytes) => {
                        stage.send(&bytes)?;
                        Ok(clipboard::sent(&text))
                    }
                    Err(why) => Err(why.into()),
                };
                self.answer(Msg::Done { ticket, result });
            }
            Effect::Browse { ticket, url } => {
                let result = browser::open(&url).map(|text| Clean::new(&text));
                let result = result.map_err(|why| Clean::multiline(&why));
                self.answer(Msg::Done { ticket, result });
            }
            Effect::SaveFile {
                ticket,
                path,
                contents,
            } => self.save(ticket, path, contents, files::save),
            Effect::SavePrivate {
                ticket,
                path,
                contents,
            } => self.save(ticket, path, contents, files::save_private),
            Effect::Edit { ticket, text } => {
                stage.lend()?;
                self.edit(ticket, text);
            }
            Effect::EditSettings { ticket, path, line } => {
                stage.lend()?;
                self.edit_settings(ticket, path, line);
            }
            Effect::Record { id, order } => self.recordings.order(id, order),
            Effect::Transfer { id, order } => self.transfers.order(id, order),
            Effect::EditFile { transfer, path } => {
                stage.lend()?;
                self.edit_file(transfer, path);
            }
            Effect::CompletePath { ticket, typed } => self.complete_path(ticket, typed),
            Effect::SaveRecipe {
                ticket,
                path,
                launch,
            } => self.save(
                ticket,
                path,
                recipe::write(&launch).into_bytes(),
                files::save,
            ),
            Effect::ReadRecipe { ticket, path } => self.read_recipe(ticket, path),
            Effect::SaveState(kept) => {
                if let Some(state_file) = &self.state_file {
                    state_file.write(&kept);
                }
            }
            Effect::ReadMachine { disk: (what, path) } => {
                let reading = machine::read((what, &path));
                self.answer(Msg::Machine(reading));
            }
            Effect::AskColors => stage.send(COLORS_QUESTION)?,
            Effect::Settings(order) => {
                if let Some(settings) = &self.settings {
                    settings.order(order);
                }
            }
            Effect::Layouts { directory, order } => self.order_layouts(directory, order),
            // The event loop has the theme.
            Effect::Theme(_) => {}
            Effect::Mouse(on) => stage.mouse(on)?,
            Effect::MouseMoves(true) => stage.send(screen::MOVES_ON)?,
            Effect::MouseMoves(false) => stage.send(screen::MOVES_OFF)?,
            Effect::Bell => stage.send(b"\x07")?,
            Effect::Notify(text) => {
                if let Some(dialect) = self.desktop {
                    let bytes = desktop::notification(&text, dialect, self.inside_tmux);
                    stage.send(&bytes)?;
                }
            }
            Effect::Repaint => stage.repaint()?,
            Effect::Suspend => {
                if let Err(why) = stage.suspend() {
                    self.answer(remark(Level::Warning, &why.to_string()));
                }
            }
            Effect::Quit => return Ok(Next::Quit),
        }
        Ok(Next::Go)
    }

    fn save(&self, ticket: u64, path: PathBuf, contents: Vec<u8>, save: Save) {
        let answers = self.answers.clone();
        tokio::spawn(async move {
            let saved = tokio::task::spawn_blocking(move || save(&path, &contents)).await;
            let result = match saved {
                Ok(Ok(path)) => Ok(Clean::new(&tr!("saved to {path}", path = path.display()))),
                Ok(Err(why)) => Err(Clean::new(&why)),
                Err(error) => Err(Clean::new(&tr!("the file was not saved: {error}", error))),
            };
            let _ = answers.send(Msg::Done { ticket, result }).await;
        });
    }

    fn edit(&self, ticket: u64, text: String) {
        let answers = self.answers.clone();
        tokio::spawn(async move {
            let edited = tokio::task::spawn_blocking(move || editor::edit(&text)).await;
            let result = match edited {
                Ok(result) => result.map_err(|why| Clean::new(&why)),
                Err(error) => Err(Clean::new(&tr!("the text was not edited: {error}", error))),
            };
            let _ = answers.send(Msg::Edited { ticket, result }).await;
        });
    }

    fn edit_settings(&self, ticket: u64, path: PathBuf, line: Option<usize>) {
        let answers = self.answers.clone();
        tokio::spawn(async move {
            let edited = tokio::task::spawn_blocking(move || editor::edit_at(&path, line)).await;
            let result = match edited {
                Ok(Ok(())) => Ok(String::new()),
                Ok(Err(why)) => Err(Clean::new(&why)),
                Err(error) => Err(Clean::new(&tr!("the file was not edited: {error}", error))),
            };
            let _ = answers.send(Msg::Edited { ticket, result }).await;
        });
    }

    fn edit_file(&self, transfer: u64, path: PathBuf) {
        let answers = self.answers.clone();
        tokio::spawn(async move {
            let edited = tokio::task::spawn_blocking(move || editor::edit_file(&path)).await;
            let result = match edited {
                Ok(result) => result.map_err(|why| Clean::new(&why)),
                Err(error) => Err(Clean::new(&tr!("the file was not edited: {error}", error))),
            };
            let _ = answers.send(Msg::EditedFile { transfer, result }).await;
        });
    }

    fn order_layouts(&self, directory: PathBuf, order: LayoutOrder) {
        let answers = self.answers.clone();
        tokio::spawn(async move {
            let files = LayoutFiles::new(directory);
            let done = tokio::task::spawn_blocking(move || files.carry_out(order)).await;
            if let Ok(read) = done {
                let _ = answers.send(Msg::Layouts(Box::new(read))).await;
            }
        });
    }

    fn complete_path(&self, ticket: u64, typed: String) {
        let answers = self.answers.clone();
        let directory = self.directory.clone();
        tokio::spawn(async move {
            let completed =
                tokio::task::spawn_blocking(move || transfers::complete(&typed, &directory)).await;
            if let Ok(completion) = completed {
                let _ = answers
                    .send(Msg::PathCompleted { ticket, completion })
                    .await;
            }
        });
    }

    fn read_recipe(&self, ticket: u64, path: std::path::PathBuf) {
        let answers = self.answers.clone();
        tokio::spawn(async move {
            let read = tokio::task::spawn_blocking(move || {
                recipe::read(&path, clock::now(), &TimeZone::system())
            })
            .await;
            let result = match read {
                Ok(Ok(launch)) => Ok(Box::new(launch)),
                Ok(Err(problems)) => {
                    let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
                    Err(Clean::new(&texts.join("; ")))
                }
                Err(error) => Err(Clean::new(&tr!("the recipe was not read: {error}", error))),
            };
            let _ = answers.send(Msg::Recipe { ticket, result }).await;
        });
    }

    /// Never waits: the loop that calls this is also what receives the answers.
    fn answer(&self, msg: Msg) {
        if let Err(mpsc::error::TrySendError::Full(msg)) = self.answers.try_send(msg) {
            let answers = self.answers.clone();
            tokio::spawn(async move { answers.send(msg).await });
        }
    }
}

/// A notification that isn't an answer to a request.
pub fn remark(level: Level, text: &str) -> Msg {
    let notice = Notice::message(super::clock::now(), level, Clean::multiline(text));
    Msg::Daemon(crate::app::msg::Link::Notice(notice.into()))
}
