//! `workbay env ls`.

use clap::Args;

use crate::{
    cli::{
        Start,
        args::Json,
        choice::Choice,
        connection::{self, Connection},
        fail::Outcome,
        output::{self, Cell},
    },
    model::environment::{Environment, EnvironmentSource},
    model::request::ContextRequest,
    protocol::message::{Reply, Request},
};

#[derive(Args, Debug)]
pub struct EnvLs {
    /// Only images that are on the engine
    #[arg(long)]
    pub here: bool,
    #[command(flatten)]
    pub format: Json,
}

pub fn ls(start: &Start, arguments: &EnvLs) -> Outcome {
    let mut environments = connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        let context = Choice::of(start).context(&connection.snapshot().await?)?;
        match connection
            .request(Request::context(context, ContextRequest::Environments))
            .await?
        {
            Reply::Environments { environments } => Ok(environments),
            other => Err(connection::unexpected(&other)),
        }
    })?;
    environments.retain(|it| !(arguments.here && it.absent));
    if arguments.format.json {
        output::json(&environments)?;
    } else {
        let rows: Vec<Vec<Cell>> = environments.iter().map(row).collect();
        let head = [
            tr_later!("NAME"),
            tr_later!("VERSION"),
            tr_later!("SOURCE"),
            tr_later!("SIZE"),
            tr_later!("NOTE"),
        ];
        output::print(&output::table(&head, &rows, false))?;
    }
    Ok(0)
}

fn row(environment: &Environment) -> Vec<Cell> {
    let source = match &environment.source {
        EnvironmentSource::Host => tr!("this machine"),
        EnvironmentSource::Image { .. } => "image",
    };
    vec![
        environment.name.as_str().into(),
        environment.version.as_str().into(),
        source.into(),
        environment
            .size
            .map_or_else(|| "-".to_owned(), |size| size.to_string())
            .into(),
        note(environment).into(),
    ]
}

/// A short note for users.
fn note(environment: &Environment) -> String {
    let facts = &environment.facts;
    let about = facts.about.as_ref().map(ToString::to_string);
    let known = facts.known_as.as_ref().map(ToString::to_string);
    // The environment's own label already shows it.
    let known = known.filter(|label| *label != environment.label());
    let known = known.map(|label| tr!("is {label}", label));
    let own = facts.customized.as_ref().map(|it| match &it.owner {
        Some(owner) => tr!(
            "{name}, created from a session by {owner}",
            name = it.name,
            owner
        ),
        None => tr!("{name}, created from a session", name = it.name),
    });
    let absent = environment.absent.then(|| tr!("not pulled yet").to_owned());
    let why = environment.unavailable.as_ref();
    let why = why.map(|why| tr!("not available: {why}", why));
    let user = (!facts.user.is_ours()).then(|| tr!("runs as the user of the image").to_owned());
    let words: Vec<String> = [why, absent, own, known, about, user]
        .into_iter()
        .flatten()
        .collect();
    words.join("; ")
}
