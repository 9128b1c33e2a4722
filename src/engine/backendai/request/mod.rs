//! Requests to a manager and its answers: HTTP, GraphQL, limits and errors.

pub(super) mod call;
pub(super) mod filter;
pub(super) mod gql;
pub(super) mod http;
pub(super) mod lenient_json;
pub(super) mod manager_error;
pub(super) mod problem;
pub(super) mod queries;
pub(super) mod quote;
pub(super) mod rate_limit;
pub(super) mod sse;
