//! Connects to an engine on a TCP port, with TLS if there are certificates.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::relay::{RemoteEnd, Stream, answers};
use crate::{
    engine::{
        api::Result,
        docker::{client_error, connect::process_env::ProcessEnv},
        tcp,
    },
    model::{failure::Failure, text::Clean},
};

/// Time limit for opening one connection, and for the first answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// The three files of Docker's own client: the trusted authority, and the client's certificate and key. Missing
/// files aren't used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) struct TlsFiles {
    ca: PathBuf,
    certificate: PathBuf,
    key: PathBuf,
}

impl TlsFiles {
    pub(in crate::engine::docker) fn in_dir(dir: &Path) -> Self {
        Self {
            ca: dir.join("ca.pem"),
            certificate: dir.join("cert.pem"),
            key: dir.join("key.pem"),
        }
    }

    /// The files in DOCKER_CERT_PATH or, without it, in Docker's own directory.
    pub(in crate::engine::docker) fn of_person(around: &ProcessEnv) -> Self {
        let dir = around.cert_path.as_ref().or(around.docker_config.as_ref());
        Self::in_dir(dir.map_or(Path::new("/"), PathBuf::as_path))
    }

    fn config(&self) -> Result<ClientConfig> {
        let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| Failure::internal(tr_sent!("TLS can't be set up: {error}", error)))?
            .with_root_certificates(self.roots()?);
        let mut config = if self.certificate.exists() {
            let chain = certificates(&self.certificate)?;
            let key = PrivateKeyDer::from_pem_file(&self.key)
                .map_err(|error| bad_file(&self.key, &error.to_string()))?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(|error| bad_file(&self.key, &error.to_string()))?
        } else {
            builder.with_no_client_auth()
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }

    /// The engine's authority, or this machine's authorities if that file is missing.
    fn roots(&self) -> Result<RootCertStore> {
        let mut roots = RootCertStore::empty();
        if !self.ca.exists() {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            return Ok(roots);
        }
        for one in certificates(&self.ca)? {
            roots
                .add(one)
                .map_err(|error| bad_file(&self.ca, &error.to_string()))?;
        }
        Ok(roots)
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| bad_file(path, &error.to_string()))
}

fn bad_file(path: &Path, why: &str) -> Failure {
    Failure::internal(tr_sent!(
        "the engine's TLS file {path} can't be used: {why}. Check DOCKER_CERT_PATH or the Docker \
         context",
        path = path.display(),
        why
    ))
}

/// `host:port`, with the default port if none is given.
pub(in crate::engine::docker) fn address(
    written: &str,
    with_tls: bool,
) -> std::result::Result<String, String> {
    let written = written.trim_end_matches('/');
    let (host, port) = match written.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (written, None),
    };
    let is_host = |host: &str| {
        let inner = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
        match inner {
            Some(inner) => inner.parse::<std::net::Ipv6Addr>().is_ok(),
            None => !host.is_empty() && !host.contains([':', '/', '@', ' ']),
        }
    };
    let usual = if with_tls { 2376 } else { 2375 };
    let port = port.map_or(Ok(usual), str::parse::<u16>);
    match port {
        Ok(port) if is_host(host) => Ok(format!("{host}:{port}")),
        _ => Err(tr_sent!("write tcp://HOST:PORT").to_owned()),
    }
}

