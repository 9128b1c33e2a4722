//! One session of a cluster: detail, logs of its kernels, an image of it, launching.

use bytes::Bytes;
use workbay::{
    app::{
        effect::Effect,
        launcher::Launcher,
        logs::feed::LogOrder,
        msg::{Msg, StreamEvent},
        panels::commit::CommitForm,
    },
    model::{
        change::Change,
        failure::Failure,
        id::KernelId,
        kernel::Kernel,
        launch_field::LaunchField as Field,
        log::LogSource,
        loss::LossRequest,
        request::{ContextRequest, SessionRequest},
        status::Status,
        text::Clean,
    },
    protocol::message::{Reply, Request, StreamId, StreamOpen},
};

use crate::{
    cluster::{attempts, catalogue, in_full, key, name, remote, two},
    screen::Screen,
    world::{session, snapshot},
};

pub fn seoul(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows)
        .starting_in("seoul")
        .daemon(two())
}

pub fn read_in_full(screen: Screen) -> Screen {
    let reply = Reply::Session {
        session: Box::new(in_full()),
    };
    screen.answer(
        |r| matches!(r.of_session(), Some(SessionRequest::Detail)),
        Ok(reply),
    )
}

fn with_history(screen: Screen) -> Screen {
    let reply = Reply::History {
        entries: attempts(),
    };
    screen.answer(
        |r| matches!(r.of_session(), Some(SessionRequest::History)),
        Ok(reply),
    )
}

fn asked(screen: &Screen, wanted: impl Fn(&Request) -> bool) -> usize {
    screen.questions().filter(|(_, r)| wanted(r)).count()
}

fn details(screen: &Screen) -> usize {
    asked(screen, |r| {
        matches!(r.of_session(), Some(SessionRequest::Detail))
    })
}

#[test]
fn the_detail_of_a_cluster_session_140x50() {
    let screen = read_in_full(seoul(140, 50).press("j enter"));
    insta::assert_snapshot!(screen.text());
}

#[test]
fn the_detail_of_a_cluster_session_80x24() {
    let screen = read_in_full(seoul(80, 24).press("j enter"));
    insta::assert_snapshot!(screen.text());
    insta::assert_snapshot!(screen.press("G").text());
}

#[test]
fn the_detail_of_a_waiting_session_begins_with_the_reason() {
    let screen = with_history(seoul(140, 40).press("enter"));
    insta::assert_snapshot!(screen.text());
    let all = screen.press("enter v");
    assert!(all.sees("ConcurrencyValidator"), "{}", all.text());
    assert!(!all.press("v").sees("ConcurrencyValidator"));
}

#[test]
fn the_steps_of_a_session_that_was_cancelled_stay_folded() {
    let mut cancelled = session(23, "impatient", Status::Cancelled, 12);
    cancelled.started_at = None;
    let screen = Screen::new(140, 40).daemon(snapshot(vec![cancelled]));
    let screen = with_history(screen.press("2 enter"));
    assert!(
        screen.sees("no agent has what is asked for"),
        "{}",
        screen.text()
    );
    assert!(!screen.sees("AgentSelector"), "{}", screen.text());
    let all = screen.press("enter v");
    let styled = all.styled();
    let line = styled.lines().find(|line| line.contains("AgentSelector"));
    assert!(
        line.is_some_and(|line| line.contains("#cdd3dc")),
        "{styled}"
    );
}

#[test]
fn a_moving_selection_is_asked_about_when_it_rests() {
    let screen = seoul(140, 40).press("enter");
    assert_eq!(details(&screen), 1, "the opened one at once");
    let screen = screen.press("j j k j k");
    assert_eq!(details(&screen), 1, "not every row that is passed");
    assert_eq!(details(&screen.wait(1)), 2);
}

