//! The quick launch form: environment, name, CPU, memory; where there is a choice also the context,
//! the project, the resource group. Everything is filled in beforehand, so that opening it and
//! pressing Enter launches.

mod amounts;
mod choices;
mod place;

use std::fmt::Display;

use super::{
    allowed::why_no_launch_in,
    input::Input,
    mirror::Mirror,
    shown::Shown,
    step::{Purpose, Step},
};
use crate::{
    action::Action,
    key::Key,
    model::{
        capability::Capability, catalogue::Catalogue, id::ContextName, name,
        settings::LaunchSettings, spec::LaunchRequest, text::Clean,
    },
    protocol::message::{Failure, Reply, Request},
};

use amounts::Limits;
pub use choices::Choice;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Only where all contexts are shown.
    Context,
    Environment,
    Name,
    Cpu,
    Memory,
    /// Only where there is a choice, as the next one.
    Project,
    ResourceGroup,
}

impl Field {
    pub fn title(self) -> &'static str {
        match self {
            Self::Context => "Context",
            Self::Environment => "Environment",
            Self::Name => "Name",
            Self::Cpu => "CPU",
            Self::Memory => "Memory",
            Self::Project => "Project",
            Self::ResourceGroup => "Group",
        }
    }

    /// One of a few is chosen with left and right, nothing is typed.
    pub fn is_choice(self) -> bool {
        matches!(self, Self::Context | Self::Project | Self::ResourceGroup)
    }
}

/// How far a launch is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    #[default]
    Editing,
    /// Asked of the daemon, not answered yet.
    Asked,
    Failed(Failure),
}

#[derive(Clone, Debug)]
pub struct Launcher {
    pub field: Field,
    context: ContextName,
    /// The contexts to choose from; empty = there is no choice.
    contexts: Vec<ContextName>,
    /// Why nothing can be launched in the context now.
    blocked: Option<String>,
    /// What is typed to find an environment.
    query: Input,
    /// Labels that fit the query; the marked one is launched.
    choices: Vec<Choice>,
    marked: usize,
    /// How many environments there are before anything is typed.
    known: usize,
    /// The label chosen before anything was typed, while the daemon has told no environments.
    fallback: String,
    name: Input,
    cpu: Input,
    mem: Input,
    /// What the context offers besides, once it has told.
    catalogue: Option<Catalogue>,
    /// Why it could not be told, or not all of it.
    gap: Option<Clean>,
    /// The project chosen by the person.
    project: Option<String>,
    /// The resource group chosen by the person; `None` = the engine's choice.
    group: Option<String>,
    pub progress: Progress,
    limits: Limits,
}

impl Launcher {
    /// For the context shown, or any of them.
    #[must_use]
    pub fn new(settings: &LaunchSettings, mirror: &Mirror, shown: Shown) -> Self {
        let names = || mirror.contexts().iter().map(|s| s.context.name);
        let free = |name: &ContextName| why_no_launch_in(*name, mirror).is_none();
        let context = shown
            .one()
            .or_else(|| names().find(free))
            .or_else(|| names().next());
        let several = shown == Shown::All && mirror.has_several_contexts();
        let mut launcher = Self {
            field: Field::Environment,
            context: context.unwrap_or_else(ContextName::local),
            contexts: if several {
                names().collect()
            } else {
                Vec::new()
            },
            blocked: None,
            query: Input::default(),
            choices: Vec::new(),
            marked: 0,
            known: 0,
            fallback: settings.environment.clone(),
            name: Input::default(),
            cpu: Input::with_text(&settings.cpu.to_string()),
            mem: Input::with_text(&settings.mem.to_string()),
            catalogue: None,
            gap: None,
            project: None,
            group: None,
            progress: Progress::Editing,
            limits: Limits::default(),
        };
        if several {
            launcher.field = Field::Context;
        }
        launcher.limits.shmem = settings.shmem;
        launcher.update(mirror);
        launcher
    }

