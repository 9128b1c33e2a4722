//! A question of the launcher: a sentence and two buttons.

use ratatui::layout::Rect;

use crate::{
    app::{confirm::Button, launcher::Question},
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 58;
/// The narrowest button.
const BUTTON: usize = 8;

fn sentence(question: &Question) -> Vec<String> {
    text::wrap(&question.text, usize::from(WIDTH - 6))
}

/// The labels of the buttons No and Yes.
fn labels(question: &Question) -> [String; 2] {
    [question.no, question.yes].map(|word| format!("{:^BUTTON$}", format!("  {word}  ")))
}

pub fn area(question: &Question, screen: Rect) -> Rect {
    // The border, a blank around the sentence and the buttons.
    dialog::place(screen, WIDTH, sentence(question).len() as u16 + 6)
}

/// The positions of the buttons No and Yes.
pub fn buttons(question: &Question, area: Rect) -> [Rect; 2] {
    let y = area.bottom().saturating_sub(3);
    let [no, yes] = labels(question).map(|label| text::width(&label) as u16);
    let right = area.right().saturating_sub(3);
    let yes = Rect::new(right.saturating_sub(yes), y, yes, 1);
    [Rect::new(yes.x.saturating_sub(no + 2), y, no, 1), yes]
}

pub fn draw(paint: &mut Paint<'_>, question: &Question, screen: Rect) {
    let area = area(question, screen);
    let title = format!("{}?", question.yes);
    let inner = dialog::frame(paint, screen, area, &title, Face::Title);
    paint.cursor = None;
    for (at, line) in sentence(question).iter().enumerate() {
        let y = inner.y + 1 + at as u16;
        paint.text(inner.x, y, inner.width, line, Face::Text);
    }
    let places = buttons(question, area).into_iter().zip(labels(question));
    for (button, (place, text)) in [Button::No, Button::Yes].into_iter().zip(places) {
        let face = match (question.button == button, button) {
            (false, _) => Face::Button,
            (true, Button::No) => Face::ButtonActive,
            (true, Button::Yes) => Face::ButtonDanger,
        };
        paint.text(place.x, place.y, place.width, &text, face);
    }
}
