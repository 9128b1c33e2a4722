//! QR codes of two modules in each cell, one above the other.

use qrcode::{EcLevel, QrCode};
use ratatui::{
    layout::Rect,
    style::{Color, Style},
};

use super::paint::Paint;

/// Light modules around the code, which readers need.
const QUIET: u16 = 2;

pub struct Qr {
    /// Modules of a side, without the quiet zone.
    side: u16,
    /// Whether each module is dark, row by row.
    dark: Vec<bool>,
}

impl Qr {
    /// `None` if the text is too long.
    pub fn new(text: &str) -> Option<Self> {
        let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
        let side = u16::try_from(code.width()).ok()?;
        let dark = code.into_colors().into_iter();
        Some(Self {
            side,
            dark: dark.map(|color| color == qrcode::Color::Dark).collect(),
        })
    }

    /// Columns and rows of cells.
    pub fn size(&self) -> (u16, u16) {
        let all = self.side + 2 * QUIET;
        (all, all.div_ceil(2))
    }

    fn is_dark(&self, x: u16, y: u16) -> bool {
        let (Some(x), Some(y)) = (x.checked_sub(QUIET), y.checked_sub(QUIET)) else {
            return false;
        };
        let at = usize::from(y) * usize::from(self.side) + usize::from(x);
        x < self.side && self.dark.get(at).copied().unwrap_or(false)
    }

    /// Draws it in the middle of an area, which must have room for it. Readers need dark modules on light ones in
    /// every theme.
    pub fn draw(&self, paint: &mut Paint<'_>, area: Rect) {
        let (columns, rows) = self.size();
        let left = area.x + area.width.saturating_sub(columns) / 2;
        let color = |dark| if dark { Color::Black } else { Color::White };
        for y in 0..rows {
            for x in 0..columns {
                let [upper, lower] = [2 * y, 2 * y + 1].map(|y| color(self.is_dark(x, y)));
                let style = Style::new().fg(upper).bg(lower);
                paint.styled(left + x, area.y + y, 1, "▀", style);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        theme::{Theme, color::ColorDepth},
        view::{glyphs::Glyphs, surface::Surface},
    };

    /// Pixels of a side of a module.
    const SCALE: usize = 4;

    #[test]
    fn a_reader_finds_the_url_in_the_drawn_cells() {
        let url = "http://192.168.100.200:10250/tree?workbay_token=b0yQ-3VjH_8sK2";
        let qr = Qr::new(url).unwrap();
        let (columns, rows) = qr.size();
        for name in ["default-dark", "default-light"] {
            let theme = Theme::builtin(name, ColorDepth::TrueColor).unwrap();
            let area = Rect::new(0, 0, columns, rows);
            let mut surface = Surface::empty(area);
            qr.draw(
                &mut Paint::new(&mut surface, &theme, Glyphs::choose(true)),
                area,
            );
            let is_dark = |x: usize, y: usize| {
                let at = |it: usize| u16::try_from(it / SCALE).unwrap();
                let cell = &surface.buffer[(at(x), at(y) / 2)];
                let color = if at(y) % 2 == 0 { cell.fg } else { cell.bg };
                color == Color::Black
            };
            let (width, height) = (usize::from(columns) * SCALE, usize::from(rows) * 2 * SCALE);
            let gray = |x, y| if is_dark(x, y) { 0 } else { 255 };
            let mut image = rqrr::PreparedImage::prepare_from_greyscale(width, height, gray);
            let found = image.detect_grids();
            assert_eq!(found.len(), 1, "{name}");
            assert_eq!(found[0].decode().unwrap().1, url, "{name}");
        }
    }

    #[test]
    fn a_url_fits_in_a_small_terminal() {
        let qr = Qr::new("http://192.168.100.200:10250/tree").unwrap();
        let (columns, rows) = qr.size();
        assert!(columns <= 60 && rows <= 18, "{columns}x{rows}");
        // The finder pattern in the top left corner, inside the quiet zone.
        assert!(!qr.is_dark(1, 2) && qr.is_dark(2, 2) && qr.is_dark(8, 8));
        assert!(Qr::new(&"x".repeat(5_000)).is_none());
    }
}
