//! Opens and closes forwards.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{
    keys::{self, KeyFiles, SshKeys},
    options::{self, Checked},
    registry::{Apps, OpenForward},
    ssh::SshPort,
    target::{Inside, SessionPort, port_of},
};
use crate::{
    daemon::{clock, main_loop::core::Core},
    gateway::{self, Access, BindOutcome, Kind, Route, TokenBook, Traffic, Upstream},
    model::{
        app::{App, AppProtocol},
        failure::Failure,
        forward::{
            Forward, ForwardId, ForwardOptions, ForwardTarget, ForwardTraffic, OpenedForward,
        },
        id::SessionKey,
        record::Write,
        secret::Secret,
        text::Clean,
    },
};

/// How many forwards can be open at the same time.
const MOST: usize = 500;

impl Core {
    /// Opens a forward, or finds the equal one that is open. `app` is what is known of the target.
    pub(super) async fn open_forward(
        &mut self,
        session: SessionKey,
        target: ForwardTarget,
        app: Option<&App>,
        options: &ForwardOptions,
    ) -> Result<OpenedForward, Failure> {
        let checked = options::check(options, &self.apps.settings, clock::now())?;
        let is_public = checked.public.is_some();
        if let Some(id) = self.apps.equal(session, &target, is_public) {
            return self.reopen(id, target, &checked).await;
        }
        if self.apps.open.len() >= MOST {
            return Err(
                Failure::refused(tr_sent!("{most} forwards are open", most = MOST))
                    .hint(tr_sent!("close some with `workbay port close`")),
            );
        }
        let (listener, outcome) = self.apps.bind(&checked).await?;
        let forward = self.new_forward(session, target, app, &checked, options, &listener)?;
        let opened = self.apps.begin(forward, listener, checked.allowed)?;
        let write = Write::Forward(Box::new(opened.forward.clone()));
        if let Err(error) = self.store.write(vec![write]).await {
            return Err(crate::daemon::main_loop::replies::store_failure(&error));
        }
        let id = opened.forward.id;
        self.apps.open.insert(id, opened);
        self.publish_forwards();
        self.apps.answer(id, remark(outcome))
    }

    /// Answers with a forward that is open already, on its port.
    async fn reopen(
        &mut self,
        id: ForwardId,
        target: ForwardTarget,
        checked: &Checked,
    ) -> Result<OpenedForward, Failure> {
        let Some(open) = self.apps.open.get_mut(&id) else {
            return Err(no_forward(id));
        };
        let port = open.forward.port;
        let wanted = checked.preferred.filter(|wanted| *wanted != port);
        let remark = wanted.map(|wanted| {
            Clean::new(&tr_sent!(
                "it is open already on port {port}. To use port {wanted}, close it first",
                port,
                wanted
            ))
        });
        // The app may have been started again on another port.
        if port_of(&target) != 0 {
            open.inside.port.store(port_of(&target), Relaxed);
        }
        open.forward.broken = None;
        open.inside.is_broken.store(false, Relaxed);
        open.forward.target = target;
        if checked.public.is_some() {
            open.forward.public.clone_from(&checked.public);
        }
        let write = Write::Forward(Box::new(open.forward.clone()));
        if let Err(error) = self.store.write(vec![write]).await {
            tracing::warn!(%error, "a forward isn't recorded");
        }
        self.publish_forwards();
        self.apps.answer(id, remark)
    }

    fn new_forward(
        &mut self,
        session: SessionKey,
        target: ForwardTarget,
        app: Option<&App>,
        checked: &Checked,
        options: &ForwardOptions,
        listener: &TcpListener,
    ) -> Result<Forward, Failure> {
        let number =
            crate::daemon::main_loop::snapshots::context_number(&self.contexts, session.context)?;
        let known = self.contexts[number].known();
        let name = crate::daemon::main_loop::snapshots::find(known, session)?
            .name
            .clone();
        let port = listener.local_addr().map_or(0, |address| address.port());
        let (title, protocol, path) = described(&target, app);
        let protocol = options.protocol.unwrap_or(protocol);
        self.apps.last_id += 1;
        Ok(Forward {
            id: self.apps.last_id,
            session,
            session_name: name,
            address_url: address_url(protocol, &target, checked.address, port),
            target,
            title,
            protocol,
            address: checked.address,
            port,
            path,
            public: checked.public.clone(),
            opened_at: clock::now(),
            broken: None,
            traffic: ForwardTraffic::default(),
        })
    }

