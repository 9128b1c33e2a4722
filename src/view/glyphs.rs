//! The drawing characters in Unicode or plain ASCII, chosen once for each client.

use super::spark::Form;
use crate::{
    app::facts::Facts,
    model::{
        settings::ChartStyle,
        status::{Status, Tone},
    },
};

/// All characters for drawing except letters. The width of the shapes is reliable: no locale treats them as
/// wide. The box and block characters are available in every terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glyphs {
    pub marker: &'static str,
    pub bar_full: &'static str,
    pub bar_empty: &'static str,
    /// The part that others use.
    pub bar_others: &'static str,
    /// For two bars in one line: only the upper one, only the lower one, both, none.
    pub halves: [&'static str; 4],
    /// A mark across a bar.
    pub tick: &'static str,
    pub rule: &'static str,
    pub rule_active: &'static str,
    pub vertical: &'static str,
    /// Top left, top right, bottom left, bottom right.
    pub corners: [&'static str; 4],
    /// A vertical line that meets a horizontal one from the right, from the left, from both sides, or from
    /// both sides at its upper end.
    pub junctions: [&'static str; 4],
    pub ellipsis: &'static str,
    pub dot: &'static str,
    pub to: &'static str,
    /// The mark of a folded group, and of an unfolded one.
    pub folded: &'static str,
    pub unfolded: &'static str,
    /// The line to a container in a tree, and to the last one.
    pub branches: [&'static str; 2],
    pub up: &'static str,
    pub down: &'static str,
    pub on: &'static str,
    pub off: &'static str,
    /// Shows that the left and right keys choose another value.
    pub turning: &'static str,
    /// Replaces a line break in a text that is shown in one line.
    pub line_break: &'static str,
    /// Replaces a character of a secret.
    pub masked: &'static str,
    /// A step that is done, has a problem, or hasn't been visited.
    pub marks: [&'static str; 3],
    /// Marks success; `wrong` marks failure.
    pub right: &'static str,
    pub wrong: &'static str,
    /// A directory, a file, a link, and anything else.
    pub files: [&'static str; 4],
    /// The characters of sparklines.
    pub spark: Form,
    pub shapes: Shapes,
}

/// One shape for each kind of status, so that color is never the only sign.
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
    folded: "▸",
    unfolded: "▾",
    branches: ["├─", "╰─"],
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
    files: ["▸", " ", "↗", "∙"],
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
    folded: "+",
    unfolded: "-",
    branches: ["|-", "`-"],
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
    files: ["/", " ", "@", "?"],
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

/// Charts of half blocks, which more fonts have than dots.
pub const BLOCKS: Glyphs = Glyphs {
    halves: ["▀", "▄", "█", "─"],
    spark: Form::Ramp(&["▄", "█"]),
    ..UNICODE
};

/// Charts of plain characters in a frame of others.
const PLAIN_CHARTS: Glyphs = Glyphs {
    halves: ASCII.halves,
    spark: ASCII.spark,
    ..UNICODE
};

impl Glyphs {
    #[must_use]
    pub fn choose(unicode: bool) -> &'static Self {
        if unicode { &UNICODE } else { &ASCII }
    }

    /// The characters that the settings and the terminal allow.
    #[must_use]
    pub fn of(facts: &Facts) -> &'static Self {
        match facts.charts {
            _ if !facts.unicode => &ASCII,
            ChartStyle::Auto | ChartStyle::Braille => &UNICODE,
            ChartStyle::Blocks => &BLOCKS,
            ChartStyle::Ascii => &PLAIN_CHARTS,
        }
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
