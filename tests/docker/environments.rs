//! The host environment: this machine's userland, and nothing of it writable.

use crate::support::Bench;

#[tokio::test]
async fn programs_of_this_machine_run_and_its_files_are_safe() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    assert_eq!(
        bench.sh(session, "tmux -V").await,
        bench.sh(session, "/usr/bin/tmux -V").await
    );
    let (said, code) = bench
        .run(
            session,
            &[
                "touch",
                "/usr/share/mine",
                "/etc/profile",
                "/opt/workbay/mine",
            ],
        )
        .await;
    assert_ne!(code, Some(0));
    assert_eq!(
        said.matches("ead-only file system").count() + said.matches("ermission denied").count(),
        3,
        "{said}"
    );
}

#[tokio::test]
async fn nothing_below_the_read_only_mounts_is_writable() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mounts = bench.sh(session, "cat /proc/self/mountinfo").await;
    for line in mounts.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let below = ["/usr", "/bin", "/lib", "/opt/workbay", "/etc/ssl"]
            .iter()
            .any(|dir| fields[4].starts_with(dir));
        if below {
            assert!(
                fields[5].split(',').any(|option| option == "ro"),
                "writable: {line}"
            );
        }
    }
    assert!(mounts.contains(" /usr ro,"), "{mounts}");
}
