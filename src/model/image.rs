//! What the tag and the labels (`ai.backend.…`) of an image say about it.

use super::{
    resources::{Bytes, Cpu, ResourceSlots},
    service::Service,
    text::Clean,
};

/// Names of labels.
pub const SERVICE_PORTS: &str = "ai.backend.service-ports";
pub const FEATURES: &str = "ai.backend.features";
pub const ROLE: &str = "ai.backend.role";
pub const ACCELERATORS: &str = "ai.backend.accelerators";
pub const OWN_NAME: &str = "ai.backend.customized-image.name";
/// `user:` and the id of the owner. `OWN_EMAIL` has the address of the owner.
pub const OWN_OWNER: &str = "ai.backend.customized-image.owner";
pub const OWN_EMAIL: &str = "ai.backend.customized-image.user.email";
/// The heading of the images that the user created from sessions.
pub const MY_ENVIRONMENTS: &str = tr_sent!("My environments");
/// The path of the image's own Python.
pub const RUNTIME_PATH: &str = "ai.backend.runtime-path";
/// The protocol of ports that a launch opens in advance.
pub const PREOPEN: &str = "preopen";
/// The protocol of services for other services.
pub const INTERNAL: &str = "internal";
/// Names of variables that get the number of cores, separated by commas.
pub const CORE_COUNTS: &str = "ai.backend.envs.corecount";
/// The name of a slot follows.
const MINIMUM: &str = "ai.backend.resource.min.";

/// The services of a label: `jupyter:http:8080,x:tcp:[80,81]`. Parsing stops at the first part of another
/// form. Terminals of the image (`pty`) aren't services.
pub fn services(label: &str) -> Vec<Service> {
    let mut found: Vec<Service> = Vec::new();
    let mut rest = label.trim();
    while let Some((service, after)) = first_service(rest) {
        rest = after;
        let known = |port: &u16| found.iter().any(|other| other.ports.contains(port));
        if service.protocol != "pty" && !service.ports.iter().any(known) {
            found.push(service);
        }
    }
    found
}

fn first_service(text: &str) -> Option<(Service, &str)> {
    let (name, rest) = text.split_once(':')?;
    let (protocol, rest) = rest.split_once(':')?;
    let (ports, rest) = match rest.strip_prefix('[') {
        Some(several) => several.split_once(']')?,
        None => rest.split_at(rest.find(',').unwrap_or(rest.len())),
    };
    let after = match rest.strip_prefix(',') {
        Some(after) => after.trim_start(),
        None if rest.trim().is_empty() => "",
        None => return None,
    };
    let dashes = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let words = |c: char| c.is_alphanumeric() || c == '_';
    let fine = !name.is_empty() && name.chars().all(dashes);
    if !fine || protocol.is_empty() || !protocol.chars().all(words) {
        return None;
    }
    let ports: Option<Vec<u16>> = ports
        .split(',')
        .map(|port| port.trim().parse().ok())
        .collect();
    let service = Service {
        name: Clean::new(name),
        protocol: Clean::new(protocol),
        ports: ports?,
    };
    Some((service, after))
}

/// Formats services as a label.
pub fn services_label(services: &[Service]) -> String {
    let one = |service: &Service| {
        let ports: Vec<String> = service.ports.iter().map(u16::to_string).collect();
        let ports = match ports.as_slice() {
            [only] => only.clone(),
            several => format!("[{}]", several.join(",")),
        };
        format!("{}:{}:{ports}", service.name, service.protocol)
    };
    services.iter().map(one).collect::<Vec<_>>().join(",")
}

/// The parts of a tag after the first: the name of the user's own image, then `py311`, `cuda12.1`.
pub fn chips(tag: &str, own_name: Option<&str>) -> Vec<Clean> {
    let parts = tag.split('-').skip(1).filter(|part| !part.is_empty());
    let (own, parts): (Vec<&str>, Vec<&str>) = parts.partition(|part| is_customized(part));
    let own = own.first().map(|_| match own_name {
        Some(name) => Clean::new(&format!("Customized: {name}")),
        None => Clean::new("Customized"),
    });
    own.into_iter()
        .chain(parts.into_iter().map(Clean::new))
        .collect()
}

/// Whether a part of a tag shows that the image was created from a session.
pub fn is_customized(part: &str) -> bool {
    part.starts_with("customized_")
}

/// The leading numbers of a tag, for finding the newest one: `3.11-debian12` is 3, 11.
pub fn version_numbers(tag: &str) -> Vec<u32> {
    tag.split('-')
        .next()
        .unwrap_or_default()
        .split('.')
        .map_while(|part| part.parse().ok())
        .collect()
}

