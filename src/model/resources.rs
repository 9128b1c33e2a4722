//! Requested and available resources: CPU, memory, accelerators.

use std::{collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// CPU in thousandths of a core, parsed from and printed as decimal cores (`0.5`, `2`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cpu(u64);

/// Memory in bytes, parsed from `256m`, `1.5g`, `64 MiB` and printed in the shortest binary unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// Amounts of resources: requested, available or used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ResourceSlots {
    pub cpu: Cpu,
    pub mem: Bytes,
    /// Accelerators by slot name (`cuda.device`, `cuda.shares`), in thousandths.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub accelerators: BTreeMap<String, u64>,
}

impl Cpu {
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    pub const fn millis(self) -> u64 {
        self.0
    }

    pub fn cores(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// The cores in use, which aren't a round number: `0.31`, `12.3`.
    pub fn in_use(self) -> String {
        let cores = self.cores();
        if cores < 9.995 {
            format!("{cores:.2}")
        } else {
            format!("{cores:.1}")
        }
    }
}

impl Bytes {
    pub const KIB: u64 = 1024;
    pub const MIB: u64 = 1024 * 1024;
    pub const GIB: u64 = 1024 * 1024 * 1024;

    #[must_use]
    pub const fn mib(n: u64) -> Self {
        Self(n * Self::MIB)
    }
}

impl ResourceSlots {
    #[must_use]
    pub fn new(cpu: Cpu, mem: Bytes) -> Self {
        Self {
            cpu,
            mem,
            accelerators: BTreeMap::new(),
        }
    }

    /// Whether all amounts fit into `room`.
    pub fn fits(&self, room: &Self) -> bool {
        self.cpu <= room.cpu
            && self.mem <= room.mem
            && self
                .accelerators
                .iter()
                .all(|(slot, n)| room.accelerators.get(slot).is_some_and(|r| n <= r))
    }

    /// `self - used`, never below zero.
    #[must_use]
    pub fn less(&self, used: &Self) -> Self {
        let mut left = self.clone();
        left.cpu = Cpu(self.cpu.0.saturating_sub(used.cpu.0));
        left.mem = Bytes(self.mem.0.saturating_sub(used.mem.0));
        for (slot, n) in &mut left.accelerators {
            *n = n.saturating_sub(used.accelerators.get(slot).copied().unwrap_or(0));
        }
        left
    }

    /// `self` multiplied by `count`.
    #[must_use]
    pub fn times(&self, count: u32) -> Self {
        let times = |amount: u64| amount.saturating_mul(u64::from(count));
        Self {
            cpu: Cpu(times(self.cpu.0)),
            mem: Bytes(times(self.mem.0)),
            accelerators: self
                .accelerators
                .iter()
                .map(|(slot, n)| (slot.clone(), times(*n)))
                .collect(),
        }
    }

    /// `self` in `count` equal parts, rounded up.
    #[must_use]
    pub fn divided_by(&self, count: u32) -> Self {
        let part = |amount: u64| amount.div_ceil(u64::from(count.max(1)));
        Self {
            cpu: Cpu(part(self.cpu.0)),
            mem: Bytes(part(self.mem.0)),
            accelerators: self
                .accelerators
                .iter()
                .map(|(slot, n)| (slot.clone(), part(*n)))
                .collect(),
        }
    }

    /// `self + more`.
    #[must_use]
    pub fn plus(&self, more: &Self) -> Self {
        let mut sum = self.clone();
        sum.cpu = Cpu(self.cpu.0.saturating_add(more.cpu.0));
        sum.mem = Bytes(self.mem.0.saturating_add(more.mem.0));
        for (slot, n) in &more.accelerators {
            let held = sum.accelerators.entry(slot.clone()).or_default();
            *held = held.saturating_add(*n);
        }
        sum
    }
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / 1000, self.0 % 1000);
        if part == 0 {
            return f.pad(&whole.to_string());
        }
        let text = format!("{whole}.{part:03}");
        f.pad(text.trim_end_matches('0'))
    }
}

impl FromStr for Cpu {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || {
            tr!(
                "invalid CPU amount '{text}'. Use a number such as 2 or 0.5 (min: \
                              0.01)",
                text
            )
        };
        let cores: f64 = text.trim().parse().map_err(|_| bad())?;
        if !(0.01..=4096.0).contains(&cores) {
            return Err(bad());
        }
        Ok(Self((cores * 1000.0).round() as u64))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
        let mut value = self.0 as f64;
        let mut unit = 0;
        while value >= 1024.0 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        let digits = usize::from(unit > 0 && value < 10.0 && (value * 10.0).round() % 10.0 != 0.0);
        f.pad(&format!("{value:.digits$} {}", UNITS[unit]))
    }
}

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || {
            tr!(
                "invalid memory size '{text}'. Use 256m, 1g or 1.5 GiB",
                text
            )
        };
        let trimmed = text.trim();
        let split = trimmed
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(trimmed.len());
        let number: f64 = trimmed[..split].parse().map_err(|_| bad())?;
        let factor = match trimmed[split..].trim().to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "k" | "kb" | "kib" => Self::KIB,
            "m" | "mb" | "mib" => Self::MIB,
            "g" | "gb" | "gib" => Self::GIB,
            "t" | "tb" | "tib" => Self::GIB * 1024,
            _ => return Err(bad()),
        };
        let bytes = number * factor as f64;
        if !(0.0..9.0e15).contains(&bytes) {
            return Err(bad());
        }
        Ok(Self(bytes.round() as u64))
    }
}

impl Serialize for Cpu {
    /// As decimal cores.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.cores())
    }
}

impl<'de> Deserialize<'de> for Cpu {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let cores = f64::deserialize(deserializer)?;
        if !(0.0..=1_000_000.0).contains(&cores) {
            return Err(serde::de::Error::custom(tr!(
                "CPU must be a number from 0 to 1000000"
            )));
        }
        Ok(Self((cores * 1000.0).round() as u64))
    }
}

impl Serialize for Bytes {
    /// As a plain number of bytes.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_read_and_print() {
        for (text, shown) in [
            ("0.5", "0.5"),
            ("2", "2"),
            ("1.25", "1.25"),
            ("0.01", "0.01"),
        ] {
            assert_eq!(text.parse::<Cpu>().unwrap().to_string(), shown);
        }
        for bad in ["", "0", "-1", "many", "1e9", "NaN"] {
            assert!(bad.parse::<Cpu>().is_err(), "{bad} was taken");
        }
    }

    #[test]
    fn memory_reads_and_prints() {
        for (text, bytes, shown) in [
            ("256m", 256 << 20, "256 MiB"),
            ("1g", 1 << 30, "1 GiB"),
            ("1.5 GiB", 3 << 29, "1.5 GiB"),
            ("65536", 65536, "64 KiB"),
            ("0", 0, "0 B"),
        ] {
            let read: Bytes = text.parse().unwrap();
            assert_eq!((read.0, read.to_string().as_str()), (bytes, shown));
        }
        for bad in ["", "m", "-1m", "1q", "99999999999g"] {
            assert!(bad.parse::<Bytes>().is_err(), "{bad} was taken");
        }
    }

    #[test]
    fn fitting_counts_every_slot() {
        let mut ask = ResourceSlots::new(Cpu(500), Bytes::mib(64));
        let room = ResourceSlots::new(Cpu(500), Bytes::mib(64));
        assert!(ask.fits(&room));
        ask.accelerators.insert("cuda.device".into(), 1000);
        assert!(!ask.fits(&room));
    }
}
