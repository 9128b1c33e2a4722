//! The limits of a user and what is left of them. Pure.

use serde_json::{Map, Value};

use crate::engine::backendai::request::lenient_json::{Node, bytes, number, slots};
use crate::model::{
    catalogue::{Limits, SlotLimits},
    resources::Cpu,
    text::Clean,
};

/// What is left is the lesser of the key pair's and the project's rest. `NaN` means that it isn't
/// reported.
pub(in crate::engine::backendai) fn read_limits(checked: Node<'_>) -> Limits {
    let lower_of = |what: &str| {
        let mut lower = limits(checked.raw(&format!("keypair_{what}")));
        lower.tighten(&limits(checked.raw(&format!("group_{what}"))));
        lower
    };
    Limits {
        limits: lower_of("limits"),
        using: slots(checked.raw("keypair_using")),
        remaining: lower_of("remaining"),
    }
}

/// Reads finite amounts only. A slot without a limit is left out.
fn limits(blob: &Value) -> SlotLimits {
    let mut limits = SlotLimits::default();
    let empty = Map::new();
    for (name, value) in blob.as_object().unwrap_or(&empty) {
        let Some(amount) = number(value).filter(|n| (0.0..9.0e12).contains(n) || name == "mem")
        else {
            continue;
        };
        let thousandths = (amount.max(0.0) * 1000.0).round() as u64;
        match name.as_str() {
            "cpu" => limits.cpu = Some(Cpu::from_millis(thousandths)),
            "mem" => limits.mem = bytes(value),
            _ => {
                let name = Clean::new(name).into_string();
                limits.accelerators.insert(name, thousandths);
            }
        }
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::resources::Bytes;
    use serde_json::json;

    #[test]
    fn limits_are_the_lesser_and_infinity_is_none() {
        let checked = json!({
            "keypair_remaining": {"cpu": "Infinity", "mem": "1073741824", "cuda.shares": "2"},
            "group_remaining": {"cpu": "3.5", "mem": "NaN", "cuda.shares": "0.5"},
            "keypair_using": {"cpu": "2.000000", "mem": "536870912.000000"}
        });
        let limits = read_limits(Node::new(&checked));
        assert_eq!(limits.remaining.cpu, Some(Cpu::from_millis(3500)));
        assert_eq!(limits.remaining.mem, Some(Bytes(1 << 30)));
        assert_eq!(limits.remaining.accelerators["cuda.shares"], 500);
        assert_eq!(limits.limits, SlotLimits::default());
        assert_eq!(limits.using.cpu, Cpu::from_millis(2000));
    }
}
