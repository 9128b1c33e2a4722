use ratatui::style::{Color, Modifier};

use super::*;

fn theme(name: &str) -> Theme {
    let (theme, problems) = Theme::load(name, None, ColorDepth::TrueColor);
    assert_eq!(problems, [], "{name}");
    theme
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

/// Every built-in theme whose colors are known.
fn colored() -> impl Iterator<Item = &'static str> {
    let names = builtin::THEMES.iter().map(|theme| theme.name);
    names.filter(|name| *name != BASIC)
}

#[track_caller]
fn assert_readable(name: &str, depth: ColorDepth) {
    let theme = Theme::builtin(name, depth).unwrap();
    let pairs = contrast::pairs(&theme);
    // Each face on the screen and the three raised backgrounds, or on its own.
    assert!(pairs.len() > 150, "{name} has only {} pairs", pairs.len());
    for pair in pairs {
        let (face, on) = (pair.face.name(), pair.on.map_or("terminal", Face::name));
        let (ratio, colors) = (pair.ratio, (pair.foreground, pair.background));
        assert!(
            pair.is_readable(),
            "{name}, {depth:?}: {face} on {on}: {ratio:.2} {colors:?}"
        );
    }
}

#[test]
fn text_is_readable_on_every_background_in_every_theme() {
    for name in colored() {
        assert_readable(name, ColorDepth::TrueColor);
    }
}

#[test]
fn text_stays_readable_with_256_colors() {
    for name in colored() {
        assert_readable(name, ColorDepth::Ansi256);
    }
}

#[test]
fn themes_of_high_contrast_have_more_of_it() {
    for name in ["high-contrast-dark", "high-contrast-light"] {
        let text = contrast::pairs(&theme(name)).into_iter();
        let least = text.filter(|pair| pair.least >= contrast::TEXT);
        let least = least.map(|pair| pair.ratio).fold(21.0, f64::min);
        assert!(least >= 7.0, "{name}: {least:.2}");
    }
}

#[test]
fn contexts_keep_the_palette_readable_with_256_colors() {
    for name in colored() {
        let theme = Theme::builtin(name, ColorDepth::Ansi256).unwrap();
        for own in ["violet", "olive", "rose", "sky", "sand", "teal"] {
            let color = theme.context(Some(own), 0).fg.unwrap();
            for (_, ground) in contrast::grounds(&theme) {
                let ratio = contrast::ratio(color, ground).unwrap();
                assert!(ratio >= contrast::TEXT, "{name} {own}: {ratio:.2}");
            }
        }
    }
}

#[test]
fn the_terminals_own_background_stays_in_the_default_themes() {
    let raised = [
        Face::RowSelected,
        Face::ButtonActive,
        Face::ButtonDanger,
        Face::InputMarked,
        Face::Toast,
        Face::Dialog,
    ];
    for name in ["default-dark", "default-light", BASIC] {
        let theme = theme(name);
        for face in Face::ALL.iter().filter(|face| !raised.contains(face)) {
            assert_eq!(theme.style(*face).bg, None, "{name} {}", face.name());
        }
    }
    for name in colored().filter(|name| !name.starts_with("default-")) {
        assert!(theme(name).style(Face::Screen).bg.is_some(), "{name}");
    }
}

#[test]
fn the_selected_row_differs_from_the_screen_with_256_colors() {
    for name in colored().filter(|name| !name.starts_with("default-")) {
        let theme = Theme::builtin(name, ColorDepth::Ansi256).unwrap();
        let (row, screen) = (
            theme.style(Face::RowSelected).bg,
            theme.style(Face::Screen).bg,
        );
        assert!(row.is_some() && row != screen, "{name}: {row:?}");
    }
}

#[test]
fn tones_stay_apart_with_256_colors() {
    let texts = [
        Face::Text,
        Face::Dim,
        Face::Accent,
        Face::StatusProgress,
        Face::StatusGood,
        Face::StatusEnding,
        Face::StatusBad,
    ];
    let look = |theme: &Theme, face| oklab::Oklab::of(theme.style(face).fg.unwrap()).unwrap();
    for name in colored() {
        let written = Theme::builtin(name, ColorDepth::TrueColor).unwrap();
        let shown = Theme::builtin(name, ColorDepth::Ansi256).unwrap();
        for (at, one) in texts.iter().enumerate() {
            for other in &texts[at + 1..] {
                let distance = |theme| look(theme, *one).distance(look(theme, *other), 1.0);
                let pair = (one.name(), other.name(), distance(&shown));
                assert!(
                    distance(&written) <= 0.05 || distance(&shown) >= 0.03,
                    "{name}: {pair:?}"
                );
            }
        }
    }
}

#[test]
fn the_selected_row_of_a_dialog_is_seen_with_256_colors() {
    for name in colored() {
        let theme = Theme::builtin(name, ColorDepth::Ansi256).unwrap();
        let ground = |face| theme.style(face).bg.unwrap();
        for face in [Face::Dialog, Face::Toast] {
            assert_ne!(ground(face), ground(Face::RowSelected), "{name}");
        }
    }
}

#[test]
fn colors_keep_their_hue_with_256_colors() {
    let theme = Theme::builtin("gruvbox-light", ColorDepth::Ansi256).unwrap();
    let fg = |face| theme.style(face).fg.and_then(color::rgb).unwrap();
    let bg = |face| theme.style(face).bg.and_then(color::rgb).unwrap();
    assert_eq!(bg(Face::Screen), [0xff, 0xff, 0xd7]);
    // Neither orange nor green.
    assert_eq!(bg(Face::RowSelected), [0xe4, 0xe4, 0xe4]);
    assert_eq!(bg(Face::Dialog), [0xee, 0xee, 0xee]);
    assert_eq!(fg(Face::StatusGood), [0x5f, 0x5f, 0x00]);
    assert_eq!(fg(Face::StatusEnding), [0x87, 0x5f, 0x00]);
    assert_eq!(fg(Face::StatusBad), [0x87, 0x00, 0x00]);
}

