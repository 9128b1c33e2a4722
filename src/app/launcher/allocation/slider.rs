//! A number between a minimum and a maximum, changed with the left and right keys or typed.

use crate::{
    app::input::Input,
    key::{Key, KeyCode},
    model::resources::{Bytes, Cpu},
    rules::launch::amounts::read_thousandths,
};

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberUnit {
    /// Thousandths of a core.
    Cores,
    Bytes,
    /// Thousandths of a device or a share.
    Devices,
    /// Sessions, containers, threads.
    Pieces,
}

/// The range of a number, in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberBounds {
    pub least: u64,
    /// `None` if it isn't known.
    pub most: Option<u64>,
    /// The amount that is free now.
    pub free: Option<u64>,
    /// The number must be a multiple of this.
    pub quantum: u64,
}

impl NumberBounds {
    /// Limits the free amount to the maximum of one container.
    pub(super) fn in_one(mut self) -> Self {
        self.free = self
            .free
            .map(|free| self.most.map_or(free, |most| free.min(most)));
        self
    }
}

#[derive(Clone, Debug)]
pub struct Slider {
    unit: NumberUnit,
    input: Input,
    /// The text was set, not typed, so typing replaces it.
    fresh: bool,
}

impl NumberUnit {
    /// Formats a number as you would type it. It parses to the same number.
    pub fn exact(self, value: u64) -> String {
        match self {
            Self::Cores | Self::Devices => Cpu::from_millis(value).to_string(),
            Self::Pieces => value.to_string(),
            Self::Bytes => exact_bytes(value),
        }
    }

    /// Formats a number for quick reading.
    pub fn short(self, value: u64) -> String {
        match self {
            Self::Bytes => Bytes(value).to_string(),
            _ => self.exact(value),
        }
    }

    fn read(self, text: &str) -> Result<u64, String> {
        match self {
            Self::Cores => text.parse().map(Cpu::millis),
            Self::Bytes => text.parse().map(|bytes: Bytes| bytes.0),
            Self::Devices => read_thousandths(text),
            Self::Pieces => {
                let number = text.trim().parse::<u32>().map(u64::from);
                number.map_err(|_| tr!("'{text}' isn't a whole number. Use 1, 2 or 3", text))
            }
        }
    }

    /// The next usual number above.
    fn above(self, value: u64) -> u64 {
        let over = |mut steps: &mut dyn Iterator<Item = u64>| {
            Iterator::find(&mut steps, |step| *step > value)
        };
        match self {
            Self::Cores => over(&mut [250, 500].into_iter().chain(ladder(1000))),
            Self::Bytes if value < Bytes::GIB => over(&mut doubling()),
            Self::Bytes => over(&mut ladder(Bytes::GIB)),
            Self::Devices | Self::Pieces => None,
        }
        .unwrap_or(value)
    }

    /// The next usual number below, 0 if there is none.
    fn below(self, value: u64) -> u64 {
        let under =
            |steps: &mut dyn Iterator<Item = u64>| steps.take_while(|step| *step < value).last();
        match self {
            Self::Cores => under(&mut [250, 500].into_iter().chain(ladder(1000))),
            Self::Bytes if value <= Bytes::GIB => under(&mut doubling()),
            Self::Bytes => under(&mut ladder(Bytes::GIB)),
            Self::Devices | Self::Pieces => None,
        }
        .unwrap_or(0)
    }

    /// The default size of a small step.
    fn small(self) -> u64 {
        match self {
            Self::Cores => 100,
            Self::Bytes => 64 * Bytes::MIB,
            Self::Devices | Self::Pieces => 1,
        }
    }

    /// Whether a number of this unit can contain a character.
    fn takes(self, c: char) -> bool {
        match self {
            Self::Cores | Self::Devices => c.is_ascii_digit() || c == '.',
            Self::Bytes => c.is_ascii_alphanumeric() || c == '.',
            Self::Pieces => c.is_ascii_digit(),
        }
    }
}

/// 1, 2, 3, 4, 6, 8, 12, 16, 24 … times `unit`.
fn ladder(unit: u64) -> impl Iterator<Item = u64> {
    let more = (0..20).flat_map(move |power| {
        let step = unit.saturating_mul(2 << power);
        [step, step.saturating_add(step / 2)]
    });
    std::iter::once(unit).chain(more)
}

