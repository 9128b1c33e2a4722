//! `workbay env ls`.

use super::{
    Start,
    choice::Choice,
    fail::Outcome,
    line::{self, Line},
    output,
    output::Cell,
};
use crate::{
    model::environment::{Environment, EnvironmentSource},
    protocol::message::{Reply, Request},
};

pub fn ls(start: &Start, json: bool) -> Outcome {
    let environments = line::block_on(async {
        let line = Line::connect(&start.paths).await?;
        let context = Choice::of(start).context(&line.snapshot().await?)?;
        match line.ask(Request::Environments { context }).await? {
            Reply::Environments { environments } => Ok(environments),
            other => Err(line::unexpected(&other)),
        }
    })?;
    if json {
        output::json(&environments)?;
    } else {
        let rows: Vec<Vec<Cell>> = environments.iter().map(row).collect();
        let head = ["NAME", "VERSION", "SOURCE", "SIZE", "NOTE"];
        output::print(&output::table(&head, &rows, false))?;
    }
    Ok(0)
}

fn row(environment: &Environment) -> Vec<Cell> {
    let source = match &environment.source {
        EnvironmentSource::Host => "this machine",
        EnvironmentSource::Image { .. } => "image",
    };
    let note = environment.unavailable.as_ref();
    vec![
        environment.name.as_str().into(),
        environment.version.as_str().into(),
        source.into(),
        environment
            .size
            .map_or_else(|| "-".to_owned(), |size| size.to_string())
            .into(),
        note.map_or_else(String::new, |why| format!("cannot be launched: {why}"))
            .into(),
    ]
}
