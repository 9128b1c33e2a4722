//! Handles texts from panes for your clipboard. Your own copies are sent at once. Writes of programs are sent
//! only if you allow them.
//!
//! Both arrive as the same bytes, and programs in a session can change everything in it. So a text counts as
//! yours only with a permit. A permit is given when a key or a click that copies has just been sent to the
//! pane (see `copying`). It is for one text of that pane, and it ends as soon as you do something else. If
//! two different texts arrive at once, the TUI doesn't know which is yours and sends neither.

use std::{collections::HashMap, path::PathBuf};

use jiff::{SignedDuration, Timestamp};

use super::{
    PaneId, Panes, ShellPlace,
    copying::{WINDOW, after},
    prompt::{PanePrompt, PaneQuestion},
};
use crate::{
    action::Action,
    app::{file_name::file_name, input::Input, step::Step},
    model::{notice::Level, settings::ClipboardPolicy, text::Clean},
    terminal::clipboard::fits,
};

/// How long a copied text waits in case another one arrives.
const SETTLE: SignedDuration = SignedDuration::from_millis(200);

/// A text and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    place: ShellPlace,
    /// The name of the session or the machine.
    pub name: Clean,
    pub text: String,
}

/// A text as it arrives from a pane.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) pane: PaneId,
    pub(super) copied: Copied,
    /// Another text arrived with it.
    pub(super) mixed: bool,
    /// The pane is on the screen.
    pub(super) seen: bool,
}

/// You have just copied in this pane, so one text can be sent.
#[derive(Debug)]
struct Permit {
    pane: PaneId,
    place: ShellPlace,
    until: Timestamp,
    /// Programs in this place also write to the clipboard.
    contested: bool,
    arrived: Option<Arrived>,
}

/// The text that arrived for a permit.
#[derive(Debug)]
struct Arrived {
    write: Write,
    /// The pane of the permit sent it, not only another pane of its session.
    by_pane: bool,
    settles: Timestamp,
}

#[derive(Debug, Default)]
pub(super) struct Clipboard {
    policy: ClipboardPolicy,
    /// The directory for copies that are too long for the clipboard.
    directory: PathBuf,
    /// Your decisions about programs, kept while this TUI runs.
    decided: HashMap<ShellPlace, bool>,
    permit: Option<Permit>,
    /// The last text sent by a permit, and until when other panes of its session can repeat it.
    sent: Option<(ShellPlace, String, Timestamp)>,
    /// When programs last wrote without a permit.
    wrote: HashMap<ShellPlace, Timestamp>,
    /// The latest text of a program that waits for your decision.
    held: Option<Copied>,
    /// The number of refused writes.
    refused: HashMap<ShellPlace, u32>,
    /// The last text that was sent, or was too long for that.
    last: Option<Copied>,
    /// The pane of your copy that is too long, until a dialog asks about it.
    too_long: Option<PaneId>,
}

impl Clipboard {
    pub(super) fn new(policy: ClipboardPolicy) -> Self {
        Self {
            policy,
            ..Self::default()
        }
    }

    /// Gives a permit after a key or a click that copies was sent to the pane.
    fn permit(&mut self, pane: PaneId, place: ShellPlace, now: Timestamp) -> Vec<Step> {
        let steps = self.end_permit();
        let wrote = self.wrote.get(&place);
        self.permit = Some(Permit {
            pane,
            place,
            until: after(now, WINDOW),
            contested: wrote.is_some_and(|at| now.duration_since(*at) <= WINDOW),
            arrived: None,
        });
        steps
    }

    /// Ends the permit because you do something else. A text that has arrived counts, a later one doesn't.
    fn end_permit(&mut self) -> Vec<Step> {
        let Some(permit) = self.permit.take() else {
            return Vec::new();
        };
        let Some(arrived) = permit.arrived else {
            return Vec::new();
        };
        let write = arrived.write;
        let (copied, seen) = (write.copied, write.seen);
        if !arrived.by_pane {
            return self.of_program(copied, seen);
        }
        if !permit.contested && !write.mixed {
            self.sent = Some((permit.place, copied.text.clone(), permit.until));
            return self.of_user(permit.pane, copied);
        }
        let warning = tr!(
            "not copied: a program in {name} wrote to your clipboard at the same time",
            name = copied.name
        );
        let mut steps = vec![Step::toast(Level::Warning, warning)];
        steps.extend(self.of_program(copied, seen));
        steps
    }

