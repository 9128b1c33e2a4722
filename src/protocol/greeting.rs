//! The first message of each side.
//!
//! Clients and daemons of any two versions understand it, so its format never changes: fields are added, but
//! never removed or given another meaning. [`PROTOCOL`](super::message::PROTOCOL) is the version of
//! everything after it.

use serde::{Deserialize, Serialize};

use crate::model::{id::InstanceId, text::Clean};

/// The greeting of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "kebab-case")]
pub enum Greeting {
    Hello {
        protocol: u32,
        version: String,
        /// The path of the client's own program, for an upgrade of an older daemon.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<String>,
    },
}

/// The daemon's answer to the greeting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "kebab-case")]
pub enum Welcome {
    Hello {
        protocol: u32,
        version: String,
        pid: u32,
        instance: InstanceId,
    },
    /// The daemon closes the connection after this message.
    Refused { message: Clean },
    /// The daemon is being upgraded to the client's program. Connect again; it answers when it is ready.
    Upgrading {
        /// The version of the daemon so far, and its start time. If both are the same the next time, the
        /// upgrade had no effect.
        version: String,
        started_at: jiff::Timestamp,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The format that every release sends and understands. Don't change these texts.
    #[test]
    fn the_first_words_stay_as_they_are() {
        let hello = |program: Option<&str>| Greeting::Hello {
            protocol: 6,
            version: "0.1.0".to_owned(),
            program: program.map(str::to_owned),
        };
        for (text, greeting) in [
            (
                r#"{"say":"hello","protocol":6,"version":"0.1.0"}"#,
                hello(None),
            ),
            (
                r#"{"say":"hello","protocol":6,"version":"0.1.0","program":"/usr/bin/workbay"}"#,
                hello(Some("/usr/bin/workbay")),
            ),
        ] {
            assert_eq!(serde_json::from_str::<Greeting>(text).unwrap(), greeting);
            assert_eq!(serde_json::to_string(&greeting).unwrap(), text);
        }
        let instance: InstanceId = "7138f705-f926-4bd9-bd61-b60d90c3991f".parse().unwrap();
        for (text, welcome) in [
            (
                r#"{"say":"hello","protocol":6,"version":"0.1.0","pid":7,"instance":"7138f705-f926-4bd9-bd61-b60d90c3991f"}"#,
                Welcome::Hello {
                    protocol: 6,
                    version: "0.1.0".to_owned(),
                    pid: 7,
                    instance,
                },
            ),
            (
                r#"{"say":"refused","message":"no"}"#,
                Welcome::Refused {
                    message: "no".into(),
                },
            ),
            (
                r#"{"say":"upgrading","version":"0.1.0","started_at":"1970-01-01T00:00:00Z"}"#,
                Welcome::Upgrading {
                    version: "0.1.0".to_owned(),
                    started_at: jiff::Timestamp::UNIX_EPOCH,
                },
            ),
        ] {
            assert_eq!(serde_json::from_str::<Welcome>(text).unwrap(), welcome);
            assert_eq!(serde_json::to_string(&welcome).unwrap(), text);
        }
        let later =
            r#"{"say":"hello","protocol":9,"version":"2.0.0","program":null,"mood":"good"}"#;
        assert!(serde_json::from_str::<Greeting>(later).is_ok());
    }

    #[test]
    fn fuzz_greeting() {
        crate::fuzz::parser("greeting", &[], |bytes, _| {
            if let Ok(greeting) = serde_json::from_slice::<Greeting>(bytes) {
                crate::fuzz::bounded(bytes, &greeting);
                let written = serde_json::to_vec(&greeting).unwrap();
                let again: Greeting = serde_json::from_slice(&written).unwrap();
                assert_eq!(again, greeting);
            }
            if let Ok(welcome) = serde_json::from_slice::<Welcome>(bytes) {
                crate::fuzz::bounded(bytes, &welcome);
                let written = serde_json::to_vec(&welcome).unwrap();
                let again: Welcome = serde_json::from_slice(&written).unwrap();
                assert_eq!(again, welcome);
            }
        });
    }
}
