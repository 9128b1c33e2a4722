//! Certificates: trusted only through the machine's authorities or the context's own file.

use std::{path::PathBuf, sync::Arc};

use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use tokio::{
    io::{AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;
use workbay::engine::{api::Engine, backendai::BackendAiEngine};

use super::{config, manager::Manager, reason_and_fix};

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/support/manager/tls")
        .join(name)
}

/// A TLS front of a manager, with a certificate for `localhost` and 127.0.0.1 of a private
/// authority; its address.
async fn front(manager: &Manager) -> String {
    let certificate = CertificateDer::pem_file_iter(file("server.pem")).unwrap();
    let certificate = certificate.collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(file("server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificate, key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let back = manager.address().to_owned();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, back) = (acceptor.clone(), back.clone());
            tokio::spawn(async move {
                let Ok(mut front) = acceptor.accept(stream).await else {
                    return;
                };
                let mut back = TcpStream::connect(back).await.unwrap();
                let _ = copy_bidirectional(&mut front, &mut back).await;
                let _ = front.shutdown().await;
            });
        }
    });
    format!("https://127.0.0.1:{port}")
}

#[tokio::test]
async fn a_private_authority_is_trusted_when_named() {
    let manager = Manager::start().await;
    let endpoint = front(&manager).await;
    let mut config = config(&endpoint);
    let error = BackendAiEngine::new(config.clone())
        .probe()
        .await
        .unwrap_err();
    let (why, hint) = reason_and_fix(&error);
    assert!(
        why.starts_with(&format!(
            "the engine at {endpoint} doesn't answer: its certificate isn't trusted: "
        )),
        "{why}"
    );
    assert!(hint.unwrap().contains("set ca-file of the context"));
    config.ca_file = Some(file("ca.pem"));
    let info = BackendAiEngine::new(config).probe().await.unwrap();
    assert_eq!(info.version, "26.9.6");
}

#[tokio::test]
async fn http_behind_https() {
    let manager = Manager::start().await;
    let endpoint = manager.endpoint().replace("http://", "https://");
    let error = BackendAiEngine::new(config(&endpoint))
        .probe()
        .await
        .unwrap_err();
    let (why, hint) = reason_and_fix(&error);
    assert!(why.contains("the TLS connection failed"), "{why}");
    assert_eq!(
        hint.unwrap(),
        "check whether its address begins with http:// instead of https://"
    );
}

#[tokio::test]
async fn a_ca_file_that_is_not_there() {
    let mut config = config("https://127.0.0.1:1");
    config.ca_file = Some(file("nothing.pem"));
    let error = BackendAiEngine::new(config).probe().await.unwrap_err();
    assert!(error.to_string().contains("nothing.pem"), "{error}");
}
