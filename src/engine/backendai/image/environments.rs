//! Images, grouped into environments and versions.

use std::cmp::Reverse;

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{image_labels::Labels, reference::Reference};
use crate::engine::backendai::{
    BackendAiEngine,
    connect::connection::ManagerConnection,
    request::{
        gql::Schema,
        lenient_json::{Node, bytes, slots},
    },
};
use crate::{
    engine::api::{Images, Input, Result},
    model::{
        environment::{Customized, Environment, EnvironmentSource, ImageFacts, SessionUser},
        failure::Failure,
        image,
        own_image::{ImageProgress, StoredImage},
        resources::Bytes,
        text::Clean,
    },
};

/// The query for images. `installed: true` limits it to installed ones.
const QUERY: &str = "query($installed: Boolean) { images(is_installed: $installed, load_filters: \
                     [\"general\", \"operational\", \"customized\"]) { name tag registry \
                     architecture size_bytes is_local installed labels { key value } \
                     resource_limits { key min } supported_accelerators } }";

/// Which images are local. All images are read only if there are local ones or no installed ones.
const LOCAL: &str = "query { images(load_filters: [\"general\", \"operational\", \"customized\"]) { \
                     is_local installed } }";

/// The heading of images without a heading of their own.
const CUSTOM: &str = tr_sent!("Custom Environments");

#[async_trait]
impl Images for BackendAiEngine {
    async fn environments(&self) -> Result<Vec<Environment>> {
        let connection = self.core.connection().await?;
        let (images, local) = tokio::join!(connection.images(Some(true)), connection.has_local());
        let mut images = images?;
        if images.is_empty() || local {
            // Images that exist only on agents ("local") don't count as installed.
            let all = connection.images(None).await?.into_iter();
            images.extend(all.filter(|image| Node::new(image).flag("is_local").unwrap_or(false)));
        }
        let environments = group(&images, connection.me.id.as_str());
        self.core.know_environments(&environments);
        Ok(environments)
    }

    async fn stored_images(&self) -> Result<Vec<StoredImage>> {
        let environments = self.environments().await?;
        let mut all: Vec<StoredImage> = environments.iter().filter_map(stored).collect();
        all.sort_by_cached_key(|it| (!it.mine, it.name.is_none(), it.reference.clone()));
        Ok(all)
    }

    async fn remove_image(&self, reference: &str) -> Result<()> {
        self.core.connection().await?.forget_own(reference).await
    }

    async fn export_image(&self, _: &str) -> Result<BoxStream<'static, Result<bytes::Bytes>>> {
        Err(keeps_images(tr_sent!(
            "images of a Backend.AI context can't be exported: they are in the registry of the cluster"
        )))
    }

    async fn import_image(
        &self,
        _: mpsc::Receiver<Input>,
    ) -> Result<BoxStream<'static, Result<ImageProgress>>> {
        Err(keeps_images(tr_sent!(
            "images of a Backend.AI context can't be imported: they are in the registry of the cluster"
        )))
    }

    async fn push_image(
        &self,
        _: &str,
        _: &str,
    ) -> Result<BoxStream<'static, Result<ImageProgress>>> {
        Err(keeps_images(tr_sent!(
            "images of a Backend.AI context can't be pushed: they are in the registry of the cluster"
        )))
    }
}

fn keeps_images(text: &str) -> Failure {
    Failure::unsupported(text).hint(tr_sent!("ask its administrator for access to the registry"))
}

/// An image as a row of the list of images.
fn stored(environment: &Environment) -> Option<StoredImage> {
    let EnvironmentSource::Image { reference } = &environment.source else {
        return None;
    };
    let own = environment.facts.customized.as_ref();
    Some(StoredImage {
        reference: reference.clone(),
        id: None,
        name: own.map(|it| it.name.clone()),
        mine: own.is_some_and(|it| it.owner.is_none()),
        owner: own.and_then(|it| it.owner.clone()),
        size: environment.size,
        created_at: None,
        base: None,
        used_by: Vec::new(),
    })
}

