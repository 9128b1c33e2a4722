//! A question of the launcher: a sentence and two buttons.

use ratatui::layout::Rect;

use crate::{
    app::launcher::Confirmation,
    locale,
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 58;
/// The narrowest button.
const BUTTON: usize = 8;

fn sentence(question: &Confirmation) -> Vec<String> {
    text::wrap(&question.text, usize::from(WIDTH - 6))
}

/// The labels of the buttons No and Yes.
fn labels(question: &Confirmation) -> [String; 2] {
    [question.no, question.yes]
        .map(|word| text::center(&format!("  {}  ", locale::of(word)), BUTTON))
}

fn area(question: &Confirmation, screen: Rect) -> Rect {
    // The border, a blank around the sentence and the buttons.
    let lines = match sentence(question).len() as u16 {
        0 => 0,
        lines => lines + 1,
    };
    dialog::place(screen, WIDTH, lines + 5)
}

/// The positions of the buttons No and Yes.
pub fn buttons(question: &Confirmation, screen: Rect) -> [Rect; 2] {
    let labels = labels(question);
    dialog::buttons(
        area(question, screen),
        labels.each_ref().map(String::as_str),
    )
}

pub fn draw(paint: &mut Paint<'_>, question: &Confirmation, screen: Rect) {
    let area = area(question, screen);
    let inner = dialog::frame(paint, screen, area, &question.title, Face::Title);
    paint.cursor = None;
    for (at, line) in sentence(question).iter().enumerate() {
        let y = inner.y + 1 + at as u16;
        paint.text(inner.x, y, inner.width, line, Face::Text);
    }
    let labels = labels(question);
    let labels = labels.each_ref().map(String::as_str);
    dialog::draw_buttons(
        paint,
        dialog::buttons(area, labels),
        labels,
        question.button,
    );
}
