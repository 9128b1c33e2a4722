//! The owner of home directories. In an environment that runs as its image's own user, that user owns the home
//! directories while the session exists, and the daemon's user owns them afterwards. Changing the owner needs root, so
//! a helper container does it. It uses workbay's own image, never the session's: what that image loads into every
//! program (`LD_PRELOAD`, /etc/ld.so.preload) would run as root in the helper.

use std::{fs, os::unix::fs::MetadataExt as _};

use bollard::models::{ContainerCreateBody, HostConfig, Mount};

use crate::engine::docker::{
    DockerEngine,
    connect::{connection::EngineConnection, quirks::Quirks},
    container::{create, helper, identity::Identity, labels},
    folder::mounts,
    image::host,
};
use crate::{
    engine::api::Result,
    model::{id::SessionId, inside},
};

/// The capabilities of the helper: to read every directory and change its owner.
const CAPABILITIES: [&str; 3] = ["CHOWN", "DAC_OVERRIDE", "FOWNER"];

/// The name of the helper for one home directory. A new helper replaces one that a crash left.
pub(in crate::engine::docker) fn name(session: SessionId, place: u32) -> String {
    format!("workbay.home.{session}.{place}")
}

/// One home directory whose owner is changed.
pub(in crate::engine::docker) struct OwnershipChange<'a> {
    /// Workbay's own image, which is almost empty.
    pub(in crate::engine::docker) image: String,
    /// The toolbox and the home directory.
    pub(in crate::engine::docker) mounts: Vec<Mount>,
    pub(in crate::engine::docker) runner: &'a [String],
    pub(in crate::engine::docker) userns: Option<&'static str>,
    pub(in crate::engine::docker) name: String,
}

impl OwnershipChange<'_> {
    /// `owner` is uid and gid.
    pub(in crate::engine::docker) async fn give_to(
        self,
        connection: &EngineConnection,
        owner: (u32, u32),
    ) -> Result<()> {
        let body = self.body(&connection.quirks, owner);
        helper::run(connection, &self.name, body).await.map(drop)
    }

    fn body(&self, quirks: &Quirks, (uid, gid): (u32, u32)) -> ContainerCreateBody {
        let mut command = self.runner.to_vec();
        command.extend(["runner", "give-home"].map(str::to_owned));
        command.extend([uid, gid].map(|number| number.to_string()));
        ContainerCreateBody {
            user: Some("0:0".to_owned()),
            entrypoint: Some(command),
            cmd: Some(Vec::new()),
            env: Some(Vec::new()),
            image: Some(self.image.clone()),
            labels: Some([(labels::OURS.to_owned(), "1".to_owned())].into()),
            host_config: Some(HostConfig {
                cap_drop: Some(vec!["ALL".to_owned()]),
                cap_add: Some(CAPABILITIES.map(str::to_owned).to_vec()),
                security_opt: Some(create::security(quirks.selinux)),
                ulimits: Some(create::ulimits(quirks)),
                userns_mode: self.userns.map(str::to_owned),
                network_mode: Some("none".to_owned()),
                readonly_rootfs: Some(true),
                mounts: Some(self.mounts.clone()),
                ..HostConfig::default()
            }),
            ..ContainerCreateBody::default()
        }
    }
}

impl DockerEngine {
    /// Whether another user owns one of the session's home directories.
    pub(in crate::engine::docker) fn is_anothers(&self, session: SessionId) -> bool {
        let owner = Identity::owner_of_homes().0;
        let homes = self.scratches.homes(session).into_iter();
        let mut owners = homes.filter_map(|home| fs::symlink_metadata(home).ok());
        owners.any(|meta| meta.uid() != owner)
    }

    /// Makes the daemon's user the owner of those home directories on this machine that another user owns. The session's
    /// containers must be gone.
    pub(in crate::engine::docker) async fn take_back(
        &self,
        connection: &EngineConnection,
        session: SessionId,
    ) -> Result<()> {
        if connection.remote.is_some() || !self.is_anothers(session) {
            return Ok(());
        }
        self.take_all_back(connection, session).await
    }

    /// The same for all home directories: files inside may belong to another user.
    pub(in crate::engine::docker) async fn take_all_back(
        &self,
        connection: &EngineConnection,
        session: SessionId,
    ) -> Result<()> {
        let identity = Identity::of_caller(connection.quirks.mapping);
        let toolbox = self.toolbox(connection).await?;
        // The image's content isn't needed, and the session's own image may be gone.
        let image = host::ensure_image(connection, identity.inside).await?;
        for (place, home) in self.scratches.homes(session).into_iter().enumerate() {
            let turn = OwnershipChange {
                image: image.clone(),
                mounts: vec![
                    mounts::read_only(&toolbox.dir, inside::TOOLBOX.as_ref()),
                    mounts::writable(&home, inside::HOME.as_ref()),
                ],
                runner: &toolbox.runner,
                userns: identity.userns,
                name: name(session, place as u32),
            };
            turn.give_to(connection, identity.inside).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bollard::models::SystemInfo;

    use super::*;
    use crate::engine::docker::connect::quirks::QuirkInputs;

    #[test]
    fn the_helper_has_nothing_of_the_sessions_image() {
        let turn = OwnershipChange {
            image: format!("{}:0123", host::REPOSITORY),
            mounts: vec![
                mounts::read_only("/toolbox".as_ref(), inside::TOOLBOX.as_ref()),
                mounts::writable("/home-of-it".as_ref(), inside::HOME.as_ref()),
            ],
            runner: &["/opt/loader".to_owned()],
            userns: None,
            name: name(SessionId::from_u128(1), 0),
        };
        let quirks = Quirks::of(&QuirkInputs {
            info: &SystemInfo::default(),
            podman: None,
            process: None,
        });
        let body = turn.body(&quirks, (1234, 1235));
        assert_eq!(body.image.as_deref(), Some("workbay/host:0123"));
        assert_eq!(body.env, Some(Vec::new()));
        let command = ["/opt/loader", "runner", "give-home", "1234", "1235"];
        assert_eq!(body.entrypoint.unwrap(), command);
        let config = body.host_config.unwrap();
        assert_eq!(config.readonly_rootfs, Some(true));
        assert_eq!(config.network_mode.as_deref(), Some("none"));
        assert_eq!(config.cap_drop.unwrap(), ["ALL"]);
        assert_eq!(config.cap_add.unwrap(), CAPABILITIES);
        let security = config.security_opt.unwrap();
        assert!(security.contains(&"no-new-privileges".to_owned()));
        let mounted = config.mounts.unwrap();
        let writable = mounted.iter().filter(|one| one.read_only != Some(true));
        let targets: Vec<_> = writable.filter_map(|one| one.target.as_deref()).collect();
        assert_eq!((mounted.len(), targets), (2, vec![inside::HOME]));
    }
}
