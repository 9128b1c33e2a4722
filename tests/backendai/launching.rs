//! Launches beyond the plain one: presets, owners, what a manager does not know, and the field each
//! refusal is shown beside.

use serde_json::json;
use workbay::{
    engine::manager::Manager as _,
    model::{
        failure::Failure,
        launch_field::LaunchField as Field,
        resources::Bytes,
        session::SessionType,
        span::Span,
        spec::{LaunchRequest, Owner},
    },
};

use super::{
    manager::{Manager, Reply},
    open,
};

fn python() -> LaunchRequest {
    LaunchRequest {
        name: Some("good-name".to_owned()),
        environment: Some("python".to_owned()),
        ..LaunchRequest::default()
    }
}

fn field(error: &Failure) -> Field {
    error
        .field
        .unwrap_or_else(|| panic!("beside no field: {error:?}"))
}

#[tokio::test]
async fn a_preset_fills_what_is_not_asked() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let request = LaunchRequest {
        preset: Some("shared-gpu".to_owned()),
        mem: Some(Bytes::mib(512)),
        shmem: Some(Bytes::mib(64)),
        ..python()
    };
    engine.launch(&request).await.unwrap();
    assert_eq!(
        manager.asked().pop().unwrap().json()["config"],
        json!({"resources": {"cpu": "2", "mem": "536870912", "cuda.shares": "1"},
            "resource_opts": {"shmem": "67108864"}, "scaling_group": "default"})
    );
    for (preset, group) in [("nope", None), ("shared-gpu", Some("elsewhere"))] {
        let request = LaunchRequest {
            preset: Some(preset.to_owned()),
            resource_group: group.map(str::to_owned),
            ..python()
        };
        let error = engine.launch(&request).await.unwrap_err();
        assert_eq!(field(&error), Field::Preset);
        let expected = format!("preset '{preset}' not found");
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn an_administrator_launches_for_another_user() {
    let manager = Manager::start().await;
    manager.set(|state| state.role = "admin");
    let engine = open(&manager).await;
    let owned_by = |email: &str, access_key: &str| LaunchRequest {
        owner: Some(Owner {
            email: email.to_owned(),
            access_key: access_key.to_owned(),
        }),
        ..python()
    };
    let request = owned_by("user2@lablup.com", "AKIANATWOUSEREXAMPLE");
    engine.launch(&request).await.unwrap();
    let body = manager.asked().pop().unwrap().json();
    assert_eq!(
        (&body["owner_access_key"], &body["domain"], &body["group"]),
        (
            &json!("AKIANATWOUSEREXAMPLE"),
            &json!("lab"),
            &json!("default")
        )
    );
    let launches = manager.count("POST /session");
    for (request, why) in [
        (
            owned_by("nobody@lablup.com", "X"),
            "user nobody@lablup.com not found",
        ),
        (
            owned_by("user2@lablup.com", "AKIAOTHER"),
            "user2@lablup.com has no active key AKIAOTHER",
        ),
    ] {
        let error = engine.launch(&request).await.unwrap_err();
        assert_eq!(
            (field(&error), error.to_string().as_str()),
            (Field::Owner, why)
        );
    }
    assert_eq!(manager.count("POST /session"), launches);
}

#[tokio::test]
async fn a_plain_user_launches_for_nobody_else() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let owner = Some(Owner {
        email: "user2@lablup.com".to_owned(),
        access_key: "AKIANATWOUSEREXAMPLE".to_owned(),
    });
    let error = engine.launch(&LaunchRequest { owner, ..python() }).await;
    assert_eq!(field(&error.unwrap_err()), Field::Owner);
}

