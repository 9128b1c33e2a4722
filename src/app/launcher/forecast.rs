//! What the queue would do with the current launch.

use jiff::Timestamp;

use super::Launcher;
use crate::{
    model::{
        catalogue::{Catalogue, SlotLimits},
        resources::{Bytes, Cpu, ResourceSlots},
        session::SessionType,
    },
    rules::launch::{
        amounts::{self, thousandths},
        places::{self, Containers},
    },
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueForecast {
    /// The context hasn't reported its free resources, or no launch is possible there now.
    Unknown,
    AtOnce,
    /// Not before this time, although there is room now.
    At(Timestamp),
    /// There is room, but this number of sessions is ahead in the queue.
    Behind(u32),
    Waits(Shortfall),
    /// The group has enough, but no agent (or not enough agents) for its containers.
    NoAgent {
        group: String,
        waiting: Option<u32>,
    },
}

/// The resource that doesn't suffice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortfall {
    /// `2 CPU`, `8 GiB of memory`.
    pub needed: String,
    pub free: String,
    /// The total amount, if it is known.
    pub all: Option<String>,
    pub group: Option<String>,
    /// Sessions that are already in the queue.
    pub waiting: Option<u32>,
}

impl Launcher {
    pub fn forecast(&self) -> QueueForecast {
        let (request, info) = (self.filled(), self.info());
        let known = info.catalogue.as_ref();
        // The free resources from before the engine disconnected may be outdated.
        let Some(catalogue) = known.filter(|_| self.blocked().is_none()) else {
            return QueueForecast::Unknown;
        };
        let group = info.group(request);
        if group.is_none() && !catalogue.resource_groups.is_empty() {
            return QueueForecast::Unknown;
        }
        let containers = request.containers().max(request.copies());
        let needed = ResourceSlots {
            cpu: request.cpu.unwrap_or_default(),
            mem: request.mem.unwrap_or_default(),
            accelerators: request.accelerators.clone(),
        }
        .times(containers);
        let free = amounts::free(Some(catalogue), group);
        let waiting = group.and_then(|group| group.waiting);
        if let Some((needed, free, slot)) = short(&needed, &free, catalogue) {
            let all = group.and_then(|group| group.capacity.as_ref());
            return QueueForecast::Waits(Shortfall {
                needed,
                free,
                all: all.map(|all| amount(all, &slot)),
                group: group.map(|group| group.name.to_string()),
                waiting,
            });
        }
        if let Some(group) = group
            && places::have_places(group, &Containers::requested(request), request.copies())
                == Some(false)
        {
            return QueueForecast::NoAgent {
                group: group.name.to_string(),
                waiting,
            };
        }
        let batch = request.session_type == SessionType::Batch;
        if let Some(at) = request.starts_at.filter(|_| batch) {
            return QueueForecast::At(at.moment(info.now));
        }
        match waiting.filter(|waiting| *waiting > 0) {
            Some(waiting) => QueueForecast::Behind(waiting),
            None => QueueForecast::AtOnce,
        }
    }
}

/// One kind of resource.
enum ShortSlot {
    Cpu,
    Memory,
    Accelerator(String),
}

/// The first resource that doesn't suffice, with the needed and the free amount.
fn short(
    needed: &ResourceSlots,
    free: &SlotLimits,
    catalogue: &Catalogue,
) -> Option<(String, String, ShortSlot)> {
    if let Some(left) = free.cpu.filter(|left| needed.cpu > *left) {
        return Some((
            tr!("{cpu} CPU", cpu = needed.cpu),
            left.to_string(),
            ShortSlot::Cpu,
        ));
    }
    if let Some(left) = free.mem.filter(|left| needed.mem > *left) {
        let asked = tr!("{mem} of memory", mem = needed.mem);
        return Some((asked, left.to_string(), ShortSlot::Memory));
    }
    needed.accelerators.iter().find_map(|(slot, asked)| {
        let left = free.accelerators.get(slot).filter(|left| asked > *left)?;
        let needed = format!("{} {}", thousandths(*asked), catalogue.unit(slot));
        Some((
            needed,
            thousandths(*left).to_string(),
            ShortSlot::Accelerator(slot.clone()),
        ))
    })
}

fn amount(of: &ResourceSlots, slot: &ShortSlot) -> String {
    match slot {
        ShortSlot::Cpu => Cpu::to_string(&of.cpu),
        ShortSlot::Memory => Bytes::to_string(&of.mem),
        ShortSlot::Accelerator(slot) => {
            let all = of.accelerators.get(slot).copied().unwrap_or(0);
            thousandths(all).to_string()
        }
    }
}
