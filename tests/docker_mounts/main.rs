//! A file system mounted below /usr while sessions are launched. It changes this machine's mounts for
//! everybody, so it has a test program of its own: no other test launches beside it.

#[path = "../docker/support.rs"]
#[allow(dead_code, reason = "shared with the tests of the engine")]
mod support;

use support::Bench;

#[tokio::test]
async fn a_file_system_mounted_below_usr_is_read_only_too() {
    // A mount of our own below /usr, in this machine's name space: made and taken away again.
    let place = std::path::Path::new("/usr/share/workbay-test-submount");
    std::fs::create_dir_all(place).unwrap();
    let guard = Unmount(place);
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "tmpfs"])
        .arg(place)
        .status()
        .unwrap();
    assert!(mounted.success());
    std::fs::write(place.join("seen"), "x").unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(place, open).unwrap();
    let bench = Bench::new();
    let session = bench.host_session().await;
    assert_eq!(
        bench
            .sh(session, "cat /usr/share/workbay-test-submount/seen")
            .await,
        "x"
    );
    let (said, code) = bench
        .run(session, &["touch", "/usr/share/workbay-test-submount/mine"])
        .await;
    assert_ne!(code, Some(0));
    assert!(said.contains("Read-only file system"), "{said}");
    drop(bench);
    drop(guard);
}

struct Unmount(&'static std::path::Path);

impl Drop for Unmount {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount")
            .arg("-l")
            .arg(self.0)
            .status();
        let _ = std::fs::remove_dir(self.0);
    }
}
