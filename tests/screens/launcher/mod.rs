//! The launcher: its pages, what is wrong on each, what is on top of it, and the steps through it.

mod again;
mod fields;
mod launching;
mod own_images;
mod pages;
mod steps;

use workbay::{
    model::{
        catalogue::{Catalogue, Policy, ResourceGroup},
        folder::Folder,
        resources::{Bytes, Cpu, ResourceSlots},
        spec::LaunchRequest,
        text::Clean,
    },
    protocol::message::Request,
};

use crate::{
    screen::Screen,
    steps::{answered, working_day},
};

fn slots(cores: u64, gib: u64) -> ResourceSlots {
    ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes(gib * Bytes::GIB))
}

fn folder(name: &str, permission: &str) -> Folder {
    Folder {
        permission: Clean::new(permission),
        is_owner: permission == "rw",
        ..Folder::own(name, "local")
    }
}

/// What this machine offers.
fn offer() -> Catalogue {
    Catalogue {
        resource_groups: vec![ResourceGroup {
            name: Clean::new("default"),
            using: slots(5, 17),
            remaining: slots(3, 14),
            waiting: Some(0),
            capacity: Some(slots(8, 31)),
            free: None,
            free_by_agent: None,
        }],
        folders: vec![
            folder("datasets", "ro"),
            folder("models", "rw"),
            folder("자료-모음", "rw"),
            folder(".cache", "rw"),
        ],
        policy: Policy {
            max_containers_per_session: Some(4),
            ..Policy::default()
        },
        ..Catalogue::default()
    }
}

/// The launcher, opened, with the catalogue.
pub fn opened(columns: u16, rows: u16) -> Screen {
    answered(working_day(columns, rows).press("n"), offer())
}

fn launches(screen: &Screen) -> Vec<LaunchRequest> {
    let asked = screen.questions().filter_map(|(_, request)| match request {
        Request::Launch { launch, .. } => Some((**launch).clone()),
        _ => None,
    });
    asked.collect()
}

const SIZES: [(u16, u16); 2] = [(80, 24), (140, 40)];

/// Of a batch session, everything of the first page filled in.
fn batch(screen: Screen) -> Screen {
    screen
        .press("up right down")
        .typed("nightly")
        .press("tab")
        .typed("python train.py")
        .press("enter")
        .typed("python report.py")
        .press("tab")
        .typed("+2h")
        .press("tab")
        .typed("90m")
}
