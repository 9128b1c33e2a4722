//! Real daemon processes on the real engine: killed at every point, two side by side, as another user.

mod commands;
mod disk;
mod engine;
mod faults;
mod hung;
mod instances;
mod modes;
mod outside;
mod permissions;
mod pull_refusals;
mod pulls;
mod remains;
mod survival;
mod upgrade;
