//! The drawing characters, in Unicode or plain ASCII; chosen once per face.

use super::spark::Form;
use crate::model::status::{Status, Tone};

/// Every character we draw with that is not a letter. Shapes are of certain width: none of them is
/// wide in any locale's tables, but for the box and block characters every terminal has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glyphs {
    pub marker: &'static str,
    pub bar_full: &'static str,
    pub bar_empty: &'static str,
    /// What others hold.
    pub bar_others: &'static str,
    /// Of two bars in one line: only the upper one, only the lower one, both, none.
    pub halves: [&'static str; 4],
    /// A mark across a bar.
    pub tick: &'static str,
    pub rule: &'static str,
    pub rule_active: &'static str,
    pub vertical: &'static str,
    /// Top left, top right, bottom left, bottom right.
    pub corners: [&'static str; 4],
    /// A line upwards and downwards that another meets from the right, from the left, from both sides, from
    /// both at its upper end.
    pub junctions: [&'static str; 4],
    pub ellipsis: &'static str,
    pub dot: &'static str,
    pub to: &'static str,
    pub up: &'static str,
    pub down: &'static str,
    pub on: &'static str,
    pub off: &'static str,
    /// Left and right choose another value.
    pub turning: &'static str,
    /// A line break within what is shown in one line.
    pub line_break: &'static str,
    /// A character of a secret.
    pub masked: &'static str,
    /// A step that is done, one with a problem, one not seen.
    pub marks: [&'static str; 3],
    /// It ended as it should; it failed.
    pub right: &'static str,
    pub wrong: &'static str,
    /// What sparklines are made of.
    pub spark: Form,
    pub shapes: Shapes,
}

/// One shape a kind of status, so that colour is never the only sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shapes {
    pub progress: &'static str,
    pub good: &'static str,
    pub ending: &'static str,
    pub ended: &'static str,
    pub bad: &'static str,
    pub neutral: &'static str,
}

pub const UNICODE: Glyphs = Glyphs {
    marker: "▎",
    bar_full: "━",
    bar_empty: "─",
    bar_others: "╍",
    halves: ["⠛", "⣤", "⣿", "⠒"],
    tick: "┿",
    rule: "─",
    rule_active: "━",
    vertical: "│",
    corners: ["╭", "╮", "╰", "╯"],
    junctions: ["├", "┤", "┼", "┬"],
    ellipsis: "…",
    dot: "·",
    to: "▸",
    up: "▴",
    down: "▾",
    on: "▪",
    off: "▫",
    turning: "‹ ›",
    line_break: "⏎",
    masked: "∙",
    marks: ["▪", "▴", "▫"],
    right: "✓",
    wrong: "✗",
    spark: Form::Braille,
    shapes: Shapes {
        progress: "▸",
        good: "▪",
        ending: "▾",
        ended: "▫",
        bad: "▴",
        neutral: "∙",
    },
};

pub const ASCII: Glyphs = Glyphs {
    marker: ">",
    bar_full: "=",
    bar_empty: "-",
    bar_others: "~",
    halves: ["'", ".", ":", "-"],
    tick: "|",
    rule: "-",
    rule_active: "=",
    vertical: "|",
    corners: ["+", "+", "+", "+"],
    junctions: ["+", "+", "+", "+"],
    ellipsis: "...",
    dot: "-",
    to: ">",
    up: "^",
    down: "v",
    on: "x",
    off: " ",
    turning: "< >",
    line_break: "\\n",
    masked: "*",
    marks: ["*", "!", "-"],
    right: "+",
    wrong: "x",
    spark: Form::Ramp(&[".", ":", "-", "=", "+", "*", "#"]),
    shapes: Shapes {
        progress: ">",
        good: "*",
        ending: "v",
        ended: "-",
        bad: "!",
        neutral: "?",
    },
};

impl Glyphs {
    #[must_use]
    pub fn choose(unicode: bool) -> &'static Self {
        if unicode { &UNICODE } else { &ASCII }
    }

    pub fn shape(&self, status: &Status) -> &'static str {
        match status.tone() {
            Tone::Progress => self.shapes.progress,
            Tone::Good => self.shapes.good,
            Tone::Ending => self.shapes.ending,
            Tone::Ended => self.shapes.ended,
            Tone::Bad => self.shapes.bad,
            Tone::Neutral => self.shapes.neutral,
        }
    }
}
