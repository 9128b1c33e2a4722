//! Images to and from files and registries.

use std::{collections::HashMap, time::Duration};

use bollard::{
    errors::Error,
    models::{BuildInfo, PushImageInfo},
    query_parameters::{
        ImportImageOptions, PushImageOptionsBuilder, RemoveImageOptions, TagImageOptionsBuilder,
    },
};
use bytes::Bytes as Chunk;
use futures_util::{StreamExt as _, stream, stream::BoxStream};
use tokio::sync::mpsc;

use crate::{
    engine::{
        api::{Input, Result},
        docker::{
            DockerEngine,
            connect::{connection::EngineConnection, quirks::ContainerProgram},
            image::{pull, registry_login},
        },
    },
    model::{failure::Failure, own_image::ImageProgress, reference, text::Clean},
};

/// The longest time until an engine answers.
const PATIENCE: Duration = Duration::from_secs(6 * 60 * 60);

type Progress = BoxStream<'static, Result<ImageProgress>>;

impl DockerEngine {
    /// The image with all its layers as an archive, as `docker save` makes it.
    pub(in crate::engine::docker) async fn save_image(
        &self,
        reference: &str,
    ) -> Result<BoxStream<'static, Result<Chunk>>> {
        let connection = self.connection().await?;
        // An engine begins an archive before it looks for the image.
        let found = connection.docker.inspect_image(reference).await;
        found.map_err(|error| connection.fault(error))?;
        let url = reference.to_owned();
        let bytes = patient(&connection).export_image(&url);
        let pieces = bytes.map(move |piece| piece.map_err(|error| connection.fault(error)));
        Ok(pieces.boxed())
    }

    /// Takes an archive. An input that ends without [`Input::Eof`] cancels it, and the engine keeps nothing of it.
    pub(in crate::engine::docker) async fn load_image(
        &self,
        input: mpsc::Receiver<Input>,
    ) -> Result<Progress> {
        let connection = self.connection().await?;
        let body = stream::unfold((input, false), |(mut input, over)| async move {
            if over {
                return None;
            }
            loop {
                return match input.recv().await {
                    Some(Input::Bytes(bytes)) => Some((Ok(bytes), (input, false))),
                    Some(Input::Resize { .. }) => continue,
                    Some(Input::Eof) => None,
                    None => {
                        let error = std::io::Error::other("the client ended");
                        Some((Err(error), (input, true)))
                    }
                };
            }
        });
        let options = ImportImageOptions::default();
        let said = patient(&connection)
            .import_image_stream(options, body, None)
            .boxed();
        let mut images: Vec<Clean> = Vec::new();
        let mut over = false;
        let steps = said.map(Some).chain(stream::once(async { None }));
        let progress = steps.filter_map(move |step| {
            let next = if over {
                None
            } else {
                match step {
                    Some(Ok(info)) => {
                        images.extend(loaded(&info));
                        info.progress_detail.as_ref().map(|detail| {
                            Ok(progress(
                                tr_sent!("reading the layers"),
                                detail.current,
                                detail.total,
                            ))
                        })
                    }
                    Some(Err(error)) => {
                        over = true;
                        Some(Err(not_loaded(error, |error| connection.fault(error))))
                    }
                    None if images.is_empty() => Some(Err(no_image(tr_sent!("it holds no image")))),
                    None => Some(Ok(ImageProgress {
                        images: std::mem::take(&mut images),
                        ..progress("imported", None, None)
                    })),
                }
            };
            async move { next }
        });
        Ok(progress.boxed())
    }

    /// Sends the image to a registry as `target`.
    pub(in crate::engine::docker) async fn push_stored(
        &self,
        source: &str,
        target: &str,
    ) -> Result<Progress> {
        let connection = self.connection().await?;
        let target = reference::with_tag(target);
        reference::check(&target).map_err(Failure::usage)?;
        let found = connection.docker.inspect_image(source).await;
        let found = found.map_err(|error| connection.fault(error))?;
        let is_podman = connection.quirks.kind == ContainerProgram::Podman;
        let login = registry_login::find(reference::registry(&target), is_podman).await?;
        let (repository, tag) = target.rsplit_once(':').ok_or_else(|| {
            let usage = Failure::usage(tr_sent!("a push needs a name and a tag"));
            usage.hint(tr_sent!("name the target as REGISTRY/NAME:TAG"))
        })?;
        let tags = found.repo_tags.unwrap_or_default();
        let was_named = tags.iter().any(|tag| reference::is_same(tag, &target));
        let names = TagImageOptionsBuilder::default().repo(repository).tag(tag);
        let named = connection.docker.tag_image(source, Some(names.build()));
        named.await.map_err(|error| connection.fault(error))?;
        let options = PushImageOptionsBuilder::default().tag(tag).build();
        let credentials = login.as_ref().map(|it| it.credentials.clone());
        let said = patient(&connection)
            .push_image(repository, Some(options), credentials)
            .boxed();
        // The name is only needed while the engine sends.
        let guard = (!was_named).then(|| Untag(connection.docker.clone(), target.clone()));
        let from = login.map(|it| it.from);
        let steps = said.map(Some).chain(stream::once(async { None }));
        let (mut layers, mut over) = (Layers::default(), false);
        let progress = steps.filter_map(move |step| {
            let _held = &guard;
            let next = if over {
                None
            } else {
                match step {
                    Some(Ok(info)) => layers.take(&info).map(Ok),
                    Some(Err(error)) => {
                        over = true;
                        Some(Err(match error {
                            Error::DockerResponseServerError { message: said, .. }
                            | Error::DockerStreamError { error: said } => pull::not_pushed(
                                &said,
                                &target,
                                connection.quirks.kind,
                                from.as_deref(),
                            ),
                            other => connection.fault(other),
                        }))
                    }
                    None => Some(Ok(ImageProgress {
                        images: vec![Clean::new(&target)],
                        ..layers.figures("pushed")
                    })),
                }
            };
            async move { next }
        });
        Ok(progress.boxed())
    }
}

