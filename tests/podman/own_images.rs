//! An image of a session of Podman: it has the changed files, and nothing of the session's settings.

use futures_util::StreamExt as _;
use workbay::{
    engine::api::{Containers as _, Images as _},
    model::{
        own_image::{CommitPlan, CommitStep},
        resources::Bytes,
        secret::Secret,
    },
};

use crate::bench::{Bench, busybox, image_spec, plan};

const SECRET: &str = "hunter2-not-for-images";
const BASE: &str = "localhost/workbay-test/own-base:3";

fn import_base(bench: &Bench) {
    let mut tar = tar::Builder::new(Vec::new());
    busybox(&mut tar);
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Directory);
    header.set_size(0);
    header.set_mode(0o777);
    tar.append_data(&mut header, "scratch", std::io::empty())
        .unwrap();
    let changes = ["ENV LANG=C.UTF-8", "EXPOSE 8080", "LABEL mine=yes"];
    bench.client.import(BASE, &changes, tar);
}

/// Creates an image, also of a session of an image that was created so, and launches it.
pub async fn images_have_no_secrets(bench: &Bench) {
    import_base(bench);
    let mut base = BASE.to_owned();
    for name in ["first-image", "second-image"] {
        let mut plan = plan("own", image_spec(&base));
        plan.spec.env.insert("PLAIN".into(), "of it".into());
        plan.spec.secret_names.push("TOKEN".to_owned());
        plan.secrets.insert("TOKEN".to_owned(), Secret::new(SECRET));
        bench.launch(&plan).await;
        let write = format!("test \"$TOKEN\" && echo {name} > /scratch/{name}; ls /scratch");
        let seen = bench.sh(plan.session, &write).await;
        let made = commit(bench, &plan.session, name).await;
        assert!(
            made.starts_with("localhost/workbay/kim/own-base:3"),
            "{made}"
        );
        assert_eq!(bench.sh(plan.session, "ls /scratch").await, seen);
        assert_unknown(bench, &made);
        let stored = bench.engine.stored_images().await.unwrap();
        let found = stored.iter().find(|it| it.reference == made).unwrap();
        assert_eq!(found.name.as_ref().unwrap().as_str(), name);
        let nameless = stored.iter().filter(|it| it.reference.contains("<none>"));
        assert_eq!(nameless.count(), 0, "{stored:?}");
        bench.engine.stop(plan.session, 0).await.unwrap();
        bench.engine.remove(plan.session).await.unwrap();
        bench.engine.forget(plan.session).await.unwrap();
        base = made;
    }
    let plan = plan("own", image_spec(&base));
    bench.launch(&plan).await;
    let line = "cat /scratch/*; echo \"[$TOKEN$PLAIN]$LANG\"";
    let seen = bench.sh(plan.session, line).await;
    assert_eq!(seen, "first-image\nsecond-image\n[]C.UTF-8");
    bench.engine.stop(plan.session, 0).await.unwrap();
    bench.engine.remove(plan.session).await.unwrap();
    bench.engine.forget(plan.session).await.unwrap();
}

async fn commit(bench: &Bench, session: &workbay::model::id::SessionId, name: &str) -> String {
    let plan = CommitPlan {
        session: *session,
        name: name.to_owned(),
        user: "Kim".to_owned(),
        pause: false,
        limit: Some(2),
        keep_free: Bytes(0),
    };
    let mut steps = bench.engine.commit(&plan).await.unwrap();
    while let Some(step) = steps.next().await {
        if let CommitStep::Done { reference } = step.unwrap() {
            return reference;
        }
    }
    panic!("the work ended without a result");
}

/// Neither the settings nor the layers of the image have anything of the session.
fn assert_unknown(bench: &Bench, image: &str) {
    let settings = bench.client.run(&["inspect", image]);
    let history = bench.client.run(&["history", "--no-trunc", image]);
    let archive = bench.client.bytes(&["save", image]);
    assert!(!archive.is_empty());
    let archive = String::from_utf8_lossy(&archive).into_owned();
    for text in [&settings, &history, &archive] {
        assert!(!text.contains(SECRET), "{image}");
        assert!(!text.contains("workbay.spec"), "{image}");
    }
    let inspected: serde_json::Value = serde_json::from_str(&settings).unwrap();
    let labels = &inspected[0]["Config"]["Labels"];
    assert_eq!(labels["mine"], "yes");
    assert!(!settings.contains("PLAIN") && settings.contains("LANG=C.UTF-8"));
}
