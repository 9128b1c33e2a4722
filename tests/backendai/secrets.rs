//! Secrets are nowhere but where they are needed.

use workbay::{
    engine::{
        api::Engine,
        backendai::{BackendAiConfig, BackendAiEngine, Login},
    },
    model::secret::Secret,
};

use super::{config, manager::Manager};

const HUSH: &str = "hush-hush-9f3a";

fn with(login: Login, endpoint: &str) -> BackendAiConfig {
    BackendAiConfig {
        login,
        ..config(endpoint)
    }
}

#[tokio::test]
async fn neither_debug_nor_errors_nor_urls_hold_one() {
    let api = Manager::start().await;
    let web = Manager::web().await;
    let keys = Login::Api {
        access_key: super::manager::ACCESS.to_owned(),
        secret_key: Secret::new(HUSH),
    };
    let password = Login::Session {
        username: "me".to_owned(),
        password: Secret::new(HUSH),
    };
    for (config, manager) in [
        (with(keys, &api.endpoint()), &api),
        (with(password, &web.endpoint()), &web),
    ] {
        let of_config = format!("{config:?} {config:#?}");
        let engine = BackendAiEngine::new(config);
        let error = engine.probe().await.unwrap_err();
        let shown = format!("{of_config} {engine:?} {engine:#?} {error} {error:?}");
        assert!(!shown.contains(HUSH), "{shown}");
        for asked in manager.asked() {
            assert!(!asked.target.contains(HUSH), "{}", asked.target);
            assert!(asked.headers.values().all(|value| !value.contains(HUSH)));
            let in_login = asked.target == "/server/login";
            assert!(in_login || !asked.body.contains(HUSH), "{}", asked.target);
        }
    }
}

#[tokio::test]
async fn a_key_with_a_line_break_goes_nowhere() {
    let manager = Manager::start().await;
    let login = Login::Api {
        access_key: "AKIA\r\nX-Evil: 1".to_owned(),
        secret_key: Secret::new(HUSH),
    };
    let engine = BackendAiEngine::new(with(login, &manager.endpoint()));
    let error = engine.probe().await.unwrap_err().to_string();
    assert_eq!(error, "a key of the context contains invalid characters");
    assert!(manager.asked().is_empty());
}
