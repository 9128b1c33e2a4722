//! The first page: the type of the session and its name, and for a batch session its command and start time.

mod owner;

use super::{FormResponse, FormRow, LaunchInfo, Page, PageForm, ScriptInput};
use crate::{
    action::Action,
    app::input::Input,
    key::{Key, KeyCode},
    model::{
        capability::Capability,
        id::ContextName,
        launch_field::{FieldProblem, LaunchField as Field},
        session::SessionType,
        spec::LaunchRequest,
        start_time::{self, StartAt},
        stop_hook::StopHook,
    },
    rules::launch::table::{FieldRow, Only, TABLE, TextValue, Widget},
};

pub use owner::{ACCESS_KEY, EMAIL, OwnerForm, OwnerSearch, PROJECT};

#[derive(Clone, Debug)]
pub struct SessionTypeForm {
    context: Option<ContextName>,
    session_type: SessionType,
    /// The texts of fields with one line that the table has on this page.
    lines: Vec<(Field, Input)>,
    /// The texts of fields with several lines.
    scripts: Vec<(Field, ScriptInput)>,
    /// The settings of the stop hook that aren't typed on this page.
    further: StopHook,
    pub owner: OwnerForm,
}

impl Default for SessionTypeForm {
    fn default() -> Self {
        let here = TABLE.iter().filter(|row| row.page == Page::Kind);
        let (mut lines, mut scripts) = (Vec::new(), Vec::new());
        for row in here {
            match row.widget {
                Widget::Line { .. } => lines.push((row.field, Input::default())),
                Widget::Script { .. } => scripts.push((row.field, ScriptInput::default())),
                Widget::Own => {}
            }
        }
        Self {
            context: None,
            session_type: SessionType::default(),
            lines,
            scripts,
            further: StopHook::default(),
            owner: OwnerForm::default(),
        }
    }
}

impl SessionTypeForm {
    pub fn session_type(&self) -> SessionType {
        self.session_type
    }

    /// The chosen context.
    pub fn context(&self, info: &LaunchInfo) -> ContextName {
        self.context.unwrap_or(info.context)
    }

    /// The text of a field with one line.
    pub fn input(&self, row: FormRow) -> Option<&Input> {
        if row.field == Field::Owner && row.item == EMAIL {
            return Some(self.owner.email());
        }
        let mut lines = self.lines.iter();
        let (_, input) = lines.find(|(field, _)| *field == row.field)?;
        Some(input)
    }

    fn input_mut(&mut self, row: FormRow) -> Option<&mut Input> {
        if row.field == Field::Owner && row.item == EMAIL {
            return Some(self.owner.email_mut());
        }
        let mut lines = self.lines.iter_mut();
        let (_, input) = lines.find(|(field, _)| *field == row.field)?;
        Some(input)
    }

    /// The text of a field with several lines.
    pub fn script(&self, field: Field) -> Option<&ScriptInput> {
        let mut scripts = self.scripts.iter();
        let (_, script) = scripts.find(|(known, _)| *known == field)?;
        Some(script)
    }

    pub fn script_mut(&mut self, field: Field) -> Option<&mut ScriptInput> {
        let mut scripts = self.scripts.iter_mut();
        let (_, script) = scripts.find(|(known, _)| *known == field)?;
        Some(script)
    }

    /// The typed text of a field without blanks around it, `None` if it is empty.
    fn typed(&self, field: Field) -> Option<String> {
        let text = match self.script(field) {
            Some(script) => script.text(),
            None => self.input(FormRow::of(field))?.text().trim().to_owned(),
        };
        Some(text).filter(|text| !text.trim().is_empty())
    }

    /// The texts of the table, with their rows.
    fn texts(&self) -> impl Iterator<Item = (&'static FieldRow, &'static TextValue)> {
        let lines = self.lines.iter().map(|(field, _)| *field);
        let fields = lines.chain(self.scripts.iter().map(|(field, _)| *field));
        fields.filter_map(|field| Some((field.row(), field.row().text.as_ref()?)))
    }

    /// Whether sessions of the chosen type have the field.
    fn fits(&self, row: &FieldRow) -> bool {
        match row.only {
            Only::Any => true,
            Only::Batch => self.is_batch(),
            Only::Interactive => !self.is_batch(),
        }
    }

