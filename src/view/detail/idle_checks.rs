//! The idle checks of a running session: which check will reclaim it and when, its last use, and extensions
//! or an exemption.

use super::{DetailLine, DetailView, short_moment};
use crate::{
    action::{Action, Scope},
    app::durations,
    model::idle::{Activity, ActivityKind, IdleBasis, IdleCheck, IdleResource, IdleState, Join},
    rules::reclaim::{left, nearest, of_resource, standing},
    theme::face::Face,
    view::{
        idle_cell::{face, word},
        text,
    },
};

/// Cells of the labels below a checker's name.
const INDENTED: usize = 16;
/// Cells of a name and its state.
const NAME: usize = 22;
const HOUR: i64 = 60 * 60;

/// One line below the title: a reclaim in less than an hour and the key that extends the session, otherwise
/// blank.
pub fn alert(view: &DetailView<'_>) -> DetailLine {
    let (session, glyphs) = (view.session, view.glyphs);
    if !session.status.is_live() {
        return Vec::new();
    }
    let Some((check, until)) = nearest(&session.idle_checks) else {
        return Vec::new();
    };
    let left = until.as_second() - view.now.as_second();
    if left >= HOUR {
        return Vec::new();
    }
    let (mark, check) = (glyphs.shapes.bad, check.checker.title());
    let text = if left < 0 {
        tr!("{mark} reclaimed now: {check}", mark, check)
    } else {
        let left = durations::coarse(left);
        tr!("{mark} reclaimed in {left}: {check}", mark, left, check)
    };
    let mut line = vec![(text, Face::Bad)];
    let keys = view
        .app
        .keymap
        .keys_for(Scope::Detail, Action::SessionExtend);
    let can = view.app.why_not(Action::SessionExtend).is_none();
    if let Some(key) = keys.into_iter().next().filter(|_| can) {
        line.push(("  ".to_owned(), Face::Text));
        line.extend(tr_pieces!("{key} keep", Face::Dim, key = (key, Face::Key)));
    }
    line
}

/// Returns no lines for a session that doesn't run. The number of lines doesn't depend on the time.
pub fn lines(view: &DetailView<'_>) -> Vec<DetailLine> {
    let session = view.session;
    let checks: Vec<&IdleCheck> = session
        .idle_checks
        .iter()
        .filter(|it| is_shown(it))
        .collect();
    if !session.status.is_live() || checks.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![
        Vec::new(),
        vec![(tr!("Idle checks").to_owned(), Face::Title)],
    ];
    lines.extend(checks.into_iter().flat_map(|check| view.check(check)));
    lines.extend(view.used());
    lines.extend(view.reprieve());
    lines
}

/// A manager reports no time for a check without a limit.
fn is_shown(check: &IdleCheck) -> bool {
    check.state != IdleState::NotCounting || check.limit.is_some() || !check.resources.is_empty()
}