    /// Takes a text from a pane.
    fn came(&mut self, write: Write, now: Timestamp) -> Vec<Step> {
        let mut steps = self.tick(now);
        let place = write.copied.place;
        let again = self.sent.as_ref().is_some_and(|(of, text, until)| {
            *of == place && *text == write.copied.text && now < *until && !write.mixed
        });
        if again {
            return steps;
        }
        match self.permit.as_mut().filter(|it| it.place == place) {
            Some(permit) => permit.take(write, now),
            None => {
                self.wrote.insert(place, now);
                steps.extend(self.of_program(write.copied, write.seen));
            }
        }
        steps
    }

    fn tick(&mut self, now: Timestamp) -> Vec<Step> {
        if self.wake_at().is_some_and(|at| now >= at) {
            return self.end_permit();
        }
        Vec::new()
    }

    fn wake_at(&self) -> Option<Timestamp> {
        let permit = self.permit.as_ref()?;
        let settled = permit.arrived.as_ref().filter(|it| it.by_pane);
        Some(settled.map_or(permit.until, |it| it.settles.min(permit.until)))
    }

    /// Sends a text that you have copied.
    fn of_user(&mut self, pane: PaneId, copied: Copied) -> Vec<Step> {
        if fits(&copied.text) {
            return vec![self.send(copied)];
        }
        self.too_long = Some(pane);
        self.last = Some(copied);
        Vec::new()
    }

    /// Handles a text that only a program wrote.
    fn of_program(&mut self, copied: Copied, seen: bool) -> Vec<Step> {
        if !fits(&copied.text) {
            return self.refuse(&copied, tr!("too long for the clipboard"));
        }
        let allowed = match (self.decided.get(&copied.place), self.policy) {
            (Some(decided), _) => Some(*decided),
            (None, ClipboardPolicy::Ask) => None,
            (None, ClipboardPolicy::Allow) => Some(true),
            (None, ClipboardPolicy::Refuse) => Some(false),
        };
        match allowed {
            Some(true) if seen => vec![self.send(copied)],
            Some(true) => self.refuse(&copied, tr!("its terminal isn't on the screen")),
            Some(false) => self.refuse(&copied, tr!("blocked for this session")),
            None => {
                self.held = Some(copied);
                Vec::new()
            }
        }
    }

    fn send(&mut self, copied: Copied) -> Step {
        let text = copied.text.clone();
        self.last = Some(copied);
        Step::Copy(text)
    }

    /// Reports the first refusal of a session, and counts the later ones.
    fn refuse(&mut self, copied: &Copied, why: &str) -> Vec<Step> {
        let count = self.refused.entry(copied.place).or_default();
        *count += 1;
        if *count > 1 {
            return Vec::new();
        }
        let text = tr!(
            "blocked a program in {name} from writing {copied} bytes to your clipboard: {why}",
            name = copied.name,
            copied = copied.text.len(),
            why
        );
        vec![Step::toast(Level::Info, text)]
    }

    /// Allows programs in this place to write, and sends the waiting text.
    fn allow(&mut self, place: ShellPlace, name: &Clean) -> Vec<Step> {
        self.decided.insert(place, true);
        let before = self.refused.remove(&place).unwrap_or(0);
        let refused = match before {
            0 => String::new(),
            1 => tr!("; one write was blocked before").to_owned(),
            count => tr!("; {count} writes were blocked before", count),
        };
        let text = tr!(
            "programs in {name} may write to your clipboard{refused}",
            name,
            refused
        );
        let mut steps = vec![Step::toast(Level::Info, text)];
        if let Some(held) = self.held.take_if(|held| held.place == place) {
            steps.push(self.send(held));
        }
        steps
    }

    fn forbid(&mut self, place: ShellPlace, name: &Clean) -> Vec<Step> {
        self.decided.insert(place, false);
        if self.held.take_if(|held| held.place == place).is_some() {
            *self.refused.entry(place).or_default() += 1;
        }
        let text = tr!("programs in {name} can't write to your clipboard", name);
        vec![Step::toast(Level::Info, text)]
    }

    /// The file for a text.
    fn path(&self, copied: &Copied) -> PathBuf {
        let name = format!("{}-copy.txt", file_name(copied.name.as_str()));
        self.directory.join(name)
    }
}

