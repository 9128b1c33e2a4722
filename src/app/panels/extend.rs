//! The dialog that keeps a session from being reclaimed: its idle check, and how to extend or exempt the
//! session.

use jiff::Timestamp;

use super::{Hint, MOVE, Panel, PanelEnv};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        extension_rules::RulesState,
        step::{Purpose, Step},
    },
    key::Key,
    model::{
        id::SessionKey,
        idle::{IdleState, Keep, ReprieveRules},
        notice::Level,
        request::SessionRequest,
        session::Session,
        text::Clean,
    },
    protocol::message::Request,
    rules::reclaim::nearest,
};

/// The possible actions, one row for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtendChoice {
    Do(Keep),
    Leave,
}

/// A row of the dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtendRow {
    pub choice: ExtendChoice,
    pub title: String,
    /// The result of the row, or why it isn't possible.
    pub note: String,
    /// The time until which no idle check reclaims the session.
    pub until: Option<Timestamp>,
    pub allowed: bool,
}

#[derive(Clone, Debug)]
pub struct ExtendDialog {
    pub session: SessionKey,
    pub name: Clean,
    marked: usize,
    /// Nothing is allowed, so the dialog only has the button Close.
    refused: bool,
}

impl ExtendDialog {
    #[must_use]
    pub fn new(session: &Session) -> Self {
        Self {
            session: session.key(),
            name: session.name.clone(),
            marked: 0,
            refused: false,
        }
    }

    /// The row that Enter presses.
    pub fn marked(&self, offers: &[ExtendRow]) -> usize {
        self.marked.min(offers.len().saturating_sub(1))
    }

    /// Presses a row. A row that isn't allowed only shows the reason next to it.
    fn press(&mut self, at: usize, offers: &[ExtendRow]) -> Vec<Step> {
        self.marked = at;
        let keep = match offers.get(at) {
            Some(offer) if !offer.allowed => return Vec::new(),
            Some(ExtendRow {
                choice: ExtendChoice::Do(keep),
                ..
            }) => *keep,
            _ => return vec![Step::CLOSE],
        };
        let name = &self.name;
        let done = match keep {
            Keep::Extend => tr!("{name} extended", name),
            Keep::Exempt => tr!("{name} exempted from idle checks", name),
            Keep::Include => tr!("idle checks apply to {name} again", name),
        };
        let ask = Step::Ask {
            request: Request::session(self.session, SessionRequest::Keep { keep }),
            purpose: Purpose::toast(Level::Success, done),
        };
        vec![Step::CLOSE, ask]
    }

    /// The rows of the dialog.
    pub fn offers(&self, env: &PanelEnv<'_>) -> Vec<ExtendRow> {
        let rules = env.extension_rules.state(self.session.context);
        let session = env.full(self.session);
        session.map_or_else(Vec::new, |session| offers(&session, rules, env.now))
    }
}

const HINTS: &[Hint] = &[
    (Scope::Confirm, &[Action::ConfirmPress], tr_later!("choose")),
    (Scope::Confirm, MOVE, tr_later!("move")),
    (Scope::Confirm, &[Action::ConfirmNo], tr_later!("cancel")),
];

const REFUSAL_HINTS: &[Hint] = &[(Scope::Confirm, &[Action::ConfirmPress], tr_later!("close"))];

impl Panel for ExtendDialog {
    fn scope(&self) -> Scope {
        Scope::Confirm
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        let offers = self.offers(env);
        let (at, count) = (self.marked(&offers), offers.len());
        match action {
            // The session is gone.
            _ if offers.is_empty() => return vec![Step::CLOSE],
            Action::ConfirmNo | Action::Back => return self.back(env),
            Action::ConfirmToggle | Action::ListDown => self.marked = (at + 1) % count,
            Action::ListUp => self.marked = (at + count - 1) % count,
            Action::ConfirmPress | Action::ConfirmYes => return self.press(at, &offers),
            _ => {}
        }
        Vec::new()
    }

    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Row(at) => self.press(at, &self.offers(env)),
            DialogPart::Outside => self.back(env),
            _ => Vec::new(),
        }
    }

    fn laid_out(&mut self, _: usize, env: &PanelEnv<'_>) {
        self.refused = self.offers(env).len() == 1;
    }

    fn hints(&self) -> Vec<Hint> {
        let hints = if self.refused { REFUSAL_HINTS } else { HINTS };
        hints.to_vec()
    }
}

