//! Writes `default` into `contexts.toml`, and changes nothing else in the file.

use std::path::Path;

use crate::{
    cli::fail::{Fail, code},
    config::edit,
    model::id::ContextName,
};

/// Makes `context` the default of this file. Creates the file if it doesn't exist.
pub fn write(file: &Path, context: ContextName) -> Result<(), Fail> {
    edit::set_text(file, None, "default", context.as_str()).map_err(|mut why| {
        let hint = why.help.take();
        let fail = Fail::new(code::FAILED, why.to_string());
        fail.hint(hint.unwrap_or_else(|| tr!("correct the file, then try again").to_owned()))
    })
}
