//! The fourth page: preopen ports.

use super::{FormResponse, FormRow, LaunchInfo, PageForm};
use crate::{
    action::Action,
    app::input::Input,
    key::Key,
    model::{
        launch_field::{FieldProblem, LaunchField as Field},
        ports,
        spec::LaunchRequest,
    },
};

#[derive(Clone, Debug, Default)]
pub struct NetworkForm {
    ports: Input,
}

impl NetworkForm {
    pub fn ports(&self) -> &Input {
        &self.ports
    }
}

impl PageForm for NetworkForm {
    fn rows(&self, _info: &LaunchInfo) -> Vec<FormRow> {
        vec![FormRow::of(Field::PreopenPorts)]
    }

    fn key(&mut self, _row: FormRow, key: Key, _info: &LaunchInfo) -> bool {
        self.ports.key(key)
    }

    fn paste(&mut self, _row: FormRow, text: &str, _info: &LaunchInfo) -> bool {
        self.ports.paste(text);
        true
    }

    fn action(
        &mut self,
        _row: FormRow,
        action: Action,
        key: Option<Key>,
        _info: &LaunchInfo,
    ) -> FormResponse {
        match (action, key) {
            (
                Action::LauncherMore | Action::LauncherLess | Action::ListFirst | Action::ListLast,
                Some(key),
            ) if self.ports.key(key) => FormResponse::Handled,
            _ => FormResponse::Ignored,
        }
    }

    fn read(&mut self, request: &LaunchRequest, _info: &LaunchInfo) {
        self.ports.set(&ports::write(&request.preopen_ports));
    }

    fn write(&self, request: &mut LaunchRequest, _info: &LaunchInfo) {
        request.preopen_ports = ports::read(self.ports.text()).unwrap_or_default();
    }

    fn problems(&self, _info: &LaunchInfo) -> Vec<FieldProblem> {
        let wrong = ports::read(self.ports.text()).err();
        wrong
            .map(|why| FieldProblem::new(Field::PreopenPorts, why))
            .into_iter()
            .collect()
    }
}
