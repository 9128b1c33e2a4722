//! The selected group of the list: how many sessions it has in each status, what they use, and which end first.

use jiff::Timestamp;

use super::{DetailLine, amounts, row, wrapped_row};
use crate::{
    app::{app::App, durations, sessions::lines::Group},
    model::{id::SessionKey, session::Session, status::Status},
    rules::{
        grouping::Grouping,
        reclaim::{Reclaim, reclaim},
    },
    theme::face::Face,
    view::{amount::short, glyphs::Glyphs, status, text},
};

/// More sessions of the group aren't named.
const NAMED: usize = 12;

/// All lines for a width. Their number doesn't depend on `now`.
pub fn lines(
    app: &App,
    (at, group): (usize, &Group),
    grouping: Grouping,
    (width, glyphs): (usize, &Glyphs),
    now: Timestamp,
) -> Vec<DetailLine> {
    let members = app.sessions.members(at);
    let sessions: Vec<&Session> = members
        .iter()
        .filter_map(|key| app.mirror.session(*key))
        .collect();
    let name = match group.name.as_str() {
        "" => tr!("no {title}", title = grouping.title()),
        name => name.to_owned(),
    };
    let name = text::fit(&name, width, glyphs.ellipsis);
    let mut lines = vec![vec![(name, Face::Title)]];
    lines.extend(wrapped_row(tr!("Grouped by"), grouping.title(), width));
    lines.extend(statuses(&sessions, glyphs));
    lines.push(Vec::new());
    lines.push(row(tr!("Requested"), amounts(&group.requested)));
    let used = group.used.map_or_else(
        || tr!("not known of all running sessions").to_owned(),
        |(cpu, mem)| {
            tr!(
                "{in_use} CPU, {mem}",
                in_use = cpu.in_use(),
                mem = short(mem)
            )
        },
    );
    lines.extend(wrapped_row(tr!("Used now"), &used, width));
    let next = sessions.iter().filter_map(|it| match reclaim(it) {
        Reclaim::At(until) => Some((until, *it)),
        Reclaim::Due | Reclaim::Exempt | Reclaim::Never => None,
    });
    if let Some((until, session)) = next.min_by_key(|(until, it)| (*until, it.key())) {
        let left = (until.as_second() - now.as_second()).max(0);
        let left = durations::coarse(left);
        let text = tr!("{name} in {left}", name = session.name, left);
        lines.extend(wrapped_row(tr!("Next reclaim"), &text, width));
    }
    lines.push(Vec::new());
    lines.extend(named(app, members, (width, glyphs)));
    lines
}

/// How many sessions have each status, the most frequent first.
fn statuses(sessions: &[&Session], glyphs: &Glyphs) -> Vec<DetailLine> {
    let mut counts: Vec<(&Status, usize)> = Vec::new();
    for session in sessions {
        match counts.iter_mut().find(|it| *it.0 == session.status) {
            Some((_, count)) => *count += 1,
            None => counts.push((&session.status, 1)),
        }
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.word().cmp(b.0.word())));
    let mut label = tr!("Sessions");
    let line = |(status, count): (&Status, usize)| {
        let mut line = row(std::mem::take(&mut label), format!("{count:>4}  "));
        let word = format!("{} {}", glyphs.shape(status), status.word());
        line.push((word, status::face(status)));
        line
    };
    counts.into_iter().map(line).collect()
}

/// The first sessions of the group.
fn named(app: &App, members: &[SessionKey], (width, glyphs): (usize, &Glyphs)) -> Vec<DetailLine> {
    let sessions = members.iter().take(NAMED);
    let sessions = sessions.filter_map(|key| app.mirror.session(*key));
    let line = |session: &Session| {
        let shape = glyphs.shape(&session.status).to_owned();
        let room = width.saturating_sub(2);
        let name = text::fit_middle(session.name.as_str(), room, glyphs.ellipsis);
        vec![
            (format!("{shape} "), status::face(&session.status)),
            (name, Face::Text),
        ]
    };
    let mut lines: Vec<DetailLine> = sessions.map(line).collect();
    if members.len() > NAMED {
        let more = tr!(
            "{members} more",
            members = text::grouped((members.len() - NAMED) as u64)
        );
        lines.push(vec![(more, Face::Dim)]);
    }
    lines
}
