//! The list of all named styles. A face without a style inherits the style of its parent.

use crate::model::status::Tone;

macro_rules! faces {
    ($( $variant:ident $name:literal $parent:ident )+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Face { $($variant,)+ }

        impl Face {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name in theme files.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The face whose style it inherits. The root is its own parent.
            pub fn parent(self) -> Self {
                match self { $(Self::$variant => Self::$parent,)+ }
            }
        }
    };
}

faces! {
    Text "text" Text
    Screen "screen" Text
    Dim "text.dim" Text
    Strong "text.strong" Text
    Accent "accent" Strong
    Header "header" Text
    HeaderBrand "header.brand" Accent
    HeaderInfo "header.info" Dim
    Tab "tab" Dim
    TabActive "tab.active" Accent
    TabCount "tab.count" Dim
    TableHead "table.head" Dim
    TableSorted "table.sorted" Accent
    Row "row" Text
    RowSelected "row.selected" Row
    RowMarker "row.marker" Accent
    Match "match" Accent
    StatusProgress "status.progress" Text
    StatusGood "status.good" Text
    StatusEnding "status.ending" Dim
    StatusEnded "status.ended" Dim
    StatusBad "status.bad" Text
    Bar "bar" Dim
    BarOthers "bar.others" Label
    BarNormal "bar.normal" StatusGood
    BarWarning "bar.warning" Warning
    BarCritical "bar.critical" Bad
    FileDirectory "file.directory" Strong
    FileLink "file.link" Info
    FileSpecial "file.special" Warning
    FileChosen "file.chosen" Accent
    Border "border" Dim
    BorderFocused "border.focused" Accent
    Title "title" Strong
    Label "label" Dim
    Value "value" Text
    Key "key" Accent
    Hint "hint" Dim
    Input "input" Text
    InputFocused "input.focused" Accent
    InputMarked "input.marked" ButtonActive
    InputError "input.error" Bad
    Placeholder "placeholder" Dim
    Button "button" Text
    ButtonActive "button.active" Accent
    ButtonDanger "button.danger" Bad
    Info "info" Text
    Success "success" StatusGood
    Warning "warning" Text
    Bad "error" Text
    Toast "toast" Text
    Dialog "dialog" Text
    Scrollbar "scrollbar" Dim
    LogStderr "log.stderr" Warning
    PaneStatus "pane.status" Dim
    Shade "shade" Dim
    Context1 "context.1" Accent
    Context2 "context.2" Accent
    Context3 "context.3" Accent
    Context4 "context.4" Accent
    Context5 "context.5" Accent
    Context6 "context.6" Accent
}

impl Face {
    /// The default colors of contexts, in order.
    pub const CONTEXTS: [Self; 6] = [
        Self::Context1,
        Self::Context2,
        Self::Context3,
        Self::Context4,
        Self::Context5,
        Self::Context6,
    ];
}

impl From<Tone> for Face {
    fn from(tone: Tone) -> Self {
        match tone {
            Tone::Progress => Self::StatusProgress,
            Tone::Good => Self::StatusGood,
            Tone::Ending => Self::StatusEnding,
            Tone::Ended => Self::StatusEnded,
            Tone::Bad => Self::StatusBad,
            Tone::Neutral => Self::Text,
        }
    }
}
