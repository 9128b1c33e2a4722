//! What comes from panes for the person's clipboard: their own copies go out at once, those of programs when
//! the person lets them.
//!
//! Both reach us as the same bytes. tmux leaves the digest of what a person copied in an option of its own;
//! a text with that digest is the person's.

use std::{collections::HashMap, path::PathBuf};

use jiff::{SignedDuration, Timestamp};

use super::{
    Panes, Place,
    control::{Asked, Lines},
};
use crate::{
    action::Action,
    app::{logs::file_name, step::Step},
    model::{
        digest, id::SessionKey, inside, notice::Level, settings::ClipboardPolicy, text::Clean,
    },
    terminal::control::Command,
};

/// A digest is written a moment after the text came: so long it is waited for, asked so often.
const PATIENCE: SignedDuration = SignedDuration::from_secs(1);
const AGAIN: SignedDuration = SignedDuration::from_millis(100);
/// Texts of one session that wait for that; older ones are forgotten.
const MOST: usize = 4;
/// Longest text of a program that is held.
const LONGEST_HELD: usize = 1024 * 1024;

/// A text and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    place: Place,
    /// The session's or the host's name.
    pub name: Clean,
    pub text: String,
}

/// One of which it is not known yet whose it is.
#[derive(Debug)]
struct Doubtful {
    copied: Copied,
    session: SessionKey,
    until: Timestamp,
    /// When tmux is asked again; `None` = an answer is under way.
    again: Option<Timestamp>,
}

#[derive(Debug, Default)]
pub(super) struct Clipboard {
    policy: ClipboardPolicy,
    /// What the person has said, for the life of this face.
    said: HashMap<Place, bool>,
    doubtful: Vec<Doubtful>,
    /// The latest of a program, waiting for the person.
    held: Option<Copied>,
    /// Writes that were refused.
    refused: HashMap<Place, u32>,
    /// What went out last.
    last: Option<Copied>,
}

impl Clipboard {
    pub(super) fn new(policy: ClipboardPolicy) -> Self {
        Self {
            policy,
            ..Self::default()
        }
    }

    /// A text came from a pane.
    fn came(&mut self, copied: Copied, lines: &mut Lines, now: Timestamp) -> Vec<Step> {
        let Place::Session(session) = copied.place else {
            return self.of_program(copied);
        };
        match ask(lines, session) {
            Ok(step) => {
                let waiting = |it: &&Doubtful| it.session == session;
                if self.doubtful.iter().filter(waiting).count() >= MOST
                    && let Some(at) = self.doubtful.iter().position(|it| it.session == session)
                {
                    self.doubtful.remove(at);
                }
                self.doubtful.push(Doubtful {
                    copied,
                    session,
                    until: now.saturating_add(PATIENCE).unwrap_or(Timestamp::MAX),
                    again: None,
                });
                step.into_iter().collect()
            }
            Err(_) => self.of_program(copied),
        }
    }

    /// tmux said what a person copied last in this session.
    fn told(&mut self, session: SessionKey, known: &str, now: Timestamp) -> Vec<Step> {
        let mut steps = Vec::new();
        for mut one in std::mem::take(&mut self.doubtful) {
            if one.session != session {
                self.doubtful.push(one);
            } else if digest::of(one.copied.text.as_bytes()) == known {
                steps.push(self.send(one.copied));
            } else if now >= one.until {
                steps.extend(self.of_program(one.copied));
            } else {
                one.again
                    .get_or_insert(now.saturating_add(AGAIN).unwrap_or(Timestamp::MAX));
                self.doubtful.push(one);
            }
        }
        steps
    }

    fn tick(&mut self, lines: &mut Lines, now: Timestamp) -> Vec<Step> {
        let mut steps = Vec::new();
        for mut one in std::mem::take(&mut self.doubtful) {
            if now >= one.until {
                steps.extend(self.of_program(one.copied));
                continue;
            }
            if one.again.is_some_and(|at| now >= at) {
                one.again = None;
                // A line that broke meanwhile: it stays doubtful until its time is over.
                steps.extend(ask(lines, one.session).ok().flatten());
            }
            self.doubtful.push(one);
        }
        steps
    }

    fn wake_at(&self) -> Option<Timestamp> {
        let times = |it: &Doubtful| it.again.unwrap_or(it.until).min(it.until);
        self.doubtful.iter().map(times).min()
    }

