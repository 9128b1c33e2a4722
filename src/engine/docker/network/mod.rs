//! The networks of sessions, and what isolates sessions from each other and from the machine.
//!
//! If the engine can't do what a setting of `[network]` demands, the session is refused. Without a setting, the session
//! starts with what the engine can do, and its log begins with what the engine can't do.

mod create;
mod firewall;

pub(super) use create::{endpoint, remove_networks};
pub(super) use firewall::Firewall;

use super::{
    DockerEngine,
    connect::{
        connection::EngineConnection,
        quirks::{ContainerProgram, UserMapping},
    },
    toolbox::Toolbox,
};
use crate::{
    engine::api::{CreatePlan, Result},
    model::{
        capability::Capability,
        failure::Failure,
        network::{Guarded, Isolation, NetworkRules},
        text::Clean,
    },
};
use create::{ExistingNetwork, NetworkRequest, NetworkScope};

/// The network of a session's containers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SessionNetwork {
    /// The network mode for the engine; `None` = its default.
    pub(super) mode: Option<String>,
    /// Whether its containers find each other by their host names.
    pub(super) has_names: bool,
    /// Limitations that the user should know.
    pub(super) warnings: Vec<String>,
}

impl SessionNetwork {
    fn of(made: &ExistingNetwork, is_cluster: bool) -> Self {
        Self {
            mode: Some(made.id.clone()),
            has_names: is_cluster,
            warnings: Vec::new(),
        }
    }
}

/// The network for a session's containers.
#[derive(Debug, PartialEq, Eq)]
enum NetworkChoice {
    Default,
    Nothing,
    OfUser,
    OfSession,
}

fn choose(isolation: Isolation, kind: ContainerProgram, is_cluster: bool) -> NetworkChoice {
    match (isolation, kind, is_cluster) {
        (_, _, true) => NetworkChoice::OfSession,
        (Isolation::None, _, false) => NetworkChoice::Nothing,
        (_, ContainerProgram::Podman, false) | (Isolation::Bridge, _, false) => {
            NetworkChoice::Default
        }
        (Isolation::User, ContainerProgram::Docker, false) => NetworkChoice::OfUser,
        (Isolation::Session, ContainerProgram::Docker, false) => NetworkChoice::OfSession,
    }
}

/// Why the engine's default network doesn't isolate sessions.
const DEFAULT_NETWORK: &str =
    tr_sent!("[network] isolation = \"bridge\" puts sessions on the engine's default network");

/// What is known of an engine without checking its machine.
fn known(rules: NetworkRules, connection: &EngineConnection) -> Option<Guarded> {
    let both = |why: &str| Guarded {
        host: Some(why.to_owned()),
        sessions: Some(why.to_owned()),
    };
    if connection.quirks.kind == ContainerProgram::Podman {
        return Some(both(tr_sent!("workbay leaves the network to Podman")));
    }
    if rules.isolation() == Isolation::Bridge {
        return Some(both(DEFAULT_NETWORK));
    }
    let host = if connection.remote.is_some() {
        tr_sent!("the engine is on another machine, whose firewall workbay doesn't change")
    } else if connection.quirks.mapping == UserMapping::RootIsCaller {
        tr_sent!("rootless Docker can't change this machine's firewall")
    } else {
        return None;
    };
    Some(Guarded {
        host: Some(host.to_owned()),
        sessions: None,
    })
}

impl DockerEngine {
    /// Puts a session on the network that the settings demand; creates the network if it doesn't exist.
    pub(super) async fn join(
        &self,
        connection: &EngineConnection,
        plan: &CreatePlan,
        toolbox: &Toolbox,
    ) -> Result<SessionNetwork> {
        let (rules, is_cluster) = (self.config.network, !plan.subs.is_empty());
        let isolation = rules.isolation();
        let whose = match choose(isolation, connection.quirks.kind, is_cluster) {
            NetworkChoice::Nothing => {
                return Ok(SessionNetwork {
                    mode: Some("none".to_owned()),
                    ..SessionNetwork::default()
                });
            }
            NetworkChoice::Default => {
                let found = known(rules, connection).unwrap_or_default();
                return Ok(SessionNetwork {
                    warnings: self.weigh(&found)?,
                    ..SessionNetwork::default()
                });
            }
            NetworkChoice::OfUser => NetworkScope::User,
            NetworkChoice::OfSession => NetworkScope::Session(plan.session),
        };
        let wanted = NetworkRequest {
            whose,
            is_open: rules.allows_host(),
            is_closed_up: isolation == Isolation::None,
        };
        let made = match create::ensure(connection, self.config.instance, &wanted).await {
            Ok(made) => made,
            Err(error) if is_cluster || error.is_lost() => return Err(error),
            Err(error) => return self.without_network(&error),
        };
        let found = match known(rules, connection) {
            Some(found) => found,
            None => self.guard(connection, &made.bridge, toolbox).await,
        };
        let mut joined = SessionNetwork::of(&made, is_cluster);
        joined.warnings = self.weigh(&found)?;
        Ok(joined)
    }

    /// Falls back to the engine's default network if no setting demands another one.
    fn without_network(&self, error: &Failure) -> Result<SessionNetwork> {
        let why = tr_sent!("a network can't be created: {error}", error);
        let found = Guarded {
            host: Some(why.clone()),
            sessions: Some(why),
        };
        Ok(SessionNetwork {
            warnings: self.weigh(&found)?,
            ..SessionNetwork::default()
        })
    }

