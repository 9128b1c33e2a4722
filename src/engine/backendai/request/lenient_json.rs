//! Reads the JSON of a manager without ever failing: JSON inside strings, numbers as strings,
//! `Infinity`, `NaN` and null. Pure.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use crate::model::{
    resources::{Bytes, Cpu, ResourceSlots},
    status::Status,
    text::Clean,
};

/// An object of an answer, read field by field. A field that is missing, null or of another type is
/// `None`, never an error.
#[derive(Clone, Copy)]
pub(in crate::engine::backendai) struct Node<'a>(&'a Value);

impl<'a> Node<'a> {
    pub(in crate::engine::backendai) fn new(value: &'a Value) -> Self {
        Self(value)
    }

    pub(in crate::engine::backendai) fn raw(self, field: &str) -> &'a Value {
        self.0.get(field).unwrap_or(&Value::Null)
    }

    pub(in crate::engine::backendai) fn node(self, field: &str) -> Self {
        Self(self.raw(field))
    }

    pub(in crate::engine::backendai) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// A string that isn't empty.
    pub(in crate::engine::backendai) fn text(self, field: &str) -> Option<Clean> {
        let text = Clean::new(self.str(field)?);
        (!text.is_empty()).then_some(text)
    }

    pub(in crate::engine::backendai) fn str(self, field: &str) -> Option<&'a str> {
        self.raw(field).as_str()
    }

    pub(in crate::engine::backendai) fn flag(self, field: &str) -> Option<bool> {
        self.raw(field).as_bool()
    }

    /// A whole number, also from a string.
    pub(in crate::engine::backendai) fn int(self, field: &str) -> Option<i64> {
        let number = number(self.raw(field))?;
        (number.abs() < 9.0e15).then_some(number as i64)
    }

    /// A number, also from a string; neither infinite nor NaN.
    pub(in crate::engine::backendai) fn number(self, field: &str) -> Option<f64> {
        number(self.raw(field))
    }

    pub(in crate::engine::backendai) fn time(self, field: &str) -> Option<Timestamp> {
        time(self.str(field)?)
    }

    /// A status. A missing one is read as unknown.
    pub(in crate::engine::backendai) fn status(self, field: &str) -> Status {
        Status::from(self.str(field).unwrap_or("UNKNOWN"))
    }

    pub(in crate::engine::backendai) fn list(self, field: &str) -> &'a [Value] {
        self.raw(field).as_array().map_or(&[], Vec::as_slice)
    }

    /// The strings of a list. Other values are left out.
    pub(in crate::engine::backendai) fn texts(self, field: &str) -> Vec<Clean> {
        let texts = self.list(field).iter().filter_map(Value::as_str);
        texts
            .map(Clean::new)
            .filter(|text| !text.is_empty())
            .collect()
    }

    /// The nodes of a Relay connection.
    pub(in crate::engine::backendai) fn edges(
        self,
        field: &str,
    ) -> impl Iterator<Item = &'a Value> + use<'a> {
        let edges = self.node(field).list("edges");
        edges
            .iter()
            .filter_map(|edge| edge.get("node"))
            .filter(|node| !node.is_null())
    }

    /// JSON that may be inside a string.
    pub(in crate::engine::backendai) fn blob(self, field: &str) -> Value {
        unfold(self.raw(field))
    }
}

/// A value, or the JSON inside a string; null if the string isn't JSON.
pub(in crate::engine::backendai) fn unfold(value: &Value) -> Value {
    match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        other => other.clone(),
    }
}

/// A number, also from a string; neither infinite nor NaN.
pub(in crate::engine::backendai) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// ISO 8601 with an offset; a time without one is UTC.
pub(in crate::engine::backendai) fn time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    text.parse().ok().or_else(|| {
        let local: jiff::civil::DateTime = text.parse().ok()?;
        Some(local.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
    })
}

/// Bytes from a number, a string with a number, or `1g`.
pub(in crate::engine::backendai) fn bytes(value: &Value) -> Option<Bytes> {
    if let Some(number) = number(value) {
        return (0.0..9.0e15)
            .contains(&number)
            .then(|| Bytes(number.round() as u64));
    }
    value.as_str()?.parse().ok()
}

/// Thousandths; `None` for a negative amount.
fn thousandths(value: &Value) -> Option<u64> {
    let number = number(value)?;
    (0.0..1.0e15)
        .contains(&number)
        .then(|| (number * 1000.0).round() as u64)
}

/// `{"cpu":"4","mem":"8589934592","cuda.shares":"0.5"}`; invalid amounts are left out.
pub(in crate::engine::backendai) fn slots(blob: &Value) -> ResourceSlots {
    let mut slots = ResourceSlots::default();
    for (name, value) in blob.as_object().into_iter().flatten() {
        match name.as_str() {
            "cpu" => slots.cpu = Cpu::from_millis(thousandths(value).unwrap_or(0)),
            "mem" => slots.mem = bytes(value).unwrap_or_default(),
            _ => drop(put(&mut slots.accelerators, name, value)),
        }
    }
    slots
}

/// Adds an accelerator's amount. Zero is left out, because a manager lists all kinds that it knows.
fn put(accelerators: &mut BTreeMap<String, u64>, name: &str, value: &Value) -> Option<u64> {
    let amount = thousandths(value).filter(|amount| *amount > 0)?;
    accelerators.insert(Clean::new(name).into_string(), amount)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn slots_are_decimal_texts() {
        let read = slots(&json!({
            "cpu": "1.5", "mem": "268435456", "cuda.shares": "0.5", "rocm.device": "0",
            "tpu.device": "Infinity", "odd": null
        }));
        assert_eq!(read.cpu, Cpu::from_millis(1500));
        assert_eq!(read.mem, Bytes::mib(256));
        assert_eq!(
            read.accelerators,
            BTreeMap::from([("cuda.shares".to_owned(), 500)])
        );
        assert_eq!(slots(&Value::Null), ResourceSlots::default());
        assert_eq!(slots(&json!({"cpu": 2, "mem": "1g"})).mem, Bytes(1 << 30));
    }

    #[test]
    fn nothing_is_an_error() {
        let value = json!({"a": "", "b": 7, "c": "{\"x\": 1}", "d": "NaN", "e": "{half"});
        let node = Node::new(&value);
        assert_eq!(node.text("a"), None);
        assert_eq!(node.text("b"), None);
        assert_eq!(node.blob("c"), json!({"x": 1}));
        assert_eq!(node.number("d"), None);
        assert_eq!(node.blob("e"), Value::Null);
        assert_eq!(node.node("no").node("such").text("thing"), None);
        assert_eq!(node.list("b"), &[] as &[Value]);
    }

    #[test]
    fn times_with_and_without_an_offset() {
        let expected: Timestamp = "2026-11-21T12:23:57.764848Z".parse().unwrap();
        assert_eq!(time("2026-11-21T12:23:57.764848+00:00"), Some(expected));
        assert_eq!(time("2026-11-21T21:23:57.764848+09:00"), Some(expected));
        assert_eq!(time("2026-11-21 12:23:57.764848"), Some(expected));
        assert_eq!(time("soon"), None);
    }
}
