//! Starts and ends the TUI.

use std::thread;

use color_eyre::{
    Result,
    eyre::{WrapErr as _, eyre},
};
use futures_util::{Stream, StreamExt as _, stream};
use ratatui::style::Color;
use tokio::{
    runtime::Runtime,
    signal::unix::{SignalKind, signal},
};

use super::{
    background::{self, Background},
    connection::DaemonLink,
    facts, input,
    keyboard::Keyboard,
    keymaps::WatchedKeymap,
    late_answer::LateAnswer,
    layouts::LayoutFiles,
    live::{TuiParts, live},
    log,
    saved::StateFile,
    screen::OuterTerminal,
    settings::SettingsSource,
    theming::ThemeSource,
};
use crate::{
    app::{app::App, layouts::Layout, msg::Msg},
    client::ConnectOptions,
    config::{layer::Loaded, paths::Paths},
    keymap::{Keymap, commands::CommandKeys},
    model::{
        id::{ContextName, SessionKey},
        notice::Level,
        problem::Problem,
        text::Clean,
    },
    terminal::defaults::Rgb,
    theme::{ColorDepth, Theme, face::Face},
};

/// What the TUI needs to start.
#[derive(Clone, Debug)]
pub struct Options {
    pub paths: Paths,
    pub loaded: Loaded,
    /// The name of the first context. `None` = the default context.
    pub context: Option<String>,
    /// Problems in contexts.toml.
    pub contexts: Vec<Problem>,
    /// The session of the tour, to guide through the TUI.
    pub tour: Option<SessionKey>,
    /// The saved layout of panes to show first.
    pub layout: Option<String>,
}

/// Shows the TUI until the user leaves.
pub fn main(options: Options) -> Result<()> {
    let layout = layout(&options)?;
    let keymap = begin_keymap(&options);
    let _log = log::to_file(&options.paths.tui_log());
    // A single thread is enough: tasks start in order, and they wait only for input and output.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .wrap_err(tr!("the program can't start its event loop"))?;
    // The daemon works on its answers while the screen is prepared here.
    let daemon =
        runtime.block_on(async { DaemonLink::begin(ConnectOptions::new(options.paths.clone())) });
    run_tasks(&runtime);
    let appearance = Appearance::find(&options, keymap);
    run_tasks(&runtime);
    let facts = facts::facts(&options.loaded, &options.paths);
    let keyboard = Keyboard::default();
    let mut screen = OuterTerminal::enter(facts.mouse, keyboard.clone(), &appearance.terminal)
        .wrap_err(tr!("the terminal can't be used"))?;
    let mut remarks = remarks(&options, &appearance);
    let context = options.context.as_deref().map(ContextName::new).transpose();
    let context = context.unwrap_or_else(|why| {
        remarks.push((Level::Error, why));
        None
    });
    let watched = WatchedKeymap::new(
        options.loaded.settings.ui.keymap.clone(),
        options.paths.keymaps_dir(),
        appearance.keymap.clone(),
    );
    let settings = SettingsSource {
        paths: options.paths.clone(),
        begun: options.loaded.clone(),
    };
    let app = App::new(facts, appearance.keymap)
        .with_commands(options.loaded.commands.clone())
        .on(appearance.terminal.colours)
        .starting_in(context)
        .starting_with(layout)
        .touring(options.tour);
    // The tour leaves nothing behind, so its views aren't saved.
    let saved = options.tour.is_none();
    let saved = saved.then(|| StateFile::open(&options.paths.state_dir));
    let (state_file, app) = match saved.flatten() {
        Some((state_file, kept)) => (Some(state_file), app.saving_state(kept)),
        None => (None, app),
    };
    let reopens = state_file.is_some();
    let parts = TuiParts {
        app,
        state_file,
        spool: Some(options.paths.cache_dir.clone()),
        theme: appearance.theme,
        theme_source: Some(appearance.source),
        keymap: Some(watched),
        settings: Some(settings),
        remarks,
    };
    let ended = runtime.block_on(async {
        let late = LateAnswer::new(appearance.terminal.late_answer.as_deref());
        let input = input_of(keyboard, late.knowing(appearance.terminal.colours))?;
        Box::pin(live(parts, daemon, input, &mut screen)).await
    });
    drop(screen);
    // Blocking reads of a shell that doesn't end must not block the exit.
    runtime.shutdown_background();
    let shells = ended.wrap_err(tr!("the terminal was closed"))?;
    if let Some(text) = farewell(shells, reopens) {
        println!("{text}");
    }
    Ok(())
}

