//! The fourth page: ports.

use super::sheet::{Sheet, VALUES};
use crate::{
    app::launcher::Row,
    model::launch::{LaunchField as Field, ports},
    theme::face::Face,
};

pub fn write(sheet: &mut Sheet<'_>) {
    let row = Row::of(Field::PreopenPorts);
    let launcher = sheet.launcher;
    let offer = launcher.offer().catalogue.as_ref();
    let most = offer.and_then(|it| it.policy.max_preopen_ports);
    let most = most.unwrap_or(ports::MOST);
    let count = launcher.request().preopen_ports.len();
    let note = format!("{count} of {most}");
    let hint = "none; as in 8080, 9000-9003";
    sheet.typed(row, "Open ports", launcher.network.ports(), hint, &note);
    sheet.said(row);
    sheet.gap();
    let text = "Programs inside that listen on 0.0.0.0 are reached at these ports. The details show the address.";
    sheet.note(VALUES, text, Face::Dim);
}
