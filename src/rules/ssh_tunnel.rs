//! The commands that lead from your computer to a forward on this machine, and into a session by SSH.

use std::{fmt::Write as _, net::IpAddr};

use super::launch::command::quote;
use crate::model::{
    app::AppProtocol,
    forward::{Forward, SshAccess},
};

/// How your computer reaches this machine by SSH.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SshRoute {
    /// An address or a name of this machine.
    pub host: String,
    pub port: u16,
    pub user: String,
    /// Further options of `ssh`, such as `-J jump.example.org`.
    pub arguments: Vec<String>,
}

impl SshRoute {
    /// The route of the current login. `connection` is the variable `SSH_CONNECTION`: address and port of the client,
    /// then address and port of this machine. Without a usable address, `host` is the name of this machine.
    #[must_use]
    pub fn new(connection: Option<&str>, user: &str, host: &str, arguments: &[String]) -> Self {
        let server = connection.and_then(server);
        let (host, port) = server.unwrap_or_else(|| (host.to_owned(), 22));
        Self {
            host,
            port,
            user: user.to_owned(),
            arguments: arguments.to_vec(),
        }
    }

    /// The command for your computer after which `127.0.0.1:PORT` there leads to the same port of this machine.
    #[must_use]
    pub fn tunnel(&self, port: u16) -> String {
        let mut line = format!("ssh -L {port}:127.0.0.1:{port}");
        for argument in &self.arguments {
            let _ = write!(line, " {}", quote(argument));
        }
        // `ssh` takes the first of several ports, so a port of your own wins.
        if self.port != 22 {
            let _ = write!(line, " -p {}", self.port);
        }
        let login = if self.user.is_empty() {
            self.host.clone()
        } else {
            format!("{}@{}", self.user, self.host)
        };
        let _ = write!(line, " {}", quote(&login));
        line
    }

    /// The URL under which other machines reach a public forward. `None` if only this machine reaches it.
    #[must_use]
    pub fn public_url(&self, forward: &Forward) -> Option<String> {
        forward.public.as_ref()?;
        // A forward of a manager has a URL of its own.
        let url = forward.address_url.as_str();
        let (_, rest) = url.split_once("://")?;
        let own = rest.rsplit_once(':').map(|(_, port)| port) == Some(&forward.port.to_string());
        let path = forward.path.as_str();
        if !own {
            return Some(format!("{url}{path}"));
        }
        let host = match self.host.parse::<IpAddr>() {
            Ok(IpAddr::V6(address)) => format!("[{address}]"),
            _ => self.host.clone(),
        };
        let scheme = match forward.protocol {
            AppProtocol::Http => "http",
            AppProtocol::Tcp => "tcp",
        };
        Some(format!("{scheme}://{host}:{}{path}", forward.port))
    }
}

/// Address and port of this machine. Addresses that your computer can't use count as unknown.
fn server(connection: &str) -> Option<(String, u16)> {
    let mut words = connection.split_whitespace().skip(2);
    let (address, port) = (words.next()?, words.next()?.parse().ok()?);
    let parsed: IpAddr = address.parse().ok()?;
    let link_local = matches!(parsed, IpAddr::V6(it) if it.segments()[0] & 0xffc0 == 0xfe80);
    let is_usable = !parsed.is_loopback() && !parsed.is_unspecified() && !link_local;
    is_usable.then(|| (parsed.to_canonical().to_string(), port))
}

/// A command to copy, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshCommand {
    pub title: &'static str,
    pub line: String,
}

/// The commands that enter a session from this machine. Those of `port`, where workbay's SSH server for the session
/// listens, are missing without it.
#[must_use]
pub fn commands(name: &str, access: &SshAccess, port: Option<u16>) -> Vec<SshCommand> {
    let command = |title, line| SshCommand { title, line };
    let word = quote(name);
    let host = quote(&format!("{name}.workbay"));
    let mut all = vec![
        command(tr!("Shell"), format!("workbay ssh {word}")),
        command(tr!("By name"), format!("ssh {host}")),
        command(tr!("Files"), format!("sftp {host}")),
        command(tr!("Copy"), format!("scp FILE {host}:")),
        command(tr!("Synchronize"), format!("rsync -a DIRECTORY {host}:")),
        command(
            "VS Code",
            format!("code --remote ssh-remote+{host} /home/work"),
        ),
    ];
    if let Some(port) = port {
        let options = options(access);
        let login = quote(&format!("{}@127.0.0.1", access.user));
        let remote = quote(&format!("ssh -p {port} {options}"));
        all.extend([
            command("ssh", format!("ssh -p {port} {options} {login}")),
            command("sftp", format!("sftp -P {port} {options} {login}")),
            command("scp", format!("scp -P {port} {options} FILE {login}:")),
            command("rsync", format!("rsync -a -e {remote} DIRECTORY {login}:")),
        ]);
    }
    all
}

