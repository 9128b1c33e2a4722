//! The quick launch form: environment, name, CPU, memory. Everything is filled in beforehand, so
//! that opening it and pressing Enter launches.

use std::fmt::Display;

use super::{
    input::Input,
    mirror::Mirror,
    step::{Purpose, Step},
};
use crate::{
    action::Action,
    key::Key,
    model::{
        environment::Environment,
        id::ContextName,
        name,
        resources::{Bytes, Cpu},
        settings::LaunchSettings,
        spec::LaunchRequest,
        text::Clean,
    },
    protocol::message::{Failure, Request},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Environment,
    Name,
    Cpu,
    Memory,
}

impl Field {
    pub const ALL: [Self; 4] = [Self::Environment, Self::Name, Self::Cpu, Self::Memory];

    pub fn title(self) -> &'static str {
        match self {
            Self::Environment => "Environment",
            Self::Name => "Name",
            Self::Cpu => "CPU",
            Self::Memory => "Memory",
        }
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
    /// What is typed to find an environment.
    query: Input,
    /// Labels that fit the query; the marked one is launched.
    choices: Vec<Choice>,
    marked: usize,
    /// The label chosen before anything was typed, while the daemon has told no environments.
    fallback: String,
    name: Input,
    cpu: Input,
    mem: Input,
    pub progress: Progress,
    limits: Limits,
}

/// One line of the environment list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// `name:version`.
    pub label: String,
    /// `this machine` or the image's size.
    pub note: String,
    /// Why it cannot be launched.
    pub unavailable: Option<Clean>,
}

/// What the engine has in all, and what every session needs.
#[derive(Clone, Copy, Debug, Default)]
struct Limits {
    cpu: Option<Cpu>,
    mem: Option<Bytes>,
    shmem: Bytes,
}

const CPU_STEPS: [u64; 11] = [
    250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000,
];

impl Launcher {
    #[must_use]
    pub fn new(settings: &LaunchSettings, mirror: &Mirror) -> Self {
        let mut launcher = Self {
            field: Field::Environment,
            query: Input::default(),
            choices: Vec::new(),
            marked: 0,
            fallback: settings.environment.clone(),
            name: Input::default(),
            cpu: Input::with_text(&settings.cpu.to_string()),
            mem: Input::with_text(&settings.mem.to_string()),
            progress: Progress::Editing,
            limits: Limits::default(),
        };
        launcher.limits.shmem = settings.shmem;
        launcher.update(mirror);
        launcher
    }

    pub fn input(&self, field: Field) -> &Input {
        match field {
            Field::Environment => &self.query,
            Field::Name => &self.name,
            Field::Cpu => &self.cpu,
            Field::Memory => &self.mem,
        }
    }

    fn input_mut(&mut self) -> &mut Input {
        match self.field {
            Field::Environment => &mut self.query,
            Field::Name => &mut self.name,
            Field::Cpu => &mut self.cpu,
            Field::Memory => &mut self.mem,
        }
    }

    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    pub fn marked(&self) -> usize {
        self.marked
    }

    /// The environment that would be launched.
    pub fn environment(&self) -> Option<&str> {
        match self.choices.get(self.marked) {
            Some(choice) => Some(&choice.label),
            None if self.query.is_empty() => Some(&self.fallback),
            None => None,
        }
    }

    /// What there is in all, for the note beside a field.
    pub fn limit(&self, field: Field) -> Option<String> {
        match field {
            Field::Cpu => self.limits.cpu.map(|cpu| format!("of {cpu} cores")),
            Field::Memory => self.limits.mem.map(|mem| format!("of {mem}")),
            _ => None,
        }
    }

    /// Environments or the engine changed.
    pub fn update(&mut self, mirror: &Mirror) {
        let info = mirror.engine_info();
        self.limits.cpu = info.map(|info| info.cpus);
        self.limits.mem = info.map(|info| info.memory);
        let marked = self.environment().map(str::to_owned);
        self.choices = self.fitting(mirror.environments());
        self.marked = marked
            .and_then(|label| {
                let same = |c: &Choice| c.label == label;
                let named = |c: &Choice| c.label.split_once(':').is_some_and(|(n, _)| n == label);
                let exact = self.choices.iter().position(same);
                exact.or_else(|| self.choices.iter().position(named))
            })
            .unwrap_or(0);
    }

    fn fitting(&self, environments: &[Environment]) -> Vec<Choice> {
        let words: Vec<String> = self
            .query
            .text()
            .to_lowercase()
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        environments
            .iter()
            .map(choice)
            .filter(|choice| {
                let label = choice.label.to_lowercase();
                words.iter().all(|word| label.contains(word))
            })
            .collect()
    }

