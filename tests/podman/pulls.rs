//! Images that a Podman pulls. It reports less about it than Docker does: not how many layers there will
//! be, nor that one is unpacked.

use std::time::Duration;

use futures_util::{StreamExt as _, stream::BoxStream};
use workbay::{
    engine::api::{Images as _, Result},
    model::{
        failure::{Failure, FailureKind},
        pull::PullFigures,
    },
};

use crate::{
    bad_connection::BadConnection,
    bench::Bench,
    pane::{until, within},
    podman_engine::PodmanEngine,
    registry::{Image, Registry},
};

/// The bytes of one small piece.
const SIP: usize = 16 << 10;
/// Between two of them: an image takes many times as long as Podman keeps silent.
const PAUSE: Duration = Duration::from_millis(20);

/// A registry behind a bad connection, an image of three layers there, and a Podman that has not got it.
struct PullSetup {
    bench: Bench,
    connection: BadConnection,
    image: String,
    _registry: Registry,
    _podman: PodmanEngine,
}

impl PullSetup {
    fn new() -> Self {
        let registry = Registry::start();
        let name = registry.put(&Image::slow());
        let connection = BadConnection::to(registry.port);
        let podman = PodmanEngine::for_images();
        Self {
            bench: Bench::on(Some(&podman.endpoint())),
            image: format!("{}/{name}", connection.host()),
            connection,
            _registry: registry,
            _podman: podman,
        }
    }

    /// Podman reports the progress with a byte that comes a while after its last report.
    async fn moved(&self, pull: &mut Pull) -> PullFigures {
        let sips = async {
            loop {
                self.connection.let_pass(SIP);
                tokio::time::sleep(PAUSE).await;
            }
        };
        let next = tokio::select! {
            next = within(pull.next()) => next,
            never = sips => never,
        };
        next.expect("it continues").unwrap()
    }

    /// Some of it has come, and no more does.
    async fn under_way(&self) -> Pull {
        self.connection.let_pass(0);
        let mut pull = self.bench.engine.pull(&self.image).await.unwrap();
        loop {
            let figures = self.moved(&mut pull).await;
            if figures.bytes_done.0 > 0 {
                assert!(figures.bytes_done < figures.bytes, "{figures:?}");
                assert!(figures.layers_done < 3, "{figures:?}");
                assert_eq!(
                    figures.percent(),
                    None,
                    "it reports too little: {figures:?}"
                );
                return pull;
            }
        }
    }

    async fn is_here(&self) -> bool {
        let listed = self.bench.engine.environments().await.unwrap();
        listed
            .iter()
            .any(|it| format!("{it:?}").contains(&self.image))
    }
}

type Pull = BoxStream<'static, Result<PullFigures>>;

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_is_reported_as_far_as_podman_reports_it() {
    let setup = PullSetup::new();
    let mut pull = setup.under_way().await;
    setup.connection.open();
    let mut last = PullFigures::default();
    while let Some(figures) = within(pull.next()).await {
        last = figures.unwrap();
    }
    // Not the image itself, which it names as if it were a layer.
    assert_eq!((last.layers, last.layers_done), (3, 3), "{last:?}");
    assert_eq!(last.bytes, last.bytes_done);
    assert_eq!(last.percent(), Some(100));
    assert!(setup.is_here().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_that_is_given_up_leaves_no_image_and_no_line() {
    let setup = PullSetup::new();
    drop(setup.under_way().await);
    // With the next bytes it notices that nobody needs them: far fewer than the image has.
    until(async || {
        setup.connection.let_pass(SIP);
        (setup.connection.waiting() == 0).then_some(())
    })
    .await;
    assert!(!setup.is_here().await);
    // Nothing of it blocks the next.
    setup.connection.open();
    let mut pull = setup.bench.engine.pull(&setup.image).await.unwrap();
    while let Some(figures) = within(pull.next()).await {
        figures.unwrap();
    }
    assert!(setup.is_here().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn why_it_failed_is_reported_as_for_docker() {
    let setup = PullSetup::new();
    let refused = async |image: &str| -> Failure {
        let mut pull = setup.bench.engine.pull(image).await.unwrap();
        within(pull.next()).await.expect("a word").unwrap_err()
    };
    let absent = format!("{}/nobody-made-this:1", setup.connection.host());
    let message = refused(&absent).await.to_string();
    assert!(
        message.contains(&format!("has no image {absent}")),
        "{message}"
    );
    // Its settings trust this address without TLS, and no other one.
    let plain = setup.image.replacen("127.0.0.1", "localhost", 1);
    let failure = refused(&plain).await;
    assert_eq!(failure.kind, FailureKind::RegistryUnreachable, "{failure}");
    assert!(
        failure.to_string().contains("doesn't support TLS"),
        "{failure}"
    );
    let hint = failure.hint.unwrap().into_string();
    assert!(hint.contains("registries.conf"), "{hint}");
    setup.connection.shut();
    let failure = refused(&setup.image).await;
    let of_registry = [
        FailureKind::RegistryUnreachable,
        FailureKind::RegistryBroken,
    ];
    assert!(of_registry.contains(&failure.kind), "{failure}");
    assert!(
        failure.to_string().contains(&setup.connection.host()),
        "{failure}"
    );
}
