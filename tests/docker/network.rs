//! What sessions reach: each other, this machine, nothing.

use std::{
    io::Write as _,
    net::{Ipv4Addr, TcpListener},
};

use futures_util::future::join_all;
use workbay::{
    engine::api::{Containers as _, CreatePlan},
    model::{
        capability::Capability,
        failure::FailureKind,
        id::{KernelId, SessionId},
        network::{Isolation, NetworkRules},
        resources::{Bytes, Cpu},
        spec::LaunchSpec,
        text::Clean,
    },
};

use crate::{
    private_engine::PrivateEngine,
    support::{
        Bench, busybox_image, docker, host_spec, image_spec, networks, plan, probe, record,
        try_docker, until,
    },
};

fn rules(isolation: Option<Isolation>, host_access: Option<bool>) -> NetworkRules {
    NetworkRules {
        isolation,
        host_access,
    }
}

fn isolated(isolation: Isolation) -> Bench {
    Bench::networked(rules(Some(isolation), None))
}

fn small(name: &str) -> CreatePlan {
    let spec = LaunchSpec {
        cpu: Cpu::from_millis(100),
        mem: Bytes::mib(64),
        ..image_spec(busybox_image())
    };
    plan(name, spec)
}

fn cluster() -> CreatePlan {
    let small = small("cluster");
    CreatePlan {
        subs: vec![KernelId::random()],
        spec: LaunchSpec {
            cluster_size: 2,
            ..small.spec.clone()
        },
        ..small
    }
}

async fn launched(bench: &Bench, plan: &CreatePlan) -> SessionId {
    bench.launch(plan).await;
    plan.session
}

/// The session's main container on its only network.
pub fn endpoint(session: SessionId) -> serde_json::Value {
    let networks = record(session)["NetworkSettings"]["Networks"].clone();
    let mut all = networks.as_object().unwrap().values();
    let (one, other) = (all.next().unwrap().clone(), all.next());
    assert_eq!(other, None, "one network");
    one
}

fn address(session: SessionId) -> String {
    endpoint(session)["IPAddress"].as_str().unwrap().to_owned()
}

fn network_of(session: SessionId) -> String {
    endpoint(session)["NetworkID"].as_str().unwrap().to_owned()
}

fn network_name_of(session: SessionId) -> String {
    let networks = record(session)["NetworkSettings"]["Networks"].clone();
    networks.as_object().unwrap().keys().next().unwrap().clone()
}

const PORT: &str = "9999";

/// Whether something at this address says hello.
async fn reaches(bench: &Bench, session: SessionId, address: &str, port: &str) -> bool {
    let line = format!("busybox nc -w 3 {address} {port} < /dev/null");
    let (said, _) = bench.run(session, &["sh", "-c", &line]).await;
    said.trim() == "hello"
}

/// Says hello at a port of the session's container, from when this returns on.
async fn serve(bench: &Bench, session: SessionId) {
    let id = record(session)["Id"].as_str().unwrap().to_owned();
    let line = format!("while true; do echo hello | busybox nc -l -p {PORT}; done");
    docker(&["exec", "-d", &id, "sh", "-c", &line]);
    until(async || {
        reaches(bench, session, "127.0.0.1", PORT)
            .await
            .then_some(())
    })
    .await;
}

fn users_networks(bench: &Bench) -> Vec<String> {
    networks(&format!("workbay.instance={}", bench.instance))
}

#[tokio::test]
async fn sessions_on_the_network_of_a_user_do_not_reach_each_other() {
    let bench = Bench::new();
    let one = launched(&bench, &small("one")).await;
    let other = launched(&bench, &small("other")).await;
    assert_eq!(network_of(one), network_of(other));
    assert_eq!(users_networks(&bench).len(), 1);
    serve(&bench, one).await;
    until(async || {
        reaches(&bench, one, &address(one), PORT)
            .await
            .then_some(())
    })
    .await;
    assert!(!reaches(&bench, other, &address(one), PORT).await);
    assert!(!reaches(&bench, other, "one", PORT).await);
    // It can be seen that nothing else is in the way.
    let open = isolated(Isolation::Bridge);
    let one = launched(&open, &small("one")).await;
    let other = launched(&open, &small("other")).await;
    serve(&open, one).await;
    until(async || {
        reaches(&open, other, &address(one), PORT)
            .await
            .then_some(())
    })
    .await;
    let info = probe(&open.engine).await.unwrap();
    let why = info.capabilities.why_not(Capability::SessionIsolation);
    assert!(why.unwrap().as_str().contains("bridge"), "{why:?}");
    let info = probe(&bench.engine).await.unwrap();
    let mut of_network = Capability::OF_NETWORK.into_iter();
    assert!(of_network.all(|one| info.capabilities.has(one)), "{info:?}");
}

