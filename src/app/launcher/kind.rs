//! The first page: what kind of session, its name; of a batch session what it runs and when.

mod owner;

use super::{Form, Heard, Offer, Row, Script};
use crate::{
    action::Action,
    app::input::Input,
    key::{Key, KeyCode},
    model::{
        capability::Capability,
        id::ContextName,
        launch::{FieldProblem, LaunchField as Field, StartAt, start},
        session::SessionType,
        span::Span,
        spec::LaunchRequest,
        stop_hook::StopHook,
    },
};

pub use owner::{ACCESS_KEY, EMAIL, OwnerForm, PROJECT, Search};

#[derive(Clone, Debug, Default)]
pub struct Kind {
    context: Option<ContextName>,
    session_type: SessionType,
    name: Input,
    command: Script,
    starts_at: Input,
    timeout: Input,
    priority: Input,
    bootstrap: Script,
    idle_timeout: Input,
    lifetime: Input,
    stop_hook: Script,
    /// What else the stop hook says; it is not typed here.
    further: StopHook,
    pub owner: OwnerForm,
}

impl Kind {
    pub fn session_type(&self) -> SessionType {
        self.session_type
    }

    /// The context that was chosen.
    pub fn context(&self, offer: &Offer) -> ContextName {
        self.context.unwrap_or(offer.context)
    }

    /// The text of a field of one line.
    pub fn input(&self, row: Row) -> Option<&Input> {
        Some(match row.field {
            Field::Name => &self.name,
            Field::StartTime => &self.starts_at,
            Field::Timeout => &self.timeout,
            Field::IdleTimeout => &self.idle_timeout,
            Field::Lifetime => &self.lifetime,
            Field::Priority => &self.priority,
            Field::Owner if row.item == EMAIL => self.owner.email(),
            _ => return None,
        })
    }

    fn input_mut(&mut self, row: Row) -> Option<&mut Input> {
        Some(match row.field {
            Field::Name => &mut self.name,
            Field::StartTime => &mut self.starts_at,
            Field::Timeout => &mut self.timeout,
            Field::IdleTimeout => &mut self.idle_timeout,
            Field::Lifetime => &mut self.lifetime,
            Field::Priority => &mut self.priority,
            Field::Owner if row.item == EMAIL => self.owner.email_mut(),
            _ => return None,
        })
    }

    /// The text of a field of several lines.
    pub fn script(&self, field: Field) -> Option<&Script> {
        match field {
            Field::StartupCommand => Some(&self.command),
            Field::BootstrapScript => Some(&self.bootstrap),
            Field::StopHook => Some(&self.stop_hook),
            _ => None,
        }
    }

    pub fn script_mut(&mut self, field: Field) -> Option<&mut Script> {
        match field {
            Field::StartupCommand => Some(&mut self.command),
            Field::BootstrapScript => Some(&mut self.bootstrap),
            Field::StopHook => Some(&mut self.stop_hook),
            _ => None,
        }
    }

    /// The command that is typed, with what was said besides.
    pub fn stop_hook(&self) -> StopHook {
        let command = self.stop_hook.text();
        StopHook {
            command: Some(command).filter(|text| !text.trim().is_empty()),
            ..self.further.clone()
        }
    }

