//! The fourth page: preopen ports.

use super::{Form, Heard, Offer, Row};
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
pub struct Network {
    ports: Input,
}

impl Network {
    pub fn ports(&self) -> &Input {
        &self.ports
    }
}

impl Form for Network {
    fn rows(&self, _offer: &Offer) -> Vec<Row> {
        vec![Row::of(Field::PreopenPorts)]
    }

    fn key(&mut self, _row: Row, key: Key, _offer: &Offer) -> bool {
        self.ports.key(key)
    }

    fn paste(&mut self, _row: Row, text: &str, _offer: &Offer) -> bool {
        self.ports.paste(text);
        true
    }

    fn action(&mut self, _row: Row, action: Action, key: Option<Key>, _offer: &Offer) -> Heard {
        match (action, key) {
            (
                Action::LauncherMore | Action::LauncherLess | Action::ListFirst | Action::ListLast,
                Some(key),
            ) if self.ports.key(key) => Heard::Yes,
            _ => Heard::No,
        }
    }

    fn read(&mut self, request: &LaunchRequest, _offer: &Offer) {
        self.ports.set(&ports::write(&request.preopen_ports));
    }

    fn write(&self, request: &mut LaunchRequest, _offer: &Offer) {
        request.preopen_ports = ports::read(self.ports.text()).unwrap_or_default();
    }

    fn problems(&self, _offer: &Offer) -> Vec<FieldProblem> {
        let wrong = ports::read(self.ports.text()).err();
        wrong
            .map(|why| FieldProblem::new(Field::PreopenPorts, why))
            .into_iter()
            .collect()
    }
}
