//! Finds out why a session ended before it ran, from the session, its kernels, its scheduling
//! history and its log. Each of them may lack the reason.

use serde_json::Value;

use super::status_reason;
use crate::engine::backendai::{
    connect::connection::ManagerConnection,
    request::{
        http::{ManagerCall, SHORT},
        quote::quote,
    },
};
use crate::model::{
    history::Outcome,
    session::{FAILED_TO_START, Session},
    status::Status,
    text::Clean,
};

impl ManagerConnection {
    pub(in crate::engine::backendai) async fn explain_unstarted(&self, session: &mut Session) {
        if !is_unstarted(session) {
            return;
        }
        let reported = session.status_message.take();
        // That the session failed to start isn't a reason.
        let bare = session
            .status_info
            .as_ref()
            .is_some_and(|it| *it == FAILED_TO_START);
        let known = reported
            .clone()
            .filter(|_| !bare)
            .or_else(|| of_kernels(session));
        let why = match known {
            Some(why) => Some(why),
            None => self.of_history(session).await.or(reported),
        };
        // The manager has no log while the session changes its state.
        let log = if session.status.is_final() {
            self.log_of(session).await
        } else {
            None
        };
        let said = log.as_deref().and_then(of_log);
        let parts = why.map(Clean::into_string).into_iter();
        let parts: Vec<String> = parts
            .chain(said.map(|it| tr_sent!("its log: {it}", it)))
            .collect();
        if !parts.is_empty() {
            session.status_message = Some(Clean::new(&parts.join("; ")));
        }
    }

    async fn of_history(&self, session: &Session) -> Option<Clean> {
        let entries = self.history(session.id).await.unwrap_or_default();
        let well = [Outcome::Success, Outcome::NeedRetry, Outcome::Skipped];
        let failed = entries.iter().find(|entry| !well.contains(&entry.result));
        let words = failed.and_then(|entry| entry.message.as_ref())?;
        Some(Clean::new(&tr_sent!("failed: {words}", words)))
    }

    async fn log_of(&self, session: &Session) -> Option<String> {
        let call = ManagerCall::get(format!("/session/{}/logs", session.id)).within(SHORT);
        let reply = self.http.json::<Value>(&call).await.ok()?;
        Some(reply["result"]["logs"].as_str()?.to_owned())
    }
}

/// The session has ended, or is ending, before it ran, although no user terminated it.
fn is_unstarted(session: &Session) -> bool {
    let status = &session.status;
    let over = matches!(
        status,
        Status::Terminated | Status::Terminating | Status::Cancelled | Status::Error
    );
    let asked = ["user-requested", "force-terminated"];
    let info = session.status_info.as_ref().map(Clean::as_str);
    over && session.started_at.is_none() && info.is_none_or(|info| !asked.contains(&info))
}

/// The reason of a kernel, if the session has none, or only that it failed to start.
fn of_kernels(session: &Session) -> Option<Clean> {
    let infos = session
        .kernels
        .iter()
        .filter_map(|it| it.status_info.as_ref());
    let mut infos = infos.filter(|info| *info != FAILED_TO_START && !info.is_empty());
    let info = infos.next()?;
    let words = status_reason::known(info.as_str());
    Some(words.map_or_else(|| info.clone(), Clean::new))
}

/// Words in log lines that report an error.
const BAD: [&str; 9] = [
    "not found",
    "error",
    "cannot",
    "can't",
    "denied",
    "no such",
    "failed",
    "fatal",
    "killed",
];

/// The first and the last log line that report an error; without such lines, the last line.
fn of_log(log: &str) -> Option<String> {
    let mut lines = log.lines().map(str::trim).filter(|line| !line.is_empty());
    let bad = |line: &&str| {
        let line = line.to_lowercase();
        !line.starts_with("warning") && BAD.iter().any(|word| line.contains(word))
    };
    let wrong: Vec<&str> = lines.clone().filter(bad).collect();
    match wrong.as_slice() {
        [] => lines.next_back().map(quote),
        [one] => Some(quote(one)),
        [first, .., last] => Some(format!("{}; {}", quote(first), quote(last))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_says_what_went_wrong_first_and_last() {
        let log = "WARNING: failed to create the user 'work' with uid 1000\n\
                   /opt/kernel/entrypoint.sh: 133: usermod: not found\n\
                   /opt/kernel/entrypoint.sh: 135: addgroup: not found\n\
                   ERROR: /etc/passwd entry for 'work' does not match 1000:1000\n";
        assert_eq!(
            of_log(log).unwrap(),
            "/opt/kernel/entrypoint.sh: 133: usermod: not found; ERROR: /etc/passwd entry for \
             'work' does not match 1000:1000"
        );
        assert_eq!(of_log("begun\ndone\n").unwrap(), "done");
        assert_eq!(of_log("\n"), None);
    }
}
