//! Requests of clients: which function handles which request. Each request has a file of its own, unless it belongs
//! to a part of the scheduler that does more.

mod delete;
mod folders;
mod priority;
mod rename;
mod terminate;

use jiff::Timestamp;

use super::{
    core::Scheduler, fact::SchedulerRequest, purpose::OrderPurpose, relaunch::again, turn::Turn,
};
use crate::{
    model::{
        capability::{Capability, EngineState},
        failure::Failure,
        id::SessionId,
        request::{ContextRequest, SessionRequest},
        text::Clean,
    },
    state_machine::{Answer, Ticket, lacks, misdirected},
};

impl Scheduler {
    pub(super) fn asked(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        ask: SchedulerRequest,
    ) {
        match ask {
            SchedulerRequest::Session { session, request } => {
                self.session_asked(turn, now, ticket, session, request);
            }
            SchedulerRequest::Context(request) => self.context_asked(turn, now, ticket, request),
            ask @ SchedulerRequest::Launch(_) if self.is_connecting() => {
                self.early.push((ticket, ask));
            }
            SchedulerRequest::Launch(launch) => self.ask_launch(turn, now, ticket, launch),
        }
    }

    /// Handles a request about a session.
    fn session_asked(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        session: SessionId,
        request: SessionRequest,
    ) {
        if self.is_connecting() {
            let ask = SchedulerRequest::session(session, request);
            return self.early.push((ticket, ask));
        }
        if let Some(why) = request.needs().and_then(|it| self.why_not(it)) {
            return turn.answer(ticket, Err(Failure::refused(why)));
        }
        match request {
            SessionRequest::Rename { name } => self.rename(turn, now, ticket, session, &name),
            SessionRequest::Terminate { force } => {
                let answer = self.terminate(turn, now, session, force);
                turn.refusable = true;
                turn.answer(ticket, answer.map(|()| Answer::Done));
            }
            SessionRequest::Commit { image_name, pause } => {
                let answer = self.commit(turn, now, session, &image_name, pause);
                turn.refusable = true;
                turn.answer(ticket, answer.map(|()| Answer::Done));
            }
            SessionRequest::CancelCommit => {
                let answer = self.cancel_commit(turn, now, session);
                turn.answer(ticket, answer.map(|()| Answer::Done));
            }
            SessionRequest::Delete => self.ask_delete(turn, now, ticket, session),
            SessionRequest::Priority { priority } => {
                let answer = self.set_priority(turn, now, session, priority);
                turn.refusable = true;
                turn.answer(ticket, answer.map(|()| Answer::Done));
            }
            SessionRequest::Keep { keep } => {
                let answer = self.keep(turn, now, session, keep);
                turn.answer(ticket, answer);
            }
            SessionRequest::Again => {
                let answer = self.find(session).map(|tracked| again(tracked, now));
                turn.answer(ticket, answer.map(|it| Answer::Again(Box::new(it.into()))));
            }
            SessionRequest::Detail | SessionRequest::History | SessionRequest::Figures => {
                turn.answer(ticket, Err(misdirected()));
            }
        }
    }

    /// Handles a request about the context. What needs no engine comes first.
    fn context_asked(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        request: ContextRequest,
    ) {
        match request {
            ContextRequest::FindOwner { .. } => {
                turn.answer(ticket, Err(lacks(self.engine(), Capability::Owners)));
            }
            ContextRequest::LogIn { .. } => {
                let why = tr_sent!("this engine runs containers on a machine, and has no login");
                let hint =
                    tr_sent!("only contexts of a Backend.AI cluster log in: `workbay context ls`");
                turn.answer(ticket, Err(Failure::refused(why).hint(hint)));
            }
            ContextRequest::Reach { .. } | ContextRequest::Image { .. } => {
                turn.answer(ticket, Err(misdirected()));
            }
            request if self.is_connecting() => self
                .early
                .push((ticket, SchedulerRequest::Context(request))),
            ContextRequest::Refresh => self.refresh(turn, now, ticket),
            ContextRequest::Environments => match self.unreachable() {
                Some(failure) => turn.answer(ticket, Err(failure)),
                None => self.survey(turn, OrderPurpose::Environments(ticket), true),
            },
            ContextRequest::Folder { request } => self.admit_folder(turn, now, ticket, &request),
            ContextRequest::Catalogue { .. } => match self.unreachable() {
                Some(failure) => turn.answer(ticket, Err(failure)),
                None => self.survey(turn, OrderPurpose::Catalogue(ticket), true),
            },
            ContextRequest::Pull { image } => self.ask_pull(turn, ticket, &image),
        }
    }

    /// Why the connected engine lacks something.
    fn why_not(&self, capability: Capability) -> Option<Clean> {
        match self.engine() {
            EngineState::Connected { info } => info.capabilities.why_not(capability).cloned(),
            _ => None,
        }
    }
}
