//! Creates the runners of all contexts, with what the state database has of each.

use std::{collections::BTreeMap, mem};

use tokio::sync::mpsc;

use super::{
    context::runner::ContextRunner,
    options::{ContextSetup, EngineSetup},
    sampling::{self, recorder::Recorder, sampler::Samples},
    storage::unloaded::UnloadedSessions,
};
use crate::{
    model::{id::ContextName, record::SessionRecord, text::Clean},
    store::Opened,
};

/// Whose sessions these are, and in which run of the machine.
pub(super) struct Account {
    pub owner: Clean,
    /// The id of the machine's current boot.
    pub boot: Option<Clean>,
}

/// The runners in the order of the configuration, and their samples.
pub(super) fn runners(
    contexts: Vec<ContextSetup>,
    setup: &EngineSetup,
    account: &Account,
    opened: &mut Opened,
) -> (Vec<ContextRunner>, mpsc::Receiver<Samples>) {
    let (samples_in, samples) = mpsc::channel(contexts.len());
    let mut records = by_context(mem::take(&mut opened.records));
    let mut figures = sampling::figures::by_context(mem::take(&mut opened.figures));
    let contexts = contexts.into_iter().enumerate().map(|(number, context)| {
        let name = context.context.name;
        let records = records.remove(&name).unwrap_or_default();
        let (setup, samples) = (setup.clone(), samples_in.clone());
        let owner = &account.owner;
        let mut runner = ContextRunner::new(context, number, setup, owner, records, samples);
        runner.recorder = Recorder::resume(figures.remove(&name).unwrap_or_default());
        runner.set_boot(account.boot.as_ref());
        let mounts = opened.mounts.iter().filter(|(key, _)| key.context == name);
        let mounts = mounts.map(|(key, mounts)| (key.id, mounts.clone()));
        runner.add_mounts(mounts.collect());
        runner.unloaded = UnloadedSessions::new(&opened.unloaded, name);
        runner.listed = opened.incomplete.is_none() || runner.known().is_observing();
        runner
    });
    (contexts.collect(), samples)
}

/// Groups records by context. Records of contexts that aren't configured any more stay in the state database.
fn by_context(records: Vec<SessionRecord>) -> BTreeMap<ContextName, Vec<SessionRecord>> {
    let mut sorted: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for record in records {
        let context = record.session.context;
        sorted.entry(context).or_default().push(record);
    }
    sorted
}