    /// Reports missing isolation: an error if a setting demands it, a warning without a setting.
    fn weigh(&self, found: &Guarded) -> Result<Vec<String>> {
        weigh(self.config.network, found)
    }

    /// The network capabilities that the engine lacks, as far as known.
    pub(super) fn lacks_of_network(
        &self,
        connection: &EngineConnection,
    ) -> Vec<(Capability, Clean)> {
        let rules = self.config.network;
        let found = known(rules, connection).or_else(|| connection.firewall.last());
        let mut found = found.unwrap_or_default();
        if rules.isolation() == Isolation::None {
            // Without a network, sessions reach nothing.
            found = Guarded::default();
        } else if rules.allows_host() {
            found.host = Some(tr_sent!("[network] host-access = true allows it").to_owned());
        }
        let lack = |capability, why: Option<String>| Some((capability, Clean::new(&why?)));
        [
            lack(Capability::SessionIsolation, found.sessions),
            lack(Capability::HostProtection, found.host),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Removes networks that no session needs anymore. Errors are only logged: the next session triggers another
    /// attempt.
    pub(super) async fn tidy_networks(&self, connection: &EngineConnection) {
        // Not while a session is joining a network.
        let Ok(_alone) = self.joining.try_write() else {
            return;
        };
        if let Err(error) = create::remove_users(connection, self.config.instance).await {
            tracing::warn!(%error, "an unused network stays");
        }
    }
}

fn weigh(rules: NetworkRules, found: &Guarded) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    let isolation = rules.isolation();
    // In this case only clusters are on a network, which must have no way out.
    if let (Isolation::None, Some(why)) =
        (isolation, found.sessions.as_ref().or(found.host.as_ref()))
    {
        return Err(refused("isolation = \"none\"", "isolation", why));
    }
    if let Some(why) = &found.sessions
        && matches!(isolation, Isolation::User | Isolation::Session)
    {
        if rules.isolation.is_some() {
            let setting = format!("isolation = \"{}\"", isolation.word());
            return Err(refused(&setting, "isolation", why));
        }
        warnings.push(tr_sent!(
            "other containers can reach this session: {why}",
            why
        ));
    }
    if let Some(why) = &found.host
        && !rules.allows_host()
        && isolation != Isolation::Bridge
    {
        if rules.host_access.is_some() {
            return Err(refused("host-access = false", "host-access", why));
        }
        warnings.push(tr_sent!(
            "this session can reach programs that listen on the engine's machine: {why}",
            why
        ));
    }
    Ok(warnings)
}

fn refused(setting: &str, key: &str, why: &str) -> Failure {
    Failure::refused(tr_sent!(
        "{setting} in [network] of resources.toml isn't possible here: {why}",
        setting,
        why
    ))
    .hint(tr_sent!(
        "fix that, or remove {key} from [network] to start sessions with a warning instead",
        key
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_chooses_a_network() {
        use Isolation::{Bridge, None, Session, User};
        let docker =
            |isolation, is_cluster| choose(isolation, ContainerProgram::Docker, is_cluster);
        assert_eq!(docker(User, false), NetworkChoice::OfUser);
        assert_eq!(docker(Session, false), NetworkChoice::OfSession);
        assert_eq!(docker(None, false), NetworkChoice::Nothing);
        assert_eq!(docker(Bridge, false), NetworkChoice::Default);
        for isolation in Isolation::ALL {
            assert_eq!(docker(isolation, true), NetworkChoice::OfSession);
        }
        assert_eq!(
            choose(User, ContainerProgram::Podman, false),
            NetworkChoice::Default
        );
        assert_eq!(
            choose(None, ContainerProgram::Podman, false),
            NetworkChoice::Nothing
        );
    }

    #[test]
    fn what_is_set_is_kept_or_refused_and_what_is_not_set_is_a_warning() {
        let found = Guarded {
            host: Some("no iptables".to_owned()),
            sessions: Some("no rules".to_owned()),
        };
        let rules = |isolation, host_access| NetworkRules {
            isolation,
            host_access,
        };
        let open = rules(None, None);
        let warnings = weigh(open, &found).unwrap();
        assert_eq!(warnings.len(), 2);
        assert!(warnings[0].contains("no rules") && warnings[1].contains("no iptables"));
        assert_eq!(weigh(open, &Guarded::default()).unwrap(), [""; 0]);

        let refused = |rules: NetworkRules| weigh(rules, &found).unwrap_err().to_string();
        let error = refused(rules(Some(Isolation::Session), None));
        assert!(
            error.contains("isolation = \"session\" in [network]"),
            "{error}"
        );
        let error = refused(rules(None, Some(false)));
        assert!(error.contains("host-access = false"), "{error}");

        let error = refused(rules(Some(Isolation::None), None));
        assert!(error.contains("isolation = \"none\""), "{error}");

        // Nothing to enforce: the network is chosen or the access is allowed.
        assert_eq!(
            weigh(rules(Some(Isolation::Bridge), None), &found)
                .unwrap()
                .len(),
            0
        );
        let allowed = weigh(rules(None, Some(true)), &found).unwrap();
        assert_eq!(allowed.len(), 1);
    }
}