    /// Nobody but a program wrote this.
    fn of_program(&mut self, copied: Copied) -> Vec<Step> {
        let allowed = match (self.said.get(&copied.place), self.policy) {
            (Some(said), _) => Some(*said),
            (None, ClipboardPolicy::Ask) => None,
            (None, ClipboardPolicy::Allow) => Some(true),
            (None, ClipboardPolicy::Refuse) => Some(false),
        };
        match allowed {
            Some(true) => vec![self.send(copied)],
            None if copied.text.len() <= LONGEST_HELD => {
                self.held = Some(copied);
                Vec::new()
            }
            None | Some(false) => self.refuse(&copied).into_iter().collect(),
        }
    }

    fn send(&mut self, copied: Copied) -> Step {
        let path = PathBuf::from(format!("{}-copy.txt", file_name(copied.name.as_str())));
        let text = copied.text.clone();
        self.last = Some(copied);
        Step::CopyOrSave { text, path }
    }

    /// Told once a place, counted afterwards.
    fn refuse(&mut self, copied: &Copied) -> Option<Step> {
        let count = self.refused.entry(copied.place).or_default();
        *count += 1;
        (*count == 1).then(|| {
            let text = format!(
                "a program in {} wrote to your clipboard: refused, as all that follow",
                copied.name
            );
            Step::toast(Level::Info, text)
        })
    }

    /// The person lets programs there, and what is held goes out.
    fn allow(&mut self, place: Place, name: &Clean) -> Vec<Step> {
        self.said.insert(place, true);
        let before = self.refused.remove(&place).unwrap_or(0);
        let refused = match before {
            0 => String::new(),
            1 => "; one was refused before".to_owned(),
            count => format!("; {count} were refused before"),
        };
        let text = format!("programs in {name} may write to your clipboard{refused}");
        let mut steps = vec![Step::toast(Level::Info, text)];
        if let Some(held) = self.held.take_if(|held| held.place == place) {
            steps.push(self.send(held));
        }
        steps
    }

    fn forbid(&mut self, place: Place, name: &Clean) -> Vec<Step> {
        self.said.insert(place, false);
        if self.held.take_if(|held| held.place == place).is_some() {
            *self.refused.entry(place).or_default() += 1;
        }
        let text = format!("programs in {name} are kept from your clipboard");
        vec![Step::toast(Level::Info, text)]
    }
}

fn ask(lines: &mut Lines, session: SessionKey) -> Result<Option<Step>, Clean> {
    lines.ask(session, Command::copied(inside::COPIED), Asked::Copied)
}

impl Panes {
    /// What a program wants in the clipboard, and the person has not decided about.
    pub fn held_copy(&self) -> Option<&Copied> {
        self.clipboard.held.as_ref()
    }

    /// A pane may have brought something for the clipboard.
    pub(super) fn take_copy(&mut self, at: usize, now: Timestamp) -> Vec<Step> {
        let Some(pane) = self.list.get_mut(at) else {
            return Vec::new();
        };
        let Some(text) = pane.take_copied().filter(|text| !text.is_empty()) else {
            return Vec::new();
        };
        let copied = Copied {
            place: pane.place,
            name: pane.name.clone(),
            text,
        };
        self.clipboard.came(copied, &mut self.lines, now)
    }

    pub(super) fn told_copied(
        &mut self,
        session: SessionKey,
        known: &str,
        now: Timestamp,
    ) -> Vec<Step> {
        self.clipboard.told(session, known, now)
    }

    pub(super) fn tick_clipboard(&mut self, now: Timestamp) -> Vec<Step> {
        self.clipboard.tick(&mut self.lines, now)
    }

    pub(super) fn clipboard_wakes_at(&self) -> Option<Timestamp> {
        self.clipboard.wake_at()
    }

    /// An action about the clipboard; `None` = it is none.
    pub(super) fn clipboard_action(&mut self, action: Action) -> Option<Vec<Step>> {
        let wanted = match self.clipboard.held.as_ref() {
            Some(held) => Some((held.place, held.name.clone())),
            None => self.active().map(|pane| (pane.place, pane.name.clone())),
        };
        Some(match (action, wanted) {
            (Action::PaneAllowClipboard, Some((place, name))) => self.clipboard.allow(place, &name),
            (Action::PaneRefuseClipboard, Some((place, name))) => {
                self.clipboard.forbid(place, &name)
            }
            (Action::PaneSaveCopy, _) => self.save_copy(),
            _ => return None,
        })
    }

    fn save_copy(&self) -> Vec<Step> {
        let Some(last) = &self.clipboard.last else {
            let text = "nothing was copied in a terminal here yet";
            return vec![Step::toast(Level::Info, text)];
        };
        vec![Step::Save {
            path: PathBuf::from(format!("{}-copy.txt", file_name(last.name.as_str()))),
            contents: last.text.clone().into_bytes(),
        }]
    }
}

#[cfg(test)]
mod tests;
