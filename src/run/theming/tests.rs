use std::{fs, path::Path};

use super::*;
use crate::theme::face::Face;

/// A task with its own directories.
struct Trial {
    _dir: tempfile::TempDir,
    paths: Paths,
    theming: Theming,
    themes: mpsc::Receiver<Theme>,
    answers: mpsc::Receiver<Msg>,
}

impl Trial {
    fn new(setting: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::below(dir.path());
        fs::create_dir_all(paths.themes_dir()).unwrap();
        let file = format!("# mine\n[ui]\ntheme = \"{setting}\" # looks\nmouse = true\n");
        fs::write(paths.config_file(), file).unwrap();
        let source = ThemeSource {
            paths: paths.clone(),
            setting: setting.to_owned(),
            origin: Origin::Default,
            depth: ColorDepth::TrueColor,
            is_dark: Some(true),
        };
        let shown = source.open().unwrap();
        let (answers_in, answers) = mpsc::channel(8);
        let mut theming = Theming::begin(source, shown, answers_in);
        Self {
            _dir: dir,
            themes: theming.themes().unwrap(),
            theming,
            paths,
            answers,
        }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.paths.themes_dir().join(name), text).unwrap();
    }

    async fn sees(&mut self, name: &str) {
        let theme = self.themes.recv().await.unwrap();
        assert_eq!(theme, Theme::builtin(name, ColorDepth::TrueColor).unwrap());
    }

    async fn error(&mut self) -> String {
        match self.answers.recv().await.unwrap() {
            Msg::Daemon(link) => format!("{link:?}"),
            other => panic!("{other:?}"),
        }
    }
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[tokio::test]
async fn a_preview_is_shown_and_taken_back() {
    let mut trial = Trial::new("auto");
    for name in ["nord", "dracula"] {
        trial.theming.order(ThemeOrder::Preview(name.to_owned()));
        trial.sees(name).await;
    }
    trial.theming.order(ThemeOrder::Restore);
    trial.sees("default-dark").await;
    assert!(text(&trial.paths.config_file()).contains("\"auto\""));
}

#[tokio::test]
async fn a_kept_theme_is_saved_and_the_rest_of_the_file_stays() {
    let mut trial = Trial::new("auto");
    let before = text(&trial.paths.config_file());
    let (ticket, name) = (7, "nord".to_owned());
    trial.theming.order(ThemeOrder::Keep { ticket, name });
    trial.sees("nord").await;
    let answer = trial.answers.recv().await.unwrap();
    let Msg::Done {
        ticket: 7,
        result: Ok(said),
    } = answer
    else {
        panic!("{answer:?}");
    };
    assert!(said.as_str().starts_with("theme nord saved in /"), "{said}");
    let after = text(&trial.paths.config_file());
    assert_eq!(after, before.replace("\"auto\"", "\"nord\""));
}

#[tokio::test]
async fn a_theme_that_cannot_be_saved_says_why() {
    let mut trial = Trial::new("auto");
    fs::write(trial.paths.config_file(), "[ui\n").unwrap();
    let (ticket, name) = (7, "nord".to_owned());
    trial.theming.order(ThemeOrder::Keep { ticket, name });
    let why = loop {
        match trial.answers.recv().await.unwrap() {
            Msg::Done { result, .. } => break result.unwrap_err(),
            Msg::Daemon(_) => {}
            other => panic!("{other:?}"),
        }
    };
    assert!(why.as_str().contains("config.toml:1:"), "{why}");
    assert_eq!(text(&trial.paths.config_file()), "[ui\n");
}

#[tokio::test]
async fn the_background_chooses_between_light_and_dark() {
    let mut trial = Trial::new("gruvbox-light/gruvbox-dark");
    trial.theming.background(false);
    trial.sees("gruvbox-light").await;
    trial.theming.background(true);
    trial.sees("gruvbox-dark").await;
}

#[tokio::test]
async fn a_changed_file_is_shown_and_a_broken_one_is_reported_and_changes_nothing() {
    let mut trial = Trial::new("auto");
    trial.write("mine.toml", "inherits = \"nord\"\n");
    trial.theming.order(ThemeOrder::Preview("mine".to_owned()));
    trial.sees("nord").await;
    trial.write(
        "mine.toml",
        "inherits = \"nord\"\n[style]\n\"txt\" = \"red\"\n",
    );
    let error = trial.error().await;
    assert!(
        error.contains("mine.toml:3:1: unknown style 'txt'"),
        "{error}"
    );
    trial.write(
        "mine.toml",
        "inherits = \"nord\"\n[palette]\naccent = \"#ffffff\"\n",
    );
    let theme = trial.themes.recv().await.unwrap();
    let accent = theme.style(Face::TabActive).fg;
    assert_eq!(accent, Some(ratatui::style::Color::Rgb(255, 255, 255)));
}

#[tokio::test]
async fn a_changed_setting_is_shown() {
    let mut trial = Trial::new("auto");
    fs::write(trial.paths.config_file(), "[ui]\ntheme = \"dracula\"\n").unwrap();
    trial.sees("dracula").await;
}

#[tokio::test]
async fn the_list_has_the_kind_of_each_theme() {
    let mut trial = Trial::new("auto");
    trial.write("mine.toml", "inherits = \"nord\"\n");
    trial.write("bad.toml", "[style]\n\"txt\" = \"red\"\n");
    trial.theming.order(ThemeOrder::List);
    let themes = match trial.answers.recv().await.unwrap() {
        Msg::Themes(themes) => themes,
        other => panic!("{other:?}"),
    };
    let kind = |name: &str| themes.row(name).map(|row| (row.own, row.kind));
    assert_eq!(kind("mine"), Some((true, ThemeKind::Dark)));
    assert_eq!(kind("bad"), Some((true, ThemeKind::Broken)));
    assert_eq!(kind("solarized-light"), Some((false, ThemeKind::Light)));
    assert_eq!(kind("ansi16"), Some((false, ThemeKind::Any)));
    assert_eq!(themes.setting.as_str(), "auto");
}
