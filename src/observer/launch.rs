//! Launches a session: puts it into the engine's queue, reads it and follows it.

use jiff::Timestamp;

use super::{
    check::Verdict, core::Observer, fact::ManagerReply, order::ManagerRequest, task::Purpose,
    turn::Turn,
};
use crate::{
    model::{
        environment::{EnvironmentRef, EnvironmentSource},
        failure::Failure,
        id::{SessionId, SessionKey},
        name,
        resources::{Bytes, Cpu, ResourceSlots},
        session::Session,
        spec::{FolderMount, LaunchRequest, Mounted},
        start_time::StartAt,
        text::Clean,
    },
    state_machine::{Answer, Ticket},
};

impl Observer {
    pub(super) fn launch(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        mut request: Box<LaunchRequest>,
    ) {
        // The engine accepts only absolute times.
        let start = request.starts_at.map(|start| start.moment(now));
        request.starts_at = start.map(StartAt::At);
        match self.evaluate(&request, now) {
            Verdict::Good => self.send(turn, now, ticket, request),
            Verdict::Bad(failure) => turn.answer(ticket, Err(failure)),
            Verdict::Doubtful => self.recheck(turn, ticket, request),
        }
    }

    pub(super) fn send(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        request: Box<LaunchRequest>,
    ) {
        let name = request.name.as_deref().unwrap_or_default();
        self.audit(turn, now, "launch", None, name);
        let sent = ManagerRequest::Launch(request.clone());
        self.run(turn, sent, Purpose::Launch { ticket, request });
    }

    /// The session is in the engine's queue. It is read at once, for its row and the answer.
    pub(super) fn launched(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        request: Box<LaunchRequest>,
        result: Result<ManagerReply, Failure>,
    ) {
        if let Ok(ManagerReply::Launched(id)) = &result {
            self.keep_mounts(*id, &request);
        }
        match result {
            Ok(ManagerReply::Launched(id)) if self.is_connected() => {
                self.read_whole(turn, id, vec![ticket], Some(request));
            }
            Ok(ManagerReply::Launched(id)) => self.born(turn, now, id, &request, &[ticket]),
            Ok(_) => {}
            Err(failure) => {
                let mut failure = failure;
                if failure.is_lost() {
                    let help = tr_sent!(
                        "the engine may have received the launch. Check the list before \
                                you retry"
                    );
                    failure = failure.hint(help);
                }
                turn.answer(ticket, Err(failure));
            }
        }
    }

    /// Keeps the mounts from the launch, because no list reports them. A read-only folder is
    /// mounted read-only, whatever was requested.
    fn keep_mounts(&mut self, id: SessionId, request: &LaunchRequest) {
        let known = self.known_of(request.project.as_deref());
        let folders = known.map_or(&[][..], |(_, catalogue)| &catalogue.folders);
        let mounted = |mount: &FolderMount| {
            let folder = folders.iter().find(|it| it.name == *mount.folder.as_str());
            let only_read = folder.is_some_and(|it| it.permission == "ro");
            Mounted {
                read_only: mount.read_only || only_read,
                ..Mounted::from(mount)
            }
        };
        let mounts: Vec<Mounted> = request.mounts.iter().map(mounted).collect();
        if !mounts.is_empty() {
            self.mounts.insert(id, mounts);
        }
    }

    /// Answers and follows a launched session, even if it couldn't be read yet.
    pub(super) fn born(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        request: &LaunchRequest,
        tickets: &[Ticket],
    ) {
        if !self.rows.contains_key(&id) {
            let session = self.expected_session(now, id, request);
            self.put(turn, now, 0, session, false);
            if let Some(row) = self.rows.get_mut(&id) {
                row.unread = true;
            }
            self.hint(now, id);
        }
        if let Some(row) = self.rows.get_mut(&id) {
            row.followed = true;
        }
        for ticket in tickets {
            if let Some(session) = self.session(id) {
                let session = Box::new(session.clone());
                turn.answer(*ticket, Ok(Answer::Launched(session)));
            }
        }
        self.follow(turn, id);
    }

    /// Builds a session that the engine has accepted but doesn't show yet, as far as the request
    /// describes it.
    fn expected_session(&self, now: Timestamp, id: SessionId, request: &LaunchRequest) -> Session {
        let user = self
            .connection
            .info
            .as_ref()
            .and_then(|info| info.user.as_ref());
        let slots = ResourceSlots::new(
            request.cpu.unwrap_or(Cpu::from_millis(0)),
            request.mem.unwrap_or(Bytes(0)),
        );
        Session {
            session_type: request.session_type,
            requested_slots: slots,
            shmem: request.shmem.unwrap_or(Bytes(0)),
            owner: match &request.owner {
                Some(owner) => Clean::new(&owner.email),
                None => user.map_or_else(Clean::default, |user| user.email.clone()),
            },
            startup_command: request.startup_command.as_deref().map(Clean::new),
            starts_at: request.starts_at.map(|start| start.moment(now)),
            timeout: request.timeout,
            preopen_ports: request.preopen_ports.clone(),
            ..Session::new(
                SessionKey::new(self.context, id),
                Clean::new(&request.name.clone().unwrap_or_else(name::generated)),
                self.environment_of(request),
                now,
            )
        }
    }

    fn environment_of(&self, request: &LaunchRequest) -> EnvironmentRef {
        let asked = request.image.as_deref().or(request.environment.as_deref());
        let asked = asked.unwrap_or_default();
        let known = self
            .environments
            .iter()
            .find(|environment| environment.name == asked || environment.label() == asked);
        known.map_or_else(
            || EnvironmentRef {
                name: Clean::new(asked),
                version: Clean::default(),
                source: EnvironmentSource::Image {
                    reference: asked.to_owned(),
                },
            },
            EnvironmentRef::from,
        )
    }
}
