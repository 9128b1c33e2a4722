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
