//! Explains the cards of the review, and the launch.

use super::{HelpEntry, Page, entry};

pub(super) fn entry_of(page: Page) -> HelpEntry {
    match page {
        Page::Kind => entry(
            page.title(),
            tr!(
                "Session type, name and priority. For a batch session also its command, start time and timeout. Enter edits the page and returns to this one."
            ),
            "",
            tr!("a batch session needs a command"),
        ),
        Page::Allocation => entry(
            page.title(),
            tr!(
                "Environment, resources of each container, variables and number of sessions. Enter edits the page and returns to this one."
            ),
            "",
            tr!(
                "within the limits of the environment, the group and your policy; if there isn't enough room, the session waits"
            ),
        ),
        Page::Storage => entry(
            page.title(),
            tr!(
                "Folders that outlive the session, and their paths in it. Other files aren't kept permanently. Enter edits the page and returns to this one."
            ),
            "",
            tr!("one folder per path; a launch without folders asks for confirmation"),
        ),
        Page::Network => entry(
            page.title(),
            tr!(
                "Ports of programs in the session that you want to reach. Enter edits the page and returns to this one."
            ),
            "",
            tr!("1024 to 65535, not a service port of the environment"),
        ),
        Page::Review => entry(
            tr!("Launch"),
            tr!(
                "The session waits in the queue as PENDING and starts when there is enough room: the highest priority first, then the oldest. The launcher closes, and a notification shows the result with the keys for a shell and the log. If you close workbay, the session continues."
            ),
            "",
            tr!("no page has problems (cards with problems are red)"),
        ),
    }
}
