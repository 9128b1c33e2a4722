//! The address of an SSH server, and the ssh command line to reach the engine behind it.

/// `user@host:port`, and the engine's socket on that host if it isn't the default one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) struct SshPlace {
    pub(super) user: Option<String>,
    pub(super) host: String,
    pub(super) port: Option<u16>,
    socket: Option<String>,
}

impl SshPlace {
    /// Parses the part after `ssh://`. The error is a message for the user.
    pub(in crate::engine::docker) fn parse(written: &str) -> std::result::Result<Self, String> {
        let wanted = || tr_sent!("write ssh://USER@HOST or ssh://USER@HOST:PORT").to_owned();
        let (place, socket) = match written.split_once('/') {
            Some((place, "")) => (place, None),
            Some((place, path)) => (place, Some(format!("/{path}"))),
            None => (written, None),
        };
        let (user, host) = match place.rsplit_once('@') {
            Some((user, host)) => (Some(user.to_owned()), host),
            None => (None, place),
        };
        if user.as_ref().is_some_and(|user| user.contains(':')) {
            return Err(tr_sent!("remove the password from the address and use a key").to_owned());
        }
        let (host, port) = match host.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => {
                (host, Some(port.parse().map_err(|_| wanted())?))
            }
            _ => (host, None),
        };
        let host = host.trim_matches(['[', ']']).to_owned();
        let words = [Some(&host), user.as_ref()];
        // ssh would read a word that begins with a dash as an option.
        let fits = |word: &&String| {
            !word.is_empty() && !word.starts_with('-') && !word.contains(char::is_whitespace)
        };
        let plain = |path: &String| {
            path.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte))
        };
        if !words.iter().flatten().all(fits) || !socket.as_ref().is_none_or(plain) {
            return Err(wanted());
        }
        Ok(Self {
            user,
            host,
            port,
            socket,
        })
    }

    pub(in crate::engine::docker) fn url(&self) -> String {
        let user = self.user.as_ref().map(|user| format!("{user}@"));
        let port = self.port.map(|port| format!(":{port}"));
        format!(
            "ssh://{}{}{}{}",
            user.unwrap_or_default(),
            self.host,
            port.unwrap_or_default(),
            self.socket.as_deref().unwrap_or_default()
        )
    }

    /// The arguments of ssh, including `options`.
    pub(super) fn arguments(&self, options: &[String]) -> Vec<String> {
        let mut all: Vec<String> = [
            "-T",
            "-o",
            "BatchMode=yes",
            "-o",
            "ConnectTimeout=15",
            // Detects a lost connection within a minute.
            "-o",
            "ServerAliveInterval=20",
        ]
        .map(str::to_owned)
        .to_vec();
        all.extend_from_slice(options);
        all.extend(self.server());
        all.push("docker".to_owned());
        if let Some(socket) = &self.socket {
            all.push(format!("--host=unix://{socket}"));
        }
        all.extend(["system", "dial-stdio"].map(str::to_owned));
        all
    }

    /// The arguments of ssh for a control command (`word`) about this server.
    pub(super) fn asking(&self, word: &str, options: &[String]) -> Vec<String> {
        let mut all = vec![word.to_owned()];
        all.extend_from_slice(options);
        all.extend(self.server());
        all
    }

    fn server(&self) -> Vec<String> {
        let mut all = Vec::new();
        if let Some(user) = &self.user {
            all.extend(["-l".to_owned(), user.clone()]);
        }
        if let Some(port) = self.port {
            all.extend(["-p".to_owned(), port.to_string()]);
        }
        all.extend(["--".to_owned(), self.host.clone()]);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_written() {
        for good in [
            "ssh://box",
            "ssh://me@box",
            "ssh://me@box:2222",
            "ssh://me@box/run/user/1000/docker.sock",
        ] {
            let place = SshPlace::parse(good.trim_start_matches("ssh://")).unwrap();
            assert_eq!(place.url(), good);
        }
        let six = SshPlace::parse("[::1]:22").unwrap();
        assert_eq!((six.host.as_str(), six.port), ("::1", Some(22)));
        for bad in [
            "",
            "-oProxyCommand=x",
            "me:pw@box",
            "-l@box",
            "box:x",
            "a b",
            "box/$(x)",
        ] {
            assert!(SshPlace::parse(bad).is_err(), "{bad} was taken");
        }
    }

    #[test]
    fn ssh_is_never_asked_to_ask() {
        let place = SshPlace::parse("me@box:2222/run/x.sock").unwrap();
        let words = place.arguments(&[]).join(" ");
        assert!(words.contains("BatchMode=yes"), "{words}");
        let end = "-l me -p 2222 -- box docker --host=unix:///run/x.sock system dial-stdio";
        assert!(words.ends_with(end), "{words}");
    }
}
