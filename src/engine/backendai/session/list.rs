//! Lists of sessions, and one whole session.

use serde_json::{Value, json};

use super::{row::RowReader, status_reason};
use crate::{
    engine::{
        api::Result,
        backendai::{
            BackendAiEngine,
            connect::connection::ManagerConnection,
            request::{
                filter,
                gql::Schema,
                lenient_json::Node,
                manager_error::declined,
                queries::{self, ExtraFields, SearchScope},
            },
        },
        manager::{PageQuery, SessionPage, Totals},
    },
    model::{
        id::SessionId,
        session::{Session, SessionType},
        span::Span,
        status::{Status, Tab},
        text::Clean,
    },
};

/// The first schema doesn't have this field.
const TIMEOUT: &str = "query($id: UUID!) { sessionV2(id: $id) { lifecycle { batchTimeout } } }";
const NODES: &str = "compute_session_nodes";
/// Ids per request. The length of a filter is limited.
const IDS: usize = 100;

impl ManagerConnection {
    /// Limits a filter to our own sessions, unless the context lists those of all users.
    fn mine(&self, filter: &str) -> String {
        if self.all_users {
            filter.to_owned()
        } else {
            filter::and(&filter::user(self.me.id.as_str()), filter)
        }
    }

    /// The sessions that our own lists cover.
    pub(in crate::engine::backendai) fn bound(&self) -> SearchScope {
        match (self.features.scope_id, self.all_users) {
            (false, _) => SearchScope::Project,
            (true, true) => SearchScope::Everything,
            (true, false) => SearchScope::User,
        }
    }

    /// Where to search for one session by its id. It may belong to another user and still be
    /// readable.
    fn bounds(&self) -> Vec<SearchScope> {
        match self.bound() {
            SearchScope::User => vec![SearchScope::User, SearchScope::Everything],
            bound => vec![bound],
        }
    }

    /// Sets the variables of the bound in a query.
    pub(in crate::engine::backendai) fn bind(
        &self,
        bound: SearchScope,
        variables: &mut Value,
    ) -> Result<()> {
        match (bound, &self.project) {
            (SearchScope::Everything, _) => {}
            (SearchScope::User, _) => variables["scope"] = json!(format!("user:{}", self.me.id)),
            (SearchScope::Project, Some(project)) => {
                variables["project"] = json!(project.id.as_str());
            }
            (SearchScope::Project, None) => {
                return Err(declined(tr_sent!("the user is in no project")));
            }
        }
        Ok(())
    }

    /// The nodes of a page, and the total count.
    async fn nodes(
        &self,
        bound: SearchScope,
        filter: &str,
        extra: ExtraFields,
        offset: u32,
        limit: u32,
    ) -> Result<(Value, u64)> {
        let query = queries::page(self.features, bound, extra);
        let mut variables = json!({"filter": filter, "first": limit, "offset": offset});
        self.bind(bound, &mut variables)?;
        let data = self.http.ask(Schema::One, &query, variables).await?;
        let total = Node::new(&data).node(NODES).int("count").unwrap_or(0);
        Ok((data, u64::try_from(total).unwrap_or(0)))
    }

    fn extra(&self, idle: bool) -> ExtraFields {
        ExtraFields {
            owner: self.all_users,
            idle,
            all: false,
        }
    }

    /// How many sessions each tab has.
    pub(in crate::engine::backendai) async fn count(&self) -> Result<Totals> {
        let bound = self.bound();
        let query = queries::totals(bound, Tab::ALL.len());
        let mut variables = json!({});
        for (n, tab) in Tab::ALL.into_iter().enumerate() {
            let filter = filter::tab(self.features, tab, None);
            variables[format!("f{n}")] = json!(self.mine(&filter));
        }
        self.bind(bound, &mut variables)?;
        let data = self.http.ask(Schema::One, &query, variables).await?;
        let count = |n: usize| {
            let part = Node::new(&data).node(&format!("t{n}")).int("count");
            u64::try_from(part.unwrap_or(0)).unwrap_or(0)
        };
        Ok([count(0), count(1), count(2)])
    }

    /// The status of a session; `None` if the manager doesn't show us such a session.
    pub(in crate::engine::backendai) async fn status_of(
        &self,
        session: SessionId,
    ) -> Result<Option<Status>> {
        let data = self.fields_of(session, "status").await?;
        let node = Node::new(&data).edges(NODES).next();
        Ok(node.map(|node| Node::new(node).status("status")))
    }