#[test]
fn what_was_read_stays_until_another_is_selected() {
    let screen = read_in_full(seoul(140, 50).press("j enter"));
    let row = remote(21, "train-vit-large", Status::Running, 37);
    let screen = screen.notice(Change::Session {
        session: Box::new(row),
    });
    assert!(
        screen.sees("i-gpu-node-02"),
        "a row does not tell the kernels"
    );
    let other = screen.press("j");
    assert!(!other.sees("i-gpu-node-02"));
}

#[test]
fn what_changes_without_notice_is_read_again_where_the_engine_decides() {
    let waiting = seoul(140, 40).press("enter");
    assert_eq!(details(&waiting.wait(11)), 3);
    let running = seoul(140, 40).press("j enter");
    assert_eq!(details(&running.wait(31)), 2);
    // Our own records have every change.
    let local = Screen::new(140, 40).daemon(two()).press("enter").wait(600);
    assert_eq!(details(&local), 0);
}

#[test]
fn a_detail_that_cannot_be_read_leaves_the_row() {
    let failure = Failure::not_found("no such session any more");
    let screen = seoul(140, 40).press("j enter");
    let screen = screen.answer(
        |r| matches!(r.of_session(), Some(SessionRequest::Detail)),
        Err(failure),
    );
    assert!(screen.sees("pytorch:2.4"), "{}", screen.text());
    let gone = screen.notice(Change::Gone {
        session: key("seoul", 21),
    });
    assert!(gone.app.detail.is_none() || !gone.sees("train-vit-large"));
}

#[test]
fn ending_a_session_of_a_cluster_promises_nothing_for_it() {
    let screen = read_in_full(seoul(80, 24).press("j enter")).press("x");
    assert!(screen.sees("Its 2 folders."), "{}", screen.text());
    assert!(!screen.sees("7 days"));
    assert!(screen.sees("being counted"), "{}", screen.text());
    let screen = screen.press("y");
    let session = key("seoul", 21);
    let count = Request::Loss {
        session,
        request: LossRequest::List,
    };
    let wish = Request::session(session, SessionRequest::Terminate { force: false });
    assert_eq!(screen.wishes(), [&count, &wish]);
}

pub fn opened(screen: &Screen) -> Vec<(StreamId, StreamOpen)> {
    let opened = screen.effects().iter().filter_map(|effect| match effect {
        Effect::Open {
            open: StreamOpen::Control { .. },
            ..
        } => None,
        Effect::Open { stream, open } => Some((*stream, open.clone())),
        _ => None,
    });
    opened.collect()
}

pub fn closed(screen: &Screen) -> Vec<StreamId> {
    let closed = screen.effects().iter().filter_map(|effect| match effect {
        Effect::Close { stream } => Some(*stream),
        _ => None,
    });
    let terminals = opened(screen);
    closed
        .filter(|stream| terminals.iter().any(|(terminal, _)| terminal == stream))
        .collect()
}

pub fn happens(screen: Screen, event: StreamEvent) -> Screen {
    let (stream, _) = opened(&screen).pop().unwrap();
    screen.send(Msg::Stream { stream, event })
}

pub fn prints(screen: Screen, text: &str) -> Screen {
    let bytes = Bytes::copy_from_slice(text.as_bytes());
    happens(
        screen,
        StreamEvent::Data {
            source: LogSource::Stdout,
            bytes,
        },
    )
}

/// Whose log was opened last; `None` = the main kernel's.
fn kernel_of(screen: &Screen) -> Option<KernelId> {
    let mut kernels = opened(screen)
        .into_iter()
        .filter_map(|(_, open)| match open {
            StreamOpen::Log { options, .. } => Some(options.kernel),
            _ => None,
        });
    kernels.next_back().expect("no log was opened")
}

