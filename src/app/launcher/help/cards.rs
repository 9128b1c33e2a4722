//! What the cards of the review mean, and the launch.

use super::{Entry, Page, entry};

pub(super) fn entry_of(page: Page) -> Entry {
    match page {
        Page::Kind => entry(
            page.title(),
            "What is launched and what it is called; of a batch session its command, when it starts and how long it may run. Enter goes there, and back here.",
            "",
            "a batch session needs a command",
        ),
        Page::Allocation => entry(
            page.title(),
            "The programs inside, what each container gets, variables, and how many are launched. Enter goes there, and back here.",
            "",
            "within the limits of the environment, the group and your policy; what is not free now is waited for",
        ),
        Page::Storage => entry(
            page.title(),
            "Folders that outlive the session, and their paths inside it. Other files are deleted after the session ends. Enter goes there, and back here.",
            "",
            "no two at one place; launching without any is asked once more",
        ),
        Page::Network => entry(
            page.title(),
            "Ports of programs inside that are to be reached from outside. Enter goes there, and back here.",
            "",
            "1024 to 65535, none of a service of the environment",
        ),
        Page::Review => entry(
            "Launch",
            "The session is recorded and waits in the queue as PENDING. It starts as soon as there is room for it: the highest priority first, then who came first. The launcher closes; a message says what became of it and names the keys for its terminal and its log. Closing workbay stops nothing.",
            "",
            "nothing is wrong on any page; the cards that are red say what is",
        ),
    }
}
