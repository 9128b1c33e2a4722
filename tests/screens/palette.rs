//! The command palette: what it finds, what Enter does, and what it remembers.

use workbay::{
    app::{
        app::App,
        effect::Effect,
        launcher::Launcher,
        panels::{
            contexts::ContextPicker,
            explorer::Explorer,
            folders::FoldersPanel,
            help::Help,
            palette::{Palette, entry::EntryKind},
            rename::Rename,
            settings::SettingsPage,
            terminate::TerminateDialog,
        },
        saved::SavedState,
        shown_contexts::ShownContexts,
    },
    model::{
        failure::Failure,
        folder::{Folder, FolderRequest},
        recent::Recent,
        request::ContextRequest,
        spec::LaunchRequest,
        status::Status,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    cluster::{name, two},
    screen::{Screen, facts, noon},
    world::{day, session, snapshot},
};

fn open(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows)
        .daemon(snapshot(day()))
        .press(":")
}

fn of_folders(request: &Request) -> bool {
    matches!(
        request.of_context(),
        Some(ContextRequest::Folder {
            request: FolderRequest::List { .. }
        })
    )
}

fn recent(id: i64, title: &str) -> Recent {
    Recent {
        id,
        at: noon(),
        context: name("local"),
        title: Clean::new(title),
        pinned: id == 1,
        launch: LaunchRequest {
            environment: Some("busybox:1.35".to_owned()),
            ..LaunchRequest::default()
        },
    }
}

/// Both lists that the palette asks for have arrived.
fn complete(screen: Screen) -> Screen {
    let folders = vec![
        Folder::own("datasets", "local"),
        Folder::own("src", "local"),
    ];
    let screen = screen.answer(of_folders, Ok(Reply::Folders { folders }));
    let entries = vec![recent(1, "train-big"), recent(2, "sweep")];
    screen.answer(
        |request| *request == Request::Recents,
        Ok(Reply::Recents { entries }),
    )
}

#[test]
fn it_lists_actions_of_the_view_before_everything_else_80x24() {
    insta::assert_snapshot!(open(80, 24).text());
}

#[test]
fn it_lists_actions_of_the_view_before_everything_else_120x40() {
    insta::assert_snapshot!(complete(open(120, 40)).text());
}

#[test]
fn matched_letters_are_marked() {
    let screen = open(120, 40).typed("trm");
    insta::assert_snapshot!(screen.text());
    // The letters are runs of their own, in the style `match`.
    let styled = screen.styled();
    let row = styled
        .lines()
        .position(|line| line.ends_with(" t"))
        .unwrap();
    let rest: Vec<&str> = styled.lines().skip(row).take(5).collect();
    assert!(rest.iter().any(|line| line.ends_with("rm")), "{rest:?}");
}

#[test]
fn enter_runs_the_action_on_the_selected_session() {
    let open = || Screen::new(80, 24).daemon(snapshot(day())).press("j j :");
    let screen = open().typed("rename").press("enter");
    assert!(screen.is_open::<Rename>(), "{}", screen.text());
    assert!(!screen.is_open::<Palette>());
    let screen = open().typed("terminate").press("enter");
    assert!(screen.is_open::<TerminateDialog>(), "{}", screen.text());
}

#[test]
fn a_disabled_action_says_why_and_does_nothing() {
    let mut facts = facts();
    facts.read_only = true;
    let screen = Screen::with(120, 40, facts).daemon(snapshot(day()));
    let screen = screen.press("ctrl-p").typed(">session.terminate");
    assert!(
        screen.sees("Read-only: the setting `ui.read-only` is on"),
        "{}",
        screen.text()
    );
    let pressed = screen.press("enter");
    assert!(pressed.is_open::<Palette>());
    assert!(!pressed.is_open::<TerminateDialog>());
}

#[test]
fn every_kind_leads_where_it_says() {
    let screen = complete(open(120, 40).typed("@fresh-one")).press("enter");
    let selected = screen.app.sessions.selected().unwrap();
    let session = screen.app.mirror.session(selected).unwrap();
    assert_eq!(session.name, *"fresh-one");
    assert!(screen.app.detail.is_some());

    let screen = open(120, 40).typed("+busybox").press("enter");
    assert!(screen.is_open::<Launcher>(), "{}", screen.text());

    let screen = complete(open(120, 40)).typed("/data").press("enter");
    assert!(screen.is_open::<Explorer>(), "{}", screen.text());

    let screen = complete(open(120, 40)).typed(".train-big").press("enter");
    assert!(screen.is_open::<Launcher>(), "{}", screen.text());

    let several = Screen::new(120, 40).daemon(two()).press(":");
    let screen = several.typed("&seoul").press("enter");
    assert_eq!(
        screen.app.sessions.shown(),
        ShownContexts::One(name("seoul"))
    );
}