/// Whether sessions can use it. Images of services and of the system are for other purposes.
pub fn is_for_sessions(features: Option<&str>, role: Option<&str>) -> bool {
    let private = features.is_some_and(|words| words.split_whitespace().any(|it| it == "private"));
    !private && role.is_none_or(|role| role.eq_ignore_ascii_case("compute"))
}

/// The kinds of accelerators that it can use. `*` and an empty label mean any.
pub fn accelerators(label: Option<&str>) -> Vec<Clean> {
    let kinds: Vec<&str> = label
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .filter(|kind| !kind.is_empty())
        .collect();
    if kinds.contains(&"*") {
        return Vec::new();
    }
    kinds.into_iter().map(Clean::new).collect()
}

/// The minimum resources from all its labels. An invalid amount is ignored.
pub fn minimum<'a>(labels: impl Iterator<Item = (&'a str, &'a str)>) -> ResourceSlots {
    let mut least = ResourceSlots::default();
    for (key, value) in labels {
        match key.strip_prefix(MINIMUM) {
            Some("cpu") => least.cpu = value.parse().unwrap_or_default(),
            Some("mem") => least.mem = value.parse::<Bytes>().unwrap_or_default(),
            Some(slot) if !slot.is_empty() => {
                if let Ok(amount) = value.parse::<Cpu>() {
                    least.accelerators.insert(slot.to_owned(), amount.millis());
                }
            }
            _ => {}
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ports(label: &str) -> Vec<(String, Vec<u16>)> {
        services(label)
            .into_iter()
            .map(|one| (one.name.into_string(), one.ports))
            .collect()
    }

    #[test]
    fn services_are_read_by_their_grammar() {
        let label = "jupyter:http:8080, x-y:tcp:[90,91],ipython:pty:3000,web:preopen:9";
        assert_eq!(
            ports(label),
            [
                ("jupyter".to_owned(), vec![8080]),
                ("x-y".to_owned(), vec![90, 91]),
                ("web".to_owned(), vec![9])
            ]
        );
        assert_eq!(
            services_label(&services(label)),
            "jupyter:http:8080,x-y:tcp:[90,91],web:preopen:9"
        );
        // A port is listed once. Parsing stops at an invalid part.
        assert_eq!(ports("a:http:80,b:http:80").len(), 1);
        assert_eq!(ports("a:http:80,nonsense,b:http:81").len(), 1);
        for bad in [
            "",
            "garbage",
            "a:b",
            "a:http:",
            "a:http:x",
            "a:http:[80",
            "a:http:80]",
            "a b:http:1",
            ":http:1",
            "a:http:70000",
        ] {
            assert!(services(bad).is_empty(), "{bad} was taken");
        }
    }

    #[test]
    fn a_tag_gives_requirements_and_age() {
        let chips = |tag| {
            let all = chips(tag, Some("mine"));
            all.into_iter().map(Clean::into_string).collect::<Vec<_>>()
        };
        assert_eq!(chips("23.03-py311-cuda12.1"), ["py311", "cuda12.1"]);
        assert_eq!(chips("3-customized_ab12"), ["Customized: mine"]);
        assert!(chips("latest").is_empty());
        assert!(version_numbers("3.11-x") > version_numbers("3.9-x"));
        assert!(version_numbers("latest").is_empty());
    }

    #[test]
    fn labels_give_what_it_needs() {
        let labels = [
            ("ai.backend.resource.min.cpu", "2"),
            ("ai.backend.resource.min.mem", "1g"),
            ("ai.backend.resource.min.cuda.device", "1"),
            ("ai.backend.resource.min.cuda.shares", "0"),
            ("ai.backend.resource.min.", "1"),
            ("other", "7"),
        ];
        let least = minimum(labels.into_iter());
        assert_eq!(
            (least.cpu, least.mem),
            (Cpu::from_millis(2000), Bytes::mib(1024))
        );
        assert_eq!(
            least.accelerators,
            [("cuda.device".to_owned(), 1000)].into()
        );
        assert_eq!(
            accelerators(Some("cuda, rocm")),
            ["cuda", "rocm"].map(Clean::from)
        );
        assert!(accelerators(Some("*")).is_empty() && accelerators(None).is_empty());
        assert!(is_for_sessions(Some("batch query"), Some("COMPUTE")));
        assert!(is_for_sessions(None, None));
        assert!(!is_for_sessions(Some("batch private"), None));
        assert!(!is_for_sessions(None, Some("SYSTEM")));
    }
}
