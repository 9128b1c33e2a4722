//! Shows what goes into an image, above the prompt for its name.

use ratatui::layout::Rect;

use crate::{
    app::{app::App, area::Areas, panels::commit::CommitForm},
    model::{session::Session, text::Clean},
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 76;
/// Cells of a label.
const LABEL: u16 = 13;
/// Cells of the border.
const FRAME: u16 = 2;

pub fn draw(paint: &mut Paint<'_>, app: &App, form: &CommitForm, areas: &Areas) {
    let (Some(prompt), Some(session)) = (areas.prompt, app.full(form.session)) else {
        return;
    };
    let width = WIDTH.min(areas.screen.width);
    let lines = lines(
        app,
        form,
        &session,
        usize::from(width.saturating_sub(LABEL + 8)),
    );
    let height = lines.len() as u16 + FRAME;
    // Without enough room, only the prompt is shown.
    if prompt.y < height {
        return;
    }
    let area = Rect::new(areas.screen.x, prompt.y - height, width, height);
    let title = format!("Create an image from {}", form.name);
    let inner = dialog::frame(paint, areas.screen, area, &title, Face::Title);
    for (line, (label, value)) in lines.iter().enumerate() {
        let y = inner.y + line as u16;
        paint.text(inner.x, y, LABEL, label, Face::Label);
        let room = inner.width.saturating_sub(LABEL);
        paint.text(inner.x + LABEL, y, room, value, Face::Value);
    }
}

/// The names of the images that the user has created from sessions of this context.
fn own_images(app: &App, session: &Session) -> String {
    let all = app.mirror.environments(session.context).iter();
    let own = all.filter_map(|it| it.facts.customized.as_ref());
    let names: Vec<&str> = own
        .filter(|it| it.owner.is_none())
        .map(|it| it.name.as_str())
        .collect();
    match names.len() {
        0 => "none yet".to_owned(),
        n => format!("{n} ({})", names.join(", ")),
    }
}

/// The tags of the session's image.
fn tags(app: &App, session: &Session) -> Option<String> {
    let mut all = app.mirror.environments(session.context).iter();
    let found = all.find(|it| it.source == session.environment.source)?;
    let chips: Vec<&str> = found.facts.chips.iter().map(Clean::as_str).collect();
    (!chips.is_empty()).then(|| chips.join(", "))
}

fn lines(
    app: &App,
    form: &CommitForm,
    session: &Session,
    width: usize,
) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("Session", session.id.to_string()),
        ("Environment", session.environment.label()),
    ];
    lines.extend(tags(app, session).map(|tags| ("Tags", tags)));
    lines.push(("Your images", own_images(app, session)));
    let folders: Vec<&str> = session.folders.iter().map(Clean::as_str).collect();
    let left_out = match folders.as_slice() {
        [] => "Files in /home/work.".to_owned(),
        some => format!(
            "Files in /home/work and in its folders ({}).",
            some.join(", ")
        ),
    };
    let kept = "All other files and installed programs, as they are now.";
    for (label, value) in [("In it", kept.to_owned()), ("Left out", left_out)] {
        let mut label = label;
        for part in text::wrap(&value, width) {
            lines.push((label, part));
            label = "";
        }
    }
    let meanwhile = match form.pause {
        Some(true) => "Its programs are paused. (Tab: they keep running)",
        Some(false) => "The session keeps running. (Tab: pause its programs)",
        None => "The session keeps running.",
    };
    lines.push((
        "Meanwhile",
        format!("{meanwhile} Wait before terminating it."),
    ));
    lines
}
