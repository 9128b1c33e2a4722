//! How much a session uses.

use std::{fs, os::unix::fs::MetadataExt as _};

use jiff::{SignedDuration, Timestamp};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use workbay::{
    engine::api::{Containers as _, CreatePlan, Engine as _, UsageAsk},
    model::{
        id::{KernelId, SessionId},
        network::NetworkRules,
        resources::{Bytes, Cpu},
        session::SessionType,
        spec::LaunchSpec,
        usage::{Traffic, Usage},
    },
};

use crate::support::{Bench, containers, docker, host_spec, plan, until, within};

#[tokio::test]
async fn a_busy_session_is_seen_and_an_idle_one_is_not() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let start = std::time::SystemTime::UNIX_EPOCH;
    let begun = tokio::time::Instant::now();
    // The engine measures against the time it is given.
    let now = || {
        let passed = SignedDuration::try_from(begun.elapsed()).unwrap();
        Timestamp::try_from(start).unwrap() + passed
    };
    let first = bench.engine.usage(&[UsageAsk::all(session)], now()).await;
    assert_eq!(first.len(), 1);
    assert_eq!(first[0].1.cpu, None, "nothing to compare with yet");
    assert!(
        first[0].1.mem > Bytes(0) && first[0].1.mem < Bytes::mib(256),
        "{:?}",
        first[0].1
    );
    let mut pane = bench.terminal(session, "one", 80, 24).await;
    pane.wait_for("work@bench").await;
    pane.type_text("while :; do :; done\r").await;
    until(async || {
        let sample = bench.engine.usage(&[UsageAsk::all(session)], now()).await;
        sample[0].1.cpu.filter(|cpu| cpu.millis() > 200)
    })
    .await;
    pane.type_text("\u{3}").await;
    until(async || {
        let sample = bench.engine.usage(&[UsageAsk::all(session)], now()).await;
        sample[0].1.cpu.filter(|cpu| cpu.millis() < 50)
    })
    .await;
}

#[tokio::test]
async fn sessions_that_cannot_be_sampled_are_left_out() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let at = |second| Timestamp::from_second(second).unwrap();
    let both = [SessionId::random(), session].map(UsageAsk::all);
    let sample = bench.engine.usage(&both, at(1)).await;
    assert_eq!(
        sample.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
        [session]
    );
    bench.engine.stop(session, 0).await.unwrap();
    until(async || {
        bench
            .engine
            .usage(&both, at(2))
            .await
            .is_empty()
            .then_some(())
    })
    .await;
}

/// What the engine's own client shows of a container: `[read, written, received, sent]`, and memory.
fn docker_stats(container: &str) -> ([f64; 4], f64) {
    let said = docker(&["stats", "--no-stream", "--format", "{{json .}}", container]);
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let pair = |name: &str| {
        let (one, other) = said[name].as_str().unwrap().split_once('/').unwrap();
        [amount(one.trim()), amount(other.trim())]
    };
    let ([read, written], [received, sent]) = (pair("BlockIO"), pair("NetIO"));
    ([read, written, received, sent], pair("MemUsage")[0])
}

/// `12.3MB`, `1.5MiB`.
fn amount(text: &str) -> f64 {
    let unit = text.find(|c: char| c.is_ascii_alphabetic()).unwrap();
    let factor = match &text[unit..] {
        "B" => 1.0,
        "kB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        other => panic!("what is {other}?"),
    };
    text[..unit].parse::<f64>().unwrap() * factor
}

/// Some kernels count a group's block I/O (version 1) only once it has a limit: it gets a high one.
/// Whether the session's home is on a disk that is counted.
fn count_block_io(bench: &Bench, session: SessionId) -> bool {
    let home = fs::metadata(bench.home(session)).unwrap().dev();
    let (major, minor) = (rustix::fs::major(home), rustix::fs::minor(home));
    let Ok(disk) = fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")) else {
        return false;
    };
    let is_part = disk.join("partition").exists();
    let disk = if is_part {
        disk.parent().unwrap()
    } else {
        &disk
    };
    let number = fs::read_to_string(disk.join("dev")).unwrap();
    let group = format!("/sys/fs/cgroup/blkio/docker/{}", containers(session)[0]);
    for direction in ["read", "write"] {
        let file = format!("{group}/blkio.throttle.{direction}_bps_device");
        // Version 2 has no such file and counts always.
        if fs::exists(&file).unwrap() {
            fs::write(&file, format!("{} 1000000000000", number.trim())).unwrap();
        }
    }
    true
}

/// Three digits are shown.
#[track_caller]
fn same(name: &str, ours: Option<u64>, theirs: f64) {
    let ours = ours.unwrap_or_else(|| panic!("{name} is not known")) as f64;
    let near = (ours - theirs).abs() <= theirs * 0.01 + 1.0;
    assert!(near, "{name}: {ours} here, {theirs} by docker stats");
}