#[tokio::test]
async fn sessions_that_start_together_are_on_one_network() {
    let bench = Bench::new();
    let plans: Vec<CreatePlan> = (1..5).map(|it| small(&format!("together-{it}"))).collect();
    let sessions = join_all(plans.iter().map(|plan| launched(&bench, plan))).await;
    assert_eq!(users_networks(&bench).len(), 1);
    for session in &sessions {
        assert_eq!(network_of(*session), network_of(sessions[0]));
        // It isn't the engine's own network, where all containers reach each other.
        assert_ne!(network_name_of(*session), "bridge");
    }
}

#[tokio::test]
async fn a_cluster_reaches_its_own_containers_and_no_other_session() {
    let bench = Bench::new();
    let (one, other) = (cluster(), cluster());
    let (first, second) = (launched(&bench, &one).await, launched(&bench, &other).await);
    let single = launched(&bench, &small("single")).await;
    serve(&bench, first).await;
    let sub = bench
        .engine
        .inspect(first)
        .await
        .unwrap()
        .unwrap()
        .subs
        .remove(0);
    let line = format!("busybox nc -w 3 main1 {PORT} < /dev/null");
    let said = docker(&["exec", sub.container_id.as_str(), "sh", "-c", &line]);
    assert_eq!(said.trim(), "hello");
    for session in [second, single] {
        assert!(!reaches(&bench, session, &address(first), PORT).await);
    }
    serve(&bench, single).await;
    assert!(!reaches(&bench, first, &address(single), PORT).await);
}

#[tokio::test]
async fn sessions_stay_apart_while_the_engine_creates_networks() {
    let bench = isolated(Isolation::Session);
    let one = launched(&bench, &small("one")).await;
    let other = launched(&bench, &small("other")).await;
    serve(&bench, one).await;
    // Many attempts at any moment, until there is a file.
    let line = format!(
        "until [ -e enough ]; do busybox nc -w 1 {} {PORT} < /dev/null >> heard & busybox usleep 20000; done; wait",
        address(one)
    );
    let id = record(other)["Id"].as_str().unwrap().to_owned();
    docker(&["exec", "-d", &id, "sh", "-c", &line]);
    for at in 0..6 {
        let name = format!("workbay-test-{}-{at}", bench.instance);
        let label = format!("workbay.instance={}", bench.instance);
        docker(&["network", "create", "--label", &label, &name]);
        docker(&["network", "rm", &name]);
    }
    bench.sh(other, "touch enough").await;
    let attempts = bench.sh(other, "ls -l heard").await;
    assert_eq!(bench.sh(other, "cat heard").await, "", "{attempts}");
}

/// Greets each client that connects, at all addresses of this machine. Returns its port.
fn listener() -> String {
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = stream.unwrap().write_all(b"hello\n");
        }
    });
    port.to_string()
}

/// Addresses of this machine that a container can reach. Those of other tests' bridges come and go.
fn addresses(session: SessionId) -> Vec<String> {
    let listed = std::process::Command::new("ip")
        .args(["-o", "-4", "addr"])
        .output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    let lasting = listed.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (device, address) = (words.next()?, words.nth(1)?);
        let passing = ["lo", "wb-", "br-"];
        let is_lasting = !passing.iter().any(|begin| device.starts_with(begin));
        is_lasting.then(|| address.split('/').next().unwrap().to_owned())
    });
    let mut all: Vec<String> = lasting.collect();
    let network = docker(&["network", "inspect", &network_of(session)]);
    let network: serde_json::Value = serde_json::from_str(&network).unwrap();
    let gateway = network[0]["IPAM"]["Config"][0]["Gateway"].as_str();
    all.push(gateway.unwrap().to_owned());
    assert!(all.len() >= 2, "{all:?}");
    all
}

