//! Handles the first message of a client: which user it belongs to, whether the daemon serves it, and whether
//! it is newer than the daemon.

use std::{cmp::Ordering, io, path::Path, time::Duration};

use tokio::{
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    time::timeout,
};

use super::{inbound::ConnectionId, server_state::ServerState};
use crate::{
    daemon::upgrade,
    model::text::Clean,
    protocol::{
        frame::{Frame, FrameWriter},
        greeting::{Greeting, Welcome},
        message::{FromClient, FromDaemon, PROTOCOL},
        reader::FrameReader,
        version::{compare, version},
    },
};

pub(in crate::daemon) type ClientReader = FrameReader<OwnedReadHalf, FromClient>;
pub(in crate::daemon) type Writer = FrameWriter<OwnedWriteHalf, FromDaemon>;
type FirstReader = FrameReader<OwnedReadHalf, Greeting>;

/// Time limit for a client's greeting.
const HELLO: Duration = Duration::from_secs(10);

/// The daemon's decision about a greeting.
#[derive(Debug, PartialEq, Eq)]
enum GreetingDecision {
    /// Contains the message for a client that is older than the daemon.
    Serve(Option<Clean>),
    Refuse(Clean),
    /// The daemon upgrades itself to this program.
    Become {
        program: String,
        version: String,
    },
}

/// Returns both ends of the connection to an accepted client, and the message for a client that is older
/// than the daemon.
pub(in crate::daemon) async fn greet(
    socket: UnixStream,
    id: ConnectionId,
    server_state: &ServerState,
) -> Option<(ClientReader, Writer, Option<Clean>)> {
    let uid = socket.peer_cred().map(|peer| peer.uid());
    let (read, write) = socket.into_split();
    let mut reader = FrameReader::new(read, server_state.budget.clone());
    let mut writer = FrameWriter::new(write);
    let (welcome, older) = match decide(uid, &mut reader).await {
        GreetingDecision::Serve(older) => (hello(server_state), older),
        GreetingDecision::Refuse(message) => (Welcome::Refused { message }, None),
        GreetingDecision::Become { program, version } => {
            (begin_upgrade(server_state, &program, &version).await, None)
        }
    };
    let stays = matches!(welcome, Welcome::Hello { .. });
    if let Welcome::Refused { message } = &welcome {
        tracing::warn!(connection = id, %message, "refused");
    }
    // The client may have disconnected already.
    let said = writer.send(Frame::Control(welcome)).await;
    if !stays || said.is_err() {
        return None;
    }
    Some((reader.of(), FrameWriter::new(writer.into_inner()), older))
}

fn hello(server_state: &ServerState) -> Welcome {
    Welcome::Hello {
        protocol: PROTOCOL,
        version: version().to_owned(),
        pid: std::process::id(),
        instance: server_state.identity.instance,
    }
}

/// Decides by the user, the version and the protocol of the client.
async fn decide(uid: io::Result<u32>, reader: &mut FirstReader) -> GreetingDecision {
    let me = rustix::process::getuid().as_raw();
    if !uid.is_ok_and(|uid| uid == me) {
        let text = tr_sent!(
            "this daemon belongs to user {me} and serves no other user",
            me
        );
        return GreetingDecision::Refuse(Clean::new(&text));
    }
    match timeout(HELLO, reader.next()).await {
        Ok(Some(Ok(Frame::Control(greeting)))) => compare_versions(greeting, version()),
        _ => GreetingDecision::Refuse(Clean::new(tr_sent!(
            "the daemon doesn't recognize this client (different version). Run `workbay daemon \
             stop`, then try again"
        ))),
    }
}

