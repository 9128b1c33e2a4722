//! The last figures of a container. When its main process has ended, its control groups are still there for a
//! moment, and say what it used from its start to its end, whether or not anybody looked meanwhile.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::{Interest, unix::AsyncFd};

use super::{Gauge, Sampler, meter::LONGEST, reading::Reading};
use crate::model::id::SessionId;

/// What nobody asked for of more sessions than this is let go.
const MOST: usize = 1000;

/// Has the files of a container read once more when its main process has ended. On kernels without process
/// descriptors the last sample is the last.
pub(super) fn watch(
    sampler: &mut Sampler,
    shared: &Arc<Mutex<Sampler>>,
    session: SessionId,
    pid: i64,
) {
    let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let Some(number) = number.filter(|_| !sampler.awaited.contains(&pid)) else {
        return;
    };
    let process = pidfd_open(number, PidfdFlags::NONBLOCK);
    let process = process.or_else(|_| pidfd_open(number, PidfdFlags::empty()));
    let Ok(process) = process else {
        return;
    };
    #[expect(
        deprecated,
        reason = "safe with a descriptor that is owned, and its successor is not"
    )]
    let process = AsyncFd::with_interest(process, Interest::READABLE);
    let Ok(process) = process else {
        return;
    };
    sampler.awaited.insert(pid);
    let shared = shared.clone();
    tokio::spawn(async move {
        let ended = process.readable().await.is_ok();
        let mut sampler = shared.lock().unwrap_or_else(PoisonError::into_inner);
        sampler.awaited.remove(&pid);
        if ended {
            sampler.end(session, pid, now());
        }
    });
}

#[expect(
    clippy::disallowed_methods,
    reason = "nobody asks: the time is that of the end"
)]
fn now() -> Timestamp {
    Timestamp::now()
}

impl Sampler {
    /// A container's main process has ended.
    fn end(&mut self, session: SessionId, pid: i64, now: Timestamp) {
        self.buffer.resize(LONGEST, 0);
        let Some(gauges) = self.meters.get_mut(&session) else {
            return;
        };
        for gauge in gauges.iter_mut() {
            if let Gauge::Groups(meter) = gauge
                && meter.pid() == pid
            {
                meter.end(&mut self.buffer);
            }
        }
        let ended: Option<Vec<Reading>> = gauges.iter().map(Gauge::ended).collect();
        let Some(reading) = ended.and_then(Reading::sum) else {
            return;
        };
        let usage = self.usage(session, reading, now);
        if self.ended.len() >= MOST {
            self.ended.clear();
        }
        self.ended.insert(session, usage);
    }
}
