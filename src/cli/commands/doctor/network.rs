//! Checks what sessions on this machine's own engines can reach over the network.

use super::Finding;
use crate::model::{
    capability::{Capabilities, Capability},
    network::{Isolation, NetworkRules},
    text::Clean,
};

const TOPIC: &str = "network";

/// A finding for each rule that isn't in effect, or one finding if all are.
pub fn examine(rules: NetworkRules, can: &Capabilities) -> Vec<Finding> {
    let is_open = rules.isolation() == Isolation::Bridge;
    let others = can.why_not(Capability::SessionIsolation);
    let host = can.why_not(Capability::HostProtection);
    let all: Vec<Finding> = [
        others.map(|why| line(tr!("Sessions can reach each other"), why, is_open)),
        host.map(|why| {
            let what = tr!("Sessions can reach programs that listen on this machine");
            line(what, why, is_open || rules.allows_host())
        }),
    ]
    .into_iter()
    .flatten()
    .collect();
    if all.is_empty() {
        let message = tr!(
            "sessions can't reach each other or programs that listen on this machine. \
                       workbay checks this at each start of a session"
        );
        return vec![Finding::ok(TOPIC, message)];
    }
    all
}

/// A state that the configuration asks for isn't a warning.
fn line(what: &str, why: &Clean, is_asked_for: bool) -> Finding {
    let message = format!("{what}: {why}");
    if is_asked_for {
        return Finding::ok(TOPIC, message);
    }
    Finding::warn(TOPIC, message).hint(
        tr!("use rootful Docker with iptables on this machine, or set [network] isolation = \"none\" in resources.toml"),
    )
}

#[cfg(test)]
mod tests {
    use super::{super::Level, *};

    #[test]
    fn what_does_not_hold_is_a_warning_unless_it_was_asked_for() {
        let mut can = Capabilities::default();
        let rules = NetworkRules::default();
        let levels = |rules: NetworkRules, can: &Capabilities| {
            let found = examine(rules, can);
            found.iter().map(|one| one.level).collect::<Vec<_>>()
        };
        assert_eq!(levels(rules, &can), [Level::Ok]);
        can.take_network(vec![(Capability::HostProtection, "no iptables".into())]);
        assert_eq!(levels(rules, &can), [Level::Warn]);
        let message = examine(rules, &can).remove(0).message;
        assert!(
            message.as_str().ends_with("machine: no iptables"),
            "{message}"
        );
        let allowed = NetworkRules {
            host_access: Some(true),
            ..rules
        };
        assert_eq!(levels(allowed, &can), [Level::Ok]);
        can.take_network(vec![
            (Capability::SessionIsolation, "no rules".into()),
            (Capability::HostProtection, "no iptables".into()),
        ]);
        assert_eq!(levels(allowed, &can), [Level::Warn, Level::Ok]);
        let open = NetworkRules {
            isolation: Some(Isolation::Bridge),
            ..rules
        };
        assert_eq!(levels(open, &can), [Level::Ok, Level::Ok]);
    }
}
