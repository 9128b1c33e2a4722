//! Priorities of waiting sessions.

use std::ops::RangeInclusive;

pub const ALL: RangeInclusive<i32> = 0..=100;

/// # Errors
/// A sentence where it is out of range.
pub fn check(priority: i32) -> Result<(), String> {
    if ALL.contains(&priority) {
        return Ok(());
    }
    Err(format!(
        "priority {priority}: 0 to 100, the highest goes first"
    ))
}

/// # Errors
/// A sentence where the text isn't a priority.
pub fn parse(text: &str) -> Result<i32, String> {
    let bad = || format!("'{text}' is no priority: write a number from 0 to 100");
    let priority: i32 = text.trim().parse().map_err(|_| bad())?;
    check(priority).map_err(|_| bad())?;
    Ok(priority)
}
