//! The attributes of a cell, and the sequence that sets them (`CSI … m`).

/// A color as the child specified it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Color {
    #[default]
    Default,
    /// 0 to 15 are the user's palette.
    Indexed(u8),
    Rgb(u8, u8, u8),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Underline {
    #[default]
    None,
    Single,
    Double,
    Curly,
    Dotted,
    Dashed,
}

/// The attributes of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attributes {
    pub foreground: Color,
    pub background: Color,
    pub underline_color: Color,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: Underline,
    pub blink: bool,
    pub reverse: bool,
    /// The cell takes its space and shows nothing.
    pub concealed: bool,
    pub struck: bool,
}

impl Attributes {
    /// Applies the parameters of `CSI … m`, without the bracket and the `m`.
    ///
    /// Values of one attribute may be joined by colons (`4:3`, `38:2::1:2:3`). Colors may also use semicolons
    /// (`38;2;1;2;3`). Unknown values are skipped.
    pub fn select(&mut self, parameters: &[u8]) {
        let mut parameters = parameters.split(|byte| *byte == b';');
        while let Some(parameter) = parameters.next() {
            if parameter.contains(&b':') {
                self.joined(parameter);
            } else {
                self.single(number(parameter).unwrap_or(0), &mut parameters);
            }
        }
    }

    /// The parameters of `CSI … m` that set these attributes, whatever was set before.
    #[must_use]
    pub fn parameters(&self) -> String {
        let mut parameters = vec!["0".to_owned()];
        let switches = [
            (self.bold, "1"),
            (self.dim, "2"),
            (self.italic, "3"),
            (self.blink, "5"),
            (self.reverse, "7"),
            (self.concealed, "8"),
            (self.struck, "9"),
        ];
        let on = switches.iter().filter(|(on, _)| *on);
        parameters.extend(on.map(|(_, code)| (*code).to_owned()));
        match self.underline {
            Underline::None => {}
            Underline::Single => parameters.push("4".to_owned()),
            Underline::Double => parameters.push("4:2".to_owned()),
            Underline::Curly => parameters.push("4:3".to_owned()),
            Underline::Dotted => parameters.push("4:4".to_owned()),
            Underline::Dashed => parameters.push("4:5".to_owned()),
        }
        for (first, color) in [
            (38, self.foreground),
            (48, self.background),
            (58, self.underline_color),
        ] {
            match color {
                Color::Default => {}
                Color::Indexed(index) => parameters.push(format!("{first};5;{index}")),
                Color::Rgb(r, g, b) => parameters.push(format!("{first};2;{r};{g};{b}")),
            }
        }
        parameters.join(";")
    }

    fn single<'a>(&mut self, code: u16, more: &mut impl Iterator<Item = &'a [u8]>) {
        match code {
            0 => *self = Self::default(),
            1 => self.bold = true,
            2 => self.dim = true,
            3 => self.italic = true,
            4 => self.underline = Underline::Single,
            5 | 6 => self.blink = true,
            7 => self.reverse = true,
            8 => self.concealed = true,
            9 => self.struck = true,
            21 => self.underline = Underline::Double,
            22 => (self.bold, self.dim) = (false, false),
            23 => self.italic = false,
            24 => self.underline = Underline::None,
            25 => self.blink = false,
            27 => self.reverse = false,
            28 => self.concealed = false,
            29 => self.struck = false,
            30..=37 => self.foreground = indexed(code - 30),
            38 => self.foreground = spread(more).unwrap_or(self.foreground),
            39 => self.foreground = Color::Default,
            40..=47 => self.background = indexed(code - 40),
            48 => self.background = spread(more).unwrap_or(self.background),
            49 => self.background = Color::Default,
            58 => self.underline_color = spread(more).unwrap_or(self.underline_color),
            59 => self.underline_color = Color::Default,
            90..=97 => self.foreground = indexed(code - 90 + 8),
            100..=107 => self.background = indexed(code - 100 + 8),
            _ => {}
        }
    }

    fn joined(&mut self, parameter: &[u8]) {
        let mut values = [None; 16];
        let mut length = 0;
        for (slot, value) in values.iter_mut().zip(parameter.split(|byte| *byte == b':')) {
            *slot = number(value);
            length += 1;
        }
        // tmux puts an empty value after each value: `4::3`, `58::2::1::2::3`.
        if length > 2 && (1..length).step_by(2).all(|at| values[at].is_none()) {
            for at in 1..length.div_ceil(2) {
                values[at] = values[at * 2];
            }
            length = length.div_ceil(2);
        }
        let values = &values[..length];
        match values[0] {
            Some(4) => self.underline = underline(values[1].unwrap_or(1), self.underline),
            Some(38) => self.foreground = packed(values).unwrap_or(self.foreground),
            Some(48) => self.background = packed(values).unwrap_or(self.background),
            Some(58) => self.underline_color = packed(values).unwrap_or(self.underline_color),
            _ => {}
        }
    }
}

