//! The settings of an image that is created from a session. They are those of the session's image with a few labels:
//! the container's own settings are workbay's (its runner, its labels) and the user's (variables, also secret ones), and
//! none of them may be in an image that is pushed.
//!
//! `commit` of an engine always adds the container's settings, and Docker also keeps a copy of them that `docker
//! inspect` shows. So workbay writes the settings itself and gives them to the engine as an archive of an image whose
//! layers the engine already has.

use std::collections::BTreeMap;

use bollard::models::{ImageConfig, ImageHistoryResponseItem, ImageInspect};
use serde_json::{Map, Value, json};

use crate::{
    engine::api::Result,
    model::{digest, failure::Failure},
};

/// An image as an archive without layers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Described {
    /// The name of the file with the settings.
    pub(super) file: String,
    pub(super) config: Vec<u8>,
    pub(super) layers: usize,
}

/// What the new image is made of.
pub(super) struct Parts<'a> {
    /// The session's image.
    pub(super) base: &'a ImageInspect,
    /// What the engine reports about the layers of `base`, newest first.
    pub(super) base_history: &'a [ImageHistoryResponseItem],
    /// What the engine made of the container.
    pub(super) made: &'a ImageInspect,
    /// Labels in addition to those of `base`.
    pub(super) labels: BTreeMap<&'static str, String>,
    /// The time in RFC 3339.
    pub(super) created: String,
}

/// The settings of the new image.
pub(super) fn describe(parts: &Parts<'_>) -> Result<Described> {
    let layers = layers_of(parts.made);
    if layers.is_empty() {
        let text = tr_sent!("it doesn't report the layers of the image");
        return Err(Failure::reported(text).hint(tr_sent!("update the engine")));
    }
    let mut config = settings(parts.base.config.as_ref())?;
    let labels = config
        .entry("Labels")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(labels) = labels {
        for (name, value) in &parts.labels {
            labels.insert((*name).to_owned(), Value::String(value.clone()));
        }
    }
    let mut whole = json!({
        "architecture": parts.made.architecture,
        "os": parts.made.os,
        "created": parts.created,
        "config": config,
        "rootfs": {"type": "layers", "diff_ids": layers},
        "history": history(parts, layers.len()),
    });
    if let Some(variant) = parts.made.variant.as_ref().filter(|it| !it.is_empty()) {
        whole["variant"] = json!(variant);
    }
    let config =
        serde_json::to_vec(&whole).map_err(|error| Failure::internal(error.to_string()))?;
    Ok(Described {
        file: format!("{}.json", digest::of(&config)),
        config,
        layers: layers.len(),
    })
}

fn layers_of(image: &ImageInspect) -> Vec<String> {
    let root = image.root_fs.as_ref();
    root.and_then(|it| it.layers.clone()).unwrap_or_default()
}

/// The settings in the form of an image's file, where sets are objects with empty values.
fn settings(config: Option<&ImageConfig>) -> Result<Map<String, Value>> {
    let config = config.cloned().unwrap_or_default();
    let value =
        serde_json::to_value(&config).map_err(|error| Failure::internal(error.to_string()))?;
    let Value::Object(mut all) = value else {
        return Ok(Map::new());
    };
    all.retain(|_, value| !value.is_null());
    for set in ["ExposedPorts", "Volumes"] {
        if let Some(Value::Array(names)) = all.get(set) {
            let names = names.iter().filter_map(Value::as_str);
            let object: Map<String, Value> = names.map(|it| (it.to_owned(), json!({}))).collect();
            all.insert(set.to_owned(), Value::Object(object));
        }
    }
    Ok(all)
}

/// One entry for each layer. Those of the base are kept where they can be distinguished from entries without a layer.
fn history(parts: &Parts<'_>, layers: usize) -> Vec<Value> {
    let old = layers.saturating_sub(1);
    let known = parts.base_history;
    let with_layer = known.iter().filter(|it| it.size > 0).count();
    let mut entries: Vec<Value> = if with_layer == old && layers_of(parts.base).len() == old {
        let oldest_first = known.iter().rev();
        oldest_first
            .map(|it| {
                let created = jiff::Timestamp::from_second(it.created).unwrap_or_default();
                json!({
                    "created": created.to_string(),
                    "created_by": it.created_by,
                    "comment": it.comment,
                    "empty_layer": it.size == 0,
                })
            })
            .collect()
    } else {
        (0..old)
            .map(|_| json!({"created": parts.created, "created_by": "the image of the session"}))
            .collect()
    };
    if layers > 0 {
        entries.push(json!({
            "created": parts.created,
            "created_by": "workbay commit",
            "comment": "files that the session changed",
        }));
    }
    entries
}

