//! The fourth page: ports.

use super::sheet::{FormSheet, VALUES};
use crate::{
    app::launcher::FormRow,
    model::{capability::Capability, launch_field::LaunchField as Field, ports},
    theme::face::Face,
};

pub fn write(sheet: &mut FormSheet<'_>) {
    let row = FormRow::of(Field::PreopenPorts);
    let launcher = sheet.launcher;
    let info = launcher.info().catalogue.as_ref();
    let most = info.and_then(|it| it.policy.max_preopen_ports);
    let most = most.unwrap_or(ports::MOST);
    let count = launcher.request().preopen_ports.len();
    let note = tr!("{count} of {most}", count, most);
    let hint = tr!("none, for example 8080, 9000-9003");
    sheet.typed(
        row,
        tr!("Open ports"),
        launcher.network.ports(),
        hint,
        &note,
    );
    sheet.message(row);
    sheet.gap();
    let is_ours = launcher.info().why_not(Capability::Schedules).is_some();
    let text = if is_ours {
        tr!("Programs must listen on 0.0.0.0. The details view shows the address.")
    } else {
        tr!("Ports of programs in the session. They must listen on 0.0.0.0.")
    };
    sheet.note(VALUES, text, Face::Dim);
}