/// The port, and how to connect to it.
pub(super) struct Port {
    address: String,
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

impl Port {
    /// Connects once, to report errors: an engine that requires a client certificate says so only after the
    /// connection is open.
    pub(super) async fn open(address: &str, files: Option<&TlsFiles>, url: &str) -> Result<Self> {
        let tls = match files {
            None => None,
            Some(files) => {
                let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
                let host = host.trim_matches(['[', ']']).to_owned();
                let name = ServerName::try_from(host).map_err(|error| {
                    Failure::internal(tr_sent!(
                        "{url} has no valid host for TLS: {error}",
                        url,
                        error
                    ))
                })?;
                Some((TlsConnector::from(Arc::new(files.config()?)), name))
            }
        };
        let port = Self {
            address: address.to_owned(),
            tls,
        };
        let wrong = |error| unreachable(url, &error, port.tls.is_some());
        let mut stream = port.connect().await.map_err(wrong)?;
        match tokio::time::timeout(PATIENCE, answers(&mut stream)).await {
            Ok(Ok(true)) => Ok(port),
            Ok(Ok(false)) => Err(wrong(io::ErrorKind::InvalidData.into())),
            Ok(Err(error)) => Err(wrong(error)),
            Err(_) => Err(client_error::silent(url, PATIENCE)),
        }
    }
}

#[async_trait]
impl RemoteEnd for Port {
    async fn connect(&self) -> io::Result<Box<dyn Stream>> {
        let made = async {
            let stream = TcpStream::connect(&self.address).await?;
            // Without this, a quiet connection (events, terminals) to a machine that is gone would stay open forever.
            tcp::prepare(&stream);
            Ok(match &self.tls {
                None => Box::new(stream) as Box<dyn Stream>,
                Some((tls, name)) => Box::new(tls.connect(name.clone(), stream).await?),
            })
        };
        tokio::time::timeout(PATIENCE, made)
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

fn unreachable(url: &str, error: &io::Error, with_tls: bool) -> Failure {
    let said = Clean::new(&error.to_string()).into_string();
    let closed = matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
    );
    let of_tls = matches!(error.get_ref(), Some(inner) if inner.is::<rustls::Error>());
    let (why, hint) = match error.kind() {
        _ if of_tls || (with_tls && closed) => (
            tr_sent!("TLS failed: {said}", said),
            tr_sent!(
                "check that ca.pem, cert.pem and key.pem in DOCKER_CERT_PATH (or the Docker context) \
             belong to this engine"
            ),
        ),
        io::ErrorKind::TimedOut => (
            tr_sent!("no answer in time").to_owned(),
            tr_sent!("check that the machine is up and that no firewall blocks the connection"),
        ),
        io::ErrorKind::ConnectionRefused => (
            tr_sent!("no program listens at this address").to_owned(),
            tr_sent!("check that the engine is running and listens on that port"),
        ),
        io::ErrorKind::InvalidData => (
            tr_sent!("the program at this address isn't a container engine").to_owned(),
            tr_sent!("check the port of the engine"),
        ),
        _ if closed => (
            tr_sent!("it closes the connection without a message").to_owned(),
            tr_sent!("check the port of the engine. If it requires TLS, set DOCKER_TLS_VERIFY=1"),
        ),
        _ => (said, tr_sent!("check the address and the network")),
    };
    Failure::unreachable(url, why).hint(hint.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_get_the_usual_port() {
        assert_eq!(address("box", false).unwrap(), "box:2375");
        assert_eq!(address("box/", true).unwrap(), "box:2376");
        assert_eq!(address("10.0.0.1:99", true).unwrap(), "10.0.0.1:99");
        assert_eq!(address("[::1]", true).unwrap(), "[::1]:2376");
        assert_eq!(address("[::1]:5", true).unwrap(), "[::1]:5");
        for bad in ["", ":1", "a:b", "me@box", "a/b:1", "[x]:1", "::1"] {
            assert!(address(bad, false).is_err(), "{bad} was taken");
        }
    }

    #[tokio::test]
    async fn a_port_nobody_listens_on_says_so() {
        // Bound, so that no other process gets the port in the meantime.
        let held = tokio::net::TcpSocket::new_v4().unwrap();
        held.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = held.local_addr().unwrap().to_string();
        let error = Port::open(&address, None, "tcp://x").await.err().unwrap();
        assert!(
            error
                .to_string()
                .contains("no program listens at this address"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn what_is_no_engine_is_reported_at_once() {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        for (says, reported) in [
            ("SSH-2.0-x\r\n", "isn't a container engine"),
            ("", "without a message"),
        ] {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap().to_string();
            tokio::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                let _ = stream.read(&mut [0; 64]).await;
                let _ = stream.write_all(says.as_bytes()).await;
            });
            let error = Port::open(&address, None, "tcp://x").await.err().unwrap();
            assert!(error.to_string().contains(reported), "{error}");
        }
    }

    #[test]
    fn a_bad_file_is_reported_with_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let files = TlsFiles::in_dir(dir.path());
        assert!(
            files.config().is_ok(),
            "without files this machine's own are used"
        );
        std::fs::write(dir.path().join("cert.pem"), "nonsense").unwrap();
        let error = files.config().unwrap_err().to_string();
        assert!(
            error.contains("key.pem") && error.contains("DOCKER_CERT_PATH"),
            "{error}"
        );
    }
}