    /// What may end it by itself. One that was said before is not lost where there is none.
    fn limits(&self, offer: &Offer) -> impl Iterator<Item = Field> {
        let has = offer.has(Capability::IdleRules);
        let idle = given(&self.idle_timeout).is_some() || (has && !self.is_batch());
        let lifetime = given(&self.lifetime).is_some() || has;
        let all = [(Field::IdleTimeout, idle), (Field::Lifetime, lifetime)];
        all.into_iter()
            .filter(|(_, shown)| *shown)
            .map(|(field, _)| field)
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

/// The position `by` further on in a ring of `count`; `None` = there is none.
pub fn turned(count: usize, at: Option<usize>, by: isize) -> Option<usize> {
    let at = at.map_or(0, |at| at.cast_signed() + by);
    (count > 0).then(|| at.rem_euclid(count.cast_signed()).unsigned_abs())
}

/// A text without blanks around it; `None` = empty.
fn given(input: &Input) -> Option<&str> {
    Some(input.text().trim()).filter(|text| !text.is_empty())
}

fn priority(input: &Input) -> Result<Option<i32>, String> {
    let Some(text) = given(input) else {
        return Ok(None);
    };
    crate::model::launch::priority::parse(text).map(Some)
}

/// A length of time.
fn span(input: &Input) -> Result<Option<Span>, String> {
    given(input).map(str::parse).transpose()
}

impl Form for Kind {
    fn rows(&self, offer: &Offer) -> Vec<Row> {
        let mut rows = Vec::new();
        if !offer.contexts.is_empty() {
            rows.push(Row::of(Field::Context));
        }
        rows.extend([Row::of(Field::SessionType), Row::of(Field::Name)]);
        if self.is_batch() {
            let batch = [Field::StartupCommand, Field::StartTime, Field::Timeout];
            rows.extend(batch.map(Row::of));
        }
        rows.push(Row::of(Field::Priority));
        rows.push(Row::of(Field::BootstrapScript));
        rows.extend(self.limits(offer).map(Row::of));
        // One that was said before is not lost where there is none: it is refused there.
        if offer.has(Capability::StopHook) || !self.stop_hook().is_empty() {
            rows.push(Row::of(Field::StopHook));
        }
        if offer.has(Capability::Owners) {
            rows.extend(self.owner.rows());
        }
        rows
    }

    /// A name is typed at once; among several contexts one is chosen first.
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
        self.name.set(request.name.as_deref().unwrap_or_default());
        let command = request.startup_command.as_deref();
        self.command.set(command.unwrap_or_default());
        let text = |it: Option<String>| it.unwrap_or_default();
        self.starts_at
            .set(&text(request.starts_at.map(|start| match start {
                StartAt::After(_) => start.to_string(),
                StartAt::At(at) => start::local_text(at, &offer.zone),
            })));
        self.timeout
            .set(&text(request.timeout.map(|it| it.to_string())));
        self.idle_timeout
            .set(&text(request.idle_timeout.map(|it| it.to_string())));
        self.lifetime
            .set(&text(request.lifetime.map(|it| it.to_string())));
        self.priority
            .set(&text(request.priority.map(|it| it.to_string())));
        let script = request.bootstrap_script.as_deref();
        self.bootstrap.set(script.unwrap_or_default());
        self.further = request.stop_hook.clone().unwrap_or_default();
        let command = self.further.command.as_deref();
        self.stop_hook.set(command.unwrap_or_default());
        self.owner.read(request);
    }

    fn write(&self, request: &mut LaunchRequest, offer: &Offer) {
        request.session_type = self.session_type;
        request.name = given(&self.name).map(str::to_owned);
        if self.is_batch() {
            let command = self.command.text();
            request.startup_command = Some(command).filter(|it| !it.trim().is_empty());
            request.starts_at = given(&self.starts_at)
                .and_then(|text| start::read(text, offer.now, &offer.zone).ok());
            request.timeout = span(&self.timeout).ok().flatten();
        }
        request.priority = priority(&self.priority).ok().flatten();
        request.bootstrap_script =
            Some(self.bootstrap.text()).filter(|text| !text.trim().is_empty());
        request.idle_timeout = span(&self.idle_timeout).ok().flatten();
        request.lifetime = span(&self.lifetime).ok().flatten();
        request.stop_hook = Some(self.stop_hook()).filter(|hook| !hook.is_empty());
        if offer.has(Capability::Owners) {
            self.owner.write(request);
        }
    }

    fn problems(&self, offer: &Offer) -> Vec<FieldProblem> {
        let mut found = Vec::new();
        let mut add = |field, why: Option<String>| {
            found.extend(why.map(|why| FieldProblem::new(field, why)));
        };
        add(Field::Priority, priority(&self.priority).err());
        add(Field::IdleTimeout, span(&self.idle_timeout).err());
        add(Field::Lifetime, span(&self.lifetime).err());
        if self.is_batch() {
            add(Field::Timeout, span(&self.timeout).err());
            let start = given(&self.starts_at);
            let start = start.map(|text| start::read(text, offer.now, &offer.zone));
            add(Field::StartTime, start.and_then(Result::err));
        }
        if offer.has(Capability::Owners) {
            add(Field::Owner, self.owner.problem());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        kind.lifetime.set("soon");
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
