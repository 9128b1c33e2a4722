//! A separate registry (Debian's docker-registry) on a free port of this machine, and images that
//! nobody else has: what the engine pulls there it has to pull.

use std::{
    io::Read as _,
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use workbay::model::digest;

use crate::poll;

/// The user of a registry with a login.
pub const USER: &str = "ada";
/// Engines read some of these letters in an alphabet of their own, in every position.
pub const PASSWORD: &str = "s3cret>>>>>?????token";
/// The same as a registry keeps it.
const KEPT: &str = "ada:$2b$04$Qlp7AZG6uey30v.Qo3Q6l.WNabHhANYbb8IUmBfrNKx6os.uCcGdG\n";

/// Waits between two looks.
const LOOK: Duration = Duration::from_millis(20);
/// How long it may take until it listens, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Registry {
    dir: tempfile::TempDir,
    process: Child,
    pub port: u16,
}

impl Registry {
    pub fn start() -> Self {
        Self::with("")
    }

    /// One that requires [`USER`] and [`PASSWORD`].
    pub fn private() -> Self {
        Self::with("auth:\n  htpasswd:\n    realm: tests\n    path: DIR/users\n")
    }

    fn with(more: &str) -> Self {
        let dir = tempfile::Builder::new()
            .prefix("workbay-registry-")
            .tempdir()
            .expect("a directory");
        std::fs::write(dir.path().join("users"), KEPT).expect("a file");
        // Another program may take the port in between: then another one is tried.
        for _ in 0..10 {
            let port = free_port();
            let mut process = begin(dir.path(), port, more);
            if answers(&mut process, port) {
                return Self { dir, process, port };
            }
            end(&mut process);
        }
        let log = std::fs::read_to_string(dir.path().join("log")).unwrap_or_default();
        panic!("docker-registry does not start (scripts/test-setup installs it):\n{log}");
    }