    /// Whether a field is shown. A value isn't lost if its field isn't available: it is shown and refused.
    fn shows(&self, row: &FieldRow, info: &LaunchInfo) -> bool {
        let available = row.needs.is_none_or(|needed| info.has(needed));
        let is_set = || match row.field {
            Field::StopHook => !self.stop_hook().is_empty(),
            field => row.only != Only::Batch && self.typed(field).is_some(),
        };
        (available && self.fits(row)) || is_set()
    }

    /// The typed command, with the other settings of the stop hook.
    pub fn stop_hook(&self) -> StopHook {
        StopHook {
            command: self.typed(Field::StopHook),
            ..self.further.clone()
        }
    }

    fn is_batch(&self) -> bool {
        self.session_type == SessionType::Batch
    }

    fn turn(&mut self, row: FormRow, by: isize, info: &LaunchInfo) -> FormResponse {
        match row.field {
            Field::Context => {
                let at = info.contexts.iter().position(|it| *it == info.context);
                let next = turned(info.contexts.len(), at, by);
                self.context = next.map(|at| info.contexts[at]);
            }
            Field::SessionType => {
                self.session_type = if self.is_batch() {
                    SessionType::Interactive
                } else {
                    SessionType::Batch
                };
            }
            Field::Owner if row.item != EMAIL => self.owner.turn(row.item, by),
            _ => return FormResponse::Ignored,
        }
        FormResponse::Handled
    }

    fn script_action(script: &mut ScriptInput, action: Action, key: Option<Key>) -> FormResponse {
        let done = match action {
            Action::LauncherContinue if key.is_some_and(|it| it.code == KeyCode::Enter) => {
                script.new_line();
                true
            }
            Action::ListDown => script.go(true),
            Action::ListUp => script.go(false),
            Action::LauncherMore | Action::LauncherLess | Action::ListFirst | Action::ListLast => {
                key.is_some_and(|key| script.key(key))
            }
            _ => false,
        };
        if done {
            FormResponse::Handled
        } else {
            FormResponse::Ignored
        }
    }
}

/// The position `by` further on in a ring of `count`, `None` if the ring is empty.
pub fn turned(count: usize, at: Option<usize>, by: isize) -> Option<usize> {
    let at = at.map_or(0, |at| at.cast_signed() + by);
    (count > 0).then(|| at.rem_euclid(count.cast_signed()).unsigned_abs())
}

/// The text of a field. A start time is in local time.
fn shown(field: Field, request: &LaunchRequest, info: &LaunchInfo) -> String {
    if let (Field::StartTime, Some(StartAt::At(at))) = (field, request.starts_at) {
        return start_time::local_text(at, &info.zone);
    }
    field.row().written(request).unwrap_or_default()
}

impl PageForm for SessionTypeForm {
    fn rows(&self, info: &LaunchInfo) -> Vec<FormRow> {
        let mut rows = Vec::new();
        if !info.contexts.is_empty() {
            rows.push(FormRow::of(Field::Context));
        }
        rows.push(FormRow::of(Field::SessionType));
        let typed = TABLE.iter().filter(|row| row.page == Page::Kind);
        let typed = typed.filter(|row| row.widget != Widget::Own && self.shows(row, info));
        rows.extend(typed.map(|row| FormRow::of(row.field)));
        if info.has(Capability::Owners) {
            rows.extend(self.owner.rows());
        }
        rows
    }

    /// The first focused row: the name, or the context if there are several.
    fn first(&self, info: &LaunchInfo) -> Option<FormRow> {
        let several = !info.contexts.is_empty();
        Some(FormRow::of(if several {
            Field::Context
        } else {
            Field::Name
        }))
    }

    fn key(&mut self, row: FormRow, key: Key, _info: &LaunchInfo) -> bool {
        if let Some(script) = self.script_mut(row.field) {
            return script.key(key);
        }
        let taken = self.input_mut(row).is_some_and(|input| input.key(key));
        if taken && row.field == Field::Owner {
            self.owner.edited();
        }
        taken
    }

    fn paste(&mut self, row: FormRow, text: &str, _info: &LaunchInfo) -> bool {
        if let Some(script) = self.script_mut(row.field) {
            script.paste(text);
            return true;
        }
        let Some(input) = self.input_mut(row) else {
            return false;
        };
        input.paste(text);
        if row.field == Field::Owner {
            self.owner.edited();
        }
        true
    }