/// The saved layout to show first.
fn layout(options: &Options) -> Result<Option<(Clean, Layout)>> {
    let Some(name) = &options.layout else {
        return Ok(None);
    };
    let files = LayoutFiles::new(options.paths.layouts_dir());
    let layout = files.read(name).map_err(|why| eyre!(why))?;
    Ok(Some((Clean::new(name), layout)))
}

/// What the user should know about the configuration.
fn remarks(options: &Options, appearance: &Appearance) -> Vec<(Level, String)> {
    let problems = appearance.problems.iter();
    let problems = problems.map(|problem| tr!("{problem}. The built-in defaults apply", problem));
    let errors = problems.chain(options.contexts.iter().map(ToString::to_string));
    let (_, conflicts) = CommandKeys::bind(&options.loaded.commands, &appearance.keymap);
    let warnings = conflicts.iter().map(ToString::to_string);
    let warnings = warnings.chain(appearance.remark.clone());
    errors
        .map(|text| (Level::Error, text))
        .chain(warnings.map(|text| (Level::Warning, text)))
        .collect()
}

/// Lets all tasks run until they wait for something that hasn't come yet.
fn run_tasks(runtime: &Runtime) {
    // A task may wait for the socket to be writable, then write, then look for an answer.
    const TURNS: usize = 3;
    runtime.block_on(async {
        for _ in 0..TURNS {
            tokio::task::yield_now().await;
        }
    });
}

/// What the normal screen shows after the TUI was left. `reopens` is whether the next TUI opens the shells
/// again.
fn farewell(shells: usize, reopens: bool) -> Option<String> {
    if shells == 0 {
        return None;
    }
    Some(if reopens {
        tr_plural!(
            shells,
            "{n} shell keeps running. `workbay` opens it again.",
            "{n} shells keep running. `workbay` opens them again.",
            n = shells
        )
    } else {
        tr_plural!(
            shells,
            "{n} shell keeps running.",
            "{n} shells keep running.",
            n = shells
        )
    })
}

/// Reads the keymap in a thread of its own, while this one connects to the daemon and asks the terminal. The
/// returned function waits for it.
fn begin_keymap(options: &Options) -> impl FnOnce() -> LoadedKeymap + use<> {
    let name = options.loaded.settings.ui.keymap.clone();
    let directory = options.paths.keymaps_dir();
    let load = move || Keymap::load(&name, Some(&directory));
    let thread = thread::Builder::new().name("keymap".into());
    let reading = thread.spawn(load.clone());
    move || {
        let read = reading.ok().and_then(|it| it.join().ok());
        read.unwrap_or_else(load)
    }
}

type LoadedKeymap = (Keymap, Vec<Problem>);

/// The theme and the keymap in use.
struct Appearance {
    theme: Theme,
    source: ThemeSource,
    keymap: Keymap,
    problems: Vec<Problem>,
    /// A notification that isn't a problem.
    remark: Option<String>,
    terminal: Background,
}