/// The archive for an engine that has the layers. Docker accepts that the files of the layers are missing. Podman wants
/// them to exist, but doesn't read those of layers that it has, so they are empty (`has_files`).
pub(super) fn archive(described: &Described, reference: &str, has_files: bool) -> Result<Vec<u8>> {
    let file = |number: usize| format!("{number}/layer.tar");
    let layers: Vec<String> = (0..described.layers).map(file).collect();
    let manifest = manifest(described, reference, &layers);
    let mut tar = tar::Builder::new(Vec::new());
    append(&mut tar, &described.file, &described.config)?;
    for layer in layers.iter().filter(|_| has_files) {
        append(&mut tar, layer, &[])?;
    }
    append(&mut tar, "manifest.json", &manifest)?;
    tar.into_inner()
        .map_err(|error| Failure::internal(error.to_string()))
}

fn manifest(described: &Described, reference: &str, layers: &[String]) -> Vec<u8> {
    let manifest = json!([{
        "Config": described.file,
        "RepoTags": [reference],
        "Layers": layers,
    }]);
    manifest.to_string().into_bytes()
}

fn append(tar: &mut tar::Builder<Vec<u8>>, name: &str, content: &[u8]) -> Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    tar.append_data(&mut header, name, content)
        .map_err(|error| Failure::internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use bollard::models::ImageInspectRootFs;

    use super::*;

    fn image(layers: usize, config: ImageConfig) -> ImageInspect {
        ImageInspect {
            architecture: Some("amd64".to_owned()),
            os: Some("linux".to_owned()),
            config: Some(config),
            root_fs: Some(ImageInspectRootFs {
                typ: "layers".to_owned(),
                layers: Some((0..layers).map(|n| format!("sha256:{n}")).collect()),
            }),
            ..ImageInspect::default()
        }
    }

    fn entry(size: i64, by: &str) -> ImageHistoryResponseItem {
        ImageHistoryResponseItem {
            size,
            created_by: by.to_owned(),
            ..ImageHistoryResponseItem::default()
        }
    }

    fn of(base: &ImageInspect, made: &ImageInspect, history: &[ImageHistoryResponseItem]) -> Value {
        let parts = Parts {
            base,
            base_history: history,
            made,
            labels: [("workbay.image.base", "busybox:3".to_owned())].into(),
            created: "2026-01-01T00:00:00Z".to_owned(),
        };
        serde_json::from_slice(&describe(&parts).unwrap().config).unwrap()
    }

    #[test]
    fn only_the_settings_of_the_base_are_in_the_image() {
        let base = ImageConfig {
            env: Some(vec!["PATH=/bin".to_owned()]),
            exposed_ports: Some(vec!["80/tcp".to_owned()]),
            labels: Some([("ai.backend.resource.min.cpu".to_owned(), "2".to_owned())].into()),
            user: Some("app".to_owned()),
            ..ImageConfig::default()
        };
        let containers = ImageConfig {
            env: Some(vec!["TOKEN=hunter2".to_owned()]),
            labels: Some([("workbay.spec".to_owned(), "{}".to_owned())].into()),
            entrypoint: Some(vec!["/opt/workbay".to_owned()]),
            ..ImageConfig::default()
        };
        let made = of(&image(1, base), &image(2, containers), &[entry(5, "ADD x")]);
        assert_eq!(
            made["config"],
            json!({
                "Env": ["PATH=/bin"],
                "ExposedPorts": {"80/tcp": {}},
                "User": "app",
                "Labels": {"ai.backend.resource.min.cpu": "2", "workbay.image.base": "busybox:3"},
            })
        );
        assert!(!made.to_string().contains("hunter2"));
    }

    #[test]
    fn there_is_an_entry_for_each_layer() {
        let config = ImageConfig::default;
        let known = [entry(0, "CMD sh"), entry(7, "RUN b"), entry(5, "ADD a")];
        let made = of(&image(2, config()), &image(3, config()), &known);
        let by = |value: &Value| -> Vec<String> {
            let all = value["history"].as_array().unwrap();
            all.iter()
                .map(|it| it["created_by"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(by(&made), ["ADD a", "RUN b", "CMD sh", "workbay commit"]);
        // A layer that adds nothing can't be distinguished from an entry without a layer.
        let made = of(&image(3, config()), &image(4, config()), &known);
        let full = made["history"].as_array().unwrap();
        let full = full.iter().filter(|it| it["empty_layer"] != true).count();
        assert_eq!(full, 4);
    }

    #[test]
    fn an_image_without_layers_is_refused() {
        let (base, made) = (
            image(1, ImageConfig::default()),
            image(0, ImageConfig::default()),
        );
        let parts = Parts {
            base: &base,
            base_history: &[],
            made: &made,
            labels: BTreeMap::new(),
            created: String::new(),
        };
        assert!(describe(&parts).is_err());
    }
}
