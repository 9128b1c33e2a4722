//! The data page: what it lists, in every size, and what its keys ask for.

use workbay::{
    app::panels::{explorer::Explorer, folders::FoldersPanel},
    model::{
        capability::{Capability, EngineState},
        failure::Failure,
        folder::{Folder, FolderHosts, FolderPermission, FolderRequest, FolderShare, Invitation},
        request::ContextRequest,
        resources::Bytes,
        status::Status,
        text::Clean,
    },
    protocol::message::{Reply, Request, Snapshot},
    theme::color::ColorDepth,
};

use crate::{
    screen::Screen,
    world::{ago, session, snapshot},
};

fn folders() -> Vec<Folder> {
    let local = |name: &str, size: Option<u64>, minutes| Folder {
        size: size.map(Bytes::mib),
        files: size.map(|size| size * 3),
        created_at: Some(ago(minutes)),
        free: Some(Bytes::mib(900 * 1024)),
        path: Some(format!("/home/jin/.local/share/workbay/folders/{name}")),
        ..Folder::own(name, "local")
    };
    let mut shared = local("imagenet", Some(148_000), 90_000);
    shared.path = Some("/data/imagenet".to_owned());
    shared.permission = "ro".into();
    shared.ownership = "machine".into();
    shared.is_owner = false;
    let mut new = local("데이터-전처리", None, 3);
    new.measuring = true;
    vec![
        local(".cache", Some(310), 40_000),
        local("checkpoints", Some(20_480), 5_000),
        shared,
        local("src", Some(2), 1_200),
        new,
    ]
}

fn world() -> Snapshot {
    let mut train = session(1, "train-resnet", Status::Running, 125);
    train.folders = vec!["checkpoints".into(), "imagenet".into()];
    let mut eval = session(2, "eval-nightly", Status::Running, 12);
    eval.folders = vec!["imagenet".into()];
    snapshot(vec![train, eval])
}

fn of_folder(request: &Request, wanted: impl Fn(&FolderRequest) -> bool) -> bool {
    matches!(request.of_context(), Some(ContextRequest::Folder { request }) if wanted(request))
}

fn is_list(request: &Request) -> bool {
    of_folder(request, |it| matches!(it, FolderRequest::List { .. }))
}

fn listed(screen: Screen) -> Screen {
    let folders = folders();
    screen.answer(is_list, Ok(Reply::Folders { folders }))
}

pub fn page(columns: u16, rows: u16) -> Screen {
    listed(Screen::new(columns, rows).daemon(world()).press("D"))
}

#[test]
fn the_files_of_a_folder_are_shown_in_the_place_of_the_page() {
    let screen = page(80, 24).press("enter");
    assert!(screen.is_open::<Explorer>() && !screen.is_open::<FoldersPanel>());
    let is_list = |(_, request): &(_, &Request)| matches!(request, Request::Files { .. });
    assert_eq!(screen.questions().filter(is_list).count(), 1);
}

