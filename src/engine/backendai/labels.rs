//! The labels of an image. Pure.

use serde_json::Value;

use super::blob::Node;
use crate::model::{session::Service, text::Clean};

/// `[{"key", "value"}]`.
pub(super) struct Labels<'a>(pub(super) &'a [Value]);

impl<'a> Labels<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&'a str> {
        let mut found = self
            .0
            .iter()
            .map(Node::new)
            .filter(|label| label.str("key") == Some(key));
        found.next()?.str("value")
    }
}

/// `jupyter:http:8080,webdemo:preopen:8000`; several ports as `[8000,8001]`.
pub(super) fn services(label: &str) -> Vec<Service> {
    let mut services: Vec<Service> = Vec::new();
    let mut rest = label;
    while let Some((name, tail)) = rest.split_once(':') {
        let Some((protocol, tail)) = tail.split_once(':') else {
            break;
        };
        let end = if tail.starts_with('[') {
            tail.find(']').map_or(tail.len(), |at| at + 1)
        } else {
            tail.find(',').unwrap_or(tail.len())
        };
        let ports = tail[..end].split(|c: char| !c.is_ascii_digit());
        services.push(Service {
            name: Clean::new(name.trim_start_matches([',', ' '])),
            protocol: Clean::new(protocol),
            ports: ports.filter_map(|port| port.parse().ok()).collect(),
        });
        rest = &tail[end..];
    }
    services
}
