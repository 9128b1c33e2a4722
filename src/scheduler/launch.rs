//! Checks a launch and puts it in the queue.

use std::borrow::Cow;

use jiff::Timestamp;

use super::{
    core::Scheduler, fact::Launch, purpose::OrderPurpose, tracked_session::TrackedSession,
    turn::Turn,
};
use crate::{
    model::{
        capability::EngineState,
        environment::Environment,
        failure::{Failure, FailureKind},
        id::SessionId,
        launch_field::{FieldProblem, LaunchField},
        name,
        record::Step,
        secret_rules,
        spec::LaunchRequest,
    },
    rules::launch::{Ground, amounts, check, check_words, environment},
    state_machine::{Answer, Ticket},
};

type Checked<T> = Result<T, Failure>;

impl Scheduler {
    /// Checks what doesn't need the engine at once. Then a survey reads the rest.
    pub(super) fn ask_launch(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        launch: Box<Launch>,
    ) {
        if let Some(answer) = self.repeated(&launch) {
            return turn.answer(ticket, answer);
        }
        let words = check_words(&launch.request, now);
        let refused = refusal_for(FailureKind::Usage, words).or_else(|| self.unreachable());
        if let Some(failure) = refused {
            turn.answer(ticket, Err(failure));
            return;
        }
        let found = self.find_environment(&launch.request);
        let unknown = found.map_or(true, |it| it.absent);
        let folders = !launch.request.mounts.is_empty();
        self.survey(
            turn,
            OrderPurpose::Launch(ticket, launch),
            unknown || folders,
        );
    }

    /// After the survey: checks the launch against it, records it and puts it in the queue.
    pub(super) fn launch(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        launch: Launch,
    ) {
        if let Some(answer) = self.repeated(&launch) {
            return turn.answer(ticket, answer);
        }
        turn.refusable = true;
        let answer = self.checked(&launch, now).map(|tracked| {
            let record = &tracked.record;
            let session = record.session.clone();
            Self::audit(
                turn,
                now,
                "launch",
                Some(session.id),
                &record.spec.environment_label,
            );
            self.add_held(turn, tracked);
            Answer::Launched(Box::new(session))
        });
        turn.answer(ticket, answer);
    }

    /// The answer to a launch whose idempotency key was used before, whatever became of that
    /// session.
    fn repeated(&self, launch: &Launch) -> Option<Checked<Answer>> {
        let tracked = self
            .tracked
            .get(&launch.session)
            .filter(|_| launch.repeatable)?;
        let session = &tracked.record.session;
        if self.is_same(launch, tracked) {
            return Some(Ok(Answer::Repeated(Box::new(session.clone()))));
        }
        let text = tr_sent!(
            "the idempotency key launched session {name} ({short}, {status}) with other settings",
            name = session.name,
            short = session.id.short(),
            status = session.status
        );
        let help = tr_sent!("repeat the launch with the same settings, or use another key");
        Some(Err(Failure::refused(text).hint(help)))
    }

    /// Whether the session matches the launch, as far as it is known. For a session that was
    /// rebuilt from its labels, only name and environment are compared.
    fn is_same(&self, launch: &Launch, tracked: &TrackedSession) -> bool {
        let (asked, record) = (&launch.request, &tracked.record);
        if let Some(known) = &record.request {
            return **known == self.without_secrets(asked);
        }
        let mut name = asked.name.iter();
        let same_name = name.all(|name| record.session.name == **name);
        let found = self.find_environment(asked).ok();
        let found = found.filter(|_| asked.image.is_none());
        same_name && found.is_none_or(|found| found.source == record.spec.source)
    }

    /// The launch as it is recorded, without its secrets.
    pub(super) fn without_secrets(&self, request: &LaunchRequest) -> LaunchRequest {
        let mut asked = request.clone();
        self.settings.launch.secrets.mark(&mut asked);
        asked.env = secret_rules::blanked(&asked);
        asked
    }

    fn checked(&self, launch: &Launch, now: Timestamp) -> Checked<TrackedSession> {
        let words = check_words(&launch.request, now);
        if let Some(failure) = refusal_for(FailureKind::Usage, words) {
            return Err(failure);
        }
        if let Some(failure) = self.unreachable() {
            return Err(failure);
        }
        self.check_home(&launch.request)?;
        let chosen = self.find_environment(&launch.request)?;
        let offer = self.catalogue();
        let taken = |name: &str| self.name_holder(name).is_some();
        let chosen = &*chosen;
        let ground = Ground {
            environment: Some(chosen),
            offer: Some(&offer),
            capabilities: match &self.connection.state {
                EngineState::Connected { info } => Some(&info.capabilities),
                _ => None,
            },
            taken: Some(&taken),
            ..Ground::at(now)
        };
        let request = self.filled(&launch.request, chosen, &ground);
        let mut problems = check(&request, &ground);
        if launch.subs.len() + 1 != request.containers() as usize {
            let why = tr_sent!(
                "cluster size {containers} is above the limit of a launch",
                containers = request.containers()
            );
            problems.push(FieldProblem::new(LaunchField::ClusterSize, why));
        }
        if let Some(failure) = refusal_for(FailureKind::Refused, problems) {
            return Err(failure);
        }
        let tracked = self.new_held(launch, &request, chosen, now);
        self.check_waiting(&tracked, now)?;
        Ok(tracked)
    }

