//! NVIDIA's management library, where this machine has it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
};

use nvml_wrapper::{Nvml, error::NvmlError};

use super::devices::{Device, DeviceUsage, Library};
use crate::model::{resources::Bytes, text::Clean};

/// Loads the library for each search and unloads it again, because a driver may be installed later. The library
/// stays loaded while usage is read repeatedly.
#[derive(Default)]
pub(in crate::engine::docker) struct Nvidia {
    loaded: Mutex<Option<Nvml>>,
}

impl Library for Nvidia {
    fn devices(&self) -> Vec<Device> {
        match read() {
            Ok(devices) => devices,
            Err(error) => {
                tracing::debug!(%error, "no NVIDIA devices");
                Vec::new()
            }
        }
    }

    fn usage(&self, numbers: &BTreeSet<u32>) -> BTreeMap<u32, DeviceUsage> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.is_none() {
            *loaded = Nvml::init().ok();
        }
        let Some(library) = loaded.as_ref() else {
            return BTreeMap::new();
        };
        let reported: BTreeMap<u32, DeviceUsage> = numbers
            .iter()
            .filter_map(|number| Some((*number, usage(library, *number).ok()?)))
            .collect();
        // A replaced driver doesn't answer until the library is loaded again.
        if reported.is_empty() {
            *loaded = None;
        }
        reported
    }
}

fn read() -> Result<Vec<Device>, NvmlError> {
    let library = Nvml::init()?;
    (0..library.device_count()?)
        .map(|index| {
            let device = library.device_by_index(index)?;
            Ok(Device {
                index,
                model: Clean::new(&device.name()?).into_string(),
                mem: device.memory_info().map_or(Bytes(0), |it| Bytes(it.total)),
            })
        })
        .collect()
}

/// A device may report only some of its figures.
fn usage(library: &Nvml, number: u32) -> Result<DeviceUsage, NvmlError> {
    let device = library.device_by_index(number)?;
    let memory = device.memory_info().ok();
    Ok(DeviceUsage {
        utilization: device.utilization_rates().ok().map(|rates| rates.gpu),
        mem: memory.as_ref().map(|memory| Bytes(memory.used)),
        mem_total: memory.map(|memory| Bytes(memory.total)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_a_driver_has_none() {
        let driver = std::path::Path::new("/proc/driver/nvidia").exists();
        let library = Nvidia::default();
        assert!(driver || library.devices().is_empty());
        assert!(driver || library.usage(&[0].into()).is_empty());
    }
}
