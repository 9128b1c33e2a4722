//! Images on this engine as objects: created from sessions (`commit`, with its settings from `config`), listed and
//! removed (`stored`), sent to registries and files (`transfer`).

mod commit;
mod config;
mod stored;
mod transfer;

pub(in crate::engine::docker) use self::commit::remove_leftovers;
pub(super) use self::stored::{customized, is_mine};
