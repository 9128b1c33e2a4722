//! Sampling of what watched sessions use: only while somebody watches, told only when what is shown
//! moved.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until, timeout},
};

use super::{
    clock,
    core::{ClientSeat, Core},
};
use crate::{
    engine::api::Engine,
    model::{
        capability::EngineState,
        change::Change,
        id::{SessionId, SessionKey},
        usage::Usage,
    },
};

const PERIOD: Duration = Duration::from_secs(1);
/// A sweep that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) type Samples = Vec<(SessionId, Usage)>;

/// A figure as the list shows it: hundredths of a core, memory in its shortest form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown(Option<u64>, String);

impl From<&Usage> for Shown {
    fn from(usage: &Usage) -> Self {
        Self(
            usage.cpu.map(|cpu| cpu.millis() / 10),
            usage.mem.to_string(),
        )
    }
}

pub(super) struct Sampler {
    engine: Arc<dyn Engine>,
    wanted: BTreeSet<SessionId>,
    /// When the next sweep begins; `None` = nobody watches or one is under way.
    due: Option<Instant>,
    sweeping: bool,
    results: mpsc::Receiver<Samples>,
    results_in: mpsc::Sender<Samples>,
}

impl Sampler {
    pub fn new(engine: Arc<dyn Engine>) -> Self {
        let (results_in, results) = mpsc::channel(1);
        Self {
            engine,
            wanted: BTreeSet::new(),
            due: None,
            sweeping: false,
            results,
            results_in,
        }
    }

    /// Somebody began to watch: the first sweep comes at once.
    pub fn hurry(&mut self) {
        self.due = None;
    }

    /// What is to be sampled from now on.
    pub fn want(&mut self, wanted: BTreeSet<SessionId>) {
        self.wanted = wanted;
        if self.wanted.is_empty() {
            self.due = None;
        } else if self.due.is_none() && !self.sweeping {
            self.due = Some(clock::instant());
        }
    }

    /// The next figures; never when nobody watches. May be dropped half-way.
    pub async fn next(&mut self) -> Samples {
        loop {
            if self.sweeping {
                let samples = self.results.recv().await.unwrap_or_default();
                self.sweeping = false;
                self.due = Some(clock::instant() + PERIOD);
                return samples;
            }
            match self.due {
                None => std::future::pending().await,
                Some(at) => sleep_until(at).await,
            }
            self.sweep();
        }
    }

    fn sweep(&mut self) {
        self.due = None;
        self.sweeping = true;
        let (engine, results) = (self.engine.clone(), self.results_in.clone());
        let wanted: Vec<SessionId> = self.wanted.iter().copied().collect();
        tokio::spawn(async move {
            let samples = timeout(PATIENCE, engine.usage(&wanted, clock::now())).await;
            // The loop is gone only when the daemon ends.
            let _ = results.send(samples.unwrap_or_default()).await;
        });
    }
}

impl Core {
    /// The union of what clients watch, as far as it runs on an engine that answers.
    pub(super) fn watch(&mut self) {
        let connected = matches!(self.controller.engine(), EngineState::Connected { .. });
        let watched = self.clients.values().flat_map(|client| &client.watched);
        let wanted = watched.copied().filter(|id| {
            let session = self.controller.session(*id);
            connected && session.is_some_and(|session| session.status.is_live())
        });
        let wanted = wanted.collect();
        self.sampler.want(wanted);
    }

    pub(super) fn tell_usage(&mut self, samples: Samples) {
        for client in self.clients.values_mut() {
            if client.outbox.lags() {
                continue;
            }
            let samples = moved(client, &samples);
            if !samples.is_empty() {
                client.outbox.notice(&Change::Usage { samples });
            }
        }
    }
}

fn moved(client: &mut ClientSeat, samples: &Samples) -> Vec<(SessionKey, Usage)> {
    let ClientSeat { watched, shown, .. } = client;
    let moved = samples.iter().filter(|(id, usage)| {
        let now = Shown::from(usage);
        watched.contains(id) && shown.insert(*id, now.clone()) != Some(now)
    });
    moved
        .map(|(id, usage)| (SessionKey::local(*id), *usage))
        .collect()
}
