//! Maintains the firewall of the engine's machine. A helper container adds missing rules (`runner guard`) and reports
//! the result. It has workbay's own empty image, this machine's programs and this machine's network. The daemon itself
//! doesn't need root: a user with access to Docker's socket can do the same.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use bollard::models::{ContainerCreateBody, HostConfig, Mount};
use tokio::time::Instant;

use super::super::{
    DockerEngine,
    connect::connection::EngineConnection,
    container::{create, helper, identity::Identity, labels},
    folder::mounts,
    image::host,
    toolbox::Toolbox,
};
use crate::{
    engine::api::Result,
    model::{failure::Failure, inside, network::Guarded},
};

/// The capabilities needed to change the rules of both kinds of firewall.
const CAPABILITIES: [&str; 2] = ["NET_ADMIN", "NET_RAW"];

/// Another program may have cleared the firewall: after this time, the next session checks it again.
const HOLDS: Duration = Duration::from_secs(600);
/// The same after a problem, which may have been fixed.
const RETRY: Duration = Duration::from_secs(30);

/// The lock file that iptables shares with other programs on this machine.
const LOCK: &str = "/run/xtables.lock";

/// The last result on one engine.
#[derive(Default)]
pub(in crate::engine::docker) struct Firewall {
    turn: tokio::sync::Mutex<()>,
    last: Mutex<Option<(Instant, Guarded)>>,
}

impl Firewall {
    /// `None` = not checked yet.
    pub(super) fn last(&self) -> Option<Guarded> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().map(|(_, found)| found.clone())
    }

    fn fresh(&self) -> Option<Guarded> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, found) = last.as_ref()?;
        let is_well = *found == Guarded::default();
        let valid_for = if is_well { HOLDS } else { RETRY };
        (at.elapsed() < valid_for).then(|| found.clone())
    }

    fn note(&self, found: &Guarded) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some((Instant::now(), found.clone()));
    }
}

impl DockerEngine {
    /// What the firewall guards for sessions on this bridge.
    pub(super) async fn guard(
        &self,
        connection: &EngineConnection,
        bridge: &str,
        toolbox: &Toolbox,
    ) -> Guarded {
        let _turn = connection.firewall.turn.lock().await;
        if let Some(found) = connection.firewall.fresh() {
            return found;
        }
        let found = self.look_after_firewall(connection, bridge, toolbox).await;
        let found = found.unwrap_or_else(|error| {
            let why = tr_sent!("the firewall can't be checked: {error}", error);
            Guarded {
                host: Some(why.clone()),
                sessions: Some(why),
            }
        });
        connection.firewall.note(&found);
        found
    }

    async fn look_after_firewall(
        &self,
        connection: &EngineConnection,
        bridge: &str,
        toolbox: &Toolbox,
    ) -> Result<Guarded> {
        if let Some(why) = host::unavailable() {
            return Err(Failure::unsupported(why));
        }
        let identity = Identity::of_caller(connection.quirks.mapping);
        let image = host::ensure_image(connection, identity.inside).await?;
        let mut command = toolbox.runner.clone();
        command.extend(["runner", "guard", bridge].map(str::to_owned));
        let body = ContainerCreateBody {
            user: Some("0:0".to_owned()),
            entrypoint: Some(command),
            cmd: Some(Vec::new()),
            env: Some(Vec::new()),
            image: Some(image),
            labels: Some([(labels::OURS.to_owned(), "1".to_owned())].into()),
            host_config: Some(HostConfig {
                cap_drop: Some(vec!["ALL".to_owned()]),
                cap_add: Some(CAPABILITIES.map(str::to_owned).to_vec()),
                security_opt: Some(create::security(connection.quirks.selinux)),
                ulimits: Some(create::ulimits(&connection.quirks)),
                log_config: Some(create::log_config(&connection.quirks)),
                userns_mode: identity.userns.map(str::to_owned),
                network_mode: Some("host".to_owned()),
                readonly_rootfs: Some(true),
                tmpfs: Some([("/run".to_owned(), String::new())].into()),
                mounts: Some(programs(toolbox)),
                ..HostConfig::default()
            }),
            ..ContainerCreateBody::default()
        };
        let name = format!("workbay.network.{}", self.config.instance);
        let said = helper::run(connection, &name, body).await?;
        serde_json::from_str(said.trim()).map_err(|_| {
            Failure::reported(tr_sent!("the helper printed '{said}'", said = said.trim()))
        })
    }
}

/// This machine's programs, and the lock file of iptables.
fn programs(toolbox: &Toolbox) -> Vec<Mount> {
    let mut all = host::mounts();
    all.push(mounts::read_only(&toolbox.dir, inside::TOOLBOX.as_ref()));
    let sbin = Path::new("/sbin");
    if sbin.is_dir() && !sbin.is_symlink() {
        all.push(mounts::read_only(sbin, sbin));
    }
    let lock = Path::new(LOCK);
    if lock.exists() {
        all.push(mounts::writable(lock, lock));
    }
    all
}
