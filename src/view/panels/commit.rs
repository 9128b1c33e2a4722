//! Shows what goes into an image, above the prompt for its name.

use ratatui::layout::Rect;

use crate::{
    app::{app::App, area::Areas, panels::commit::CommitForm},
    locale,
    model::{session::Session, text::Clean},
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 76;
/// Cells of a label.
const LABEL: u16 = 13;
const OWN_IMAGES: &str = tr_later!("Your images");
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
    let title = tr!("Create an image from {name}", name = form.name);
    let inner = dialog::frame(paint, areas.screen, area, &title, Face::Title);
    for (line, (label, value)) in lines.iter().enumerate() {
        let y = inner.y + line as u16;
        paint.text(inner.x, y, LABEL, label, Face::Label);
        let room = inner.width.saturating_sub(LABEL);
        let is_problem = *label == locale::text(OWN_IMAGES) && form.is_full();
        let face = if is_problem {
            Face::Warning
        } else {
            Face::Value
        };
        paint.text(inner.x + LABEL, y, room, value, face);
    }
}

/// How many images you have, and their names.
fn own_images(form: &CommitForm) -> String {
    let names: Vec<&str> = form.own.iter().map(Clean::as_str).collect();
    if names.is_empty() {
        return form.used();
    }
    format!("{} ({})", form.used(), names.join(", "))
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
        (tr!("Session"), session.id.to_string()),
        (tr!("Environment"), session.environment.label()),
    ];
    lines.extend(tags(app, session).map(|tags| (tr!("Tags"), tags)));
    lines.push((locale::text(OWN_IMAGES), own_images(form)));
    let folders: Vec<&str> = session.folders.iter().map(Clean::as_str).collect();
    let left_out = match folders.as_slice() {
        [] => tr!("Files in /home/work.").to_owned(),
        some => tr!(
            "Files in /home/work and in its folders ({value}).",
            value = some.join(", ")
        ),
    };
    let kept = tr!("All other files and installed programs, as they are now.");
    for (label, value) in [(tr!("In it"), kept.to_owned()), (tr!("Left out"), left_out)] {
        let mut label = label;
        for part in text::wrap(&value, width) {
            lines.push((label, part));
            label = "";
        }
    }
    let meanwhile = match form.pause {
        Some(true) => tr!("Its programs are paused. (Tab: they keep running)"),
        Some(false) => tr!("The session keeps running. (Tab: pause its programs)"),
        None => tr!("The session keeps running."),
    };
    lines.push((
        tr!("Meanwhile"),
        tr!("{meanwhile} Wait before terminating it.", meanwhile),
    ));
    lines
}
