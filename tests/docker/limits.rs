//! What a session is given and what it is denied.

use workbay::{
    engine::api::Containers as _,
    model::{
        failure::FailureKind,
        resources::{Bytes, Cpu},
    },
};

use crate::support::{Bench, busybox_image, containers, host_spec, image_spec, plan, record};

#[tokio::test]
async fn the_engine_holds_what_was_asked() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let record = record(session);
    let host = &record["HostConfig"];
    assert_eq!(host["NanoCpus"], 500_000_000);
    assert_eq!(host["Memory"], 256 << 20);
    assert_eq!(host["MemorySwap"], 256 << 20);
    assert_eq!(host["ShmSize"], 16 << 20);
    assert_eq!(host["PidsLimit"], 256);
    assert_eq!(host["Init"], true);
    assert_eq!(host["CapDrop"], serde_json::json!(["ALL"]));
    assert_eq!(
        host["SecurityOpt"],
        serde_json::json!(["no-new-privileges"])
    );
    assert_eq!(host["LogConfig"]["Type"], "local");
    assert_eq!(host["LogConfig"]["Config"]["max-file"], "5");
    let ports = host["PortBindings"].as_object();
    assert!(ports.is_none_or(serde_json::Map::is_empty), "{ports:?}");
    assert_eq!(record["Config"]["Hostname"], "main1");
    assert_eq!(record["Config"]["WorkingDir"], "/home/work");
    assert!(
        record["Name"]
            .as_str()
            .unwrap()
            .starts_with("/workbay.bench.")
    );
}

#[tokio::test]
async fn a_session_runs_as_nobody_special() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    assert_eq!(
        bench.sh(session, "id -u; id -g; id -un").await,
        "1000\n1000\nwork"
    );
    let status = bench.sh(session, "cat /proc/self/status").await;
    assert!(status.contains("CapEff:\t0000000000000000"), "{status}");
    assert!(status.contains("CapBnd:\t0000000000000000"), "{status}");
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
}

#[tokio::test]
async fn what_a_session_writes_belongs_to_its_user_and_can_be_deleted() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    bench
        .sh(session, "mkdir deep; echo x > deep/file; chmod 000 deep")
        .await;
    let meta = std::fs::metadata(bench.home(session).join("deep")).unwrap();
    assert_eq!(std::os::unix::fs::MetadataExt::uid(&meta), 1000);
    bench.engine.stop(session, 0).await.unwrap();
    bench.engine.remove(session).await.unwrap();
    bench.engine.forget(session).await.unwrap();
    assert!(!bench.home(session).exists());
}

#[tokio::test]
async fn whole_cores_are_pinned_and_parts_are_not() {
    let bench = Bench::new();
    let mut whole = plan("whole", host_spec());
    whole.spec.cpu = Cpu::from_millis(1000);
    bench.launch(&whole).await;
    assert_eq!(
        bench
            .sh(
                whole.session,
                "nproc --all > /dev/null; OMP_NUM_THREADS= nproc"
            )
            .await,
        "1"
    );
    let part = bench.host_session().await;
    assert_eq!(record(part)["HostConfig"]["CpusetCpus"], "");
    assert_eq!(
        bench
            .sh(part, "echo $OMP_NUM_THREADS $OPENBLAS_NUM_THREADS $NPROC")
            .await,
        "1 1 1"
    );
}

#[tokio::test]
async fn two_sessions_of_one_core_get_different_cores() {
    if std::thread::available_parallelism().unwrap().get() < 2 {
        // There is only one core to give.
        return;
    }
    let bench = Bench::new();
    let (mut one, mut two) = (plan("one1", host_spec()), plan("two2", host_spec()));
    one.spec.cpu = Cpu::from_millis(1000);
    two.spec.cpu = Cpu::from_millis(1000);
    bench.launch(&one).await;
    bench.launch(&two).await;
    let cores = |session| record(session)["HostConfig"]["CpusetCpus"].clone();
    assert_ne!(cores(one.session), "");
    assert_ne!(cores(two.session), "");
}

#[tokio::test]
async fn impossible_limits_are_refused_in_a_sentence_and_leave_nothing() {
    let bench = Bench::new();
    let mut small = plan("small", host_spec());
    small.spec.mem = Bytes::mib(4);
    small.spec.shmem = Bytes::mib(1);
    let mut shared = plan("shared", host_spec());
    shared.spec.shmem = Bytes::mib(256);
    let mut many = plan("many", host_spec());
    many.spec.cpu = Cpu::from_millis(4_000_000);
    for (plan, words) in [
        (&small, "(min: 6 MiB)"),
        (&shared, "less than the memory"),
        (&many, "CPU is more"),
    ] {
        let error = bench.engine.create(plan).await.unwrap_err();
        assert!(error.kind == FailureKind::Refused, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(containers(plan.session).is_empty());
        assert!(!bench.home(plan.session).exists());
    }
}

#[tokio::test]
async fn variables_of_the_session_are_there_and_the_users_win() {
    let bench = Bench::new();
    let mut plan = plan("vars", image_spec(busybox_image()));
    plan.spec.env.insert("NPROC".into(), "7".into());
    plan.spec.env.insert("TEXT".into(), "a b=c 한글".into());
    bench.launch(&plan).await;
    let env = bench.sh(plan.session, "env").await;
    for line in [
        &format!("BACKENDAI_SESSION_ID={}", plan.session),
        &format!("BACKENDAI_KERNEL_ID={}", plan.kernel),
        "BACKENDAI_SESSION_NAME=vars",
        "BACKENDAI_CLUSTER_HOSTS=main1",
        "HOME=/home/work",
        "LANG=C.UTF-8",
        "NPROC=7",
        "OMP_NUM_THREADS=1",
        "TEXT=a b=c 한글",
    ] {
        assert!(env.lines().any(|one| one == line), "no {line} in {env}");
    }
}