fn compare_versions(greeting: Greeting, mine: &str) -> GreetingDecision {
    let Greeting::Hello {
        protocol,
        version,
        program,
    } = greeting;
    match (compare(&version, mine), program) {
        (Ordering::Greater, Some(program)) => GreetingDecision::Become { program, version },
        (Ordering::Greater, None) => GreetingDecision::Refuse(stays_older(
            mine,
            &version,
            tr_sent!("the program file was deleted"),
        )),
        (Ordering::Less, _) => {
            let text = tr_sent!(
                "workbay {version} is older than the running daemon ({mine}). Update workbay, or start \
                 the newer version",
                version = Clean::new(&version),
                mine
            );
            if protocol == PROTOCOL {
                GreetingDecision::Serve(Some(text.into()))
            } else {
                GreetingDecision::Refuse(text.into())
            }
        }
        (Ordering::Equal, _) if protocol == PROTOCOL => GreetingDecision::Serve(None),
        (Ordering::Equal, _) => GreetingDecision::Refuse(Clean::new(tr_sent!(
            "the daemon uses another protocol version. Run `workbay daemon stop`, then try again. \
             Sessions keep running"
        ))),
    }
}

fn stays_older(mine: &str, version: &str, why: &str) -> Clean {
    let version = Clean::new(version);
    Clean::new(&tr_sent!(
        "the daemon ({mine}) is older than workbay {version} and can't be upgraded ({why}). Run \
         `workbay daemon stop`, then try again. Sessions keep running",
        mine,
        version,
        why
    ))
}

async fn begin_upgrade(server_state: &ServerState, program: &str, newer: &str) -> Welcome {
    let Some(successor) = &server_state.successor else {
        let message = stays_older(version(), newer, tr_sent!("it runs inside another program"));
        return Welcome::Refused { message };
    };
    let failed = server_state.failed.as_ref();
    let failed = failed.filter(|failed| failed.program == Path::new(program));
    let examined = match failed {
        // An upgrade disconnects all clients, so a failed one isn't retried.
        Some(failed) => Err(failed.why.clone()),
        None => upgrade::examine(program, newer).await,
    };
    match examined {
        Ok(program) => {
            tracing::info!(program = %program.display(), newer, "becoming a newer version");
            successor.name(program);
            Welcome::Upgrading {
                version: version().to_owned(),
                started_at: server_state.identity.started_at,
            }
        }
        Err(why) => Welcome::Refused {
            message: stays_older(version(), newer, &why),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::reader::Budget;

    #[tokio::test]
    async fn another_user_is_refused_before_anything_is_read() {
        let (_client, socket) = UnixStream::pair().unwrap();
        let (read, _write) = socket.into_split();
        let mut reader = FrameReader::new(read, Budget::new(0));
        let me = rustix::process::getuid().as_raw();
        let refused = decide(Ok(me + 1), &mut reader).await;
        let text = format!("this daemon belongs to user {me} and serves no other user");
        assert_eq!(refused, GreetingDecision::Refuse(text.into()));
    }

    fn hello(protocol: u32, version: &str, program: Option<&str>) -> Greeting {
        Greeting::Hello {
            protocol,
            version: version.to_owned(),
            program: program.map(str::to_owned),
        }
    }

    #[test]
    fn the_newer_one_wins_and_the_older_one_is_reported() {
        let compared = |protocol, version, program| {
            compare_versions(hello(protocol, version, program), "0.2.0")
        };
        let path = Some("/usr/bin/workbay");
        assert_eq!(
            compared(PROTOCOL, "0.2.0", path),
            GreetingDecision::Serve(None)
        );
        let newer = GreetingDecision::Become {
            program: "/usr/bin/workbay".to_owned(),
            version: "0.3.0".to_owned(),
        };
        // The protocol version doesn't matter for a newer client.
        assert_eq!(compared(PROTOCOL + 1, "0.3.0", path), newer);
        let text = "workbay 0.1.0 is older than the running daemon (0.2.0). Update workbay, or \
                    start the newer version";
        assert_eq!(
            compared(PROTOCOL, "0.1.0", path),
            GreetingDecision::Serve(Some(text.into()))
        );
        assert_eq!(
            compared(PROTOCOL - 1, "0.1.0", path),
            GreetingDecision::Refuse(text.into())
        );
        assert!(matches!(
            compared(PROTOCOL, "0.3.0", None),
            GreetingDecision::Refuse(_)
        ));
        assert!(matches!(
            compared(PROTOCOL + 1, "0.2.0", path),
            GreetingDecision::Refuse(_)
        ));
    }
}
