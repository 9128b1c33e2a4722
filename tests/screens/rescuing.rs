//! Copying files of a session into a folder before it is terminated: what is shown meanwhile, and how it ends.

use std::ffi::OsStr;

use workbay::{
    app::{
        effect::Effect,
        msg::Msg,
        panels::{terminate::TerminateDialog, transfers::TransferList},
        transfers::{TransferEnd, TransferEvent, TransferJob, TransferOrder, TransferProgress},
    },
    model::{
        failure::Failure,
        files::FilePath,
        loss::{Unsaved, UnsavedFile},
        request::SessionRequest,
        resources::Bytes,
        status::Status,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    screen::Screen,
    world::{ago, session, snapshot},
};

fn file(path: &str, size: u64, minutes: i64) -> UnsavedFile {
    UnsavedFile {
        path: FilePath::parse(OsStr::new(path)).unwrap(),
        size: Bytes(size),
        modified: Some(ago(minutes)),
    }
}

fn unsaved() -> Unsaved {
    let mut unsaved = Unsaved {
        home_is_kept: true,
        keep_days: Some(7),
        ..Unsaved::default()
    };
    unsaved
        .outside
        .add(file("opt/model/weights.bin", 3 << 30, 5));
    unsaved.outside.add(file("tmp/run.log", 4_096, 2));
    unsaved.home.add(file("home/work/notes.md", 2_048, 1));
    unsaved
}

/// The dialog of a session with unsaved files and the folder `data`.
fn dialog(columns: u16, rows: u16) -> Screen {
    let mut train = session(1, "train-resnet", Status::Running, 125);
    train.home = Some("/data/sessions/1/home".to_owned());
    train.folders = vec![Clean::new("data")];
    let screen = Screen::new(columns, rows).daemon(snapshot(vec![train]));
    let unsaved = Box::new(unsaved());
    screen.press("x").answer(
        |request| matches!(request, Request::Loss { .. }),
        Ok(Reply::Unsaved { unsaved }),
    )
}

/// The copy to the suggested directory runs.
fn copying(columns: u16, rows: u16) -> Screen {
    let screen = dialog(columns, rows).press("c enter");
    assert!(screen.is_open::<TransferList>(), "{}", screen.text());
    screen
}

fn event(screen: Screen, event: TransferEvent) -> Screen {
    screen.send(Msg::Transfer { id: 1, event })
}

fn progress(screen: Screen, bytes: u64) -> Screen {
    let progress = TransferProgress {
        files: 1,
        bytes,
        of: Some((3, 3 << 30)),
        current: Clean::default(),
    };
    event(screen, TransferEvent::Progress(progress))
}

fn ended(screen: Screen, end: TransferEnd) -> Screen {
    event(screen, TransferEvent::Ended(end))
}

fn is_terminated(screen: &Screen) -> bool {
    screen
        .questions()
        .any(|(_, request)| matches!(request.of_session(), Some(SessionRequest::Terminate { .. })))
}

fn orders(screen: &Screen) -> Vec<&TransferOrder> {
    let orders = screen.effects().iter().filter_map(|effect| match effect {
        Effect::Transfer { order, .. } => Some(order),
        _ => None,
    });
    orders.collect()
}

#[test]
fn the_dialog_says_once_what_is_lost_and_what_is_kept() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let screen = dialog(columns, rows);
        assert!(screen.is_open::<TerminateDialog>());
        insta::assert_snapshot!(
            format!("the_terminate_dialog_{columns}x{rows}"),
            screen.text()
        );
    }
}

#[test]
fn a_copy_shows_its_progress_and_then_the_session_is_terminated() {
    let screen = copying(120, 40);
    let [TransferOrder::Start { job, resumed }] = orders(&screen)[..] else {
        panic!("{:?}", orders(&screen));
    };
    let TransferJob::Rescue {
        rescue,
        then_terminate,
        ..
    } = job
    else {
        panic!("{job:?}");
    };
    assert!(!resumed && *then_terminate == Some(false) && rescue.paths.is_empty());
    assert_eq!(rescue.folder, "data");
    let screen = progress(screen, 0).wait(2);
    let screen = progress(screen, 1 << 30);
    for text in ["33%", "512M/s", "4s left", "then terminate"] {
        assert!(screen.sees(text), "{text}: {}", screen.text());
    }
    insta::assert_snapshot!("a_rescue_under_way", screen.text());
    assert!(!is_terminated(&screen));
    let screen = ended(screen, TransferEnd::Done { skipped: 0 });
    assert!(is_terminated(&screen));
    assert!(
        screen.sees("train-resnet: copied 1 file, 1 GiB to"),
        "{}",
        screen.text()
    );
}

#[test]
fn a_copy_that_is_cancelled_fails_or_skips_ends_no_session() {
    let cancelled = copying(80, 24).press("x");
    assert!(matches!(orders(&cancelled)[..], [_, TransferOrder::Cancel]));
    let cancelled = ended(cancelled, TransferEnd::Cancelled);
    assert!(
        cancelled.sees("Nothing was copied, and"),
        "{}",
        cancelled.text()
    );
    let failure = Failure::refused("'x' already exists in the folder");
    let failed = ended(copying(80, 24), TransferEnd::Failed(failure));
    assert!(
        failed.sees("train-resnet keeps running"),
        "{}",
        failed.text()
    );
    let interrupted = ended(copying(80, 24), TransferEnd::Interrupted("gone".into()));
    assert!(
        interrupted.sees("train-resnet keeps running"),
        "{}",
        interrupted.text()
    );
    let skipped = TransferProgress {
        files: 2,
        current: Clean::new("tmp/secret: Permission denied"),
        ..TransferProgress::default()
    };
    let skipped = event(copying(120, 40), TransferEvent::Progress(skipped));
    let skipped = ended(skipped, TransferEnd::Done { skipped: 1 });
    assert!(skipped.sees("Not copied: tmp/secret"), "{}", skipped.text());
    for screen in [&cancelled, &failed, &interrupted, &skipped] {
        assert!(!is_terminated(screen));
    }
}
