//! What the emulator shows to the painter.

use std::sync::Arc;

use crate::terminal::{attributes::Attributes, link::Link};

/// One cell. The text is empty for a blank cell and may contain combining characters. It is as the child sent
/// it: the painter cleans it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalCell<'a> {
    pub text: &'a str,
    pub width: CellWidth,
    pub look: Attributes,
    pub link: Option<&'a Arc<Link>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellWidth {
    One,
    /// The left half of a wide character.
    Two,
    /// The right half of the wide character before it.
    Continuation,
}

/// The position of the child's cursor while it is visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub column: u16,
    pub row: u16,
}

/// Cursor shapes in the order of their numbers (`CSI n SP q`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CursorShape {
    /// The default of the user's terminal.
    #[default]
    Default,
    BlinkingBlock,
    Block,
    BlinkingUnderline,
    Underline,
    BlinkingBar,
    Bar,
}

impl From<vt100::CursorStyle> for CursorShape {
    fn from(style: vt100::CursorStyle) -> Self {
        match style {
            vt100::CursorStyle::Default => Self::Default,
            vt100::CursorStyle::BlinkBlock => Self::BlinkingBlock,
            vt100::CursorStyle::SteadyBlock => Self::Block,
            vt100::CursorStyle::BlinkUnderline => Self::BlinkingUnderline,
            vt100::CursorStyle::SteadyUnderline => Self::Underline,
            vt100::CursorStyle::BlinkVerticalBar => Self::BlinkingBar,
            vt100::CursorStyle::SteadyVerticalBar => Self::Bar,
        }
    }
}
