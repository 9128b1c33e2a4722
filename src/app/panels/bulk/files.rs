//! Counts the files that are lost with several sessions, a few sessions at a time.

use std::collections::{BTreeMap, VecDeque};

use crate::{
    app::{
        bulk::counted,
        step::{Purpose, Step},
    },
    model::{
        id::SessionKey,
        loss::{LossRequest, Unsaved},
        session::Session,
        text::Clean,
    },
    protocol::message::Request,
    rules::loss,
};

/// How many sessions are counted at the same time.
const AT_ONCE: usize = 4;
/// How many sessions are named.
const NAMED: usize = 3;

#[derive(Clone, Debug, Default)]
pub struct FileCount {
    total: usize,
    waiting: VecDeque<(SessionKey, Clean)>,
    asked: BTreeMap<SessionKey, Clean>,
    /// The sessions that lose files, with what they lose.
    lost: Vec<String>,
    /// How many sessions couldn't be counted.
    unknown: usize,
}

impl FileCount {
    /// Only workbay's own engines keep a home directory, and only they can list files.
    pub fn of<'a>(sessions: impl IntoIterator<Item = &'a Session>) -> Self {
        let countable = |it: &&Session| it.status.is_live() && it.home.is_some();
        let sessions = sessions.into_iter().filter(countable);
        let waiting: VecDeque<_> = sessions.map(|it| (it.key(), it.name.clone())).collect();
        Self {
            total: waiting.len(),
            waiting,
            ..Self::default()
        }
    }

    /// Sends the next requests.
    pub fn ask(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        while self.asked.len() < AT_ONCE
            && let Some((session, name)) = self.waiting.pop_front()
        {
            self.asked.insert(session, name);
            let request = LossRequest::List;
            steps.push(Step::Ask {
                request: Request::Loss { session, request },
                purpose: Purpose::Unsaved(session),
            });
        }
        steps
    }

    /// Takes an answer and sends the next request.
    pub fn answered(&mut self, session: SessionKey, result: &Result<Unsaved, Clean>) -> Vec<Step> {
        let Some(name) = self.asked.remove(&session) else {
            return Vec::new();
        };
        match result {
            Ok(unsaved) => {
                let lost = loss::lost(unsaved);
                self.lost.extend(lost.map(|lost| format!("{name}: {lost}")));
                self.unknown += usize::from(unsaved.incomplete().is_some());
            }
            Err(_) => self.unknown += 1,
        }
        self.ask()
    }

    fn is_counting(&self) -> bool {
        !self.waiting.is_empty() || !self.asked.is_empty()
    }

    /// One sentence for each fact.
    pub fn lines(&self) -> Vec<String> {
        if self.total == 0 {
            return Vec::new();
        }
        let so_far = self.total - self.waiting.len() - self.asked.len();
        let mut lines = Vec::new();
        let progress = if self.is_counting() {
            tr!(
                " ({so_far} of {total} sessions counted)",
                so_far,
                total = self.total
            )
        } else {
            String::new()
        };
        lines.push(match self.lost.len() {
            0 if self.is_counting() => tr!("Files outside /home/work{progress}.", progress),
            0 => tr!("No files: none is outside /home/work and folders.").to_owned(),
            count => {
                let named = self.lost[..count.min(NAMED)].join(". ");
                let more = count.saturating_sub(NAMED);
                let more = if more > 0 {
                    tr!(". {more} more", more)
                } else {
                    String::new()
                };
                tr!(
                    "Files of {count}{progress}. {named}{more}.",
                    count,
                    progress,
                    named,
                    more
                )
            }
        });
        if self.unknown > 0 {
            let unknown = counted(self.unknown);
            lines.push(tr!(
                "More files may be lost: {unknown} couldn't be counted.",
                unknown
            ));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::session,
        model::{files::SpaceUse, loss::CountedFiles, resources::Bytes},
    };

    #[test]
    fn a_few_sessions_are_counted_at_a_time_and_those_that_lose_files_are_named() {
        let sessions: Vec<Session> = (1..=6)
            .map(|n| Session {
                home: Some("/home/x".to_owned()),
                ..session(n, &format!("s{n}"))
            })
            .collect();
        let mut count = FileCount::of(&sessions);
        assert_eq!(count.ask().len(), AT_ONCE);
        assert!(count.lines()[0].contains("0 of 6 sessions counted"));
        let losing = Unsaved {
            outside: CountedFiles {
                total: SpaceUse {
                    files: 2,
                    size: Bytes::mib(3),
                },
                ..CountedFiles::default()
            },
            home_is_kept: true,
            ..Unsaved::default()
        };
        assert_eq!(count.answered(sessions[0].key(), &Ok(losing)).len(), 1);
        for session in &sessions[1..5] {
            count.answered(session.key(), &Ok(Unsaved::default()));
        }
        let failed = Err(Clean::new("gone"));
        assert!(count.answered(sessions[5].key(), &failed).is_empty());
        let lines = count.lines();
        assert!(
            lines[0].starts_with("Files of 1. s1: 2 files, 3 MiB"),
            "{lines:?}"
        );
        assert!(lines[1].contains("1 session couldn't be counted"));
    }
}