/// The key of the session, and where its host key is.
fn options(access: &SshAccess) -> String {
    format!(
        "-i {} -o {} -o {}",
        quote(&access.identity_file),
        quote(&format!("UserKnownHostsFile={}", access.known_hosts_file)),
        quote(&format!("HostKeyAlias={}", access.host_key_alias)),
    )
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::{
        forward::{ForwardTarget, ForwardTraffic, PublicAccess},
        id::{SessionId, SessionKey},
        text::Clean,
    };

    fn route(connection: Option<&str>, arguments: &[&str]) -> SshRoute {
        let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
        SshRoute::new(connection, "jin", "gpu1", &arguments)
    }

    fn forward(public: bool) -> Forward {
        Forward {
            id: 1,
            session: SessionKey::local(SessionId::from_u128(1)),
            session_name: Clean::new("train"),
            target: ForwardTarget::Port { port: 8888 },
            title: Clean::new("Port 8888"),
            protocol: AppProtocol::Http,
            address: "0.0.0.0".parse().unwrap(),
            port: 10250,
            path: Clean::new("/tree"),
            address_url: Clean::new("http://gpu1:10250"),
            public: public.then(PublicAccess::default),
            opened_at: Timestamp::UNIX_EPOCH,
            broken: None,
            traffic: ForwardTraffic::default(),
        }
    }

    #[test]
    fn a_tunnel_leads_to_the_address_that_you_logged_in_to() {
        for (connection, arguments, line) in [
            (Some("10.9.8.7 51234 10.1.2.3 22"), &[][..], "jin@10.1.2.3"),
            (
                Some("10.9.8.7 51234 10.1.2.3 2222"),
                &[],
                "-p 2222 jin@10.1.2.3",
            ),
            (
                Some("::1 5 2001:db8::5 22"),
                &["-J", "jump.example.org"],
                "-J jump.example.org jin@2001:db8::5",
            ),
            (
                Some("::1 5 ::ffff:10.1.2.3 22"),
                &["-i", "my key"],
                "-i 'my key' jin@10.1.2.3",
            ),
        ] {
            let expected = format!("ssh -L 10250:127.0.0.1:10250 {line}");
            assert_eq!(route(connection, arguments).tunnel(10250), expected);
        }
    }

    #[test]
    fn without_a_usable_address_the_name_of_the_machine_is_used() {
        for connection in [
            None,
            Some(""),
            Some("10.9.8.7 51234"),
            Some("127.0.0.1 5 127.0.0.1 22"),
            Some("::1 5 fe80::1%eth0 22"),
            Some("::1 5 fe80::1 22"),
            Some("a b $(reboot) 22"),
        ] {
            let tunnel = route(connection, &[]).tunnel(8080);
            assert_eq!(tunnel, "ssh -L 8080:127.0.0.1:8080 jin@gpu1");
        }
    }

    #[test]
    fn only_public_forwards_have_a_url_for_other_machines() {
        let ssh = route(Some("10.9.8.7 51234 10.1.2.3 22"), &[]);
        assert_eq!(ssh.public_url(&forward(false)), None);
        let url = ssh.public_url(&forward(true)).unwrap();
        assert_eq!(url, "http://10.1.2.3:10250/tree");
        let ssh = route(Some("::1 5 2001:db8::5 22"), &[]);
        let url = ssh.public_url(&forward(true)).unwrap();
        assert_eq!(url, "http://[2001:db8::5]:10250/tree");
        let mut of_manager = forward(true);
        of_manager.address_url = Clean::new("https://proxy.example.org/app");
        let url = ssh.public_url(&of_manager).unwrap();
        assert_eq!(url, "https://proxy.example.org/app/tree");
    }

    #[test]
    fn commands_for_a_port_appear_with_it() {
        let access = SshAccess {
            user: Clean::new("work"),
            identity_file: "/home/jin/my keys/id".to_owned(),
            known_hosts_file: "/home/jin/known".to_owned(),
            host_key_alias: "train.workbay".to_owned(),
        };
        let without = commands("train", &access, None);
        assert_eq!(without[0].line, "workbay ssh train");
        assert_eq!(without[1].line, "ssh train.workbay");
        assert!(without.iter().all(|it| !it.line.contains("127.0.0.1")));
        let with = commands("train", &access, Some(2222));
        let ssh = with.iter().find(|it| it.title == "ssh").unwrap();
        assert_eq!(
            ssh.line,
            "ssh -p 2222 -i '/home/jin/my keys/id' -o UserKnownHostsFile=/home/jin/known \
             -o HostKeyAlias=train.workbay work@127.0.0.1"
        );
        let korean = commands("데이터", &access, None);
        assert_eq!(korean[0].line, "workbay ssh '데이터'");
    }
}
