use std::path::PathBuf;

use super::*;
use crate::model::id::ContextName;

fn place() -> FilePlace {
    FilePlace::Folder {
        context: ContextName::local(),
        folder: "data".to_owned(),
    }
}

fn upload(name: &str) -> TransferJob {
    TransferJob::Upload {
        from: PathBuf::from("/home/kim").join(name),
        to: place(),
        directory: FilePath::root(),
    }
}

fn started() -> Transfers {
    let mut transfers = Transfers::default();
    let steps = transfers.step(TransferStep::Start(upload("a.txt")));
    assert_eq!(
        steps,
        [order(
            1,
            TransferOrder::Start {
                job: upload("a.txt"),
                resumed: false
            }
        )]
    );
    transfers
}

fn progress(bytes: u64, all: u64) -> TransferEvent {
    TransferEvent::Progress(TransferProgress {
        files: 0,
        bytes,
        of: Some((1, all)),
        current: Clean::new("a.txt"),
    })
}

#[test]
fn progress_has_a_rate_and_a_time_left() {
    let mut transfers = started();
    let at = |second| Timestamp::from_second(second).unwrap();
    transfers.event(1, progress(0, 4_000), at(0));
    transfers.event(1, progress(1_000, 4_000), at(1));
    let transfer = transfers.get(1).unwrap();
    assert_eq!(transfer.percent(), Some(25));
    assert_eq!(transfer.seconds_left(), Some(3));
    assert_eq!(transfers.percent(), Some(25));
}

#[test]
fn an_interrupted_transfer_continues_after_the_reconnect() {
    let mut transfers = started();
    let why = Clean::new("the daemon stopped");
    let end = TransferEvent::Ended(TransferEnd::Interrupted(why.clone()));
    transfers.event(1, end, Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(
        transfers.get(1).unwrap().state,
        TransferState::Interrupted(why)
    );
    assert_eq!(
        transfers.link_up(),
        [order(
            1,
            TransferOrder::Start {
                job: upload("a.txt"),
                resumed: true
            }
        )]
    );
    assert!(transfers.link_up().is_empty());
}

#[test]
fn a_question_is_answered_once() {
    let mut transfers = started();
    let conflict = Conflict {
        name: Clean::new("a.txt"),
        new: ConflictSide::default(),
        old: ConflictSide::default(),
        kind: ConflictKind::Taken,
    };
    let asks = TransferEvent::Asks(conflict);
    assert_eq!(transfers.event(1, asks, Timestamp::UNIX_EPOCH), None);
    assert!(transfers.asking().is_some());
    let answer = ConflictAnswer::default();
    let steps = transfers.step(TransferStep::Answer(1, answer));
    assert_eq!(steps, [order(1, TransferOrder::Answer(answer))]);
    assert!(transfers.asking().is_none());
}

#[test]
fn an_open_transfer_stays_in_the_list() {
    let mut transfers = started();
    transfers.step(TransferStep::Forget(1));
    assert_eq!(transfers.list().len(), 1);
    assert_eq!(
        transfers.step(TransferStep::Cancel(1)),
        [order(1, TransferOrder::Cancel)]
    );
    let end = TransferEvent::Ended(TransferEnd::Cancelled);
    transfers.event(1, end, Timestamp::UNIX_EPOCH);
    assert!(transfers.open().next().is_none());
    transfers.step(TransferStep::Forget(1));
    assert!(transfers.is_empty());
}

#[test]
fn moved_files_are_pasted_only_once() {
    let mut transfers = Transfers::default();
    let paths = vec![FilePath::root().join("a".as_ref()).unwrap()];
    transfers.step(TransferStep::Clip(FileClipboard {
        from: place(),
        paths: paths.clone(),
        moves: true,
    }));
    assert!(transfers.clipboard().is_some());
    transfers.step(TransferStep::Start(TransferJob::Copy {
        from: place(),
        paths,
        to: place(),
        directory: FilePath::root(),
        moves: true,
    }));
    assert!(transfers.clipboard().is_none());
}