    fn action(
        &mut self,
        row: FormRow,
        action: Action,
        key: Option<Key>,
        info: &LaunchInfo,
    ) -> FormResponse {
        if let Some(script) = self.script_mut(row.field) {
            return Self::script_action(script, action, key);
        }
        match action {
            Action::LauncherContinue if row.field == Field::Owner => self.owner.search(info),
            Action::LauncherMore | Action::LauncherToggle if self.input(row).is_none() => {
                self.turn(row, 1, info)
            }
            Action::LauncherLess if self.input(row).is_none() => self.turn(row, -1, info),
            Action::LauncherMore | Action::LauncherLess | Action::ListFirst | Action::ListLast => {
                if key.is_some_and(|key| self.key(row, key, info)) {
                    FormResponse::Handled
                } else {
                    FormResponse::Ignored
                }
            }
            _ => FormResponse::Ignored,
        }
    }

    fn read(&mut self, request: &LaunchRequest, info: &LaunchInfo) {
        self.context = Some(info.context);
        self.session_type = request.session_type;
        for (field, input) in &mut self.lines {
            input.set(&shown(*field, request, info));
        }
        for (field, script) in &mut self.scripts {
            script.set(&shown(*field, request, info));
        }
        self.further = request.stop_hook.clone().unwrap_or_default();
        let command = self.further.command.clone().unwrap_or_default();
        if let Some(script) = self.script_mut(Field::StopHook) {
            script.set(&command);
        }
        self.owner.read(request);
    }

    fn write(&self, request: &mut LaunchRequest, info: &LaunchInfo) {
        request.session_type = self.session_type;
        for (row, value) in self.texts() {
            if row.only == Only::Batch && !self.is_batch() {
                continue;
            }
            (value.clear)(request);
            if let Some(text) = self.typed(row.field) {
                // A text with a problem is left out, and `problems` reports it.
                let _ = (value.read)(request, &text, info.reading());
            }
        }
        request.stop_hook = Some(self.stop_hook()).filter(|hook| !hook.is_empty());
        if info.has(Capability::Owners) {
            self.owner.write(request);
        }
    }

    fn problems(&self, info: &LaunchInfo) -> Vec<FieldProblem> {
        let mut found = Vec::new();
        let mut ignored = LaunchRequest::default();
        for (row, value) in self.texts() {
            if row.only == Only::Batch && !self.is_batch() {
                continue;
            }
            if let Some(text) = self.typed(row.field)
                && let Err(why) = (value.read)(&mut ignored, &text, info.reading())
            {
                found.push(FieldProblem::new(row.field, why));
            }
        }
        if info.has(Capability::Owners) {
            let problem = self.owner.problem();
            found.extend(problem.map(|why| FieldProblem::new(Field::Owner, why)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::span::Span;

    #[test]
    fn limits_of_its_own_go_through_the_form() {
        let info = LaunchInfo::blank();
        let asked = LaunchRequest {
            idle_timeout: Some(Span(5400)),
            lifetime: Some(Span(172_800)),
            ..LaunchRequest::default()
        };
        let mut form = SessionTypeForm::default();
        form.read(&asked, &info);
        let mut written = LaunchRequest::default();
        form.write(&mut written, &info);
        assert_eq!(written.idle_timeout, asked.idle_timeout);
        assert_eq!(written.lifetime, asked.lifetime);
        let lifetime = form.input_mut(FormRow::of(Field::Lifetime)).unwrap();
        lifetime.set("soon");
        assert_eq!(form.problems(&info)[0].field, Field::Lifetime);
    }

    #[test]
    fn what_a_stop_hook_says_besides_its_command_is_kept() {
        let info = LaunchInfo::blank();
        let asked = LaunchRequest {
            stop_hook: Some(StopHook {
                command: Some("git push".to_owned()),
                save: vec!["out".to_owned()],
                folder: Some("kept".to_owned()),
                timeout: Span(120),
            }),
            ..LaunchRequest::default()
        };
        let mut form = SessionTypeForm::default();
        form.read(&asked, &info);
        let mut written = LaunchRequest::default();
        form.write(&mut written, &info);
        assert_eq!(written.stop_hook, asked.stop_hook);
        form.read(&LaunchRequest::default(), &info);
        form.write(&mut written, &info);
        assert_eq!(written.stop_hook, None);
    }
}
