//! Reads amounts in files: CPU, memory, durations, accelerators by slot.

use std::collections::BTreeMap;

use super::document::{DocumentEntry, DocumentFault, Item, Value};
use crate::{
    model::{
        resources::{Bytes, Cpu},
        span::Span,
    },
    rules::launch::amounts,
};

/// A CPU amount, min 0.01.
pub(super) fn cores(item: &Item) -> Result<Cpu, DocumentFault> {
    let text = cores_text(item)?;
    text.parse()
        .map_err(|why: String| DocumentFault::new(item.at, why))
}

/// A CPU amount as it is typed.
pub(super) fn cores_text(item: &Item) -> Result<String, DocumentFault> {
    digits(item, tr!("a CPU amount like 2 or 0.5"))
}

/// A CPU amount or 0.
pub(super) fn cores_or_none(item: &Item) -> Result<Cpu, DocumentFault> {
    match cores_text(item)?.parse::<f64>() {
        Ok(0.0) => Ok(Cpu::default()),
        _ => cores(item),
    }
}

/// `"256m"` or a number of bytes, min `least`.
pub(super) fn memory(item: &Item, least: Bytes) -> Result<Bytes, DocumentFault> {
    let bytes: Bytes = match &item.value {
        Value::Text(text) => text
            .parse()
            .map_err(|why: String| DocumentFault::new(item.at, why))?,
        Value::Integer(number) => Bytes(u64::try_from(*number).unwrap_or(0)),
        _ => return Err(item.mismatch(tr!("a memory size like \"256m\""))),
    };
    if bytes < least {
        return Err(DocumentFault::new(
            item.at,
            tr!("{bytes} is too small (min: {least})", bytes, least),
        ));
    }
    Ok(bytes)
}

/// Any amount of memory.
pub(super) fn any_memory(item: &Item) -> Result<Bytes, DocumentFault> {
    memory(item, Bytes(0))
}

/// `"90m"`, or a whole number of seconds.
pub(super) fn span(item: &Item) -> Result<Span, DocumentFault> {
    let text = span_text(item)?;
    text.parse()
        .map_err(|why: String| DocumentFault::new(item.at, why))
}

/// A duration as it is typed.
pub(super) fn span_text(item: &Item) -> Result<String, DocumentFault> {
    match &item.value {
        Value::Text(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        _ => Err(item.mismatch(tr!("a duration like \"90m\""))),
    }
}

/// A duration longer than 0.
pub(super) fn some_span(item: &Item) -> Result<Span, DocumentFault> {
    match span(item)? {
        Span(0) => Err(
            DocumentFault::new(item.at, tr!("the duration must be longer than 0"))
                .help(tr!("for no limit, leave the setting out")),
        ),
        span => Ok(span),
    }
}

/// A whole number within bounds.
pub(super) fn number(item: &Item, least: i64, most: i64) -> Result<i64, DocumentFault> {
    let number = item.integer()?;
    if (least..=most).contains(&number) {
        return Ok(number);
    }
    Err(DocumentFault::new(
        item.at,
        tr!(
            "{number} is out of range. Use {least} to {most}",
            number,
            least,
            most
        ),
    ))
}

/// The largest count.
const MOST: i64 = 1_000_000;

/// A count, min `least`.
pub(super) fn count(item: &Item, least: u32) -> Result<u32, DocumentFault> {
    let number = number(item, i64::from(least), MOST)?;
    u32::try_from(number).map_err(|_| item.mismatch(tr!("a whole number")))
}

/// A count, min 1.
pub(super) fn some_count(item: &Item) -> Result<u32, DocumentFault> {
    count(item, 1)
}

/// A decimal number in thousandths.
pub(super) fn thousandths(item: &Item) -> Result<u64, DocumentFault> {
    let text = digits(item, tr!("a number"))?;
    amounts::read_thousandths(&text).map_err(|why| DocumentFault::new(item.at, why))
}

/// Accelerators by slot, in thousandths. Also accepts `cuda.shares = 1` without quotes, which TOML reads as a
/// nested table.
pub(super) fn accelerators(item: &Item) -> Result<BTreeMap<String, u64>, DocumentFault> {
    let mut found = BTreeMap::new();
    collect(item.table()?, "", &mut found)?;
    Ok(found)
}

fn collect(
    entries: &[DocumentEntry],
    before: &str,
    found: &mut BTreeMap<String, u64>,
) -> Result<(), DocumentFault> {
    for entry in entries {
        let slot = format!("{before}{}", entry.key);
        if let Value::Table(below) = &entry.item.value {
            collect(below, &format!("{slot}."), found)?;
            continue;
        }
        amounts::check_slot(&slot).map_err(|why| DocumentFault::new(entry.at, why))?;
        let amount = thousandths(&entry.item)?;
        if found.insert(slot.clone(), amount).is_some() {
            return Err(DocumentFault::new(
                entry.at,
                tr!("{slot} is listed twice", slot),
            ));
        }
    }
    Ok(())
}

/// The digits of a number that is written as a number or as a string.
fn digits(item: &Item, expected: &str) -> Result<String, DocumentFault> {
    match &item.value {
        Value::Text(text) => Ok(text.trim().to_owned()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        _ => Err(item.mismatch(expected)),
    }
}
