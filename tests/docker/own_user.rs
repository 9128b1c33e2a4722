//! Environments that run as their image's own user: the home is that user's while the session lives, and ours
//! after it.

use std::os::unix::fs::MetadataExt as _;

use workbay::{
    engine::api::{Containers as _, Folders as _},
    model::{environment::SessionUser, failure::FailureKind, id::SessionId},
};

use crate::echo_app;
use crate::support::{Bench, busybox, docker, file, image_spec, import_as, mounted, plan};

/// An image of busybox whose user is the one of `line`.
pub fn image_of(name: &str, line: &str) {
    let mut tar = tar::Builder::new(Vec::new());
    busybox(&mut tar);
    let passwd = b"root:x:0:0::/root:/bin/sh\napp:x:1234:1235::/srv:/bin/sh\n";
    file(&mut tar, "etc/passwd", 0o644, passwd);
    file(&mut tar, "etc/group", 0o644, b"root:x:0:\napp:x:1235:\n");
    import_as(name, &[line], tar);
}

/// A session of the image that has done something in its home.
pub async fn session_of(bench: &Bench, image: &str) -> SessionId {
    let mut plan = plan("bench", image_spec(image));
    plan.spec.user = SessionUser::Image;
    plan.spec.apps = vec![echo_app::echo_app()];
    bench.launch(&plan).await;
    let made = "mkdir -p deep/er; echo x > deep/er/file; ln -s / deep/root; chmod 000 deep/er";
    bench.sh(plan.session, made).await;
    plan.session
}

/// The same where the home is a volume of an engine elsewhere.
pub async fn works_elsewhere(bench: &Bench) {
    let name = "workbay-test/own-number:1";
    image_of(name, "USER 1234:0");
    let session = session_of(bench, name).await;
    let said = bench.sh(session, "id -u; ls -n deep | grep -c 1234").await;
    assert_eq!(said, "1234\n2");
    echo_app::works(bench, session).await;
    bench.engine.stop(session, 0).await.unwrap();
    bench.engine.remove(session).await.unwrap();
    bench.engine.forget(session).await.unwrap();
}

#[tokio::test]
async fn programs_run_as_the_images_user_that_has_the_home() {
    for (name, line, expected) in [
        ("workbay-test/own-app:1", "USER app", "1234 1235 app"),
        ("workbay-test/own-number:1", "USER 1234:0", "1234 0 1234"),
        ("workbay-test/own-root:1", "LABEL nothing=1", "0 0 root"),
    ] {
        image_of(name, line);
        let bench = Bench::new();
        let session = session_of(&bench, name).await;
        let said = bench.sh(session, "echo $(id -u) $(id -g) $USER; pwd").await;
        assert_eq!(said, format!("{expected}\n/home/work"), "{name}");
        echo_app::works(&bench, session).await;
        let owner = |path: &str| {
            let path = bench.home(session).join(path);
            std::fs::symlink_metadata(path).unwrap().uid().to_string()
        };
        let uid = expected.split(' ').next().unwrap();
        assert_eq!(owner("deep/root"), uid, "{name}");
        let mut pane = bench.terminal(session, "one", 80, 24).await;
        pane.wait_for("$").await;
        pane.type_text("echo sum-$((6*7))-$(id -u)\r").await;
        pane.wait_for(&format!("sum-42-{uid}")).await;
        bench.ends_a_dropped_command(session).await;

        let root_before = std::fs::metadata("/").unwrap().uid();
        bench.engine.stop(session, 0).await.unwrap();
        bench.engine.remove(session).await.unwrap();
        assert_eq!(owner("deep/er"), "1000", "it is ours again: {name}");
        assert_eq!(std::fs::metadata("/").unwrap().uid(), root_before);
        bench.engine.forget(session).await.unwrap();
        assert!(!bench.home(session).exists(), "{name}");
    }
}