impl DetailView<'_> {
    fn check(&self, check: &IdleCheck) -> Vec<DetailLine> {
        let standing = standing(check, self.now);
        let mut lines = vec![vec![
            (text::pad(check.checker.title(), NAME), Face::Value),
            (word(standing, self.glyphs), face(standing)),
        ]];
        lines.push(self.state(check));
        if let Some(join) = check.join.filter(|_| check.resources.len() > 1) {
            let text = match join {
                Join::And => tr!("  idle when all conditions are met"),
                Join::Or => tr!("  idle when any condition is met"),
            };
            lines.push(vec![(text.to_owned(), Face::Dim)]);
        }
        lines.extend(check.resources.iter().map(|it| self.resource(it)));
        lines
    }

    fn state(&self, check: &IdleCheck) -> DetailLine {
        let over = tr!("checking reclamation status").to_owned();
        let standing = face(standing(check, self.now));
        let (label, text, look) = match (check.state, left(check, self.now)) {
            (IdleState::Over, _) | (_, Some(..0)) => (tr!("over limit"), over, Face::Bad),
            (_, Some(left)) => {
                let label = match check.basis {
                    IdleBasis::ExpireAfter => tr!("reclaim in"),
                    IdleBasis::GracePeriod => tr!("grace period"),
                };
                let time = if self.detail.focused {
                    durations::digits(left)
                } else {
                    durations::coarse(left)
                };
                (label, time, standing)
            }
            (_, None) => self.stands_still(),
        };
        let mut line = vec![indented(label), (text, look)];
        if let Some(limit) = check.limit {
            let word = match check.join {
                Some(_) => tr_in!("period", "window"),
                None => tr!("limit"),
            };
            line.push((format!("  {word} {limit}"), Face::Dim));
        }
        line
    }

    /// Why no reclaim time is counted.
    fn stands_still(&self) -> (&'static str, String, Face) {
        if self.session.reprieve.exempt {
            return (
                tr!("exempt"),
                tr!("idle checks don't apply").to_owned(),
                Face::Dim,
            );
        }
        match self.session.activity {
            Some(used) if used.open > 0 => (tr!("paused"), tr!("in use").to_owned(), Face::Value),
            _ => (tr!("no reclaim due"), String::new(), Face::Dim),
        }
    }

    fn resource(&self, resource: &IdleResource) -> DetailLine {
        let standing = of_resource(resource);
        let label = indented(resource.resource.as_str());
        let threshold = format!(
            " | {}",
            tr!(
                "threshold {percent} %",
                percent = percent(resource.threshold)
            )
        );
        let current = match resource.average {
            ..0 => "-".to_owned(),
            average => format!("{} %", percent(average)),
        };
        let mut line = vec![label];
        // A narrow view shows only the two numbers.
        if self.width >= 48 {
            line.push((format!("{} ", tr!("current")), Face::Dim));
        }
        line.push((current, face(standing)));
        line.push((threshold, Face::Dim));
        line
    }

    fn used(&self) -> Option<DetailLine> {
        let used = self.session.activity?;
        if used.open > 0 {
            return Some(detail_line(tr!("In use now"), in_use(&used)));
        }
        let what = match used.kind {
            ActivityKind::Started => tr!("session start"),
            ActivityKind::Typed => tr!("keys typed"),
            ActivityKind::Exec => tr!("a command"),
            ActivityKind::App => tr!("a connection"),
            ActivityKind::Extended => tr!("extended"),
        };
        let ago = durations::ago(self.now.as_second() - used.at.as_second());
        Some(detail_line(tr!("Last used"), format!("{what}, {ago}")))
    }

    /// The extensions or the exemption of the session.
    fn reprieve(&self) -> Vec<DetailLine> {
        let reprieve = self.session.reprieve;
        let mut lines = Vec::new();
        if reprieve.exempt {
            lines.push(detail_line(tr!("Exempt"), tr!("no idle checks").to_owned()));
        }
        if let Some(until) = reprieve.until {
            let most = self.app.extension_rules.rules(self.session.context);
            let often = match most.map(|rules| rules.extensions) {
                Some(most) if most > 0 => {
                    tr!("{extended} of {most}", extended = reprieve.extended, most)
                }
                _ if reprieve.extended == 1 => tr!("once").to_owned(),
                _ => tr!("{extended} times", extended = reprieve.extended),
            };
            let until = short_moment(self.app, until, self.now);
            lines.push(detail_line(
                tr!("Extended"),
                tr!("until {until} ({often})", until, often),
            ));
        }
        lines
    }
}

/// A row that belongs to the session, not to one check.
fn detail_line(label: &str, text: String) -> DetailLine {
    let label = text::pad(label, INDENTED);
    vec![(label, Face::Label), (text, Face::Value)]
}

fn in_use(used: &Activity) -> String {
    let n = used.open;
    match used.kind {
        ActivityKind::Exec => tr_plural!(n, "{n} command open", "{n} commands open", n),
        ActivityKind::App => tr_plural!(n, "{n} connection open", "{n} connections open", n),
        _ => tr_plural!(
            n,
            "{n} command or connection open",
            "{n} commands or connections open",
            n
        ),
    }
}

fn indented(label: &str) -> (String, Face) {
    (format!("  {}", text::pad(label, INDENTED - 2)), Face::Label)
}

/// Hundredths of a percent as `3.25`, without needless zeros.
fn percent(hundredths: i64) -> String {
    let text = format!("{}.{:02}", hundredths / 100, hundredths.abs() % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn percents_have_no_needless_zeros() {
        for (hundredths, text) in [(0, "0"), (325, "3.25"), (350, "3.5"), (10_000, "100")] {
            assert_eq!(percent(hundredths), text);
        }
    }
}
