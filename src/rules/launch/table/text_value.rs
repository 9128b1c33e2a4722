//! How the values of fields are read and written.

use super::{TextValue, ValueKind};
use crate::model::{ports, priority, start_time};

/// A field that is any text.
macro_rules! word {
    ($field:ident) => {
        $crate::rules::launch::table::TextValue {
            kind: $crate::rules::launch::table::ValueKind::Text,
            read: |request, text, _| {
                request.$field = Some(text.to_owned());
                Ok(())
            },
            clear: |request| request.$field = None,
            write: |request| request.$field.clone(),
        }
    };
}

/// A field with a type that reads text.
macro_rules! value {
    ($field:ident: $kind:ident, $write:expr) => {
        $crate::rules::launch::table::TextValue {
            kind: $crate::rules::launch::table::ValueKind::$kind,
            read: |request, text, _| {
                request.$field = Some(text.parse()?);
                Ok(())
            },
            clear: |request| request.$field = None,
            write: |request| request.$field.as_ref().map($write),
        }
    };
}

pub(super) const START_TIME: TextValue = TextValue {
    kind: ValueKind::Text,
    read: |request, text, reading| {
        request.starts_at = Some(start_time::read(text, reading.now, reading.zone)?);
        Ok(())
    },
    clear: |request| request.starts_at = None,
    write: |request| request.starts_at.map(|start| start.to_string()),
};

pub(super) const PRIORITY: TextValue = TextValue {
    kind: ValueKind::Priority,
    read: |request, text, _| {
        request.priority = Some(priority::parse(text)?);
        Ok(())
    },
    clear: |request| request.priority = None,
    write: |request| request.priority.map(|it| it.to_string()),
};

pub(super) const COUNT: TextValue = TextValue {
    kind: ValueKind::Count,
    read: |request, text, _| {
        request.count = Some(whole(text)?);
        Ok(())
    },
    clear: |request| request.count = None,
    write: |request| request.count.map(|it| it.to_string()),
};

pub(super) const CLUSTER_SIZE: TextValue = TextValue {
    kind: ValueKind::Count,
    read: |request, text, _| {
        request.cluster_size = Some(whole(text)?);
        Ok(())
    },
    clear: |request| request.cluster_size = None,
    write: |request| request.cluster_size.map(|it| it.to_string()),
};

pub(super) const PREOPEN_PORTS: TextValue = TextValue {
    kind: ValueKind::Ports,
    read: |request, text, _| {
        request.preopen_ports = ports::read(text)?;
        Ok(())
    },
    clear: |request| request.preopen_ports.clear(),
    write: |request| {
        let ports = ports::write(&request.preopen_ports).replace(", ", ",");
        (!ports.is_empty()).then_some(ports)
    },
};

fn whole(text: &str) -> Result<u32, String> {
    let number = text.trim().parse();
    number.map_err(|_| tr!("invalid number '{text}'. Use a whole number like 2", text))
}

pub(super) use {value, word};
