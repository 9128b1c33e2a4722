//! Images that are created from sessions: what is in them, what is not, and how they travel.

use std::process::Command;

use futures_util::StreamExt as _;
use workbay::{
    engine::api::{Containers as _, Images as _, Input},
    model::{
        failure::Failure,
        id::SessionId,
        own_image::{CommitPlan, CommitStep, StoredImage},
        resources::Bytes,
        secret::Secret,
    },
};

use crate::{
    pane::until,
    support::{
        Bench, busybox, busybox_image, docker, dropped_after, file, host_spec, image_spec,
        import_as, mounted, plan, try_docker,
    },
};

const SECRET: &str = "hunter2-not-for-images";

fn commit_plan(session: SessionId, name: &str) -> CommitPlan {
    CommitPlan {
        session,
        name: name.to_owned(),
        user: "Kim".to_owned(),
        pause: false,
        limit: None,
        keep_free: Bytes(0),
    }
}

/// An image of a test; removed when dropped.
struct Made(String);

impl Drop for Made {
    fn drop(&mut self) {
        try_docker(&["rmi", "-f", &self.0]);
    }
}

async fn commit(bench: &Bench, plan: &CommitPlan) -> Result<Made, Failure> {
    let mut steps = bench.engine.commit(plan).await?;
    let mut begun = 0;
    while let Some(step) = steps.next().await {
        match step? {
            CommitStep::Begun { number, of, .. } => {
                begun += 1;
                assert_eq!((number, of), (begun, 3));
            }
            CommitStep::Done { reference } => return Ok(Made(reference)),
        }
    }
    panic!("the work ended without a result");
}

/// A name that no other test has.
fn unique(prefix: &str) -> String {
    let id = SessionId::random().to_string();
    format!("{prefix}-{}", &id[id.len() - 12..])
}

/// A session of busybox with a secret variable, which wrote a file of its own, one into its home and one into a folder.
async fn session(bench: &Bench, image: &str) -> SessionId {
    bench.engine.create_folder_if_absent("data").await;
    let mut plan = plan("own", image_spec(image));
    plan.spec.mounts = vec![mounted("data", "/home/work/data", false)];
    plan.spec
        .env
        .insert("PLAIN".into(), "of the session".into());
    plan.spec.secret_names.push("TOKEN".to_owned());
    plan.secrets.insert("TOKEN".to_owned(), Secret::new(SECRET));
    bench.launch(&plan).await;
    let write = "test \"$TOKEN\" && echo kept > /scratch/x && rm /scratch/old && echo lost > \
                 /home/work/y && echo lost > /home/work/data/z";
    bench.sh(plan.session, write).await;
    plan.session
}

/// busybox with a directory that the session's user may write, and labels and settings of its own.
fn base() -> &'static str {
    static BASE: std::sync::OnceLock<&str> = std::sync::OnceLock::new();
    BASE.get_or_init(|| {
        let name = "workbay-test/own-base:3-py312";
        let mut tar = tar::Builder::new(Vec::new());
        busybox(&mut tar);
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Directory);
        header.set_size(0);
        header.set_mode(0o777);
        header.set_uid(1000);
        header.set_gid(1000);
        tar.append_data(&mut header, "scratch", std::io::empty())
            .unwrap();
        file(&mut tar, "scratch/old", 0o666, b"old");
        import_as(
            name,
            &[
                "LABEL ai.backend.resource.min.cpu=1",
                "LABEL ai.backend.service-ports=web:http:8080",
                "ENV LANG=C.UTF-8",
                "EXPOSE 8080",
                "CMD [\"sh\"]",
            ],
            tar,
        );
        name
    })
}

trait FolderExt {
    async fn create_folder_if_absent(&self, name: &str);
}

impl FolderExt for workbay::engine::docker::DockerEngine {
    async fn create_folder_if_absent(&self, name: &str) {
        use workbay::engine::api::Folders as _;
        let _ = self.create_folder(name).await;
    }
}

async fn stored(bench: &Bench, reference: &str) -> Option<StoredImage> {
    let all = bench.engine.stored_images().await.unwrap();
    all.into_iter().find(|it| it.reference == reference)
}

fn run_in(reference: &str, script: &str) -> String {
    docker(&[
        "run",
        "--rm",
        "--label",
        "workbay.test=1",
        reference,
        "sh",
        "-c",
        script,
    ])
}

