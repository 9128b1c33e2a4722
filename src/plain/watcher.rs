//! Watches the daemon and Ctrl-C beside the conversation, on a thread of its own.

use std::{io, sync::mpsc::Sender, thread, time::Duration};

use tokio::time::sleep;

use super::{announce::Announcer, console::Event};
use crate::{
    client::{Client, ClientEvent, ConnectOptions},
    config::paths::Paths,
    protocol::message::{Reply, Request},
};

/// The first and the longest wait before the next attempt to connect.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Starts to watch. The thread ends with the process.
pub fn start(paths: Paths, events: Sender<Event>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // Ctrl-C must have its handler before the first question.
    let interrupts = {
        let _inside = runtime.enter();
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?
    };
    thread::Builder::new()
        .name("watcher".to_owned())
        .spawn(move || {
            runtime.block_on(async {
                tokio::join!(
                    pass_on(interrupts, events.clone()),
                    watch(paths, events.clone())
                )
            })
        })?;
    Ok(())
}

async fn pass_on(mut interrupts: tokio::signal::unix::Signal, events: Sender<Event>) {
    while interrupts.recv().await.is_some() {
        if events.send(Event::Interrupt).is_err() {
            return;
        }
    }
}

/// Announces changes until the program ends. It starts no daemon: commands do.
async fn watch(paths: Paths, events: Sender<Event>) {
    let options = ConnectOptions::existing(paths);
    let mut announcer = Announcer::default();
    let mut wait = FIRST_WAIT;
    let mut was_lost = false;
    loop {
        if let Some(why) = follow(&options, &events, &mut announcer, &mut was_lost).await {
            was_lost = true;
            wait = FIRST_WAIT;
            let text = tr!(
                "The connection to the daemon broke: {why}. Sessions keep running. Retrying.",
                why
            );
            let _ = events.send(Event::Message(text));
        }
        sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

/// Follows one connection to its end. Returns why it broke, `None` if there was none.
async fn follow(
    options: &ConnectOptions,
    events: &Sender<Event>,
    announcer: &mut Announcer,
    was_lost: &mut bool,
) -> Option<String> {
    let (client, mut received) = Client::connect(options).await.ok()?;
    let Ok(Reply::Snapshot { snapshot }) = client.ask(Request::Subscribe).await else {
        return None;
    };
    let mut said = announcer.start_from(&snapshot);
    if std::mem::take(was_lost) {
        said.insert(0, tr!("Connected to the daemon again.").to_owned());
    }
    let mut seen = snapshot.seq;
    loop {
        if !said.is_empty() {
            let _ = events.send(Event::Message(said.join("\n")));
            said.clear();
        }
        match received.recv().await {
            Some(ClientEvent::Notice { seq, change }) => {
                if seq > seen {
                    seen = seq;
                    said.extend(announcer.sentence(&change));
                }
            }
            Some(ClientEvent::Lost { why }) => return Some(why.into_string()),
            None => return Some(tr!("it closed the connection").to_owned()),
        }
    }
}
