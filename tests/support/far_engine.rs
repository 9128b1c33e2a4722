//! A Docker engine that works like another machine's: its network, its processes and its files are its
//! own. It is reached over TCP with TLS, and by SSH.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use crate::poll;

/// Waits between two checks at whether it answers.
const LOOK: Duration = Duration::from_millis(50);
/// How long it may take until it comes up, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(100);
/// How long its last processes may still write.
const REMOVAL: Duration = Duration::from_secs(5);

/// What runs there, as its first process. `/mnt` is all that it has of our files' world: what is in
/// /tmp, /run and /root here is not there.
const BEGIN: &str = r#"
set -eu
mount --bind "$1" /mnt
for place in /tmp /run /root; do mount -t tmpfs none "$place"; done
mkdir -p /run/sshd
mount --bind /mnt/shadow /etc/shadow
ip link set lo up
until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
ip address add "$2/30" dev eth0
ip link set eth0 up
/usr/sbin/sshd -D -e -f /mnt/sshd_config 2>/mnt/sshd.log &
exec dockerd --config-file /mnt/daemon.json --data-root /mnt/data --exec-root /mnt/exec \
    --pidfile /mnt/pid --bridge=none --iptables=false --host unix:///run/docker.sock \
    --host "tcp://$2:2376" --tlsverify --tlscacert /mnt/ca.pem --tlscert /mnt/server.pem \
    --tlskey /mnt/server-key.pem >/mnt/log 2>&1
"#;

pub struct FarEngine {
    dir: tempfile::TempDir,
    process: Option<Child>,
    /// Its address, and ours beside it.
    address: String,
}

impl FarEngine {
    /// It needs root, dockerd, `ip`, openssl and an SSH server's program.
    pub fn start() -> Self {
        assert!(
            rustix::process::geteuid().is_root(),
            "a second engine needs root: run the tests as root, as CI does"
        );
        let dir = tempfile::Builder::new().prefix("workbay-far-").tempdir();
        let block = std::process::id() % 16_000;
        let net = |last: u32| format!("10.213.{}.{}", block / 64, block % 64 * 4 + last);
        let mut far = Self {
            dir: dir.expect("a directory"),
            process: None,
            address: net(2),
        };
        far.write_keys();
        far.begin(&net(1));
        far
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn tcp(&self) -> String {
        format!("tcp://{}:2376", self.address)
    }

    pub fn ssh(&self) -> String {
        format!("ssh://root@{}", self.address)
    }

    /// Certificates of an authority of our own, keys of the SSH server and of its user.
    fn write_keys(&self) {
        let extension = format!("subjectAltName=IP:{}\n", self.address);
        self.write("server.ext", &extension);
        self.write("client.ext", "extendedKeyUsage=clientAuth\n");
        self.write("daemon.json", "{}");
        // A locked account could not log in by any means.
        self.write("shadow", "root:*:19000:0:99999:7:::\n");
        self.openssl("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca-key.pem -out ca.pem");
        for (name, key, certificate) in [
            ("server", "server-key.pem", "server.pem"),
            ("client", "key.pem", "cert.pem"),
        ] {
            self.openssl(&format!(
                "req -newkey rsa:2048 -nodes -subj /CN={name} -keyout {key} -out {name}.csr"
            ));
            self.openssl(&format!(
                "x509 -req -days 2 -in {name}.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial \
                 -extfile {name}.ext -out {certificate}"
            ));
        }
        for name in ["host", "user"] {
            self.run("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", name]);
        }
        let server = format!(
            "ListenAddress {}\nHostKey /mnt/host\nPidFile none\nUsePAM no\nStrictModes no\n\
             PermitRootLogin yes\nAuthorizedKeysFile /mnt/user.pub\nPasswordAuthentication no\n\
             KbdInteractiveAuthentication no\n",
            self.address
        );
        self.write("sshd_config", &server);
        let host = std::fs::read_to_string(self.path("host.pub")).expect("a key");
        self.write("known", &format!("{} {host}", self.address));
    }