#[test]
fn with_16_colors_every_theme_leaves_text_to_the_terminal() {
    let basic = Theme::builtin(BASIC, ColorDepth::Ansi16).unwrap();
    for name in colored() {
        let theme = Theme::builtin(name, ColorDepth::Ansi16).unwrap();
        for face in Face::ALL {
            let style = theme.style(*face);
            for color in [style.fg, style.bg].into_iter().flatten() {
                assert!(!color::is_exact(color), "{name} {}: {color:?}", face.name());
            }
        }
        for face in [Face::Text, Face::StatusBad, Face::RowSelected, Face::Screen] {
            assert_eq!(
                theme.style(face),
                basic.style(face),
                "{name} {}",
                face.name()
            );
        }
        // A gray of the palette may be invisible, so the color for the position is used.
        assert_eq!(theme.context(Some("muted"), 1), theme.style(Face::Context2));
    }
}

#[test]
fn own_colors_of_the_terminal_are_kept_with_16() {
    let dir = tempfile::tempdir().unwrap();
    let text = "inherits = \"nord\"\n[style]\naccent = \"bright-magenta\"\n";
    std::fs::write(dir.path().join("mine.toml"), text).unwrap();
    let (mine, problems) = Theme::load("mine", Some(dir.path()), ColorDepth::Ansi16);
    assert_eq!(problems, []);
    assert_eq!(mine.style(Face::Accent).fg, Some(Color::LightMagenta));
    assert_eq!(mine.style(Face::StatusGood).fg, Some(Color::Green));
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
    for theme in builtin::THEMES {
        let theme = Theme::builtin(theme.name, ColorDepth::None).unwrap();
        for face in Face::ALL {
            let style = theme.style(*face);
            let colors = (style.fg, style.bg, style.underline_color);
            assert_eq!(colors, (None, None, None), "{}", face.name());
        }
        let has = |face, modifier| theme.style(face).add_modifier.contains(modifier);
        assert!(has(Face::Strong, Modifier::BOLD));
        assert!(has(Face::Dim, Modifier::DIM));
        assert!(has(Face::RowSelected, Modifier::REVERSED));
        assert!(has(Face::ButtonDanger, Modifier::REVERSED));
        assert_eq!(theme.context(Some("violet"), 0).fg, None);
    }
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
fn a_users_theme_may_build_on_the_built_in_one_of_its_name() {
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
    let name =
        |setting: &str, dark, depth| ThemeChoice::read(setting).name(dark, depth).into_owned();
    assert_eq!(name("auto", Some(true), full), "default-dark");
    assert_eq!(
        name("auto", Some(false), ColorDepth::Ansi256),
        "default-light"
    );
    assert_eq!(name("auto", None, full), "ansi16");
    assert_eq!(name("auto", Some(true), ColorDepth::None), "ansi16");
    assert_eq!(name("dusk", None, full), "dusk");
    let pair = "catppuccin-latte/catppuccin-mocha";
    assert_eq!(name(pair, Some(false), full), "catppuccin-latte");
    assert_eq!(name(pair, Some(true), full), "catppuccin-mocha");
    assert_eq!(name(pair, None, full), "catppuccin-mocha");
}

#[test]
fn a_file_outside_of_the_directory_is_read_with_its_ancestors() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tried.toml");
    std::fs::write(
        &file,
        "inherits = \"nord\"\n[palette]\naccent = \"#ffffff\"\n",
    )
    .unwrap();
    let tried = Theme::read(&file, None, ColorDepth::TrueColor).unwrap();
    assert_eq!(
        tried.style(Face::TabActive).fg,
        Some(Color::Rgb(255, 255, 255))
    );
    assert_eq!(tried.style(Face::Screen), theme("nord").style(Face::Screen));
    std::fs::write(&file, "[style]\n\"txt\" = \"red\"\n").unwrap();
    let problems = Theme::read(&file, None, ColorDepth::TrueColor).unwrap_err();
    assert_eq!((problems[0].line, problems[0].column), (2, 1));
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

#[test]
fn a_theme_for_the_other_kind_of_terminal_paints_its_own_background() {
    let background = |name: &str, depth: ColorDepth, is_dark: Option<bool>| {
        let theme = Theme::builtin(name, depth).unwrap().on_background(is_dark);
        let own = contrast::pairs(&theme)
            .iter()
            .all(contrast::Pair::is_readable);
        assert!(own, "{name}");
        theme.style(Face::Screen).bg
    };
    for depth in [ColorDepth::TrueColor, ColorDepth::Ansi256] {
        for (name, is_dark) in [("default-light", true), ("default-dark", false)] {
            assert!(background(name, depth, Some(is_dark)).is_some(), "{name}");
            assert_eq!(background(name, depth, Some(!is_dark)), None, "{name}");
            assert_eq!(background(name, depth, None), None, "{name}");
        }
    }
    let own = background("nord", ColorDepth::TrueColor, None);
    assert_eq!(background("nord", ColorDepth::TrueColor, Some(false)), own);
    assert_eq!(
        background("ansi16", ColorDepth::TrueColor, Some(true)),
        None
    );
}