    /// Opens the forwards of the last daemon again, on their ports if these are free.
    pub(in crate::daemon) async fn restore_forwards(&mut self) {
        for forward in std::mem::take(&mut self.apps.stored) {
            let session = forward.session;
            let id = forward.id;
            let number = crate::daemon::main_loop::snapshots::context_number(
                &self.contexts,
                session.context,
            );
            let has_ended = number.is_ok_and(|number| {
                let known = self.contexts[number].known().session(session.id);
                known.is_some_and(crate::model::session::Session::has_ended)
            });
            let is_over = forward
                .public
                .as_ref()
                .is_some_and(|public| public.until.is_some_and(|until| until <= clock::now()));
            let opened = if has_ended || is_over {
                None
            } else {
                self.apps.restore(forward).await
            };
            let write = match opened {
                Some(opened) => {
                    let write = Write::Forward(Box::new(opened.forward.clone()));
                    let target = opened.forward.target.clone();
                    self.apps.open.insert(id, opened);
                    if let ForwardTarget::App { app, .. } = target {
                        self.apps.watch_app(session, app);
                    }
                    write
                }
                None => Write::ForgetForward { id },
            };
            self.deferred.add([write]);
        }
        if !self.deferred.is_empty() {
            self.write_deferred().await;
        }
        self.publish_forwards();
    }

    pub(super) async fn close_forwards(&mut self, ids: Vec<ForwardId>) {
        let ids: Vec<ForwardId> = ids
            .into_iter()
            .filter(|id| self.apps.open.remove(id).is_some())
            .collect();
        if ids.is_empty() {
            return;
        }
        let writes = ids.into_iter().map(|id| Write::ForgetForward { id });
        let writes: Vec<Write> = writes.collect();
        if let Err(error) = self.store.write(writes.clone()).await {
            tracing::warn!(%error, "closed forwards are still recorded");
            self.deferred.add(writes);
        }
        self.publish_forwards();
    }
}

pub(super) fn no_forward(id: ForwardId) -> Failure {
    Failure::not_found(tr_sent!("forward {id} not found", id))
        .hint(tr_sent!("`workbay port ls` lists them"))
}

fn remark(outcome: BindOutcome) -> Option<Clean> {
    match outcome {
        BindOutcome::Preferred => None,
        BindOutcome::Pool { why } => why,
    }
}

/// The title, protocol and first page of a target.
fn described(target: &ForwardTarget, app: Option<&App>) -> (Clean, AppProtocol, Clean) {
    match (target, app) {
        (_, Some(app)) => (app.title.clone(), app.protocol, app.path.clone()),
        (ForwardTarget::Ssh, _) => (Clean::new("SSH / SFTP"), AppProtocol::Tcp, Clean::default()),
        (ForwardTarget::App { app, .. }, None) => {
            let (title, _, path) = crate::model::app::presentation(app.as_str());
            (title, AppProtocol::Http, path)
        }
        (ForwardTarget::Port { port }, None) => (
            Clean::new(&format!("Port {port}")),
            AppProtocol::Http,
            Clean::new("/"),
        ),
    }
}

/// The URL of a forward without a token.
fn address_url(
    protocol: AppProtocol,
    target: &ForwardTarget,
    address: std::net::IpAddr,
    port: u16,
) -> Clean {
    let scheme = match (target, protocol) {
        (ForwardTarget::Ssh, _) => "ssh",
        (_, AppProtocol::Http) => "http",
        (_, AppProtocol::Tcp) => "tcp",
    };
    let host = if address.is_unspecified() {
        rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned()
    } else {
        address.to_string()
    };
    Clean::new(&format!("{scheme}://{host}:{port}"))
}

impl Apps {
    async fn bind(&self, checked: &Checked) -> Result<(TcpListener, BindOutcome), Failure> {
        let pool = self.settings.port_pool;
        gateway::bind(checked.address, checked.preferred, pool.first..=pool.last).await
    }

