//! Checks the signature of a request, which is computed here a second time.

use ring::{digest, hmac};
use serde_json::json;

use super::{ACCESS, Asked, Reply, SECRET, State, now};

impl State {
    /// The refusal of a request with a wrong signature.
    pub(super) fn refusal(&self, asked: &Asked) -> Option<Reply> {
        if self.web {
            let id = asked.headers.get("x-backendai-sessionid");
            let known = id.is_some_and(|id| self.logins.contains(id));
            return (!known).then(|| {
                Reply::Json(
                    401,
                    json!({"type": "https://api.backend.ai/probs/auth-failed",
                        "title": "Credential/signature mismatch."}),
                )
            });
        }
        by_signature(asked)
    }
}

fn by_signature(asked: &Asked) -> Option<Reply> {
    let header = |name: &str| asked.headers.get(name).map_or("", String::as_str);
    let date = header("date");
    let Some(time) = date.parse::<jiff::Timestamp>().ok() else {
        return Some(bad_parameters("Date/time sync error"));
    };
    if (time.as_second() - now().as_second()).abs() > 15 * 60 {
        return Some(bad_parameters("Date/time sync error"));
    }
    if header("x-backendai-version") > "v9.20250722" {
        return Some(Reply::problem(
            400,
            "generic-bad-request",
            "Unsupported API version.",
            "",
        ));
    }
    let media = match header("content-type").split(';').next().unwrap_or_default() {
        "" => "application/octet-stream",
        media => media,
    };
    let text = format!(
        "{}\n{}\n{date}\nhost:{}\ncontent-type:{media}\nx-backendai-version:{}\n{}",
        asked.method,
        asked.target,
        header("host"),
        header("x-backendai-version"),
        hex(digest::digest(&digest::SHA256, b"").as_ref()),
    );
    let day = time.strftime("%Y%m%d").to_string();
    let by_day = mac(SECRET.as_bytes(), day.as_bytes());
    let by_host = mac(by_day.as_ref(), header("host").as_bytes());
    let signature = hex(mac(by_host.as_ref(), text.as_bytes()).as_ref());
    let expected = format!("BackendAI signMethod=HMAC-SHA256, credential={ACCESS}:{signature}");
    (header("authorization") != expected).then(|| {
        let known = header("authorization").contains(&format!("credential={ACCESS}:"));
        let why = if known {
            "HMAC signature mismatch"
        } else {
            "Access key not found in HMAC"
        };
        Reply::problem(401, "auth-failed", "Credential/signature mismatch.", why)
    })
}

fn bad_parameters(why: &str) -> Reply {
    let title = "Missing or invalid authorization parameters.";
    Reply::problem(400, "invalid-auth-params", title, why)
}

fn mac(key: &[u8], text: &[u8]) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text)
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
