//! What our containers are called.

/// `workbay.<name>.<kernel>`; the kernel's part keeps names of two daemons apart.
pub(super) fn container_name(session_name: &str, kernel_short: &str) -> String {
    format!("workbay.{session_name}.{kernel_short}")
}

/// The session's name in a container's name.
pub(super) fn session_name(container_name: &str) -> Option<&str> {
    let inner = container_name
        .trim_start_matches('/')
        .strip_prefix("workbay.")?;
    inner.rsplit_once('.').map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_in_and_come_out() {
        let name = container_name("my.first-one", "0a1b2c3d");
        assert_eq!(name, "workbay.my.first-one.0a1b2c3d");
        assert_eq!(session_name(&format!("/{name}")), Some("my.first-one"));
        assert_eq!(session_name("/somebody"), None);
    }
}
