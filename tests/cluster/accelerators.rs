//! Several agents with GPUs that don't exist, by Backend.AI's own mock plugin: whole GPUs on two agents of the group `gpus`,
//! shares of GPUs on an agent of the group `shares`. Containers know their GPUs by an environment variable.

use std::collections::BTreeMap;

use workbay::model::{
    catalogue::Catalogue,
    id::KernelId,
    session::{ClusterMode, Session},
    spec::LaunchRequest,
    status::Status,
    text::Clean,
};

use crate::{
    built::machine,
    changes::Changes as _,
    machine::Machine,
    script::{request_as_admin, run},
    support::{Bench, Ours, note_lack, release, small},
    typed::output,
};

const GPU: &str = "cuda.device";
const SHARE: &str = "cuda.shares";

/// The agents. They end with this.
struct Agents;

impl Agents {
    fn start() -> Option<Self> {
        if release().is_some_and(|it| it.starts_with("25.")) {
            let why = "not tested: agents of this release can't share a machine, since their socket relays have the same name";
            note_lack("several-agents", why);
            return None;
        }
        run("agents", &["start"]);
        Some(Self)
    }
}

impl Drop for Agents {
    fn drop(&mut self) {
        run("agents", &["stop"]);
    }
}

/// `amount` in thousandths.
fn with(slot: &str, amount: u64, group: &str) -> LaunchRequest {
    LaunchRequest {
        resource_group: Some(group.to_owned()),
        accelerators: [(slot.to_owned(), amount)].into(),
        ..small()
    }
}

/// The GPUs that a container was given.
async fn gpus(bench: &Bench, session: &Session, kernel: Option<KernelId>) -> Vec<String> {
    let variable = "echo $BACKENDAI_MOCK_CUDA_DEVICES";
    let said = output(bench, session.id, kernel, &["sh", "-c", variable]).await;
    let devices = said.trim().split(',').filter(|it| !it.is_empty());
    let mut devices: Vec<String> = devices.map(str::to_owned).collect();
    devices.sort();
    devices
}

impl Bench {
    async fn runs(&self, request: LaunchRequest) -> (Ours, Session) {
        let (ours, _) = self.running(request).await;
        let session = self.session(ours.id()).await;
        (ours, session)
    }

    async fn waits_for(&self, ours: &Ours, word: &str) -> Session {
        self.until_session(ours.id(), |session| {
            let why = session.status_message.as_ref();
            session.status == Status::Pending && why.is_some_and(|it| it.as_str().contains(word))
        })
        .await
    }
}

/// One after the other, because starting agents takes a while.
#[tokio::test]
async fn sessions_use_gpus_shares_and_several_agents() {
    let Some(_agents) = Agents::start() else {
        return;
    };
    let bench = Bench::new().await;
    what_is_offered(&bench).await;
    whole_gpus(&bench).await;
    shares(&bench).await;
    over_two_agents(&bench).await;
    a_drained_agent(&bench).await;
}

async fn what_is_offered(bench: &Bench) {
    // A manager may take a while until it knows the slots of new agents.
    let units = |catalogue: &Catalogue| {
        let kinds = catalogue.accelerators.iter();
        kinds
            .map(|it| (it.slot.clone(), it.unit.to_string()))
            .collect::<BTreeMap<_, _>>()
    };
    let both = BTreeMap::from(
        [(GPU, "GPU"), (SHARE, "fGPU")].map(|(slot, unit)| (slot.into(), unit.into())),
    );
    let offered = async || {
        let catalogue = bench.engine.catalogue(None).await.unwrap();
        (units(&catalogue) == both).then_some(catalogue)
    };
    let catalogue = bench.until_some(offered).await;
    let group = |name: &str| {
        let groups = &catalogue.resource_groups;
        let found = groups.iter().find(|it| it.name == *name);
        found.unwrap_or_else(|| panic!("no group {name}"))
    };
    let all = |name: &str| group(name).capacity.clone().unwrap().accelerators;
    assert_eq!(all("gpus")[GPU], 4000);
    assert_eq!(all("shares")[SHARE], 8000);
    assert_eq!(all("default").get(GPU), None);
    assert_eq!(group("gpus").free_by_agent.as_ref().unwrap().len(), 2);
    let machine = machine("");
    let said = machine.ok(&["resources"]);
    for agent in ["i-gpus-1", "i-gpus-2", "i-shares-1"] {
        assert!(said.contains(agent), "{said}");
    }
}

