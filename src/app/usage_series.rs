//! The last samples of each session, for the columns with sparklines.

use std::collections::{HashMap, VecDeque};

use jiff::Timestamp;

use crate::model::{id::SessionKey, usage::Usage};

/// How many samples are kept. Samples come every few seconds while a session is visible.
const MOST: usize = 60;

/// A sample: its time, CPU in thousandths, memory in bytes.
type Sample = (Timestamp, Option<u64>, u64);

#[derive(Clone, Debug, Default)]
pub struct UsageSeries {
    samples: HashMap<SessionKey, VecDeque<Sample>>,
}

impl UsageSeries {
    pub fn add(&mut self, session: SessionKey, usage: &Usage) {
        let samples = self.samples.entry(session).or_default();
        if samples.back().is_some_and(|(at, ..)| *at >= usage.at) {
            return;
        }
        if samples.len() == MOST {
            samples.pop_front();
        }
        let cpu = usage.cpu.map(|cpu| cpu.millis());
        samples.push_back((usage.at, cpu, usage.mem.0));
    }

    pub fn remove(&mut self, session: SessionKey) {
        self.samples.remove(&session);
    }

    pub fn retain(&mut self, keep: impl Fn(SessionKey) -> bool) {
        self.samples.retain(|session, _| keep(*session));
    }

    /// The times and the CPU, the oldest first.
    pub fn cpu(&self, session: SessionKey) -> (Vec<Timestamp>, Vec<Option<u64>>) {
        self.series(session, |(_, cpu, _)| *cpu)
    }

    /// The times and the memory, the oldest first.
    pub fn memory(&self, session: SessionKey) -> (Vec<Timestamp>, Vec<Option<u64>>) {
        self.series(session, |(.., memory)| Some(*memory))
    }

    fn series(
        &self,
        session: SessionKey,
        value: impl Fn(&Sample) -> Option<u64>,
    ) -> (Vec<Timestamp>, Vec<Option<u64>>) {
        let samples = self.samples.get(&session).into_iter().flatten();
        samples.map(|it| (it.0, value(it))).unzip()
    }
}
