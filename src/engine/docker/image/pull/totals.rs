//! Adds up what an engine reports about the layers of an image.

use std::collections::BTreeMap;

use bollard::models::CreateImageInfo;

use crate::{
    engine::docker::connect::quirks::ContainerProgram,
    model::{pull::PullFigures, resources::Bytes},
};

/// Statuses of a layer that was transferred completely.
const SENT: [&str; 5] = [
    "Verifying Checksum",
    "Download complete",
    "Extracting",
    "Pull complete",
    "Already exists",
];

/// The progress of all layers.
#[derive(Debug)]
pub(super) struct PullTotals {
    kind: ContainerProgram,
    layers: BTreeMap<String, Layer>,
    /// The id of the last report.
    last: String,
}

#[derive(Debug, Default)]
struct Layer {
    size: Option<u64>,
    loaded: u64,
    /// The registry has sent all of it.
    sent: bool,
    done: bool,
    /// It existed before the pull, so nothing is loaded.
    was_here: bool,
    /// The last report about this layer.
    said: (String, Option<u64>),
}

impl PullTotals {
    pub(super) fn new(kind: ContainerProgram) -> Self {
        Self {
            kind,
            layers: BTreeMap::new(),
            last: String::new(),
        }
    }

    /// Handles one line of the engine's stream; `false` = nothing new (some engines repeat themselves while they
    /// wait). Ignores lines that aren't about a layer.
    pub(super) fn update(&mut self, said: &CreateImageInfo) -> bool {
        let (Some(id), Some(status)) = (&said.id, &said.status) else {
            return true;
        };
        // The first line has the tag in the field where other lines have a layer.
        if status.starts_with("Pulling from") {
            return true;
        }
        self.last.clone_from(id);
        let layer = self.layers.entry(id.clone()).or_default();
        let detail = said.progress_detail.as_ref();
        let number = |it: Option<i64>| it.and_then(|n| u64::try_from(n).ok());
        let current = number(detail.and_then(|detail| detail.current));
        let total = number(detail.and_then(|detail| detail.total)).filter(|total| *total > 0);
        layer.sent |= SENT.contains(&status.as_str());
        match status.as_str() {
            "Downloading" => {
                layer.sent = false;
                layer.size = total.or(layer.size);
                layer.loaded = current.unwrap_or(layer.loaded);
            }
            // From this status on, the numbers count unpacking.
            "Verifying Checksum" | "Download complete" | "Extracting" => {
                layer.loaded = layer.size.unwrap_or(layer.loaded);
                layer.size = Some(layer.loaded);
                // Podman's last report about a layer.
                layer.done |=
                    self.kind == ContainerProgram::Podman && status == "Download complete";
            }
            "Pull complete" => {
                layer.done = true;
                layer.loaded = layer.size.unwrap_or(layer.loaded);
                layer.size = Some(layer.loaded);
            }
            "Already exists" => {
                layer.done = true;
                layer.was_here = true;
            }
            _ => {}
        }
        let said = (status.clone(), current);
        let is_new = layer.said != said;
        layer.said = said;
        is_new
    }

    /// Whether the registry still has something to send; otherwise the engine itself is working.
    pub(super) fn waits_for_registry(&self) -> bool {
        self.layers.is_empty() || self.layers.values().any(|layer| !layer.sent)
    }

    /// The figures after the engine's last report: the last one of Podman is about the image, not about a layer.
    pub(super) fn whole(&mut self) -> PullFigures {
        if self.kind == ContainerProgram::Podman {
            self.layers.remove(&self.last);
        }
        PullFigures {
            more_layers: false,
            ..self.figures()
        }
    }

    pub(super) fn figures(&self) -> PullFigures {
        let layers = || self.layers.values();
        let count = |of: &dyn Fn(&Layer) -> bool| {
            u32::try_from(layers().filter(|layer| of(layer)).count()).unwrap_or(u32::MAX)
        };
        PullFigures {
            layers: count(&|_| true),
            layers_done: count(&|layer| layer.done),
            bytes: Bytes(sum(layers().filter_map(|layer| layer.size))),
            bytes_done: Bytes(sum(layers().map(|layer| layer.loaded))),
            unsized_layers: count(&|layer| layer.size.is_none() && !layer.was_here),
            // Podman reports a layer only when it starts with it, a few layers at a time.
            more_layers: self.kind == ContainerProgram::Podman && !self.layers.is_empty(),
        }
    }
}