/// The images that were created from the user's sessions.
const OWN: &str = "query { customized_images { id name tag registry architecture } }";
const UNTAG: &str =
    "mutation($id: String!) { untag_image_from_registry(image_id: $id) { ok msg } }";
const FORGET: &str = "mutation($id: String!) { forget_image_by_id(image_id: $id) { ok msg } }";

impl ManagerConnection {
    /// Removes an own image from the registry and from the manager's list, as the WebUI does.
    async fn forget_own(&self, reference: &str) -> Result<()> {
        let data = self.http.ask(Schema::One, OWN, json!({})).await?;
        let all = Node::new(&data).list("customized_images").iter();
        let is_it = |image: &&Value| {
            let found = Reference::of_image(Node::new(image));
            found.is_some_and(|it| it.image() == reference)
        };
        let found = all.filter(is_it).find_map(|it| it["id"].as_str());
        let Some(id) = found else {
            let text =
                tr_sent!("only images that were created from your sessions can be removed here");
            return Err(
                Failure::refused(text).hint(tr_sent!("`workbay image ls --mine` lists them"))
            );
        };
        for (mutation, field) in [
            (UNTAG, "untag_image_from_registry"),
            (FORGET, "forget_image_by_id"),
        ] {
            let data = self
                .http
                .ask(Schema::One, mutation, json!({"id": id}))
                .await?;
            if data[field]["ok"].as_bool() != Some(true) {
                let why = data[field]["msg"].as_str().unwrap_or_default();
                return Err(
                    Failure::refused(tr_sent!("the manager didn't remove the image"))
                        .because(why)
                        .hint(tr_sent!("ask the administrator of the cluster")),
                );
            }
        }
        Ok(())
    }

    /// Whether there are images that aren't in any registry. A failed query counts as none.
    async fn has_local(&self) -> bool {
        let data = self.http.ask(Schema::One, LOCAL, json!({})).await;
        let data = data.unwrap_or(Value::Null);
        let images = Node::new(&data).list("images").iter().map(Node::new);
        images
            .filter(|image| image.flag("is_local") == Some(true))
            .any(|image| image.flag("installed") != Some(true))
    }

    async fn images(&self, installed: Option<bool>) -> Result<Vec<Value>> {
        let variables = json!({"installed": installed});
        let mut data = self.http.ask(Schema::One, QUERY, variables).await?;
        Ok(match data["images"].take() {
            Value::Array(images) => images,
            _ => Vec::new(),
        })
    }
}

/// Environments by name, their versions newest first. Images that were made from sessions come
/// last, and other users' ones after our own, because the first environment is the default of a
/// launch.
fn group(images: &[Value], me: &str) -> Vec<Environment> {
    let mut all: Vec<Environment> = images
        .iter()
        .filter_map(|image| one(Node::new(image), me))
        .collect();
    all.sort_by_cached_key(|environment| {
        let customized = environment.facts.customized.as_ref();
        (
            customized.map(|it| it.owner.is_some()),
            environment.name.clone(),
            Reverse(image::version_numbers(environment.version.as_str())),
            environment.version.clone(),
            environment.facts.architecture.clone(),
        )
    });
    // The manager may list a local image twice.
    all.dedup();
    distinguish_architectures(&mut all);
    all
}

/// The name of an image that was made from a session, and its author if it is another user.
fn customized(tag: &str, labels: &Labels<'_>, me: &str) -> Option<Customized> {
    let marked = tag.split('-').any(image::is_customized);
    let name = labels.get(image::OWN_NAME);
    if name.is_none() && !marked {
        return None;
    }
    let owner = labels.get(image::OWN_OWNER);
    let owner = owner.map(|owner| owner.trim_start_matches("user:"));
    let others = owner.is_some_and(|owner| owner != me);
    let by = || labels.get(image::OWN_EMAIL).or(owner).map(Clean::new);
    Some(Customized {
        name: Clean::new(name.unwrap_or_default()),
        owner: by().filter(|_| others),
    })
}