    /// The fields there are, from the top.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        if !self.contexts.is_empty() {
            fields.push(Field::Context);
        }
        fields.extend([Field::Environment, Field::Name, Field::Cpu, Field::Memory]);
        if self.projects().len() > 1 {
            fields.push(Field::Project);
        }
        if self.groups().len() > 1 {
            fields.push(Field::ResourceGroup);
        }
        fields
    }

    /// Whose environments are listed.
    pub fn context(&self) -> ContextName {
        self.context
    }

    /// The text of a field that is typed; the other fields have none.
    pub fn input(&self, field: Field) -> &Input {
        match field {
            Field::Name => &self.name,
            Field::Cpu => &self.cpu,
            Field::Memory => &self.mem,
            Field::Environment | Field::Context | Field::Project | Field::ResourceGroup => {
                &self.query
            }
        }
    }

    fn input_mut(&mut self) -> Option<&mut Input> {
        match self.field {
            Field::Environment => Some(&mut self.query),
            Field::Name => Some(&mut self.name),
            Field::Cpu => Some(&mut self.cpu),
            Field::Memory => Some(&mut self.mem),
            Field::Context | Field::Project | Field::ResourceGroup => None,
        }
    }

    /// What is asked when it opens and when another context is chosen.
    pub fn ask(&self, mirror: &Mirror) -> Vec<Step> {
        let context = self.context;
        // An image may have come since they were told last.
        let mut steps = vec![Step::Ask {
            request: Request::Environments { context },
            purpose: Purpose::Environments(context),
        }];
        steps.extend(self.ask_catalogue(mirror));
        steps
    }

    fn ask_catalogue(&self, mirror: &Mirror) -> Option<Step> {
        let context = self.context;
        let can = mirror.can(context, Capability::Catalogue);
        can.then(|| Step::Ask {
            request: Request::Catalogue {
                context,
                project: self.project.clone(),
                anew: false,
            },
            purpose: Purpose::Catalogue {
                context,
                project: self.project.clone(),
            },
        })
    }

    /// The catalogue came, or could not be read.
    pub fn answered(
        &mut self,
        context: ContextName,
        project: Option<&str>,
        result: Result<Reply, Failure>,
    ) {
        if context != self.context || project != self.project.as_deref() {
            return;
        }
        match result {
            Ok(Reply::Catalogue { catalogue }) => {
                let gap = catalogue.gaps.first();
                self.gap = gap.map(|(part, why)| Clean::new(&format!("{part}: {why}")));
                self.catalogue = Some(*catalogue);
            }
            Ok(_) => {}
            Err(failure) => self.gap = Some(failure.message),
        }
        self.set_amounts();
    }

    /// What could not be told of the context.
    pub fn gap(&self) -> Option<&Clean> {
        self.gap.as_ref()
    }

    /// Environments or the engine changed.
    pub fn update(&mut self, mirror: &Mirror) {
        let info = mirror.engine_info(self.context);
        self.limits.set_engine(info);
        self.blocked = why_no_launch_in(self.context, mirror);
        let marked = self.environment().map(str::to_owned);
        let environments = mirror.environments(self.context);
        self.known = environments.len();
        self.choices = choices::fitting(self.query.text(), environments);
        self.marked = marked.map_or(0, |label| choices::find(&self.choices, &label));
        self.set_amounts();
    }

    /// What is wrong with a field as it stands.
    pub fn problem(&self, field: Field) -> Option<String> {
        match field {
            Field::Context => self.blocked.clone(),
            Field::Environment => self.environment_problem(),
            Field::Name if self.name.is_empty() => None,
            Field::Name => name::check(self.name.text()).err().map(said),
            Field::Cpu => self.cpu_problem(),
            Field::Memory => self.memory_problem(),
            Field::Project | Field::ResourceGroup => None,
        }
    }

    fn environment_problem(&self) -> Option<String> {
        let Some(choice) = self.choices.get(self.marked) else {
            let query = self.query.text();
            return (!query.is_empty())
                .then(|| format!("no environment has '{query}' in its name"));
        };
        choice
            .unavailable
            .as_ref()
            .map(|why| format!("cannot be launched here: {why}"))
    }

    fn first_problem(&self) -> Option<Field> {
        let wrong = |field: &Field| self.problem(*field).is_some();
        self.fields().into_iter().find(wrong)
    }

    /// A key no scope has bound; `false` = not taken either.
    pub fn key(&mut self, key: Key, mirror: &Mirror) -> bool {
        let Some(input) = self.input_mut() else {
            return false;
        };
        if !input.key(key) {
            return false;
        }
        self.edited(mirror);
        true
    }

    pub fn paste(&mut self, text: &str, mirror: &Mirror) {
        if let Some(input) = self.input_mut() {
            input.paste(text);
            self.edited(mirror);
        }
    }

    fn edited(&mut self, mirror: &Mirror) {
        if self.progress != Progress::Asked {
            self.progress = Progress::Editing;
        }
        if self.field == Field::Environment {
            self.choices = choices::fitting(self.query.text(), mirror.environments(self.context));
            self.marked = 0;
        }
    }

    /// An action of the launcher's scope. `key` is what was pressed: left and right belong to the
    /// text where there is nothing to step.
    pub fn action(&mut self, action: Action, key: Option<Key>, mirror: &Mirror) -> Vec<Step> {
        match action {
            Action::LauncherLaunch => return self.launch(),
            Action::LauncherNext => self.step_field(1),
            Action::LauncherPrevious => self.step_field(-1),
            Action::ListDown => self.down(1),
            Action::ListUp => self.down(-1),
            Action::LauncherMore | Action::LauncherLess => {
                let up = action == Action::LauncherMore;
                match self.field {
                    Field::Cpu => self.step_cpu(up),
                    Field::Memory => self.step_mem(up),
                    Field::Context | Field::Project | Field::ResourceGroup => {
                        return self.step_choice(if up { 1 } else { -1 }, mirror);
                    }
                    Field::Environment | Field::Name => {
                        if let Some(key) = key {
                            self.key(key, mirror);
                        }
                    }
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn step_field(&mut self, by: isize) {
        let fields = self.fields();
        let at = fields.iter().position(|field| *field == self.field);
        let at = at.unwrap_or(0).cast_signed() + by;
        let at = at.rem_euclid(fields.len().cast_signed());
        self.field = fields[at.unsigned_abs()];
    }

    /// Up and down: through the environments where they are, else through the fields.
    fn down(&mut self, by: isize) {
        match self.field {
            Field::Environment => self.mark(by),
            _ => self.step_field(by),
        }
    }

    /// Asks the daemon, or goes to the first field that is wrong.
    fn launch(&mut self) -> Vec<Step> {
        if self.progress == Progress::Asked {
            return Vec::new();
        }
        if let Some(field) = self.first_problem() {
            self.field = field;
            return Vec::new();
        }
        self.progress = Progress::Asked;
        let name = self.name.text();
        let launch = LaunchRequest {
            name: (!name.is_empty()).then(|| name.to_owned()),
            environment: self.environment().map(str::to_owned),
            cpu: self.cpu.text().parse().ok(),
            mem: self.mem.text().parse().ok(),
            project: self.project.clone(),
            resource_group: self.group.clone(),
            ..LaunchRequest::default()
        };
        vec![Step::Ask {
            request: Request::Launch {
                context: self.context,
                launch: Box::new(launch),
            },
            purpose: Purpose::Launch,
        }]
    }
}

fn said(error: impl Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::resources::{Bytes, Cpu};

    fn launcher() -> Launcher {
        let settings = LaunchSettings {
            environment: "host".to_owned(),
            cpu: Cpu::from_millis(1000),
            mem: Bytes::mib(512),
            shmem: Bytes::mib(64),
            pids: 100,
            env: std::collections::BTreeMap::new(),
        };
        Launcher::new(&settings, &Mirror::default(), Shown::default())
    }

    fn stepped(field: Field, start: &str, more: bool) -> String {
        let mut it = launcher();
        it.field = field;
        it.input_mut().unwrap().set(start);
        let action = if more {
            Action::LauncherMore
        } else {
            Action::LauncherLess
        };
        it.action(action, None, &Mirror::default());
        it.input(field).text().to_owned()
    }

    #[test]
    fn amounts_step_to_the_next_usual_one() {
        assert_eq!(stepped(Field::Cpu, "1", true), "2");
        assert_eq!(stepped(Field::Cpu, "1.5", false), "1");
        assert_eq!(stepped(Field::Cpu, "0.25", false), "0.25");
        assert_eq!(stepped(Field::Memory, "512m", true), "1 GiB");
        assert_eq!(stepped(Field::Memory, "600m", false), "512 MiB");
        assert_eq!(stepped(Field::Memory, "16m", false), "16 MiB");
    }

    #[test]
    fn without_environments_from_the_daemon_the_default_is_launched() {
        let mut it = launcher();
        let steps = it.action(Action::LauncherLaunch, None, &Mirror::default());
        let [
            Step::Ask {
                request: Request::Launch { launch, .. },
                ..
            },
        ] = &steps[..]
        else {
            panic!("{steps:?}");
        };
        assert_eq!(launch.environment.as_deref(), Some("host"));
        assert_eq!(launch.mem, Some(Bytes::mib(512)));
        // It is asked once only.
        assert!(
            it.action(Action::LauncherLaunch, None, &Mirror::default())
                .is_empty()
        );
    }

    #[test]
    fn memory_must_hold_the_shared_memory() {
        let mut it = launcher();
        it.mem.set("64m");
        assert!(
            it.problem(Field::Memory)
                .is_some_and(|why| why.contains("64 MiB"))
        );
        it.mem.set("65m");
        assert_eq!(it.problem(Field::Memory), None);
    }
}
