//! Accelerators: which ones this machine has, and which container gets which.
//!
//! Containers get whole devices (`cuda.device`), the least used first. Shares (`cuda.shares`) are only
//! counted: their containers see the first devices and share them.

use std::collections::{BTreeMap, BTreeSet};

use bollard::models::DeviceRequest;

use crate::{
    engine::api::Result,
    model::{
        capability::AcceleratorDevice, failure::Failure, policy::AcceleratorRules,
        resources::Bytes, text::Clean, usage::AcceleratorUsage,
    },
    rules::launch::amounts::exact,
};

pub(in crate::engine::docker) const WHOLE: &str = "cuda.device";
pub(in crate::engine::docker) const SHARES: &str = "cuda.shares";

/// One unit of a slot.
const ONE: u64 = 1000;

/// A device of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) struct Device {
    /// The device number, which the engine uses too.
    pub(in crate::engine::docker) index: u32,
    pub(in crate::engine::docker) model: String,
    /// Total memory; 0 = unknown.
    pub(in crate::engine::docker) mem: Bytes,
}

/// What the driver's library reports.
pub(in crate::engine::docker) trait Library: Send + Sync {
    /// Empty if there is no library, driver or device.
    fn devices(&self) -> Vec<Device>;

    /// Current usage of these devices, by number; devices that can't be read are left out.
    fn usage(&self, numbers: &BTreeSet<u32>) -> BTreeMap<u32, DeviceUsage>;
}

/// Usage of one device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine::docker) struct DeviceUsage {
    /// Percent.
    pub(in crate::engine::docker) utilization: Option<u32>,
    pub(in crate::engine::docker) mem: Option<Bytes>,
    pub(in crate::engine::docker) mem_total: Option<Bytes>,
}

/// The name in the lists of devices and in samples of usage.
fn name(number: u32) -> Clean {
    Clean::from(format!("GPU {number}"))
}

/// The devices as the engine reports them.
pub(in crate::engine::docker) fn named(devices: &[Device]) -> Vec<AcceleratorDevice> {
    let devices = devices.iter().map(|device| AcceleratorDevice {
        name: name(device.index),
        mem: device.mem,
    });
    devices.collect()
}

/// Usage of a session's devices. A device without figures is listed too.
pub(in crate::engine::docker) fn usage_of(
    numbers: &BTreeSet<u32>,
    reported: &BTreeMap<u32, DeviceUsage>,
) -> Vec<AcceleratorUsage> {
    let of = |number: &u32| {
        let usage = reported.get(number).copied().unwrap_or_default();
        AcceleratorUsage {
            name: name(*number),
            utilization: usage.utilization.map(|percent| percent * 100),
            mem: usage.mem,
            mem_total: usage.mem_total,
        }
    };
    numbers.iter().map(of).collect()
}

/// The system-wide settings, by slot name.
pub(in crate::engine::docker) type Rules = BTreeMap<String, AcceleratorRules>;

/// The amounts found, in thousandths by slot name. Where the settings declare shares but not whole devices,
/// all devices are given as shares.
pub(in crate::engine::docker) fn amounts(
    devices: &[Device],
    rules: &Rules,
) -> BTreeMap<String, u64> {
    let count = devices.len() as u64;
    let mut amounts = BTreeMap::new();
    if count == 0 {
        return amounts;
    }
    if rules.contains_key(SHARES) {
        amounts.insert(SHARES.to_owned(), count * per_device(rules) * ONE);
    }
    if !rules.contains_key(SHARES) || rules.contains_key(WHOLE) {
        amounts.insert(WHOLE.to_owned(), count * ONE);
    }
    amounts
}

fn per_device(rules: &Rules) -> u64 {
    let reported = rules.get(SHARES).and_then(|rule| rule.shares_per_device);
    u64::from(reported.unwrap_or(1).max(1))
}

/// The devices of one container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::engine::docker) struct ChosenDevices {
    /// Used by this container only, as far as there are enough devices.
    pub(in crate::engine::docker) whole: Vec<u32>,
    /// Shared with other containers.
    pub(in crate::engine::docker) shared: Vec<u32>,
}

