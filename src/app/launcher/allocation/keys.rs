//! Handles keys and actions on the second page.

use super::{
    Allocation, Heard, Offer, Part, Row, options::turned, presets, variable_of, variable_row,
};
use crate::{
    action::Action,
    key::{Key, KeyCode},
    model::launch_field::LaunchField as Field,
};

impl Allocation {
    pub(super) fn hear_key(&mut self, row: Row, key: Key, offer: &Offer) -> bool {
        self.stands_on(row);
        match row.field {
            Field::Environment => {
                let taken = self.environments.key(key, offer);
                self.after(taken, row, offer)
            }
            Field::Image => {
                let taken = self.environments.image_key(key);
                self.after(taken, row, offer)
            }
            Field::Variables => {
                let (at, part) = variable_of(row);
                let Some((at, part)) = self.variables.key(at, part, key) else {
                    return false;
                };
                self.go(row, variable_row(at, part));
                true
            }
            _ => {
                let slider = self.slider_mut(row);
                let taken = slider.is_some_and(|slider| slider.key(key));
                self.after(taken, row, offer)
            }
        }
    }

    /// An action in another row ends the search.
    fn stands_on(&mut self, row: Row) {
        if row.field != Field::Environment {
            self.environments.left();
        }
    }

    fn go(&mut self, from: Row, to: Row) {
        self.moved = Some(to).filter(|to| *to != from);
    }

    /// Updates what depends on a row after it has changed.
    fn after(&mut self, changed: bool, row: Row, offer: &Offer) -> bool {
        if !changed {
            return false;
        }
        match row.field {
            Field::Cpu | Field::Memory | Field::Accelerator => self.amounts.by_hand(),
            Field::SharedMemory => {
                self.amounts.automatic_shmem = false;
                self.amounts.by_hand();
            }
            _ => {}
        }
        self.settle(offer);
        true
    }

    pub(super) fn hear_paste(&mut self, row: Row, text: &str, offer: &Offer) -> bool {
        self.stands_on(row);
        match row.field {
            Field::Environment => self.environments.paste(text, offer),
            Field::Image => self.environments.image_paste(text),
            Field::Variables => {
                let (at, part) = variable_of(row);
                let (at, part) = self.variables.paste(at, part, text);
                self.go(row, variable_row(at, part));
            }
            _ => match self.slider_mut(row) {
                Some(slider) => slider.paste(text),
                None => return false,
            },
        }
        self.after(true, row, offer)
    }

    pub(super) fn hear(
        &mut self,
        row: Row,
        action: Action,
        key: Option<Key>,
        offer: &Offer,
    ) -> Heard {
        self.stands_on(row);
        let heard = self.hear_action(row, action, key, offer);
        if heard == Heard::No && leaves(action) {
            self.environments.left();
        }
        heard
    }

    fn hear_action(&mut self, row: Row, action: Action, key: Option<Key>, offer: &Offer) -> Heard {
        // A character is text first, even if it is bound to an action.
        if let Some(key) = key.filter(|key| is_text(*key))
            && self.hear_key(row, key, offer)
        {
            return self.heard();
        }
        let done = match action {
            Action::ListDown | Action::ListUp => return self.hear_up_down(row, action, offer),
            Action::LauncherMore => self.turn(row, true, key, offer),
            Action::LauncherLess => self.turn(row, false, key, offer),
            Action::ListFirst | Action::ListLast => self.go_to_end(row, action, key, offer),
            Action::LauncherToggle => self.toggle(row, offer),
            Action::LauncherAdd if row.field == Field::Variables => {
                return Heard::Goto(variable_row(self.variables.count(), Part::Name));
            }
            Action::LauncherRemove if row.field == Field::Variables => {
                let (at, _) = variable_of(row);
                self.variables.remove(at);
                return Heard::Goto(variable_row(at.min(self.variables.count()), Part::Name));
            }
            Action::LauncherRemoveAll if row.field == Field::Variables => {
                let question = self.variables.question();
                return question.map_or(Heard::Yes, |text| Heard::Question(text, "Remove all"));
            }
            Action::LauncherAdd => self.small_step(row, true, offer),
            Action::LauncherRemove => self.small_step(row, false, offer),
            _ => false,
        };
        if done { self.heard() } else { Heard::No }
    }

    fn heard(&mut self) -> Heard {
        self.moved.take().map_or(Heard::Yes, Heard::Goto)
    }

