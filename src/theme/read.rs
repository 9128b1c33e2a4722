//! Reads theme files: `inherits`, `[palette]`, `[style]`.

use ratatui::style::{Color, Modifier, Style};

use super::{color, face::Face};
use crate::config::document::{Document, DocumentEntry, DocumentFault, Item, Value};

/// The content of a chain of theme files. Later files override earlier ones.
#[derive(Debug, Default)]
pub struct Sheet {
    palette: Vec<(String, Color)>,
    /// Each face's own style as written. Colors are looked up after all files are read, so that a child's
    /// palette also changes inherited styles.
    styles: Vec<(Face, Written)>,
}

#[derive(Clone, Debug, Default)]
struct Written {
    fg: Option<String>,
    bg: Option<String>,
    underline: Option<String>,
    modifiers: Modifier,
}

const TOP: [&str; 3] = ["inherits", "palette", "style"];
const FIELDS: [&str; 8] = [
    "fg",
    "bg",
    "bold",
    "dim",
    "italic",
    "underline",
    "reverse",
    "underline-color",
];

impl Sheet {
    /// Adds a file. Returns the faults.
    pub fn add(&mut self, document: &Document) -> Vec<DocumentFault> {
        let mut faults = Vec::new();
        for entry in document.entries() {
            if !TOP.contains(&entry.key.as_str()) {
                faults.push(DocumentFault::unknown(entry.at, "table", &entry.key, TOP));
            }
        }
        for (key, take) in [
            (
                "palette",
                Self::take_color as fn(&mut Self, &DocumentEntry) -> Result<(), DocumentFault>,
            ),
            ("style", Self::take_style),
        ] {
            let Some(item) = document.get(key) else {
                continue;
            };
            match item.table() {
                Ok(entries) => {
                    faults.extend(entries.iter().filter_map(|entry| take(self, entry).err()));
                }
                Err(fault) => faults.push(fault),
            }
        }
        faults
    }

    pub fn palette(&self) -> impl Iterator<Item = (&str, Color)> {
        self.palette
            .iter()
            .map(|(name, color)| (name.as_str(), *color))
    }

    /// The face's own style.
    pub fn style(&self, face: Face) -> Option<Style> {
        let (_, written) = self.styles.iter().find(|(name, _)| *name == face)?;
        let mut style = Style::new().add_modifier(written.modifiers);
        style.fg = written.fg.as_deref().and_then(|name| self.color(name));
        style.bg = written.bg.as_deref().and_then(|name| self.color(name));
        style.underline_color = written
            .underline
            .as_deref()
            .and_then(|name| self.color(name));
        Some(style)
    }

    fn color(&self, name: &str) -> Option<Color> {
        let found = self.palette.iter().find(|(known, _)| known == name);
        found
            .map(|(_, color)| *color)
            .or_else(|| index(name))
            .or_else(|| color::parse(name))
    }

    fn take_color(&mut self, entry: &DocumentEntry) -> Result<(), DocumentFault> {
        let color = match &entry.item.value {
            Value::Text(text) => color::parse(text),
            Value::Integer(number) => u8::try_from(*number).ok().map(Color::Indexed),
            _ => return Err(entry.item.mismatch(tr!("a color"))),
        };
        let Some(color) = color else {
            return Err(self.no_color(&entry.item));
        };
        self.palette.retain(|(name, _)| *name != entry.key);
        self.palette.push((entry.key.clone(), color));
        Ok(())
    }

    fn take_style(&mut self, entry: &DocumentEntry) -> Result<(), DocumentFault> {
        let Some(face) = Face::ALL.iter().find(|face| face.name() == entry.key) else {
            let known = Face::ALL.iter().map(|face| face.name());
            return Err(DocumentFault::unknown(entry.at, "style", &entry.key, known));
        };
        let written = match &entry.item.value {
            Value::Table(fields) => self.fields(fields)?,
            Value::Text(_) | Value::Integer(_) => Written {
                fg: Some(self.color_name(&entry.item)?),
                ..Written::default()
            },
            _ => {
                let form = "{ fg = \"red\" }";
                let expected = tr!("a color or a table like {form}", form);
                return Err(entry.item.mismatch(&expected));
            }
        };
        self.styles.retain(|(name, _)| name != face);
        self.styles.push((*face, written));
        Ok(())
    }

    fn fields(&self, fields: &[DocumentEntry]) -> Result<Written, DocumentFault> {
        let mut written = Written::default();
        for field in fields {
            let item = &field.item;
            let modifier = match field.key.as_str() {
                "fg" => {
                    written.fg = Some(self.color_name(item)?);
                    continue;
                }
                "bg" => {
                    written.bg = Some(self.color_name(item)?);
                    continue;
                }
                "underline-color" => {
                    written.underline = Some(self.color_name(item)?);
                    continue;
                }
                "bold" => Modifier::BOLD,
                "dim" => Modifier::DIM,
                "italic" => Modifier::ITALIC,
                "underline" => Modifier::UNDERLINED,
                "reverse" => Modifier::REVERSED,
                other => return Err(DocumentFault::unknown(field.at, "field", other, FIELDS)),
            };
            written.modifiers.set(modifier, item.boolean()?);
        }
        Ok(written)
    }

    /// The name of a color as it is written, after checking that the color exists.
    fn color_name(&self, item: &Item) -> Result<String, DocumentFault> {
        let name = match &item.value {
            Value::Text(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            _ => return Err(item.mismatch(tr!("a color"))),
        };
        if self.color(&name).is_some() {
            Ok(name)
        } else {
            Err(self.no_color(item))
        }
    }

    fn no_color(&self, item: &Item) -> DocumentFault {
        let name = match &item.value {
            Value::Text(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            _ => return item.mismatch(tr!("a color")),
        };
        let own = self.palette.iter().map(|(name, _)| name.as_str());
        let known: Vec<&str> = own
            .chain(color::NAMED.iter().map(|(name, _)| *name))
            .collect();
        let fault = DocumentFault::unknown(item.at, "color", &name, known);
        match fault.help {
            Some(_) => fault,
            None => fault.help(tr!(
                "a name of [palette], \"#rrggbb\", 0 to 255, or red, bright-blue, default …"
            )),
        }
    }
}

fn index(name: &str) -> Option<Color> {
    name.parse().ok().map(Color::Indexed)
}