/// Adds sizes without overflow, because an engine may report any size.
fn sum(sizes: impl Iterator<Item = u64>) -> u64 {
    sizes.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use bollard::models::ProgressDetail;

    use super::*;

    fn said(id: &str, status: &str, progress: Option<(i64, i64)>) -> CreateImageInfo {
        CreateImageInfo {
            id: Some(id.to_owned()),
            status: Some(status.to_owned()),
            progress_detail: progress.map(|(current, total)| ProgressDetail {
                current: Some(current),
                total: Some(total),
            }),
            ..CreateImageInfo::default()
        }
    }

    #[test]
    fn layers_are_summed_up() {
        let mut tally = PullTotals::new(ContainerProgram::Docker);
        for (id, status, progress) in [
            ("3.12", "Pulling from library/python", None),
            ("aa", "Pulling fs layer", None),
            ("bb", "Pulling fs layer", None),
            ("cc", "Already exists", None),
            ("bb", "Waiting", None),
            ("aa", "Downloading", Some((30, 100))),
        ] {
            tally.update(&said(id, status, progress));
        }
        let figures = PullFigures {
            layers: 3,
            layers_done: 1,
            bytes: Bytes(100),
            bytes_done: Bytes(30),
            unsized_layers: 1,
            more_layers: false,
        };
        assert_eq!(tally.figures(), figures);
        // Unpacking counts different bytes than loading.
        tally.update(&said("aa", "Download complete", None));
        tally.update(&said("aa", "Extracting", Some((5, 400))));
        assert_eq!(tally.figures().bytes_done, Bytes(100));
        tally.update(&said("aa", "Pull complete", None));
        tally.update(&said("bb", "Downloading", Some((7, 50))));
        tally.update(&said("bb", "Pull complete", None));
        let figures = tally.figures();
        assert_eq!((figures.layers_done, figures.unsized_layers), (3, 0));
        assert_eq!(figures.bytes, Bytes(150));
        assert_eq!(figures.bytes, figures.bytes_done);
    }

    /// The reports of Podman 4.3: it reports neither the unpacking nor the number of layers, and at the end it
    /// reports the image itself like another layer.
    #[test]
    fn what_podman_does_not_report_is_not_made_up() {
        let mut tally = PullTotals::new(ContainerProgram::Podman);
        for (id, status, progress) in [
            ("aa", "Pulling fs layer", None),
            ("bb", "Pulling fs layer", None),
            ("bb", "Download complete", None),
            ("aa", "Downloading", Some((30, 100))),
        ] {
            tally.update(&said(id, status, progress));
        }
        let figures = PullFigures {
            layers: 2,
            layers_done: 1,
            bytes: Bytes(100),
            bytes_done: Bytes(30),
            unsized_layers: 0,
            more_layers: true,
        };
        assert_eq!(tally.figures(), figures);
        for id in ["aa", "ff", "ff"] {
            tally.update(&said(id, "Download complete", None));
        }
        let figures = PullFigures {
            layers_done: 2,
            bytes_done: Bytes(100),
            more_layers: false,
            ..figures
        };
        assert_eq!(tally.whole(), figures);
    }

    #[test]
    fn a_layer_that_is_restarted_goes_back() {
        let mut tally = PullTotals::new(ContainerProgram::Docker);
        tally.update(&said("aa", "Downloading", Some((90, 100))));
        tally.update(&said("aa", "Retrying in 5 seconds", None));
        tally.update(&said("aa", "Downloading", Some((10, 100))));
        assert_eq!(tally.figures().bytes_done, Bytes(10));
    }

    #[test]
    fn it_knows_whom_it_waits_for() {
        let mut tally = PullTotals::new(ContainerProgram::Docker);
        assert!(tally.waits_for_registry());
        assert!(tally.update(&said("aa", "Downloading", Some((90, 100)))));
        assert!(!tally.update(&said("aa", "Downloading", Some((90, 100)))));
        assert!(tally.waits_for_registry());
        assert!(tally.update(&said("aa", "Download complete", None)));
        assert!(!tally.waits_for_registry());
        tally.update(&said("bb", "Waiting", None));
        assert!(tally.waits_for_registry());
        tally.update(&said("bb", "Already exists", None));
        assert!(!tally.waits_for_registry());
    }

    #[test]
    fn fuzz_pull_progress() {
        crate::fuzz::parser("pull-progress", &[], |bytes, _| {
            for kind in [ContainerProgram::Docker, ContainerProgram::Podman] {
                let mut tally = PullTotals::new(kind);
                for line in bytes.split(|byte| *byte == b'\n').take(200) {
                    if let Ok(said) = serde_json::from_slice::<CreateImageInfo>(line) {
                        tally.update(&said);
                        tally.waits_for_registry();
                        tally.figures();
                    }
                }
                tally.whole();
                crate::fuzz::bounded(bytes, &tally);
            }
        });
    }
}
