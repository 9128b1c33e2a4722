//! A full disk, a broken state database.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use workbay::{
    client::Client,
    daemon::{self, Controls},
    model::{
        change::Change,
        failure::{Failure, FailureKind},
        id::SessionId,
        resources::Bytes,
        spec::LaunchRequest,
        status::Status,
        usage::Usage,
    },
    protocol::message::{Reply, Request},
};

use crate::support::{
    Call, TestClient, TestDaemon,
    test_daemon::{self, eventually, named, settings},
};

#[tokio::test]
async fn a_launch_that_cannot_be_recorded_is_refused_and_makes_nothing() {
    let mut daemon = TestDaemon::closed(settings());
    daemon.page_limit = Some(26);
    daemon.start().await;
    let client = daemon.client().await;
    let (recorded, failure) = until_refused(&client, "number").await;
    assert_eq!(failure.kind, FailureKind::Internal, "{failure:?}");
    assert!(
        failure.message().as_str().contains("the disk is full"),
        "{failure:?}"
    );
    assert!(recorded > 0);
    // A recorded session may still wait: what can't be recorded isn't ordered.
    assert!(daemon.engine.count(Call::Create) <= recorded);
    assert!(daemon.engine.containers().len() <= recorded);
}

/// Sessions with a limit are measured although no client watches.
#[tokio::test]
async fn a_session_that_nears_its_disk_limit_is_reported_once_for_each_stage() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let free = client.run("unlimited").await;
    let request = LaunchRequest {
        disk: Some(Bytes::mib(100)),
        ..named("limited")
    };
    let limited = client.launch(request).await.unwrap().id;
    client.until_status(limited, Status::Running).await;
    assert_eq!(
        client.session(limited).unwrap().disk_limit,
        Some(Bytes::mib(100))
    );
    let holds = |mib| Usage {
        home: Some(Bytes::mib(mib)),
        ..Usage::new(jiff::Timestamp::UNIX_EPOCH, None, Bytes::mib(1))
    };
    daemon.engine.set_whole_usage(free, holds(5000));
    daemon.engine.set_whole_usage(limited, holds(93));
    client
        .until_notified("limited uses 93% of its disk limit: 93 MiB of 100 MiB")
        .await;
    daemon.engine.set_whole_usage(limited, holds(100));
    client
        .until_notified("limited reached its disk limit")
        .await;
}

#[tokio::test]
async fn a_broken_store_is_rebuilt_from_what_the_engine_reports() {
    let mut daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let id = client.run("survivor").await;
    let before = client.session(id).unwrap();
    drop(client);
    daemon.stop().await;
    fs::write(daemon.paths().database(), "nonsense, and quite some of it").unwrap();
    for side in ["-wal", "-shm"] {
        let mut name = daemon.paths().database().into_os_string();
        name.push(side);
        let _ = fs::remove_file(name);
    }
    daemon.start().await;
    let mut client = daemon.client().await;
    let after = client.until_status(id, Status::Running).await;
    assert_eq!(after.name, before.name);
    assert_eq!(after.requested_slots, before.requested_slots);
    assert_eq!(after.environment, before.environment);
    client.until_notified("corrupt-").await;
    client.terminate(id, false).await.unwrap();
    client.until_status(id, Status::Terminated).await;
}

#[tokio::test]
async fn after_a_lost_database_a_list_waits_for_the_engine_or_says_that_it_is_incomplete() {
    let mut daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let id = client.run("survivor").await;
    drop(client);
    daemon.stop().await;
    fs::remove_file(daemon.paths().database()).unwrap();

    // An engine that does not answer: the next daemon knows as well that sessions are missing.
    daemon.engine.cut();
    for _ in 0..2 {
        daemon.start().await;
        let (ids, incomplete) = listed(&daemon.client().await.connection).await;
        assert_eq!((ids, incomplete), (Vec::new(), true));
        daemon.stop().await;
    }
    daemon.engine.restore();

    daemon.engine.hold(Call::List);
    daemon.start().await;
    let client = daemon.client().await;
    let connection = client.connection.clone();
    let list = tokio::spawn(async move { listed(&connection).await });
    eventually("the engine is asked", || {
        daemon.engine.count(Call::List) > 1
    })
    .await;
    assert!(!list.is_finished());
    daemon.engine.release(Call::List);
    assert_eq!(list.await.unwrap(), (vec![id], false));
    daemon.restart().await;
    assert_eq!(
        listed(&daemon.client().await.connection).await,
        (vec![id], false)
    );
}