    /// The session's current name.
    pub(in crate::engine::backendai) async fn name_of(
        &self,
        session: SessionId,
    ) -> Result<Option<Clean>> {
        let data = self.fields_of(session, "name").await?;
        let node = Node::new(&data).edges(NODES).next();
        Ok(node.and_then(|node| Node::new(node).text("name")))
    }

    /// The timeout of a batch session, if the manager reports it.
    async fn timeout_of(&self, session: &Session) -> Option<Span> {
        let is_batch = session.session_type == SessionType::Batch;
        if !is_batch || !self.features.reports_timeout {
            return None;
        }
        let variables = json!({"id": session.id.to_string()});
        let asked = self.http.ask(Schema::Two, TIMEOUT, variables);
        let data = asked.await.unwrap_or_else(|error| {
            tracing::debug!(%error, session = %session.id, "no timeout is reported");
            Value::Null
        });
        let session = Node::new(&data).node("sessionV2");
        let seconds = session.node("lifecycle").int("batchTimeout")?;
        let seconds = u64::try_from(seconds).ok().filter(|it| *it > 0);
        seconds.map(Span)
    }

    /// Some fields of one session, as a list of at most one node.
    pub(in crate::engine::backendai) async fn fields_of(
        &self,
        session: SessionId,
        fields: &str,
    ) -> Result<Value> {
        let mut data = Value::Null;
        for bound in self.bounds() {
            let query = queries::some(bound, 1, fields);
            let mut variables = json!({"filter": filter::ids(&[session])});
            self.bind(bound, &mut variables)?;
            data = self.http.ask(Schema::One, &query, variables).await?;
            if Node::new(&data).edges(NODES).next().is_some() {
                break;
            }
        }
        Ok(data)
    }
}

impl BackendAiEngine {
    fn read(&self, connection: &ManagerConnection, data: &Value) -> Vec<Session> {
        let reader = RowReader {
            connection,
            context: self.core.config.context,
            now: (self.core.config.clock)(),
        };
        let nodes = Node::new(data).edges(NODES);
        nodes.filter_map(|node| reader.session(node)).collect()
    }

    pub(in crate::engine::backendai) async fn read_page(
        &self,
        query: &PageQuery,
    ) -> Result<SessionPage> {
        let connection = self.core.connection().await?;
        let filter = filter::tab(connection.features, query.tab, query.text.as_deref());
        let extra = connection.extra(query.tab != Tab::Finished);
        let filter = connection.mine(&filter);
        let found = connection.nodes(
            connection.bound(),
            &filter,
            extra,
            query.offset,
            query.limit,
        );
        let (data, total) = found.await?;
        Ok(SessionPage {
            sessions: self.read(&connection, &data),
            total,
        })
    }

    pub(in crate::engine::backendai) async fn read_rows(
        &self,
        sessions: &[SessionId],
    ) -> Result<Vec<Session>> {
        let connection = self.core.connection().await?;
        let mut rows = Vec::with_capacity(sessions.len());
        for ids in sessions.chunks(IDS) {
            let limit = u32::try_from(ids.len()).unwrap_or(u32::MAX);
            // Events arrive for the sessions of all users if we are an administrator, even if our
            // lists leave them out.
            let filter = connection.mine(&filter::ids(ids));
            let found = connection.nodes(
                connection.bound(),
                &filter,
                connection.extra(true),
                0,
                limit,
            );
            let (data, _) = found.await?;
            rows.append(&mut self.read(&connection, &data));
        }
        Ok(rows)
    }

    pub(in crate::engine::backendai) async fn read_session(
        &self,
        session: SessionId,
    ) -> Result<Option<Session>> {
        let connection = self.core.connection().await?;
        let extra = ExtraFields {
            owner: true,
            idle: true,
            all: true,
        };
        let mut found = None;
        for bound in connection.bounds() {
            let filter = filter::ids(&[session]);
            let (data, _) = connection.nodes(bound, &filter, extra, 0, 1).await?;
            found = self.read(&connection, &data).into_iter().next();
            if found.is_some() {
                break;
            }
        }
        if let Some(session) = &mut found {
            explain(&connection, session).await;
            session.timeout = connection.timeout_of(session).await;
        }
        Ok(found)
    }
}

/// Reads from the scheduling history why the session waits, or why it never ran, if the session
/// itself has no message.
async fn explain(connection: &ManagerConnection, session: &mut Session) {
    let silent = session.status_message.is_none();
    if silent && session.status.is_starting() {
        let newest = connection.newest_entry(session.id).await;
        let reported = newest.as_ref().and_then(status_reason::not_before);
        session.starts_at = session.starts_at.or(reported);
        session.status_message = newest.as_ref().and_then(status_reason::of_history);
        return;
    }
    connection.explain_unstarted(session).await;
}
