//! Shows how much of a requested resource is used: a thin bar and two numbers.

use super::{glyphs::Glyphs, paint::Piece};
use crate::{
    model::{
        resources::{Bytes, Cpu},
        session::Session,
        usage::Usage,
    },
    theme::face::Face,
};

/// One resource of one session.
#[derive(Clone, Debug, PartialEq)]
pub struct Gauge {
    /// The used part of the request, `None` if it isn't known.
    pub share: Option<f64>,
    /// `0.31/0.5`, or only the requested amount.
    pub numbers: String,
    pub face: Face,
}

pub fn cpu(session: &Session, usage: Option<&Usage>) -> Gauge {
    let used = usage.and_then(|usage| usage.cpu);
    let throttled = usage.and_then(|usage| usage.throttled);
    cpu_of(used, session.requested_slots.cpu, throttled)
}

/// `throttled`: in how many of a thousand periods, as in [`Usage`].
pub fn cpu_of(used: Option<Cpu>, asked: Cpu, throttled: Option<u16>) -> Gauge {
    Gauge {
        face: cpu_face(throttled),
        share: used.and_then(|used| share(used.millis() as f64, asked.millis() as f64)),
        numbers: match used {
            Some(used) => format!("{}/{asked}", used.in_use()),
            None => asked.to_string(),
        },
    }
}

pub fn memory(session: &Session, usage: Option<&Usage>) -> Gauge {
    memory_of(usage.map(|usage| usage.mem), session.requested_slots.mem)
}

pub fn memory_of(used: Option<Bytes>, asked: Bytes) -> Gauge {
    let share = used.and_then(|used| share(used.0 as f64, asked.0 as f64));
    Gauge {
        face: share.map_or(Face::BarNormal, memory_face),
        share,
        numbers: pair(used, asked),
    }
}

fn share(used: f64, asked: f64) -> Option<f64> {
    (asked > 0.0).then(|| used / asked)
}

/// Formats both amounts in the unit of the request: `118/256M`, `0.9/16G`.
fn pair(used: Option<Bytes>, asked: Bytes) -> String {
    let (unit, letter) = match asked.0 {
        Bytes::GIB.. => (Bytes::GIB, 'G'),
        _ => (Bytes::MIB, 'M'),
    };
    let in_unit = |bytes: Bytes| {
        let value = bytes.0 as f64 / unit as f64;
        if unit == Bytes::MIB || value >= 99.95 || value.fract() == 0.0 {
            format!("{value:.0}")
        } else {
            format!("{value:.1}")
        }
    };
    match used {
        Some(used) => format!("{}/{}{letter}", in_unit(used), in_unit(asked)),
        None => format!("{}{letter}", in_unit(asked)),
    }
}

/// Returns a bar of `cells` cells: the used part in its color, the rest as a thin line.
pub fn pieces(gauge: &Gauge, cells: usize, glyphs: &Glyphs) -> Vec<Piece> {
    let Some(share) = gauge.share else {
        return vec![(" ".repeat(cells), Face::Bar)];
    };
    let mut full = (share * cells as f64).round() as usize;
    // A low use stays visible, and only a full bar looks full.
    if share > 0.02 {
        full = full.max(1);
    }
    if share < 0.95 {
        full = full.min(cells.saturating_sub(1));
    }
    let full = full.min(cells);
    vec![
        (glyphs.bar_full.repeat(full), gauge.face),
        (glyphs.bar_empty.repeat(cells - full), Face::Bar),
    ]
}

/// Returns the progress bar of a task: first the part that is done, then the rest.
pub fn progress(percent: u8, cells: usize, glyphs: &Glyphs) -> Vec<Piece> {
    let full = cells * usize::from(percent.min(100)) / 100;
    vec![
        (glyphs.bar_full.repeat(full), Face::StatusProgress),
        (glyphs.bar_empty.repeat(cells - full), Face::Bar),
    ]
}

/// From this share of scheduler periods, in thousandths, the limit slows a session noticeably.
pub const THROTTLED: u16 = 500;

/// Using all of the requested CPU is normal. Being throttled most of the time isn't: the session needs more
/// CPU than it requested. Nothing is lost, so this isn't red.
pub fn cpu_face(throttled: Option<u16>) -> Face {
    match throttled {
        Some(THROTTLED..) => Face::BarWarning,
        _ => Face::BarNormal,
    }
}

/// The engine kills a session that reaches its memory limit, so the color changes early: to a warning at 80%,
/// to critical at 90%.
pub fn memory_face(share: f64) -> Face {
    match share {
        0.9.. => Face::BarCritical,
        0.8.. => Face::BarWarning,
        _ => Face::BarNormal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_share_a_unit() {
        let gib = |n: f64| Bytes((n * Bytes::GIB as f64) as u64);
        assert_eq!(pair(Some(Bytes::mib(118)), Bytes::mib(256)), "118/256M");
        assert_eq!(pair(Some(gib(0.93)), gib(16.0)), "0.9/16G");
        assert_eq!(pair(None, gib(1.5)), "1.5G");
    }

    #[test]
    fn only_what_harms_is_an_alarm() {
        assert_eq!(cpu_face(None), Face::BarNormal);
        assert_eq!(cpu_face(Some(499)), Face::BarNormal);
        assert_eq!(cpu_face(Some(500)), Face::BarWarning);
        assert_eq!(memory_face(0.79), Face::BarNormal);
        assert_eq!(memory_face(0.8), Face::BarWarning);
        assert_eq!(memory_face(0.9), Face::BarCritical);
    }
}