#[tokio::test]
async fn a_running_session_whose_row_was_damaged_is_listed_again_or_said_to_be_missing() {
    let mut daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let (id, other) = (client.run("damaged").await, client.run("whole").await);
    drop(client);
    daemon.stop().await;
    let db = rusqlite::Connection::open(daemon.paths().database()).unwrap();
    let damage = "UPDATE sessions SET body = replace(body, '\"RUNNING\"', '\"RUNNIOG\"')
                  WHERE name = 'damaged'";
    assert_eq!(db.execute(damage, ()), Ok(1));
    drop(db);

    daemon.engine.cut();
    daemon.start().await;
    let (ids, incomplete) = listed(&daemon.client().await.connection).await;
    assert_eq!((ids, incomplete), (vec![other], true));
    daemon.stop().await;
    daemon.engine.restore();
    daemon.start().await;
    let (ids, incomplete) = listed(&daemon.client().await.connection).await;
    assert!(ids.contains(&id) && ids.contains(&other), "{ids:?}");
    assert!(!incomplete);
    let mut client = daemon.client().await;
    let session = client.until_status(id, Status::Running).await;
    assert_eq!(session.name.as_str(), "damaged");
}

/// The sessions of a list, and whether some are missing.
async fn listed(connection: &Client) -> (Vec<SessionId>, bool) {
    match connection.ask(Request::Snapshot { tab: None }).await {
        Ok(Reply::Snapshot { snapshot }) => (
            snapshot.sessions.iter().map(|it| it.id).collect(),
            snapshot.contexts.iter().any(|it| it.incomplete),
        ),
        other => panic!("no list but {other:?}"),
    }
}

/// Makes the daemon's database refuse rows of sessions of this name, from now on.
fn refuse_rows(daemon: &TestDaemon, when: &str) -> rusqlite::Connection {
    let db = rusqlite::Connection::open(daemon.paths().database()).unwrap();
    db.execute_batch(&format!(
        "CREATE TRIGGER refuses BEFORE UPDATE ON sessions WHEN {when}
         BEGIN SELECT RAISE(ABORT, 'not this one'); END"
    ))
    .unwrap();
    db
}

#[tokio::test]
async fn a_row_that_can_never_be_written_blocks_no_other_and_is_kept_aside() {
    let mut daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let bad = client.run("bad-one").await;
    let db = refuse_rows(&daemon, "NEW.name = 'bad-one'");
    // What happens without a request can't be refused.
    daemon.engine.die(bad, 3, false);
    client.until_status(bad, Status::Terminated).await;
    client
        .until_notified("can't be written: not this one")
        .await;
    // Later changes are written, and so are the ends of others.
    let good = client.run("good-one").await;
    let other = client.run("other").await;
    client.terminate(other, false).await.unwrap();
    client.until_status(other, Status::Terminated).await;
    let aside = |db: &rusqlite::Connection| {
        let query = "SELECT count(*), max(body) FROM unreadable WHERE kept_of = 'sessions'";
        db.query_row(query, (), |row| Ok((row.get(0)?, row.get(1)?)))
    };
    let (count, body): (u32, String) = aside(&db).unwrap();
    assert_eq!(count, 1, "the newest of it");
    assert!(
        body.contains("TERMINATED") && body.contains("bad-one"),
        "{body}"
    );
    let is_warning = |change: &&Change| match change {
        Change::Notice { notice } => notice.text.as_str().contains("not this one"),
        _ => false,
    };
    assert_eq!(
        client.received.iter().filter(is_warning).count(),
        1,
        "it is reported once"
    );
    db.execute_batch("DROP TRIGGER refuses").unwrap();
    drop(db);
    daemon.restart().await;
    let mut client = daemon.client().await;
    client.until_status(good, Status::Running).await;
    // The last written state is known, and the engine reports the rest.
    client.until_status(bad, Status::Terminated).await;
}

