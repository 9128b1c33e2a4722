//! The manager's filter language: which sessions a tab shows. `&` and `|` have no precedence in it,
//! so every part is in parentheses. Pure.

use crate::engine::backendai::connect::features::Features;
use crate::model::{
    id::SessionId,
    session::NEVER_STARTED,
    status::{KNOWN, Status, Tab},
};

/// The sessions of a tab whose names contain `text`.
pub(in crate::engine::backendai) fn tab(
    features: Features,
    tab: Tab,
    text: Option<&str>,
) -> String {
    let (running, finished) = (
        words(features, Tab::Running),
        words(features, Tab::Finished),
    );
    let unstarted = unstarted();
    let mut filter = match tab {
        Tab::Running => format!("(status in [{running}])"),
        Tab::Finished if features.reports_failed_starts => and(
            &format!("(status in [{finished}])"),
            &format!("(!{unstarted})"),
        ),
        Tab::Finished => format!("(status in [{finished}])"),
        // All sessions that no other tab shows, with known statuses or not.
        Tab::Others if features.reports_failed_starts => {
            format!("((!(status in [{running}, {finished}])) | {unstarted})")
        }
        Tab::Others => format!("(!(status in [{running}, {finished}]))"),
    };
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        filter = and(&filter, &format!("(name ilike \"%{}%\")", escape(text)));
    }
    filter
}

/// Sessions that ended before they ran, although no user terminated them. A filter can't test for a
/// start that never happened.
fn unstarted() -> String {
    let infos: Vec<String> = NEVER_STARTED.iter().map(|it| format!("\"{it}\"")).collect();
    let infos = infos.join(", ");
    format!("((status == \"TERMINATED\") & ((status_info is null) | (status_info in [{infos}])))")
}

/// The sessions with these ids.
pub(in crate::engine::backendai) fn ids(sessions: &[SessionId]) -> String {
    let quoted: Vec<String> = sessions.iter().map(|id| format!("\"{id}\"")).collect();
    format!("(id in [{}])", quoted.join(", "))
}

/// The sessions of a user.
pub(in crate::engine::backendai) fn user(id: &str) -> String {
    format!("(user_id == \"{}\")", escape(id))
}

pub(in crate::engine::backendai) fn and(one: &str, other: &str) -> String {
    format!("{one} & {other}")
}

/// The statuses of a tab that this manager knows. It refuses unknown ones.
fn words(features: Features, tab: Tab) -> String {
    let known = KNOWN.iter().filter(|status| status.tab() == tab);
    let known = known.filter(|status| match status {
        Status::Prepared | Status::Creating => features.scope_id,
        Status::Deprioritizing | Status::Reserved | Status::Preempted | Status::Rescheduling => {
            features.preemption
        }
        _ => true,
    });
    let quoted: Vec<String> = known
        .map(|status| format!("\"{}\"", status.word()))
        .collect();
    quoted.join(", ")
}

/// Escapes a text for quotes and patterns, so that quotes and wildcards in it are literal. Control
/// characters are left out, because names don't contain them.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !c.is_control()) {
        if matches!(c, '"' | '\\' | '%' | '_') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::backendai::connect::version::Version;

    #[test]
    fn the_three_tabs() {
        let new = Features::of(Version(26, 9, 6));
        assert_eq!(
            tab(new, Tab::Finished, None).split(" & (!").next(),
            Some("(status in [\"TERMINATED\", \"CANCELLED\"])")
        );
        let running = tab(new, Tab::Running, None);
        assert!(
            running.contains("PREPARED") && !running.contains("ERROR"),
            "{running}"
        );
        let others = tab(new, Tab::Others, None);
        assert!(others.starts_with("((!(status in [\"PENDING\""), "{others}");
        // A session that didn't start is in exactly one of the two tabs.
        let finished = tab(new, Tab::Finished, None);
        assert!(finished.contains(&format!("(!{})", unstarted())));
        assert!(others.ends_with(&format!("| {})", unstarted())), "{others}");
        let before = tab(Features::of(Version(26, 1, 0)), Tab::Finished, None);
        assert_eq!(before, "(status in [\"TERMINATED\", \"CANCELLED\"])");
        assert!(!others.contains("ERROR"), "{others}");
        let old = tab(Features::of(Version(24, 9, 12)), Tab::Running, None);
        assert!(
            !old.contains("PREPARED") && !old.contains("CREATING"),
            "{old}"
        );
    }

    #[test]
    fn a_text_cannot_leave_its_quotes() {
        let new = Features::of(Version(26, 9, 6));
        let filter = tab(new, Tab::Finished, Some("a\" | (x_%\\"));
        assert!(
            filter.ends_with(r#" & (name ilike "%a\" | (x\_\%\\%")"#),
            "{filter}"
        );
        assert_eq!(
            tab(new, Tab::Finished, Some("")),
            tab(new, Tab::Finished, None)
        );
    }
}
