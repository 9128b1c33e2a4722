//! The stack of open panels.

use super::{AnyPanel, Panel, PanelEnv};

/// A type of panel, to find an open one of it.
pub trait PanelType: Sized {
    fn of(panel: &AnyPanel) -> Option<&Self>;
    fn of_mut(panel: &mut AnyPanel) -> Option<&mut Self>;
}

/// Defines the panel of any type, from the table of all panels.
macro_rules! panels {
    (
        prompts { $($prompt:ident($line:ty),)* }
        dialogs { $($dialog:ident($state:ty),)* }
    ) => {
        panels! { $($prompt($line),)* $($dialog($state),)* }
    };
    ($($name:ident($state:ty),)*) => {
        /// A panel of any type. `view::panels` draws it.
        #[derive(Debug)]
        pub enum AnyPanel {
            $($name(Box<$state>),)*
        }

        /// The layers of the panels, the lowest first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        enum Layer {
            $($name,)*
        }

        impl AnyPanel {
            fn layer(&self) -> Layer {
                match self {
                    $(Self::$name(_) => Layer::$name,)*
                }
            }

            pub fn panel(&self) -> &dyn Panel {
                match self {
                    $(Self::$name(it) => &**it,)*
                }
            }

            fn panel_mut(&mut self) -> &mut dyn Panel {
                match self {
                    $(Self::$name(it) => &mut **it,)*
                }
            }
        }

        $(
            impl From<$state> for AnyPanel {
                fn from(it: $state) -> Self {
                    Self::$name(Box::new(it))
                }
            }

            impl PanelType for $state {
                fn of(panel: &AnyPanel) -> Option<&Self> {
                    match panel {
                        AnyPanel::$name(it) => Some(it),
                        _ => None,
                    }
                }

                fn of_mut(panel: &mut AnyPanel) -> Option<&mut Self> {
                    match panel {
                        AnyPanel::$name(it) => Some(it),
                        _ => None,
                    }
                }
            }
        )*
    };
}
pub(super) use panels;

/// The open panels in the order of their layers, the top one last. It has the keys and closes first.
#[derive(Debug, Default)]
pub struct Panels {
    open: Vec<AnyPanel>,
}

impl Panels {
    /// Opens a panel on its layer. Another one of its type closes.
    pub fn push(&mut self, panel: impl Into<AnyPanel>) {
        let panel = panel.into();
        let layer = panel.layer();
        self.open.retain(|it| it.layer() != layer);
        let at = self.open.partition_point(|it| it.layer() < layer);
        self.open.insert(at, panel);
    }

    /// The panel on top. Prompts are a line of the sessions view, so they aren't shown in other views.
    pub fn top(&self, with_prompts: bool) -> Option<&AnyPanel> {
        let shown = |it: &&AnyPanel| with_prompts || it.panel().prompt().is_none();
        self.open.last().filter(shown)
    }

    pub fn top_mut(&mut self, with_prompts: bool) -> Option<&mut dyn Panel> {
        self.top(with_prompts)?;
        Some(self.open.last_mut()?.panel_mut())
    }

    /// The dialog on top.
    pub fn dialog(&self) -> Option<&AnyPanel> {
        self.top(false)
    }

    /// The top prompt, even with dialogs above it.
    pub fn prompt(&self) -> Option<&AnyPanel> {
        let mut prompts = self.open.iter().rev();
        prompts.find(|it| it.panel().prompt().is_some())
    }

    /// The problem with a typed text.
    pub fn problem(&self) -> Option<String> {
        let mut open = self.open.iter().rev();
        open.find_map(|it| it.panel().problem())
    }

    /// Closes all panels.
    pub fn clear(&mut self) {
        self.open.clear();
    }

    /// Closes the panel on top.
    pub fn pop(&mut self) {
        self.open.pop();
    }

    pub fn get<P: PanelType>(&self) -> Option<&P> {
        self.open.iter().find_map(P::of)
    }

    pub fn get_mut<P: PanelType>(&mut self) -> Option<&mut P> {
        self.open.iter_mut().find_map(P::of_mut)
    }

    pub fn is_open<P: PanelType>(&self) -> bool {
        self.get::<P>().is_some()
    }

    /// Closes the panel of a type. Returns `false` if none was open.
    pub fn close<P: PanelType>(&mut self) -> bool {
        let before = self.open.len();
        self.open.retain(|it| P::of(it).is_none());
        self.open.len() < before
    }

    pub fn update(&mut self, env: &PanelEnv<'_>) {
        for it in &mut self.open {
            it.panel_mut().update(env);
        }
    }
}