#[tokio::test]
async fn what_listens_on_this_machine_is_reached_only_where_that_is_allowed() {
    let port = listener();
    let closed = Bench::new();
    let sessions = [
        launched(&closed, &small("one")).await,
        launched(&closed, &cluster()).await,
    ];
    for session in sessions {
        for address in addresses(session) {
            let reached = reaches(&closed, session, &address, &port).await;
            assert!(!reached, "{address}");
        }
    }
    let open = Bench::networked(rules(None, Some(true)));
    for plan in [small("one"), cluster()] {
        let session = launched(&open, &plan).await;
        for address in addresses(session) {
            until(async || reaches(&open, session, &address, &port).await.then_some(())).await;
        }
    }
    // Nothing changed for the first, and the allowed ones are still kept from each other.
    let address = addresses(sessions[0]).pop().unwrap();
    assert!(!reaches(&closed, sessions[0], &address, &port).await);
    let one = launched(&open, &small("one")).await;
    let other = launched(&open, &small("other")).await;
    serve(&open, one).await;
    assert!(!reaches(&open, other, &self::address(one), PORT).await);
    let info = probe(&open.engine).await.unwrap();
    assert!(info.capabilities.has(Capability::SessionIsolation));
    let why = info.capabilities.why_not(Capability::HostProtection);
    assert!(why.unwrap().as_str().contains("host-access"), "{why:?}");
    // This machine reaches its sessions, whatever they may.
    let mut stream =
        std::net::TcpStream::connect(format!("{}:{PORT}", self::address(one))).unwrap();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut stream, &mut said).unwrap();
    assert_eq!(said.trim(), "hello");
}

#[tokio::test]
async fn the_address_of_a_session_is_known_while_it_runs_and_answers() {
    let bench = Bench::new();
    let plan = small("one");
    let session = plan.session;
    let made = bench.engine.create(&plan).await.unwrap();
    assert_eq!(made.address, None);
    bench.engine.start(session).await.unwrap();
    let known = async || {
        bench
            .engine
            .inspect(session)
            .await
            .unwrap()
            .unwrap()
            .address
    };
    let address = known().await.expect("an address").into_string();
    assert_eq!(address, self::address(session));
    let listed = bench.engine.list().await.unwrap().ours.remove(0);
    assert_eq!(listed.address, Some(address.as_str().into()));
    serve(&bench, session).await;
    // Its server restarts for each connection: between two nobody listens.
    let said = until(async || {
        let mut stream = std::net::TcpStream::connect(format!("{address}:{PORT}")).ok()?;
        let mut said = String::new();
        std::io::Read::read_to_string(&mut stream, &mut said).ok()?;
        Some(said).filter(|said| !said.is_empty())
    })
    .await;
    assert_eq!(said.trim(), "hello");
    bench.engine.stop(session, 0).await.unwrap();
    assert_eq!(known().await, None);
}

#[tokio::test]
async fn a_session_can_have_a_network_of_its_own_or_none() {
    let bench = isolated(Isolation::Session);
    let one = launched(&bench, &small("one")).await;
    let other = launched(&bench, &small("other")).await;
    assert_ne!(network_of(one), network_of(other));
    serve(&bench, one).await;
    assert!(!reaches(&bench, other, &address(one), PORT).await);
    for session in [one, other] {
        bench.engine.remove(session).await.unwrap();
    }
    assert!(users_networks(&bench).is_empty());

    let port = listener();
    let bench = isolated(Isolation::None);
    let alone = launched(&bench, &small("alone")).await;
    assert_eq!(bench.sh(alone, "ls /sys/class/net").await, "lo");
    let together = launched(&bench, &cluster()).await;
    serve(&bench, together).await;
    let seen = bench.engine.inspect(together).await.unwrap().unwrap();
    let line = format!("busybox nc -w 3 main1 {PORT} < /dev/null");
    let sub = seen.subs[0].container_id.as_str();
    assert_eq!(docker(&["exec", sub, "sh", "-c", &line]).trim(), "hello");
    for address in addresses(together) {
        assert!(
            !reaches(&bench, together, &address, &port).await,
            "{address}"
        );
    }
    let network = docker(&["network", "inspect", &network_of(together)]);
    let network: serde_json::Value = serde_json::from_str(&network).unwrap();
    assert_eq!(network[0]["Internal"], true, "a way out");
}

