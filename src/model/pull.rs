//! An image that is pulled from its registry.

use serde::{Deserialize, Serialize};

use super::{resources::Bytes, text::Clean};

/// The progress of a pull, as the engine reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PullFigures {
    pub layers: u32,
    /// Layers that are completely on the engine.
    pub layers_done: u32,
    /// The total size of the layers whose size is known so far.
    pub bytes: Bytes,
    pub bytes_done: Bytes,
    /// Layers whose size is not known yet.
    pub unsized_layers: u32,
    /// Whether there may be more layers than the engine has reported so far.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more_layers: bool,
}

/// A pull that is running or will be retried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Pull {
    pub registry: Clean,
    pub reference: Clean,
    #[serde(flatten)]
    pub figures: PullFigures,
    /// The recent rate in bytes per second.
    pub rate: Option<Bytes>,
    /// Seconds until it is done at this rate.
    pub seconds_left: Option<u64>,
    /// 1 = the first attempt.
    pub attempt: u32,
    /// Why the last attempt failed, until the next attempt starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<Clean>,
}

impl PullFigures {
    /// The progress from 0 to 100, where 100 means that everything is on the engine. `None` = the total isn't
    /// known.
    pub fn percent(&self) -> Option<u8> {
        if self.layers == 0 || self.more_layers {
            return None;
        }
        if self.layers_done >= self.layers {
            return Some(100);
        }
        let sized = self.layers.saturating_sub(self.unsized_layers);
        let loaded = if self.bytes.0 == 0 {
            u128::from(self.layers_done) * 100 / u128::from(self.layers)
        } else {
            // Layers of unknown size count as average layers.
            let done = u128::from(self.bytes_done.0.min(self.bytes.0)) * u128::from(sized) * 100;
            done / (u128::from(self.bytes.0) * u128::from(self.layers))
        };
        u8::try_from(loaded.min(99)).ok()
    }
}

impl Pull {
    /// `3 of 7 layers, 12M of 40M, 2.1M/s, 14 s left`, as far as it is known.
    pub fn words(&self) -> Vec<String> {
        let figures = &self.figures;
        let mut words = Vec::new();
        if let Some(why) = &self.broken {
            words.push(tr!("connection lost, retrying ({why})", why));
        }
        if figures.layers == 0 {
            words.push(tr!("asking {registry}", registry = self.registry));
            return words;
        }
        let (done, all) = (figures.layers_done, figures.layers);
        words.push(if figures.more_layers {
            tr!("{done} of at least {all} layers", done, all)
        } else {
            tr!("{done} of {all} layers", done, all)
        });
        if figures.bytes.0 > 0 {
            // The sizes of the other layers will be added later.
            let (done, all) = (figures.bytes_done, figures.bytes);
            words.push(if figures.more_layers || figures.unsized_layers > 0 {
                tr!("{done} of at least {all}", done, all)
            } else {
                tr!("{done} of {all}", done, all)
            });
        }
        words.extend(self.rate.map(|rate| format!("{rate}/s")));
        words.extend(
            self.seconds_left
                .map(|left| tr!("{left} left", left = in_words(left))),
        );
        words
    }
}

/// Formats seconds for display.
fn in_words(seconds: u64) -> String {
    match seconds {
        0..60 => tr!("{seconds} s", seconds),
        60..3600 => tr!("{minutes} min", minutes = seconds.div_ceil(60)),
        _ => tr!(
            "{hours} h {minutes} min",
            hours = seconds / 3600,
            minutes = seconds % 3600 / 60
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(layers: (u32, u32), mib: (u64, u64), unsized_layers: u32) -> PullFigures {
        PullFigures {
            layers: layers.1,
            layers_done: layers.0,
            bytes: Bytes::mib(mib.1),
            bytes_done: Bytes::mib(mib.0),
            unsized_layers,
            more_layers: false,
        }
    }

    #[test]
    fn the_share_never_claims_more_than_is_known() {
        assert_eq!(PullFigures::default().percent(), None);
        assert_eq!(figures((0, 4), (0, 0), 4).percent(), Some(0));
        assert_eq!(figures((1, 4), (50, 100), 0).percent(), Some(50));
        // Half of the layers are unknown, so half of the other half is done.
        assert_eq!(figures((0, 4), (50, 100), 2).percent(), Some(25));
        assert_eq!(figures((3, 4), (100, 100), 0).percent(), Some(99));
        assert_eq!(figures((4, 4), (100, 100), 0).percent(), Some(100));
        let more = PullFigures {
            more_layers: true,
            ..figures((4, 4), (100, 100), 0)
        };
        assert_eq!(more.percent(), None);
    }

    #[test]
    fn it_says_what_is_known() {
        let mut pull = Pull {
            registry: "quay.io".into(),
            attempt: 1,
            ..Pull::default()
        };
        assert_eq!(pull.words(), ["asking quay.io"]);
        pull.figures = figures((3, 7), (12, 40), 1);
        pull.rate = Some(Bytes::mib(2));
        pull.seconds_left = Some(75);
        let words = pull.words().join(", ");
        assert_eq!(
            words,
            "3 of 7 layers, 12 MiB of at least 40 MiB, 2 MiB/s, 2 min left"
        );
        pull.figures = figures((3, 7), (12, 40), 0);
        pull.figures.more_layers = true;
        assert_eq!(
            pull.words()[..2],
            ["3 of at least 7 layers", "12 MiB of at least 40 MiB"]
        );
    }
}