#[test]
fn a_setting_opens_the_settings_page_at_it() {
    let screen = open(120, 40).typed("=ui.keymap").press("enter");
    let page: &SettingsPage = screen.panel();
    let marked = page.marked(&screen.app.facts).unwrap();
    assert_eq!(marked.key, "ui.keymap");
    assert!(!screen.is_open::<Palette>());
    let screen = open(120, 40).typed("settings").press("enter");
    assert!(screen.is_open::<SettingsPage>(), "{}", screen.text());
}

#[test]
fn it_says_what_is_loading_missing_or_failed() {
    let loading = open(120, 40).typed("/");
    assert!(loading.sees("Loading folders"), "{}", loading.text());
    let failed = loading.answer(of_folders, Err(Failure::internal("the disk is gone")));
    assert!(
        failed.sees("folders can't be listed: the disk is gone"),
        "{}",
        failed.text()
    );
    let none = complete(failed.press("esc :")).typed("/zzz");
    assert!(none.sees("No folders match 'zzz'"), "{}", none.text());
    let nothing = open(80, 24).typed("zzzqq");
    assert!(
        nothing.sees("Nothing matches 'zzzqq'"),
        "{}",
        nothing.text()
    );
    let without_daemon = Screen::new(80, 24).press(":");
    insta::assert_snapshot!(without_daemon.text());
}

#[test]
fn what_was_used_comes_first_and_is_kept_for_the_next_tui() {
    let screen = Screen::new(120, 40).daemon(snapshot(day()));
    let mut screen = screen;
    screen.app = App::new(facts(), screen.app.keymap.clone()).saving_state(SavedState::default());
    let screen = screen
        .daemon(snapshot(day()))
        .press("j j :")
        .typed("rename");
    let screen = screen.press("enter esc");
    let saved = screen
        .effects()
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::SaveState(saved) => Some(saved.clone()),
            _ => None,
        });
    let saved = saved.unwrap();
    assert!(saved.palette.score("action:session.rename", noon()) > 0);

    let mut next = Screen::new(120, 40);
    next.app = App::new(facts(), next.app.keymap.clone()).saving_state(*saved);
    let next = next.daemon(snapshot(day())).press(":");
    let first = next.text();
    let first = first.lines().find(|line| line.contains("│ ▎ ")).unwrap();
    assert!(first.contains("action   rename"), "{first}");
}

#[test]
fn it_opens_in_every_view_and_over_panels() {
    // In a log, over the data page, and with F2 while a filter is typed.
    let screen = Screen::new(120, 40).daemon(snapshot(day()));
    let log = screen
        .press("j j l")
        .press(":")
        .typed("wrap")
        .press("enter");
    assert!(!log.is_open::<Palette>());
    let back = log.press("ctrl-p").typed("finished").press("enter");
    assert_eq!(back.app.page, workbay::app::focus::Page::Sessions);
    let page = back.press("D");
    assert!(page.is_open::<FoldersPanel>());
    let over = page.press(":");
    assert!(over.is_open::<Palette>() && over.is_open::<FoldersPanel>());
    // A view of its own replaces the page.
    let ports = over.typed("port board").press("enter");
    assert!(!ports.is_open::<FoldersPanel>(), "{}", ports.text());
    let filter = ports.press("esc / t F2");
    assert!(filter.is_open::<Palette>(), "{}", filter.text());
    assert!(!filter.press("F2").is_open::<Palette>());
}

#[test]
fn a_launcher_with_values_is_not_closed() {
    let screen = Screen::new(120, 40)
        .daemon(snapshot(day()))
        .press("n ctrl-r");
    let screen = screen.press("alt-1 tab").typed("mine").press("F2");
    assert!(screen.is_open::<Palette>());
    let kept = screen.typed("@fresh").press("enter");
    assert!(kept.is_open::<Launcher>(), "{}", kept.text());
}

#[test]
fn other_words_than_commands_can_begin_with_one() {
    // `launch` takes no argument, but an environment fits.
    let screen = open(120, 40).typed("launch busybox");
    let launched = screen.press("enter");
    assert!(launched.is_open::<Launcher>() || launched.sees("launch takes no argument"));
    let picker = Screen::new(80, 24)
        .daemon(two())
        .press(":")
        .typed("ctx")
        .press("enter");
    assert!(picker.is_open::<ContextPicker>());
    let help = open(80, 24).typed("help").press("enter");
    assert!(help.is_open::<Help>());
}

#[test]
fn twenty_thousand_sessions_are_searched() {
    let many: Vec<_> = (0..20_000)
        .map(|n| session(n, &format!("job-{n}"), Status::Running, 5))
        .collect();
    let screen = Screen::new(120, 40).daemon(snapshot(many)).press(":");
    let palette: &Palette = screen.panel();
    assert!(palette.total() > 20_000);
    let screen = screen.typed("@job-19999");
    let palette: &Palette = screen.panel();
    assert_eq!(palette.count(screen.app.word_values()), 1);
    assert_eq!(palette.kind(), Some(EntryKind::Session));
    // A shorter text finds the others again.
    let screen = screen.press("backspace");
    let palette: &Palette = screen.panel();
    assert!(palette.count(screen.app.word_values()) >= 11);
}
