//! What a session finds in its home, in its variables and in its limits.

use workbay::{
    engine::api::Images as _,
    model::resources::{Bytes, Cpu},
};

use crate::support::{
    Bench, busybox_image, docker, host_spec, image_spec, plan, record, try_docker,
};

#[tokio::test]
async fn dotfiles_come_with_their_permissions() {
    let bench = Bench::new();
    let dir = bench.dir.path().join("dotfiles");
    std::fs::create_dir_all(dir.join(".ssh")).unwrap();
    std::fs::write(dir.join(".vimrc"), "mine").unwrap();
    std::fs::write(dir.join(".ssh/key"), "secret").unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(dir.join(".ssh/key"), private).unwrap();
    std::os::unix::fs::symlink(".vimrc", dir.join(".exrc")).unwrap();
    let session = bench.host_session().await;
    let line = "cat .vimrc .exrc; stat -c '%a %U' .ssh/key; readlink .exrc";
    assert_eq!(bench.sh(session, line).await, "minemine600 work\n.vimrc");
    bench
        .sh(session, "test -f .bashrc && echo x >> .vimrc")
        .await;
}

#[tokio::test]
async fn too_many_dotfiles_are_reported_in_the_log() {
    let bench = Bench::new();
    let dir = bench.dir.path().join("dotfiles");
    std::fs::create_dir(&dir).unwrap();
    let large = std::fs::File::create(dir.join("large")).unwrap();
    large.set_len(17 << 20).unwrap();
    let session = bench.host_session().await;
    let log = bench.said(session, "workbay: ready").await;
    assert!(log.contains("workbay: warning: the dotfiles of "), "{log}");
    assert!(!bench.home(session).join("large").exists());
}

#[tokio::test]
async fn secrets_are_variables_and_nothing_else() {
    let bench = Bench::new();
    let mut plan = plan("secrets", image_spec(busybox_image()));
    plan.spec.secret_names = vec!["API_TOKEN".into()];
    plan.spec.preopen_ports = vec![9000, 9001];
    plan.secrets = [("API_TOKEN".to_owned(), "hush-hush".to_owned().into())].into();
    bench.launch(&plan).await;
    let line = "echo $API_TOKEN $BACKENDAI_PREOPEN_PORTS $BACKENDAI_SERVICE_PORTS";
    assert_eq!(
        bench.sh(plan.session, line).await,
        "hush-hush 9000,9001 9000:preopen:9000,9001:preopen:9001"
    );
    let record = record(plan.session);
    let labels = &record["Config"]["Labels"];
    assert!(!labels.to_string().contains("hush-hush"));
    assert!(
        labels["workbay.spec"]
            .as_str()
            .unwrap()
            .contains("API_TOKEN")
    );
    assert_eq!(
        labels["ai.backend.service-ports"],
        "9000:preopen:9000,9001:preopen:9001"
    );
    let log = bench.said(plan.session, "workbay: ready").await;
    assert!(!log.contains("hush-hush"), "{log}");
}

/// The limit is read as a program inside reads it, of whichever version the machine's groups are.
const LIMITS: &str = "cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || \
                      cat /sys/fs/cgroup/memory.max; \
                      cat /sys/fs/cgroup/cpuset/cpuset.cpus 2>/dev/null || \
                      cat /sys/fs/cgroup/cpuset.cpus.effective";

#[tokio::test]
async fn limits_are_seen_from_inside() {
    let bench = Bench::new();
    let mut plan = plan("limits", host_spec());
    plan.spec.cpu = Cpu::from_millis(1000);
    plan.spec.mem = Bytes::mib(192);
    plan.spec.shmem = Bytes::mib(32);
    bench.launch(&plan).await;
    let seen = bench.sh(plan.session, LIMITS).await;
    let cores = record(plan.session)["HostConfig"]["CpusetCpus"].clone();
    assert_eq!(seen, format!("{}\n{}", 192 << 20, cores.as_str().unwrap()));
    let line = "df -k /dev/shm | tail -n 1 | awk '{print $2}'";
    assert_eq!(bench.sh(plan.session, line).await, (32 << 10).to_string());
}

#[tokio::test]
async fn labels_of_an_image_are_facts_of_its_environment() {
    let bench = Bench::new();
    let name = "workbay-test/facts:3.11-py311-cuda12.1";
    if !try_docker(&["image", "inspect", name]) {
        let dir = tempfile::tempdir().unwrap();
        let label = |text: &str| format!("LABEL {text}");
        let archive = dir.path().join("empty.tar");
        std::fs::write(&archive, [0; 1024]).unwrap();
        docker(&[
            "import",
            "--change",
            &label("workbay.test=1"),
            "--change",
            &label("ai.backend.resource.min.mem=128m"),
            "--change",
            &label("ai.backend.resource.min.cpu=1"),
            "--change",
            &label("ai.backend.accelerators=cuda"),
            "--change",
            &label("ai.backend.service-ports=jupyter:http:8080,x:tcp:[90,91]"),
            archive.to_str().unwrap(),
            name,
        ]);
    }
    let all = bench.engine.environments().await.unwrap();
    let found = all.iter().find(|one| one.label() == name).unwrap();
    let facts = &found.facts;
    assert_eq!(facts.minimum.mem, Bytes::mib(128));
    assert_eq!(facts.minimum.cpu, Cpu::from_millis(1000));
    assert_eq!(facts.accelerators, ["cuda"]);
    assert_eq!(facts.chips, ["py311", "cuda12.1"]);
    assert_eq!(facts.services[1].ports, [90, 91]);
}
