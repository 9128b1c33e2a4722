//! Images of a manager as environments.

pub(super) mod environments;
pub(super) mod image_labels;
pub(super) mod reference;
