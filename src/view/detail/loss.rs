//! The files of a running session that aren't in a folder.

use super::{DetailLine, DetailView, wrapped_row};
use crate::{rules::loss, theme::face::Face};

/// Returns no lines while the files aren't known, or if there are none.
pub fn lines(view: &DetailView<'_>) -> Vec<DetailLine> {
    let unsaved = view.detail.unsaved().filter(|it| !it.is_empty());
    let Some(unsaved) = unsaved.filter(|_| view.session.status.is_live()) else {
        return Vec::new();
    };
    let mut lines = vec![
        Vec::new(),
        vec![(tr!("Files outside folders").to_owned(), Face::Title)],
    ];
    for (label, text) in [
        (tr!("Lost at end"), loss::lost(unsaved)),
        (tr!("Kept"), loss::kept(unsaved)),
    ] {
        lines.extend(
            text.into_iter()
                .flat_map(|text| wrapped_row(label, &text, view.width)),
        );
    }
    let largest = unsaved.largest();
    if let Some((file, _)) = largest.first() {
        let text = format!("/{} ({})", file.path, file.size);
        lines.extend(wrapped_row(tr!("Largest"), &text, view.width));
    }
    lines
}
