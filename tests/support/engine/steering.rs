//! What tests change in the engine in memory, and what they read from it.

use jiff::Timestamp;
use workbay::{
    engine::api::EventKind,
    model::{
        failure::Failure,
        id::SessionId,
        resources::{Bytes, Cpu, ResourceSlots},
        usage::Usage,
    },
};

use super::{Call, MemoryEngine, image};
use crate::support::world::{Container, State, Sub};

impl MemoryEngine {
    pub fn fail_next(&self, call: Call, error: Failure) {
        self.shared.script.fail_next(call, error);
    }

    /// Calls of this kind wait until [`release`](Self::release).
    pub fn hold(&self, call: Call) {
        self.shared.script.hold(call);
    }

    pub fn release(&self, call: Call) {
        self.shared.script.release(call);
    }

    /// How often a call was made.
    pub fn count(&self, call: Call) -> usize {
        self.shared.script.count(call)
    }

    /// The engine stops answering; its events end.
    pub fn cut(&self) {
        self.shared.script.cut();
        self.lock().listeners.clear();
        self.shared.changed.notify_waiters();
    }

    pub fn restore(&self) {
        self.shared.script.restore();
    }

    /// The main process of a session ends.
    pub fn die(&self, session: SessionId, code: i64, oom: bool) {
        self.change(session, |container| {
            container.state = State::Exited { code, oom };
            EventKind::Died { exit_code: code }
        });
    }

    /// One of a cluster's other containers ends.
    pub fn die_sub(&self, session: SessionId, hostname: &str, code: i64, oom: bool) {
        self.change(session, |container| {
            sub(container, hostname).state = State::Exited { code, oom };
            EventKind::Died { exit_code: code }
        });
    }

    /// It is started again from outside.
    pub fn revive_sub(&self, session: SessionId, hostname: &str) {
        self.change(session, |container| {
            sub(container, hostname).state = State::Running;
            EventKind::Started
        });
    }

    /// It is removed from outside.
    pub fn vanish_sub(&self, session: SessionId, hostname: &str) {
        self.change(session, |container| {
            container.subs.retain(|sub| sub.hostname != hostname);
            EventKind::Removed
        });
    }

    pub fn pause(&self, session: SessionId) {
        self.change(session, |container| {
            container.state = State::Paused;
            EventKind::Paused
        });
    }

    /// The container is removed from outside.
    pub fn vanish(&self, session: SessionId) {
        self.lock().world.containers.remove(&session);
        self.save_and_send(session, EventKind::Removed);
    }

    /// What other instances use.
    pub fn set_others(&self, mem: Bytes) {
        self.lock().others = ResourceSlots::new(Cpu::from_millis(1000), mem);
    }

    pub fn set_usage(&self, session: SessionId, cpu_millis: Option<u64>, mem: Bytes) {
        let cpu = cpu_millis.map(Cpu::from_millis);
        self.set_whole_usage(session, Usage::new(Timestamp::UNIX_EPOCH, cpu, mem));
    }

    /// The time in it doesn't count.
    pub fn set_whole_usage(&self, session: SessionId, usage: Usage) {
        self.lock().usage.insert(session, usage);
    }

    /// Usage can be read without asking anybody from now on.
    pub fn read_cheaply(&self) {
        self.lock().cheap = true;
    }

    /// What is read when the session ends.
    pub fn set_unsaved(&self, session: SessionId, unsaved: workbay::model::loss::Unsaved) {
        self.lock().unsaved.insert(session, unsaved);
    }

    pub fn set_last_usage(&self, session: SessionId, usage: Usage) {
        let usage = Usage {
            at: Timestamp::now(),
            ..usage
        };
        self.lock().last_usage.insert(session, usage);
    }

    pub fn add_image(&self, name: &str, version: &str) {
        self.lock().environments.push(image(name, version));
    }

    pub fn containers(&self) -> Vec<Container> {
        self.lock().world.containers.values().cloned().collect()
    }

    pub fn forgotten(&self) -> Vec<SessionId> {
        self.lock().world.forgotten.clone()
    }
}

fn sub<'a>(container: &'a mut Container, hostname: &str) -> &'a mut Sub {
    let mut subs = container.subs.iter_mut();
    let sub = subs.find(|sub| sub.hostname == hostname);
    sub.expect("the container is there")
}