    /// `127.0.0.1:PORT`.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Puts an image there, and leaves none on the engine. Returns the image's name there.
    pub fn put(&self, image: &Image) -> String {
        let name = format!("workbay-test-{}:1", random_name());
        let reference = format!("{}/{name}", self.host());
        let archive = self.dir.path().join("image.tar");
        std::fs::write(&archive, image.archive(&reference)).expect("a file");
        let archive = archive.to_str().expect("a path");
        docker(&["load", "--quiet", "--input", archive]);
        let login = self.dir.path().join("login");
        write_login(&login, &self.host(), PASSWORD);
        let login = login.to_str().expect("a path");
        docker(&["--config", login, "push", "--quiet", &reference]);
        docker(&["image", "rm", &reference]);
        name
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

fn begin(dir: &Path, port: u16, more: &str) -> Child {
    let root = dir.display().to_string();
    let config = format!(
        "version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: {root}/data\nhttp:\n  addr: \
         127.0.0.1:{port}\n{}",
        more.replace("DIR", &root)
    );
    let path = dir.join("config.yml");
    std::fs::write(&path, config).expect("a file");
    let log = std::fs::File::create(dir.join("log")).expect("a log");
    Command::new("docker-registry")
        .arg("serve")
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("docker-registry runs: scripts/test-setup installs it")
}

/// `false` = it ended instead.
fn answers(process: &mut Child, port: u16) -> bool {
    let answers = poll::blocking(LOOK, PATIENCE, || {
        if process.try_wait().expect("it is ours").is_some() {
            return Some(false);
        }
        let answers = TcpStream::connect(("127.0.0.1", port)).is_ok();
        answers.then_some(true)
    });
    answers.expect("docker-registry listens")
}

fn end(process: &mut Child) {
    let _ = process.kill();
    let _ = process.wait();
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn random(bytes: usize) -> Vec<u8> {
    let mut content = vec![0; bytes];
    let mut source = std::fs::File::open("/dev/urandom").expect("a source");
    source.read_exact(&mut content).expect("some bytes");
    content
}

pub fn random_name() -> String {
    digest::of(&random(16))[..12].to_owned()
}

/// A directory of Docker's own configuration with a login.
pub fn write_login(dir: &Path, host: &str, password: &str) {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let auth = STANDARD.encode(format!("{USER}:{password}"));
    let config = format!(r#"{{"auths": {{"{host}": {{"auth": "{auth}"}}}}}}"#);
    std::fs::create_dir_all(dir).expect("a directory");
    std::fs::write(dir.join("config.json"), config).expect("a file");
}

/// `docker ARGS…`, which must succeed.
#[track_caller]
pub fn docker(args: &[&str]) {
    // A command that hangs would block the test forever.
    let output = Command::new("timeout")
        .args(["--kill-after=5", "120", "docker"])
        .args(args)
        .output()
        .expect("docker runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "docker {args:?}: {said}");
}

/// Whether the engine has the image.
pub fn is_here(reference: &str) -> bool {
    let mut command = Command::new("docker");
    command.args(["image", "inspect", reference]);
    command.output().expect("docker runs").status.success()
}

/// An image whose layers are noise that nobody else has, above a static busybox.
pub struct Image {
    pub architecture: &'static str,
    /// Bytes of each layer of noise.
    pub noise: Vec<usize>,
}

impl Image {
    /// For this machine, with layers that take a while.
    pub fn slow() -> Self {
        Self {
            noise: vec![6 << 20, 6 << 20],
            ..Self::small()
        }
    }

    pub fn small() -> Self {
        let architecture = match std::env::consts::ARCH {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            other => panic!("{other} is not known here"),
        };
        Self {
            architecture,
            noise: vec![1 << 10],
        }
    }

    /// For an architecture that no test runs on.
    pub fn foreign() -> Self {
        Self {
            architecture: "s390x",
            ..Self::small()
        }
    }

    /// As `docker save` writes it.
    fn archive(&self, reference: &str) -> Vec<u8> {
        let noise = self.noise.iter().map(|bytes| noise(*bytes));
        let layers: Vec<Vec<u8>> = std::iter::once(busybox()).chain(noise).collect();
        let ids: Vec<String> = layers
            .iter()
            .map(|layer| format!("sha256:{}", digest::of(layer)))
            .collect();
        let config = serde_json::json!({
            "architecture": self.architecture,
            "os": "linux",
            "config": {"Cmd": ["sh"], "Env": ["PATH=/bin"], "Labels": {"workbay.test": "1"}},
            "rootfs": {"type": "layers", "diff_ids": ids},
        });
        let names: Vec<String> = (0..layers.len())
            .map(|n| format!("{n}/layer.tar"))
            .collect();
        let manifest = serde_json::json!([
            {"Config": "config.json", "RepoTags": [reference], "Layers": names}
        ]);
        let mut tar = tar::Builder::new(Vec::new());
        add(
            &mut tar,
            "config.json",
            0o644,
            config.to_string().as_bytes(),
        );
        add(
            &mut tar,
            "manifest.json",
            0o644,
            manifest.to_string().as_bytes(),
        );
        for (name, layer) in names.iter().zip(&layers) {
            add(&mut tar, name, 0o644, layer);
        }
        tar.into_inner().expect("an archive")
    }
}

fn busybox() -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    let busybox = std::fs::read("/bin/busybox").expect("apt-get install busybox-static");
    add(&mut tar, "bin/busybox", 0o755, &busybox);
    for name in ["sh", "ls", "cat", "echo", "sleep", "id"] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        let name = format!("bin/{name}");
        tar.append_link(&mut header, name, "busybox")
            .expect("a link");
    }
    add(&mut tar, "tmp/.keep", 0o644, b"");
    // An engine that already has the layer wouldn't pull it.
    add(&mut tar, "noise", 0o644, &random(64));
    tar.into_inner().expect("a layer")
}

fn noise(bytes: usize) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    let name = format!("noise-{}", random_name());
    add(&mut tar, &name, 0o644, &random(bytes));
    tar.into_inner().expect("a layer")
}

fn add(tar: &mut tar::Builder<Vec<u8>>, name: &str, mode: u32, contents: &[u8]) {
    let mut header = tar::Header::new_gnu();
    header.set_mode(mode);
    header.set_size(contents.len() as u64);
    tar.append_data(&mut header, name, contents)
        .expect("a file");
}

/// Removed from the engine at the end, also after a test that failed.
pub struct Here(pub String);

impl Drop for Here {
    fn drop(&mut self) {
        let mut command = Command::new("docker");
        let _ = command.args(["image", "rm", "--force", &self.0]).output();
    }
}