fn underline(style: u16, present: Underline) -> Underline {
    match style {
        0 => Underline::None,
        1 => Underline::Single,
        2 => Underline::Double,
        3 => Underline::Curly,
        4 => Underline::Dotted,
        5 => Underline::Dashed,
        _ => present,
    }
}

fn number(digits: &[u8]) -> Option<u16> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn indexed(number: u16) -> Color {
    Color::Indexed(u8::try_from(number).unwrap_or(u8::MAX))
}

/// `5;N` or `2;R;G;B` after 38, 48 or 58.
fn spread<'a>(more: &mut impl Iterator<Item = &'a [u8]>) -> Option<Color> {
    let mut byte = || u8::try_from(number(more.next()?).unwrap_or(0)).ok();
    match byte()? {
        5 => Some(Color::Indexed(byte()?)),
        2 => Some(Color::Rgb(byte()?, byte()?, byte()?)),
        _ => None,
    }
}

/// `38:5:N`, `38:2:R:G:B` or, with a color space, `38:2::R:G:B`.
fn packed(values: &[Option<u16>]) -> Option<Color> {
    let byte = |value: Option<u16>| u8::try_from(value.unwrap_or(0)).ok();
    match values {
        [_, Some(5), index] => Some(Color::Indexed(byte(*index)?)),
        [_, Some(2), red, green, blue] | [_, Some(2), _, red, green, blue, ..] => {
            Some(Color::Rgb(byte(*red)?, byte(*green)?, byte(*blue)?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(parameters: &str) -> Attributes {
        let mut look = Attributes::default();
        look.select(parameters.as_bytes());
        look
    }

    #[test]
    fn every_attribute_is_set_and_taken_back() {
        for (on, off) in [
            ("1", "22"),
            ("2", "22"),
            ("3", "23"),
            ("4", "24"),
            ("4:3", "4:0"),
            ("21", "24"),
            ("5", "25"),
            ("6", "25"),
            ("7", "27"),
            ("8", "28"),
            ("9", "29"),
            ("31", "39"),
            ("97", "39"),
            ("42", "49"),
            ("104", "49"),
            ("58;5;3", "59"),
            ("1;2;3;4;5;7;8;9;31;41;58:5:1", "0"),
            ("1;2", ""),
        ] {
            assert_ne!(selected(on), Attributes::default(), "{on}");
            assert_eq!(
                selected(&format!("{on};{off}")),
                Attributes::default(),
                "{on}"
            );
        }
    }

    #[test]
    fn colors_are_read_in_all_their_forms() {
        for form in ["58;2;1;2;3", "58:2:1:2:3", "58:2::1:2:3", "58::2::1::2::3"] {
            let look = selected(form);
            assert_eq!(look.underline_color, Color::Rgb(1, 2, 3), "{form}");
        }
        for form in ["38;5;200", "38:5:200", "38::5::200"] {
            assert_eq!(selected(form).foreground, Color::Indexed(200), "{form}");
        }
        let both = selected("38;2;1;2;3;48;5;9;1");
        assert_eq!(both.foreground, Color::Rgb(1, 2, 3));
        assert_eq!(both.background, Color::Indexed(9));
        assert!(both.bold);
    }

    #[test]
    fn underlines_have_five_styles() {
        for (form, style) in [
            ("4", Underline::Single),
            ("4:1", Underline::Single),
            ("4:2", Underline::Double),
            ("21", Underline::Double),
            ("4:3", Underline::Curly),
            ("4::3", Underline::Curly),
            ("4:4", Underline::Dotted),
            ("4:5", Underline::Dashed),
            ("4:9", Underline::None),
        ] {
            assert_eq!(selected(form).underline, style, "{form}");
        }
    }

    #[test]
    fn the_parameters_set_what_they_were_made_of() {
        for form in [
            "",
            "1",
            "1;2;3;5;7;8;9",
            "4",
            "21",
            "4:3",
            "4:4",
            "4:5",
            "31;42",
            "97;104",
            "38;2;1;2;3;48;5;200;58;2;4;5;6;4:3",
        ] {
            let look = selected(form);
            assert_eq!(
                selected(&format!("1;31;{}", look.parameters())),
                look,
                "{form}"
            );
        }
    }

    #[test]
    fn nonsense_changes_nothing() {
        for nonsense in [
            "38", "38;5", "38;5;256", "38:2", ":", "4:", "999", "48;7", "99999999",
        ] {
            let look = selected(nonsense);
            let expected = if nonsense == "4:" { "4" } else { "999" };
            assert_eq!(look, selected(expected), "{nonsense}");
        }
    }
}
