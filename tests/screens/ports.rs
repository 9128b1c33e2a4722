//! Ports that were opened at launch, as the details show them.

use workbay::model::{session::Session, status::Status};

use crate::{
    screen::Screen,
    world::{session, snapshot},
};

fn detail(session: Session) -> Screen {
    Screen::new(100, 40)
        .daemon(snapshot(vec![session]))
        .press("enter")
}

#[test]
fn the_address_that_works_and_a_tunnel_are_shown() {
    let mut web = session(1, "web", Status::Running, 5);
    web.preopen_ports = vec![8080];
    let unknown = detail(web.clone());
    assert!(unknown.sees("Ports"), "{}", unknown.text());
    web.kernels[0].address = Some("172.18.0.2".into());
    let screen = detail(web.clone());
    assert!(screen.sees("172.18.0.2:8080"), "{}", screen.text());
    let tunnel = "ssh -L 8080:172.18.0.2:8080 jin@gpu1";
    assert!(screen.sees(tunnel), "{}", screen.text());
    web.preopen_ports.clear();
    assert!(!detail(web).sees("Ports"));
}