/// Files of a folder, created on either side, are for both.
#[tokio::test]
async fn a_folder_is_shared_with_the_images_user() {
    for (name, line) in [
        ("workbay-test/own-app:1", "USER app"),
        ("workbay-test/own-root:1", "LABEL nothing=1"),
    ] {
        image_of(name, line);
        let bench = Bench::new();
        bench.engine.create_folder("data").await.unwrap();
        // The daemon as an ordinary user: only root can test that as another user.
        let place = bench.dir.path().join("folders/data");
        let outside = |line: &str| {
            let ran = std::process::Command::new("setpriv")
                .args([
                    "--reuid",
                    "1000",
                    "--regid",
                    "1000",
                    "--clear-groups",
                    "sh",
                    "-ec",
                ])
                .arg(line)
                .current_dir(&place)
                .output()
                .unwrap();
            assert!(ran.status.success(), "{name}: {line}: {ran:?}");
        };
        outside("mkdir mine; echo a > mine/file");
        let mut plan = plan("shared", image_spec(name));
        plan.spec.user = SessionUser::Image;
        plan.spec.mounts = vec![mounted("data", "/home/work/data", false)];
        bench.launch(&plan).await;
        let line = "cd data; cat mine/file; echo b >> mine/file; mkdir -p theirs/deep; \
                    echo c > theirs/deep/file";
        assert_eq!(bench.sh(plan.session, line).await, "a", "{name}");
        outside(
            "cat theirs/deep/file; echo d >> theirs/deep/file; echo e > theirs/more; echo f > new",
        );
        let line =
            "cd data; cat theirs/deep/file theirs/more new; rm -r mine; rm new; echo g > last";
        assert_eq!(bench.sh(plan.session, line).await, "c\nd\ne\nf", "{name}");
        outside("rm -r theirs; rm last");
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 0, "{name}");
        bench.engine.stop(plan.session, 0).await.unwrap();
        bench.engine.remove(plan.session).await.unwrap();
    }
}

/// What other images start as root to continue as another user, and nothing more.
#[tokio::test]
async fn root_of_an_image_may_change_owners_and_users_and_no_more() {
    let name = "workbay-test/own-root:1";
    image_of(name, "LABEL nothing=1");
    let bench = Bench::new();
    let session = session_of(&bench, name).await;
    let line = "grep CapEff /proc/self/status | cut -f2; chown 1234 deep && ls -nd deep | cut -d' ' -f3- | grep -c 1234";
    // CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID.
    assert_eq!(bench.sh(session, line).await, "00000000000000eb\n1");
}

#[tokio::test]
async fn a_user_that_the_image_does_not_know_is_reported_and_nothing_is_left() {
    let name = "workbay-test/own-ghost:1";
    image_of(name, "USER ghost");
    let bench = Bench::new();
    let mut plan = plan("bench", image_spec(name));
    plan.spec.user = SessionUser::Image;
    let error = bench.engine.create(&plan).await.unwrap_err();
    let failure = error;
    assert_eq!(failure.kind, FailureKind::Refused, "{failure:?}");
    let why = failure.to_string();
    assert!(why.contains("'ghost'"), "{why}");
    assert!(!bench.home(plan.session).exists());
    let names = docker(&["ps", "-a", "--format", "{{.Names}}"]);
    assert!(!names.contains(&plan.session.to_string()), "{names}");
}

/// Leaves a file in the home when a program of root loads it.
const LOADED: &str = r#"
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void loaded(void) {
    if (geteuid() == 0) close(open("/home/work/loaded-as-root", O_CREAT | O_WRONLY, 0666));
}
"#;

/// The process that hands the home over is root and can reach it before anything else does.
#[tokio::test]
async fn root_that_changes_the_owner_of_a_home_loads_nothing_of_the_image() {
    let dir = tempfile::tempdir().unwrap();
    let (source, library) = (dir.path().join("loaded.c"), dir.path().join("loaded.so"));
    std::fs::write(&source, LOADED).unwrap();
    let built = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status();
    assert!(built.unwrap().success());

    let name = "workbay-test/own-preload:1";
    let mut tar = tar::Builder::new(Vec::new());
    busybox(&mut tar);
    let library = std::fs::read(library).unwrap();
    file(&mut tar, "opt/loaded.so", 0o755, &library);
    file(&mut tar, "etc/ld.so.preload", 0o644, b"/opt/loaded.so\n");
    file(
        &mut tar,
        "etc/passwd",
        0o644,
        b"app:x:1234:1235::/srv:/bin/sh\n",
    );
    import_as(name, &["ENV LD_PRELOAD=/opt/loaded.so", "USER app"], tar);
    let bench = Bench::new();
    let session = session_of(&bench, name).await;
    let home = bench.home(session);
    let owner = std::fs::metadata(&home).unwrap();
    assert_eq!((owner.uid(), owner.gid()), (1234, 1235));
    assert!(!home.join("loaded-as-root").exists());
    let names = docker(&["ps", "-a", "--format", "{{.Names}}"]);
    for helper in ["accounts", "home"] {
        let helper = format!("workbay.{helper}.{session}");
        assert!(!names.contains(&helper), "{names}");
    }
}