async fn whole_gpus(bench: &Bench) {
    let (_one, first) = bench.runs(with(GPU, 1000, "gpus")).await;
    let (two, second) = bench.runs(with(GPU, 2000, "gpus")).await;
    assert_eq!(first.requested_slots.accelerators[GPU], 1000);
    assert_eq!(gpus(bench, &first, None).await.len(), 1);
    let agent = |it: &Session| it.placement.agents[0].to_string();
    assert_ne!(agent(&first), agent(&second));
    let both = [0, 1].map(|n| format!("{}-{n}", agent(&second)));
    assert_eq!(gpus(bench, &second, None).await, both);

    // One GPU is left, and a session that needs two waits for the second session.
    let waits = bench.enqueue(with(GPU, 2000, "gpus")).await;
    bench.waits_for(&waits, GPU).await;
    let machine = machine("");
    let behind = bench.enqueue(with(GPU, 2000, "gpus")).await;
    // 26.4 tries every waiting session in each round.
    let tries_all = release().is_some_and(|it| it.starts_with("26.4."));
    let why = if tries_all { GPU } else { "earlier" };
    let behind = bench.waits_for(&behind, why).await.name.to_string();
    let said = machine.ok(&["show", &behind]);
    assert!(!said.contains("starts it now"), "{said}");
    bench.engine.terminate(two.id(), true).await.unwrap();
    bench
        .until_long(waits.id(), |session| session.status == Status::Running)
        .await;

    // More than an agent has, and a group without any.
    refused(&machine, "gpus", "cuda.device=9", "above the limit");
    refused(
        &machine,
        "default",
        "cuda.device=1",
        "group default has no GPU",
    );
}

/// A launch that the daemon refuses for its accelerator.
fn refused(machine: &Machine, group: &str, accelerator: &str, why: &str) {
    let words = ["launch", "--name", "wbt-refused", "--group", group];
    let output = machine.workbay(&[&words[..], &["--accelerator", accelerator]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("--accelerator") && said.contains(why),
        "{said}"
    );
}

async fn shares(bench: &Bench) {
    let (_ours, half) = bench.runs(with(SHARE, 500, "shares")).await;
    assert_eq!(half.requested_slots.accelerators[SHARE], 500);
    let devices = gpus(bench, &half, None).await;
    assert_eq!(devices.len(), 1);
    assert!(devices[0].starts_with("i-shares-1-"), "{devices:?}");
    let machine = machine("");
    let name = half.name.to_string();
    let shown = machine.ok(&["show", &name]);
    assert!(shown.contains("cuda.shares 0.5"), "{shown}");
    // A step of the group is a tenth.
    refused(
        &machine,
        "shares",
        "cuda.shares=0.05",
        "must be a multiple of 0.1",
    );
}

/// Each agent has two processors, so that two containers of two are on both.
async fn over_two_agents(bench: &Bench) {
    let request = LaunchRequest {
        cpu: Some("2".parse().unwrap()),
        cluster_size: Some(2),
        cluster_mode: ClusterMode::MultiNode,
        ..with(GPU, 1000, "gpus")
    };
    let (_ours, session) = bench.runs(request).await;
    assert_eq!(session.placement.cluster_mode, ClusterMode::MultiNode);
    let mut agents: Vec<&str> = session.placement.agents.iter().map(Clean::as_str).collect();
    agents.sort_unstable();
    assert_eq!(agents, ["i-gpus-1", "i-gpus-2"]);
    let mut devices = Vec::new();
    for kernel in &session.kernels {
        let its = gpus(bench, &session, Some(kernel.id)).await;
        assert_eq!(its.len(), 1);
        assert!(
            its[0].starts_with(kernel.agent.as_ref().unwrap().as_str()),
            "{its:?}"
        );
        devices.extend(its);
    }
    assert_eq!(devices.len(), 2);
    let hosts = output(bench, session.id, None, &["getent", "hosts", "sub1"]).await;
    assert!(
        hosts.contains("sub1"),
        "the containers reach each other: '{hosts}'"
    );
}

/// An agent that takes no new sessions: it is refused by name, and nothing is placed on it.
async fn a_drained_agent(bench: &Bench) {
    let schedulable = |is: bool| {
        let query = format!(
            r#"mutation {{ modify_agent(id: "i-gpus-2", props: {{schedulable: {is}}}) {{ ok }} }}"#
        );
        request_as_admin(
            "/admin/gql",
            &serde_json::json!({"query": query}).to_string(),
        );
    };
    schedulable(false);
    let machine = machine("");
    let words = [
        "launch",
        "--name",
        "wbt-drained",
        "--group",
        "gpus",
        "--agent",
        "i-gpus-2",
    ];
    let refused = machine.workbay(&words);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success(), "{said}");
    assert!(
        said.contains("agent 'i-gpus-2' accepts no sessions now"),
        "{said}"
    );
    let (_ours, session) = bench.runs(with(GPU, 2000, "gpus")).await;
    assert_eq!(session.placement.agents, ["i-gpus-1"]);
    let waits = bench.enqueue(with(GPU, 1000, "gpus")).await;
    bench.waits_for(&waits, GPU).await;
    schedulable(true);
    let session = bench
        .until_long(waits.id(), |session| session.status == Status::Running)
        .await;
    assert_eq!(session.placement.agents, ["i-gpus-2"]);
}
