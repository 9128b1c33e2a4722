//! What tests change in the manager in memory, and what they read from it.

use workbay::{
    engine::manager::ManagerEvent,
    model::{
        catalogue::Catalogue, failure::Failure, id::SessionId, session::Session,
        spec::LaunchRequest, status::Status, usage::Usage,
    },
};

use super::{MemoryScheduler, Question};

impl MemoryScheduler {
    /// A session with this status, younger than all others, without any event.
    pub fn add(&self, status: &str) -> SessionId {
        self.lock().make(None, status)
    }

    pub fn add_many(&self, count: usize, status: &str) {
        let mut inner = self.lock();
        for _ in 0..count {
            inner.make(None, status);
        }
    }

    /// The engine brings a session to a status and reports it.
    pub fn bring(&self, id: SessionId, status: &str) {
        self.edit(id, |session| session.status = Status::from(status));
        self.send_event(id);
    }

    /// Changes a session without an event.
    pub fn edit(&self, id: SessionId, change: impl FnOnce(&mut Session)) {
        change(self.lock().sessions.get_mut(&id).expect("it is there"));
    }

    pub fn vanish(&self, id: SessionId) {
        self.lock().sessions.remove(&id);
    }

    pub fn session_of(&self, id: SessionId) -> Option<Session> {
        self.lock().sessions.get(&id).cloned()
    }

    /// Sends an event.
    pub fn send_event(&self, session: SessionId) {
        let event = ManagerEvent {
            session,
            event: "session_changed".into(),
            reason: None,
        };
        self.lock()
            .listeners
            .retain(|listener| listener.try_send(Ok(event.clone())).is_ok());
    }

    /// Sets the choices for a launch.
    pub fn offer(&self, offer: Catalogue) {
        self.lock().offer = offer;
    }

    /// The requested launches, oldest first.
    pub fn launches(&self) -> Vec<LaunchRequest> {
        self.lock().launches.clone()
    }

    /// The number of listeners to events.
    pub fn listeners(&self) -> usize {
        let mut inner = self.lock();
        inner.listeners.retain(|listener| !listener.is_closed());
        inner.listeners.len()
    }

    /// The stream of events ends.
    pub fn end_events(&self) {
        self.lock().listeners.clear();
    }

    /// Switches events off.
    pub fn have_no_events(&self) {
        self.lock().deaf = true;
    }

    pub fn fail_next(&self, question: Question, error: Failure) {
        self.shared.script.fail_next(question, error);
    }

    /// Requests of this kind wait until [`release`](Self::release).
    pub fn hold(&self, question: Question) {
        self.shared.script.hold(question);
    }

    pub fn release(&self, question: Question) {
        self.shared.script.release(question);
    }

    /// It stops answering; its events end.
    pub fn cut(&self) {
        self.shared.script.cut();
        self.end_events();
    }

    pub fn restore(&self) {
        self.shared.script.restore();
    }

    pub fn set_usage(&self, id: SessionId, usage: Usage) {
        self.lock().usage.insert(id, usage);
    }

    /// How often this was requested.
    pub fn count(&self, question: Question) -> usize {
        self.shared.script.count(question)
    }

    /// The number of all requests.
    pub fn asked(&self) -> usize {
        self.shared.script.count_all()
    }
}
