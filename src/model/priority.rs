//! Priorities of waiting sessions.

use std::ops::RangeInclusive;

pub const ALL: RangeInclusive<i32> = 0..=100;

/// # Errors
/// Returns a sentence if it is out of range.
pub fn check(priority: i32) -> Result<(), String> {
    if ALL.contains(&priority) {
        return Ok(());
    }
    Err(tr!(
        "invalid priority {priority}. Use 0 to 100 (the highest starts first)",
        priority
    ))
}

/// # Errors
/// Returns a sentence if the text isn't a priority.
pub fn parse(text: &str) -> Result<i32, String> {
    let bad = || {
        tr!(
            "invalid priority '{text}'. Use a number from 0 to 100",
            text
        )
    };
    let priority: i32 = text.trim().parse().map_err(|_| bad())?;
    check(priority).map_err(|_| bad())?;
    Ok(priority)
}
