//! GraphQL over HTTP: answers with a success status may contain errors, and data besides errors.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    http::{Http, LIST, ManagerCall},
    manager_error::declined,
    quote::quote,
};
use crate::engine::api::Result;

/// The two schemas of a manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::backendai) enum Schema {
    /// Graphene, snake case, all releases.
    One,
    /// Strawberry, camel case, 25 and later.
    Two,
}

const ONE: &str = "/admin/gql";
const TWO: &str = "/admin/gql/strawberry";

#[derive(Debug, Deserialize)]
struct GqlReply {
    #[serde(default)]
    data: Value,
    #[serde(default)]
    errors: Option<Vec<GqlError>>,
}

#[derive(Debug, Deserialize)]
struct GqlError {
    #[serde(default)]
    message: String,
}

impl Http {
    /// Sends `query` and returns its data. Fields that failed are null and logged.
    pub(in crate::engine::backendai) async fn ask(
        &self,
        schema: Schema,
        query: &str,
        variables: Value,
    ) -> Result<Value> {
        let body = json!({"query": query, "variables": variables});
        match schema {
            Schema::One => self.ask_at(call(ONE, &body)).await,
            Schema::Two if !self.through_web() => self.ask_at(call(TWO, &body)).await,
            Schema::Two => self.ask_either(&body).await,
        }
    }

    /// A web server may serve both schemas, joined, at the path of the first one.
    async fn ask_either(&self, body: &Value) -> Result<Value> {
        let error = match self.ask_at(call(TWO, body)).await {
            Err(error) if !error.is_lost() => error,
            other => return other,
        };
        self.ask_at(call(ONE, body)).await.map_err(|_| error)
    }

    async fn ask_at(&self, call: ManagerCall) -> Result<Value> {
        let reply: GqlReply = self.json(&call.within(LIST)).await?;
        data_of(reply)
    }
}

fn call(path: &str, body: &Value) -> ManagerCall {
    let call = ManagerCall::post(path, body);
    let query = body["query"].as_str().unwrap_or_default();
    if query.trim_start().starts_with("query") {
        return call.reading();
    }
    call
}

/// Keeps data that comes with errors. Without data, the errors are the result.
fn data_of(reply: GqlReply) -> Result<Value> {
    let faults = reply.errors.unwrap_or_default();
    let said = faults
        .iter()
        .map(|fault| quote(&fault.message))
        .collect::<Vec<_>>()
        .join("; ");
    if has_value(&reply.data) {
        if !faults.is_empty() {
            tracing::warn!(errors = said, "the manager's answer is incomplete");
        }
        return Ok(reply.data);
    }
    if faults.is_empty() {
        // Without errors, the data is the result, even if it is an empty list or null.
        return Ok(reply.data);
    }
    Err(declined(tr_sent!("the manager can't answer: {said}", said)))
}

fn has_value(data: &Value) -> bool {
    match data {
        Value::Object(fields) => fields.values().any(|value| !value.is_null()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Value> {
        data_of(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn errors_in_a_success_are_errors() {
        let error = read(r#"{"data":null,"errors":[{"message":"Cannot query field 'x'."}]}"#);
        assert_eq!(
            error.unwrap_err().to_string(),
            "the manager can't answer: Cannot query field 'x'."
        );
        assert!(read(r#"{"data":{"a":null},"errors":[{"message":"no"}]}"#).is_err());
    }

    #[test]
    fn a_part_is_kept_beside_errors() {
        let data = read(r#"{"data":{"a":1,"b":null},"errors":[{"message":"no b"}]}"#).unwrap();
        assert_eq!(data["a"], 1);
        assert!(read(r#"{"data":{"a":null},"errors":null}"#).unwrap()["a"].is_null());
    }

    #[test]
    fn fuzz_manager_graphql() {
        crate::fuzz::parser("manager-graphql", &[], |bytes, _| {
            if let Ok(reply) = serde_json::from_slice::<GqlReply>(bytes) {
                crate::fuzz::bounded(bytes, &data_of(reply));
            }
        });
    }
}