    async fn restore(&mut self, mut forward: Forward) -> Option<OpenForward> {
        let pool = self.settings.port_pool;
        let public = forward.public.as_ref();
        let texts = public.map(|public| public.allowed.clone());
        let texts = texts.unwrap_or_default();
        let allowed = options::networks(texts.iter().map(Clean::as_str)).ok()?;
        if public.is_some() && !self.settings.open_to_public {
            return None;
        }
        let bound = gateway::bind(forward.address, Some(forward.port), pool.first..=pool.last);
        match bound.await {
            Ok((listener, _)) => {
                let port = listener.local_addr().ok()?.port();
                forward.port = port;
                forward.address_url =
                    address_url(forward.protocol, &forward.target, forward.address, port);
                self.begin(forward, listener, allowed).ok()
            }
            Err(error) => {
                tracing::warn!(%error, port = forward.port, "a forward can't be opened again");
                None
            }
        }
    }

    /// Starts serving a port.
    fn begin(
        &mut self,
        forward: Forward,
        listener: TcpListener,
        allowed: Vec<crate::model::cidr::Network>,
    ) -> Result<OpenForward, Failure> {
        let traffic = Arc::new(Traffic::default());
        let inside = Inside::of(&forward);
        let tokens = match &forward.public {
            Some(_) => None,
            None => Some(Arc::new(TokenBook::new(self.secret(&forward)?))),
        };
        let access = match &tokens {
            Some(tokens) => Access::Token(tokens.clone()),
            None => Access::Public { allowed },
        };
        let upstream = self.upstream(&forward, inside.clone())?;
        let route = Route {
            kind: match forward.protocol {
                AppProtocol::Http => Kind::Http,
                AppProtocol::Tcp => Kind::Tcp,
            },
            access,
            title: Clean::new(&format!("{} of {}", forward.title, forward.session_name)),
            traffic: traffic.clone(),
            upstream,
        };
        let stop = CancellationToken::new();
        tokio::spawn(gateway::serve(listener, route, stop.clone()));
        Ok(OpenForward {
            forward,
            traffic,
            tokens,
            inside,
            reported: 0,
            _serving: stop.drop_guard(),
        })
    }

    fn upstream(
        &self,
        forward: &Forward,
        inside: Arc<Inside>,
    ) -> Result<Arc<dyn Upstream>, Failure> {
        if forward.target == ForwardTarget::Ssh {
            let files = KeyFiles::new(&self.keys);
            let users = self.settings.authorized_keys.as_deref();
            return Ok(Arc::new(SshPort {
                session: forward.session,
                name: forward.session_name.clone(),
                keys: SshKeys::load(&files, forward.session, users)?,
                inbound: self.inbound.clone(),
            }));
        }
        Ok(Arc::new(SessionPort {
            forward: forward.id,
            session: forward.session,
            app: match &forward.target {
                ForwardTarget::App { app, .. } => Some(app.clone()),
                _ => None,
            },
            inside,
            inbound: self.inbound.clone(),
        }))
    }

    fn secret(&mut self, forward: &Forward) -> Result<Secret, Failure> {
        let key = match &self.key {
            Some(key) => key.clone(),
            None => keys::gateway_key(&self.keys)?,
        };
        let secret = keys::secret_of(&key, forward);
        self.key = Some(key);
        Ok(secret)
    }

    /// A forward with a URL that has a new token, where it needs one.
    pub(super) fn answer(
        &self,
        id: ForwardId,
        remark: Option<Clean>,
    ) -> Result<OpenedForward, Failure> {
        let open = self.open.get(&id).ok_or_else(|| no_forward(id))?;
        let forward = open.forward.clone();
        let url = match (&open.tokens, forward.protocol) {
            (Some(tokens), AppProtocol::Http) => {
                gateway::url(forward.port, &tokens.issue()?, forward.path.as_str())
            }
            (None, AppProtocol::Http) => format!("{}{}", forward.address_url, forward.path),
            (_, AppProtocol::Tcp) => forward.address_url.to_string(),
        };
        Ok(OpenedForward {
            forward,
            url,
            remark,
        })
    }
}