fn doubling() -> impl Iterator<Item = u64> {
    (20..=30).map(|power| 1_u64 << power)
}

fn exact_bytes(value: u64) -> String {
    for (name, size) in [
        ("GiB", Bytes::GIB),
        ("MiB", Bytes::MIB),
        ("KiB", Bytes::KIB),
    ] {
        // A number with up to three decimals is still readable.
        if value >= size && value.saturating_mul(1000).is_multiple_of(size) {
            let thousandths = u128::from(value) * 1000 / u128::from(size);
            let number = Cpu::from_millis(u64::try_from(thousandths).unwrap_or(u64::MAX));
            return format!("{number} {name}");
        }
    }
    format!("{value} B")
}

impl Slider {
    #[must_use]
    pub fn new(unit: NumberUnit, value: u64) -> Self {
        Self {
            unit,
            input: Input::with_text(&unit.exact(value)),
            fresh: true,
        }
    }

    pub fn unit(&self) -> NumberUnit {
        self.unit
    }

    pub fn input(&self) -> &Input {
        &self.input
    }

    pub fn value(&self) -> Result<u64, String> {
        self.unit.read(self.input.text())
    }

    pub fn set(&mut self, value: u64) {
        if self.value() != Ok(value) {
            *self = Self::new(self.unit, value);
        }
    }

    /// Steps to the next usual number, or by the smallest step if `fine`.
    pub fn step(&mut self, up: bool, fine: bool, bounds: &NumberBounds) {
        let now = self.value().unwrap_or(bounds.least);
        let quantum = bounds.quantum.max(1);
        let usual = !fine && matches!(self.unit, NumberUnit::Cores | NumberUnit::Bytes);
        let next = match (usual, up) {
            (true, true) => round_up(self.unit.above(now), quantum),
            (true, false) => self.unit.below(now) / quantum * quantum,
            (false, true) => now.saturating_add(quantum.max(self.unit.small())),
            (false, false) => now.saturating_sub(quantum.max(self.unit.small())),
        };
        let most = bounds.most.map(|most| most / quantum * quantum);
        let next = match most {
            // A step up never increases a number that was typed above the maximum.
            Some(most) if up => next.min(most.max(now)),
            _ => next,
        };
        self.put(next.max(bounds.least));
    }

    pub fn set_least(&mut self, bounds: &NumberBounds) {
        self.put(bounds.least);
    }

    pub fn set_most(&mut self, bounds: &NumberBounds) {
        if let Some(most) = bounds.most {
            let quantum = bounds.quantum.max(1);
            self.put((most / quantum * quantum).max(bounds.least));
        }
    }

    fn put(&mut self, value: u64) {
        *self = Self::new(self.unit, value);
    }

    /// Handles a key that types or edits. Returns `false` if the key isn't for a number.
    pub fn key(&mut self, key: Key) -> bool {
        if let KeyCode::Char(c) = key.code
            && !key.ctrl
            && !key.alt
        {
            if !self.unit.takes(c) {
                return false;
            }
            if self.fresh {
                self.input = Input::default();
            }
        }
        let taken = self.input.key(key);
        self.fresh &= !taken;
        taken
    }

    /// Pastes only the characters that a number can contain.
    pub fn paste(&mut self, text: &str) {
        let text: String = text.chars().filter(|c| self.unit.takes(*c)).collect();
        self.input = Input::with_text(text.trim());
        self.fresh = false;
    }
}

