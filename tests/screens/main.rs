//! The sessions page as a user sees it: keys in, cells out, panel by panel.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper of a test may end the test"
)]

mod allocation;
mod anything;
mod apps;
mod asked;
mod cluster;
mod contexts;
mod control_room;
mod custom_commands;
mod dashboard;
mod described;
mod each_state;
mod ending;
mod environments;
mod every_key;
mod explorer;
mod explorer_reconnects;
mod explorer_transfers;
mod filtering;
mod folders;
mod fresh;
mod grouping;
mod idle;
mod kept;
mod korean;
mod launcher;
mod layouts;
mod list;
mod marks;
mod notices;
mod open_apps;
mod outcomes;
mod overlays;
mod overview;
mod paging;
mod palette;
mod panes;
mod port_board;
mod ports;
mod pulls;
mod rescuing;
mod same_home;
mod scheduling;
mod screen;
mod sessions_of_a_cluster;
mod settings;
mod states;
mod statistics;
mod steps;
mod terminals;
mod terminals_of_a_cluster;
mod themes;
mod toasts;
mod tour;
mod usage;
mod usage_of_containers;
mod variables;
mod whynot;
mod windows;
mod world;
