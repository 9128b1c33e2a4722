//! How errors name the fields of a launch: by the option of the command line, or by the key of the recipe.

use std::path::{Path, PathBuf};

use super::{LaunchMode, fields::Fields};
use crate::{
    config::recipe,
    model::{
        launch_field::{FieldProblem, LaunchField},
        session::SessionType,
        spec::LaunchRequest,
    },
};

pub fn of(field: LaunchField) -> &'static str {
    field.row().option
}

/// The recipe of a launch, and the fields that options override.
#[derive(Default)]
pub struct Sources {
    recipe: Option<PathBuf>,
    given: Vec<LaunchField>,
}

impl Sources {
    pub fn new(recipe: Option<&Path>, fields: &Fields) -> Self {
        let own = &fields.own;
        let hook = own.stop_hook.is_some()
            || own.save_into.is_some()
            || own.stop_hook_timeout.is_some()
            || !own.save.is_empty();
        let others = [
            (LaunchField::SessionType, own.batch),
            (LaunchField::Accelerator, !own.accelerators.is_empty()),
            (LaunchField::ClusterMode, own.cluster_mode.is_some()),
            (LaunchField::Variables, !own.variables.is_empty()),
            (LaunchField::Folders, !own.mounts.is_empty()),
            (LaunchField::StopHook, hook),
        ];
        let others = others.into_iter().filter(|(_, given)| *given);
        Self {
            recipe: recipe.map(Path::to_owned),
            given: fields
                .texts()
                .map(|(field, _)| field)
                .chain(others.map(|(field, _)| field))
                .collect(),
        }
    }

    /// The recipe and its key, if the field comes from there.
    fn key(&self, field: LaunchField) -> Option<(&Path, &'static str)> {
        let file = self.recipe.as_deref()?;
        let key = recipe::key_of(field)?;
        (!self.given.contains(&field)).then_some((file, key))
    }

    /// The sentence after the option's name, or after the recipe's name and the key.
    pub fn named(&self, problem: &FieldProblem) -> String {
        let message = &problem.message;
        match self.key(problem.field) {
            Some((file, key)) => format!("{}: {key}: {message}", file.display()),
            None => format!("{}: {message}", of(problem.field)),
        }
    }

    /// The most likely fix, if the sentence doesn't contain it.
    pub fn help(
        &self,
        problem: &FieldProblem,
        request: &LaunchRequest,
        mode: &LaunchMode,
    ) -> Option<String> {
        let interactive = request.session_type == SessionType::Interactive;
        match problem.field {
            LaunchField::Timeout if interactive && mode.wait => {
                Some(tr!("use --wait-timeout to limit how long the command waits").to_owned())
            }
            LaunchField::StartupCommand | LaunchField::StartTime | LaunchField::Timeout
                if interactive =>
            {
                Some(match self.key(problem.field) {
                    Some(_) => tr!("add type = \"batch\" to the recipe, or --batch").to_owned(),
                    None => tr!("add --batch for a batch session").to_owned(),
                })
            }
            LaunchField::StartupCommand => Some(tr!("add --command").to_owned()),
            LaunchField::Variables => request
                .env
                .iter()
                .find(|(name, value)| value.is_empty() && request.is_secret(name))
                .map(|(name, _)| {
                    tr!(
                        "use -e {name} (value from your environment) or -e {name}=VALUE",
                        name
                    )
                }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_of_the_recipe_names_the_file_and_its_key() {
        let problem = FieldProblem::new(LaunchField::StartupCommand, "only batch");
        let mode = LaunchMode::default();
        let request = LaunchRequest::default();
        let mut fields = Fields::default();
        let file = Some(Path::new("train.toml"));
        let sources = Sources::new(file, &fields);
        assert_eq!(sources.named(&problem), "train.toml: command: only batch");
        let help = sources.help(&problem, &request, &mode).unwrap();
        assert!(help.contains("type = \"batch\""), "{help}");
        fields.set(LaunchField::StartupCommand, "make".to_owned());
        for sources in [Sources::new(file, &fields), Sources::default()] {
            assert_eq!(sources.named(&problem), "--command: only batch");
        }
    }
}
