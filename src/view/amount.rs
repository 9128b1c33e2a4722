//! Formats amounts of memory in a few cells.

use crate::model::resources::Bytes;

/// Formats bytes in five cells or fewer: `0`, `512B`, `1.2K`, `118M`, `15.9G`.
pub fn short(bytes: Bytes) -> String {
    const UNITS: [(u64, &str); 4] = [
        (1 << 40, "T"),
        (Bytes::GIB, "G"),
        (Bytes::MIB, "M"),
        (Bytes::KIB, "K"),
    ];
    if bytes.0 == 0 {
        return "0".to_owned();
    }
    let found = UNITS.iter().find(|(unit, _)| bytes.0 >= *unit);
    let Some((unit, letter)) = found else {
        return format!("{}B", bytes.0);
    };
    let value = bytes.0 as f64 / *unit as f64;
    if value.fract() == 0.0 || value >= 99.95 {
        format!("{value:.0}{letter}")
    } else {
        format!("{value:.1}{letter}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_short() {
        for (bytes, text) in [
            (0, "0"),
            (512, "512B"),
            (1_229, "1.2K"),
            (118 * Bytes::MIB + 700_000, "119M"),
            (15 * Bytes::GIB + 966_367_641, "15.9G"),
            (16 * Bytes::GIB, "16G"),
            (5 << 40, "5T"),
        ] {
            assert_eq!(short(Bytes(bytes)), text);
        }
    }
}
