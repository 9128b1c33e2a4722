//! From a key to its echo: through workbay's daemon, and by the barest client.

use workbay::{
    client::{Client, ConnectOptions, Stream, StreamItem},
    config::paths::Paths,
    engine::{api::AttachRequest, backendai::BackendAiConfig},
    model::id::{SessionId, SessionKey},
    protocol::message::StreamOpen,
};

use crate::{
    bare::Bare,
    built, millis,
    relay::{RecordingRelay, split},
    samples::Samples,
    support::{Bench, by_keys, context, engine, manager, small, within},
    terminal::now,
};

const BLOCKS: usize = 6;
const KEYS: usize = 50;
/// Keys on one line at the prompt.
const LINE: usize = 24;
/// Deletes that line.
const FRESH: &[u8] = b"\x15";

pub async fn measure(samples: &mut Samples) {
    let bench = Bench::new().await;
    let (session, _) = bench.running(small()).await;
    let target = manager().trim_start_matches("http://").to_owned();
    let head = tunnel_request(&target, session.id()).await;
    let machine = built::machine("");
    machine.ok(&["ls"]);
    for _ in 0..BLOCKS {
        ours(samples, &machine, session.id()).await;
        let (target, head) = (target.clone(), head.clone());
        let theirs = tokio::task::spawn_blocking(move || bare(&target, &head));
        for figure in theirs.await.expect("the bare client") {
            samples.add("echo/bare", figure);
        }
    }
    machine.ok(&["daemon", "stop"]);
}

/// The head of the request for the tunnel, as our engine sends it.
async fn tunnel_request(target: &str, session: SessionId) -> String {
    let relay = RecordingRelay::to(target);
    let config = BackendAiConfig {
        endpoint: relay.endpoint.clone(),
        ..by_keys()
    };
    let engine = engine(config);
    engine.probe().await.expect("the manager");
    let request = AttachRequest {
        tag: "bench".to_owned(),
        columns: 80,
        rows: 24,
        start: workbay::model::shell_start::ShellStart::default(),
    };
    let attached = within(engine.attach(session, request)).await;
    drop(attached.expect("a terminal"));
    split(&relay.request("tcpproxy")).0
}

fn paths(machine: &crate::machine::Machine) -> Paths {
    let env = machine.env();
    let variable = |name: &str| {
        let found = env.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.into())
    };
    // Only the socket is of interest, and it does not depend on which machine this is.
    Paths::from_environment(&variable, "bench").expect("directories")
}

async fn ours(samples: &mut Samples, machine: &crate::machine::Machine, session: SessionId) {
    let options = ConnectOptions::existing(paths(machine));
    let (client, _events) = Client::connect(&options).await.expect("the daemon");
    let terminal = StreamOpen::Terminal {
        session: SessionKey::new(context(), session),
        tag: "bench".to_owned(),
        columns: 80,
        rows: 24,
        start: workbay::model::shell_start::ShellStart::default(),
    };
    let mut stream = client.open(terminal);
    until(&mut stream, b"$").await;
    let sender = stream.sender();
    for (at, key) in keys() {
        if at % LINE == 0 {
            sender.send(FRESH).await.expect("the line is taken away");
        }
        let start = now();
        sender.send(vec![key]).await.expect("a key");
        until(&mut stream, &[key]).await;
        samples.add("echo/workbay", millis(now() - start));
    }
    sender.send(FRESH).await.expect("the line is taken away");
}

async fn until(stream: &mut Stream, text: &[u8]) {
    within(async {
        loop {
            match stream.recv().await.expect("the stream continues") {
                StreamItem::Data { bytes, .. } if bytes.windows(text.len()).any(|p| p == text) => {
                    return;
                }
                StreamItem::Ended(end) => panic!("the terminal ended: {end:?}"),
                _ => {}
            }
        }
    })
    .await;
}

fn bare(target: &str, head: &str) -> Vec<f64> {
    let mut bare = Bare::open(target, head);
    bare.wait_for(b"$");
    let mut figures = Vec::new();
    for (at, key) in keys() {
        if at % LINE == 0 {
            bare.type_(FRESH);
        }
        let start = now();
        bare.echo(&[key]);
        figures.push(millis(now() - start));
    }
    bare.type_(FRESH);
    figures
}

/// Characters that are in no prompt, status line or control sequence: text with one of them is its echo.
fn keys() -> impl Iterator<Item = (usize, u8)> {
    b"%^&=+,".iter().copied().cycle().take(KEYS).enumerate()
}