#[test]
fn the_log_of_each_kernel_takes_one_key() {
    let screen = read_in_full(seoul(80, 24).press("j enter")).press("l");
    assert_eq!(kernel_of(&screen), None, "the main kernel's");
    let screen = prints(happens(screen, StreamEvent::Opened), "of the main kernel\n");
    assert!(screen.sees("main1, container 1 of 2"), "{}", screen.text());
    let screen = screen.press("tab");
    assert_eq!(kernel_of(&screen), Some(in_full().kernels[1].id));
    assert_eq!(closed(&screen).len(), 1, "the other is not read any more");
    let screen = prints(
        happens(screen, StreamEvent::Opened),
        "of the other kernel\n",
    );
    insta::assert_snapshot!(screen.text());
    let saved = screen.press("S");
    assert!(saved.effects().iter().any(|effect| matches!(
        effect,
        Effect::Log { order: LogOrder::Save { path, .. }, .. } if path.ends_with("train-vit-large-sub1-log.txt")
    )));
    assert_eq!(kernel_of(&saved.press("tab")), None);
}

/// In which containers shells were opened.
fn shells(screen: &Screen) -> Vec<Option<KernelId>> {
    let terminals = opened(screen)
        .into_iter()
        .filter_map(|(_, open)| match open {
            StreamOpen::Terminal { start, .. } => Some(start.kernel),
            _ => None,
        });
    terminals.collect()
}

#[test]
fn a_shell_opens_in_the_kernel_that_is_marked() {
    let mut pair = session(1, "pair", Status::Running, 5);
    let sub = Kernel::new(KernelId::from_u128(902), "sub1".into(), Status::Running);
    pair.kernels.push(sub);
    let detail = || {
        Screen::new(100, 60)
            .daemon(snapshot(vec![pair.clone()]))
            .press("enter")
    };
    assert!(detail().sees("s shell"), "{}", detail().text());
    assert_eq!(shells(&detail().press("s")), [None]);
    let marked = detail().press("right").press("s");
    assert_eq!(shells(&marked), [Some(KernelId::from_u128(902))]);
    assert!(marked.sees("pair/sub1"), "{}", marked.text());
}

#[test]
fn the_marked_kernel_of_a_manager_s_session_has_a_shell_too() {
    let detail = read_in_full(seoul(100, 30).press("j enter"));
    assert_eq!(shells(&detail.press("s")), [None]);
    let detail = read_in_full(seoul(100, 30).press("j enter"));
    let marked = detail.press("right").press("s");
    assert_eq!(shells(&marked), [Some(in_full().kernels[1].id)]);
}

#[test]
fn a_row_without_kernels_is_read_for_its_log() {
    let mut both = two();
    for session in &mut both.sessions {
        session
            .kernels
            .truncate(usize::from(session.context == name("local")));
        session.placement.cluster_size = 2;
    }
    let screen = Screen::new(80, 24)
        .starting_in("seoul")
        .daemon(both)
        .press("j l");
    assert_eq!(details(&screen), 1);
    let screen = happens(screen, StreamEvent::Opened);
    assert!(!screen.sees("kernel 1 of 2"));
    assert!(read_in_full(screen).sees("main1, container 1 of 2"));
}

#[test]
fn an_image_is_made_under_a_name() {
    let screen = seoul(80, 24).press("j i");
    insta::assert_snapshot!(screen.typed("my image").text());
    let screen = seoul(80, 24)
        .press("j i")
        .typed("my-image.1")
        .press("enter");
    let wish = Request::session(
        key("seoul", 21),
        SessionRequest::Commit {
            image_name: "my-image.1".to_owned(),
            pause: false,
        },
    );
    assert_eq!(screen.wishes(), [&wish]);
    let screen = screen.answer(
        |r| matches!(r.of_session(), Some(SessionRequest::Commit { .. })),
        Ok(Reply::Done),
    );
    assert!(screen.sees("Creating the image my-image.1 from train-vit-large"));
    let mut session = remote(21, "train-vit-large", Status::Running, 37);
    session.pending_request = Some(Clean::new("creating image 1/3"));
    let screen = Screen::new(140, 40)
        .starting_in("seoul")
        .daemon(two())
        .notice(Change::Session {
            session: Box::new(session),
        });
    assert!(screen.sees("creating image 1"), "{}", screen.text());
    // Too short a name is not sent.
    let short = seoul(80, 24).press("j i").typed("abc").press("enter");
    assert!(
        short.wishes().is_empty() && short.sees("must have 4 to 32"),
        "{}",
        short.text()
    );
    let docker = Screen::new(80, 24).daemon(two()).press("j j i");
    assert!(docker.app.panels.get::<CommitForm>().is_none());
    assert!(
        docker.sees("can't create images from sessions"),
        "{}",
        docker.text()
    );
    let waiting = seoul(80, 24).press("i");
    assert!(waiting.sees("an image can be"));
}

