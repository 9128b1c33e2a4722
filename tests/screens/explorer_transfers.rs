//! Transfers of files in the explorer, in their list, and in the header.

use jiff::SignedDuration;
use workbay::{
    app::{
        effect::Effect,
        msg::Msg,
        panels::{conflict::ConflictDialog, explorer::Explorer, transfers::TransferList},
        transfers::{
            Conflict, ConflictAnswer, ConflictChoice, ConflictKind, ConflictSide, TransferEnd,
            TransferEvent, TransferId, TransferOrder, TransferProgress,
        },
    },
    model::{
        capability::EngineState, change::Change, failure::Failure, id::ContextName, text::Clean,
    },
    protocol::message::Request,
};

use crate::{
    explorer::{answered, explorer, home, listing},
    screen::Screen,
    world::{ago, connected, lost},
};

fn orders(screen: &Screen) -> Vec<(TransferId, TransferOrder)> {
    let effects = screen.effects().iter();
    let orders = effects.filter_map(|effect| match effect {
        Effect::Transfer { id, order } => Some((*id, order.clone())),
        _ => None,
    });
    orders.collect()
}

fn happens(screen: Screen, id: TransferId, event: TransferEvent) -> Screen {
    screen.send(Msg::Transfer { id, event })
}

fn progress(bytes: u64, of: u64) -> TransferEvent {
    TransferEvent::Progress(TransferProgress {
        files: 12,
        bytes,
        of: Some((340, of)),
        current: Clean::new("train-00012.tar"),
    })
}

/// An upload of 8 GiB that has run for some seconds.
fn uploading(columns: u16, rows: u16) -> Screen {
    let screen = explorer(columns, rows)
        .press("u")
        .typed("데이터셋")
        .press("enter");
    let screen = happens(screen, 1, progress(0, 8 << 30)).wait(1);
    let screen = happens(screen, 1, progress(200 << 20, 8 << 30)).wait(3);
    happens(screen, 1, progress(2 << 30, 8 << 30))
}

fn conflict() -> Conflict {
    let side = |size, minutes: i64| ConflictSide {
        size: Some(size),
        modified: Some(ago(minutes) + SignedDuration::from_secs(7)),
    };
    Conflict {
        name: Clean::new("학습결과-최종-2026-03-02-아주-긴-이름을-가진-파일.safetensors"),
        new: side(4_812_345_678, 3),
        old: side(4_700_000_000, 60 * 24),
        kind: ConflictKind::Taken,
    }
}

#[test]
fn the_header_shows_transfers_also_when_the_explorer_is_closed() {
    let screen = uploading(80, 24);
    assert!(screen.sees("1 transfer 25%"), "{}", screen.text());
    let screen = screen.press("esc");
    assert!(!screen.is_open::<Explorer>());
    assert!(screen.sees("1 transfer 25%"), "{}", screen.text());
}

#[test]
fn the_list_of_transfers_80x24() {
    let screen = uploading(80, 24).press("home d enter");
    let end = TransferEnd::Failed(
        Failure::internal("/home/kim/checkpoints can't be written: no space is left")
            .hint("choose another directory"),
    );
    let screen = happens(screen, 2, TransferEvent::Ended(end));
    insta::assert_snapshot!(screen.press("T").text());
}

#[test]
fn the_list_of_transfers_120x40() {
    insta::assert_snapshot!(uploading(120, 40).press("T").text());
}

#[test]
fn an_empty_list_says_how_to_start_one() {
    let screen = explorer(80, 24).press("T");
    assert!(screen.sees("No transfers."), "{}", screen.text());
    assert!(!screen.press("T").is_open::<TransferList>());
}

#[test]
fn a_transfer_is_cancelled_and_repeated() {
    let screen = uploading(80, 24).press("T x");
    assert_eq!(orders(&screen).last().unwrap(), &(1, TransferOrder::Cancel));
    let screen = happens(screen, 1, TransferEvent::Ended(TransferEnd::Cancelled));
    assert!(screen.sees("cancelled"), "{}", screen.text());
    let screen = screen.press("r");
    assert!(matches!(
        orders(&screen).last(),
        Some((1, TransferOrder::Start { resumed: false, .. }))
    ));
}

#[test]
fn an_interrupted_transfer_continues_after_the_reconnect() {
    let end = TransferEnd::Interrupted(Clean::new("the daemon stopped"));
    let screen = uploading(80, 24).daemon_lost("the daemon stopped");
    let screen = happens(screen, 1, TransferEvent::Ended(end));
    let screen = screen.daemon(crate::world::snapshot(crate::world::day()));
    assert!(matches!(
        orders(&screen).last(),
        Some((1, TransferOrder::Start { resumed: true, .. }))
    ));
}

