use super::*;
use crate::{keymap::Keymap, keymap::builtin::KEYMAPS, model::testing};

fn tour() -> Tour {
    Tour::new(testing::session(1 << 96, "tour-1a2b").key())
}

fn scene(place: TourPlace) -> TourScene {
    TourScene {
        place,
        tab: Tab::Running,
        is_selected: true,
        has_detail: false,
        has_log: false,
        has_shell: false,
        is_filtered: false,
        is_ending: false,
    }
}

/// The scene that shows the result of a step.
fn done(step: TourStep) -> TourScene {
    let list = scene(TourPlace::List);
    match step {
        TourStep::Details => TourScene {
            has_detail: true,
            ..scene(TourPlace::Detail)
        },
        TourStep::Log => TourScene {
            has_log: true,
            ..scene(TourPlace::Log)
        },
        TourStep::Shell => TourScene {
            has_shell: true,
            ..scene(TourPlace::Shell)
        },
        TourStep::Leader => list,
        TourStep::Filter => TourScene {
            is_filtered: true,
            ..list
        },
        TourStep::Apps => scene(TourPlace::Apps),
        TourStep::Palette => scene(TourPlace::Palette),
        TourStep::Help => scene(TourPlace::Help),
        TourStep::Terminate => TourScene {
            is_ending: true,
            ..list
        },
        TourStep::Finished => TourScene {
            is_ending: true,
            tab: Tab::Finished,
            ..list
        },
    }
}

#[test]
fn each_step_waits_for_its_own_result() {
    let mut tour = tour();
    for step in TourStep::ALL {
        assert_eq!(tour.step(), Some(step));
        for other in TourStep::ALL.into_iter().filter(|it| *it > step) {
            // The end of the session ends every step before it.
            if other < TourStep::Terminate {
                let mut tried = tour.clone();
                tried.follow(&done(other));
                let is_list = step == TourStep::Leader && other == TourStep::Filter;
                assert!(
                    tried.step() == Some(step) || is_list,
                    "{step:?} by {other:?}"
                );
            }
        }
        assert!(tour.follow(&done(step)), "{step:?}");
    }
    assert_eq!(tour.step(), None);
    assert!(!tour.follow(&scene(TourPlace::List)));
}

#[test]
fn skipping_leads_through_all_steps() {
    let mut tour = tour();
    for _ in TourStep::ALL {
        assert!(tour.step().is_some());
        tour.skip();
    }
    assert_eq!(tour.step(), None);
    tour.skip();
    assert_eq!(tour.step(), None);
}

#[test]
fn a_session_that_ended_leaves_the_last_step() {
    let mut tour = tour();
    tour.follow(&TourScene {
        is_ending: true,
        ..scene(TourPlace::List)
    });
    assert_eq!(tour.step(), Some(TourStep::Finished));
}

#[test]
fn the_guide_names_a_bound_key_in_every_step_and_place() {
    let places = [
        TourPlace::List,
        TourPlace::Filter,
        TourPlace::Detail,
        TourPlace::Log,
        TourPlace::Shell,
        TourPlace::Apps,
        TourPlace::Palette,
        TourPlace::Help,
        TourPlace::Terminate,
        TourPlace::OtherPanel,
    ];
    let mut tour = tour();
    loop {
        for place in places {
            for is_selected in [true, false] {
                let scene = TourScene {
                    is_selected,
                    ..scene(place)
                };
                let parts = tour.guide("tour-1a2b", &scene);
                for keymap in KEYMAPS.iter().filter(|it| it.name != "arrows") {
                    let keymap = Keymap::builtin(keymap.name).unwrap();
                    for part in &parts {
                        if let GuidePart::Key(scope, action) = part {
                            let keys = keymap.keys_for(*scope, *action);
                            assert!(!keys.is_empty(), "{scope:?} {action:?}");
                        }
                    }
                }
                let opening = tour.step() == Some(TourStep::Shell) && place == TourPlace::Shell;
                let has_key = parts.iter().any(|it| matches!(it, GuidePart::Key(..)));
                assert!(has_key || opening, "{:?} in {place:?}", tour.step());
            }
        }
        if tour.step().is_none() {
            break;
        }
        tour.skip();
    }
}
