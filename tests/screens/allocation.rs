//! The launcher's second page: environments, variables, amounts, how many, threads.

use proptest::prelude::*;
use workbay::{
    app::{facts::Facts, launcher::Page},
    model::{
        catalogue::{
            AcceleratorKind, Agent, Catalogue, Limits, Policy, Preset, ResourceGroup, SlotLimits,
        },
        change::Change,
        environment::{Environment, EnvironmentSource, ImageFacts},
        resources::{Bytes, Cpu, ResourceSlots},
        spec::LaunchRequest,
        text::Clean,
    },
    protocol::message::{Reply, Request},
    theme::color::ColorDepth,
};

use crate::{
    cluster::{self, name, two},
    screen::{Screen, facts},
    world::{day, snapshot},
};

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
        facts: ImageFacts {
            group: Some(Clean::new(group)),
            chips: version.split('-').skip(1).map(Clean::new).collect(),
            minimum: ResourceSlots::new(Cpu::from_millis(1000), Bytes::mib(256)),
            ..ImageFacts::default()
        },
    }
}

fn many() -> Vec<Environment> {
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

fn offer() -> Catalogue {
    let group = |name: &str, capacity, remaining, waiting| ResourceGroup {
        name: Clean::new(name),
        using: slots(0, 0, 0),
        remaining,
        waiting,
        capacity: Some(capacity),
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
            },
            AcceleratorKind {
                slot: "rocm.device".to_owned(),
                unit: Clean::new("ROCm GPU"),
                note: None,
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

/// The page in a context with everything there is.
fn page_with(columns: u16, rows: u16, environments: Vec<Environment>, offer: Catalogue) -> Screen {
    let screen = Screen::new(columns, rows)
        .starting_in("seoul")
        .daemon(two())
        .notice(Change::Environments {
            context: name("seoul"),
            environments,
        })
        .press("n");
    let reply = Reply::Catalogue {
        catalogue: Box::new(offer),
    };
    screen
        .answer(|r| matches!(r, Request::Catalogue { .. }), Ok(reply))
        .press("alt-2")
}

fn page(columns: u16, rows: u16) -> Screen {
    page_with(columns, rows, many(), offer())
}

/// To the row of this label: its line has the marker.
fn to(mut screen: Screen, label: &str) -> Screen {
    let marked = format!("▎ {label}");
    for key in ["tab", "shift-tab"] {
        // The end of the page leads to another one.
        for _ in 0..40 {
            if screen.sees(&marked) {
                return screen;
            }
            screen = screen.press(key);
            if screen.app.launcher.as_ref().unwrap().page() != Page::Allocation {
                screen = screen.press("alt-2");
                break;
            }
        }
    }
    panic!("no row {label}\n{}", screen.text());
}

/// The same where there are accelerators.
fn gpus(columns: u16, rows: u16) -> Screen {
    let screen = to(page(columns, rows), "Resource group").press("right right");
    assert!(screen.sees("gpu-a100"), "{}", screen.text());
    screen
}

fn request(screen: &Screen) -> &LaunchRequest {
    screen.app.launcher.as_ref().unwrap().request()
}

/// Screens one below the other, as a person comes by.
fn along(mut screen: Screen, labels: &[&str]) -> String {
    let mut text = screen.text();
    for label in labels {
        screen = to(screen, label);
        text.extend(["\n======== at ", label, "\n"]);
        text.push_str(&screen.text());
    }
    text
}

const LABELS: [&str; 7] = [
    "Preset",
    "CPU",
    "Shared memory",
    "fGPU",
    "Cluster size",
    "Agent",
    "Threads",
];

#[test]
fn many_environments_80x24() {
    let first = page(80, 24);
    insta::assert_snapshot!(first.text());
    insta::assert_snapshot!(along(gpus(80, 24), &LABELS));
}

#[test]
fn many_environments_140x40() {
    insta::assert_snapshot!(along(gpus(140, 40), &["Preset", "fGPU"]));
}

#[test]
fn without_environments_and_catalogue() {
    let nothing = page_with(80, 24, Vec::new(), Catalogue::default());
    insta::assert_snapshot!(nothing.text());
    let local = Screen::new(80, 24).daemon(snapshot(day())).press("n alt-2");
    insta::assert_snapshot!(along(local, &["CPU"]));
}

#[test]
fn the_smallest_screen_shows_the_focused_row() {
    let mut screen = gpus(60, 16);
    for label in LABELS {
        screen = to(screen, label);
    }
    insta::assert_snapshot!(screen.text());
}

#[test]
fn typing_searches_and_chooses() {
    let screen = page(80, 24).typed("torch 2.4");
    insta::assert_snapshot!(screen.text());
    assert_eq!(
        request(&screen).environment.as_deref(),
        Some("stable/ngc-pytorch:2.4-py311-cuda12.4")
    );
    assert!(
        screen
            .typed("zz")
            .sees("no environment has 'torch 2.4zz' in its name")
    );
    let gone = page(80, 24).typed("windows");
    assert!(gone.sees("cannot be launched here: it is for windows/amd64"));
    let image = to(page(80, 24), "or an image").typed("quay.io/x:1");
    assert_eq!(request(&image).image.as_deref(), Some("quay.io/x:1"));
    assert_eq!(request(&image).environment, None);
}

#[test]
fn the_first_preset_that_can_be_had_is_chosen_and_a_number_by_hand_is_custom() {
    let screen = page(80, 24);
    assert_eq!(request(&screen).preset.as_deref(), Some("cpu-small"));
    // Left and right pass over what cannot be had.
    let screen = to(screen, "Preset").press("right");
    assert_eq!(request(&screen).preset.as_deref(), Some("한국어-실습"));
    let screen = to(screen, "CPU").typed("6");
    let asked = request(&screen);
    assert_eq!(
        (asked.preset.as_deref(), asked.cpu, asked.mem),
        (
            None,
            Some(Cpu::from_millis(6000)),
            Some(Bytes(2 * Bytes::GIB))
        )
    );
    assert!(
        screen.sees("would wait: 12 of 16 CPU in use, 2 waiting before it"),
        "{}",
        screen.text()
    );
    // An environment that needs an accelerator has other presets.
    let screen = page(80, 24).typed("tensorflow");
    let screen = to(screen, "Resource group").press("right right");
    assert_eq!(request(&screen).preset.as_deref(), Some("medium"));
}

#[test]
fn presets_only_fixes_the_amounts() {
    let offer = Catalogue {
        presets_only: true,
        ..offer()
    };
    let screen = to(page_with(80, 24, many(), offer), "Preset");
    insta::assert_snapshot!(screen.text());
    assert!(screen.press("right right right right").sees("presets only"));
}

#[test]
fn variables_are_rows_and_secrets_are_masked() {
    let screen = to(page(140, 40), "Variables");
    let screen = screen
        .paste("STAGE=dev\nAPI_TOKEN=hush hush\n")
        .typed("1bad=x");
    let screen = screen.press("down").typed("HALF");
    insta::assert_snapshot!(screen.text());
    assert!(!screen.sees("hush"));
    assert!(screen.sees("'1bad' is no name of a variable"));
    assert!(!screen.sees("HALF needs a value"), "while one types");
    let left = screen.press("tab tab tab");
    assert!(left.sees("HALF needs a value"), "{}", left.text());
    let env = &request(&left).env;
    assert_eq!(env.len(), 2, "{env:?}");
    // All go, after a question.
    let asked = to(left, "Variables").press("alt-x");
    assert!(asked.sees("Remove all 4 variables?"), "{}", asked.text());
    let gone = asked.press("y");
    assert!(request(&gone).env.is_empty() && !gone.sees("STAGE"));
}

#[test]
fn what_is_wrong_stands_beside_its_field() {
    let screen = to(gpus(140, 44), "or an image").typed("a b");
    let screen = to(screen, "Variables").typed("9=x");
    let screen = to(screen, "CPU").typed("0.5");
    let screen = to(screen, "Memory").typed("1m");
    let screen = to(screen, "Shared memory").typed("9g");
    let screen = to(screen, "fGPU").typed("0.05");
    let screen = to(screen, "Cluster size").typed("9");
    let screen = to(screen, "Threads").press("space");
    let screen = to(screen, "OpenMP").typed("0");
    insta::assert_snapshot!(screen.text());
    let sent = screen.press("ctrl-enter");
    assert!(sent.wishes().is_empty(), "a wrong form was sent");
}

#[test]
fn a_cluster_counts_in_all_and_is_launched_alone() {
    let screen = to(page(140, 40), "Sessions").typed("3");
    assert!(
        screen.sees("6 CPU, 12 GiB in 3 sessions"),
        "{}",
        screen.text()
    );
    let screen = to(screen, "Cluster size").press("right");
    let asked = request(&screen);
    assert_eq!((asked.cluster_size, asked.count), (Some(2), None));
    assert!(screen.sees("4 CPU, 8 GiB in 2 containers"));
    insta::assert_snapshot!(to(screen, "Cluster mode").text());
}

#[test]
fn threads_by_hand_are_variables() {
    let screen = to(page(140, 40), "Threads").press("space");
    let screen = to(screen, "OpenBLAS").typed("4");
    let env = &request(&screen).env;
    assert_eq!(
        (
            env["OMP_NUM_THREADS"].as_str(),
            env["OPENBLAS_NUM_THREADS"].as_str()
        ),
        ("1", "4")
    );
    let screen = to(screen, "Variables").typed("OMP_NUM_THREADS");
    assert!(
        screen.sees("OMP_NUM_THREADS is set below"),
        "{}",
        screen.text()
    );
}

#[test]
fn a_click_chooses() {
    let screen = page(80, 24);
    let line = |screen: &Screen, text: &str| {
        let lines = screen.text();
        let at = lines.lines().position(|line| line.contains(text));
        u16::try_from(at.unwrap()).unwrap()
    };
    let y = line(&screen, "3.10  py3");
    let screen = screen.click(30, y);
    let chosen = Some("stable/python:3.10-py3-ubuntu22.04");
    assert_eq!(request(&screen).environment.as_deref(), chosen);
    let screen = to(screen, "Preset");
    let y = line(&screen, "Minimum required");
    let screen = screen.click(30, y);
    assert_eq!(request(&screen).mem, Some(Bytes::mib(320)));
    assert!(screen.sees("▎ Preset"), "{}", screen.text());
    // What cannot be had cannot be clicked.
    let y = line(&screen, "huge");
    let screen = screen.click(30, y);
    assert_eq!(request(&screen).preset, None);
}

#[test]
fn another_theme_and_plain_letters() {
    let light = gpus(140, 40).theme("default-light", ColorDepth::TrueColor);
    let light = to(light, "CPU").typed("44");
    assert!(
        light.sees("would wait: 24 of 64 CPU in use"),
        "{}",
        light.text()
    );
    let ascii = Facts {
        unicode: false,
        ..facts()
    };
    let plain = Screen::with(80, 24, ascii)
        .daemon(snapshot(day()))
        .press("n alt-2");
    assert!(
        plain.text().is_ascii() || plain.sees("데이터"),
        "{}",
        plain.text()
    );
}

const KEYS: [&str; 24] = [
    "tab",
    "tab",
    "tab",
    "shift-tab",
    "left",
    "right",
    "up",
    "down",
    "home",
    "end",
    "space",
    "+",
    "-",
    "ctrl-x",
    "alt-x",
    "y",
    "backspace",
    "ctrl-u",
    "a",
    "1",
    "0",
    ".",
    "=",
    "한",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is typed: it draws at every size, and what can be launched comes back as it is when
    /// it is launched again.
    #[test]
    fn what_is_asked_for_can_be_asked_for_again(
        keys in proptest::collection::vec(0..KEYS.len(), 0..60),
        offered: bool,
    ) {
        let offer = if offered { offer() } else { Catalogue::default() };
        let mut screen = page_with(80, 24, many(), offer);
        for key in keys {
            screen = screen.press(KEYS[key]);
        }
        for (columns, rows) in [(60, 16), (140, 40), (200, 50), (80, 24)] {
            screen = screen.resize(columns, rows);
        }
        let launcher = screen.app.launcher.as_mut().unwrap();
        let asked = launcher.request().clone();
        if launcher.problems().is_empty() {
            launcher.fill(&asked);
            prop_assert_eq!(launcher.request(), &asked);
            prop_assert!(launcher.problems().is_empty());
        }
    }
}