    /// What is wrong with a field as it stands.
    pub fn problem(&self, field: Field) -> Option<String> {
        match field {
            Field::Environment => self.environment_problem(),
            Field::Name if self.name.is_empty() => None,
            Field::Name => name::check(self.name.text()).err().map(said),
            Field::Cpu => match self.cpu.text().parse::<Cpu>() {
                Err(why) => Some(why),
                Ok(cpu) => self
                    .limits
                    .cpu
                    .filter(|all| cpu > *all)
                    .map(|all| format!("more than there is: this machine has {all} cores")),
            },
            Field::Memory => self.memory_problem(),
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

    fn memory_problem(&self) -> Option<String> {
        let mem = match self.mem.text().parse::<Bytes>() {
            Err(why) => return Some(why),
            Ok(mem) => mem,
        };
        if mem <= self.limits.shmem {
            let shmem = self.limits.shmem;
            return Some(format!("must be more than the shared memory, {shmem}"));
        }
        self.limits
            .mem
            .filter(|all| mem > *all)
            .map(|all| format!("more than there is: this machine has {all}"))
    }

    fn first_problem(&self) -> Option<Field> {
        Field::ALL
            .into_iter()
            .find(|field| self.problem(*field).is_some())
    }

    /// A key no scope has bound; `false` = not taken either.
    pub fn key(&mut self, key: Key, mirror: &Mirror) -> bool {
        if !self.input_mut().key(key) {
            return false;
        }
        self.edited(mirror);
        true
    }

    pub fn paste(&mut self, text: &str, mirror: &Mirror) {
        self.input_mut().paste(text);
        self.edited(mirror);
    }

    fn edited(&mut self, mirror: &Mirror) {
        if self.progress != Progress::Asked {
            self.progress = Progress::Editing;
        }
        if self.field == Field::Environment {
            self.choices = self.fitting(mirror.environments());
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
        let count = Field::ALL.len().cast_signed();
        let at = (self.field as isize + by).rem_euclid(count);
        self.field = Field::ALL[at as usize];
    }

    /// Up and down: through the environments where they are, else through the fields.
    fn down(&mut self, by: isize) {
        match self.field {
            Field::Environment => self.mark(by),
            _ => self.step_field(by),
        }
    }

    fn mark(&mut self, by: isize) {
        let last = self.choices.len().saturating_sub(1);
        self.marked = self.marked.saturating_add_signed(by).min(last);
    }

    /// Marks the choice that was clicked.
    pub fn choose(&mut self, at: usize) {
        self.field = Field::Environment;
        self.marked = at.min(self.choices.len().saturating_sub(1));
    }

    fn step_cpu(&mut self, up: bool) {
        let now = self.cpu.text().parse::<Cpu>().map_or(1_000, Cpu::millis);
        let most = self.limits.cpu.map_or(u64::MAX, Cpu::millis);
        let next = if up {
            let step = CPU_STEPS.into_iter().find(|n| *n > now);
            step.unwrap_or(now).min(most.max(now))
        } else {
            let step = CPU_STEPS.into_iter().rev().find(|n| *n < now);
            step.unwrap_or(now)
        };
        self.cpu.set(&Cpu::from_millis(next).to_string());
    }

    fn step_mem(&mut self, up: bool) {
        let now = self
            .mem
            .text()
            .parse::<Bytes>()
            .map_or(512 * Bytes::MIB, |b| b.0);
        let most = self.limits.mem.map_or(u64::MAX, |b| b.0);
        let floor = now.max(1).ilog2();
        let power = 1_u64 << floor.min(60);
        let next = match (up, power == now) {
            (true, _) => power.saturating_mul(2).min(most.max(now)),
            (false, true) => power / 2,
            (false, false) => power,
        };
        self.mem.set(&Bytes(next.max(Bytes::mib(16).0)).to_string());
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
            ..LaunchRequest::default()
        };
        vec![Step::Ask {
            request: Request::Launch {
                context: ContextName::local(),
                launch: Box::new(launch),
            },
            purpose: Purpose::Launch,
        }]
    }
}

fn choice(environment: &Environment) -> Choice {
    use crate::model::environment::EnvironmentSource;
    Choice {
        label: environment.label(),
        note: match (&environment.source, environment.size) {
            (EnvironmentSource::Host, _) => "this machine".to_owned(),
            (EnvironmentSource::Image { .. }, Some(size)) => size.to_string(),
            (EnvironmentSource::Image { .. }, None) => String::new(),
        },
        unavailable: environment.unavailable.clone(),
    }
}

fn said(error: impl Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launcher() -> Launcher {
        let settings = LaunchSettings {
            environment: "host".to_owned(),
            cpu: Cpu::from_millis(1000),
            mem: Bytes::mib(512),
            shmem: Bytes::mib(64),
            pids: 100,
            env: std::collections::BTreeMap::new(),
        };
        Launcher::new(&settings, &Mirror::default())
    }

    fn stepped(field: Field, start: &str, more: bool) -> String {
        let mut it = launcher();
        it.field = field;
        it.input_mut().set(start);
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
