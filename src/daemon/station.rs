//! A context in the daemon: its controller or observer, the executor or runner of its orders, and its engine.
//! No context waits for another one.

use jiff::SignedDuration;
use tokio::sync::mpsc;

use super::{
    executor::Executor,
    heart::{Command, Heart},
    observing::Runner,
    options::{ContextSeat, EngineFactory, EngineSeat},
    recorded::Recorded,
    recorder::Recorder,
    shelf::Shelf,
    supply::{AnySupply, Supply},
    teller::Teller,
    usage::{Sampler, Samples},
};
use crate::{
    controller::{Controller, observe::Observer},
    model::{
        context::Context, launch::secrets::SecretRules, record::SessionRecord, status::Tab,
        text::Clean,
    },
};

enum Hands {
    Local(Executor),
    Observed(Runner),
}

pub(super) struct Station {
    pub context: Context,
    pub heart: Heart,
    pub supply: AnySupply,
    pub sampler: Sampler,
    pub recorder: Recorder,
    /// Sessions whose use is recorded while no client watches.
    pub recorded: Recorded,
    pub shelf: Shelf,
    /// Whether all sessions are known: the state database wasn't lost, or the engine was read since then.
    pub listed: bool,
    /// Which variables of a launch are secret.
    pub secrets: SecretRules,
    hands: Hands,
}

impl Station {
    /// The only place that tells the two kinds of engines apart.
    pub fn new(
        seat: ContextSeat,
        engine: EngineSeat,
        owner: &Clean,
        records: Vec<SessionRecord>,
        teller: Teller,
        samples: mpsc::Sender<Samples>,
    ) -> Self {
        let (name, number) = (seat.context.name, teller.number);
        let secrets = engine.settings.launch.secrets.clone();
        let (heart, hands, supply) = match seat.engine {
            EngineFactory::Containers(make) => {
                let settings = engine.settings.clone();
                let supply = Supply::new(make, engine);
                let heart = Controller::new(name, settings, owner.clone(), records);
                (
                    Heart::Local(Box::new(heart)),
                    Hands::Local(Executor::new(supply.clone(), teller)),
                    AnySupply::Containers(supply),
                )
            }
            EngineFactory::Scheduler(make) => {
                let supply = Supply::new(make, engine);
                let refresh = SignedDuration::try_from(seat.refresh).unwrap_or(SignedDuration::MAX);
                (
                    Heart::Observed(Box::new(Observer::new(name, refresh))),
                    Hands::Observed(Runner::new(supply.clone(), teller)),
                    AnySupply::Scheduler(supply),
                )
            }
        };
        let recorded = Recorded::of(heart.sessions());
        Self {
            context: seat.context,
            heart,
            recorded,
            sampler: Sampler::new(supply.clone(), number, samples),
            recorder: Recorder::default(),
            shelf: Shelf::default(),
            listed: true,
            supply,
            secrets,
            hands,
        }
    }

    /// Starts to carry out a command.
    pub fn begin(&self, command: Command) {
        match (&self.hands, command) {
            (Hands::Local(hands), Command::Local(order)) => hands.begin(order),
            (Hands::Observed(hands), Command::Observed(order)) => hands.begin(order),
            // Each context sends only commands of its own kind of engine.
            (Hands::Local(_), Command::Observed(_)) | (Hands::Observed(_), Command::Local(_)) => {}
        }
    }

    /// Sets whether clients are watching. An observed context gets this as an event instead.
    pub fn be_looked_at(&self, looked_at: bool) {
        if let Hands::Local(hands) = &self.hands {
            hands.be_looked_at(looked_at);
        }
    }

    /// Whether no order is running whose result must be recorded.
    pub fn is_idle(&self) -> bool {
        match &self.hands {
            Hands::Local(hands) => hands.is_idle(),
            // A manager carries out its requests without the daemon.
            Hands::Observed(_) => true,
        }
    }

    /// The sessions per tab, if not all of them are in memory.
    pub fn totals(&self) -> Option<[u64; 3]> {
        if self.shelf.left() == 0 {
            return self.heart.totals();
        }
        let mut totals = [0; 3];
        for session in self.heart.sessions() {
            totals[session.tab() as usize] += 1;
        }
        totals[Tab::Finished as usize] += self.shelf.left();
        Some(totals)
    }
}
