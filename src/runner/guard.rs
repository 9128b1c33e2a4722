//! The firewall of the engine's machine: sessions reach no program that listens there. Run as root by a
//! container that shares the machine's network and programs and does nothing else.
//!
//! The rules name bridges by the beginning of their names and stay until the machine restarts: they serve every
//! user's sessions, so nobody removes them.

use std::{
    fs,
    io::Write as _,
    net::{IpAddr, UdpSocket},
    path::Path,
    process::{Command, ExitCode, Output},
};

use crate::model::network::{BRIDGES, GUARDED_BRIDGES, Guarded};

/// Where machines keep their programs for administrators.
const PLACES: [&str; 4] = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// Whether packets within a bridge pass through the firewall at all.
const WITHIN_BRIDGES: &str = "/proc/sys/net/bridge/bridge-nf-call-iptables";

/// Puts the rules in, where they are not there yet, and prints what holds.
pub(super) fn run(bridge: &str) -> ExitCode {
    let guarded = Guarded {
        host: close_host().err(),
        sessions: close_between(bridge).err(),
    };
    let printed = serde_json::to_string(&guarded).map(|text| writeln!(std::io::stdout(), "{text}"));
    match printed {
        Ok(Ok(())) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Sessions have no IPv6 addresses on our networks: its rule is for a machine that gives them some, and may
/// fail where there is no IPv6.
fn close_host() -> Result<(), String> {
    let four = iptables()?;
    let servers = name_servers(&fs::read_to_string("/etc/resolv.conf").unwrap_or_default());
    for rule in rules(&servers, is_of_this_machine) {
        ensure(&four, "filter", &rule)?;
    }
    if let Some(six) = program("ip6tables") {
        let _ = ensure(&six, "filter", &refusal());
    }
    Ok(())
}

fn iptables() -> Result<String, String> {
    let found = program("iptables");
    found.ok_or_else(|| "the machine has no iptables program".to_owned())
}

fn program(name: &str) -> Option<String> {
    let mut all = PLACES.iter().map(|dir| format!("{dir}/{name}"));
    all.find(|path| Path::new(path).exists())
}

/// The rules in the order in which each is put before all others.
fn rules(servers: &[IpAddr], is_local: impl Fn(IpAddr) -> bool) -> Vec<Vec<String>> {
    let local = servers.iter().copied();
    let local =
        local.filter(|server| server.is_ipv4() && !server.is_loopback() && is_local(*server));
    let names = local.flat_map(|server| ["udp", "tcp"].map(|kind| exception(server, kind)));
    std::iter::once(refusal()).chain(names).collect()
}

/// New connections of sessions end here; answers to those that the machine makes pass.
fn refusal() -> Vec<String> {
    rule(&["-m", "conntrack", "--ctstate", "NEW"], "REJECT")
}

/// Nothing is routed from one of our networks to another; what stays on one is bridged. The engine has rules of
/// its own for that, which some versions take out for a moment whenever they create a network. They put others
/// first in the table `filter`: this one is in a table that comes before it.
fn separation() -> Vec<String> {
    let ours = format!("{BRIDGES}+");
    let way = ["FORWARD", "-i", &ours, "-o", &ours];
    let routed = ["-m", "physdev", "!", "--physdev-is-bridged"];
    let rest = ["-m", "comment", "--comment", "workbay", "-j", "DROP"];
    let all = way.iter().chain(&routed).chain(&rest);
    all.map(|word| (*word).to_owned()).collect()
}

/// A name server of this machine that the engine sends sessions' questions to from their own addresses.
fn exception(server: IpAddr, kind: &str) -> Vec<String> {
    let server = server.to_string();
    rule(&["-d", &server, "-p", kind, "--dport", "53"], "ACCEPT")
}

fn rule(what: &[&str], end: &str) -> Vec<String> {
    let bridges = format!("{GUARDED_BRIDGES}+");
    let before = ["INPUT", "-i", &bridges];
    let after = ["-m", "comment", "--comment", "workbay", "-j", end];
    let all = before.iter().chain(what).chain(&after);
    all.map(|word| (*word).to_owned()).collect()
}

/// One rule of a table, once.
fn ensure(program: &str, table: &str, rule: &[String]) -> Result<(), String> {
    if call(program, table, "-C", rule)?.status.success() {
        return Ok(());
    }
    let put = call(program, table, "-I", rule)?;
    if put.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&put.stderr);
    Err(format!("{program} refused a rule: {}", said.trim()))
}

fn call(program: &str, table: &str, act: &str, rule: &[String]) -> Result<Output, String> {
    let mut command = Command::new(program);
    // It waits for others who change rules, ten seconds at most.
    command.args(["-w", "10", "-t", table, act]);
    command.args(rule).env_clear();
    let outcome = command.output();
    outcome.map_err(|error| format!("{program} can't be run: {error}"))
}

/// The addresses that `resolv.conf` names.
fn name_servers(text: &str) -> Vec<IpAddr> {
    let words = text.lines().map(|line| line.split_whitespace());
    let servers = words.filter_map(|mut words| {
        let is_one = words.next() == Some("nameserver");
        words.next().filter(|_| is_one)
    });
    servers.filter_map(|server| server.parse().ok()).collect()
}

/// Only an own address can be bound.
fn is_of_this_machine(address: IpAddr) -> bool {
    UdpSocket::bind((address, 0)).is_ok()
}

/// Keeps networks from each other, and finds out whether the engine keeps those on one bridge from each other.
fn close_between(bridge: &str) -> Result<(), String> {
    ensure(&iptables()?, "mangle", &separation())?;
    if fs::read_to_string(WITHIN_BRIDGES).is_ok_and(|value| value.trim() == "0") {
        return Err(
            "the machine's firewall doesn't see traffic within bridges (sysctl \
             net.bridge.bridge-nf-call-iptables is 0)"
                .to_owned(),
        );
    }
    let listed = |name: &str, args: &[&str]| {
        let output = Command::new(program(name)?).args(args).env_clear().output();
        Some(String::from_utf8_lossy(&output.ok()?.stdout).into_owned())
    };
    let lists = [
        listed("iptables", &["-w", "10", "-S"]),
        listed("nft", &["list", "ruleset"]),
    ];
    if lists.iter().flatten().any(|rules| rules.contains(bridge)) {
        return Ok(());
    }
    Err("the engine sets no firewall rules for its networks (dockerd --iptables=false)".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_server_of_the_machine_stays_reachable_and_nothing_else() {
        let text = "# kept\nsearch lan\nnameserver 127.0.0.53\nnameserver 192.0.2.1\nnameserver 192.0.2.9\n\
                    nameserver fd00::1\nnameserver nonsense\nnameserver\n";
        let servers = name_servers(text);
        assert_eq!(servers.len(), 4);
        let own: IpAddr = "192.0.2.1".parse().unwrap();
        let all = rules(&servers, |server| server == own || server.is_loopback());
        let lines: Vec<String> = all.iter().map(|rule| rule.join(" ")).collect();
        let comment = "-m comment --comment workbay";
        assert_eq!(
            lines,
            [
                format!("INPUT -i wb-c+ -m conntrack --ctstate NEW {comment} -j REJECT"),
                format!("INPUT -i wb-c+ -d 192.0.2.1 -p udp --dport 53 {comment} -j ACCEPT"),
                format!("INPUT -i wb-c+ -d 192.0.2.1 -p tcp --dport 53 {comment} -j ACCEPT"),
            ]
        );
    }

    #[test]
    fn what_stays_on_a_network_is_not_dropped() {
        let rule = separation().join(" ");
        assert!(rule.starts_with("FORWARD -i wb-+ -o wb-+ -m physdev ! --physdev-is-bridged "));
        assert!(rule.ends_with(" -j DROP"));
    }

    #[test]
    fn only_an_own_address_is_of_this_machine() {
        assert!(is_of_this_machine("127.0.0.1".parse().unwrap()));
        assert!(!is_of_this_machine("203.0.113.77".parse().unwrap()));
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = ensure("/nowhere/iptables", "filter", &refusal()).unwrap_err();
        assert!(error.contains("/nowhere/iptables can't be run"), "{error}");
    }
}
