//! The last figures of a container. When its main process has ended, its control groups still exist for a moment. They
//! contain what it used from start to end, even if no client watched.

use std::{
    collections::HashMap,
    io::{self, PipeWriter},
    os::fd::OwnedFd,
    sync::{Arc, Mutex, PoisonError, Weak},
    thread,
};

use jiff::Timestamp;
use rustix::{
    buffer::spare_capacity,
    event::epoll,
    io::Errno,
    process::{Pid, PidfdFlags, pidfd_open},
};

use super::{Sampler, UsageSource, meter::LONGEST, readings::Readings};
use crate::model::id::SessionId;

/// When the figures of this many ended sessions are waiting to be fetched, all of them are dropped.
const MOST: usize = 1000;

/// The main processes whose end is awaited, in a thread of its own: the groups are removed within milliseconds,
/// and the async runtime may be busy for longer.
#[derive(Debug)]
pub(super) struct ExitWaiter {
    epoll: Arc<OwnedFd>,
    /// By process id, each with its session.
    processes: HashMap<i64, (OwnedFd, SessionId)>,
    /// The thread ends when this is dropped.
    _open: PipeWriter,
}

/// The key of the pipe in the epoll set. No process has this id.
const STOP: u64 = 0;

impl ExitWaiter {
    fn start(shared: &Arc<Mutex<Sampler>>) -> io::Result<Self> {
        let epoll = Arc::new(epoll::create(epoll::CreateFlags::CLOEXEC)?);
        let (stop, open) = io::pipe()?;
        let key = epoll::EventData::new_u64(STOP);
        epoll::add(&*epoll, &stop, key, epoll::EventFlags::IN)?;
        let (waited, sampler) = (epoll.clone(), Arc::downgrade(shared));
        thread::Builder::new()
            .name("ends".to_owned())
            .spawn(move || {
                wait(&waited, &sampler);
                drop(stop);
            })?;
        Ok(Self {
            epoll,
            processes: HashMap::new(),
            _open: open,
        })
    }

    fn add(&mut self, session: SessionId, pid: i64) -> io::Result<()> {
        let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let Some(number) = number.filter(|_| !self.processes.contains_key(&pid)) else {
            return Ok(());
        };
        let process = pidfd_open(number, PidfdFlags::empty())?;
        let key = epoll::EventData::new_u64(pid.unsigned_abs());
        epoll::add(&*self.epoll, &process, key, epoll::EventFlags::IN)?;
        self.processes.insert(pid, (process, session));
        Ok(())
    }
}

/// Runs until the sampler is dropped.
fn wait(epoll: &OwnedFd, sampler: &Weak<Mutex<Sampler>>) {
    let mut events = Vec::with_capacity(16);
    loop {
        events.clear();
        match epoll::wait(epoll, spare_capacity(&mut events), None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
        let Some(sampler) = sampler.upgrade() else {
            return;
        };
        let mut sampler = sampler.lock().unwrap_or_else(PoisonError::into_inner);
        for event in &events {
            let ended = i64::try_from(event.data.u64()).unwrap_or_default();
            let waiting = sampler.waiting.as_mut();
            // Closing its descriptor removes it from the set.
            let session = waiting.and_then(|it| it.processes.remove(&ended));
            if let Some((_, session)) = session {
                sampler.end(session, ended, now());
            }
        }
    }
}

/// Arranges one more reading of a container's files when its main process has ended. On kernels without pidfds
/// the last sample stays the last reading.
pub(super) fn watch(
    sampler: &mut Sampler,
    shared: &Arc<Mutex<Sampler>>,
    session: SessionId,
    pid: i64,
) {
    if sampler.waiting.is_none() {
        sampler.waiting = ExitWaiter::start(shared).ok();
    }
    if let Some(waiting) = &mut sampler.waiting {
        let _ = waiting.add(session, pid);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "nobody asks: the time is that of the end"
)]
fn now() -> Timestamp {
    Timestamp::now()
}

impl Sampler {
    /// Handles the end of a container's main process.
    fn end(&mut self, session: SessionId, pid: i64, now: Timestamp) {
        self.buffer.resize(LONGEST, 0);
        let Some(gauges) = self.meters.get_mut(&session) else {
            return;
        };
        for (_, gauge) in gauges.iter_mut() {
            if let UsageSource::Groups(meter) = gauge
                && meter.pid() == pid
            {
                meter.end(&mut self.buffer);
            }
        }
        let ended = gauges
            .iter()
            .map(|(kernel, gauge)| Some((*kernel, gauge.ended()?)));
        let ended: Option<Readings> = ended.collect();
        let Some(usage) = ended.and_then(|ended| self.usage(session, ended, now)) else {
            return;
        };
        if self.ended.len() >= MOST {
            self.ended.clear();
        }
        self.ended.insert(session, usage);
    }
}
