//! Reads the settings: embedded defaults, the system-wide file, the user's file, the environment.
//!
//! Problems have a file, line, column and "did you mean". The result is [`crate::model::settings::Settings`]
//! and a list of [`Problem`]s. A file that can't be parsed is rejected as a whole.

mod amount;
mod app_values;
mod commands;
pub mod config_file;
pub mod contexts;
pub mod document;
pub mod edit;
pub mod editing;
pub mod environments;
mod folder_values;
#[cfg(test)]
mod fuzz;
pub mod languages;
pub mod layer;
pub mod library;
pub mod machine;
pub mod meaning;
pub mod origin;
pub mod paths;
pub mod recipe;
pub mod resources;
pub mod saving;
pub mod setting;
mod setting_values;
mod table_rows;
pub mod user;
mod writing;

pub use crate::model::problem::Problem;
