//! Apps at the cluster's app proxy (coordinator, version 2).

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};
use workbay::{
    engine::api::Apps as _,
    model::{
        app::{AppStart, ProxyOptions},
        failure::FailureKind,
    },
};

use super::manager::{RequestTopic, SESSION, StreamManager, json};

const APPS: &str = r#"[{"name":"sshd","protocol":"tcp","ports":[2200]},
    {"name":"jupyter","protocol":"http","ports":[8080]}]"#;

/// A proxy that gives these answers in order, and what it was asked.
struct Proxy {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    async fn start(answers: &[(u16, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (targets, here) = (asked.clone(), address.clone());
        let answers: Vec<(u16, String)> = answers
            .iter()
            .map(|(status, body)| (*status, body.replace("HERE", &here)))
            .collect();
        tokio::spawn(async move {
            for (status, body) in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.unwrap());
                }
                let head = String::from_utf8(head).unwrap();
                assert!(!head.to_lowercase().contains("authorization"), "{head}");
                let target = head.split(' ').nth(1).unwrap().to_owned();
                targets.lock().unwrap().push(target);
                let answer = format!(
                    "HTTP/1.1 {status} x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Self { address, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn manager_of(address: &str) -> StreamManager {
    let manager = StreamManager::start().await;
    manager.answer(RequestTopic::Apps, [json(APPS)]);
    let token = format!(r#"{{"token":"secret","wsproxy_addr":"{address}"}}"#);
    manager.answer(RequestTopic::StartService, [json(&token)]);
    manager
}

#[tokio::test]
async fn an_app_gets_a_url_of_the_proxy() {
    let added = r#"{"code":200,"url":"HERE/v2/proxy/auth?app=jupyter&token=secret"}"#;
    let proxy = Proxy::start(&[(502, "{}"), (200, added)]).await;
    let manager = manager_of(&proxy.address).await;
    let options = ProxyOptions {
        preferred_port: Some(10_250),
        public: true,
        allowed: vec!["10.0.0.0/8".to_owned(), "192.168.0.7".to_owned()],
    };
    let engine = manager.engine();
    let start = AppStart::of("jupyter");
    let opened = engine.proxy_app(SESSION, &start, &options).await.unwrap();
    assert_eq!(
        opened.url,
        format!("{}/v2/proxy/auth?app=jupyter&token=secret", proxy.address)
    );
    assert_eq!(opened.address, None);
    let expected = format!(
        "/v2/proxy/secret/{SESSION}/add?app=jupyter&protocol=http&port=10250&open_to_public=true\
         &allowed_client_ips=10.0.0.0%2F8%2C192.168.0.7"
    );
    // The proxy wasn't ready at first.
    assert_eq!(proxy.asked(), [expected.as_str(), &expected]);
}

#[tokio::test]
async fn an_app_that_is_no_page_gets_an_address() {
    let added = r#"{"code":200,"url":"HERE/v2/proxy/auth?app=sshd"}"#;
    let redirect = r#"{"redirect_url":"http://127.0.0.1:45678/start?directTCP=true&gateway=tcp%3A%2F%2Fproxy.example%3A10205"}"#;
    let proxy = Proxy::start(&[(200, added), (200, redirect)]).await;
    let manager = manager_of(&proxy.address).await;
    let start = AppStart::of("sshd");
    let engine = manager.engine();
    let opened = engine
        .proxy_app(SESSION, &start, &ProxyOptions::default())
        .await;
    assert_eq!(opened.unwrap().address.unwrap(), "proxy.example:10205");
    assert!(proxy.asked()[1].ends_with("/v2/proxy/auth?app=sshd&do-not-redirect=true"));
}

#[tokio::test]
async fn what_the_proxy_refuses_is_said_without_the_token() {
    let refused = (403, r#"{"title":"Forbidden","msg":"no port left"}"#);
    let proxy = Proxy::start(&[refused, (200, "<html>"), (200, "{}")]).await;
    let manager = manager_of(&proxy.address).await;
    let engine = manager.engine();
    let open = async |options: ProxyOptions| {
        let start = AppStart::of("jupyter");
        let error = engine
            .proxy_app(SESSION, &start, &options)
            .await
            .unwrap_err();
        let text = format!("{error} {}", error.hint.clone().unwrap_or_default());
        assert!(!text.contains("secret"), "{text}");
        (error.kind, text)
    };
    let (kind, text) = open(ProxyOptions::default()).await;
    assert_eq!(kind, FailureKind::Refused);
    assert!(text.contains("(403): no port left"), "{text}");
    assert!(text.contains("workbay app start"), "{text}");
    let text = open(ProxyOptions::default()).await.1;
    assert!(text.contains("its answer can't be read"), "{text}");
    let text = open(ProxyOptions::default()).await.1;
    assert!(text.contains("its answer has no URL"), "{text}");
    // It has answered for the last time.
    let text = open(ProxyOptions::default()).await.1;
    assert!(text.contains("127.0.0.1 doesn't answer"), "{text}");
    let options = ProxyOptions {
        allowed: vec!["10.0.0.0/99".to_owned()],
        ..ProxyOptions::default()
    };
    assert_eq!(open(options).await.0, FailureKind::Usage);
}

#[tokio::test]
async fn a_cluster_without_a_proxy_says_so() {
    let manager = manager_of("x").await;
    manager.answer(RequestTopic::StartService, [json("{}")]);
    let engine = manager.engine();
    let start = AppStart::of("jupyter");
    let options = ProxyOptions::default();
    let error = engine
        .proxy_app(SESSION, &start, &options)
        .await
        .unwrap_err();
    assert_eq!(error.kind, FailureKind::Unsupported);
    // Tokens aren't sent unencrypted to other machines.
    let far = r#"{"token":"secret","wsproxy_addr":"http://proxy.example:10200"}"#;
    manager.answer(RequestTopic::StartService, [json(far)]);
    let error = engine
        .proxy_app(SESSION, &start, &options)
        .await
        .unwrap_err();
    assert_eq!(error.kind, FailureKind::Denied, "{error}");
}
