//! The manager's error bodies (`application/problem+json`). Pure.

use serde::Deserialize;
use serde_json::Value;

use super::quote::quote;

/// What an error body says.
#[derive(Debug, Default, PartialEq)]
pub(in crate::engine::backendai) struct ErrorBody {
    /// The last part of the type (`object-not-found`). Releases agree on it more than on statuses.
    pub(in crate::engine::backendai) kind: String,
    title: String,
    msg: String,
    pub(in crate::engine::backendai) data: Value,
}

#[derive(Deserialize)]
struct Body {
    r#type: Option<String>,
    title: Option<Value>,
    msg: Option<Value>,
    /// The web server's name for `msg`.
    details: Option<Value>,
    #[serde(default)]
    data: Value,
}

impl ErrorBody {
    /// Reads a problem from a body; `None` if the body is something else.
    pub(in crate::engine::backendai) fn read(body: &[u8]) -> Option<Self> {
        let body: Body = serde_json::from_slice(body).ok()?;
        let kind = body.r#type.as_deref().unwrap_or_default();
        let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
        let title = body.title.map(words).unwrap_or_default();
        let msg = body.msg.or(body.details).map(words).unwrap_or_default();
        let known = !kind.is_empty() || !title.is_empty() || !msg.is_empty();
        known.then_some(Self {
            kind,
            title,
            msg,
            data: body.data,
        })
    }

    /// Title and message as one sentence without its period.
    pub(in crate::engine::backendai) fn sentence(&self) -> String {
        let title = self.title.trim().trim_end_matches('.');
        let named = named(&self.data);
        let msg = match self.msg.trim() {
            "" => named,
            msg => detailed(validator(msg), &self.data),
        };
        let msg = msg.trim().trim_end_matches('.');
        let whole = match (title, msg) {
            ("", "") => self.kind.clone(),
            ("", msg) => msg.to_owned(),
            (title, "") => title.to_owned(),
            (title, msg) if title.eq_ignore_ascii_case(msg) => title.to_owned(),
            (title, msg) => format!("{title}: {msg}"),
        };
        quote(&whole)
    }
}

/// Sometimes only the data says what is meant: the names of missing folders.
fn named(data: &Value) -> String {
    let names = data.as_array().map_or(&[] as &[Value], Vec::as_slice);
    let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
    names.join(", ")
}

/// The reason for which an app didn't start is beside the message.
fn detailed(msg: String, data: &Value) -> String {
    match data.as_str().map(str::trim) {
        None | Some("") => msg,
        Some(detail) => format!("{}: {detail}", msg.trim_end_matches('.')),
    }
}

/// The text of a string value; for any other value, its JSON.
fn words(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The manager's validator adds its own class names and links. Only the field and the fault matter
/// to the user: `image: Field required`.
fn validator(msg: &str) -> String {
    if !msg.contains("validation error") {
        return msg.to_owned();
    }
    let lines: Vec<&str> = msg.lines().collect();
    let faults: Vec<String> = lines
        .windows(2)
        .filter_map(|pair| {
            let (fault, _) = pair[1].trim().split_once(" [type=")?;
            Some(format!("{}: {fault}", pair[0].trim()))
        })
        .collect();
    if faults.is_empty() {
        msg.to_owned()
    } else {
        faults.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(body: &str) -> String {
        ErrorBody::read(body.as_bytes()).unwrap().sentence()
    }

    #[test]
    fn title_and_message_become_one_sentence() {
        assert_eq!(
            sentence(
                r#"{"type":"https://api.backend.ai/probs/object-not-found","title":"No such environment image.","error_code":"image_read_not-found","msg":"Unknown image reference: local/stable/nope:1 (x86_64)"}"#
            ),
            "No such environment image: Unknown image reference: local/stable/nope:1 (x86_64)"
        );
        assert_eq!(
            sentence(r#"{"title":"No such session."}"#),
            "No such session"
        );
        assert_eq!(sentence(r#"{"title":"Same.","msg":"same"}"#), "Same");
        assert_eq!(
            sentence(r#"{"type":"x/generic-forbidden"}"#),
            "generic-forbidden"
        );
    }

    #[test]
    fn a_validator_s_page_becomes_its_faults() {
        let body = r#"{"type":"https://api.backend.ai/probs/generic-bad-request","title":"Invalid or Missing API Parameters.","msg":"<BackendAISchemaValidationFailed(400): Schema validation failed. (1 validation error for CreateFromParamsRequest\nimage\n  Field required [type=missing, input_value={'name': 'x'}, input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.13/v/missing)>\n -> extra_data: {}"}"#;
        assert_eq!(
            sentence(body),
            "Invalid or Missing API Parameters: image: Field required"
        );
    }

    #[test]
    fn a_detail_beside_the_message_is_added() {
        let body = r#"{"title":"Internal server error.","msg":"Not started.","data":"no file"}"#;
        assert_eq!(
            sentence(body),
            "Internal server error: Not started: no file"
        );
    }

    #[test]
    fn what_is_no_problem_is_none() {
        for body in ["", "<html>", "[]", "{}", r#"{"authorized":"yes"}"#, "null"] {
            assert_eq!(ErrorBody::read(body.as_bytes()), None, "{body}");
        }
    }

    #[test]
    fn what_it_quotes_is_safe_and_bounded() {
        let body = format!(r#"{{"title":"a\u001b[2Jb","msg":"{}"}}"#, "x".repeat(9000));
        let said = sentence(&body);
        assert!(said.starts_with("ab: xxx"), "{said}");
        assert!(said.chars().count() < 500);
    }
}
