//! Sets up the firewall of the engine's machine, so that sessions can't reach programs that listen there. It runs as
//! root in a container that shares the machine's network and programs and does nothing else.
//!
//! The rules match bridges by the prefix of their names and stay until the machine restarts. They are never removed,
//! because they serve the sessions of all users.

use std::{
    fs,
    io::Write as _,
    net::{IpAddr, UdpSocket},
    path::Path,
    process::{Command, ExitCode, Output},
};

use crate::model::network::{BRIDGES, GUARDED_BRIDGES, Guarded};

/// Directories of the machine's programs for administrators.
const PLACES: [&str; 4] = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// The kernel setting that says whether packets within a bridge pass through the firewall.
const WITHIN_BRIDGES: &str = "/proc/sys/net/bridge/bridge-nf-call-iptables";

/// Inserts the missing rules and prints which protections are in effect.
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

/// Blocks new connections from sessions to this machine. Sessions have no IPv6 addresses on our networks. The IPv6
/// rule is for machines that assign some, and may fail on machines without IPv6.
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
    found.ok_or_else(|| tr_sent!("the machine has no iptables program").to_owned())
}

fn program(name: &str) -> Option<String> {
    let mut all = PLACES.iter().map(|dir| format!("{dir}/{name}"));
    all.find(|path| Path::new(path).exists())
}

/// Returns the rules in the order of insertion. Each is inserted before all others, so the last one is checked first.
fn rules(servers: &[IpAddr], is_local: impl Fn(IpAddr) -> bool) -> Vec<Vec<String>> {
    let local = servers.iter().copied();
    let local =
        local.filter(|server| server.is_ipv4() && !server.is_loopback() && is_local(*server));
    let names = local.flat_map(|server| ["udp", "tcp"].map(|kind| exception(server, kind)));
    std::iter::once(refusal()).chain(names).collect()
}

/// Rejects new connections of sessions. Answers to connections that the machine makes pass.
fn refusal() -> Vec<String> {
    rule(&["-m", "conntrack", "--ctstate", "NEW"], "REJECT")
}

/// Drops packets that are routed from one of our networks to another. Packets within a network are bridged and pass.
/// The engine has its own rules for that, but some versions remove them for a moment whenever they create a network,
/// and insert other rules first in the table `filter`. So this rule is in a table that is checked earlier.
fn separation() -> Vec<String> {
    let ours = format!("{BRIDGES}+");
    let between = ["FORWARD", "-i", &ours, "-o", &ours];
    let routed = ["-m", "physdev", "!", "--physdev-is-bridged"];
    let rest = ["-m", "comment", "--comment", "workbay", "-j", "DROP"];
    let all = between.iter().chain(&routed).chain(&rest);
    all.map(|word| (*word).to_owned()).collect()
}

/// Accepts DNS queries to a name server on this machine. The engine forwards them from the sessions' own addresses.
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

/// Inserts a rule into a table, unless the table has it.
fn ensure(program: &str, table: &str, rule: &[String]) -> Result<(), String> {
    if call(program, table, "-C", rule)?.status.success() {
        return Ok(());
    }
    let put = call(program, table, "-I", rule)?;
    if put.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&put.stderr);
    Err(tr_sent!(
        "{program} refused a rule: {said}",
        program,
        said = said.trim()
    ))
}

fn call(program: &str, table: &str, act: &str, rule: &[String]) -> Result<Output, String> {
    let mut command = Command::new(program);
    // `-w 10` waits up to 10 seconds for other programs that change rules.
    command.args(["-w", "10", "-t", table, act]);
    command.args(rule).env_clear();
    let outcome = command.output();
    outcome.map_err(|error| tr_sent!("{program} can't be run: {error}", program, error))
}

/// Returns the name servers in the text of `resolv.conf`.
fn name_servers(text: &str) -> Vec<IpAddr> {
    let words = text.lines().map(|line| line.split_whitespace());
    let servers = words.filter_map(|mut words| {
        let is_one = words.next() == Some("nameserver");
        words.next().filter(|_| is_one)
    });
    servers.filter_map(|server| server.parse().ok()).collect()
}

/// Whether the address belongs to this machine: only such an address can be bound.
fn is_of_this_machine(address: IpAddr) -> bool {
    UdpSocket::bind((address, 0)).is_ok()
}

/// Separates networks from each other, and checks whether the engine separates those that share a bridge.
fn close_between(bridge: &str) -> Result<(), String> {
    ensure(&iptables()?, "mangle", &separation())?;
    if fs::read_to_string(WITHIN_BRIDGES).is_ok_and(|value| value.trim() == "0") {
        return Err(tr_sent!(
            "the machine's firewall doesn't see traffic within bridges (sysctl \
             net.bridge.bridge-nf-call-iptables is 0)"
        )
        .to_owned());
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
    Err(
        tr_sent!("the engine sets no firewall rules for its networks (dockerd --iptables=false)")
            .to_owned(),
    )
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