#[tokio::test]
async fn what_moved_is_what_docker_stats_shows() {
    // It talks to a program of this machine.
    let bench = Bench::networked(NetworkRules {
        host_access: Some(true),
        ..NetworkRules::default()
    });
    let session = bench.host_session().await;
    let counted = count_block_io(&bench, session);
    let listener = tokio::net::TcpListener::bind("0.0.0.0:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let gateway = crate::network::endpoint(session)["Gateway"]
        .as_str()
        .unwrap()
        .to_owned();
    let peer = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(&vec![7; 3_000_000]).await.unwrap();
        let mut received = Vec::new();
        stream.read_to_end(&mut received).await.unwrap();
        received.len()
    });
    let talk = format!(
        "exec 3<>/dev/tcp/{gateway}/{port}; head -c 3000000 <&3 >/dev/null; head -c 500000 /dev/zero >&3"
    );
    bench.run(session, &["bash", "-c", &talk]).await;
    assert_eq!(within(peer).await.unwrap(), 500_000);
    let write = "dd if=/dev/zero of=big bs=1M count=8 oflag=direct 2>&1";
    bench.sh(session, write).await;
    let read = "dd if=big of=/dev/null bs=1M count=4 iflag=direct 2>&1";
    bench.sh(session, read).await;
    let ask = [UsageAsk::all(session)];
    let at = Timestamp::UNIX_EPOCH;
    // What an engine shows is a second old.
    let (usage, (theirs, mem)) = until(async || {
        let before = bench.engine.usage(&ask, at).await.remove(0).1;
        let theirs = docker_stats(&containers(session)[0]);
        let usage = bench.engine.usage(&ask, at).await.remove(0).1;
        (before.traffic == usage.traffic && usage.home.is_some()).then_some((usage, theirs))
    })
    .await;
    let traffic = usage.traffic;
    assert!(
        !counted || traffic.block_read >= Some(4 << 20),
        "{traffic:?}"
    );
    assert!(
        !counted || traffic.block_write >= Some(8 << 20),
        "{traffic:?}"
    );
    assert!(traffic.network_in > Some(3_000_000), "{traffic:?}");
    assert!(traffic.network_out > Some(500_000), "{traffic:?}");
    same("read", traffic.block_read, theirs[0]);
    same("written", traffic.block_write, theirs[1]);
    same("received", traffic.network_in, theirs[2]);
    same("sent", traffic.network_out, theirs[3]);
    same("memory", Some(usage.mem.0), mem);
    assert!(usage.home.unwrap() >= Bytes::mib(8), "{usage:?}");
}

/// What was read at the end of such a job. The kernel may remove its groups before they are read: then another
/// one is run.
async fn last_of(bench: &Bench, mem: Bytes, command: &str) -> Usage {
    for _ in 0..10 {
        let last = last_of_one(bench, mem, command).await;
        if last.counted.oom_kills.is_some() {
            return last;
        }
    }
    panic!("none of ten jobs was read at its end");
}

/// A batch job that waits for the file `go` in its home, and the last figures of it.
async fn last_of_one(bench: &Bench, mem: Bytes, command: &str) -> Usage {
    let spec = LaunchSpec {
        session_type: SessionType::Batch,
        startup_command: Some(format!("while [ ! -e go ]; do sleep 0.05; done; {command}")),
        mem,
        shmem: Bytes::mib(1),
        ..host_spec()
    };
    let plan = plan("recorded", spec);
    bench.launch(&plan).await;
    let asked = [UsageAsk::recorded(plan.session)];
    #[expect(clippy::disallowed_methods, reason = "a test reads the clock")]
    let first = bench.engine.usage(&asked, Timestamp::now()).await;
    assert!(first[0].1.traffic.network_in.is_some(), "{first:?}");
    assert_eq!(bench.engine.last_usage(plan.session), None, "it runs");
    fs::write(bench.home(plan.session).join("go"), "").unwrap();
    bench.ended(plan.session).await;
    until(async || bench.engine.last_usage(plan.session)).await
}

#[tokio::test]
async fn what_a_job_used_is_read_at_its_end_though_nobody_looked_meanwhile() {
    let bench = Bench::new();
    assert!(bench.engine.probe().await.is_ok() && bench.engine.reads_cheaply());
    let command = "head -c 60M /dev/zero | tail -c 60M > /dev/null";
    let last = last_of(&bench, Bytes::mib(256), command).await;
    let peak = last.counted.mem_peak.unwrap();
    assert!(
        peak >= Bytes::mib(60) && peak < Bytes::mib(256),
        "a peak of {peak}"
    );
    assert!(last.counted.cpu_millis.is_some_and(|millis| millis > 0));
    assert_eq!(last.counted.oom_kills, Some(0));
}

