//! Networks in CIDR notation, such as `10.0.0.0/8` or `2001:db8::/32`.

use std::{fmt, net::IpAddr, str::FromStr};

use serde::{Deserialize, Serialize};

use super::text::Clean;

/// A network of IP addresses. A single address is a network with the longest prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(with = "String"))]
pub struct Network {
    /// The first address of the network: all bits after the prefix are 0.
    first: IpAddr,
    /// The length of the prefix in bits, at most 32 (IPv4) or 128 (IPv6).
    prefix: u8,
}

impl Network {
    /// Whether the network contains an address. An IPv4 address in IPv6 notation (`::ffff:10.0.0.1`) counts as
    /// IPv4.
    pub fn contains(self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let is_same_family = address.is_ipv4() == self.first.is_ipv4();
        is_same_family && first(address, self.prefix) == self.first
    }
}

/// The number of bits of an address.
fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// The address with all bits after the prefix set to 0.
fn first(address: IpAddr, prefix: u8) -> IpAddr {
    let rest = u32::from(width(address).saturating_sub(prefix));
    match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(rest).unwrap_or(0);
            IpAddr::V4((v4.to_bits() & mask).into())
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(rest).unwrap_or(0);
            IpAddr::V6((v6.to_bits() & mask).into())
        }
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let invalid = |rule: &str| {
            let shown = Clean::new(text);
            tr!("invalid network '{shown}'. {rule}", shown, rule)
        };
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let form = tr!("Use an address with a prefix length, such as 10.0.0.0/8 or 2001:db8::/32");
        let address: IpAddr = address.parse().map_err(|_| invalid(form))?;
        let longest = width(address);
        let prefix = match prefix {
            Some(digits) if digits.bytes().all(|it| it.is_ascii_digit()) => {
                digits.parse().map_err(|_| invalid(form))?
            }
            Some(_) => return Err(invalid(form)),
            None => longest,
        };
        if prefix > longest {
            let rule = tr!("The prefix length must be from 0 to {longest}", longest);
            return Err(invalid(&rule));
        }
        if first(address, prefix) != address {
            let rule = tr!(
                "The address has bits after the prefix. Use {first}/{prefix} or {address}/{longest}",
                first = first(address, prefix),
                prefix,
                address,
                longest
            );
            return Err(invalid(&rule));
        }
        Ok(Self {
            first: address,
            prefix,
        })
    }
}

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Network> for String {
    fn from(network: Network) -> Self {
        network.to_string()
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Network {
        text.parse().unwrap()
    }

    #[test]
    fn addresses_are_in_their_network_only() {
        for (text, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("192.168.1.7", "192.168.1.7", "192.168.1.8"),
            ("0.0.0.0/0", "8.8.8.8", "::1"),
            ("2001:db8::/32", "2001:db8:1::5", "2001:db9::1"),
            ("::/0", "::1", "127.0.0.1"),
            ("10.0.0.0/8", "::ffff:10.1.2.3", "::ffff:11.1.2.3"),
            ("::1", "::1", "::2"),
        ] {
            let network = network(text);
            assert!(network.contains(inside.parse().unwrap()), "{text} {inside}");
            assert!(
                !network.contains(outside.parse().unwrap()),
                "{text} {outside}"
            );
        }
    }

    #[test]
    fn it_prints_as_it_is_read() {
        for text in ["10.0.0.0/8", "0.0.0.0/0", "2001:db8::/32", "::1/128"] {
            assert_eq!(network(text).to_string(), text);
            let json = serde_json::to_string(&network(text)).unwrap();
            assert_eq!(
                serde_json::from_str::<Network>(&json).unwrap(),
                network(text)
            );
        }
        assert_eq!(network("10.1.2.3").to_string(), "10.1.2.3/32");
    }

    #[test]
    fn invalid_text_names_the_rule() {
        for (text, rule) in [
            ("", "Use an address"),
            ("office", "Use an address"),
            ("10.0.0.0/", "Use an address"),
            ("10.0.0.0/+8", "Use an address"),
            ("10.0.0.0/33", "from 0 to 32"),
            ("::/129", "from 0 to 128"),
            ("10.0.0.1/8", "Use 10.0.0.0/8 or 10.0.0.1/32"),
        ] {
            let error = text.parse::<Network>().unwrap_err();
            assert!(error.contains(rule), "{text}: {error}");
        }
    }
}