fn round_up(value: u64, quantum: u64) -> u64 {
    value.div_ceil(quantum).saturating_mul(quantum)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: NumberBounds = NumberBounds {
        least: 10,
        most: Some(64_000),
        free: None,
        quantum: 1,
    };

    fn stepped(unit: NumberUnit, start: &str, steps: &str, bounds: &NumberBounds) -> String {
        let mut slider = Slider::new(unit, 0);
        slider.paste(start);
        for step in steps.chars() {
            match step {
                '>' => slider.step(true, false, bounds),
                '<' => slider.step(false, false, bounds),
                '+' => slider.step(true, true, bounds),
                _ => slider.step(false, true, bounds),
            }
        }
        slider.input().text().to_owned()
    }

    #[test]
    fn cores_step_to_the_next_usual_number() {
        for (start, steps, then) in [
            ("1", ">", "2"),
            ("1.5", "<", "1"),
            ("3", ">>", "6"),
            ("0.25", "<", "0.01"),
            ("0.01", ">>", "0.5"),
            ("64", ">", "64"),
            ("100", ">", "100"),
            ("100", "<", "96"),
            ("x", ">", "0.25"),
            ("1", "+", "1.1"),
        ] {
            assert_eq!(
                stepped(NumberUnit::Cores, start, steps, &WIDE),
                then,
                "{start}"
            );
        }
    }

    #[test]
    fn whole_cores_stay_whole() {
        let whole = NumberBounds {
            least: 1000,
            most: Some(5500),
            quantum: 1000,
            ..WIDE
        };
        assert_eq!(stepped(NumberUnit::Cores, "1", "<", &whole), "1");
        assert_eq!(stepped(NumberUnit::Cores, "4", ">", &whole), "5");
        assert_eq!(stepped(NumberUnit::Cores, "2", "-", &whole), "1");
    }

    #[test]
    fn memory_steps_and_stays_exact() {
        let bounds = NumberBounds {
            least: 64 * Bytes::MIB,
            most: Some(100 * Bytes::GIB),
            ..WIDE
        };
        for (start, steps, then) in [
            ("512m", ">", "1 GiB"),
            ("600m", "<", "512 MiB"),
            ("1g", "<", "512 MiB"),
            ("1g", ">", "2 GiB"),
            ("64m", "<", "64 MiB"),
            ("96g", ">", "100 GiB"),
            ("1.5g", "+", "1600 MiB"),
        ] {
            assert_eq!(
                stepped(NumberUnit::Bytes, start, steps, &bounds),
                then,
                "{start}"
            );
        }
        for bytes in [
            1,
            1023,
            1024,
            1536 * Bytes::MIB,
            1100 * Bytes::MIB,
            3 * Bytes::GIB + 1,
        ] {
            let text = NumberUnit::Bytes.exact(bytes);
            assert_eq!(NumberUnit::Bytes.read(&text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn shares_step_by_their_quantum_and_devices_by_one() {
        let bounds = |quantum| NumberBounds {
            least: 0,
            most: Some(4000),
            free: None,
            quantum,
        };
        assert_eq!(
            stepped(NumberUnit::Devices, "0", ">>>", &bounds(100)),
            "0.3"
        );
        assert_eq!(stepped(NumberUnit::Devices, "1", "<<", &bounds(1000)), "0");
        assert_eq!(stepped(NumberUnit::Devices, "4", ">", &bounds(1000)), "4");
    }

    #[test]
    fn typing_replaces_what_was_set_and_edits_what_was_typed() {
        let mut slider = Slider::new(NumberUnit::Cores, 1000);
        for key in ["1", "6"] {
            assert!(slider.key(key.parse().unwrap()));
        }
        assert_eq!(slider.value(), Ok(16_000));
        assert!(slider.key("backspace".parse().unwrap()));
        assert_eq!(slider.input().text(), "1");
        assert!(!slider.key("x".parse().unwrap()), "no letter of a number");
        slider.set(1000);
        assert_eq!(slider.input().text(), "1");
        slider.set(2500);
        assert_eq!(slider.input().text(), "2.5");
        slider.paste("16 cores\n");
        assert_eq!(slider.value(), Ok(16_000));
    }

    #[test]
    fn ends_are_where_the_bounds_are() {
        let mut slider = Slider::new(NumberUnit::Cores, 1000);
        slider.set_most(&WIDE);
        assert_eq!(slider.input().text(), "64");
        slider.set_least(&WIDE);
        assert_eq!(slider.input().text(), "0.01");
        let open = NumberBounds { most: None, ..WIDE };
        slider.set_most(&open);
        assert_eq!(slider.input().text(), "0.01", "the maximum is unknown");
    }
}
