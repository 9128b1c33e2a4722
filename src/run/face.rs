//! The loop: take one thing, drain what is ready, draw when something is to be seen, sleep.

use std::time::{Duration, Instant};

use futures_util::{Stream, StreamExt as _};
use jiff::Timestamp;
use tokio::sync::mpsc;

use super::{
    clock,
    effects::{Hands, Next},
    screen::Stage,
    streams,
};
use crate::{
    action::Scope,
    app::{
        app::App,
        effect::Effect,
        msg::{Link, Msg, StreamEvent},
    },
    protocol::message::StreamId,
    theme::Theme,
    view::{draw::draw, layout::layout, still::Picture},
};

/// Frames come no faster than this, but for the first after a key.
const FRAME: Duration = Duration::from_millis(16);
/// What is worked off before the keyboard is looked at again.
const BYTES_AT_ONCE: usize = 256 * 1024;
const TIME_AT_ONCE: Duration = Duration::from_millis(2);

/// Everything that comes to the loop.
pub struct Sources<I> {
    /// Keys, mouse, sizes; its end means the terminal is gone.
    pub input: I,
    pub link: mpsc::Receiver<Link>,
    pub streams: mpsc::Receiver<streams::Event>,
    pub answers: mpsc::Receiver<Msg>,
}

/// The face: the app, its hands and what it draws on.
pub struct Face<'a> {
    pub app: App,
    pub theme: Theme,
    pub hands: Hands,
    pub stage: &'a mut dyn Stage,
    pacer: Pacer,
    /// The time of what is on the screen: whatever was to come after it is due when its time is there,
    /// also when the loop comes to it late.
    shown: Timestamp,
    /// A key went to the program of this stream: what it says next is drawn without waiting.
    echo: Option<StreamId>,
    /// Another program has the terminal: nothing is drawn.
    away: bool,
}

/// When frames are drawn.
#[derive(Debug, Default)]
struct Pacer {
    last: Option<Instant>,
    /// A key was pressed: what it changes is drawn without waiting.
    hurry: bool,
}

impl Pacer {
    fn due(&self, now: Instant) -> bool {
        self.hurry || self.next().is_none_or(|next| now >= next)
    }

    fn next(&self) -> Option<Instant> {
        self.last.map(|last| last + FRAME)
    }
}

impl<'a> Face<'a> {
    pub fn new(app: App, theme: Theme, hands: Hands, stage: &'a mut dyn Stage) -> Self {
        Self {
            app,
            theme,
            hands,
            stage,
            pacer: Pacer::default(),
            shown: clock::now(),
            echo: None,
            away: false,
        }
    }

    /// Runs until the person leaves or the terminal is gone.
    pub async fn run<I>(mut self, mut sources: Sources<I>) -> std::io::Result<()>
    where
        I: Stream<Item = Msg> + Unpin,
    {
        loop {
            let started = clock::instant();
            if self.is_due(started) && self.draw()? == Next::Quit {
                return Ok(());
            }
            let next = tokio::select! {
                biased;
                msg = sources.input.next() => match msg {
                    Some(msg) => self.typed(msg)?,
                    None => self.take(Msg::Leave)?,
                },
                Some(link) = sources.link.recv() => self.linked(link)?,
                Some(msg) = sources.answers.recv() => self.take(msg)?,
                Some(event) = sources.streams.recv() => self.flow(event, &mut sources.streams)?,
                () = until(self.wake()) => self.woken()?,
            };
            if next == Next::Quit {
                return Ok(());
            }
        }
    }

    fn is_due(&self, now: Instant) -> bool {
        self.app.is_dirty() && !self.away && self.pacer.due(now)
    }

    /// The next moment something is to be done although nothing happens.
    fn wake(&self) -> Option<Duration> {
        let now = clock::now();
        let app = self.next_change(now).map(|at| {
            let left = at.duration_since(now);
            Duration::try_from(left).unwrap_or(Duration::ZERO)
        });
        let frame = self.pacer.next();
        let frame = frame.filter(|_| self.app.is_dirty() && !self.away);
        let frame = frame.map(|at| at.saturating_duration_since(clock::instant()));
        app.into_iter().chain(frame).min()
    }

    /// When what is shown changes by time alone; of a clock that was set back, by the new time.
    fn next_change(&self, now: Timestamp) -> Option<Timestamp> {
        self.app.wake_at(self.shown.min(now))
    }

