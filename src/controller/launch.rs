//! Checking a launch and beginning it.

use jiff::Timestamp;

use super::{
    core::{Controller, Purpose},
    dress::dress,
    fact::{Launch, Ticket},
    turn::{Answer, Refusal, RefusalKind, Turn},
};
use crate::model::{
    capability::EngineState,
    environment::{Environment, EnvironmentRef, EnvironmentSource},
    history::{HistoryEntry, Outcome},
    id::SessionKey,
    name,
    record::{SessionRecord, Step, Write},
    resources::{Bytes, ResourceSlots},
    session::{Session, SessionType},
    spec::{LaunchRequest, LaunchSpec, check_variable_name},
    status::Status,
    text::Clean,
};

/// Engines refuse less.
const LEAST_MEMORY: Bytes = Bytes::mib(6);

type Checked<T> = Result<T, Refusal>;

impl Controller {
    /// What can be seen without the engine is checked at once; then a survey tells what is there now.
    pub(super) fn ask_launch(&mut self, turn: &mut Turn, ticket: Ticket, launch: Box<Launch>) {
        let refused = self
            .check_words(&launch)
            .err()
            .or_else(|| self.unreachable());
        if let Some(refusal) = refused {
            turn.answer(ticket, Err(refusal));
            return;
        }
        let unknown = self.find_environment(&launch.request).is_err();
        self.survey(turn, Purpose::Launch(ticket, launch), unknown);
    }

    /// The survey is there: check against it, record, begin.
    pub(super) fn launch(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        launch: Launch,
    ) {
        turn.refusable = true;
        let answer = self.checked_record(&launch, now).map(|record| {
            let session = record.session.clone();
            self.begin(turn, now, record);
            Answer::Launched(Box::new(session))
        });
        turn.answer(ticket, answer);
    }

    fn begin(&mut self, turn: &mut Turn, now: Timestamp, record: SessionRecord) {
        let id = record.session.id;
        Self::audit(turn, now, "launch", id, &record.spec.environment_label);
        turn.writes.push(Write::History(HistoryEntry {
            session: id,
            at: now,
            phase: Clean::new("check-precondition"),
            from: None,
            to: record.session.status.clone(),
            result: Outcome::Success,
            message: None,
            error_code: None,
            attempts: 1,
            until: None,
            steps: Vec::new(),
        }));
        self.add(turn, record);
        self.issue(turn, id);
    }

    fn checked_record(&self, launch: &Launch, now: Timestamp) -> Checked<SessionRecord> {
        self.check_words(launch)?;
        if let Some(refusal) = self.unreachable() {
            return Err(refusal);
        }
        let environment = self.find_environment(&launch.request)?;
        let spec = self.spec(&launch.request, environment)?;
        self.check_room(&spec)?;
        Ok(SessionRecord {
            session: self.new_session(launch, environment, &spec, now),
            spec,
            pids: self.settings.launch.pids,
            step: Step::Create,
            ending: None,
            force: false,
            renaming: None,
            forgotten: false,
            request: Some(Box::new(launch.request.clone())),
            retries: 0,
        })
    }

    /// Name, type and variables.
    fn check_words(&self, launch: &Launch) -> Checked<()> {
        let request = &launch.request;
        if let Some(name) = &request.name {
            self.check_name(name)?;
        }
        if !matches!(
            request.session_type,
            SessionType::Interactive | SessionType::Batch
        ) {
            return Err(Refusal::usage(
                "this engine runs interactive and batch sessions only",
            ));
        }
        if request.environment.is_some() && request.image.is_some() {
            return Err(Refusal::usage(
                "give an environment or an image, not both: they say the same thing",
            ));
        }
        for variable in request.env.keys() {
            check_variable_name(variable).map_err(Refusal::usage)?;
        }
        Ok(())
    }

    /// The rule for names, and that no unfinished session bears it.
    pub(super) fn check_name(&self, name: &str) -> Checked<()> {
        name::check(name).map_err(|error| Refusal::usage(error.to_string()))?;
        let taken = self
            .held
            .values()
            .map(|held| &held.record)
            .filter(|record| !record.session.status.is_final())
            .find(|record| record.session.name == *name || record.renaming.as_deref() == Some(name))
            .map(|record| &record.session);
        match taken {
            None => Ok(()),
            Some(session) => Err(Refusal::refused(format!(
                "the name '{name}' is taken by session {} ({})",
                session.id.short(),
                session.status
            ))
            .with_help("choose another name, or terminate that session first")),
        }
    }