/// Reads an image that a compute session can run; `None` for system and service images.
fn one(node: Node<'_>, me: &str) -> Option<Environment> {
    let reference = Reference::of_image(node)?;
    let labels = Labels(node.list("labels"));
    if !image::is_for_sessions(labels.get(image::FEATURES), labels.get(image::ROLE)) {
        return None;
    }
    let limits = node.list("resource_limits");
    let customized = customized(&reference.tag, &labels, me);
    let is_mine = customized.as_ref().is_some_and(|it| it.owner.is_none());
    let group = if is_mine {
        image::MY_ENVIRONMENTS
    } else {
        CUSTOM
    };
    Some(Environment {
        name: Clean::new(&reference.name),
        version: Clean::new(&reference.tag),
        source: EnvironmentSource::Image {
            reference: reference.image(),
        },
        size: node
            .int("size_bytes")
            .and_then(|n| n.try_into().ok())
            .map(Bytes),
        unavailable: None,
        absent: false,
        facts: ImageFacts {
            customized,
            known_as: None,
            about: None,
            architecture: reference.architecture.as_deref().map(Clean::new),
            group: Some(Clean::new(group)),
            chips: image::chips(&reference.tag, labels.get(image::OWN_NAME)),
            minimum: minimum(limits, &labels),
            accelerators: accelerators(node),
            user: SessionUser::Work,
            services: labels
                .get(image::SERVICE_PORTS)
                .map(image::services)
                .unwrap_or_default(),
            apps: Vec::new(),
            digests: Vec::new(),
        },
    })
}

/// Reads `resource_limits`, else the labels of old images.
fn minimum(limits: &[Value], labels: &Labels<'_>) -> crate::model::resources::ResourceSlots {
    let mut blob = serde_json::Map::new();
    for limit in limits.iter().map(Node::new) {
        if let Some(key) = limit.str("key") {
            blob.insert(key.to_owned(), limit.raw("min").clone());
        }
    }
    for slot in ["cpu", "mem"] {
        let label = labels.get(&format!("ai.backend.resource.min.{slot}"));
        if let (None, Some(value)) = (blob.get(slot), label) {
            blob.insert(slot.to_owned(), json!(value));
        }
    }
    if let Some(Bytes(mem)) = blob.get("mem").and_then(bytes) {
        blob.insert("mem".to_owned(), json!(mem));
    }
    slots(&Value::Object(blob))
}

/// Kinds of accelerators; `*` means any.
fn accelerators(image: Node<'_>) -> Vec<Clean> {
    let kinds = image.texts("supported_accelerators");
    if kinds.iter().any(|kind| *kind == "*") {
        return Vec::new();
    }
    kinds
}

