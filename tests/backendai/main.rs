//! The Backend.AI engine against a scripted manager: what it asks, what it makes of the answers,
//! and the sentence for every fault.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail at any line"
)]

#[path = "../support/changes.rs"]
mod changes;
#[path = "../support/manager/mod.rs"]
mod manager;
#[path = "../support/poll.rs"]
#[allow(dead_code, reason = "shared with tests of engines")]
mod poll;

mod acting;
mod choosing;
mod events;
mod faults;
mod files;
mod folders;
mod launching;
mod lists;
mod login;
mod odd;
mod old;
mod secrets;
mod streams;
mod tls;

use workbay::{
    engine::{
        api::Engine,
        backendai::{BackendAiConfig, BackendAiEngine, Login},
        manager::{Manager as _, PageQuery},
    },
    model::{
        failure::Failure,
        id::{ContextName, SessionId},
        secret::Secret,
        status::Tab,
        text::Clean,
    },
};

use manager::Manager;

const ONE: &str = "3759c400-9982-4a2f-a80b-d1bd4590f418";
const TWO: &str = "eb769463-bd80-4623-98ae-cb9e9d5a4420";

fn config(endpoint: &str) -> BackendAiConfig {
    BackendAiConfig {
        context: ContextName::new("prod").unwrap(),
        endpoint: endpoint.to_owned(),
        login: Login::Api {
            access_key: manager::ACCESS.to_owned(),
            secret_key: Secret::new(manager::SECRET),
        },
        domain: None,
        project: None,
        ca_file: None,
        all_users: false,
        shares_per_device: None,
        insecure: false,
        clock: manager::now,
    }
}

/// An engine with the right keys.
fn engine(manager: &Manager) -> BackendAiEngine {
    BackendAiEngine::new(config(&manager.endpoint()))
}

/// One that was let in already.
async fn open(manager: &Manager) -> BackendAiEngine {
    let engine = engine(manager);
    engine.probe().await.unwrap();
    engine
}

fn id(text: &str) -> SessionId {
    text.parse().unwrap()
}

fn running() -> PageQuery {
    PageQuery {
        tab: Tab::Running,
        text: None,
        offset: 0,
        limit: 100,
    }
}

/// The sentence of an error, and what it says to do.
fn reason_and_fix(error: &Failure) -> (String, Option<String>) {
    let hint = error.hint.clone().map(Clean::into_string);
    (error.to_string(), hint)
}

/// The sentence a list fails with.
async fn list_fails(engine: &BackendAiEngine) -> Failure {
    engine.page(&running()).await.unwrap_err()
}
