//! Whether traffic to an address can be read on the network.

use url::{Host, Url};

/// Whether the address is plain HTTP to another machine. Traffic within this machine needs no encryption.
#[must_use]
pub fn is_unencrypted(url: &Url) -> bool {
    url.scheme() == "http" && !is_loopback(url)
}

/// Whether the host of an address is this machine: `localhost`, `127.0.0.0/8`, `::1`.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
        None => false,
    }
}

/// The error for plain HTTP to another machine.
#[must_use]
pub fn why_refused(shown: &str) -> String {
    tr!(
        "'{shown}' isn't encrypted: others on the network could read the requests and change the \
         answers",
        shown
    )
}

/// The fix. Passwords are never sent in plain text, even in a trusted network.
#[must_use]
pub fn secure_alternatives(by_password: bool) -> &'static str {
    if by_password {
        tr!(
            "use https://…, a tunnel that ends on this machine (ssh -L), or mode = \"api\" with a key pair: a password is \
         never sent over plain HTTP"
        )
    } else {
        tr!(
            "use https://…, or set insecure = true for the context if you trust the whole network in between"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_http_to_another_machine_is_unencrypted() {
        for (address, unencrypted) in [
            ("http://127.0.0.1:8091", false),
            ("http://127.9.9.9", false),
            ("http://localhost:8091/", false),
            ("http://LOCALHOST", false),
            ("http://[::1]:8091", false),
            ("http://[::ffff:127.0.0.1]", false),
            ("https://far.example.com", false),
            ("https://10.0.0.5", false),
            ("http://far.example.com", true),
            ("http://10.0.0.5:8091", true),
            ("http://0.0.0.0:8091", true),
            ("http://[fe80::1]", true),
            ("http://127.0.0.1.example.com", true),
            ("http://localhost.example.com", true),
            ("http://127.example.com", true),
        ] {
            let url = Url::parse(address).unwrap();
            assert_eq!(is_unencrypted(&url), unencrypted, "{address}");
        }
    }
}