#[test]
fn a_transfer_that_an_engine_interrupted_continues_when_it_is_connected_again() {
    let engine = |engine| Change::Engine {
        context: ContextName::local(),
        engine: Box::new(engine),
    };
    let screen = uploading(80, 24).notice(engine(lost()));
    let end = TransferEnd::Interrupted(Clean::new("the engine is disconnected"));
    let screen = happens(screen, 1, TransferEvent::Ended(end));
    let starts = |screen: &Screen| {
        let orders = orders(screen).into_iter();
        orders
            .filter(|(_, it)| matches!(it, TransferOrder::Start { resumed: true, .. }))
            .count()
    };
    // Another attempt to connect is no connection.
    let screen = screen.notice(engine(EngineState::Connecting));
    assert_eq!(starts(&screen), 0);
    let screen = screen.notice(engine(connected()));
    assert_eq!(starts(&screen), 1);
    assert_eq!(starts(&screen.notice(engine(connected()))), 1);
}

#[test]
fn a_name_that_is_taken_is_asked_about() {
    let screen = happens(uploading(80, 24), 1, TransferEvent::Asks(conflict()));
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("a right enter");
    let answer = ConflictAnswer {
        choice: ConflictChoice::Replace,
        all: true,
    };
    assert_eq!(
        orders(&screen).last().unwrap(),
        &(1, TransferOrder::Answer(answer))
    );
    assert!(!screen.is_open::<ConflictDialog>());
}

#[test]
fn a_question_never_takes_the_keys_from_something_else() {
    let screen = uploading(80, 24).press("n").typed("ne");
    let screen = happens(screen, 1, TransferEvent::Asks(conflict()));
    assert!(!screen.is_open::<ConflictDialog>());
    assert!(screen.sees("transfer waits: T"), "{}", screen.text());
    let screen = screen.typed("w").press("esc");
    assert!(screen.is_open::<ConflictDialog>());
    let screen = uploading(80, 24).press("esc");
    let screen = happens(screen, 1, TransferEvent::Asks(conflict()));
    assert!(!screen.is_open::<ConflictDialog>());
    assert!(screen.sees("transfer waits: T"), "{}", screen.text());
    assert!(screen.press("T").is_open::<ConflictDialog>());
}

#[test]
fn quitting_stops_transfers_only_after_a_second_key() {
    let screen = uploading(80, 24).press("esc q");
    assert!(!screen.has_left());
    assert!(screen.sees("1 transfer is running"), "{}", screen.text());
    assert!(screen.press("q").has_left());
}

#[test]
fn the_list_is_read_again_after_a_transfer() {
    let screen = uploading(80, 24);
    let pages = |screen: &Screen| {
        let pages = screen.questions();
        pages
            .filter(|(_, it)| matches!(it, Request::Files { .. }))
            .count()
    };
    let before = pages(&screen);
    let end = TransferEnd::Done { skipped: 2 };
    let screen = happens(screen, 1, TransferEvent::Ended(end));
    assert_eq!(pages(&screen), before + 1);
    assert!(
        screen.sees("'데이터셋' uploaded, 2 entries skipped"),
        "{}",
        screen.text()
    );
    let screen = answered(screen, listing(home()));
    assert!(!screen.sees("1 transfer"), "{}", screen.text());
}

#[test]
fn a_file_is_edited_only_while_the_explorer_is_shown() {
    let screen = explorer(80, 24).press("G e");
    let draft = std::path::PathBuf::from("/home/kim/.cache/workbay/edit-1/학습_실행.sh");
    let ready = TransferEvent::EditReady(draft.clone());
    let edits = |screen: &Screen| {
        let effects = screen.effects().iter();
        effects
            .filter(|it| matches!(it, Effect::EditFile { .. }))
            .count()
    };
    let shown = happens(screen, 1, ready.clone());
    assert_eq!(edits(&shown), 1);
    let shown = shown.send(Msg::EditedFile {
        transfer: 1,
        result: Ok(()),
    });
    assert_eq!(
        orders(&shown).last().unwrap(),
        &(1, TransferOrder::Edited(Ok(())))
    );
    let closed = happens(explorer(80, 24).press("G e esc"), 1, ready);
    assert_eq!(edits(&closed), 0);
    assert_eq!(orders(&closed).last().unwrap(), &(1, TransferOrder::Cancel));
}

#[test]
fn copied_files_are_pasted_in_another_directory() {
    let screen = explorer(80, 24).press("G c home enter");
    let screen = answered(screen, listing(Vec::new())).press("v");
    assert!(matches!(
        orders(&screen).last(),
        Some((1, TransferOrder::Start { .. }))
    ));
}