#[tokio::test]
async fn the_network_goes_with_the_last_session_and_another_users_stays() {
    let (bench, other) = (Bench::new(), Bench::new());
    let others = launched(&other, &small("other")).await;
    let one = launched(&bench, &small("one")).await;
    let two = launched(&bench, &small("two")).await;
    bench.engine.stop(one, 0).await.unwrap();
    bench.engine.remove(one).await.unwrap();
    assert_eq!(users_networks(&bench).len(), 1, "two is on it");
    bench.engine.stop(two, 0).await.unwrap();
    bench.engine.remove(two).await.unwrap();
    assert!(users_networks(&bench).is_empty());
    assert_eq!(
        users_networks(&other),
        [network_of(others)[..12].to_owned()]
    );
    // The next one has one again, and no other can join it meanwhile.
    let again = launched(&bench, &small("again")).await;
    assert_eq!(users_networks(&bench).len(), 1);
    serve(&other, others).await;
    assert!(!reaches(&bench, again, &address(others), PORT).await);
}

/// Takes the name that the bridge of the user's network would have.
struct Taken {
    name: String,
}

impl Taken {
    fn of(bench: &Bench) -> Self {
        let id = bench.instance.to_string();
        let end = &id[id.len() - 11..];
        let (name, bridge) = (
            format!("workbay-test-{end}"),
            format!("com.docker.network.bridge.name=wb-c{end}"),
        );
        docker(&["network", "create", "-o", &bridge, &name]);
        Self { name }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        try_docker(&["network", "rm", &self.name]);
    }
}

#[tokio::test]
async fn without_a_network_a_session_starts_with_a_warning_unless_one_is_set() {
    let bench = Bench::new();
    let taken = Taken::of(&bench);
    let plan = small("warned");
    let session = launched(&bench, &plan).await;
    let log = bench.said(session, "ready").await;
    for what in [
        "warning: other containers can reach this session: a network can't be created",
        "warning: this session can reach programs that listen on the engine's machine",
    ] {
        assert!(log.contains(what), "{log}");
    }
    bench.engine.stop(session, 0).await.unwrap();
    bench.engine.remove(session).await.unwrap();
    drop(taken);

    for set in [rules(Some(Isolation::User), None), rules(None, Some(false))] {
        let bench = Bench::networked(set);
        let _taken = Taken::of(&bench);
        let plan = small("refused");
        let error = bench.engine.create(&plan).await.unwrap_err();
        let failure = &error;
        assert_eq!(failure.kind, FailureKind::Refused, "{failure:?}");
        let why = failure.to_string();
        let hint = failure.hint.clone().map(Clean::into_string);
        assert!(
            why.contains("[network] of resources.toml isn't possible here"),
            "{why}"
        );
        assert!(hint.as_ref().unwrap().contains("remove"), "{hint:?}");
        assert_eq!(bench.state(plan.session).await, None);
        assert!(!bench.home(plan.session).exists());
    }
}

#[tokio::test]
async fn an_engine_without_firewall_rules_is_not_taken_for_an_isolating_one() {
    let engine = PrivateEngine::start().expect("dockerd, as root");
    let mut bench = Bench::on(Some(&engine.endpoint()));
    let plan = plan("open", host_spec());
    let session = launched(&bench, &plan).await;
    let log = bench.said(session, "ready").await;
    assert!(log.contains("dockerd --iptables=false"), "{log}");
    let info = probe(&bench.engine).await.unwrap();
    let why = info.capabilities.why_not(Capability::SessionIsolation);
    assert!(why.unwrap().as_str().contains("iptables=false"), "{why:?}");
    // The rule that keeps sessions from the machine is there, though: the engine's network is its own.
    assert!(
        info.capabilities.has(Capability::HostProtection),
        "{info:?}"
    );
    let lacks = bench.engine.list().await.unwrap().lacks;
    assert_eq!(
        lacks,
        [(Capability::SessionIsolation, why.unwrap().clone())]
    );
    bench.engine.stop(session, 0).await.unwrap();
    bench.engine.remove(session).await.unwrap();
    // Before its engine goes.
    bench.client = crate::support::EngineClient::of(None);
    drop(bench);
    drop(engine);
}