fn with_catalogue(screen: Screen) -> Screen {
    let reply = Reply::Catalogue {
        catalogue: Box::new(catalogue()),
    };
    screen.answer(
        |r| matches!(r.of_context(), Some(ContextRequest::Catalogue { .. })),
        Ok(reply),
    )
}

/// From the launcher's first page to the row of a field on the second.
fn to_field(screen: Screen, field: Field) -> Screen {
    let mut screen = screen.press("alt-2");
    for _ in 0..60 {
        let launcher = screen.panel::<Launcher>();
        if launcher.row().field == field {
            return screen;
        }
        screen = screen.press("tab");
    }
    panic!("there is no {field:?}\n{}", screen.text());
}

#[test]
fn the_launcher_of_a_cluster_80x24() {
    let opened = seoul(80, 24).press("n");
    assert_eq!(
        asked(&opened, |r| matches!(
            r.of_context(),
            Some(ContextRequest::Catalogue { .. })
        )),
        1
    );
    let screen = to_field(with_catalogue(opened), Field::ResourceGroup);
    // The group chosen says what is free; more than that is not an error: it waits.
    let screen = screen.press("right right");
    let screen = to_field(screen, Field::Cpu).press("ctrl-u").typed("41");
    let screen = screen.press("alt-enter enter");
    let [Request::Launch { context, launch }] = screen.wishes()[..] else {
        panic!("{:?}\n{}", screen.wishes(), screen.text());
    };
    assert_eq!(*context, name("seoul"));
    assert_eq!(launch.resource_group.as_deref(), Some("gpu-a100"));
    assert_eq!(launch.environment.as_deref(), Some("python:3.12"));
    assert_eq!(launch.project, None, "the context's own");
}

#[test]
fn another_project_has_other_groups() {
    let screen = to_field(with_catalogue(seoul(80, 24).press("n")), Field::Project).press("right");
    let last = screen
        .questions()
        .filter_map(|(_, r)| match r.of_context() {
            Some(ContextRequest::Catalogue { project, .. }) => Some(project.clone()),
            _ => None,
        });
    assert_eq!(last.last().unwrap().as_deref(), Some("언어-모델"));
    assert!(screen.sees("언어-모델"));
}

#[test]
fn among_all_contexts_the_launcher_asks_for_one() {
    let all = Screen::new(80, 24).daemon(two()).press("c up enter n");
    insta::assert_snapshot!(all.text());
    let other = all.press("right");
    assert!(other.sees("seoul"), "{}", other.text());
    let other = with_catalogue(other);
    let page = other.press("alt-2");
    assert!(
        page.sees("python   3.11") && !page.sees("debian-12"),
        "{}",
        page.text()
    );
    let screen = page.press("alt-enter enter");
    let wishes = screen.wishes();
    assert!(matches!(wishes[..], [Request::Launch { context, .. }] if *context == name("seoul")));
}

#[test]
fn a_dead_context_cannot_be_launched_into() {
    let screen = Screen::new(80, 24).daemon(crate::cluster::three());
    let screen = screen.press("c up enter n left");
    assert!(screen.sees("does not answer"), "{}", screen.text());
    assert!(screen.press("enter").wishes().is_empty());
}
