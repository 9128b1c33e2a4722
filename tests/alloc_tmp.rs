#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]
#[path = "screens/allocation.rs"]
mod allocation;
#[path = "screens/cluster.rs"]
mod cluster;
#[path = "screens/screen.rs"]
mod screen;
#[path = "screens/world.rs"]
mod world;
