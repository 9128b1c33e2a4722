//! NVIDIA's management library, where this machine has it.

use nvml_wrapper::{Nvml, error::NvmlError};

use super::devices::{Device, Library};
use crate::model::text::Clean;

/// Loads the library when it is asked and lets it go again: a driver may come later.
pub(super) struct Nvidia;

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
}

fn read() -> Result<Vec<Device>, NvmlError> {
    let library = Nvml::init()?;
    (0..library.device_count()?)
        .map(|index| {
            let model = library.device_by_index(index)?.name()?;
            Ok(Device {
                index,
                model: Clean::new(&model).into_string(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_a_driver_has_none() {
        let driver = std::path::Path::new("/proc/driver/nvidia").exists();
        assert!(driver || Nvidia.devices().is_empty());
    }
}
