//! The launcher's second page: environments, variables, amounts, how many, threads.

mod any;
mod choices;
mod drawn;
mod rows;

use workbay::{
    app::launcher::Launcher,
    app::launcher::Page,
    model::{
        catalogue::Catalogue, change::Change, environment::Environment, request::ContextRequest,
        spec::LaunchRequest,
    },
    protocol::message::Reply,
};

use self::choices::{many, offer};
use crate::{
    cluster::{name, two},
    screen::Screen,
};

/// The page in a context with everything there is.
fn page_with(columns: u16, rows: u16, environments: Vec<Environment>, offer: Catalogue) -> Screen {
    let screen = Screen::new(columns, rows)
        .starting_in("seoul")
        .daemon(two())
        .notice(Change::Environments {
            context: name("seoul"),
            environments,
        })
        .press("n");
    let reply = Reply::Catalogue {
        catalogue: Box::new(offer),
    };
    screen
        .answer(
            |r| matches!(r.of_context(), Some(ContextRequest::Catalogue { .. })),
            Ok(reply),
        )
        .press("alt-2")
}

fn page(columns: u16, rows: u16) -> Screen {
    page_with(columns, rows, many(), offer())
}

/// To the row of this label: its line has the marker.
fn to(mut screen: Screen, label: &str) -> Screen {
    let marked = format!("▎ {label}");
    for key in ["tab", "shift-tab"] {
        // The end of the page leads to another one.
        for _ in 0..40 {
            if screen.sees(&marked) {
                return screen;
            }
            screen = screen.press(key);
            if screen.panel::<Launcher>().page() != Page::Allocation {
                screen = screen.press("alt-2");
                break;
            }
        }
    }
    panic!("no row {label}\n{}", screen.text());
}

/// The same where there are accelerators.
fn gpus(columns: u16, rows: u16) -> Screen {
    let screen = to(page(columns, rows), "Resource group").press("right right");
    assert!(screen.sees("gpu-a100"), "{}", screen.text());
    screen
}

fn request(screen: &Screen) -> &LaunchRequest {
    screen.panel::<Launcher>().request()
}
