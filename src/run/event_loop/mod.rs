//! The main loop of the TUI: takes an event, handles what else is ready, draws if something changed, and
//! sleeps.

use std::time::{Duration, Instant};

use futures_util::{Stream, StreamExt as _};
use jiff::Timestamp;
use tokio::sync::mpsc;

use super::{
    clock,
    effects::{EffectRunner, Next},
    screen::Stage,
    streams,
    theming::Theming,
};
use crate::{
    action::Scope,
    app::{
        app::App,
        effect::Effect,
        msg::{Link, Msg, StreamEvent},
    },
    protocol::message::StreamId,
    terminal::defaults::Rgb,
    theme::Theme,
    view::{draw::draw, layout::layout, still::Picture},
};

/// Minimum time between frames, except for the first frame after a key.
const FRAME: Duration = Duration::from_millis(16);
/// Limits of the work that is done before the keyboard is read again.
const BYTES_AT_ONCE: usize = 256 * 1024;
const TIME_AT_ONCE: Duration = Duration::from_millis(2);

/// All sources of events for the loop.
pub struct Sources<I> {
    /// Keys, mouse events and sizes. Its end means that the terminal is gone.
    pub input: I,
    pub link: mpsc::Receiver<Link>,
    pub streams: mpsc::Receiver<streams::StreamReport>,
    pub answers: mpsc::Receiver<Msg>,
}

/// The TUI: the app, what carries out its effects, and what it draws on.
pub struct EventLoop<'a> {
    pub app: App,
    pub theme: Theme,
    pub effects: EffectRunner,
    pub stage: &'a mut dyn Stage,
    /// The task that loads other themes. `None` = the theme stays.
    theming: Option<Theming>,
    pacer: Pacer,
    /// The time that the screen shows. A change that was due after it is still drawn if the loop comes to it
    /// late.
    shown: Timestamp,
    /// A key was sent to the program of this stream. Its next output is drawn without waiting.
    echo: Option<StreamId>,
    /// Another program uses the terminal, so nothing is drawn.
    borrowed: bool,
}

/// When frames are drawn.
#[derive(Debug, Default)]
struct Pacer {
    last: Option<Instant>,
    /// A key was pressed. Its effect is drawn without waiting.
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

impl<'a> EventLoop<'a> {
    pub fn new(app: App, theme: Theme, effects: EffectRunner, stage: &'a mut dyn Stage) -> Self {
        Self {
            app,
            theme,
            effects,
            stage,
            theming: None,
            pacer: Pacer::default(),
            shown: clock::now(),
            echo: None,
            borrowed: false,
        }
    }

    /// Follows the themes that this task loads.
    #[must_use]
    pub fn theming(mut self, theming: Option<Theming>) -> Self {
        self.theming = theming;
        self
    }

    /// Runs until the user leaves or the terminal is gone.
    pub async fn run<I>(mut self, mut sources: Sources<I>) -> std::io::Result<usize>
    where
        I: Stream<Item = Msg> + Unpin,
    {
        let mut themes = self.theming.as_mut().and_then(Theming::themes);
        // A daemon that runs sends the list before this frame is due. Without it there is little to show.
        self.pacer.last = Some(clock::instant());
        loop {
            let started = clock::instant();
            if self.is_due(started) && self.draw()? == Next::Quit {
                return Ok(self.app.shells_left());
            }
            // The runtime looks for input only when nothing else is ready. Without this, a key would wait until all
            // updates that have arrived are handled.
            tokio::task::yield_now().await;
            let next = tokio::select! {
                biased;
                msg = sources.input.next() => match msg {
                    Some(msg) => self.typed(msg)?,
                    None => self.take(Msg::Leave)?,
                },
                Some(link) = sources.link.recv() => self.linked(link)?,
                Some(msg) = sources.answers.recv() => self.take(msg)?,
                Some(event) = sources.streams.recv() => self.flow(event, &mut sources.streams)?,
                Some(theme) = next_theme(&mut themes) => self.dress(theme),
                () = until(self.wake()) => self.woken()?,
            };
            if next == Next::Quit {
                return Ok(self.app.shells_left());
            }
        }
    }

    /// Draws with another theme.
    fn dress(&mut self, theme: Theme) -> Next {
        self.theme = theme;
        self.app.set_dirty();
        self.pacer.hurry = true;
        Next::Go
    }

    fn is_due(&self, now: Instant) -> bool {
        self.app.is_dirty() && !self.borrowed && self.pacer.due(now)
    }

