use std::{cell::RefCell, rc::Rc, time::Duration};

use ratatui::{backend::TestBackend, layout::Size};
use tokio::{sync::watch, task::LocalSet};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{
    app::testing::session,
    config::layer,
    key::Key,
    keymap::Keymap,
    model::{capability::EngineState, context::Context, session::Session},
    protocol::message::{ContextState, Snapshot},
    run::{
        canvas::{Canvas, Painter},
        effects::ANSWERS,
        facts,
        streams::Streams,
    },
    terminal::emulator::CursorShape,
};

/// What a test sees on the screen.
#[derive(Clone)]
struct Seen {
    canvas: Rc<RefCell<Canvas<TestBackend>>>,
    frames: Rc<watch::Sender<usize>>,
    first: Rc<RefCell<Option<String>>>,
}

impl Seen {
    fn new() -> Self {
        let Ok(canvas) = Canvas::new(TestBackend::new(80, 24));
        Self {
            canvas: Rc::new(RefCell::new(canvas)),
            frames: Rc::default(),
            first: Rc::default(),
        }
    }

    fn text(&self) -> String {
        self.canvas.borrow().backend().to_string()
    }

    fn frames(&self) -> usize {
        *self.frames.borrow()
    }
}

impl Stage for Seen {
    fn size(&self) -> Size {
        self.canvas.borrow().size()
    }