#[tokio::test]
async fn a_job_that_used_up_its_memory_has_reached_its_limit() {
    let bench = Bench::new();
    let command = "head -c 500M /dev/zero | tail -c 500M > /dev/null";
    let last = last_of(&bench, Bytes::mib(64), command).await;
    let peak = last.counted.mem_peak.unwrap();
    assert!(peak > Bytes::mib(50), "a peak of {peak}");
    assert!(last.counted.oom_kills.is_some_and(|kills| kills > 0));
}

#[tokio::test]
async fn a_session_that_is_only_judged_is_read_for_no_more_than_that() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let judged = [UsageAsk::idle_checked(session)];
    let at = |second| Timestamp::from_second(second).unwrap();
    for second in 1..4 {
        let usage = bench.engine.usage(&judged, at(second)).await.remove(0).1;
        assert!(usage.mem > Bytes(0));
        assert_eq!((usage.traffic, usage.home), (Traffic::default(), None));
    }
    let all = [UsageAsk::all(session)];
    let usage = bench.engine.usage(&all, at(4)).await.remove(0).1;
    assert!(usage.traffic.network_in.is_some(), "{usage:?}");
    assert_eq!(bench.engine.usage(&[], at(5)).await, []);
}

async fn pair(bench: &Bench) -> CreatePlan {
    let spec = LaunchSpec {
        cluster_size: 2,
        ..host_spec()
    };
    let plan = CreatePlan {
        subs: vec![KernelId::random()],
        ..plan("cluster", spec)
    };
    bench.launch(&plan).await;
    plan
}

#[tokio::test]
async fn a_clusters_containers_are_added_up() {
    let bench = Bench::new();
    let plan = pair(&bench).await;
    let talk = "for i in {1..200}; do head -c 1000 /dev/zero > /dev/udp/sub1/9; done";
    bench.run(plan.session, &["bash", "-c", talk]).await;
    let ask = [UsageAsk::all(plan.session)];
    let usage = until(async || {
        let usage = bench
            .engine
            .usage(&ask, Timestamp::UNIX_EPOCH)
            .await
            .remove(0)
            .1;
        let traffic = usage.traffic;
        (traffic.network_in >= Some(200_000) && traffic.network_out >= Some(200_000))
            .then_some(usage)
    })
    .await;
    assert!(usage.mem > Bytes(0));
}

#[tokio::test]
async fn a_busy_container_of_a_cluster_is_distinguished_from_an_idle_one() {
    let bench = Bench::new();
    let plan = pair(&bench).await;
    let seen = bench.engine.inspect(plan.session).await.unwrap().unwrap();
    let main = seen.container_id.as_str();
    let sub = seen.subs[0].container_id.as_str();
    // It holds 30 MiB, and never rests.
    let busy = "x=$(head -c 30M /dev/zero | tr '\\0' x); while :; do :; done";
    docker(&["exec", "-d", main, "bash", "-c", busy]);
    let ask = [UsageAsk::all(plan.session)];
    let begun = tokio::time::Instant::now();
    let sample = async || {
        let passed = SignedDuration::try_from(begun.elapsed()).unwrap();
        let usage = bench.engine.usage(&ask, Timestamp::UNIX_EPOCH + passed);
        usage.await.remove(0).1
    };
    let (usage, theirs) = until(async || {
        let before = sample().await;
        let theirs = [main, sub].map(|it| docker_stats(it).1);
        let usage = sample().await;
        let [(_, main), (_, sub)] = &usage.kernels[..] else {
            panic!("{usage:?}");
        };
        let cpu = |usage: &Usage| usage.cpu.map_or(0, Cpu::millis);
        let near = |one: Bytes, other: Bytes| one.0.abs_diff(other.0) < 100_000;
        let still = near(before.kernels[0].1.mem, main.mem);
        (still && main.mem > Bytes::mib(30) && cpu(main) > 200 && cpu(sub) < 50)
            .then_some((usage, theirs))
    })
    .await;
    let kernels: Vec<KernelId> = usage.kernels.iter().map(|(id, _)| *id).collect();
    assert_eq!(kernels, [plan.kernel, plan.subs[0]]);
    let own: Vec<&Usage> = usage.kernels.iter().map(|(_, usage)| usage).collect();
    assert_eq!(usage.mem.0, own[0].mem.0 + own[1].mem.0);
    for (own, theirs) in own.iter().zip(theirs) {
        same("memory", Some(own.mem.0), theirs);
        assert!(own.traffic.network_in.is_some() && own.counted.mem_peak >= Some(own.mem));
    }
    let cpu = |usage: &Usage| usage.counted.cpu_millis.unwrap();
    assert!(cpu(&usage).abs_diff(cpu(own[0]) + cpu(own[1])) <= 2);

    // One container ends and uses nothing any more; the other one is reported as before.
    docker(&["kill", sub]);
    until(async || {
        let usage = sample().await;
        assert_eq!(usage.kernels[0].0, plan.kernel);
        let sub = usage.kernels.get(1).map_or(Bytes(0), |(_, sub)| sub.mem);
        (sub == Bytes(0)).then_some(())
    })
    .await;
}
