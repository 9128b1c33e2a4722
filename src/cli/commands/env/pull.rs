//! `workbay env pull`: pulls an image.

use clap::Args;

use crate::{
    cli::{
        Start,
        args::Json,
        choice::Choice,
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        output,
        progress::Progress,
    },
    model::{
        change::Change, environment::HOST, id::ContextName, pull::Pull, reference,
        request::ContextRequest, wellknown,
    },
    protocol::message::{Reply, Request},
    rules::resolve,
};

#[derive(Args, Debug)]
pub struct EnvPull {
    /// Environment (jupyter, python:3.12) or image
    pub image: String,
    /// Print each step as one line of JSON
    #[command(flatten)]
    pub format: Json,
}

pub fn pull(start: &Start, arguments: &EnvPull) -> Outcome {
    if arguments.image.trim() == HOST {
        let fail = Fail::usage(tr!("'{host}' needs no image", host = HOST));
        return Err(fail.hint(tr!(
            "to use it, run `workbay launch --env {host}`",
            host = HOST
        )));
    }
    let image = reference(start, &arguments.image);
    connection::block_on(async {
        let mut connection = Connection::connect(&start.paths).await?;
        let snapshot = connection.subscribe().await?;
        let context = Choice::of(start).context(&snapshot)?;
        let mut reporter = Reporter {
            image: &image,
            context,
            json: arguments.format.json,
            progress: Progress::new(),
        };
        fetch(&mut connection, snapshot.seq, &mut reporter)
            .await
            .map_err(|fail| with_near_name(start, &arguments.image, fail))?;
        if !arguments.format.json {
            output::line(&tr!("pulled {image}", image))?;
        }
        Ok(0)
    })
}

/// The image of this name in the environment catalog, or the text itself.
fn reference(start: &Start, text: &str) -> String {
    let mut known = start.loaded.settings.environments.iter();
    let known = known.find_map(|it| it.image_of(text));
    reference::with_tag(known.unwrap_or(text))
}

/// Any image can be pulled, so only a failure leads to the name that was probably meant.
fn with_near_name(start: &Start, text: &str, fail: Fail) -> Fail {
    let catalog = wellknown::completed(Vec::new(), &start.loaded.settings.environments);
    let is_known = resolve::find(&catalog, text).is_some();
    match resolve::nearest_environment(&catalog, text) {
        Some(near) if !is_known && fail.code != code::INTERRUPTED => {
            fail.hint(tr!("did you mean '{near}'?", near))
        }
        _ => fail,
    }
}

/// Waits until the image is pulled. If the user interrupts, cancels the pull.
async fn fetch(
    connection: &mut Connection,
    seen: u64,
    reporter: &mut Reporter<'_>,
) -> Result<(), Fail> {
    let client = connection.client.clone();
    let request = client.ask(Request::context(
        reporter.context,
        ContextRequest::Pull {
            image: reporter.image.to_owned(),
        },
    ));
    let mut request = std::pin::pin!(request);
    let mut seen = seen;
    loop {
        tokio::select! {
            answer = &mut request => return match answer? {
                Reply::Done => Ok(()),
                other => Err(connection::unexpected(&other)),
            },
            change = connection.next_change(seen) => {
                let (seq, change) = change?;
                seen = seq;
                reporter.on_change(&change)?;
            }
            _ = tokio::signal::ctrl_c() => {
                let why = tr!("cancelled: nothing of the image is kept");
                return Err(Fail::new(code::INTERRUPTED, why));
            }
        }
    }
}

struct Reporter<'a> {
    image: &'a str,
    context: ContextName,
    json: bool,
    progress: Progress,
}

impl Reporter<'_> {
    fn on_change(&mut self, change: &Change) -> Result<(), Fail> {
        let Change::Pull { context, pull } = change else {
            return Ok(());
        };
        if *context != self.context || pull.reference != *self.image {
            return Ok(());
        }
        self.report(pull)
    }

    fn report(&mut self, pull: &Pull) -> Result<(), Fail> {
        if self.json {
            return output::json_line(pull);
        }
        self.progress.pull("workbay", pull);
        Ok(())
    }
}