impl Permit {
    /// Takes a text of its session, which waits briefly in case another one arrives.
    fn take(&mut self, write: Write, now: Timestamp) {
        let by_pane = write.pane == self.pane;
        let Some(arrived) = &mut self.arrived else {
            self.arrived = Some(Arrived {
                write,
                by_pane,
                settles: after(now, SETTLE),
            });
            return;
        };
        arrived.write.mixed |= write.mixed || write.copied.text != arrived.write.copied.text;
        if by_pane && !arrived.by_pane {
            arrived.by_pane = true;
            arrived.settles = after(now, SETTLE);
        }
    }
}

impl Panes {
    /// A text of a program that waits for your decision.
    pub fn held_copy(&self) -> Option<&Copied> {
        self.clipboard.held.as_ref()
    }

    /// Sets the directory where you can save copies that are too long for the clipboard.
    #[must_use]
    pub fn saving_to(mut self, directory: PathBuf) -> Self {
        self.clipboard.directory = directory;
        self
    }

    /// Takes a text for the clipboard from a pane, if it has one.
    pub(super) fn take_copy(&mut self, at: usize, now: Timestamp) -> Vec<Step> {
        let Some(pane) = self.list.get_mut(at) else {
            return Vec::new();
        };
        let Some(copied) = pane.take_copied().filter(|it| !it.text.is_empty()) else {
            return Vec::new();
        };
        let write = Write {
            pane: pane.id,
            copied: Copied {
                place: pane.place,
                name: pane.name.clone(),
                text: copied.text,
            },
            mixed: copied.mixed,
            seen: pane.is_seen(),
        };
        let steps = self.clipboard.came(write, now);
        self.ask_about_long_copy();
        steps
    }

    /// Gives a permit after a key or a click that copies was sent to the pane.
    pub(super) fn permit_copy(&mut self, pane: PaneId, now: Timestamp) -> Vec<Step> {
        match self.pane(pane).map(|pane| pane.place) {
            // A shell of this machine doesn't run in the bundled tmux, so nothing is known about its keys.
            None | Some(ShellPlace::Host) => Vec::new(),
            Some(place) => self.clipboard.permit(pane, place, now),
        }
    }

    /// Ends the permit of this pane.
    pub(super) fn end_permit(&mut self, pane: PaneId) -> Vec<Step> {
        let permit = self.clipboard.permit.as_ref();
        if permit.is_none_or(|it| it.pane != pane) {
            return Vec::new();
        }
        let steps = self.clipboard.end_permit();
        self.ask_about_long_copy();
        steps
    }

    /// A permit is valid only while its pane is visible and focused.
    pub(super) fn watch_permit(&mut self, on_page: bool) -> Vec<Step> {
        let Some(pane) = self.clipboard.permit.as_ref().map(|it| it.pane) else {
            return Vec::new();
        };
        let focused = self.active().is_some_and(|active| active.id == pane);
        if on_page && focused {
            return Vec::new();
        }
        self.end_permit(pane)
    }

    pub(super) fn tick_clipboard(&mut self, now: Timestamp) -> Vec<Step> {
        let steps = self.clipboard.tick(now);
        self.ask_about_long_copy();
        steps
    }

    pub(super) fn clipboard_wakes_at(&self) -> Option<Timestamp> {
        self.clipboard.wake_at()
    }

    /// Asks for confirmation before it saves a copy that is too long for the clipboard.
    fn ask_about_long_copy(&mut self) {
        let Some(pane) = self.clipboard.too_long.take() else {
            return;
        };
        let (Some(pane), Some(copied)) = (self.pane(pane), &self.clipboard.last) else {
            return;
        };
        let question = PaneQuestion::SaveCopy {
            bytes: copied.text.len() as u64,
            path: self.clipboard.path(copied),
        };
        self.prompt = Some(PanePrompt::new(
            question,
            Input::default(),
            pane.tmux_session(),
        ));
    }

    /// Handles an action on the clipboard. Returns `None` for other actions.
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

    /// Saves the last copy in a new file.
    pub(super) fn save_copy(&self) -> Vec<Step> {
        let Some(last) = &self.clipboard.last else {
            let text = tr!("nothing copied in a terminal yet");
            return vec![Step::toast(Level::Info, text)];
        };
        vec![Step::SavePrivate {
            path: self.clipboard.path(last),
            contents: last.text.clone().into_bytes(),
        }]
    }
}

#[cfg(test)]
mod tests;
