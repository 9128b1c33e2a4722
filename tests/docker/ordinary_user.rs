//! The same as a user without root's rights, who may use the engine's socket.
//!
//! These tests run as root, where no check of permissions can fail. So one test starts this program
//! again as another user, who then runs the other one.

use std::{
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    process::Command,
};

use workbay::{
    engine::{
        api::{ContainerState, Containers as _, Engine as _, Folders as _, Output, UsageAsk},
        docker::{DockerConfig, DockerEngine},
    },
    model::{id::InstanceId, settings::SaveLimits},
};

use crate::{
    copied::copy_program,
    own_user,
    support::{Bench, SOCKET, host_spec, mounted, plan, within},
};

const UID: u32 = 4321;
const OWN_ROOT: &str = "workbay-test/own-root:2";
const PLACE: &str = "WORKBAY_TEST_PLACE";

#[tokio::test]
async fn an_ordinary_user_can_do_all_of_it() {
    let place = tempfile::tempdir().unwrap();
    let open = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(place.path(), open).unwrap();
    let take = |from: &str, name: &str| {
        let to = place.path().join(name);
        copy_program(from, &to);
        std::fs::set_permissions(&to, std::fs::Permissions::from_mode(0o755)).unwrap();
        to
    };
    take(env!("CARGO_BIN_EXE_workbay"), "workbay");
    let this = std::env::current_exe().unwrap();
    let tests = take(this.to_str().unwrap(), "tests");
    own_user::image_of(OWN_ROOT, "LABEL nothing=1");
    let group = std::fs::metadata(SOCKET).unwrap().gid();
    let output = Command::new("setpriv")
        .args([
            format!("--reuid={UID}"),
            format!("--regid={UID}"),
            format!("--groups={group}"),
        ])
        .arg(tests)
        .args([
            "--ignored",
            "--exact",
            "ordinary_user::all_of_it",
            "--nocapture",
        ])
        .env(PLACE, place.path())
        .env("HOME", place.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && stdout.contains("1 passed"),
        "{stdout}\n{said}"
    );
}

#[tokio::test]
#[ignore = "run by the test above, as another user"]
async fn all_of_it() {
    assert_eq!(rustix::process::getuid().as_raw(), UID);
    let place = std::path::PathBuf::from(std::env::var_os(PLACE).unwrap());
    let instance = InstanceId::random();
    let engine = DockerEngine::new(DockerConfig {
        instance,
        state_dir: place.join("state"),
        toolbox_dir: place.join("toolbox"),
        folders_dir: place.join("data/folders"),
        host_paths: Vec::new(),
        saved_dir: place.join("data/folders"),
        save_limits: SaveLimits::default(),
        dotfiles_dir: place.join("dotfiles"),
        runtime_dir: place.join("run"),
        network: workbay::model::network::NetworkRules::default(),
        accelerators: std::collections::BTreeMap::new(),
        endpoint: None,
        shell: None,
        binary: place.join("workbay"),
    });
    engine.probe().await.unwrap();
    let bench = Bench::of(engine, instance, tempfile::tempdir_in(&place).unwrap());
    std::fs::create_dir(place.join("dotfiles")).unwrap();
    std::fs::write(place.join("dotfiles/.mine"), "x").unwrap();
    bench.engine.create_folder("data").await.unwrap();
    let mut plan = plan("mine", host_spec());
    plan.spec.mounts = vec![mounted("data", "/home/work/deeper/data", false)];
    bench.launch(&plan).await;
    let session = plan.session;
    let home = place
        .join("state/sessions")
        .join(session.to_string())
        .join("work");

    // What runs there is the caller, and what it writes the caller's.
    assert_eq!(
        bench.sh(session, "id -u; id -g; id -un").await,
        format!("{UID}\n{UID}\nwork")
    );
    bench
        .sh(session, "mkdir deep; echo x > deep/file; chmod 000 deep")
        .await;
    assert_eq!(std::fs::metadata(home.join("deep")).unwrap().uid(), UID);

    // So are the folders it mounts and the dotfiles it begins with.
    bench
        .sh(session, "cat ~/.mine; echo x > deeper/data/kept")
        .await;
    let kept = place.join("data/folders/data/kept");
    assert_eq!(std::fs::metadata(kept).unwrap().uid(), UID);
    assert_eq!(std::fs::metadata(home.join("deeper")).unwrap().uid(), UID);

    // Its terminal works, and a command that is dropped is ended.
    let mut pane = bench.terminal(session, "one", 80, 24).await;
    pane.wait_for("work@mine").await;
    bench.ends_a_dropped_command(session).await;

    // Its usage is read, and its log is kept.
    let at = "2026-01-02T03:04:05Z".parse().unwrap();
    assert_eq!(
        bench
            .engine
            .usage(&[UsageAsk::all(session)], at)
            .await
            .len(),
        1
    );
    bench.engine.stop(session, 10).await.unwrap();
    assert!(matches!(pane.end().await, Output::End { .. }));
    let ended = within(bench.engine.inspect(session))
        .await
        .unwrap()
        .unwrap()
        .state;
    assert!(
        matches!(ended, ContainerState::Exited { exit_code: 0, .. }),
        "{ended:?}"
    );
    bench.engine.remove(session).await.unwrap();
    assert!(home.with_file_name("log").exists());
    bench.engine.forget(session).await.unwrap();
    assert!(!home.exists());

    // What an image's root has made is ended and removed all the same.
    let session = own_user::session_of(&bench, OWN_ROOT).await;
    bench.ends_a_dropped_command(session).await;
    let home = place.join("state/sessions").join(session.to_string());
    assert_eq!(std::fs::metadata(home.join("work")).unwrap().uid(), 0);
    // The home alone looks like ours now, and what is in it is not.
    let line = format!("mkdir -m 700 rest; echo x > rest/file; chown {UID} /home/work");
    bench.sh(session, &line).await;
    bench.engine.stop(session, 0).await.unwrap();
    bench.engine.remove(session).await.unwrap();
    bench.engine.forget(session).await.unwrap();
    assert!(!home.exists());
}