impl Appearance {
    fn find(options: &Options, keymap: impl FnOnce() -> LoadedKeymap) -> Self {
        let variable = |name: &str| std::env::var(name).ok();
        let depth = ColorDepth::of(variable);
        // Terminals with few colors are old, and may print a question on their screen.
        let (terminal, (keymap, keymap_problems)) = if depth > ColorDepth::Ansi16 {
            background::detect(variable, keymap)
        } else {
            (Background::default(), keymap())
        };
        let (paths, is_dark) = (options.paths.clone(), terminal.dark);
        let source = ThemeSource::new(paths, &options.loaded, depth, is_dark);
        let name = source.name();
        let (theme, theme_problems) = match source.open() {
            Ok(theme) => (theme, Vec::new()),
            Err(problems) => (Theme::fallback(depth), problems),
        };
        let faint = terminal.colours.background;
        let faint = faint.is_some_and(|background| is_faint(&theme, background));
        let remark = faint.then(|| {
            tr!(
                "the theme {name} is hard to read on this terminal's background. Set theme = \
                 \"auto\"",
                name
            )
        });
        let mut problems = options.loaded.problems.clone();
        problems.extend(theme_problems);
        problems.extend(keymap_problems);
        Self {
            theme,
            source,
            keymap,
            problems,
            remark,
            terminal,
        }
    }
}

/// Minimum contrast between text and background that is easy to read.
const CONTRAST: f64 = 0.25;

/// Whether the theme's text is too close in brightness to the background. The default themes don't paint a
/// background, because the terminal's may be an image or half transparent.
fn is_faint(theme: &Theme, background: Rgb) -> bool {
    let Some(Color::Rgb(red, green, blue)) = theme.style(Face::Text).fg else {
        return false;
    };
    // A theme with a background of its own paints it.
    if theme.style(Face::Screen).bg.is_some() {
        return false;
    }
    let text = Rgb([red, green, blue].map(|part| u16::from(part) * 257));
    (text.luminance() - background.luminance()).abs() < CONTRAST
}

/// Keys, mouse events and sizes of the terminal, and the signals that ask the program to exit or suspend.
fn input_of(
    keyboard: Keyboard,
    mut late: LateAnswer,
) -> std::io::Result<impl Stream<Item = Msg> + Unpin> {
    keyboard.read_on()?;
    let ours = keyboard.clone();
    let typed = keyboard
        // A terminal that can't be read is gone.
        .take_while(|event| std::future::ready(event.is_ok()))
        .filter_map(|typed| std::future::ready(typed.ok().and_then(input::typed)))
        .flat_map(move |msg| stream::iter(late.filter(msg)))
        .chain(stream::iter([Msg::Leave]));
    let mut signals = Vec::new();
    for kind in [
        SignalKind::terminate(),
        SignalKind::hangup(),
        SignalKind::interrupt(),
    ] {
        let mut received = signal(kind)?;
        let ours = ours.clone();
        let received = stream::poll_fn(move |context| received.poll_recv(context));
        signals.push(Box::pin(received.filter_map(move |()| {
            // Ctrl-C belongs to another program while that program has the terminal.
            let meant = kind != SignalKind::interrupt() || ours.is_ours();
            std::future::ready(meant.then_some(Msg::Leave))
        })));
    }
    Ok(Box::pin(stream::select(stream::select_all(signals), typed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaving_reports_the_shells_that_keep_running() {
        assert_eq!(farewell(0, true), None);
        assert_eq!(
            farewell(1, true).unwrap(),
            "1 shell keeps running. `workbay` opens it again."
        );
        assert_eq!(
            farewell(2, true).unwrap(),
            "2 shells keep running. `workbay` opens them again."
        );
        assert_eq!(farewell(2, false).unwrap(), "2 shells keep running.");
    }

    #[test]
    fn a_theme_for_the_other_kind_of_terminal_is_noticed() {
        let background = |reply| Rgb::parse(reply).unwrap();
        let (dark, light) = (background("rgb:1e/1e/2e"), background("rgb:ff/fb/ee"));
        let theme = |name| Theme::builtin(name, ColorDepth::TrueColor).unwrap();
        assert!(is_faint(&theme("default-light"), dark));
        assert!(is_faint(&theme("default-dark"), light));
        assert!(!is_faint(&theme("default-light"), light));
        assert!(!is_faint(&theme("default-dark"), dark));
        assert!(
            !is_faint(&theme("ansi16"), dark),
            "nobody knows its colours"
        );
    }
}