    /// Fills in what wasn't requested, from the settings and the rules.
    fn filled(
        &self,
        request: &LaunchRequest,
        environment: &Environment,
        ground: &Ground<'_>,
    ) -> LaunchRequest {
        let mut filled = ground.filled(request);
        if let (None, Some(group)) = (&request.resource_group, ground.group(request)) {
            filled.resource_group = Some(group.name.to_string());
        }
        let settings = &self.settings.launch;
        // A default must not exceed what is available.
        let most = amounts::most(ground.offer, ground.group(request));
        let cpu = settings.cpu.max(amounts::least_cpu(Some(environment)));
        let mem = settings.mem.max(amounts::least_memory(Some(environment)));
        let cpu = most.cpu.map_or(cpu, |most| most.min(cpu));
        let mem = most.mem.map_or(mem, |most| most.min(mem));
        filled.cpu.get_or_insert(cpu);
        let mem = *filled.mem.get_or_insert(mem);
        let minimum = environment.facts.minimum.mem;
        filled
            .shmem
            .get_or_insert_with(|| amounts::automatic_shmem(mem, minimum, settings.shmem));
        filled
    }

    /// Enforces the limit of waiting sessions. A session that begins at once doesn't count.
    fn check_waiting(&self, tracked: &TrackedSession, now: Timestamp) -> Checked<()> {
        let Some(most) = self.settings.resources.limits.pending_sessions else {
            return Ok(());
        };
        let waiting = self.waiting().count();
        let id = tracked.id();
        let begins = || {
            let decision = self.weigh(Some(&tracked.record), now);
            decision.is_some_and(|decision| decision.begin.contains(&id))
        };
        if waiting < most as usize || begins() {
            return Ok(());
        }
        Err(Failure::refused(tr_sent!(
            "the queue is full: {waiting} waiting (max: {most})",
            waiting,
            most
        ))
        .hint(tr_sent!(
            "try again when one has started, or terminate a waiting session"
        )))
    }

    /// Checks the rule for names, and that no unfinished session has the name.
    pub(super) fn check_name(&self, name: &str) -> Checked<()> {
        name::check(name).map_err(|error| Failure::usage(error.to_string()))?;
        match self.name_holder(name) {
            None => Ok(()),
            Some(tracked) => Err(Failure::refused(tr_sent!(
                "the name '{name}' is taken by session {short} ({status})",
                name,
                short = tracked.id().short(),
                status = tracked.record.session.status
            ))
            .hint(tr_sent!(
                "choose another name, or terminate that session first"
            ))),
        }
    }

    /// The unfinished session that has the name, or is being renamed to it.
    fn name_holder(&self, name: &str) -> Option<&TrackedSession> {
        self.tracked.values().find(|tracked| {
            let record = &tracked.record;
            let bears = record.session.name == *name || record.renaming.as_deref() == Some(name);
            // A container that is being removed still has the name.
            let is_free = record.session.has_ended() && record.step == Step::Settled;
            bears && !is_free
        })
    }

    /// Finds the environment. An unknown image has to be pulled.
    fn find_environment(&self, request: &LaunchRequest) -> Checked<Cow<'_, Environment>> {
        let (all, default) = (&self.environments, &self.settings.launch.environment);
        let found = environment::find(request, all, default);
        let found = match (found, &request.image) {
            (Some(found), _) => found,
            (None, Some(image)) => return Ok(Cow::Owned(Environment::of_image(image))),
            (None, None) => {
                let problem = environment::missing(request, all, default);
                return Err(self.no_environment(problem));
            }
        };
        match environment::unavailable(request, found) {
            None => Ok(Cow::Borrowed(found)),
            Some(problem) => Err(Failure::refused(problem.message).about(problem.field)),
        }
    }

    fn no_environment(&self, problem: FieldProblem) -> Failure {
        let known: Vec<String> = self
            .environments
            .iter()
            .filter(|environment| environment.unavailable.is_none())
            .take(5)
            .map(Environment::label)
            .collect();
        let known = if known.is_empty() {
            tr_sent!("no environment is available on this engine").to_owned()
        } else {
            tr_sent!("available: {known}", known = known.join(", "))
        };
        Failure::not_found(problem.message)
            .about(problem.field)
            .hint(tr_sent!(
                "{known}. `workbay env ls` lists all; `--image` takes any image of a registry",
                known
            ))
    }
}

/// How many more problems are reported with the first one.
const TOLD_AT_ONCE: usize = 5;

/// The first problem becomes the message, and the others are listed with it.
fn refusal_for(kind: FailureKind, problems: Vec<FieldProblem>) -> Option<Failure> {
    let mut problems = problems.into_iter();
    let first = problems.next()?;
    let failure = Failure::new(kind, first.message).about(first.field);
    let mut others: Vec<String> = problems.map(|problem| problem.message).collect();
    if others.is_empty() {
        return Some(failure);
    }
    let more = others.len().saturating_sub(TOLD_AT_ONCE);
    others.truncate(TOLD_AT_ONCE);
    if more > 0 {
        others.push(tr_sent!("{more} more", more));
    }
    Some(failure.hint(tr_sent!("also: {others}", others = others.join("; "))))
}

/// The name of a launch without one.
pub(super) fn generated_name(id: SessionId) -> String {
    name::of(id)
}