/// Tells versions apart that have the same tag for several architectures.
fn distinguish_architectures(all: &mut [Environment]) {
    // The list is sorted, so equal versions are neighbors.
    let same = |a: &Environment, b: &Environment| a.name == b.name && a.version == b.version;
    let twins: Vec<bool> = (0..all.len())
        .map(|n| {
            let before = n > 0 && same(&all[n - 1], &all[n]);
            before || all.get(n + 1).is_some_and(|next| same(&all[n], next))
        })
        .collect();
    for (environment, _) in all.iter_mut().zip(twins).filter(|(_, twin)| *twin) {
        let (EnvironmentSource::Image { reference }, Some(architecture)) =
            (&mut environment.source, &environment.facts.architecture)
        else {
            continue;
        };
        environment.version = Clean::new(&format!("{}@{architecture}", environment.version));
        *reference = format!("{reference}@{architecture}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(name: &str, tag: &str, arch: &str, labels: Value) -> Value {
        json!({"name": name, "tag": tag, "registry": "cr", "architecture": arch,
            "size_bytes": 308_705_259, "labels": labels, "supported_accelerators": ["*"],
            "resource_limits": [{"key": "mem", "min": "128m", "max": "Infinity"},
                                {"key": "cpu", "min": "1", "max": null}]})
    }

    #[test]
    fn versions_of_an_environment_newest_first() {
        let images = [
            image("stable/python", "3.9-ubuntu20.04", "x86_64", json!([])),
            image(
                "stable/python",
                "3.11-debian12-cuda12.1",
                "x86_64",
                json!([]),
            ),
            image("stable/r", "4", "x86_64", json!([])),
            image("stable/r", "4", "aarch64", json!([])),
            image(
                "stable/sftp",
                "1",
                "x86_64",
                json!([{"key": "ai.backend.role", "value": "SYSTEM"}]),
            ),
            image(
                "stable/x",
                "1",
                "x86_64",
                json!([{"key": "ai.backend.features", "value": "batch private"}]),
            ),
            json!({"tag": "nameless"}),
        ];
        let all = group(&images, "me");
        let labels: Vec<String> = all.iter().map(Environment::label).collect();
        assert_eq!(
            labels,
            [
                "cr/stable/python:3.11-debian12-cuda12.1",
                "cr/stable/python:3.9-ubuntu20.04",
                "cr/stable/r:4@aarch64",
                "cr/stable/r:4@x86_64",
            ]
        );
        assert_eq!(
            all[0].facts.chips,
            ["debian12", "cuda12.1"].map(Clean::from)
        );
        assert_eq!(all[0].facts.minimum.mem, Bytes::mib(128));
        assert!(all[0].facts.accelerators.is_empty());
    }

    #[test]
    fn labels_give_services_and_names_of_own_images() {
        let labels = json!([
            {"key": "ai.backend.service-ports", "value": "jupyter:http:8080, x:tcp:[80,81],y:preopen:9"},
            {"key": "ai.backend.customized-image.name", "value": "mine"}
        ]);
        let all = group(
            &[image(
                "stable/python",
                "3-customized_ab12",
                "x86_64",
                labels,
            )],
            "me",
        );
        let facts = &all[0].facts;
        let names: Vec<_> = facts
            .services
            .iter()
            .map(|s| (s.name.as_str(), s.ports.clone()))
            .collect();
        assert_eq!(
            names,
            [("jupyter", vec![8080]), ("x", vec![80, 81]), ("y", vec![9])]
        );
        assert_eq!(facts.chips, [Clean::from("Customized: mine")]);
    }

    #[test]
    fn images_of_sessions_come_last_each_by_its_name() {
        let own = |hex: &str, name: &str, owner: &str| {
            let labels = json!([
                {"key": "ai.backend.customized-image.name", "value": name},
                {"key": "ai.backend.customized-image.owner", "value": format!("user:{owner}")},
                {"key": "ai.backend.customized-image.user.email", "value": format!("{owner}@x")}
            ]);
            image(
                "a/python",
                &format!("3-py311-customized_{hex}"),
                "x86_64",
                labels,
            )
        };
        let plain = image("z/python", "3", "x86_64", json!([]));
        let all = group(
            &[own("1", "theirs", "other"), own("2", "mine", "me"), plain],
            "me",
        );
        let names: Vec<_> = all
            .iter()
            .map(|it| it.facts.customized.as_ref())
            .map(|it| it.map(|it| (it.name.as_str(), it.owner.as_ref().map(Clean::as_str))))
            .collect();
        let expected = [
            None,
            Some(("mine", None)),
            Some(("theirs", Some("other@x"))),
        ];
        assert_eq!(names, expected);
        assert_eq!(
            all[1].facts.chips,
            ["Customized: mine", "py311"].map(Clean::from)
        );
        let found = crate::rules::resolve::find(&all, "mine");
        assert_eq!(found, Some(&all[1]));
    }

    #[test]
    fn fuzz_manager_images() {
        crate::fuzz::parser("manager-images", &[], |bytes, _| {
            if let Ok(images) = serde_json::from_slice::<Vec<Value>>(bytes) {
                crate::fuzz::bounded(bytes, &group(&images, "me"));
            }
        });
    }
}
