//! The containers of a session: agent, ids and state. The keys for a container apply to the marked one.

use std::fmt::Write as _;

use super::{DetailLine, DetailView, LABEL, row, status, text, unbroken, usage};
use crate::{
    action::{Action, Scope},
    app::detail::Used,
    model::{kernel::Kernel, session::Session, short, text::Clean},
    theme::face::Face,
};

/// Cells of a container's id that distinguish it from others.
const SHORT: usize = 12;

/// The rows of the only container: its name, the engine's id and its agent.
pub fn single(view: &DetailView<'_>) -> Vec<DetailLine> {
    match view.session.kernels.as_slice() {
        [kernel] => one(kernel, view.width),
        _ => Vec::new(),
    }
}

/// The id of the only container.
pub fn id(session: &Session, width: usize) -> Vec<DetailLine> {
    match session.kernels.as_slice() {
        [kernel] => unbroken(tr!("Kernel"), &kernel.id.to_string(), width),
        _ => Vec::new(),
    }
}

/// Several containers in a table.
pub fn table(view: &DetailView<'_>) -> Vec<DetailLine> {
    match view.session.kernels.as_slice() {
        [] | [_] => Vec::new(),
        several => table_of(view, several),
    }
}

fn one(kernel: &Kernel, width: usize) -> Vec<DetailLine> {
    let mut lines = Vec::new();
    let mut text = kernel.hostname.to_string();
    if let Some(id) = &kernel.container_id {
        let _ = write!(text, "  {}", text::take(id.as_str(), SHORT));
    }
    let ended = ended(kernel);
    if LABEL + text::width(&text) + text::width(&ended) <= width {
        lines.push(row(tr!("Container"), text + &ended));
    } else {
        lines.push(row(tr!("Container"), text));
        lines.push(row("", ended.trim_start()));
    }
    let agent = kernel.agent.as_ref();
    lines.extend(agent.map(|agent| row(tr!("Agent"), agent.to_string())));
    lines
}

fn ended(kernel: &Kernel) -> String {
    let mut text = String::new();
    if let Some(code) = kernel.exit_code {
        let _ = write!(text, "  {}", tr!("exit {code}", code));
    }
    if kernel.oom_killed {
        text.push_str("  ");
        text.push_str(tr!("out of memory"));
    }
    text
}

fn table_of(view: &DetailView<'_>, kernels: &[Kernel]) -> Vec<DetailLine> {
    let title = tr!("Containers {kernels}", kernels = kernels.len());
    let mut lines = vec![Vec::new(), vec![(title, Face::Title)]];
    let names = kernels.iter().map(|it| text::width(it.hostname.as_str()));
    let column = names.max().unwrap_or(0).min(16);
    let marked = view.detail.kernel(kernels.len());
    let ids = short::kernels(kernels);
    for (at, (kernel, id)) in kernels.iter().zip(&ids).enumerate() {
        lines.extend(kernel_lines(view, (kernel, id), column, at == marked));
    }
    lines.push(keys(view));
    lines
}

/// The keys for the marked container.
fn keys(view: &DetailView<'_>) -> DetailLine {
    let mut line = DetailLine::new();
    for (action, word) in [
        (Action::DetailNextKernel, tr!("next")),
        (Action::SessionShell, tr!("shell")),
        (Action::SessionLogs, tr!("log")),
        (Action::CopyKernelId, tr!("copy id")),
        (Action::CopyContainerId, tr!("container id")),
    ] {
        let keys = view.app.keymap.keys_for(Scope::Detail, action);
        if let Some(key) = keys.into_iter().next() {
            line.push((key, Face::Key));
            line.push((format!(" {word}  "), Face::Dim));
        }
    }
    line
}

fn kernel_lines(
    view: &DetailView<'_>,
    (kernel, id): (&Kernel, &str),
    column: usize,
    marked: bool,
) -> Vec<DetailLine> {
    let (width, glyphs) = (view.width, view.glyphs);
    let name = text::fit(kernel.hostname.as_str(), column, glyphs.ellipsis);
    let pad = " ".repeat(column.saturating_sub(text::width(&name)) + 2);
    let shape = glyphs.shape(&kernel.status);
    let word = format!("{shape} {:11}", kernel.status.word());
    let mut rest: Vec<String> = Vec::new();
    rest.extend(kernel.agent.as_ref().map(Clean::to_string));
    rest.push(id.to_owned());
    let container = kernel.container_id.as_ref();
    rest.extend(container.map(|id| text::take(id.as_str(), SHORT).to_owned()));
    let rest = rest.join("  ") + &ended(kernel);
    let taken = 2 + column + 2 + text::width(&word) + 2;
    let mark = if marked { glyphs.marker } else { " " };
    let mut lines = vec![vec![
        (format!("{mark} "), Face::RowMarker),
        (format!("{name}{pad}"), Face::Value),
        (format!("{word}  "), status::face(&kernel.status)),
    ]];
    // What doesn't fit next to the status is in the next line.
    let indent = " ".repeat(column + 4);
    if taken + text::width(&rest) <= width {
        lines[0].push((rest, Face::Dim));
    } else {
        let below = text::wrap(&rest, width.saturating_sub(column + 4));
        let below = below.into_iter();
        lines.extend(below.map(|line| vec![(format!("{indent}{line}"), Face::Dim)]));
    }
    if let Some(info) = kernel.status_info.as_ref().filter(|it| !it.is_empty()) {
        let wrapped = text::wrap(info.as_str(), width.saturating_sub(column + 4));
        let line = |line| vec![(format!("{indent}{line}"), Face::Dim)];
        lines.extend(wrapped.into_iter().map(line));
    }
    for line in packed(&used(view, kernel), width.saturating_sub(column + 4)) {
        lines.push(vec![(format!("{indent}{line}"), Face::Value)]);
    }
    lines
}

/// What the container uses, as far as it is known.
fn used(view: &DetailView<'_>, kernel: &Kernel) -> Vec<String> {
    let figures = match view.detail.figures() {
        Used::Known(figures) => figures.kernels.get(&kernel.id),
        Used::Asked | Used::Failed(_) | Used::Lacking(_) => None,
    };
    let live = view.session.status.is_live();
    figures.map_or_else(Vec::new, |figures| usage::of_kernel(figures, live))
}

/// Fills lines with amounts without breaking an amount.
fn packed(amounts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for amount in amounts {
        match lines.last_mut() {
            Some(line) if text::width(line) + 2 + text::width(amount) <= width => {
                line.push_str("  ");
                line.push_str(amount);
            }
            _ => lines.push(text::take(amount, width).to_owned()),
        }
    }
    lines
}