    fn find_environment(&self, request: &LaunchRequest) -> Checked<&Environment> {
        let asked = request
            .image
            .as_deref()
            .or(request.environment.as_deref())
            .unwrap_or(&self.settings.launch.environment);
        let found = self
            .environments
            .iter()
            .find(|environment| answers_to(environment, asked))
            .ok_or_else(|| self.no_environment(asked))?;
        match &found.unavailable {
            None => Ok(found),
            Some(why) => Err(Refusal::refused(format!(
                "the environment '{}' cannot be launched here: {why}",
                found.label()
            ))),
        }
    }

    fn no_environment(&self, asked: &str) -> Refusal {
        let known: Vec<String> = self
            .environments
            .iter()
            .filter(|environment| environment.unavailable.is_none())
            .take(5)
            .map(Environment::label)
            .collect();
        let known = if known.is_empty() {
            "none can be launched on this engine".to_owned()
        } else {
            format!("there are {}", known.join(", "))
        };
        let message = format!("there is no environment '{}'", Clean::new(asked));
        Refusal::new(RefusalKind::NotFound, message).with_help(format!(
            "{known}; `workbay env ls` lists all, an image must be on the engine already"
        ))
    }

    fn spec(&self, request: &LaunchRequest, environment: &Environment) -> Checked<LaunchSpec> {
        let settings = &self.settings.launch;
        let mem = request.mem.unwrap_or(settings.mem);
        // The default must not stand in the way of a small session.
        let shmem = request
            .shmem
            .unwrap_or_else(|| settings.shmem.min(Bytes(mem.0 / 2)));
        let mut env = settings.env.clone();
        env.extend(request.env.clone());
        let spec = LaunchSpec {
            session_type: request.session_type,
            env,
            ..LaunchSpec::new(
                environment.source.clone(),
                environment.label(),
                request.cpu.unwrap_or(settings.cpu),
                mem,
                shmem,
            )
        };
        check_amounts(&spec)?;
        Ok(spec)
    }

    /// Whether the machine has that much, and memory that nobody holds.
    fn check_room(&self, spec: &LaunchSpec) -> Checked<()> {
        let EngineState::Connected { info } = &self.line.state else {
            return Ok(());
        };
        if spec.cpu > info.cpus {
            return Err(Refusal::refused(format!(
                "{} CPU are asked, this machine has {}",
                spec.cpu, info.cpus
            ))
            .with_help("ask for fewer with --cpu"));
        }
        let held = self.requested().plus(&self.others);
        if held.mem.0.saturating_add(spec.mem.0) <= info.memory.0 {
            return Ok(());
        }
        let left = Bytes(info.memory.0.saturating_sub(held.mem.0));
        Err(Refusal::refused(format!(
            "no memory left for {}: of {} running sessions hold {}, {left} are free",
            spec.mem, info.memory, held.mem
        ))
        .with_help("ask for less with --mem, or terminate a session"))
    }

    /// What our sessions hold or are about to.
    fn requested(&self) -> ResourceSlots {
        self.sessions()
            .filter(|session| !session.status.is_final() && session.status != Status::Error)
            .fold(ResourceSlots::default(), |sum, session| {
                sum.plus(&session.requested_slots)
            })
    }

    fn new_session(
        &self,
        launch: &Launch,
        environment: &Environment,
        spec: &LaunchSpec,
        now: Timestamp,
    ) -> Session {
        let generated = || format!("{}-session", launch.session.short());
        let name = launch.request.name.clone().unwrap_or_else(generated);
        let mut session = Session {
            status: Status::Preparing,
            owner: self.owner.clone(),
            ..Session::new(
                SessionKey::new(self.context, launch.session),
                Clean::new(&name),
                EnvironmentRef::from(environment),
                now,
            )
        };
        dress(&mut session, spec, launch.kernel, &launch.subs);
        session
    }
}

/// `name`, `name:version` or the image's reference.
fn answers_to(environment: &Environment, asked: &str) -> bool {
    let by_reference = match &environment.source {
        EnvironmentSource::Image { reference } => {
            reference == asked || *reference == format!("{asked}:latest")
        }
        EnvironmentSource::Host => false,
    };
    by_reference || environment.name == *asked || environment.label() == asked
}

fn check_amounts(spec: &LaunchSpec) -> Checked<()> {
    if spec.mem < LEAST_MEMORY {
        return Err(Refusal::usage(format!(
            "{} of memory are too little: at least {LEAST_MEMORY}",
            spec.mem
        )));
    }
    if spec.cpu.millis() < 10 {
        return Err(Refusal::usage(format!(
            "{} CPU are too few: at least 0.01",
            spec.cpu
        )));
    }
    if spec.shmem >= spec.mem {
        return Err(Refusal::usage(format!(
            "shared memory ({}) is a part of the memory ({}): it must be less",
            spec.shmem, spec.mem
        )));
    }
    Ok(())
}
