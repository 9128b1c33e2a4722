//! The port board: what it lists, in every size, and what its keys do.

use workbay::{
    app::panels::ports::PortBoard,
    model::{
        forward::{Forward, ForwardTarget, ForwardTraffic},
        request::ForwardRequest,
        text::Clean,
    },
    protocol::message::Request,
    theme::color::ColorDepth,
};

use crate::{
    apps::{forward, is_url, jupyter, launcher, listed, opened, public, train, world},
    screen::Screen,
    world::{ago, day},
};

pub(crate) fn board() -> Vec<Forward> {
    let mut korean = forward(2, 3, "데이터-전처리", "TensorBoard", 10251);
    korean.traffic = ForwardTraffic {
        received: 12_000,
        sent: 734_003_200,
        connections: 3,
        last_used: Some(ago(2)),
    };
    let mut broken = forward(3, 5, "notebook-old", "JupyterLab", 10253);
    broken.broken = Some(Clean::new("the session is being terminated"));
    let mut notebook = public(jupyter());
    notebook.traffic.last_used = Some(ago(190));
    let mut port = forward(4, 2, "a1b2c3d4-session", "Port 8000", 10252);
    port.target = ForwardTarget::Port { port: 8000 };
    vec![notebook, korean, broken, port]
}

fn ports(columns: u16, rows: u16) -> Screen {
    let mut world = world(day());
    world.forwards = board();
    Screen::new(columns, rows).daemon(world).press("P")
}

#[test]
fn the_port_board_80x24() {
    insta::assert_snapshot!(ports(80, 24).press("G").text());
}

#[test]
fn the_port_board_140x40() {
    insta::assert_snapshot!(ports(140, 40).press("j j").text());
}

#[test]
fn the_port_board_200x50() {
    insta::assert_snapshot!(ports(200, 50).text());
}

#[test]
fn the_port_board_in_every_theme_and_size() {
    for (columns, rows) in [(60, 16), (80, 24), (120, 30), (200, 50)] {
        let screen = ports(columns, rows).theme("default-light", ColorDepth::TrueColor);
        assert!(screen.sees("Port board"), "{}", screen.text());
        let screen = launcher(columns, rows).theme("default-light", ColorDepth::Ansi16);
        let screen = listed(screen).press("G");
        assert!(screen.sees("SSH / SFTP"), "{}", screen.text());
    }
    assert!(!ports(59, 16).sees("Port board"));
}

#[test]
fn an_empty_port_board_says_how_to_open_one() {
    let screen = Screen::new(80, 24).daemon(train()).press("P");
    assert!(screen.sees("No forwards"), "{}", screen.text());
    assert!(screen.sees("Press a on a session to open an app, a port or SSH"));
    assert!(!screen.press("P").is_open::<PortBoard>());
}

#[test]
fn forwards_are_filtered_used_and_closed() {
    let screen = ports(140, 40).press("/").typed("tensor");
    assert!(
        screen.sees("데이터-전처리") && !screen.sees("Port 8000"),
        "{}",
        screen.text()
    );
    let screen = screen
        .press("enter v")
        .answer(is_url, Ok(opened(board()[1].clone())));
    assert!(screen.sees("workbay_token=3f2a9c0d"), "{}", screen.text());
    let screen = screen.press("v");
    assert!(!screen.sees("workbay_token"));
    let screen = screen.press("x");
    assert!(screen.sees("3 open connections end."), "{}", screen.text());
    let screen = screen.press("y");
    let closed = screen.wishes().into_iter().any(|it| {
        matches!(
            it,
            Request::Forward {
                request: ForwardRequest::Close { id: 2 }
            }
        )
    });
    assert!(closed);
    let screen = screen.press("enter");
    assert!(!screen.is_open::<PortBoard>() && screen.app.detail.is_some());
}

#[test]
fn the_qr_code_of_the_board_is_for_other_machines() {
    let screen = ports(80, 24).press("j j q");
    assert!(
        screen.sees("http://10.1.2.3:10250/tree"),
        "{}",
        screen.text()
    );
    assert!(screen.sees("▀"));
    let screen = screen.press("esc");
    assert!(screen.sees("Port board"), "{}", screen.text());
}
