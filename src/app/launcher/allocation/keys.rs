//! Handles keys and actions on the second page.

use super::{
    AllocationForm, FormResponse, FormRow, LaunchInfo, VariablePart, options::turned, presets,
    variable_of, variable_row,
};
use crate::{
    action::Action,
    app::step::{Purpose, Step},
    key::{Key, KeyCode},
    model::{
        launch_field::LaunchField as Field, notice::Level, own_image::ImageRequest,
        request::ContextRequest,
    },
    protocol::message::Request,
};

impl AllocationForm {
    pub(super) fn handle_key(&mut self, row: FormRow, key: Key, info: &LaunchInfo) -> bool {
        self.focus_moved_to(row);
        match row.field {
            Field::Environment => {
                let taken = self.environments.key(key, info);
                self.after(taken, row, info)
            }
            Field::Image => {
                let taken = self.environments.image_key(key);
                self.after(taken, row, info)
            }
            Field::Disk => self.disk.input.key(key),
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
                self.after(taken, row, info)
            }
        }
    }

    /// Whether the marked environment is an image of yours.
    pub fn has_own_image(&self) -> bool {
        self.environments.own_image().is_some()
    }

    fn copy_image(&self) -> Step {
        match self.environments.reference() {
            Some(reference) => Step::Copy(reference.to_owned()),
            None => Step::toast(Level::Info, tr!("This environment has no image")),
        }
    }

    /// Requests the end of the image that was asked about.
    pub(super) fn remove_image(&mut self, info: &LaunchInfo) -> Option<Step> {
        let image = self.environments.take_removed()?;
        let request = ImageRequest::Remove {
            reference: image.reference,
        };
        Some(Step::Ask {
            request: Request::context(info.context, ContextRequest::Image { request }),
            purpose: Purpose::toast(
                Level::Success,
                tr!("image {name} removed", name = image.name),
            ),
        })
    }

    /// An action in another row ends the search.
    fn focus_moved_to(&mut self, row: FormRow) {
        if row.field != Field::Environment {
            self.environments.focus_left();
        }
    }

    fn go(&mut self, from: FormRow, to: FormRow) {
        self.moved = Some(to).filter(|to| *to != from);
    }

    /// Updates what depends on a row after it has changed.
    fn after(&mut self, changed: bool, row: FormRow, info: &LaunchInfo) -> bool {
        if !changed {
            return false;
        }
        match row.field {
            Field::Cpu | Field::Memory | Field::Accelerator => self.amounts.make_custom(),
            Field::SharedMemory => {
                self.amounts.automatic_shmem = false;
                self.amounts.make_custom();
            }
            _ => {}
        }
        self.settle(info);
        true
    }

    pub(super) fn handle_paste(&mut self, row: FormRow, text: &str, info: &LaunchInfo) -> bool {
        self.focus_moved_to(row);
        match row.field {
            Field::Environment => self.environments.paste(text, info),
            Field::Image => self.environments.image_paste(text),
            Field::Disk => self.disk.input.paste(text.trim()),
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
        self.after(true, row, info)
    }

    pub(super) fn handle_action(
        &mut self,
        row: FormRow,
        action: Action,
        key: Option<Key>,
        info: &LaunchInfo,
    ) -> FormResponse {
        self.focus_moved_to(row);
        let response = self.handle_in_row(row, action, key, info);
        if response == FormResponse::Ignored && leaves(action) {
            self.environments.focus_left();
        }
        response
    }

    fn handle_in_row(
        &mut self,
        row: FormRow,
        action: Action,
        key: Option<Key>,
        info: &LaunchInfo,
    ) -> FormResponse {
        // A character is text first, even if it is bound to an action.
        if let Some(key) = key.filter(|key| is_text(*key))
            && self.handle_key(row, key, info)
        {
            return self.response();
        }
        let done = match action {
            Action::ListDown | Action::ListUp => return self.handle_up_down(row, action, info),
            Action::LauncherMore => self.turn(row, true, key, info),
            Action::LauncherLess => self.turn(row, false, key, info),
            Action::ListFirst | Action::ListLast => self.go_to_end(row, action, key, info),
            Action::LauncherToggle => self.toggle(row, info),
            Action::LauncherAdd if row.field == Field::Variables => {
                return FormResponse::Focus(variable_row(
                    self.variables.count(),
                    VariablePart::Name,
                ));
            }
            Action::LauncherCopyImage if row.field == Field::Environment => {
                return FormResponse::Steps(vec![self.copy_image()]);
            }
            Action::LauncherRemove if row.field == Field::Environment => {
                return match self.environments.ask_to_remove() {
                    Some(text) => FormResponse::Confirm(text, tr!("Remove image")),
                    None => FormResponse::Steps(vec![Step::toast(
                        Level::Info,
                        tr!("Only images that you created from a session can be removed here"),
                    )]),
                };
            }
            Action::LauncherRemove if row.field == Field::Variables => {
                let (at, _) = variable_of(row);
                self.variables.remove(at);
                return FormResponse::Focus(variable_row(
                    at.min(self.variables.count()),
                    VariablePart::Name,
                ));
            }
            Action::LauncherRemoveAll if row.field == Field::Variables => {
                let question = self.variables.question();
                return question.map_or(FormResponse::Handled, |text| {
                    FormResponse::Confirm(text, tr!("Remove all"))
                });
            }
            Action::LauncherAdd => self.small_step(row, true, info),
            Action::LauncherRemove => self.small_step(row, false, info),
            _ => false,
        };
        if done {
            self.response()
        } else {
            FormResponse::Ignored
        }
    }

    fn response(&mut self) -> FormResponse {
        self.moved
            .take()
            .map_or(FormResponse::Handled, FormResponse::Focus)
    }

    /// Moves through the environments, or from a line of the variables to the one above or below.
    fn handle_up_down(&mut self, row: FormRow, action: Action, info: &LaunchInfo) -> FormResponse {
        let down = action == Action::ListDown;
        match row.field {
            Field::Environment if !self.environments.has_manual_image() => {
                let moved = self.environments.step(if down { 1 } else { -1 });
                if self.after(moved, row, info) {
                    FormResponse::Handled
                } else {
                    FormResponse::Ignored
                }
            }
            Field::Variables => {
                let (at, part) = variable_of(row);
                match (down, at) {
                    (true, at) if self.variables.is_last(at) => FormResponse::Ignored,
                    (true, at) if self.variables.is_last(at + 1) => {
                        FormResponse::Focus(variable_row(at + 1, VariablePart::Name))
                    }
                    (true, at) => FormResponse::Focus(variable_row(at + 1, part)),
                    (false, 0) => FormResponse::Focus(FormRow::of(Field::Image)),
                    (false, at) => FormResponse::Focus(variable_row(at - 1, part)),
                }
            }
            _ => FormResponse::Ignored,
        }
    }

    /// Handles left and right: chooses another option, changes a number, or moves in a text.
    fn turn(&mut self, row: FormRow, forward: bool, key: Option<Key>, info: &LaunchInfo) -> bool {
        match row.field {
            Field::Environment | Field::Image | Field::Variables | Field::Disk => {
                return key.is_some_and(|key| self.handle_key(row, key, info));
            }
            _ => {}
        }
        if let Some((options, at)) = self.choices(row, info) {
            return self.choose(row, turned(&options, at, forward), info);
        }
        // An automatic amount becomes custom first.
        if self.automatic(row) == Some(true) {
            return self.toggle(row, info);
        }
        self.step(row, forward, false, info)
    }

    /// Chooses an option if it is possible.
    pub(super) fn choose(&mut self, row: FormRow, at: usize, info: &LaunchInfo) -> bool {
        let options = self.choices(row, info).map(|(options, _)| options);
        let option = options.as_ref().and_then(|options| options.get(at));
        if option.is_none_or(|option| option.why_not.is_some()) {
            return false;
        }
        match row.field {
            Field::Project => self.placement.choose_project(at, info),
            Field::ResourceGroup => self.placement.choose_group(at, info),
            Field::Agent => self.placement.choose_agent(at, info),
            Field::ClusterMode => self.counts.choose_mode(at),
            _ => self.choose_preset(at, info),
        }
        self.after(true, row, info)
    }

    fn choose_preset(&mut self, at: usize, info: &LaunchInfo) {
        let facts = self.amount_facts(info);
        if let Some(source) = presets::sources(&facts).into_iter().nth(at) {
            self.amounts.choose(source, &facts);
        }
    }

    fn step(&mut self, row: FormRow, up: bool, fine: bool, info: &LaunchInfo) -> bool {
        let bounds = self.bounds(row, info);
        let Some(slider) = self.slider_mut(row) else {
            return false;
        };
        slider.step(up, fine, &bounds);
        self.after(true, row, info)
    }

    /// Changes a number by its smallest step.
    fn small_step(&mut self, row: FormRow, up: bool, info: &LaunchInfo) -> bool {
        self.automatic(row) != Some(true) && self.step(row, up, true, info)
    }

    /// Handles Home and End: the minimum and maximum of a number, the ends of a text.
    fn go_to_end(
        &mut self,
        row: FormRow,
        action: Action,
        key: Option<Key>,
        info: &LaunchInfo,
    ) -> bool {
        let bounds = self.bounds(row, info);
        if self.automatic(row) == Some(true) {
            return false;
        }
        match self.slider_mut(row) {
            Some(slider) if action == Action::ListFirst => slider.set_least(&bounds),
            Some(slider) => slider.set_most(&bounds),
            None => return key.is_some_and(|key| self.handle_key(row, key, info)),
        }
        self.after(true, row, info)
    }

    fn toggle(&mut self, row: FormRow, info: &LaunchInfo) -> bool {
        match (row.field, row.item) {
            (Field::SharedMemory, _) => {
                let facts = self.amount_facts(info);
                self.amounts.toggle_shmem(&facts);
            }
            (Field::OpenMp, 0) => self.threads.automatic = !self.threads.automatic,
            _ if self.choices(row, info).is_some() => {
                return self.turn(row, true, None, info);
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
            | Action::LauncherContinue
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