/// The rows for a session. The last one closes the dialog without a change.
pub fn offers(session: &Session, rules: Option<&RulesState>, now: Timestamp) -> Vec<ExtendRow> {
    let mut offers = if session.reprieve.exempt {
        vec![include()]
    } else if refusal(session, rules).is_some() {
        Vec::new()
    } else {
        vec![extend(session, rules, now), exempt(rules)]
    };
    let title = if offers.is_empty() {
        tr!("Close")
    } else {
        tr!("Cancel")
    };
    offers.push(ExtendRow {
        choice: ExtendChoice::Leave,
        title: title.to_owned(),
        note: String::new(),
        until: None,
        allowed: true,
    });
    offers
}

/// Why nothing can be done for a session, and what to change: the rules allow neither extensions nor
/// exemptions.
pub fn refusal(session: &Session, rules: Option<&RulesState>) -> Option<String> {
    let rules = known(rules).ok()?;
    if session.reprieve.exempt || rules.extensions > 0 || rules.exempt {
        return None;
    }
    let fix = match &rules.contact {
        Some(contact) => tr!("Ask {contact} to allow them.", contact),
        None => tr!("Set extensions or exempt in [idle] of resources.toml.").to_owned(),
    };
    Some(tr!("Extensions and exemptions aren't allowed. {fix}", fix))
}

fn include() -> ExtendRow {
    ExtendRow {
        choice: ExtendChoice::Do(Keep::Include),
        title: tr!("Include again").to_owned(),
        note: tr!("idle checks apply again").to_owned(),
        until: None,
        allowed: true,
    }
}

fn exempt(rules: Option<&RulesState>) -> ExtendRow {
    let (allowed, note) = match known(rules) {
        Ok(rules) if rules.exempt => (true, tr!("exempt from idle checks").to_owned()),
        Ok(_) => (false, tr!("not allowed here").to_owned()),
        Err(why) => (false, why),
    };
    ExtendRow {
        choice: ExtendChoice::Do(Keep::Exempt),
        title: tr_in!("action", "Exempt").to_owned(),
        note,
        until: None,
        allowed,
    }
}

fn extend(session: &Session, rules: Option<&RulesState>, now: Timestamp) -> ExtendRow {
    let mut offer = ExtendRow {
        choice: ExtendChoice::Do(Keep::Extend),
        title: tr!("Extend").to_owned(),
        note: String::new(),
        until: None,
        allowed: false,
    };
    let rules = match known(rules) {
        Ok(rules) => rules,
        Err(why) => {
            offer.note = why;
            return offer;
        }
    };
    let used = session.reprieve.extended;
    if rules.extensions == 0 {
        tr!("not allowed here").clone_into(&mut offer.note);
        return offer;
    }
    offer.title = tr!("Extend by {extend_by}", extend_by = rules.extend_by);
    offer.note = tr!(
        "{used} of {extensions} used",
        used,
        extensions = rules.extensions
    );
    let until = due(session, now).and_then(|due| due.checked_add(rules.extend_by.duration()).ok());
    if used < rules.extensions && until.is_none() {
        offer.note.push_str(tr!("; no reclaim is due"));
    }
    offer.until = until.filter(|_| used < rules.extensions);
    offer.allowed = offer.until.is_some();
    offer
}

/// The reclaim time that an extension moves.
fn due(session: &Session, now: Timestamp) -> Option<Timestamp> {
    let checks = &session.idle_checks;
    let over = checks.iter().any(|check| check.state == IdleState::Over);
    let end = nearest(checks).map(|(_, until)| until.max(now));
    end.or(over.then_some(now))
}

fn known(rules: Option<&RulesState>) -> Result<&ReprieveRules, String> {
    match rules {
        Some(RulesState::Rules(rules)) => Ok(rules),
        Some(RulesState::Failed(why)) => Err(why.to_string()),
        Some(RulesState::Asked) | None => Err(tr!("loading the rules").to_owned()),
    }
}