#[tokio::test]
async fn the_image_has_the_changed_files_and_nothing_of_the_session_else() {
    let bench = Bench::new();
    for pause in [false, true] {
        let session = session(&bench, base()).await;
        let name = unique("own");
        let made = commit(
            &bench,
            &CommitPlan {
                pause,
                ..commit_plan(session, &name)
            },
        )
        .await
        .unwrap();
        assert!(
            made.0
                .starts_with("localhost/workbay/kim/own-base:3-py312-customized_"),
            "{}",
            made.0
        );
        // The session still runs.
        assert_eq!(bench.sh(session, "cat /scratch/x").await, "kept");

        let inside = run_in(
            &made.0,
            "cat /scratch/x; ls /scratch; find /home -type f; echo \"[$TOKEN$PLAIN]$LANG\"",
        );
        assert_eq!(inside, "kept\nx\n[]C.UTF-8\n");
        let archive = Command::new("docker")
            .args(["save", &made.0])
            .output()
            .unwrap()
            .stdout;
        for text in [
            docker(&["inspect", &made.0]),
            docker(&["history", "--no-trunc", &made.0]),
            String::from_utf8_lossy(&archive).into_owned(),
        ] {
            assert!(!text.contains(SECRET), "{text}");
            assert!(!text.contains("workbay.spec") && !text.contains("runner"));
        }
        let inspected: serde_json::Value =
            serde_json::from_str(&docker(&["inspect", &made.0])).unwrap();
        let config = &inspected[0]["Config"];
        let labels = config["Labels"].as_object().unwrap();
        for (label, value) in [
            ("ai.backend.resource.min.cpu", "1"),
            ("ai.backend.service-ports", "web:http:8080"),
            ("ai.backend.customized-image.name", name.as_str()),
            ("workbay.image.base", base()),
        ] {
            assert_eq!(labels[label], value, "{label}");
        }
        assert_eq!(labels["workbay.image.session"], session.to_string());
        assert_eq!(config["Cmd"], serde_json::json!(["sh"]));
        assert!(config["Entrypoint"].is_null(), "{config}");
        assert!(config["ExposedPorts"]["8080/tcp"].is_object(), "{config}");
        assert!(
            !config["Env"].to_string().contains("PLAIN"),
            "variables of the session aren't in it: {config}"
        );
        let row = stored(&bench, &made.0).await.unwrap();
        assert!(row.mine && row.owner.is_none());
        assert_eq!(row.name.unwrap(), name.as_str());
        assert_eq!(row.base.unwrap(), base());

        // A session in the image has its files, and none of the first session's home.
        let mut plan = plan("second", image_spec(&made.0));
        plan.spec.environment_label = made.0.clone();
        bench.launch(&plan).await;
        let seen = bench
            .sh(plan.session, "cat /scratch/x; test -e y || echo no y")
            .await;
        assert_eq!(seen, "kept\nno y");
        bench.engine.stop(plan.session, 0).await.unwrap();
        bench.engine.remove(plan.session).await.unwrap();
    }
    // Nothing unfinished is left.
    let filter = format!("label=workbay.image.unfinished={}", bench.instance);
    assert_eq!(docker(&["images", "-aq", "--filter", &filter]), "");
}

#[tokio::test]
async fn an_image_of_an_image_of_a_session_has_both_layers_and_a_simple_name() {
    let bench = Bench::new();
    let first_session = session(&bench, base()).await;
    let first = commit(&bench, &commit_plan(first_session, &unique("one")))
        .await
        .unwrap();
    let mut plan = plan("again", image_spec(&first.0));
    plan.spec.environment_label = first.0.clone();
    bench.launch(&plan).await;
    bench.sh(plan.session, "echo more > /scratch/more").await;
    let second = commit(&bench, &commit_plan(plan.session, &unique("two")))
        .await
        .unwrap();
    assert_eq!(second.0.matches("customized_").count(), 1, "{}", second.0);
    let inside = run_in(&second.0, "cat /scratch/x /scratch/more");
    assert_eq!(inside, "kept\nmore\n");
    bench.engine.stop(plan.session, 0).await.unwrap();
    bench.engine.remove(plan.session).await.unwrap();
}

#[tokio::test]
async fn names_limits_space_and_sessions_without_an_image_are_refused() {
    let bench = Bench::new();
    let id = session(&bench, base()).await;
    let name = unique("mine");
    let made = commit(&bench, &commit_plan(id, &name)).await.unwrap();
    let refused = async |plan: CommitPlan| {
        let failure = commit(&bench, &plan).await.err().expect("it is refused");
        (failure.message().into_string(), failure.hint)
    };
    let (why, hint) = refused(commit_plan(id, &name)).await;
    assert!(why.contains(&name) && why.contains(&made.0), "{why}");
    assert!(hint.is_some());
    let mut limited = commit_plan(id, &unique("more"));
    limited.limit = Some(1);
    let (why, _) = refused(limited).await;
    assert!(why.contains("the limit is 1"), "{why}");
    let mut full = commit_plan(id, &unique("full"));
    full.keep_free = Bytes(u64::MAX / 2);
    let (why, _) = refused(full).await;
    assert!(why.contains("disk.keep-free"), "{why}");
    let (why, _) = refused(commit_plan(id, "no")).await;
    assert!(why.contains("4 to 32"), "{why}");

    let host = plan("host", host_spec());
    bench.launch(&host).await;
    let (why, _) = refused(commit_plan(host.session, &unique("host"))).await;
    assert!(why.contains("host environment"), "{why}");
    let (why, _) = refused(commit_plan(SessionId::random(), &unique("none"))).await;
    assert!(!why.is_empty());
}

