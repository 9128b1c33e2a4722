//! The sections about sessions: who uses what, what will be reclaimed, what failed.

use std::cmp::Reverse;

use jiff::Timestamp;

use super::{
    engines::{accelerators, counted, used},
    rows::{DashRow, Meter, MeterRow, NoteKind, SessionLine, Target, note},
};
use crate::{
    app::panels::PanelEnv,
    model::{
        capability::EngineState,
        catalogue::User,
        session::Session,
        status::{Status, Tone},
    },
    rules::{
        ending::ending,
        grouping::{Grouping, groups, requested},
        reclaim::{Reclaim, nearest, reclaim},
        verdict,
    },
};

/// How many sessions each of the lists of reclaims and failures names on a screen without room for more.
const NAMED: usize = 8;

/// Reclaims and failures. Each list names more than [`NAMED`] if the rows that a screen of `free` rows has left
/// allow it.
pub(super) fn session_rows(env: &PanelEnv<'_>, free: usize) -> [Vec<DashRow>; 2] {
    let (next, failed) = (next_reclaims(env), failures(env));
    let rows = [next.len(), failed.len()].map(|it| it.clamp(1, NAMED));
    // Both have a title, and a blank row above it.
    let free = free.saturating_sub(4 + rows[0] + rows[1]);
    let more = shares(
        free,
        [next.len(), failed.len()].map(|it| it.saturating_sub(NAMED)),
    );
    [
        reclaim_rows(next, NAMED + more[0]),
        failure_rows(failed, NAMED + more[1]),
    ]
}

/// Divides free rows between two lists that want some of them. What one doesn't need is for the other.
fn shares(free: usize, wanted: [usize; 2]) -> [usize; 2] {
    let half = free / 2;
    let first = wanted[0].min(half.max(free.saturating_sub(wanted[1])));
    [first, wanted[1].min(free - first)]
}

/// Who uses what: the owners of the sessions that hold resources, those with the most CPU first.
pub(super) fn owner_rows(env: &PanelEnv<'_>) -> Vec<DashRow> {
    let mirror = env.mirror;
    let held = mirror
        .sessions()
        .filter(|it| env.shown.has(it.context) && it.holds_resources());
    let owners = groups(held.map(|it| (Grouping::Owner.of(it), it)));
    let mut rows = vec![DashRow::Section(
        tr!("Who uses what").to_owned(),
        seen_sessions(env).to_owned(),
    )];
    if owners.is_empty() {
        rows.push(note(NoteKind::Empty, tr!("No session holds resources.")));
    }
    let mut lines: Vec<MeterRow> = owners
        .into_iter()
        .map(|owner| {
            let slots = requested(owner.members.iter().copied());
            let running = owner.members.iter().filter(|it| it.status.is_live());
            let used = used(mirror, running.copied());
            let name = owner.name;
            let label = if name.is_empty() { "-" } else { &name };
            MeterRow {
                label: label.to_owned(),
                note: counted(owner.members.len()),
                cpu: Meter {
                    used: used.map(|it| it.0),
                    whole: Some(slots.cpu.millis()),
                    ..Meter::default()
                },
                memory: Meter {
                    used: used.map(|it| it.1),
                    whole: Some(slots.mem.0),
                    ..Meter::default()
                },
                accelerators: accelerators(&slots, None),
                target: Some(Target::Filter(Grouping::Owner, name)),
            }
        })
        .collect();
    lines.sort_by_key(|line| Reverse((line.cpu.whole, line.memory.whole)));
    rows.extend(lines.into_iter().map(DashRow::Meters));
    rows
}

/// Whose sessions the shown contexts list.
fn seen_sessions(env: &PanelEnv<'_>) -> &'static str {
    let mut users = env
        .mirror
        .shown(env.shown)
        .map(|state| match &state.engine {
            EngineState::Connected { info } => info.user.as_ref(),
            _ => None,
        });
    let sees_others = users.any(|user| user.is_some_and(User::is_administrator));
    if sees_others {
        tr!("all users")
    } else {
        tr!("only your sessions")
    }
}

/// The sessions that idle checks reclaim, the next one first.
fn next_reclaims<'a>(env: &PanelEnv<'a>) -> Vec<(Option<Timestamp>, &'a Session)> {
    let mut next: Vec<(Option<Timestamp>, &Session)> = env
        .mirror
        .sessions()
        .filter(|it| env.shown.has(it.context))
        .filter_map(|session| match reclaim(session) {
            Reclaim::Due => Some((None, session)),
            Reclaim::At(at) => Some((Some(at), session)),
            Reclaim::Exempt | Reclaim::Never => None,
        })
        .collect();
    next.sort_by_key(|(at, session)| (*at, session.key()));
    next
}

