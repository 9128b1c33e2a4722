//! `workbay commit`: creates an image from a running session, or cancels that.

use clap::Args;

use crate::{
    cli::{
        args::{One, Wait},
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        find,
        invocation::Invocation,
        output,
    },
    model::{
        change::Change,
        id::SessionKey,
        notice::{Level, NoticeKind},
        request::SessionRequest,
        text::Clean,
    },
    protocol::message::Request,
};

#[derive(Args, Debug)]
pub struct Commit {
    #[command(flatten)]
    pub one: One,
    /// Name of the new image: 4 to 32 letters, digits, '.', '-' and '_'
    #[arg(required_unless_present = "cancel", conflicts_with = "cancel")]
    pub image_name: Option<String>,
    /// Pause the programs of the session meanwhile (engines of this machine)
    #[arg(long)]
    pub pause: bool,
    /// Cancel the creation of an image from the session
    #[arg(long, conflicts_with_all = ["pause", "wait"])]
    pub cancel: bool,
    #[command(flatten)]
    pub wait: Wait,
}

impl RunCommand for Commit {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        connection::block_on(async {
            let mut connection = Connection::connect(&start.paths).await?;
            let name = &self.one.session;
            let session = find::live_session(&connection, Choice::of(start), name).await?;
            // Subscribes before the request, so that the end isn't missed.
            let seen = if self.wait.wait {
                Some(connection.subscribe().await?.seq)
            } else {
                None
            };
            let request = match &self.image_name {
                Some(name) => SessionRequest::Commit {
                    image_name: name.clone(),
                    pause: self.pause,
                },
                None => SessionRequest::CancelCommit,
            };
            connection
                .request_done(Request::session(session.key(), request))
                .await?;
            let Some(seen) = seen else {
                return Ok(0);
            };
            let what = tr!("the image of {name}", name = session.name);
            let made = follow(&mut connection, seen, session.key());
            connection::within(self.wait.seconds(), &what, made).await
        })
    }
}

/// Prints each step until the daemon reports the result.
async fn follow(connection: &mut Connection, seen: u64, key: SessionKey) -> Outcome {
    let (mut seen, mut printed) = (seen, None::<Clean>);
    loop {
        let (seq, change) = connection.next_change(seen).await?;
        seen = seq;
        match change {
            Change::Notice { notice }
                if notice.session == Some(key) && notice.kind == NoticeKind::Message =>
            {
                if matches!(notice.level, Level::Warning | Level::Error) {
                    return Err(Fail::new(code::FAILED, notice.text));
                }
                output::line(notice.text.as_str())?;
                return Ok(0);
            }
            Change::Session { session } if session.key() == key => {
                if let Some(step) = session
                    .pending_request
                    .filter(|s| printed.as_ref() != Some(s))
                {
                    output::remark(&format!("workbay: {}: {step}", session.name));
                    printed = Some(step);
                }
            }
            Change::Gone { session } if session == key => {
                return Err(Fail::new(
                    code::NOT_FOUND,
                    tr!("the session doesn't exist any more"),
                ));
            }
            _ => {}
        }
    }
}
