//! Requests about the images of a context, and the streams that carry images. Engines are asked in tasks, so the main
//! loop doesn't wait.

mod streams;

use std::sync::Arc;

pub(in crate::daemon) use self::streams::{export, import, push};
use crate::{
    daemon::{
        apps::{AppEvent, Asker},
        connection::inbound::{ConnectionId, Inbound},
        context::runner::{ContextMachine, ContextRunner, Number},
        main_loop::{core::Core, snapshots},
    },
    engine::api::Engine,
    model::{
        capability::EngineState,
        environment::EnvironmentSource,
        failure::Failure,
        id::ContextName,
        own_image::{ImageRequest, StoredImage},
        reference,
        text::Clean,
    },
    observer::fact::Fact as Observed,
    protocol::message::{Reply, RequestId},
    scheduler::fact::Fact,
};

/// The sessions that haven't ended, by the image that they use.
type Uses = Vec<(String, Clean)>;

impl Core {
    /// Asks the engine in a task.
    pub(in crate::daemon) fn image_asked(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        number: Number,
        request: ImageRequest,
    ) {
        let runner = &self.contexts[number];
        let engine = match engine(runner) {
            Ok(engine) => engine,
            Err(failure) => return self.answer(connection, id, Err(failure)),
        };
        let (context, uses) = (runner.context.name, uses(runner));
        let inbound = self.apps.inbound.clone();
        tokio::spawn(Box::pin(async move {
            let is_change = matches!(request, ImageRequest::Remove { .. });
            let result = carry_out(&*engine, request, &uses).await;
            // If the loop has ended, the daemon is ending.
            if is_change && result.is_ok() {
                let _ = inbound.send(Inbound::ImagesChanged { context }).await;
            }
            let asker = Asker { connection, id };
            let answered = AppEvent::Answered { asker, result };
            let _ = inbound.send(Inbound::App(answered)).await;
        }));
    }

    /// Reads the images of a context again.
    pub(in crate::daemon) async fn images_changed(&mut self, context: ContextName) {
        let Ok(number) = snapshots::context_number(&self.contexts, context) else {
            return;
        };
        match &mut self.contexts[number].machine {
            ContextMachine::Scheduler(driver) => driver.push(Fact::ImagesChanged),
            ContextMachine::Observer(driver) => driver.push(Observed::ImagesChanged),
        }
        self.settle(number).await;
    }
}

/// The engine of a context, if it is connected.
pub(in crate::daemon) fn engine(runner: &ContextRunner) -> Result<Arc<dyn Engine>, Failure> {
    match (runner.lazy_engine.there(), runner.known().engine()) {
        (_, EngineState::Lost { why, hint, .. }) => {
            Err(Failure::lost(why.clone()).maybe_hint(hint.clone()))
        }
        (Some(engine), _) => Ok(engine),
        (None, _) => Err(Failure::lost(tr_sent!("the engine isn't connected yet"))
            .hint(tr_sent!("try again in a few seconds"))),
    }
}

fn uses(runner: &ContextRunner) -> Uses {
    let sessions = runner.known().sessions();
    let open = sessions.filter(|session| !session.has_ended());
    let uses = open.filter_map(|session| match &session.environment.source {
        EnvironmentSource::Host => None,
        EnvironmentSource::Image { reference } => Some((reference.clone(), session.name.clone())),
    });
    uses.collect()
}

async fn carry_out(
    engine: &dyn Engine,
    request: ImageRequest,
    uses: &Uses,
) -> Result<Reply, Failure> {
    match request {
        ImageRequest::List => {
            let mut images = engine.stored_images().await?;
            for image in &mut images {
                image.used_by = users_of(image, uses);
            }
            Ok(Reply::Images { images })
        }
        ImageRequest::Remove { reference } => {
            let images = engine.stored_images().await?;
            let image = images.iter().find(|it| it.reference == reference);
            let image = image.ok_or_else(|| no_image(&reference))?;
            check_unused(image, uses)?;
            engine.remove_image(&reference).await?;
            Ok(Reply::Done)
        }
    }
}

fn check_unused(image: &StoredImage, uses: &Uses) -> Result<(), Failure> {
    let users: Vec<String> = users_of(image, uses)
        .into_iter()
        .map(Clean::into_string)
        .collect();
    if users.is_empty() {
        return Ok(());
    }
    let reference = &image.reference;
    let text = match users.as_slice() {
        [name] => tr_sent!(
            "image {reference} is used by session {name}",
            reference,
            name
        ),
        several => tr_sent!(
            "image {reference} is used by {count} sessions {names}",
            reference,
            count = several.len(),
            names = several.join(", ")
        ),
    };
    Err(Failure::refused(text).hint(tr_sent!("terminate them first, or wait until they end")))
}

fn users_of(image: &StoredImage, uses: &Uses) -> Vec<Clean> {
    let is_it = |used: &str| {
        let id = image.id.as_deref();
        reference::is_same(used, &image.reference) || id == Some(used)
    };
    let users = uses.iter().filter(|(used, _)| is_it(used));
    users.map(|(_, name)| name.clone()).collect()
}

fn no_image(reference: &str) -> Failure {
    Failure::no_image(tr_sent!(
        "image '{reference}'",
        reference = Clean::new(reference)
    ))
    .hint(tr_sent!("`workbay image ls` lists the images"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> StoredImage {
        StoredImage {
            reference: "busybox:latest".to_owned(),
            id: Some("sha256:ab".to_owned()),
            name: None,
            mine: false,
            owner: None,
            size: None,
            created_at: None,
            base: None,
            used_by: Vec::new(),
        }
    }

    #[test]
    fn sessions_that_use_an_image_are_named() {
        let of = |used: &[&str]| -> Uses {
            let names = used.iter().zip(["one", "two", "three"]);
            names
                .map(|(used, name)| ((*used).to_owned(), name.into()))
                .collect()
        };
        assert_eq!(check_unused(&image(), &of(&["busybox:1"])), Ok(()));
        let used = check_unused(&image(), &of(&["busybox", "python:3", "sha256:ab"]));
        let why = used.unwrap_err().message().into_string();
        assert_eq!(why, "image busybox:latest is used by 2 sessions one, three");
    }
}