fn reclaim_rows(next: Vec<(Option<Timestamp>, &Session)>, most: usize) -> Vec<DashRow> {
    let title = tr!("Will be reclaimed").to_owned();
    let count = next.len();
    let named = (count > most).then(|| tr!("the first {most} of {count}", most, count));
    let mut rows = vec![DashRow::Section(title, named.unwrap_or_default())];
    if next.is_empty() {
        rows.push(note(NoteKind::Empty, tr!("No session will be reclaimed.")));
    }
    rows.extend(next.into_iter().take(most).map(|(at, session)| {
        let check = nearest(&session.idle_checks).map(|(check, _)| check.checker.title());
        DashRow::Session(SessionLine {
            key: session.key(),
            name: session.name.to_string(),
            at,
            why: check.unwrap_or(tr!("over a limit")).to_owned(),
            frees: Some(freed(session)),
            failed: false,
        })
    }));
    rows
}

/// `2 CPU, 4 GiB, 1 GPU`: what a session gives back.
fn freed(session: &Session) -> String {
    let slots = &session.requested_slots;
    let devices = accelerators(slots, None);
    let parts = [
        tr!("{cpu} CPU", cpu = slots.cpu),
        slots.mem.to_string(),
        devices,
    ];
    let parts = parts.into_iter().filter(|it| !it.is_empty());
    parts.collect::<Vec<_>>().join(", ")
}

/// The sessions that failed, among those that are loaded, the last one first.
fn failures<'a>(env: &PanelEnv<'a>) -> Vec<(Timestamp, &'a Session)> {
    let mut failed: Vec<(Timestamp, &Session)> = env
        .mirror
        .sessions()
        .filter(|it| env.shown.has(it.context) && is_failure(it))
        .map(|session| (session.terminated_at.unwrap_or(session.created_at), session))
        .collect();
    failed.sort_by_key(|(at, session)| (Reverse(*at), session.key()));
    failed
}

fn failure_rows(failed: Vec<(Timestamp, &Session)>, most: usize) -> Vec<DashRow> {
    let title = tr!("Recent failures").to_owned();
    let count = failed.len();
    let named = (count > most).then(|| tr!("the last {most} of {count}", most, count));
    let mut rows = vec![DashRow::Section(title, named.unwrap_or_default())];
    if failed.is_empty() {
        let text = tr!("None of the loaded sessions has failed.");
        rows.push(note(NoteKind::Empty, text));
    }
    rows.extend(failed.into_iter().take(most).map(|(at, session)| {
        let message = session.status_message.as_ref().filter(|it| !it.is_empty());
        let why = match (message, ending(session)) {
            (Some(message), _) => message.to_string(),
            (None, Some(ending)) => ending.to_string(),
            (None, None) => session.status.to_string(),
        };
        DashRow::Session(SessionLine {
            key: session.key(),
            name: session.name.to_string(),
            at: Some(at),
            why,
            frees: None,
            failed: true,
        })
    }));
    rows
}

fn is_failure(session: &Session) -> bool {
    let bad_end = ending(session).is_some_and(|it| it.tone() == verdict::Tone::Bad);
    bad_end
        || session.failed_to_start()
        || session.status == Status::Error
        || (session.has_ended() && session.status.tone() == Tone::Bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_rows_go_to_the_list_that_needs_them() {
        assert_eq!(shares(0, [5, 5]), [0, 0]);
        assert_eq!(shares(10, [0, 30]), [0, 10]);
        assert_eq!(shares(10, [30, 0]), [10, 0]);
        assert_eq!(shares(10, [30, 30]), [5, 5]);
        assert_eq!(shares(10, [30, 2]), [8, 2]);
        assert_eq!(shares(10, [2, 3]), [2, 3]);
    }
}
