//! An image on its way from its registry.

use serde::{Deserialize, Serialize};

use super::{resources::Bytes, text::Clean};

/// How far it is, as the engine tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PullFigures {
    pub layers: u32,
    /// Those that are on the engine, whole.
    pub layers_done: u32,
    /// Bytes of the layers whose size is known by now.
    pub bytes: Bytes,
    pub bytes_done: Bytes,
    /// Layers whose size is not known yet.
    pub unsized_layers: u32,
    /// More layers may come than the engine has told of by now.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more_layers: bool,
}

/// A pull under way, or about to be tried again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pull {
    pub registry: Clean,
    pub reference: Clean,
    #[serde(flatten)]
    pub figures: PullFigures,
    /// Bytes a second, of late.
    pub rate: Option<Bytes>,
    /// Seconds until it is here, if it goes on like that.
    pub seconds_left: Option<u64>,
    /// 1 = the first attempt.
    pub attempt: u32,
    /// Why the last attempt broke off, while the next one is awaited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<Clean>,
}

impl PullFigures {
    /// Of all of it, as far as it can be told: 0 to 100, and 100 only when all of it is here. `None` = how
    /// much all of it is cannot be told.
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
            // Layers of which nothing is known count as many as the others.
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
            words.push(format!("connection lost, retrying ({why})"));
        }
        if figures.layers == 0 {
            words.push(format!("asking {}", self.registry));
            return words;
        }
        let least = |more: bool| if more { "at least " } else { "" };
        words.push(format!(
            "{} of {}{} layers",
            figures.layers_done,
            least(figures.more_layers),
            figures.layers
        ));
        if figures.bytes.0 > 0 {
            // More will be known of the others.
            let least = least(figures.more_layers || figures.unsized_layers > 0);
            words.push(format!(
                "{} of {least}{}",
                figures.bytes_done, figures.bytes
            ));
        }
        words.extend(self.rate.map(|rate| format!("{rate}/s")));
        words.extend(
            self.seconds_left
                .map(|left| format!("{} left", in_words(left))),
        );
        words
    }
}

/// Seconds as a person reads them.
fn in_words(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
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
        // Half of the layers are not known: half of the other half.
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
