//! What users may do against idle checks.

use super::{
    facts::{lifetime, network},
    lives::{ends_after_its_notice, notices_of, pass, runs, used},
};
use crate::{
    model::{
        failure::Failure,
        id::SessionId,
        idle::{ActivityKind, IdleRules, IdleState, Keep, ReprieveRules},
        request::{ContextRequest, SessionRequest},
        session::Session,
        span::Span,
        spec::LaunchRequest,
        status::Status,
        text::Clean,
    },
    scheduler::{
        fact::{SchedulerRequest, UseEvent},
        tests::play::{Play, at, settings},
    },
    state_machine::Answer,
};

fn play(idle: IdleRules, reprieve: ReprieveRules) -> Play {
    let mut settings = settings();
    settings.resources.idle = idle;
    settings.resources.reprieve = reprieve;
    Play::with(settings)
}

fn twice_an_hour() -> ReprieveRules {
    ReprieveRules {
        extensions: 2,
        extend_by: Span(3_600),
        contact: Some("ops@example.com".into()),
        ..ReprieveRules::default()
    }
}

fn keep(play: &mut Play, session: SessionId, keep: Keep) -> Result<Session, Failure> {
    let ticket = play.ask(SchedulerRequest::session(
        session,
        SessionRequest::Keep { keep },
    ));
    match play.answered[&ticket].clone() {
        Ok(Answer::Session(session)) => Ok(*session),
        Ok(other) => panic!("no session: {other:?}"),
        Err(failure) => Err(failure),
    }
}

#[test]
fn what_a_user_decides_is_shown_at_once() {
    let mut play = play(network(600), twice_an_hour());
    let id = runs(&mut play, LaunchRequest::default());
    pass(&mut play, 400);
    for _ in 0..2 {
        let session = keep(&mut play, id, Keep::Extend).unwrap();
        // Both happen within one second.
        play.now -= 1;
        let until = session.reprieve.until.unwrap();
        assert_eq!(session.idle_checks[0].state, IdleState::Counting { until });
    }
}

#[test]
fn an_end_is_put_off_as_often_as_is_allowed() {
    let mut play = play(network(600), twice_an_hour());
    let id = runs(&mut play, LaunchRequest::default());
    pass(&mut play, 400);
    let session = keep(&mut play, id, Keep::Extend).unwrap();
    let until = session.reprieve.until.unwrap().duration_since(at(play.now));
    // The extension counts from the end that was due, about 200 s from now.
    assert!((3_780..=3_800).contains(&until.as_secs()), "{until:?}");
    assert_eq!(session.activity.unwrap().kind, ActivityKind::Extended);
    assert_eq!(
        session.idle_checks[0].state,
        IdleState::Counting {
            until: session.reprieve.until.unwrap()
        }
    );
    pass(&mut play, 3_700);
    assert_eq!(play.status(id), Status::Running);
    // The second extension follows after the warnings were repeated.
    let warned = notices_of(&play).len();
    assert!(warned >= 2, "{warned}");
    keep(&mut play, id, Keep::Extend).unwrap();
    let failure = keep(&mut play, id, Keep::Extend).unwrap_err();
    assert!(
        failure
            .message()
            .as_str()
            .ends_with("was already extended twice")
    );
    let help = failure.hint.unwrap();
    assert_eq!(
        help,
        *"allowed: extend twice by 1h; ask ops@example.com for more"
    );
    pass(&mut play, 3_500);
    assert_eq!(play.status(id), Status::Running);
    pass(&mut play, 300);
    assert_eq!(play.status(id), Status::Terminated);
    let kept = play
        .history
        .iter()
        .filter(|entry| entry.phase == "reprieve");
    let texts: Vec<_> = kept.map(|entry| entry.message.clone().unwrap()).collect();
    let both = ["1 of 2", "2 of 2"].map(|n| format!("extended by 1h ({n})"));
    assert_eq!(texts, both.map(|text| Clean::new(&text)));
}

#[test]
fn an_exempted_session_stays_and_an_included_one_is_warned_first() {
    let rules = ReprieveRules {
        exempt: true,
        ..ReprieveRules::default()
    };
    let mut play = play(lifetime(600), rules);
    let id = runs(&mut play, LaunchRequest::default());
    assert!(keep(&mut play, id, Keep::Exempt).unwrap().reprieve.exempt);
    let written = play.written;
    keep(&mut play, id, Keep::Exempt).unwrap();
    assert_eq!(play.written, written, "it is exempt already");
    pass(&mut play, 5_000);
    play.restart();
    pass(&mut play, 5_000);
    assert_eq!(play.status(id), Status::Running);
    assert_eq!(notices_of(&play), [""; 0]);
    assert_eq!(
        play.session(id).idle_checks[0].state,
        IdleState::NotCounting
    );
    keep(&mut play, id, Keep::Include).unwrap();
    ends_after_its_notice(&mut play, id);
}

#[test]
fn what_is_not_allowed_says_so_and_whom_to_ask() {
    let mut closed = play(network(600), ReprieveRules::default());
    let id = runs(&mut closed, LaunchRequest::default());
    for (asked, message, set) in [
        (
            Keep::Extend,
            "extensions are off",
            "`extensions` and `extend-by`",
        ),
        (Keep::Exempt, "exemptions are off", "`exempt`"),
    ] {
        let failure = keep(&mut closed, id, asked).unwrap_err();
        assert!(failure.message().as_str().ends_with(message), "{failure:?}");
        let help = format!("Set {set} in [idle] of resources.toml, then run `workbay daemon stop`");
        assert_eq!(failure.hint.unwrap(), *help);
    }
    // Nothing is due while a connection is open.
    let mut play = play(network(600), twice_an_hour());
    let id = runs(&mut play, LaunchRequest::default());
    used(&mut play, id, UseEvent::Opened(ActivityKind::Exec));
    let failure = keep(&mut play, id, Keep::Extend).unwrap_err();
    assert!(
        failure
            .message()
            .as_str()
            .ends_with("can't be extended: no idle check will reclaim it")
    );
    used(&mut play, id, UseEvent::Closed(ActivityKind::Exec));
    pass(&mut play, 700);
    let failure = keep(&mut play, id, Keep::Extend).unwrap_err();
    assert!(
        failure.message().as_str().contains("is TERMINATED"),
        "{failure:?}"
    );
}

#[test]
fn the_catalogue_reports_the_rules() {
    let mut play = play(network(600), twice_an_hour());
    let ticket = play.ask(SchedulerRequest::Context(ContextRequest::Catalogue {
        project: None,
        refresh: false,
    }));
    pass(&mut play, 1);
    let Ok(Answer::Catalogue(offer)) = &play.answered[&ticket] else {
        panic!("no catalogue");
    };
    assert_eq!(offer.idle, network(600));
    assert_eq!(offer.reprieve, twice_an_hour());
    assert_eq!(offer.policy.idle_timeout, Some(600));
}
