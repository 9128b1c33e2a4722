//! A context with everything there is to choose from.

use workbay::model::{
    catalogue::{
        AcceleratorKind, Agent, Catalogue, Limits, Policy, Preset, ResourceGroup, SlotLimits,
    },
    environment::{Environment, EnvironmentSource, ImageFacts},
    resources::{Bytes, Cpu, ResourceSlots},
    text::Clean,
};

use crate::cluster;

fn slots(cores: u64, gib: u64, shares: u64) -> ResourceSlots {
    let mut slots = ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes(gib * Bytes::GIB));
    if shares > 0 {
        slots.accelerators.insert("cuda.shares".to_owned(), shares);
    }
    slots
}

fn environment(name: &str, version: &str, group: &str, mib: u64) -> Environment {
    Environment {
        name: Clean::new(name),
        version: Clean::new(version),
        source: EnvironmentSource::Image {
            reference: format!("cr.backend.ai/{name}:{version}"),
        },
        size: Some(Bytes::mib(mib)),
        unavailable: None,
        absent: false,
        facts: ImageFacts {
            group: Some(Clean::new(group)),
            chips: version.split('-').skip(1).map(Clean::new).collect(),
            minimum: ResourceSlots::new(Cpu::from_millis(1000), Bytes::mib(256)),
            ..ImageFacts::default()
        },
    }
}

pub fn many() -> Vec<Environment> {
    let mut all = Vec::new();
    for version in ["3.9", "3.10", "3.11", "3.12"] {
        all.push(environment(
            "stable/python",
            &format!("{version}-py3-ubuntu22.04"),
            "Python",
            480,
        ));
    }
    for version in ["2.2", "2.4", "2.5"] {
        let version = format!("{version}-py311-cuda12.4");
        all.push(environment(
            "stable/ngc-pytorch",
            &version,
            "PyTorch",
            9_800,
        ));
    }
    let mut torch = environment(
        "stable/ngc-tensorflow",
        "2.17-py311-cuda12.4",
        "TensorFlow",
        7_200,
    );
    torch.facts.accelerators = vec![Clean::new("cuda")];
    torch.facts.minimum = slots(2, 4, 500);
    all.push(torch);
    let mut windows = environment("legacy/windows", "2022", "Custom Environments", 2_300);
    windows.unavailable = Some(Clean::new("it is for windows/amd64"));
    all.push(windows);
    all.push(environment(
        "팀/자연어-처리",
        "1.0-한국어",
        "Custom Environments",
        1_200,
    ));
    for n in 0..20 {
        let name = format!("team/experiment-{n:02}");
        all.push(environment(&name, "1.0", "Custom Environments", 700 + n));
    }
    all
}

fn preset(name: &str, slots: ResourceSlots, shmem: Option<u64>) -> Preset {
    Preset {
        shmem: shmem.map(|gib| Bytes(gib * Bytes::GIB)),
        ..Preset::new(name, slots)
    }
}

fn agent(id: &str, schedulable: bool) -> Agent {
    Agent {
        id: Clean::new(id),
        status: Clean::new("ALIVE"),
        resource_group: Clean::new("gpu-a100"),
        schedulable,
        available: slots(64, 256, 10_000),
        occupied: slots(24, 96, 2_500),
        architecture: Clean::new("x86_64"),
    }
}

pub fn offer() -> Catalogue {
    let group = |name: &str, capacity, remaining, waiting| ResourceGroup {
        name: Clean::new(name),
        using: slots(0, 0, 0),
        remaining,
        waiting,
        capacity: Some(capacity),
        free: None,
        free_by_agent: None,
    };
    let limits = SlotLimits {
        cpu: Some(Cpu::from_millis(48_000)),
        mem: Some(Bytes(192 * Bytes::GIB)),
        accelerators: [("cuda.shares".to_owned(), 8_000)].into(),
    };
    Catalogue {
        resource_groups: vec![
            group("default", slots(16, 64, 0), slots(4, 40, 0), Some(2)),
            group(
                "gpu-a100",
                slots(64, 256, 10_000),
                slots(40, 160, 7_500),
                Some(0),
            ),
            group("연구-그룹", slots(8, 32, 0), slots(8, 32, 0), None),
        ],
        presets: vec![
            preset("medium", slots(8, 32, 1_000), Some(2)),
            preset("cpu-small", slots(2, 4, 0), None),
            preset("huge", slots(96, 512, 8_000), None),
            preset("한국어-실습", slots(1, 2, 0), None),
        ],
        limits: Limits {
            remaining: limits.clone(),
            limits,
            using: slots(0, 0, 0),
        },
        agents: vec![agent("i-gpu-node-01", true), agent("i-gpu-node-02", false)],
        accelerators: vec![
            AcceleratorKind {
                slot: "cuda.shares".to_owned(),
                unit: Clean::new("fGPU"),
                note: Some(Clean::new("5 fGPU = 1 GPU")),
                shares_per_device: None,
            },
            AcceleratorKind {
                slot: "rocm.device".to_owned(),
                unit: Clean::new("ROCm GPU"),
                note: None,
                shares_per_device: None,
            },
        ],
        quanta: [("cpu".to_owned(), 1000), ("cuda.shares".to_owned(), 100)].into(),
        policy: Policy {
            max_containers_per_session: Some(4),
            ..Policy::default()
        },
        ..cluster::catalogue()
    }
}
