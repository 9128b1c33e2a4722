use ratatui::style::Color;

use super::*;

/// Faces without text: lines, tracks, shadows.
const NO_TEXT: [Face; 6] = [
    Face::Bar,
    Face::Border,
    Face::BorderFocused,
    Face::Scrollbar,
    Face::Shade,
    Face::RowSelected,
];

fn theme(name: &str) -> Theme {
    let (theme, problems) = Theme::load(name, None, ColorDepth::TrueColor);
    assert_eq!(problems, [], "{name}");
    theme
}

fn luminance(color: Color) -> f64 {
    let Color::Rgb(r, g, b) = color else {
        panic!("{color:?} is not of 24 bits");
    };
    let part = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.03928 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
}

/// The contrast as defined by the accessibility guidelines (WCAG).
fn contrast(a: Color, b: Color) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn the_directory_holds_the_embedded_themes_and_no_others() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("themes");
    let mut files: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|file| format!("themes/{}", file.unwrap().file_name().to_str().unwrap()))
        .collect();
    files.sort();
    let listed: Vec<&str> = builtin::THEMES.iter().map(|theme| theme.path).collect();
    assert_eq!(files, listed);
    for theme in builtin::THEMES {
        assert_eq!(theme.path, format!("themes/{}.toml", theme.name));
        assert_eq!(theme.text(), theme.embedded, "{}", theme.name);
    }
}

#[test]
fn text_is_readable_on_every_background_it_stands_on() {
    let dark = [
        Color::Rgb(0x1c, 0x1c, 0x1c),
        Color::Rgb(0, 0, 0),
        Color::Rgb(0x28, 0x2c, 0x34),
    ];
    let light = [
        Color::Rgb(255, 255, 255),
        Color::Rgb(0xfa, 0xfa, 0xfa),
        Color::Rgb(0xf5, 0xf5, 0xf5),
    ];
    for (name, grounds) in [("default-dark", dark), ("default-light", light)] {
        let theme = theme(name);
        let raised = [Face::RowSelected, Face::Dialog, Face::Toast];
        let raised = raised.map(|face| theme.style(face).bg.unwrap());
        for face in Face::ALL.iter().filter(|face| !NO_TEXT.contains(face)) {
            let style = theme.style(*face);
            let own = style.bg.map(|bg| vec![bg]);
            for ground in own.unwrap_or_else(|| [grounds, raised].concat()) {
                let ratio = contrast(style.fg.unwrap(), ground);
                assert!(
                    ratio >= 4.5,
                    "{name} {}: {ratio:.2} on {ground:?}",
                    face.name()
                );
            }
        }
    }
}

#[test]
fn the_terminals_own_background_stays_but_where_something_is_raised() {
    let raised = [
        Face::RowSelected,
        Face::ButtonActive,
        Face::ButtonDanger,
        Face::InputMarked,
        Face::Toast,
        Face::Dialog,
    ];
    for name in ["default-dark", "default-light", "ansi16"] {
        let theme = theme(name);
        for face in Face::ALL.iter().filter(|face| !raised.contains(face)) {
            assert_eq!(theme.style(*face).bg, None, "{name} {}", face.name());
        }
    }
}

#[test]
fn ansi16_leaves_text_to_the_terminals_palette() {
    let theme = theme("ansi16");
    let forbidden = [Color::White, Color::Gray, Color::Black, Color::DarkGray];
    for face in Face::ALL {
        let style = theme.style(*face);
        for color in [style.fg, style.bg].into_iter().flatten() {
            assert!(
                !matches!(color, Color::Rgb(..) | Color::Indexed(_)),
                "{}",
                face.name()
            );
            assert!(!forbidden.contains(&color), "{} is {color:?}", face.name());
        }
    }
}

#[test]
fn the_selected_row_is_seen_with_any_number_of_colours() {
    for theme in builtin::THEMES {
        for depth in [ColorDepth::None, ColorDepth::Ansi16, ColorDepth::Ansi256] {
            let theme = Theme::builtin(theme.name, depth).unwrap();
            let (row, selected) = (theme.style(Face::Row), theme.style(Face::RowSelected));
            let marked = selected.bg.is_some() && selected.bg != row.bg;
            let typed = selected.add_modifier - row.add_modifier;
            assert!(marked || typed.intersects(Modifier::REVERSED | Modifier::BOLD));
        }
    }
}

#[test]
fn without_colours_nothing_is_coloured() {
    let theme = Theme::builtin("default-dark", ColorDepth::None).unwrap();
    for face in Face::ALL {
        let style = theme.style(*face);
        assert_eq!((style.fg, style.bg), (None, None), "{}", face.name());
    }
    let strong = theme.style(Face::Strong);
    assert!(strong.add_modifier.contains(Modifier::BOLD));
}

#[test]
fn a_face_without_a_style_has_its_parents() {
    let theme = theme("default-dark");
    assert_eq!(theme.style(Face::Label), theme.style(Face::Dim));
    assert_eq!(theme.style(Face::BarNormal), theme.style(Face::StatusGood));
    assert_eq!(theme.style(Face::LogStderr), theme.style(Face::Warning));
}

#[test]
fn a_childs_palette_changes_its_parents_styles() {
    let dir = tempfile::tempdir().unwrap();
    let text = "inherits = \"default-dark\"\n[palette]\naccent = 208\n[style]\n\"row.selected\" = { bg = \"#102030\", bold = true }\n";
    std::fs::write(dir.path().join("dusk.toml"), text).unwrap();
    let (dusk, problems) = Theme::load("dusk", Some(dir.path()), ColorDepth::TrueColor);
    assert_eq!(problems, []);
    assert_eq!(dusk.style(Face::TabActive).fg, Some(Color::Indexed(208)));
    assert_eq!(
        dusk.style(Face::RowSelected).bg,
        Some(Color::Rgb(0x10, 0x20, 0x30))
    );
    let names = names(Some(dir.path()));
    assert!(names.contains(&("dusk".to_owned(), true)), "{names:?}");
}

#[test]
fn a_persons_theme_may_build_on_the_built_in_one_of_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let text = "inherits = \"ansi16\"\n[style]\naccent = \"red\"\n";
    std::fs::write(dir.path().join("ansi16.toml"), text).unwrap();
    let (theme, problems) = Theme::load("ansi16", Some(dir.path()), ColorDepth::TrueColor);
    assert_eq!(problems, []);
    assert_eq!(theme.style(Face::Accent).fg, Some(Color::Red));
}

#[test]
fn automatic_choice_follows_background_and_depth() {
    let full = ColorDepth::TrueColor;
    assert_eq!(choose("auto", Some(true), full), "default-dark");
    assert_eq!(
        choose("auto", Some(false), ColorDepth::Ansi256),
        "default-light"
    );
    assert_eq!(choose("auto", None, full), "ansi16");
    assert_eq!(choose("auto", Some(true), ColorDepth::None), "ansi16");
    assert_eq!(choose("dusk", None, full), "dusk");
}

#[test]
fn fuzz_theme() {
    let dir = tempfile::tempdir().unwrap();
    let seeds = builtin::THEMES.iter().map(|it| it.embedded.as_bytes());
    let seeds: Vec<&[u8]> = seeds.collect();
    crate::fuzz::parser("theme", &seeds, |bytes, _| {
        std::fs::write(dir.path().join("mine.toml"), bytes).unwrap();
        let (_, problems) = Theme::load("mine", Some(dir.path()), ColorDepth::Ansi256);
        crate::fuzz::bounded(bytes, &problems);
    });
}
