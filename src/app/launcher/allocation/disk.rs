//! The disk limit, which is typed.

use crate::{
    app::input::Input,
    model::{
        launch_field::{FieldProblem, LaunchField as Field},
        resources::Bytes,
        spec::LaunchRequest,
    },
};

#[derive(Clone, Debug, Default)]
pub(super) struct DiskInput {
    pub input: Input,
}

impl DiskInput {
    fn value(&self) -> Option<Result<Bytes, String>> {
        let text = self.input.text().trim();
        (!text.is_empty()).then(|| text.parse())
    }

    pub fn problem(&self) -> Option<FieldProblem> {
        let why = self.value()?.err()?;
        Some(FieldProblem::new(Field::Disk, why))
    }

    pub fn read(&mut self, request: &LaunchRequest) {
        let text = Field::Disk.row().written(request);
        self.input.set(&text.unwrap_or_default());
    }

    pub fn write(&self, request: &mut LaunchRequest) {
        request.disk = self.value().and_then(Result::ok);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_typed_and_read_back() {
        let mut form = DiskInput::default();
        let mut request = LaunchRequest::default();
        form.write(&mut request);
        assert_eq!((request.disk, form.problem()), (None, None));
        form.input.set(" 1.5g ");
        form.write(&mut request);
        assert_eq!(request.disk, Some(Bytes::mib(1536)));
        form.read(&request);
        assert_eq!(form.input.text(), "1536m");
        form.input.set("much");
        form.write(&mut request);
        assert_eq!(request.disk, None);
        assert_eq!(form.problem().unwrap().field, Field::Disk);
    }
}
