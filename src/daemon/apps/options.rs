//! Checks what was requested of a forward.

use std::net::{IpAddr, Ipv4Addr};

use jiff::Timestamp;

use crate::model::{
    cidr::Network,
    failure::Failure,
    forward::{ForwardOptions, PublicAccess, PublicOptions},
    ports,
    settings::AppSettings,
    text::Clean,
};

/// Where a forward listens, and who may use it.
#[derive(Debug, PartialEq)]
pub(super) struct Checked {
    pub address: IpAddr,
    /// The port to try first.
    pub preferred: Option<u16>,
    pub public: Option<PublicAccess>,
    /// The networks of `public`.
    pub allowed: Vec<Network>,
}

pub(super) fn check(
    options: &ForwardOptions,
    settings: &AppSettings,
    now: Timestamp,
) -> Result<Checked, Failure> {
    if let Some(port) = options.preferred_port {
        check_port(port)?;
    }
    let (public, allowed) = match &options.public {
        Some(public) => check_public(public, settings, now)?,
        None => (None, Vec::new()),
    };
    Ok(Checked {
        address: address(public.is_some()),
        preferred: options.preferred_port.or(settings.preferred_port),
        public,
        allowed,
    })
}

/// The address that a forward listens on.
pub(super) const fn address(is_public: bool) -> IpAddr {
    IpAddr::V4(if is_public {
        Ipv4Addr::UNSPECIFIED
    } else {
        Ipv4Addr::LOCALHOST
    })
}

fn check_port(port: u16) -> Result<(), Failure> {
    let is_usable = (1025..=65534).contains(&port) && !ports::RESERVED.contains(&port);
    if is_usable {
        return Ok(());
    }
    Err(
        Failure::usage(tr_sent!("invalid preferred port {port}", port)).hint(tr_sent!(
            "use a port from 1025 to 65534, except 2000 to 2003, 2200 and 7681"
        )),
    )
}

fn check_public(
    public: &PublicOptions,
    settings: &AppSettings,
    now: Timestamp,
) -> Result<(Option<PublicAccess>, Vec<Network>), Failure> {
    if !settings.open_to_public {
        return Err(Failure::refused(tr_sent!(
            "the settings don't allow apps to be opened to other machines"
        ))
        .hint(tr_sent!(
            "leave out --public, or set apps.open-to-public to true"
        )));
    }
    let allowed = networks(public.allowed.iter().map(String::as_str))?;
    let until = match public.expires {
        Some(span) => Some(now.checked_add(span.duration()).map_err(|_| {
            Failure::usage(tr_sent!("the time {span} is too long", span))
                .hint(tr_sent!("for example: 8h"))
        })?),
        None => None,
    };
    let access = PublicAccess {
        allowed: allowed
            .iter()
            .map(|network| Clean::new(&network.to_string()))
            .collect(),
        until,
    };
    Ok((Some(access), allowed))
}

pub(super) fn networks<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Vec<Network>, Failure> {
    texts
        .map(|text| text.trim().parse().map_err(Failure::usage))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> AppSettings {
        AppSettings {
            open_to_public: true,
            ..AppSettings::default()
        }
    }

    #[test]
    fn a_forward_is_private_unless_asked_otherwise() {
        let now = Timestamp::UNIX_EPOCH;
        let checked = check(&ForwardOptions::default(), &settings(), now).unwrap();
        assert!(checked.address.is_loopback() && checked.public.is_none());
    }

    #[test]
    fn public_forwards_need_the_setting_and_valid_networks() {
        let now = Timestamp::UNIX_EPOCH;
        let of = |allowed: &[&str], expires: Option<&str>| ForwardOptions {
            public: Some(PublicOptions {
                allowed: allowed.iter().map(|&text| text.to_owned()).collect(),
                expires: expires.map(|text| text.parse().unwrap()),
            }),
            ..ForwardOptions::default()
        };
        let checked = check(&of(&["10.0.0.0/8"], Some("1h")), &settings(), now).unwrap();
        let public = checked.public.unwrap();
        assert_eq!(public.allowed, [Clean::new("10.0.0.0/8")]);
        assert_eq!(public.until.unwrap().as_second(), 3600);
        assert!(checked.address.is_unspecified());
        assert!(check(&of(&["10.0.0.0/99"], None), &settings(), now).is_err());
        assert!(check(&of(&[], None), &AppSettings::default(), now).is_err());
    }

    #[test]
    fn reserved_and_privileged_ports_are_refused() {
        for port in [0, 80, 1024, 2200, 7681, 65535] {
            let options = ForwardOptions {
                preferred_port: Some(port),
                ..ForwardOptions::default()
            };
            let checked = check(&options, &settings(), Timestamp::UNIX_EPOCH);
            assert!(checked.is_err(), "{port} was accepted");
        }
    }
}