    fn resized(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    fn draw(&mut self, picture: Picture, paint: Painter<'_>) -> std::io::Result<()> {
        let Ok(()) = self.canvas.borrow_mut().draw(picture, paint);
        self.first.borrow_mut().get_or_insert_with(|| self.text());
        self.frames.send_modify(|count| *count += 1);
        Ok(())
    }

    fn repaint(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    fn cursor(&mut self, _shape: CursorShape) -> std::io::Result<()> {
        Ok(())
    }

    fn mouse(&mut self, _on: bool) -> std::io::Result<()> {
        Ok(())
    }

    fn send(&mut self, _bytes: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn suspend(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    fn lend(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    fn take_back(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A user of a running TUI.
struct User {
    keys: mpsc::UnboundedSender<Msg>,
    link: mpsc::Sender<Link>,
    seen: Seen,
    left: CancellationToken,
}

impl User {
    fn press(&self, keys: &str) {
        for key in keys.split_whitespace() {
            self.keys.send(Msg::Key(key.parse().unwrap())).unwrap();
        }
    }

    fn types(&self, text: &str) {
        for c in text.chars() {
            self.keys.send(Msg::Key(Key::char(c))).unwrap();
        }
    }

    async fn sees(&self, text: &str) {
        let mut frames = self.seen.frames.subscribe();
        let shown = frames.wait_for(|_| self.seen.text().contains(text));
        let shown = tokio::time::timeout(Duration::from_secs(20), shown).await;
        assert!(shown.is_ok(), "{text:?} never came:\n{}", self.seen.text());
    }
}

fn app() -> App {
    let facts = facts::facts(
        &layer::defaults(),
        &crate::config::paths::Paths::below(std::path::Path::new("/nowhere")),
    );
    App::new(facts, Keymap::default())
}

fn effects(
    events_in: mpsc::Sender<streams::StreamReport>,
    answers_in: mpsc::Sender<Msg>,
    current: crate::run::connection::Current,
) -> EffectRunner {
    EffectRunner {
        state_file: None,
        settings: None,
        background: crate::run::custom_commands::BackgroundCommands::new(answers_in.clone()),
        questions: crate::run::requests::Requests::begin(current.clone(), answers_in.clone()),
        // Not the user's own shell, because its start-up files must not affect a test.
        streams: Streams::new(events_in).with_shell(vec!["/bin/sh".to_owned()]),
        transfers: crate::run::transfers::TransferRunner::new(
            current.clone(),
            answers_in.clone(),
            std::env::temp_dir(),
        ),
        recordings: crate::run::recordings::Recordings::new(answers_in.clone()),
        directory: std::env::temp_dir(),
        current,
        logs: crate::run::logs::LogReaders::new(answers_in.clone(), None),
        answers: answers_in,
        inside_tmux: false,
        multiplexer: crate::run::clipboard::Multiplexer::None,
        desktop: None,
    }
}

/// Runs a TUI without a daemon, with a user.
async fn with_user<F: Future<Output = ()>>(acts: impl FnOnce(User) -> F) {
    with_user_after(None, acts).await;
}

/// The same, after something has already come from a daemon.
async fn with_user_after<F: Future<Output = ()>>(
    first: Option<Link>,
    acts: impl FnOnce(User) -> F,
) {
    let app = app();
    let (events_in, streams) = mpsc::channel(streams::EVENTS);
    let (answers_in, answers) = mpsc::channel(ANSWERS);
    let (link_in, link) = mpsc::channel(1);
    if let Some(first) = first {
        link_in.send(first).await.unwrap();
    }
    let (_current_in, current) = watch::channel(None);
    let (keys, mut typed) = mpsc::unbounded_channel();
    let mut seen = Seen::new();
    let user = User {
        keys,
        link: link_in,
        seen: seen.clone(),
        left: CancellationToken::new(),
    };
    let left = user.left.clone();
    let effects = effects(events_in, answers_in, current);
    let sources = Sources {
        input: futures_util::stream::poll_fn(move |context| typed.poll_recv(context)),
        link,
        streams,
        answers,
    };
    let event_loop = EventLoop::new(app, Theme::default(), effects, &mut seen);
    let run = async {
        Box::pin(event_loop.run(sources)).await.unwrap();
        left.cancel();
    };
    LocalSet::new()
        .run_until(async { tokio::join!(Box::pin(run), Box::pin(acts(user))) })
        .await;
}

#[tokio::test]
async fn a_shell_of_this_host_works_in_a_pane() {
    with_user(|user| async move {
        user.sees("Connecting").await;
        user.press("!");
        user.sees("Ctrl-] d back").await;
        user.types("echo a$((1+1))b");
        user.press("enter");
        user.sees("a2b").await;
        user.types("stty size");
        user.press("enter");
        user.sees("22 80").await;
        user.press("ctrl-] d");
        user.sees("Running").await;
        user.press("q");
        user.left.cancelled().await;
    })
    .await;
}

/// An hour of a clock that advances while all tasks are idle.
#[tokio::test(start_paused = true)]
async fn nothing_is_drawn_while_nothing_changes() {
    with_user(|user| async move {
        user.sees("Connecting").await;
        let before = user.seen.frames();
        tokio::time::sleep(Duration::from_secs(3600)).await;
        assert_eq!(user.seen.frames(), before);
        user.press("?");
        user.sees("type a word or a key").await;
        drop(user.keys);
        user.left.cancelled().await;
    })
    .await;
}

/// A daemon that reports one session, created now, and then nothing more.
fn quiet() -> Link {
    let now = clock::now();
    let session = Session {
        created_at: now,
        started_at: Some(now),
        ..session(1, "young")
    };
    Link::Up(Box::new(Snapshot {
        seq: 1,
        sessions: vec![session],
        contexts: vec![ContextState {
            context: Context::local(),
            engine: EngineState::Connecting,
            environments: Vec::new(),
            totals: None,
            statistics: None,
            incomplete: false,
        }],
        forwards: Vec::new(),
    }))
}

#[tokio::test]
async fn the_first_frame_has_the_list_of_a_daemon_that_answers() {
    with_user_after(Some(quiet()), |user| async move {
        user.sees("young").await;
        let first = user.seen.first.borrow().clone().unwrap();
        assert!(first.contains("young"), "{first}");
        user.press("q");
        user.left.cancelled().await;
    })
    .await;
}

#[tokio::test]
async fn what_changes_by_time_alone_is_drawn_although_nothing_comes() {
    with_user(|user| async move {
        user.link.send(quiet()).await.unwrap();
        user.sees("young").await;
        for elapsed in ["2s", "4s"] {
            user.sees(elapsed).await;
        }
        user.press("q");
        user.left.cancelled().await;
    })
    .await;
}

#[tokio::test]
async fn a_flood_is_drawn_frame_by_frame_and_keys_come_through() {
    with_user(|user| async move {
        user.press("!");
        user.sees("Ctrl-] d back").await;
        user.types("seq 1 2000000");
        user.press("enter");
        user.sees("\"1").await;
        user.press("ctrl-] d");
        user.sees("Running").await;
        let frames = user.seen.frames();
        assert!(frames < 500, "{frames} frames");
        user.press("q");
        user.left.cancelled().await;
    })
    .await;
}

/// The key comes through a socket, as the keys of a terminal do: only the runtime finds out that it is there.
#[tokio::test]
async fn a_key_is_handled_before_updates_that_wait() {
    const UPDATES: usize = 60;
    let (ours, theirs) = tokio::net::UnixStream::pair().unwrap();
    let (link_in, link) = mpsc::channel(UPDATES);
    for _ in 0..UPDATES {
        let forwards = Vec::new();
        let update = Link::Notice(crate::model::change::Change::Forwards { forwards });
        link_in.send(update).await.unwrap();
    }
    let handled = Rc::new(std::cell::Cell::new(None));
    let (noted, room) = (handled.clone(), link_in.clone());
    let input = futures_util::stream::poll_fn(move |context| {
        std::task::ready!(ours.poll_read_ready(context)).unwrap();
        noted.set(Some(room.capacity()));
        std::task::Poll::Ready(None)
    });
    let (events_in, streams) = mpsc::channel(streams::EVENTS);
    let (answers_in, answers) = mpsc::channel(ANSWERS);
    let (_current_in, current) = watch::channel(None);
    let sources = Sources {
        input,
        link,
        streams,
        answers,
    };
    let effects = effects(events_in, answers_in, current);
    let mut seen = Seen::new();
    let event_loop = EventLoop::new(app(), Theme::default(), effects, &mut seen);
    assert_eq!(theirs.try_write(b"q").unwrap(), 1);
    LocalSet::new()
        .run_until(async { Box::pin(event_loop.run(sources)).await.unwrap() })
        .await;
    let handled = handled.take().unwrap();
    assert!(handled < UPDATES, "{handled} updates went before the key");
}
