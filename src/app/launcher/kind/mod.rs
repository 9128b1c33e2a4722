//! The first page: the type of the session and its name, and for a batch session its command and start time.

mod owner;

use super::{Form, Heard, Offer, Page, Row, Script};
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

pub use owner::{ACCESS_KEY, EMAIL, OwnerForm, PROJECT, Search};

#[derive(Clone, Debug)]
pub struct Kind {
    context: Option<ContextName>,
    session_type: SessionType,
    /// The texts of fields with one line that the table has on this page.
    lines: Vec<(Field, Input)>,
    /// The texts of fields with several lines.
    scripts: Vec<(Field, Script)>,
    /// The settings of the stop hook that aren't typed on this page.
    further: StopHook,
    pub owner: OwnerForm,
}

impl Default for Kind {
    fn default() -> Self {
        let here = TABLE.iter().filter(|row| row.page == Page::Kind);
        let (mut lines, mut scripts) = (Vec::new(), Vec::new());
        for row in here {
            match row.widget {
                Widget::Line { .. } => lines.push((row.field, Input::default())),
                Widget::Script { .. } => scripts.push((row.field, Script::default())),
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

impl Kind {
    pub fn session_type(&self) -> SessionType {
        self.session_type
    }

    /// The chosen context.
    pub fn context(&self, offer: &Offer) -> ContextName {
        self.context.unwrap_or(offer.context)
    }

    /// The text of a field with one line.
    pub fn input(&self, row: Row) -> Option<&Input> {
        if row.field == Field::Owner && row.item == EMAIL {
            return Some(self.owner.email());
        }
        let mut lines = self.lines.iter();
        let (_, input) = lines.find(|(field, _)| *field == row.field)?;
        Some(input)
    }

    fn input_mut(&mut self, row: Row) -> Option<&mut Input> {
        if row.field == Field::Owner && row.item == EMAIL {
            return Some(self.owner.email_mut());
        }
        let mut lines = self.lines.iter_mut();
        let (_, input) = lines.find(|(field, _)| *field == row.field)?;
        Some(input)
    }

    /// The text of a field with several lines.
    pub fn script(&self, field: Field) -> Option<&Script> {
        let mut scripts = self.scripts.iter();
        let (_, script) = scripts.find(|(known, _)| *known == field)?;
        Some(script)
    }

    pub fn script_mut(&mut self, field: Field) -> Option<&mut Script> {
        let mut scripts = self.scripts.iter_mut();
        let (_, script) = scripts.find(|(known, _)| *known == field)?;
        Some(script)
    }

    /// The typed text of a field without blanks around it, `None` if it is empty.
    fn typed(&self, field: Field) -> Option<String> {
        let text = match self.script(field) {
            Some(script) => script.text(),
            None => self.input(Row::of(field))?.text().trim().to_owned(),
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
    fn shows(&self, row: &FieldRow, offer: &Offer) -> bool {
        let available = row.needs.is_none_or(|needed| offer.has(needed));
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

    fn turn(&mut self, row: Row, by: isize, offer: &Offer) -> Heard {
        match row.field {
            Field::Context => {
                let at = offer.contexts.iter().position(|it| *it == offer.context);
                let next = turned(offer.contexts.len(), at, by);
                self.context = next.map(|at| offer.contexts[at]);
            }
            Field::SessionType => {
                self.session_type = if self.is_batch() {
                    SessionType::Interactive
                } else {
                    SessionType::Batch
                };
            }
            Field::Owner if row.item != EMAIL => self.owner.turn(row.item, by),
            _ => return Heard::No,
        }
        Heard::Yes
    }

    fn script_action(script: &mut Script, action: Action, key: Option<Key>) -> Heard {
        let done = match action {
            Action::LauncherGoOn if key.is_some_and(|it| it.code == KeyCode::Enter) => {
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
        if done { Heard::Yes } else { Heard::No }
    }
}

/// The position `by` further on in a ring of `count`, `None` if the ring is empty.
pub fn turned(count: usize, at: Option<usize>, by: isize) -> Option<usize> {
    let at = at.map_or(0, |at| at.cast_signed() + by);
    (count > 0).then(|| at.rem_euclid(count.cast_signed()).unsigned_abs())
}

/// The text of a field. A start time is in local time.
fn shown(field: Field, request: &LaunchRequest, offer: &Offer) -> String {
    if let (Field::StartTime, Some(StartAt::At(at))) = (field, request.starts_at) {
        return start_time::local_text(at, &offer.zone);
    }
    field.row().written(request).unwrap_or_default()
}

impl Form for Kind {
    fn rows(&self, offer: &Offer) -> Vec<Row> {
        let mut rows = Vec::new();
        if !offer.contexts.is_empty() {
            rows.push(Row::of(Field::Context));
        }
        rows.push(Row::of(Field::SessionType));
        let typed = TABLE.iter().filter(|row| row.page == Page::Kind);
        let typed = typed.filter(|row| row.widget != Widget::Own && self.shows(row, offer));
        rows.extend(typed.map(|row| Row::of(row.field)));
        if offer.has(Capability::Owners) {
            rows.extend(self.owner.rows());
        }
        rows
    }

    /// The first focused row: the name, or the context if there are several.
    fn first(&self, offer: &Offer) -> Option<Row> {
        let several = !offer.contexts.is_empty();
        Some(Row::of(if several { Field::Context } else { Field::Name }))
    }

    fn key(&mut self, row: Row, key: Key, _offer: &Offer) -> bool {
        if let Some(script) = self.script_mut(row.field) {
            return script.key(key);
        }
        let taken = self.input_mut(row).is_some_and(|input| input.key(key));
        if taken && row.field == Field::Owner {
            self.owner.edited();
        }
        taken
    }

    fn paste(&mut self, row: Row, text: &str, _offer: &Offer) -> bool {
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

    fn action(&mut self, row: Row, action: Action, key: Option<Key>, offer: &Offer) -> Heard {
        if let Some(script) = self.script_mut(row.field) {
            return Self::script_action(script, action, key);
        }
        match action {
            Action::LauncherGoOn if row.field == Field::Owner => self.owner.search(offer),
            Action::LauncherMore | Action::LauncherToggle if self.input(row).is_none() => {
                self.turn(row, 1, offer)
            }
            Action::LauncherLess if self.input(row).is_none() => self.turn(row, -1, offer),
            Action::LauncherMore | Action::LauncherLess | Action::ListFirst | Action::ListLast => {
                if key.is_some_and(|key| self.key(row, key, offer)) {
                    Heard::Yes
                } else {
                    Heard::No
                }
            }
            _ => Heard::No,
        }
    }

    fn read(&mut self, request: &LaunchRequest, offer: &Offer) {
        self.context = Some(offer.context);
        self.session_type = request.session_type;
        for (field, input) in &mut self.lines {
            input.set(&shown(*field, request, offer));
        }
        for (field, script) in &mut self.scripts {
            script.set(&shown(*field, request, offer));
        }
        self.further = request.stop_hook.clone().unwrap_or_default();
        let command = self.further.command.clone().unwrap_or_default();
        if let Some(script) = self.script_mut(Field::StopHook) {
            script.set(&command);
        }
        self.owner.read(request);
    }

    fn write(&self, request: &mut LaunchRequest, offer: &Offer) {
        request.session_type = self.session_type;
        for (row, value) in self.texts() {
            if row.only == Only::Batch && !self.is_batch() {
                continue;
            }
            (value.clear)(request);
            if let Some(text) = self.typed(row.field) {
                // A text with a problem is left out, and `problems` reports it.
                let _ = (value.read)(request, &text, offer.reading());
            }
        }
        request.stop_hook = Some(self.stop_hook()).filter(|hook| !hook.is_empty());
        if offer.has(Capability::Owners) {
            self.owner.write(request);
        }
    }

    fn problems(&self, offer: &Offer) -> Vec<FieldProblem> {
        let mut found = Vec::new();
        let mut ignored = LaunchRequest::default();
        for (row, value) in self.texts() {
            if row.only == Only::Batch && !self.is_batch() {
                continue;
            }
            if let Some(text) = self.typed(row.field)
                && let Err(why) = (value.read)(&mut ignored, &text, offer.reading())
            {
                found.push(FieldProblem::new(row.field, why));
            }
        }
        if offer.has(Capability::Owners) {
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
        let offer = Offer::blank();
        let asked = LaunchRequest {
            idle_timeout: Some(Span(5400)),
            lifetime: Some(Span(172_800)),
            ..LaunchRequest::default()
        };
        let mut kind = Kind::default();
        kind.read(&asked, &offer);
        let mut written = LaunchRequest::default();
        kind.write(&mut written, &offer);
        assert_eq!(written.idle_timeout, asked.idle_timeout);
        assert_eq!(written.lifetime, asked.lifetime);
        let lifetime = kind.input_mut(Row::of(Field::Lifetime)).unwrap();
        lifetime.set("soon");
        assert_eq!(kind.problems(&offer)[0].field, Field::Lifetime);
    }

    #[test]
    fn what_a_stop_hook_says_besides_its_command_is_kept() {
        let offer = Offer::blank();
        let asked = LaunchRequest {
            stop_hook: Some(StopHook {
                command: Some("git push".to_owned()),
                save: vec!["out".to_owned()],
                folder: Some("kept".to_owned()),
                timeout: Span(120),
            }),
            ..LaunchRequest::default()
        };
        let mut kind = Kind::default();
        kind.read(&asked, &offer);
        let mut written = LaunchRequest::default();
        kind.write(&mut written, &offer);
        assert_eq!(written.stop_hook, asked.stop_hook);
        kind.read(&LaunchRequest::default(), &offer);
        kind.write(&mut written, &offer);
        assert_eq!(written.stop_hook, None);
    }
}