    /// A directory with an `ssh` that knows the server and has the key, for the front of PATH.
    pub fn ssh_program(&self, known: &str, key: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let bin = self.path("bin");
        std::fs::create_dir_all(&bin).expect("a directory");
        let (known, key) = (self.path(known), self.path(key));
        let script = format!(
            "#!/bin/sh\nexec /usr/bin/ssh -F /dev/null -o UserKnownHostsFile={} \
             -o GlobalKnownHostsFile=/dev/null -o StrictHostKeyChecking=yes -o IdentitiesOnly=yes \
             -o IdentityAgent=none -i {} \"$@\"\n",
            known.display(),
            key.display()
        );
        std::fs::write(bin.join("ssh"), script).expect("a file");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(bin.join("ssh"), mode).expect("a mode");
        bin
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a file");
    }

    fn openssl(&self, words: &str) {
        let words: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
        self.run("openssl", &words);
    }

    #[track_caller]
    fn run(&self, program: &str, arguments: &[&str]) {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(self.dir.path())
            .stdin(Stdio::null())
            .output()
            .unwrap_or_else(|error| {
                panic!("{program} ({error}): `scripts/test-setup` installs it")
            });
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {arguments:?}: {said}");
    }

    fn begin(&mut self, here: &str) {
        let child = Command::new("unshare")
            .args([
                "--net",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child",
                "--mount-proc",
            ])
            .args(["sh", "-c", BEGIN, "far"])
            .arg(self.dir.path())
            .arg(&self.address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("unshare is there");
        let outer = child.id();
        self.process = Some(child);
        // Its first process is the child of unshare, which stays in our world.
        let inner = self.comes(|| {
            let file = format!("/proc/{outer}/task/{outer}/children");
            let children = std::fs::read_to_string(file).unwrap_or_default();
            children.split_whitespace().next().map(str::to_owned)
        });
        let cable = format!("wbf{}", std::process::id());
        let peer = ["peer", "name", "eth0", "netns", &inner];
        self.run(
            "ip",
            &[&["link", "add", &cable, "type", "veth"], peer.as_slice()].concat(),
        );
        self.run(
            "ip",
            &["address", "add", &format!("{here}/30"), "dev", &cable],
        );
        self.run("ip", &["link", "set", &cable, "up"]);
        let there = |port: u16| std::net::TcpStream::connect((self.address.as_str(), port)).is_ok();
        self.comes(|| (there(2376) && there(22)).then_some(()));
    }

    #[track_caller]
    fn comes<T>(&self, check: impl FnMut() -> Option<T>) -> T {
        let said = |name: &str| std::fs::read_to_string(self.path(name)).unwrap_or_default();
        poll::blocking(LOOK, PATIENCE, check).unwrap_or_else(|| {
            panic!(
                "the engine elsewhere did not come up:\n{}\n{}",
                said("log"),
                said("sshd.log")
            )
        })
    }

    /// `docker ARGS…` on it. Returns the output.
    pub fn docker(&self, args: &[&str]) -> String {
        // A command that hangs would block the test forever.
        let output = Command::new("timeout")
            .args(["--kill-after=5", "120", "docker"])
            .args(["-H", &self.tcp(), "--tlsverify"])
            .env("DOCKER_CERT_PATH", self.dir.path())
            .args(args)
            .output()
            .expect("docker runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for FarEngine {
    /// Also after a failed test: everything there ends with its first process.
    fn drop(&mut self) {
        let all = self.docker(&["ps", "-aq"]);
        for id in all.split_whitespace() {
            self.docker(&["rm", "-f", id]);
        }
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
        remove(self.dir.path());
    }
}

/// The last of its processes may still write.
fn remove(dir: &Path) {
    poll::blocking(LOOK, REMOVAL, || match std::fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => None,
        _ => Some(()),
    });
}
