//! When the next output of a recording is shown, and what keys change.

use std::{
    io,
    ops::RangeInclusive,
    time::{Duration, Instant},
};

use crate::cli::fail::Fail;

/// The speeds that can be chosen.
pub const SPEEDS: RangeInclusive<f64> = 0.1..=100.0;

/// What a pressed key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayKey {
    Pause,
    Step,
    Faster,
    Slower,
    Quit,
    Other,
}

impl PlayKey {
    /// The meaning of the bytes of a key press. Without bytes the terminal is gone.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        match bytes {
            [b' '] => Self::Pause,
            [b'.'] => Self::Step,
            [b'+' | b'='] => Self::Faster,
            [b'-'] => Self::Slower,
            [] | [b'q' | 0x03 | 0x1b] => Self::Quit,
            _ => Self::Other,
        }
    }
}

/// The source of keys.
pub trait Keys {
    /// Waits for a key, without a limit or up to `wait`. `None` if none was pressed.
    fn next(&mut self, wait: Option<Duration>) -> io::Result<Option<PlayKey>>;
}

/// The place in a recording.
#[derive(Debug)]
pub struct Player {
    speed: f64,
    /// The longest pause, in seconds.
    idle_limit: Option<f64>,
    /// The time of the last output, in seconds of the recording.
    at: f64,
    is_paused: bool,
    has_quit: bool,
}

impl Player {
    #[must_use]
    pub fn new(speed: f64, idle_limit: Option<f64>) -> Self {
        Self {
            speed,
            idle_limit,
            at: 0.0,
            is_paused: false,
            has_quit: false,
        }
    }

    pub fn has_quit(&self) -> bool {
        self.has_quit
    }

    /// Waits until the output of this time is due. Returns `false` if you quit.
    pub fn wait_until(&mut self, at: f64, keys: &mut impl Keys) -> Result<bool, Fail> {
        let pause = (at - self.at).max(0.0);
        let mut left = self.idle_limit.map_or(pause, |limit| pause.min(limit));
        self.at = self.at.max(at);
        loop {
            let wait = (!self.is_paused).then(|| duration(left / self.speed));
            if wait == Some(Duration::ZERO) {
                return Ok(true);
            }
            let before = now();
            let key = keys.next(wait).map_err(|error| no_keys(&error))?;
            if !self.is_paused {
                let passed = now() - before;
                left = (left - passed.as_secs_f64() * self.speed).max(0.0);
            }
            match key {
                None => return Ok(true),
                Some(PlayKey::Pause) => self.is_paused = !self.is_paused,
                Some(PlayKey::Step) if self.is_paused => return Ok(true),
                Some(PlayKey::Faster) => self.change_speed(2.0),
                Some(PlayKey::Slower) => self.change_speed(0.5),
                Some(PlayKey::Quit) => {
                    self.has_quit = true;
                    return Ok(false);
                }
                Some(PlayKey::Step | PlayKey::Other) => {}
            }
        }
    }

    /// The last screen stays until a key is pressed.
    pub fn wait_for_key(keys: &mut impl Keys) -> Result<(), Fail> {
        keys.next(None).map_err(|error| no_keys(&error))?;
        Ok(())
    }

    fn change_speed(&mut self, by: f64) {
        self.speed = (self.speed * by).clamp(*SPEEDS.start(), *SPEEDS.end());
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the time that passed during a wait is compared with this clock only"
)]
fn now() -> Instant {
    Instant::now()
}

fn no_keys(error: &io::Error) -> Fail {
    Fail::new(1, tr!("the keyboard can't be read: {error}", error))
        .hint(tr!("run it in a terminal, without a pipe"))
}

/// Pauses of years are as good as pauses of a day.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.min(86_400.0)).unwrap_or(Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// Keys that are pressed at once, and the waits that were asked for.
    #[derive(Default)]
    struct Pressed {
        keys: VecDeque<Option<PlayKey>>,
        waits: Vec<Option<Duration>>,
    }

    impl Keys for Pressed {
        fn next(&mut self, wait: Option<Duration>) -> io::Result<Option<PlayKey>> {
            self.waits.push(wait);
            Ok(self.keys.pop_front().flatten())
        }
    }

    fn pressed(keys: &[Option<PlayKey>]) -> Pressed {
        Pressed {
            keys: keys.iter().copied().collect(),
            ..Pressed::default()
        }
    }

    #[test]
    fn pauses_are_cut_and_divided_by_the_speed() {
        let mut keys = pressed(&[]);
        let mut player = Player::new(4.0, Some(2.0));
        for at in [1.0, 1.0, 100.0] {
            assert!(player.wait_until(at, &mut keys).unwrap());
        }
        let quarter = Duration::from_millis(250);
        assert_eq!(keys.waits, [Some(quarter), Some(quarter * 2)]);
    }

    #[test]
    fn a_pause_waits_for_a_key_and_a_step_shows_one_output() {
        let mut keys = pressed(&[Some(PlayKey::Pause), Some(PlayKey::Step)]);
        let mut player = Player::new(1.0, None);
        assert!(player.wait_until(5.0, &mut keys).unwrap());
        assert_eq!(keys.waits[1], None, "paused");
        let mut keys = pressed(&[Some(PlayKey::Quit)]);
        assert!(!player.wait_until(6.0, &mut keys).unwrap(), "still paused");
        assert_eq!(keys.waits, [None]);
        assert!(player.has_quit());
    }

    #[test]
    fn keys_change_the_speed_within_its_limits() {
        let mut player = Player::new(1.0, None);
        for _ in 0..20 {
            player.change_speed(2.0);
        }
        assert!(SPEEDS.contains(&player.speed) && player.speed > 99.0);
        assert_eq!(PlayKey::of(b"+"), PlayKey::Faster);
        assert_eq!(PlayKey::of(b"\x1b[A"), PlayKey::Other);
        assert_eq!(PlayKey::of(b"\x1b"), PlayKey::Quit);
    }
}
