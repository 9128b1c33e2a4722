//! The subscription to changes of a screen.

/// The name of the subscription. tmux reports its value with it.
pub const SCREEN_NAME: &str = "workbay-screen";

/// A format that begins with the size of the screen and changes with its content. Output at one place within one
/// second may not change it.
pub const SCREEN: &str = "#{pane_width}x#{pane_height} #{window_index} #{pane_id} #{window_activity} \
    #{history_size} #{history_bytes} #{cursor_x} #{cursor_y} #{pane_in_mode}";

/// The largest screen that is read.
const MOST: u16 = 1000;

/// The size of a screen, in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScreenSize {
    pub columns: u16,
    pub rows: u16,
    /// The screen is read once more, to find what was printed right after the last report.
    pub confirms: bool,
}

impl ScreenSize {
    /// Reads the parameters of `%subscription-changed`: `workbay-screen $0 @1 1 %2 : 80x24 …`. `None` if they are of
    /// another subscription.
    #[must_use]
    pub fn read(parameters: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(parameters).ok()?;
        let (name, rest) = text.split_once(' ')?;
        let (_, value) = rest.split_once(" : ")?;
        let (columns, rows) = value.split(' ').next()?.split_once('x')?;
        let size = |text: &str| text.parse().ok().filter(|size| (1..=MOST).contains(size));
        (name == SCREEN_NAME).then_some(())?;
        Some(Self {
            columns: size(columns)?,
            rows: size(rows)?,
            confirms: false,
        })
    }

    #[must_use]
    pub fn confirming(self) -> Self {
        Self {
            confirms: true,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_read_from_our_subscription_only() {
        let size = |text: &str| ScreenSize::read(text.as_bytes()).map(|it| (it.columns, it.rows));
        let of = "workbay-screen $0 @1 1 %2 : 120x40 1 %2 1764255600 0 0 3 1 0";
        assert_eq!(size(of), Some((120, 40)));
        for wrong in [
            "workbay $0 @1 1 %2 : 80x24 1",
            "workbay-screen $0 @1 1 %2 : 0x24 1",
            "workbay-screen $0 @1 1 %2 : 80x99999 1",
            "workbay-screen $0",
            "",
        ] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
    }
}