impl ChosenDevices {
    /// All devices that the container sees, by number.
    pub(in crate::engine::docker) fn all(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.whole.iter().chain(&self.shared).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Chooses devices for a request; `taken` are the whole devices of other containers. On a machine without
/// devices, the request is only counted.
pub(in crate::engine::docker) fn choose(
    ask: &BTreeMap<String, u64>,
    devices: &[Device],
    rules: &Rules,
    taken: &[Vec<u32>],
) -> Result<ChosenDevices> {
    let of = |slot: &str| ask.get(slot).copied().unwrap_or(0);
    if devices.is_empty() {
        return Ok(ChosenDevices::default());
    }
    let whole = of(WHOLE).div_ceil(ONE);
    let shared = of(SHARES).div_ceil(ONE * per_device(rules));
    let there = devices.len() as u64;
    if whole.max(shared) > there {
        return Err(Failure::engine_refused(tr_sent!(
            "{count} GPUs are more than this machine has ({there}). Request fewer",
            count = whole.max(shared),
            there
        )));
    }
    let first = devices.iter().map(|device| device.index);
    Ok(ChosenDevices {
        whole: least_used(devices, taken, whole as usize),
        shared: first.take(shared as usize).collect(),
    })
}

fn least_used(devices: &[Device], taken: &[Vec<u32>], count: usize) -> Vec<u32> {
    let holders = |index: u32| taken.iter().flatten().filter(|one| **one == index).count();
    let mut order: Vec<(usize, u32)> = devices
        .iter()
        .map(|device| (holders(device.index), device.index))
        .collect();
    order.sort_unstable();
    let mut chosen: Vec<u32> = order
        .into_iter()
        .take(count)
        .map(|(_, index)| index)
        .collect();
    chosen.sort_unstable();
    chosen
}

/// The device request for the engine (`docker run --gpus device=0,1`).
pub(in crate::engine::docker) fn request(indexes: &[u32]) -> Option<Vec<DeviceRequest>> {
    if indexes.is_empty() {
        return None;
    }
    Some(vec![DeviceRequest {
        device_ids: Some(indexes.iter().map(u32::to_string).collect()),
        capabilities: Some(vec![vec!["gpu".to_owned()]]),
        ..DeviceRequest::default()
    }])
}

/// The environment variables that programs read.
pub(in crate::engine::docker) fn variables(
    seen: &[u32],
    devices: &[Device],
) -> Vec<(&'static str, String)> {
    let count = seen.len().to_string();
    let mut variables = vec![("GPU_COUNT", count.clone()), ("N_GPUS", count)];
    let known: Vec<Option<&Device>> = seen
        .iter()
        .map(|number| devices.iter().find(|device| device.index == *number))
        .collect();
    let Some(first) = known.first() else {
        return variables;
    };
    // Inside the container, device numbers start at 0 again.
    let numbers: Vec<String> = (0..seen.len()).map(|number| number.to_string()).collect();
    let each = |of: &dyn Fn(Bytes) -> String| -> String {
        let mem = |device: Option<&Device>| device.map_or(Bytes(0), |it| it.mem);
        let pairs = known.iter().copied().zip(0..);
        let pairs: Vec<String> = pairs
            .map(|(device, number): (_, u32)| format!("{number}:{}", of(mem(device))))
            .collect();
        pairs.join(",")
    };
    variables.extend([
        ("GPU_TYPE", "cuda".to_owned()),
        (
            "GPU_MODEL_NAME",
            first.map(|device| device.model.clone()).unwrap_or_default(),
        ),
        ("GPU_CONFIG", each(&exact)),
        (
            "TF_GPU_MEMORY_ALLOC",
            each(&|mem| (mem.0 / Bytes::MIB).to_string()),
        ),
        ("CUDA_VISIBLE_DEVICES", numbers.join(",")),
    ]);
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(count: u32) -> Vec<Device> {
        (0..count)
            .map(|index| Device {
                index,
                model: format!("card {index}"),
                mem: Bytes(8 * Bytes::GIB),
            })
            .collect()
    }

    /// A library that reports this number of devices.
    struct FakeLibrary(u32);

    impl Library for FakeLibrary {
        fn devices(&self) -> Vec<Device> {
            machine(self.0)
        }

        fn usage(&self, numbers: &BTreeSet<u32>) -> BTreeMap<u32, DeviceUsage> {
            let known = numbers.iter().filter(|number| **number < self.0);
            let usage = |number: u32| DeviceUsage {
                utilization: Some(number * 10),
                mem: Some(Bytes::mib(u64::from(number))),
                mem_total: Some(Bytes::mib(100)),
            };
            known.map(|number| (*number, usage(*number))).collect()
        }
    }

    #[test]
    fn from_what_a_library_reports_to_what_the_engine_is_asked() {
        let library: &dyn Library = &FakeLibrary(2);
        let devices = library.devices();
        let offer = amounts(&devices, &Rules::new());
        let chosen = choose(&offer, &devices, &Rules::new(), &[]).unwrap();
        let ids = request(&chosen.all()).unwrap().remove(0).device_ids;
        assert_eq!(ids.unwrap(), ["0", "1"]);
        assert!(amounts(&FakeLibrary(0).devices(), &Rules::new()).is_empty());
    }

    #[test]
    fn what_a_sessions_devices_do_is_reported_by_their_numbers() {
        let library: &dyn Library = &FakeLibrary(4);
        let numbers = BTreeSet::from([3, 7]);
        let reported = usage_of(&numbers, &library.usage(&numbers));
        let known = AcceleratorUsage {
            name: "GPU 3".into(),
            utilization: Some(3_000),
            mem: Some(Bytes::mib(3)),
            mem_total: Some(Bytes::mib(100)),
        };
        let lost = AcceleratorUsage {
            name: "GPU 7".into(),
            utilization: None,
            mem: None,
            mem_total: None,
        };
        assert_eq!(reported, [known, lost]);
        let named = named(&library.devices());
        assert_eq!((&named[3].name, named.len()), (&reported[0].name, 4));
    }

    fn ask(slot: &str, amount: u64) -> BTreeMap<String, u64> {
        [(slot.to_owned(), amount)].into()
    }

    fn shares(per_device: u32) -> Rules {
        let rule = AcceleratorRules {
            shares_per_device: Some(per_device),
            ..AcceleratorRules::default()
        };
        [(SHARES.to_owned(), rule)].into()
    }

    #[test]
    fn what_is_found_is_reported_as_configured() {
        let none = Rules::new();
        assert!(amounts(&[], &shares(5)).is_empty());
        assert_eq!(amounts(&machine(2), &none), ask(WHOLE, 2000));
        assert_eq!(amounts(&machine(2), &shares(5)), ask(SHARES, 10_000));
        let mut both = shares(5);
        both.insert(WHOLE.to_owned(), AcceleratorRules::default());
        assert_eq!(amounts(&machine(2), &both).len(), 2);
    }

    #[test]
    fn the_least_used_devices_are_given() {
        let taken = [vec![0, 1], vec![0]];
        let chosen = |amount| choose(&ask(WHOLE, amount), &machine(3), &Rules::new(), &taken);
        assert_eq!(chosen(1000).unwrap().all(), [2]);
        assert_eq!(chosen(2000).unwrap().all(), [1, 2]);
        let error = chosen(4000).unwrap_err().to_string();
        assert!(
            error.contains("4 GPUs are more than this machine has (3)"),
            "{error}"
        );
        assert!(chosen(0).unwrap().all().is_empty());
    }

    #[test]
    fn shares_see_the_first_devices_and_hold_none() {
        let chosen = |amount| choose(&ask(SHARES, amount), &machine(3), &shares(5), &[]).unwrap();
        assert_eq!(chosen(2_500).shared, [0]);
        assert_eq!(chosen(5_000).shared, [0]);
        assert_eq!(chosen(5_100).shared, [0, 1]);
        assert!(chosen(5_000).whole.is_empty());
    }

    #[test]
    fn on_a_machine_without_devices_an_ask_is_only_counted() {
        let chosen = choose(&ask(WHOLE, 9000), &[], &Rules::new(), &[]).unwrap();
        assert_eq!(chosen, ChosenDevices::default());
        assert_eq!(request(&chosen.all()), None);
        let none = [("GPU_COUNT", "0".to_owned()), ("N_GPUS", "0".to_owned())];
        assert_eq!(variables(&[], &[]), none);
    }

    #[test]
    fn the_request_is_the_one_of_the_engines_own_client() {
        let body = serde_json::to_value(request(&[0, 2])).unwrap();
        assert_eq!(
            body,
            serde_json::json!([{"DeviceIDs": ["0", "2"], "Capabilities": [["gpu"]]}])
        );
        let reported = variables(&[1, 2], &machine(3));
        assert!(reported.contains(&("GPU_MODEL_NAME", "card 1".to_owned())));
        assert!(reported.contains(&("CUDA_VISIBLE_DEVICES", "0,1".to_owned())));
        assert!(reported.contains(&("N_GPUS", "2".to_owned())));
        assert!(reported.contains(&("GPU_COUNT", "2".to_owned())));
        assert!(reported.contains(&("GPU_CONFIG", "0:8g,1:8g".to_owned())));
        assert!(reported.contains(&("TF_GPU_MEMORY_ALLOC", "0:8192,1:8192".to_owned())));
    }
}