fn last(screen: &Screen) -> FolderRequest {
    let wishes = screen.wishes();
    let mut requests = wishes.into_iter().filter_map(Request::of_context);
    match requests.next_back() {
        Some(ContextRequest::Folder { request }) => request.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_data_page_80x24() {
    insta::assert_snapshot!(page(80, 24).press("j").text());
}

#[test]
fn the_data_page_120x40() {
    insta::assert_snapshot!(page(120, 40).press("j j").text());
}

#[test]
fn the_trash_80x24() {
    let screen = page(80, 24).press("t");
    assert!(screen.sees("Reading the folders"), "{}", screen.text());
    let trashed = Folder {
        id: "1700000000000.old".into(),
        trashed_at: Some(ago(70)),
        ..folders()[3].clone()
    };
    let screen = screen.answer(
        is_list,
        Ok(Reply::Folders {
            folders: vec![trashed],
        }),
    );
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("u");
    let folder = "1700000000000.old".to_owned();
    assert_eq!(
        last(&screen),
        FolderRequest::Restore {
            folder: folder.clone()
        }
    );
    let screen = screen.press("x");
    assert!(screen.sees("for good?"), "{}", screen.text());
    let screen = screen.press("y");
    assert_eq!(last(&screen), FolderRequest::Purge { folder });
}

#[test]
fn the_data_page_in_every_theme_and_size() {
    for (columns, rows) in [(60, 16), (80, 24), (120, 30), (200, 50)] {
        for keys in ["j", "n", "j j j x", "c"] {
            let screen = page(columns, rows).press(keys);
            let screen = screen.theme("default-light", ColorDepth::Ansi16);
            assert!(!screen.text().is_empty());
        }
    }
    let small = Screen::new(59, 16).daemon(world()).press("D");
    assert!(!small.sees("Reading the folders"), "{}", small.text());
}

#[test]
fn sizes_that_are_being_measured_are_asked_for_again() {
    let screen = page(80, 24);
    assert_eq!(
        last(&screen),
        FolderRequest::List {
            trash: false,
            measure: true
        }
    );
}

#[test]
fn states_without_rows_say_what_is_the_matter() {
    let open = || Screen::new(80, 24).daemon(world()).press("D");
    assert!(open().sees("Reading the folders"), "{}", open().text());
    let empty = open().answer(
        is_list,
        Ok(Reply::Folders {
            folders: Vec::new(),
        }),
    );
    assert!(empty.sees("Press n to create one"), "{}", empty.text());
    let failure = Failure::internal("the disk is broken").hint("check the disk");
    let failed = open().answer(is_list, Err(failure));
    assert!(
        failed.sees("the disk is broken: check the disk. Press R to try again"),
        "{}",
        failed.text()
    );
    let lost = open().daemon_lost("gone");
    assert!(
        lost.sees("Folders appear after the reconnect"),
        "{}",
        lost.text()
    );
    assert!(!empty.press("D").is_open::<FoldersPanel>());
}

#[test]
fn a_folder_is_created_and_a_wrong_name_is_reported_at_once() {
    let screen = page(100, 30).press("n").typed("src");
    assert!(
        screen.sees("folder src already exists"),
        "{}",
        screen.text()
    );
    let screen = screen.press("enter");
    assert!(!matches!(last(&screen), FolderRequest::Create { .. }));
    let hosts = FolderHosts {
        default: Some("b".into()),
        allowed: vec!["a".into(), "b".into()],
        projects: Vec::new(),
    };
    let is_hosts = |it: &Request| of_folder(it, |it| *it == FolderRequest::Hosts);
    let screen = screen.answer(is_hosts, Ok(Reply::FolderHosts { hosts }));
    let screen = screen.typed("2").press("down right enter");
    let FolderRequest::Create { new } = last(&screen) else {
        panic!("nothing is created");
    };
    assert_eq!(
        (new.name.as_str(), new.host.as_deref()),
        ("src2", Some("a"))
    );
    let is_create = |it: &Request| of_folder(it, |it| matches!(it, FolderRequest::Create { .. }));
    let refused = Failure::refused("the disk is full");
    let screen = screen.answer(is_create, Err(refused));
    assert!(screen.sees("the disk is full"), "{}", screen.text());
    let screen = screen.typed("b").press("enter");
    let folder = Box::new(Folder::own("src2b", "local"));
    let screen = screen.answer(is_create, Ok(Reply::Folder { folder }));
    assert!(
        screen.sees("folder src2b created") || screen.sees("Folder src2b created"),
        "{}",
        screen.text()
    );
}

#[test]
fn on_a_cluster_a_new_folder_has_an_owner_a_usage_and_access() {
    let hosts = FolderHosts {
        default: Some("local:volume1".into()),
        allowed: vec!["local:volume1".into(), "nfs:fast".into()],
        projects: vec!["default".into(), "vision".into()],
    };
    let is_hosts = |it: &Request| of_folder(it, |it| *it == FolderRequest::Hosts);
    for (columns, rows) in [(80, 24), (120, 40)] {
        let screen = page(columns, rows).press("n").typed("data2");
        let reply = Reply::FolderHosts {
            hosts: hosts.clone(),
        };
        let screen = screen.answer(is_hosts, Ok(reply)).press("down right right");
        let name = format!("a_new_folder_on_a_cluster_{columns}x{rows}");
        insta::assert_snapshot!(name, screen.text());
        let screen = screen.press("down down right down space enter");
        let FolderRequest::Create { new } = last(&screen) else {
            panic!("nothing is created");
        };
        assert_eq!(new.group.as_deref(), Some("vision"));
        assert_eq!(new.permission, FolderPermission::ReadOnly);
        assert_eq!((new.cloneable, new.name.as_str()), (true, "data2"));
    }
}

#[test]
fn only_a_folder_that_no_session_mounts_is_deleted() {
    let mounted = page(100, 30).press("j x");
    assert!(
        mounted.sees("mounted by train-resnet"),
        "{}",
        mounted.text()
    );
    let machine = page(100, 30).press("r");
    assert!(machine.sees("Rename .cache"), "{}", machine.text());
    let screen = page(100, 30).press("j j j x");
    assert!(screen.sees("Move src to the trash?"), "{}", screen.text());
    let screen = screen.press("n");
    assert!(!screen.sees("Move src"), "{}", screen.text());
    let screen = screen.press("x y");
    let folder = "src".to_owned();
    assert_eq!(last(&screen), FolderRequest::Trash { folder });
}

#[test]
fn a_folder_is_filtered_sorted_copied_and_launched() {
    let screen = page(100, 30).press("/").typed("check").press("enter");
    assert!(
        screen.sees("checkpoints") && !screen.sees("imagenet"),
        "{}",
        screen.text()
    );
    let screen = screen.press("esc o");
    let text = screen.text();
    assert!(text.find("imagenet") < text.find("checkpoints"), "{text}");
    let screen = screen.press("L");
    assert!(!screen.is_open::<FoldersPanel>(), "{}", screen.text());
    assert!(
        screen.sees("checkpoints at /home/work/checkpoints"),
        "{}",
        screen.text()
    );
}

#[test]
fn access_is_changed_where_folders_can_be_shared() {
    let local = page(100, 30).press("j S");
    assert!(local.sees("yours alone"), "{}", local.text());
    let mut world = world();
    if let EngineState::Connected { info } = &mut world.contexts[0].engine {
        let missing = &mut info.capabilities.missing;
        missing.retain(|(lacking, _)| *lacking != Capability::FolderSharing);
    }
    let screen = listed(Screen::new(100, 30).daemon(world).press("D"));
    let is_invitations = |it: &Request| of_folder(it, |it| *it == FolderRequest::Invitations);
    let invitations = vec![Invitation {
        id: "inv-1".into(),
        folder: "theirs".into(),
        inviter: "ana@example.com".into(),
        permission: "ro".into(),
        created_at: None,
    }];
    let screen = screen.answer(is_invitations, Ok(Reply::FolderInvitations { invitations }));
    assert!(screen.sees("1 invitation"), "{}", screen.text());
    let screen = screen.press("j S");
    let is_shares = |it: &Request| of_folder(it, |it| matches!(it, FolderRequest::Shares { .. }));
    let shares = vec![FolderShare {
        user: Clean::new("bo@example.com"),
        permission: "rw".into(),
        pending: false,
    }];
    let screen = screen.answer(is_shares, Ok(Reply::FolderShares { shares }));
    assert!(screen.sees("bo@example.com"), "{}", screen.text());
    let screen = screen.press("n").typed("cy@example.com").press("enter");
    assert!(
        matches!(last(&screen), FolderRequest::Share { users, .. } if users == ["cy@example.com"])
    );
    let screen = screen.press("x");
    assert!(
        matches!(last(&screen), FolderRequest::Unshare { users, .. } if users == ["bo@example.com"])
    );
    let screen = screen.press("esc i enter");
    let invitation = "inv-1".to_owned();
    assert_eq!(last(&screen), FolderRequest::Accept { invitation });
}