/// Whom to ask for a row that isn't allowed.
pub fn whom_to_ask(offers: &[ExtendRow], rules: Option<&RulesState>) -> Option<String> {
    let Some(RulesState::Rules(rules)) = rules else {
        return None;
    };
    if offers.iter().all(|offer| offer.allowed) {
        return None;
    }
    Some(match &rules.contact {
        Some(contact) => tr!("Ask {contact} for more.", contact),
        None => tr!("The rules are in [idle] of resources.toml.").to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::session,
        model::{
            idle::{IdleCheck, IdleChecker},
            span::Span,
        },
    };

    fn now() -> Timestamp {
        Timestamp::from_second(1_000).unwrap()
    }

    fn ending() -> Session {
        let mut it = session(1, "train");
        let until = Timestamp::from_second(1_600).unwrap();
        let state = IdleState::Counting { until };
        it.idle_checks = vec![IdleCheck::new(IdleChecker::NetworkTimeout, state)];
        it
    }

    fn rules(extensions: u32, exempt: bool) -> RulesState {
        RulesState::Rules(ReprieveRules {
            extensions,
            extend_by: Span(3_600),
            exempt,
            contact: Some("ops@example.org".into()),
        })
    }

    fn asked(steps: &[Step]) -> Option<Keep> {
        steps.iter().find_map(|it| match it {
            Step::Ask {
                request:
                    Request::Session {
                        request: SessionRequest::Keep { keep },
                        ..
                    },
                ..
            } => Some(*keep),
            _ => None,
        })
    }

    #[test]
    fn what_is_allowed_can_be_pressed_and_the_rest_says_whom_to_ask() {
        let mut it = ending();
        it.reprieve.extended = 1;
        let rules = rules(2, false);
        let all = offers(&it, Some(&rules), now());
        assert_eq!(all[0].title, "Extend by 1h");
        assert_eq!(all[0].until.unwrap().as_second(), 1_600 + 3_600);
        assert_eq!(all[0].note, "1 of 2 used");
        assert!(all[0].allowed && !all[1].allowed && all[2].allowed);
        let whom = whom_to_ask(&all, Some(&rules)).unwrap();
        assert_eq!(whom, "Ask ops@example.org for more.");
        let asks = |form: &mut ExtendDialog, at| asked(&form.press(at, &all));
        let mut form = ExtendDialog::new(&it);
        assert_eq!(asks(&mut form, 0), Some(Keep::Extend));
        assert_eq!(form.press(1, &all), [], "not allowed");
        assert_eq!(form.marked(&all), 1);
        assert_eq!(form.press(2, &all), [Step::CLOSE]);
        it.reprieve.extended = 2;
        assert!(!offers(&it, Some(&rules), now())[0].allowed);
    }

    #[test]
    fn where_nothing_is_allowed_there_is_only_the_reason() {
        let (mut it, none) = (ending(), rules(0, false));
        let all = offers(&it, Some(&none), now());
        let titles: Vec<&str> = all.iter().map(|row| row.title.as_str()).collect();
        assert_eq!(titles, ["Close"]);
        assert_eq!(
            refusal(&it, Some(&none)).unwrap(),
            "Extensions and exemptions aren't allowed. Ask ops@example.org to allow them."
        );
        assert_eq!(refusal(&it, Some(&rules(0, true))), None);
        it.reprieve.exempt = true;
        assert_eq!(refusal(&it, Some(&none)), None);
    }

    #[test]
    fn an_exempt_session_is_included_again_by_anybody() {
        let mut it = ending();
        it.reprieve.exempt = true;
        let all = offers(&it, Some(&rules(0, false)), now());
        assert_eq!(all.len(), 2);
        let mut form = ExtendDialog::new(&it);
        assert_eq!(asked(&form.press(0, &all)), Some(Keep::Include));
    }

    #[test]
    fn nothing_can_be_pressed_before_the_rules_are_known() {
        for rules in [
            None,
            Some(RulesState::Asked),
            Some(RulesState::Failed("away".into())),
        ] {
            let all = offers(&ending(), rules.as_ref(), now());
            assert!(!all[0].allowed && !all[1].allowed, "{rules:?}");
        }
        let idle = session(1, "train");
        let all = offers(&idle, Some(&rules(2, true)), now());
        assert!(!all[0].allowed && all[0].note.contains("no reclaim is due"));
    }
}
