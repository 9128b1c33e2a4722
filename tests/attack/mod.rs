//! Attacks on the whole program: hostile sessions, kills, damage and floods, each with the promise it checks.
//!
//! `make test` runs a short form on an engine of its own; `scripts/attack` runs the same attacks for longer, and
//! prints what they found as a table.

mod bombs;
mod damage;
mod floods;
mod ground;
mod homes;
mod kills;
mod payloads;
mod promises;
mod report;