    fn woken(&mut self) -> std::io::Result<Next> {
        let now = clock::now();
        if self.next_change(now).is_some_and(|at| at <= now) {
            self.shown = now;
            return self.take_at(Msg::Tick, now);
        }
        Ok(Next::Go)
    }

    /// A key is answered at once: by its own frame, or, when all it did was to go to a program, by
    /// the frame of that program's echo.
    fn typed(&mut self, msg: Msg) -> std::io::Result<Next> {
        self.hands.check_daemon();
        let was_dirty = self.app.is_dirty();
        let was_typing = self.app.scope() == Scope::Terminal;
        let now = clock::now();
        if matches!(msg, Msg::Resize { .. }) {
            self.stage.resized()?;
        }
        let effects = self.app.update(msg, now);
        // Leaving or changing a pane sends too (its program is told of the focus), and is to be seen.
        let typing = was_typing && self.app.scope() == Scope::Terminal;
        match only_sent(&effects).filter(|_| typing) {
            Some(stream) => {
                self.echo = Some(stream);
                if !was_dirty {
                    self.app.take_dirty();
                }
            }
            None => self.pacer.hurry = true,
        }
        self.carry_out(effects)
    }

    /// The first sight of everything is waited for by a person as an answer to a key is.
    fn linked(&mut self, link: Link) -> std::io::Result<Next> {
        self.pacer.hurry |= matches!(link, Link::Up(_));
        self.take(Msg::Daemon(link))
    }

    fn take(&mut self, msg: Msg) -> std::io::Result<Next> {
        self.take_at(msg, clock::now())
    }

    fn take_at(&mut self, msg: Msg, now: Timestamp) -> std::io::Result<Next> {
        if matches!(msg, Msg::Edited { .. }) {
            self.away = false;
            self.stage.take_back()?;
        }
        let effects = self.app.update(msg, now);
        self.carry_out(effects)
    }

    /// Works off what streams have brought, within the budget.
    fn flow(
        &mut self,
        first: streams::Event,
        more: &mut mpsc::Receiver<streams::Event>,
    ) -> std::io::Result<Next> {
        let started = clock::instant();
        let now = clock::now();
        let mut bytes = 0;
        let mut event = Some(first);
        while let Some((stream, happened)) = event {
            if let StreamEvent::Data { bytes: data, .. } = &happened {
                bytes += data.len();
            }
            let is_echo = self.echo == Some(stream);
            let msg = Msg::Stream {
                stream,
                event: happened,
            };
            if self.take_at(msg, now)? == Next::Quit {
                return Ok(Next::Quit);
            }
            if is_echo {
                self.echo = None;
                self.pacer.hurry = true;
                break;
            }
            if bytes >= BYTES_AT_ONCE || clock::instant() - started >= TIME_AT_ONCE {
                break;
            }
            event = more.try_recv().ok();
        }
        Ok(Next::Go)
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> std::io::Result<Next> {
        for effect in effects {
            self.away |= matches!(effect, Effect::Edit { .. });
            if matches!(effect, Effect::Repaint | Effect::Suspend) {
                self.app.set_dirty();
                self.pacer.hurry = true;
            }
            if self.hands.carry_out(effect, self.stage)? == Next::Quit {
                return Ok(Next::Quit);
            }
        }
        Ok(Next::Go)
    }

    fn draw(&mut self) -> std::io::Result<Next> {
        let now = clock::now();
        self.shown = now;
        self.app.take_dirty();
        // Also without a word of it: one that comes together with a key is not always told.
        self.stage.resized()?;
        let size = self.stage.size();
        let areas = layout(&self.app, size);
        let effects = self.app.laid_out(&areas, now);
        self.stage.cursor(self.app.cursor_shape())?;
        let (app, theme) = (&self.app, &self.theme);
        let picture = Picture::of(app, &areas);
        self.stage.draw(picture, &mut |buffer, still| {
            draw(buffer, app, theme, (&areas, still), now)
        })?;
        self.pacer.last = Some(clock::instant());
        self.pacer.hurry = false;
        self.carry_out(effects)
    }
}

/// The stream that all of this is sent to, when that is all there is to do.
fn only_sent(effects: &[Effect]) -> Option<StreamId> {
    let mut streams = effects.iter().map(|effect| match effect {
        Effect::Send { stream, .. } => Some(*stream),
        _ => None,
    });
    let first = streams.next()??;
    streams.all(|stream| stream == Some(first)).then_some(first)
}

async fn until(wake: Option<Duration>) {
    match wake {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