/// The engine may answer only when it has read the whole archive.
fn patient(connection: &EngineConnection) -> bollard::Docker {
    connection.docker.clone().with_timeout(PATIENCE)
}

/// Takes a name from an image when it is dropped.
struct Untag(bollard::Docker, String);

impl Drop for Untag {
    fn drop(&mut self) {
        let (docker, name) = (self.0.clone(), self.1.clone());
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let options = None::<RemoveImageOptions>;
                if let Err(error) = docker.remove_image(&name, options, None).await {
                    tracing::warn!(%name, %error, "the name of a push is kept");
                }
            });
        }
    }
}

/// The layers of a push, by their ids.
#[derive(Default)]
struct Layers(HashMap<String, (u64, u64)>);

impl Layers {
    fn take(&mut self, info: &PushImageInfo) -> Option<ImageProgress> {
        let detail = info.progress_detail.as_ref()?;
        let total = positive(detail.total)?;
        let done = positive(detail.current).unwrap_or(0).min(total);
        // Without an id, a layer is known by its size.
        self.0.insert(total.to_string(), (done, total));
        Some(self.figures(tr_sent!("pushing the layers")))
    }

    fn figures(&self, what: &str) -> ImageProgress {
        ImageProgress {
            what: Clean::new(what),
            done: self.0.values().map(|(done, _)| done).sum(),
            total: self.0.values().map(|(_, total)| total).sum(),
            images: Vec::new(),
        }
    }
}

fn positive(number: Option<i64>) -> Option<u64> {
    number
        .and_then(|it| u64::try_from(it).ok())
        .filter(|it| *it > 0)
}

fn progress(what: &str, done: Option<i64>, total: Option<i64>) -> ImageProgress {
    ImageProgress {
        what: Clean::new(what),
        done: positive(done).unwrap_or(0),
        total: positive(total).unwrap_or(0),
        images: Vec::new(),
    }
}

/// The names in `Loaded image: busybox:3`, or the id of an image without a name.
fn loaded(info: &BuildInfo) -> Vec<Clean> {
    let text = info.stream.as_deref().unwrap_or_default();
    let names = text.lines().filter_map(|line| {
        let after = line.trim().strip_prefix("Loaded image")?;
        let (_, name) = after.split_once(": ")?;
        Some(Clean::new(name.trim()))
    });
    names.collect()
}

/// What an engine says of archives that it can't read.
const FOREIGN: [&str; 7] = [
    "docker-import-",
    "manifest.json",
    "invalid tar header",
    "unexpected eof",
    "archive/tar",
    "payload does not match any of the supported image formats",
    "invalid character",
];

fn not_loaded(error: Error, fault: impl FnOnce(Error) -> Failure) -> Failure {
    let said = match &error {
        Error::DockerResponseServerError { message, .. } => message,
        Error::DockerStreamError { error } => error,
        _ => return fault(error),
    };
    let lower = said.to_ascii_lowercase();
    if FOREIGN.iter().any(|word| lower.contains(word)) {
        return no_image(&Clean::new(said).into_string());
    }
    fault(error)
}

fn no_image(why: &str) -> Failure {
    Failure::refused(tr_sent!("the file isn't a complete archive of an image"))
        .because(why)
        .hint(tr_sent!(
            "create one with `workbay image export` or `docker save`, and copy all of it"
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_loaded_images() {
        let names = |text: &str| {
            let info = BuildInfo {
                stream: Some(text.to_owned()),
                ..BuildInfo::default()
            };
            let all = loaded(&info).into_iter();
            all.map(Clean::into_string).collect::<Vec<_>>()
        };
        assert_eq!(names("Loaded image: a/b:1\n"), ["a/b:1"]);
        assert_eq!(names("Loaded image ID: sha256:ab\n"), ["sha256:ab"]);
        assert_eq!(
            names("Loaded image(s): a:1\nLoaded image: b:2"),
            ["a:1", "b:2"]
        );
        assert!(names("The image x already exists").is_empty());
    }

    #[test]
    fn what_isnt_an_image_is_called_so() {
        let said =
            "open /var/lib/docker/tmp/docker-import-1/manifest.json: no such file or directory";
        let error = Error::DockerStreamError {
            error: said.to_owned(),
        };
        let failure = not_loaded(error, |_| panic!("it is a broken archive"));
        assert!(
            failure
                .message()
                .as_str()
                .contains("isn't a complete archive")
        );
    }
}