#[tokio::test]
async fn nothing_is_made_for_a_session_whose_record_cannot_be_written() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    client.run("first").await;
    let _db = refuse_rows(&daemon, "NEW.name = 'bad-one'");
    let bad = client.launch(named("bad-one")).await.unwrap().id;
    let failed = client.until_status(bad, Status::Error).await;
    let why = failed.status_message.unwrap();
    assert!(
        why.as_str().contains("can't be written: not this one"),
        "{why}"
    );
    assert_eq!(daemon.engine.count(Call::Create), 1, "of the first one");
    client.run("last").await;
}

/// Launches until a launch is refused. Returns how many weren't.
async fn until_refused(client: &TestClient, prefix: &str) -> (usize, Failure) {
    for number in 0.. {
        let mut request = named(&format!("{prefix}-{number}"));
        request.mem = Some("8m".parse().unwrap());
        if let Err(failure) = client.launch(request).await {
            return (number, failure);
        }
    }
    unreachable!("a small disk is full at some time");
}

/// The directory of the small disk of the running test.
fn small_disk() -> PathBuf {
    std::env::temp_dir()
}

/// Uses all space that is left.
fn fill(disk: &Path) -> PathBuf {
    let filler = disk.join("filler");
    let mut file = fs::File::options()
        .append(true)
        .create(true)
        .open(&filler)
        .unwrap();
    for block in [4096, 1] {
        while file.write_all(&vec![0; block]).is_ok() {}
    }
    filler
}

fn remount(disk: &Path, mode: &str) {
    let options = format!("remount,{mode}");
    let mounted = Command::new("mount")
        .args(["-o", &options])
        .arg(disk)
        .status();
    assert!(mounted.unwrap().success(), "{options}");
}

/// Runs an ignored test of this file with a disk of 4 MiB of its own as its temporary directory.
fn on_a_small_disk(test: &str) {
    on_a_disk(test, "mount -t tmpfs -o size=4m workbay-test \"$TMPDIR\"");
}

/// The same with a disk that `mount` mounts where no other process sees it.
fn on_a_disk(test: &str, mount: &str) {
    let dir = tempfile::tempdir().unwrap();
    let disk = dir.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let script = format!("{mount} && exec \"$0\" \"$@\"");
    let mut command = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        command.arg("--map-root-user");
    }
    let output = command
        .args(["--mount", "--propagation", "private", "sh", "-c", &script])
        .arg(std::env::current_exe().unwrap())
        .args([test, "--exact", "--ignored", "--nocapture"])
        .env("TMPDIR", &disk)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_disk_that_is_full_or_read_only_refuses_launches_and_loses_nothing() {
    on_a_small_disk("disk::with_a_small_disk");
}

