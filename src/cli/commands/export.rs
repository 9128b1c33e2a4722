//! `workbay export`: the settings of a session as a recipe.

use std::{
    io,
    path::{Path, PathBuf},
};

use clap::Args;

use crate::{
    cli::{
        args::One,
        choice::Choice,
        commands::{RunCommand, relaunch},
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        find,
        invocation::Invocation,
        now, output,
    },
    config::{recipe, saving},
};

#[derive(Args, Debug)]
pub struct Export {
    #[command(flatten)]
    pub one: One,
    /// File to write to, instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "output")]
    pub force: bool,
}

impl RunCommand for Export {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        let (mut launch, missing) = connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let name = &self.one.session;
            let session = find::session(&connection, Choice::of(start), name).await?;
            relaunch::settings(&connection, session.key()).await
        })?;
        // A launch can't start at a time in the past.
        launch.starts_at = launch.starts_at.filter(|at| at.is_after(now()));
        let mut text = recipe::write(&launch);
        if !missing.is_empty() {
            let lacks = tr!(
                "not reported by the cluster: {words}",
                words = relaunch::words(&missing)
            );
            output::remark(&format!("workbay: {lacks}"));
            text = format!("# {lacks}\n{text}");
        }
        match &self.output {
            None => output::foreign(&text)?,
            Some(file) => save(file, &text, self.force)?,
        }
        Ok(0)
    }
}

fn save(file: &Path, text: &str, force: bool) -> Result<(), Fail> {
    let written = if force {
        saving::replace(file, text)
    } else {
        saving::make(file, text)
    };
    written.map_err(|error| {
        let shown = file.display();
        if error.kind() == io::ErrorKind::AlreadyExists {
            let fail = Fail::new(code::FAILED, tr!("{shown} already exists", shown));
            return fail.hint(tr!("add --force to overwrite it"));
        }
        Fail::new(
            code::FAILED,
            tr!("{shown} can't be written: {error}", shown, error),
        )
    })
}