#[tokio::test]
async fn rules_are_kept_before_the_manager_is_asked() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let batch = LaunchRequest {
        session_type: SessionType::Batch,
        startup_command: Some("make".to_owned()),
        ..python()
    };
    for (request, expected) in [
        (
            LaunchRequest {
                startup_command: None,
                ..batch.clone()
            },
            Field::StartupCommand,
        ),
        (
            LaunchRequest {
                // The manager would start it at once.
                starts_at: Some("2020-01-01T00:00:00Z".parse().unwrap()),
                ..batch
            },
            Field::StartTime,
        ),
        (
            LaunchRequest {
                priority: Some(101),
                ..python()
            },
            Field::Priority,
        ),
        (
            LaunchRequest {
                env: [("1A".to_owned(), "x".to_owned())].into(),
                ..python()
            },
            Field::Variables,
        ),
        (
            LaunchRequest {
                mounts: vec!["data:../out".parse().unwrap()],
                ..python()
            },
            Field::Folders,
        ),
        (
            LaunchRequest {
                timeout: Some(Span(60)),
                ..python()
            },
            Field::Timeout,
        ),
    ] {
        let error = engine.launch(&request).await.unwrap_err();
        assert_eq!(field(&error), expected, "{error}");
    }
    assert_eq!(manager.count("POST /session"), 0);
}

#[tokio::test]
async fn refusals_are_beside_their_field() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let params = "Missing or invalid API parameters.";
    let bad = |msg: &str| Reply::problem(400, "invalid-api-params", params, msg);
    let missing = |title: &str, msg: &str| Reply::problem(404, "object-not-found", title, msg);
    let no_folder = json!({"type": "https://api.backend.ai/probs/object-not-found",
        "title": "No such virtual folder.", "data": ["nope"]});
    for (reply, expected, why) in [
        (
            missing("No such environment image.", "Unknown image reference: x"),
            Field::Environment,
            "No such environment image: Unknown image reference: x not found",
        ),
        (
            missing("No such resource group.", "nogroup"),
            Field::ResourceGroup,
            "No such resource group: nogroup",
        ),
        (
            Reply::Json(404, no_folder),
            Field::Folders,
            "No such virtual folder: nope",
        ),
        (
            bad("kernel_specs[0] preopen_ports [8000] collide with ports declared by the image."),
            Field::PreopenPorts,
            "Missing or invalid API parameters: kernel_specs[0] preopen_ports [8000] collide with \
             ports declared by the image",
        ),
        (
            Reply::problem(
                400,
                "quota-exceeded",
                "You have reached your resource limit.",
                "Session requests 9 kernels, exceeding the keypair limit of 3 containers per session.",
            ),
            Field::ClusterSize,
            "a quota is exceeded: You have reached your resource limit: Session requests 9 \
             kernels, exceeding the keypair limit of 3 containers per session",
        ),
    ] {
        manager.on("POST /session", reply);
        let error = engine.launch(&python()).await.unwrap_err();
        assert_eq!((field(&error), error.to_string().as_str()), (expected, why));
    }
    let by_hand = LaunchRequest {
        environment: None,
        image: Some("cr/x:1".to_owned()),
        ..python()
    };
    let reply = missing(
        "No such environment image.",
        "Unknown image reference: cr/x:1",
    );
    manager.on("POST /session", reply);
    let error = engine.launch(&by_hand).await.unwrap_err();
    assert_eq!(field(&error), Field::Image);
}

#[tokio::test]
async fn an_old_manager_is_not_asked_what_it_does_not_know() {
    let manager = Manager::start().await;
    manager.be("24.09.0");
    let engine = open(&manager).await;
    let batch = LaunchRequest {
        session_type: SessionType::Batch,
        startup_command: Some("make".to_owned()),
        timeout: Some(Span(60)),
        ..python()
    };
    let error = engine.launch(&batch).await.unwrap_err();
    assert_eq!(field(&error), Field::Timeout);
    let error = engine
        .launch(&LaunchRequest {
            agent: Some("i-local".to_owned()),
            ..python()
        })
        .await
        .unwrap_err();
    assert_eq!(field(&error), Field::Agent);
    // The rest of it is what every release takes, and the catalogue is asked in its words.
    engine.launch(&python()).await.unwrap();
    let catalogue = engine.catalogue(None).await.unwrap();
    assert!(catalogue.gaps.is_empty(), "{:?}", catalogue.gaps);
    assert_eq!(catalogue.presets.len(), 1);
}