#[tokio::test]
#[ignore = "run on a small disk by the test above"]
async fn with_a_small_disk() {
    let mut daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let going_on = client.run("going-on").await;
    let ending = client.run("ending").await;
    let asked = client.run("asked").await;
    let forced = client.run("forced").await;
    let filler = fill(&small_disk());
    let (_, failure) = until_refused(&client, "refused").await;
    assert!(failure.message().as_str().contains("the disk is full"));
    // What is reserved is enough to record ends. Someone may take that space as well: what happens then
    // is recorded later.
    daemon.engine.die(ending, 0, false);
    client.until_status(ending, Status::Terminated).await;
    for (id, force) in [(asked, false), (forced, true)] {
        fill(&small_disk());
        client.terminate(id, force).await.unwrap();
        client.until_status(id, Status::Terminated).await;
    }
    assert_eq!(daemon.engine.containers().len(), 1);
    assert_eq!(client.session(going_on).unwrap().status, Status::Running);
    let (_, failure) = until_refused(&client, "refused").await;
    assert!(failure.message().as_str().contains("the disk is full"));
    fs::remove_file(filler).unwrap();
    let later = client.run("later").await;
    drop(client);
    daemon.stop().await;

    // A daemon that can't write to its disk reports it at the start.
    remount(&small_disk(), "ro");
    let options = test_daemon::options(daemon.root.path(), &daemon.engine, settings());
    let error = daemon::serve(options, Controls::default()).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("make its file system writable"), "{error}");
    remount(&small_disk(), "rw");
    daemon.start().await;
    let mut client = daemon.client().await;
    for id in [going_on, later] {
        client.until_status(id, Status::Running).await;
    }
    for id in [ending, asked, forced] {
        assert_eq!(client.session(id).unwrap().status, Status::Terminated);
    }
    assert_eq!(
        daemon.engine.containers().len(),
        daemon.engine.count(Call::Create) - 3
    );
}

const MAKE: &str = "truncate -s 16m \"$TMPDIR.img\" && mkfs.ext4 -q \"$TMPDIR.img\"";
const MOUNT: &str = "mount -o loop,errors=remount-ro \"$TMPDIR.img\" \"$TMPDIR\"";

/// A disk that the kernel closes, with its files open, as it does when a disk fails.
#[test]
fn a_disk_that_turns_read_only_under_a_daemon_is_reported_and_loses_nothing() {
    assert!(
        rustix::process::geteuid().is_root(),
        "a disk that fails needs root: run the tests as root, as CI does"
    );
    on_a_disk("disk::with_a_failing_disk", &format!("{MAKE} && {MOUNT}"));
}

fn shell(script: &str) -> String {
    let output = Command::new("sh").args(["-c", script]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
#[ignore = "run on a disk of its own by the test above"]
async fn with_a_failing_disk() {
    let mut daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let going_on = client.run("going-on").await;
    let ending = client.run("ending").await;
    let asked = client.run("asked").await;
    let forced = client.run("forced").await;
    // What the kernel hadn't written yet is lost with the disk.
    shell("sync -f \"$TMPDIR\"");
    let device = shell("basename $(findmnt -no SOURCE \"$TMPDIR\")");
    let fault = format!("/sys/fs/ext4/{}/trigger_fs_error", device.trim());
    fs::write(fault, "1").unwrap();
    let refused = client.launch(named("refused")).await.unwrap_err();
    assert!(
        refused.message().as_str().contains("now read-only"),
        "{refused:?}"
    );
    daemon.engine.die(ending, 0, false);
    client
        .until(ending, |session| session.status != Status::Running)
        .await;
    client.until_notified("now read-only").await;
    // What can't be recorded ends, too.
    for (id, force) in [(asked, false), (forced, true)] {
        client.terminate(id, force).await.unwrap();
        client.until_status(id, Status::Terminated).await;
    }
    assert_eq!(daemon.engine.containers().len(), 1);
    assert_eq!(client.session(going_on).unwrap().status, Status::Running);
    drop(client);
    // Such a file system is writable again when it was checked and mounted again, without a file of it open.
    daemon.stop().await;
    shell(&format!(
        "umount \"$TMPDIR\" && {{ fsck.ext4 -pf \"$TMPDIR.img\" || [ $? -eq 1 ]; }} && {MOUNT}"
    ));
    daemon.start().await;
    let mut client = daemon.client().await;
    client.until_status(going_on, Status::Running).await;
    for id in [ending, asked, forced] {
        client.until_status(id, Status::Terminated).await;
    }
    assert_eq!(daemon.engine.containers().len(), 1);
    client.run("later").await;
}