    /// Moves through the environments, or from a line of the variables to the one above or below.
    fn hear_up_down(&mut self, row: Row, action: Action, offer: &Offer) -> Heard {
        let down = action == Action::ListDown;
        match row.field {
            Field::Environment if !self.environments.is_by_hand() => {
                let moved = self.environments.step(if down { 1 } else { -1 });
                if self.after(moved, row, offer) {
                    Heard::Yes
                } else {
                    Heard::No
                }
            }
            Field::Variables => {
                let (at, part) = variable_of(row);
                match (down, at) {
                    (true, at) if self.variables.is_last(at) => Heard::No,
                    (true, at) if self.variables.is_last(at + 1) => {
                        Heard::Goto(variable_row(at + 1, Part::Name))
                    }
                    (true, at) => Heard::Goto(variable_row(at + 1, part)),
                    (false, 0) => Heard::Goto(Row::of(Field::Image)),
                    (false, at) => Heard::Goto(variable_row(at - 1, part)),
                }
            }
            _ => Heard::No,
        }
    }

    /// Handles left and right: chooses another option, changes a number, or moves in a text.
    fn turn(&mut self, row: Row, forward: bool, key: Option<Key>, offer: &Offer) -> bool {
        match row.field {
            Field::Environment | Field::Image | Field::Variables => {
                return key.is_some_and(|key| self.hear_key(row, key, offer));
            }
            _ => {}
        }
        if let Some((options, at)) = self.choices(row, offer) {
            return self.choose(row, turned(&options, at, forward), offer);
        }
        // An automatic amount becomes custom first.
        if self.automatic(row) == Some(true) {
            return self.toggle(row, offer);
        }
        self.step(row, forward, false, offer)
    }

    /// Chooses an option if it is possible.
    pub(super) fn choose(&mut self, row: Row, at: usize, offer: &Offer) -> bool {
        let options = self.choices(row, offer).map(|(options, _)| options);
        let option = options.as_ref().and_then(|options| options.get(at));
        if option.is_none_or(|option| option.why_not.is_some()) {
            return false;
        }
        match row.field {
            Field::Project => self.place.choose_project(at, offer),
            Field::ResourceGroup => self.place.choose_group(at, offer),
            Field::Agent => self.place.choose_agent(at, offer),
            Field::ClusterMode => self.numbers.choose_mode(at),
            _ => self.choose_preset(at, offer),
        }
        self.after(true, row, offer)
    }

    fn choose_preset(&mut self, at: usize, offer: &Offer) {
        let around = self.around(offer);
        if let Some(source) = presets::sources(&around).into_iter().nth(at) {
            self.amounts.choose(source, &around);
        }
    }

    fn step(&mut self, row: Row, up: bool, fine: bool, offer: &Offer) -> bool {
        let bounds = self.bounds(row, offer);
        let Some(slider) = self.slider_mut(row) else {
            return false;
        };
        slider.step(up, fine, &bounds);
        self.after(true, row, offer)
    }

    /// Changes a number by its smallest step.
    fn small_step(&mut self, row: Row, up: bool, offer: &Offer) -> bool {
        self.automatic(row) != Some(true) && self.step(row, up, true, offer)
    }

    /// Handles Home and End: the minimum and maximum of a number, the ends of a text.
    fn go_to_end(&mut self, row: Row, action: Action, key: Option<Key>, offer: &Offer) -> bool {
        let bounds = self.bounds(row, offer);
        if self.automatic(row) == Some(true) {
            return false;
        }
        match self.slider_mut(row) {
            Some(slider) if action == Action::ListFirst => slider.set_least(&bounds),
            Some(slider) => slider.set_most(&bounds),
            None => return key.is_some_and(|key| self.hear_key(row, key, offer)),
        }
        self.after(true, row, offer)
    }

    fn toggle(&mut self, row: Row, offer: &Offer) -> bool {
        match (row.field, row.item) {
            (Field::SharedMemory, _) => {
                let around = self.around(offer);
                self.amounts.toggle_shmem(&around);
            }
            (Field::OpenMp, 0) => self.threads.automatic = !self.threads.automatic,
            _ if self.choices(row, offer).is_some() => {
                return self.turn(row, true, None, offer);
            }
            _ => return false,
        }
        true
    }
}

/// Whether the launcher moves the focus elsewhere on the action.
fn leaves(action: Action) -> bool {
    matches!(
        action,
        Action::ListDown
            | Action::LauncherNext
            | Action::LauncherPrevious
            | Action::LauncherGoOn
            | Action::LauncherNextPage
            | Action::LauncherPreviousPage
            | Action::LauncherPageOne
            | Action::LauncherPageThree
            | Action::LauncherPageFour
            | Action::LauncherReview
            | Action::LauncherLaunch
    )
}

fn is_text(key: Key) -> bool {
    matches!(key.code, KeyCode::Char(_)) && !key.ctrl && !key.alt
}
