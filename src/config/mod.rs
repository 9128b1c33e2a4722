//! Where settings come from: embedded defaults, the site's file, the person's file, the environment.
//!
//! Reading and checking with file, line, column and "did you mean"; the result is
//! [`crate::model::settings::Settings`] and a list of [`Problem`]s. A broken file is rejected whole.

mod amount;
pub mod contexts;
pub mod document;
pub mod environments;
#[cfg(test)]
mod fuzz;
pub mod layer;
pub mod library;
pub mod machine;
pub mod origin;
pub mod paths;
pub mod person;
pub mod reading;
pub mod recipe;
pub mod resources;
mod rows;
pub mod saving;
pub mod setting;
mod writing;

pub use crate::model::problem::Problem;
