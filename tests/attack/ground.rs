//! Where an attack takes place: a machine with an engine of its own, so that nothing else is hit.

use crate::{machine::Machine, private_engine::PrivateEngine};

pub struct Ground {
    // Dropped first: it removes its sessions from the engine.
    pub machine: Machine,
    _engine: Option<PrivateEngine>,
}

impl Ground {
    /// A private engine in a network namespace of its own. Only root can start one; other users attack the
    /// machine's engine, where only their own test's sessions are touched.
    pub fn new() -> Self {
        let engine = PrivateEngine::start();
        let mut machine = Machine::new();
        if let Some(engine) = &engine {
            machine.set("DOCKER_HOST", &engine.endpoint());
        }
        Self {
            machine,
            _engine: engine,
        }
    }
}
