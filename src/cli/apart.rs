//! Columns of `ls` that are there only where they tell sessions apart: whose they are and where they lie,
//! where several owners are listed; accelerators, where a session has any.

use super::{catalogue, output::Cell};
use crate::model::{
    session::{Session, has_several_owners},
    text::Clean,
};

#[derive(Clone, Copy, Debug)]
pub struct Apart {
    owners: bool,
    accelerators: bool,
}

impl Apart {
    pub fn of(sessions: &[Session]) -> Self {
        Self {
            owners: has_several_owners(sessions),
            accelerators: sessions.iter().any(Session::has_accelerators),
        }
    }

    pub fn heads(self) -> impl Iterator<Item = &'static str> {
        let accelerators = self.accelerators.then_some("ACCELERATORS");
        let owners = if self.owners {
            &["OWNER", "PROJECT", "AGENT"][..]
        } else {
            &[]
        };
        accelerators.into_iter().chain(owners.iter().copied())
    }

    pub fn cells(self, session: &Session) -> Vec<Cell> {
        let mut cells = Vec::new();
        if self.accelerators {
            let amounts = catalogue::accelerators(&session.requested_slots.accelerators);
            cells.push(dash(amounts.collect::<Vec<_>>().join(", ")));
        }
        if self.owners {
            let placement = &session.placement;
            let project = placement.project.as_ref().map(ToString::to_string);
            let agents: Vec<&str> = placement.agents.iter().map(Clean::as_str).collect();
            cells.push(dash(session.owner.to_string()));
            cells.push(dash(project.unwrap_or_default()));
            cells.push(dash(agents.join(", ")));
        }
        cells
    }
}

fn dash(text: String) -> Cell {
    if text.is_empty() {
        "-".into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::{
        environment::{EnvironmentRef, EnvironmentSource},
        id::{ContextName, SessionId, SessionKey},
    };

    fn session(number: u128, owner: &str) -> Session {
        let key = SessionKey::new(ContextName::local(), SessionId::from_u128(number));
        let environment = EnvironmentRef {
            name: "host".into(),
            version: "1".into(),
            source: EnvironmentSource::Host,
        };
        let mut session = Session::new(key, "s".into(), environment, Timestamp::UNIX_EPOCH);
        session.owner = owner.into();
        session
    }

    #[test]
    fn columns_are_there_where_they_tell_something() {
        let heads = |all: &[Session]| Apart::of(all).heads().collect::<Vec<_>>();
        let mut all = vec![session(1, "a@x"), session(2, "a@x")];
        assert_eq!(heads(&all), [""; 0]);
        all[0].requested_slots.accelerators = [("cuda.device".to_owned(), 1000)].into();
        assert_eq!(heads(&all), ["ACCELERATORS"]);
        all[1].owner = "b@x".into();
        all[1].placement.agents = vec!["i-1".into(), "i-2".into()];
        assert_eq!(heads(&all), ["ACCELERATORS", "OWNER", "PROJECT", "AGENT"]);
        assert_eq!(Apart::of(&all).cells(&all[1]).len(), 4);
    }
}
