//! Preopen ports: their notation and rules.

/// Ports that workbay and the built-in services of sessions use.
pub const RESERVED: [u16; 6] = [2000, 2001, 2002, 2003, 2200, 7681];
/// The default limit.
pub const MOST: u32 = 10;

/// Parses `8080, 9000-9003 10000:10002`: numbers and ranges, separated by commas or spaces.
pub fn read(text: &str) -> Result<Vec<u16>, String> {
    let mut ports = Vec::new();
    let tokens = text.split([',', ' ', '\t', '\n']).map(str::trim);
    for token in tokens.filter(|token| !token.is_empty()) {
        let (first, last) = token
            .split_once([':', '-'])
            .map_or((token, token), |(first, last)| (first, last));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(tr!(
                "invalid range '{token}'. Write the lower port first: {last}-{first}",
                token,
                last,
                first
            ));
        }
        // Checked before the range is expanded, so that many large ranges don't use memory.
        if ports.len() + usize::from(last - first) >= EVER as usize {
            return Err(tr!("too many ports (max: {most})", most = EVER));
        }
        ports.extend(first..=last);
    }
    Ok(ports)
}

fn number(text: &str) -> Result<u16, String> {
    let shown = super::text::Clean::new(text);
    let bad = || {
        tr!(
            "invalid port '{shown}'. Use numbers from 1024 to 65535",
            shown
        )
    };
    text.parse().map_err(|_| bad())
}

/// Formats ports as users type them, with ranges combined.
pub fn write(ports: &[u16]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut at = 0;
    while at < ports.len() {
        let mut end = at;
        while end + 1 < ports.len() && ports[end].checked_add(1) == Some(ports[end + 1]) {
            end += 1;
        }
        parts.push(if end > at {
            format!("{}-{}", ports[at], ports[end])
        } else {
            ports[at].to_string()
        });
        at = end + 1;
    }
    parts.join(", ")
}

/// The max number of ports, whatever a policy allows.
const EVER: u32 = 1000;

/// Checks the ports. `taken` are the ports of the environment's services.
pub fn check(ports: &[u16], taken: &[u16], most: u32) -> Result<(), String> {
    let most = most.min(EVER);
    if ports.len() > most as usize {
        return Err(tr!(
            "{count} ports are too many (max: {most})",
            count = ports.len(),
            most
        ));
    }
    for (at, port) in ports.iter().enumerate() {
        if *port < 1024 {
            return Err(tr!("invalid port {port}. Use 1024 to 65535", port));
        }
        if RESERVED.contains(port) {
            return Err(tr!(
                "port {port} is reserved for workbay's own services. Choose another port",
                port
            ));
        }
        if taken.contains(port) {
            return Err(tr!(
                "port {port} is already a service port of this environment. Remove it from the \
                 list",
                port
            ));
        }
        if ports[..at].contains(port) {
            return Err(tr!("port {port} is listed twice", port));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_large_ranges_are_refused_before_they_are_expanded() {
        assert_eq!(read("2001-3000").map(|ports| ports.len()), Ok(1000));
        for text in ["2000-3000", "1024-65535", "2000, 2001-3000"] {
            assert_eq!(read(text).unwrap_err(), "too many ports (max: 1000)");
        }
    }

    #[test]
    fn ports_read_and_print() {
        assert_eq!(
            read("8080 9000:9002,1024").unwrap(),
            [8080, 9000, 9001, 9002, 1024]
        );
        assert_eq!(
            write(&[8080, 9000, 9001, 9002, 1024]),
            "8080, 9000-9002, 1024"
        );
        assert!(read(" ").unwrap().is_empty());
        for bad in ["x", "9002-9000", "70000", "1-2-3"] {
            assert!(read(bad).is_err(), "{bad} was taken");
        }
    }

    #[test]
    fn the_rule() {
        let why = |ports: &[u16]| check(ports, &[8888], 3).unwrap_err();
        assert!(why(&[80]).contains("1024 to 65535"));
        assert!(why(&[7681]).contains("reserved"));
        assert!(why(&[8888]).contains("service port of this environment"));
        assert!(why(&[9000, 9000]).contains("twice"));
        assert!(why(&[9000, 9001, 9002, 9003]).contains("max: 3"));
        assert_eq!(check(&[9000, 1024], &[], 3), Ok(()));
    }
}