    /// The time until the next action that is due without an event.
    fn wake(&self) -> Option<Duration> {
        let now = clock::now();
        let app = self.next_change(now).map(|at| {
            let left = at.duration_since(now);
            Duration::try_from(left).unwrap_or(Duration::ZERO)
        });
        let frame = self.pacer.next();
        let frame = frame.filter(|_| self.app.is_dirty() && !self.borrowed);
        let frame = frame.map(|at| at.saturating_duration_since(clock::instant()));
        app.into_iter().chain(frame).min()
    }

    /// When the screen changes because time passes. If the clock was set back, the new time counts.
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

    /// Draws the effect of a key without waiting: in a frame of its own, or, if the key only went to a
    /// program, in the frame of that program's echo.
    fn typed(&mut self, msg: Msg) -> std::io::Result<Next> {
        self.effects.check_daemon();
        let was_dirty = self.app.is_dirty();
        let was_typing = self.app.scope() == Scope::Terminal;
        let now = clock::now();
        if matches!(msg, Msg::Resize { .. }) {
            self.stage.resized()?;
        }
        let is_dark = match &msg {
            Msg::TerminalColors(colors) => colors.background.map(Rgb::is_dark),
            Msg::ColorScheme { dark } => Some(*dark),
            _ => None,
        };
        if let (Some(is_dark), Some(theming)) = (is_dark, &self.theming) {
            theming.background(is_dark);
        }
        let is_key = matches!(msg, Msg::Key(_));
        let effects = self.app.update(msg, now);
        if let Some((scope, action)) = self.app.invoked().filter(|_| is_key) {
            tracing::debug!(scope = scope.name(), action = action.name(), "last action");
        }
        // Leaving or changing a pane also sends bytes (its program gets a focus report), and must be drawn.
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

    /// A user waits for the first snapshot as for the answer to a key.
    fn linked(&mut self, link: Link) -> std::io::Result<Next> {
        self.pacer.hurry |= matches!(link, Link::Up(_));
        self.take(Msg::Daemon(link))
    }

    fn take(&mut self, msg: Msg) -> std::io::Result<Next> {
        self.take_at(msg, clock::now())
    }

    fn take_at(&mut self, msg: Msg, now: Timestamp) -> std::io::Result<Next> {
        if matches!(msg, Msg::Edited { .. } | Msg::EditedFile { .. }) {
            self.borrowed = false;
            self.stage.take_back()?;
        }
        let effects = self.app.update(msg, now);
        self.carry_out(effects)
    }

    /// Handles the bytes that streams have brought, within the budget.
    fn flow(
        &mut self,
        first: streams::StreamReport,
        more: &mut mpsc::Receiver<streams::StreamReport>,
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
            if let Effect::Theme(order) = effect {
                if let Some(theming) = &self.theming {
                    theming.order(order);
                }
                continue;
            }
            self.borrowed |= matches!(
                effect,
                Effect::Edit { .. } | Effect::EditFile { .. } | Effect::EditSettings { .. }
            );
            if matches!(effect, Effect::Repaint | Effect::Suspend) {
                self.app.set_dirty();
                self.pacer.hurry = true;
            }
            if self.effects.carry_out(effect, self.stage)? == Next::Quit {
                return Ok(Next::Quit);
            }
        }
        Ok(Next::Go)
    }

    fn draw(&mut self) -> std::io::Result<Next> {
        let now = clock::now();
        self.shown = now;
        self.app.take_dirty();
        // Checks the size before every frame: the event for a resize that comes together with a key can get
        // lost.
        self.stage.resized()?;
        let size = self.stage.size();
        let areas = layout(&self.app, size);
        let effects = self.app.laid_out(&areas, now);
        self.stage.cursor(self.app.cursor_shape())?;
        let (app, theme) = (&self.app, &self.theme);
        let picture = Picture::of(app, &areas);
        self.stage.draw(picture, &mut |surface, still| {
            draw(surface, app, theme, (&areas, still), now)
        })?;
        self.pacer.last = Some(clock::instant());
        self.pacer.hurry = false;
        self.carry_out(effects)
    }
}

/// The stream that the effects send to, if they do nothing else.
fn only_sent(effects: &[Effect]) -> Option<StreamId> {
    let mut streams = effects.iter().map(|effect| match effect {
        Effect::Send { stream, .. } => Some(*stream),
        _ => None,
    });
    let first = streams.next()??;
    streams.all(|stream| stream == Some(first)).then_some(first)
}

async fn next_theme(themes: &mut Option<mpsc::Receiver<Theme>>) -> Option<Theme> {
    match themes {
        Some(themes) => themes.recv().await,
        None => std::future::pending().await,
    }
}

async fn until(wake: Option<Duration>) {
    match wake {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