#[tokio::test]
async fn a_container_that_vanishes_and_a_cancelled_request_leave_nothing() {
    let bench = Bench::new();
    let id = session(&bench, base()).await;
    let name = unique("gone");
    let left = || {
        let label = format!("label=ai.backend.customized-image.name={name}");
        let unfinished = format!("label=workbay.image.unfinished={}", bench.instance);
        let all = [label, unfinished];
        all.iter()
            .map(|filter| docker(&["images", "-aq", "--filter", filter]))
            .collect::<String>()
    };
    // Dropped at every point where it waits for the engine.
    let mut polls = 1;
    loop {
        let plan = commit_plan(id, &name);
        let work = async {
            let mut steps = bench.engine.commit(&plan).await.unwrap();
            while let Some(step) = steps.next().await {
                // The last step: what was cancelled before it must vanish.
                if matches!(step.unwrap(), CommitStep::Done { .. }) {
                    return;
                }
            }
        };
        let finished = dropped_after(polls, work).await;
        if finished {
            break;
        }
        until(async || left().is_empty().then_some(())).await;
        polls += 1;
    }
    let all = bench.engine.stored_images().await.unwrap();
    let found = all
        .iter()
        .find(|it| it.name.as_ref().is_some_and(|it| *it == *name));
    drop(Made(
        found.expect("the last one was complete").reference.clone(),
    ));

    let container = crate::support::containers(id);
    let plan = commit_plan(id, &unique("vanish"));
    docker(&["rm", "-f", &container[0]]);
    let failure = commit(&bench, &plan).await.err().expect("it is gone");
    assert!(failure.is_not_found(), "{failure}");
}

#[tokio::test]
async fn an_image_travels_through_a_file_and_back() {
    let bench = Bench::new();
    let id = session(&bench, base()).await;
    let made = commit(&bench, &commit_plan(id, &unique("file")))
        .await
        .unwrap();
    let before = stored(&bench, &made.0).await.unwrap();
    let mut archive = Vec::new();
    let mut pieces = bench.engine.export_image(&made.0).await.unwrap();
    while let Some(piece) = pieces.next().await {
        archive.extend_from_slice(&piece.unwrap());
    }
    bench.engine.remove_image(&made.0).await.unwrap();
    assert_eq!(stored(&bench, &made.0).await, None);

    // A part of the archive, and an input that ends without its end.
    for (part, with_end) in [(archive.len() / 2, true), (archive.len(), false)] {
        let failure = import(&bench, &archive[..part], with_end)
            .await
            .unwrap_err();
        assert!(!failure.message().as_str().is_empty());
        assert_eq!(stored(&bench, &made.0).await, None);
    }
    let failure = import(&bench, &[0; 10240], true).await.unwrap_err();
    assert!(
        failure
            .message()
            .as_str()
            .contains("isn't a complete archive"),
        "{failure}"
    );
    let names = import(&bench, &archive, true).await.unwrap();
    assert_eq!(names, std::slice::from_ref(&made.0));
    let after = stored(&bench, &made.0).await.unwrap();
    assert_eq!(after.id, before.id, "it is the same image, byte for byte");
    assert_eq!(run_in(&made.0, "cat /scratch/x"), "kept\n");
}

async fn import(bench: &Bench, archive: &[u8], with_end: bool) -> Result<Vec<String>, Failure> {
    let (input, received) = tokio::sync::mpsc::channel(4);
    let mut steps = bench.engine.import_image(received).await?;
    let bytes = bytes::Bytes::copy_from_slice(archive);
    let send = async move {
        let _ = input.send(Input::Bytes(bytes)).await;
        if with_end {
            let _ = input.send(Input::Eof).await;
        }
    };
    let follow = async {
        let mut images = Vec::new();
        while let Some(step) = steps.next().await {
            let step = step?;
            images.extend(
                step.images
                    .into_iter()
                    .map(workbay::model::text::Clean::into_string),
            );
        }
        Ok(images)
    };
    let ((), result) = tokio::join!(send, follow);
    result
}

#[tokio::test]
async fn an_image_in_use_by_a_foreign_container_stays() {
    let bench = Bench::new();
    let id = session(&bench, base()).await;
    let made = commit(&bench, &commit_plan(id, &unique("used")))
        .await
        .unwrap();
    let foreign = docker(&["create", "--label", "workbay.test=1", &made.0, "sh"]);
    let failure = bench.engine.remove_image(&made.0).await.unwrap_err();
    docker(&["rm", foreign.trim()]);
    assert!(failure.hint.is_some(), "{failure}");
    assert!(failure.message().as_str().contains("in use"), "{failure}");
    assert!(stored(&bench, &made.0).await.is_some());
    let absent = bench.engine.export_image("workbay-test/absent:1").await;
    assert!(absent.is_err());
    let _ = busybox_image();
}
