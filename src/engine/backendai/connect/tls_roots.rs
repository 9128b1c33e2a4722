//! The trusted certificate authorities: this machine's and the context's own.

use std::{path::Path, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, pem::PemObject},
};

use crate::{engine::api::Result, model::failure::Failure};

/// The TLS settings of all connections to one manager.
pub(in crate::engine::backendai) fn client_config(
    ca_file: Option<&Path>,
) -> Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    // Unreadable certificates of this machine are ignored, because one bad file must not prevent
    // all connections.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = ca_file {
        add_file(&mut roots, path)?;
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Failure::internal(tr_sent!("TLS can't be set up: {error}", error)))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    // The signature includes the Host header, which HTTP/2 doesn't have.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<()> {
    let shown = path.display();
    let fault = |why: String| Failure::internal(tr_sent!("ca-file {shown}: {why}", shown, why));
    let certificates = CertificateDer::pem_file_iter(path)
        .map_err(|error| fault(error.to_string()))?
        .collect::<std::result::Result<Vec<_>, _>>()
        .map_err(|error| fault(error.to_string()))?;
    if certificates.is_empty() {
        return Err(fault(
            tr_sent!("it contains no certificate. Use a PEM file (-----BEGIN CERTIFICATE-----)")
                .to_owned(),
        ));
    }
    for certificate in certificates {
        roots
            .add(certificate)
            .map_err(|error| fault(error.to_string()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ca_file_that_is_none_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ca.pem");
        let missing = client_config(Some(&path)).unwrap_err().to_string();
        assert!(missing.contains("ca.pem"), "{missing}");
        std::fs::write(&path, "not a certificate\n").unwrap();
        let empty = client_config(Some(&path)).unwrap_err().to_string();
        assert!(empty.contains("contains no certificate"), "{empty}");
        assert!(client_config(None).is_ok());
    }
}
