//! The list of themes with its preview, `:theme`, and how the screens look in every theme.

use ratatui::style::Color;
use workbay::{
    app::{
        effect::Effect,
        msg::Msg,
        panels::themes::ThemePicker,
        themes::{ThemeKind, ThemeOrder, ThemeRow, Themes},
    },
    model::text::Clean,
    theme::{ColorDepth, builtin::THEMES, contrast},
    view::text::width,
};

use crate::{screen::Screen, steps::working_day};

fn themes() -> Themes {
    let row = |name: &str, own, kind| ThemeRow {
        name: Clean::new(name),
        own,
        kind,
    };
    Themes {
        rows: vec![
            row("ansi16", false, ThemeKind::Any),
            row("dracula", false, ThemeKind::Dark),
            row("gruvbox-light", false, ThemeKind::Light),
            row("mine", true, ThemeKind::Dark),
            row("nord", false, ThemeKind::Dark),
            row("torn", true, ThemeKind::Broken),
        ],
        setting: Clean::new("dracula"),
    }
}

fn picker(columns: u16, rows: u16) -> Screen {
    let screen = working_day(columns, rows).press("ctrl-t");
    assert!(screen.effects().contains(&Effect::Theme(ThemeOrder::List)));
    screen.send(Msg::Themes(themes()))
}

/// What was ordered after the list.
fn orders(screen: &Screen) -> Vec<ThemeOrder> {
    let orders = screen.effects().iter().filter_map(|effect| match effect {
        Effect::Theme(order) if *order != ThemeOrder::List => Some(order.clone()),
        _ => None,
    });
    orders.collect()
}

fn preview(name: &str) -> ThemeOrder {
    ThemeOrder::Preview(name.to_owned())
}

fn is_kept(order: Option<&ThemeOrder>, wanted: &str) -> bool {
    matches!(order, Some(ThemeOrder::Keep { name, .. }) if name == wanted)
}

#[test]
fn the_picker_80x24() {
    insta::assert_snapshot!(picker(80, 24).text());
}

#[test]
fn the_picker_140x40() {
    insta::assert_snapshot!(picker(140, 40).text());
}

#[test]
fn moving_previews_and_enter_keeps() {
    let screen = picker(100, 30).press("down down");
    assert_eq!(orders(&screen), [preview("gruvbox-light"), preview("mine")]);
    let screen = screen.press("enter");
    assert!(
        is_kept(orders(&screen).last(), "mine"),
        "{:?}",
        orders(&screen)
    );
    assert!(!screen.is_open::<ThemePicker>());
}

#[test]
fn escape_and_the_same_key_restore() {
    for key in ["esc", "ctrl-t", "ctrl-c"] {
        let screen = picker(100, 30).press("down").press(key);
        assert_eq!(
            orders(&screen),
            [preview("gruvbox-light"), ThemeOrder::Restore]
        );
        assert!(!screen.is_open::<ThemePicker>(), "{key}");
    }
}

#[test]
fn typing_searches_and_previews_the_first_match() {
    let screen = picker(100, 30).typed("nor");
    assert_eq!(orders(&screen).last(), Some(&preview("nord")));
    assert!(!screen.sees("gruvbox"), "{}", screen.text());
    let screen = screen.typed("xx");
    assert!(screen.sees("no theme matches 'norxx'"), "{}", screen.text());
}

#[test]
fn a_click_previews_and_a_second_one_keeps() {
    let screen = picker(100, 30);
    let text = screen.text();
    let row = text
        .lines()
        .position(|line| line.contains(" nord"))
        .unwrap() as u16;
    let screen = screen.click(8, row);
    assert_eq!(orders(&screen), [preview("nord")]);
    let screen = screen.click(8, row);
    assert!(is_kept(orders(&screen).last(), "nord"));
}

#[test]
fn a_theme_is_chosen_on_the_command_line() {
    let screen = working_day(100, 30).press(":").send(Msg::Themes(themes()));
    let screen = screen.typed("theme no").press("tab enter");
    assert!(is_kept(orders(&screen).last(), "nord"), "{}", screen.text());
    let screen = screen.press(":").typed("theme nrod").press("enter");
    assert!(screen.sees("theme 'nrod' not found"), "{}", screen.text());
    let screen = screen.press("esc :").typed("theme").press("enter");
    assert!(screen.is_open::<ThemePicker>());
}

/// Screens with everything that is drawn: views, dialogs, prompts, the help.
fn screens() -> Vec<Screen> {
    [
        "", "enter", "2", "3", "?", "n", "n F1", "x", "r", "/", ":", "B", "ctrl-t", "l", "w", "h",
    ]
    .map(|keys| working_day(100, 30).press(keys))
    .into()
}

#[test]
fn a_theme_with_a_background_leaves_no_hole_in_it() {
    for screen in screens() {
        let screen = screen.theme("gruvbox-light", ColorDepth::TrueColor);
        let cells = &screen.buffer().content;
        // The second cell of a wide character isn't drawn.
        let is_wide = |at: usize| width(cells[at].symbol()) > 1;
        let drawn = (0..cells.len()).filter(|at| *at == 0 || !is_wide(at - 1));
        let holes = drawn.filter(|at| cells[*at].bg == Color::Reset).count();
        assert_eq!(holes, 0, "{}", screen.text());
    }
}

#[test]
fn every_character_can_be_read_in_every_theme() {
    let painted = THEMES.iter().filter(|theme| {
        let has_ground = |theme: &str| {
            let screen = working_day(100, 30).theme(theme, ColorDepth::TrueColor);
            screen.buffer()[(0, 0)].bg != Color::Reset
        };
        has_ground(theme.name)
    });
    let painted: Vec<&str> = painted.map(|theme| theme.name).collect();
    assert!(painted.len() >= 12, "{painted:?}");
    let depths = [ColorDepth::TrueColor, ColorDepth::Ansi256];
    for (theme, depth) in painted
        .iter()
        .flat_map(|it| depths.map(|depth| (it, depth)))
    {
        // A view below a dialog is shaded, so only dialogs that leave it as it is are looked at.
        for keys in ["", "enter", "2", "3", "r", "/", "space", "ctrl-t", "l"] {
            let screen = working_day(100, 30).press(keys).theme(theme, depth);
            let text = |symbol: &str| symbol.chars().any(char::is_alphanumeric);
            for cell in &screen.buffer().content {
                let ratio = contrast::ratio(cell.fg, cell.bg).filter(|_| text(cell.symbol()));
                assert!(
                    ratio.is_none_or(|it| it >= 4.5),
                    "{theme} {depth:?} {keys}: {cell:?}"
                );
            }
        }
    }
}

#[test]
fn with_few_or_no_colors_every_theme_leaves_them_to_the_terminal() {
    for theme in THEMES {
        for depth in [ColorDepth::Ansi16, ColorDepth::None] {
            for keys in ["", "x", "ctrl-t"] {
                let screen = working_day(100, 30).press(keys).theme(theme.name, depth);
                for cell in &screen.buffer().content {
                    let exact = |color: Color| matches!(color, Color::Rgb(..) | Color::Indexed(_));
                    assert!(
                        !exact(cell.fg) && !exact(cell.bg),
                        "{} {depth:?}",
                        theme.name
                    );
                    if depth == ColorDepth::None {
                        let colors = (cell.fg, cell.bg);
                        assert_eq!(colors, (Color::Reset, Color::Reset), "{}", theme.name);
                    }
                }
            }
        }
    }
}
