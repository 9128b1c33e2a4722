//! A context as the daemon runs it: its heart, the hands that carry its orders out, its engine.
//! Nothing of it waits for another context.

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
    /// Sessions whose use is recorded while nobody watches.
    pub recorded: Recorded,
    pub shelf: Shelf,
    /// All its sessions are known: the database was not lost, or the engine was read since.
    pub listed: bool,
    /// Which variables of a launch are secret.
    pub secrets: SecretRules,
    hands: Hands,
}

impl Station {
    /// The one place where the two kinds of engines part.
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

    /// Begins to carry a command out.
    pub fn begin(&self, command: Command) {
        match (&self.hands, command) {
            (Hands::Local(hands), Command::Local(order)) => hands.begin(order),
            (Hands::Observed(hands), Command::Observed(order)) => hands.begin(order),
            // A heart commands only its own hands.
            (Hands::Local(_), Command::Observed(_)) | (Hands::Observed(_), Command::Local(_)) => {}
        }
    }

    /// Somebody looks, or nobody any more; of an engine that is observed the heart is told.
    pub fn be_looked_at(&self, looked_at: bool) {
        if let Hands::Local(hands) = &self.hands {
            hands.be_looked_at(looked_at);
        }
    }

    /// Whether anything is under way that the store should hear the end of.
    pub fn is_idle(&self) -> bool {
        match &self.hands {
            Hands::Local(hands) => hands.is_idle(),
            // A manager goes on by itself with what it was asked.
            Hands::Observed(_) => true,
        }
    }

    /// Sessions per tab, where not all are in memory.
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
