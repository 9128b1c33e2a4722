//! The number of threads that libraries start: the number of cores, or a custom number. Both numbers are
//! environment variables with those names.

use std::collections::BTreeMap;

use super::slider::{NumberUnit, Slider};
use crate::model::launch_field::{FieldProblem, LaunchField as Field};

pub const OPEN_MP: &str = "OMP_NUM_THREADS";
pub const OPEN_BLAS: &str = "OPENBLAS_NUM_THREADS";

#[derive(Clone, Debug)]
pub struct Threads {
    /// The engine sets both to the number of cores.
    pub automatic: bool,
    pub open_mp: Slider,
    pub open_blas: Slider,
}

impl Default for Threads {
    fn default() -> Self {
        Self {
            automatic: true,
            open_mp: Slider::new(NumberUnit::Pieces, 1),
            open_blas: Slider::new(NumberUnit::Pieces, 1),
        }
    }
}

impl Threads {
    /// Whether this page already sets a variable.
    pub fn sets(&self, name: &str) -> bool {
        !self.automatic && (name == OPEN_MP || name == OPEN_BLAS)
    }

    /// `most` is the maximum of their sliders.
    pub fn problems(&self, most: Option<u64>) -> Vec<FieldProblem> {
        let fields = [
            (Field::OpenMp, &self.open_mp),
            (Field::OpenBlas, &self.open_blas),
        ];
        let why = |slider: &Slider| match slider.value() {
            Ok(0) => Some(tr!("must be at least 1").to_owned()),
            Ok(number) => most.filter(|most| number > *most).map(|most| {
                tr!(
                    "{number} threads exceed the number of cores (max: {most})",
                    number,
                    most
                )
            }),
            Err(why) => Some(why),
        };
        let wrong = |(field, slider)| Some(FieldProblem::new(field, why(slider)?));
        let shown = fields.into_iter().filter(|_| !self.automatic);
        shown.filter_map(wrong).collect()
    }

    /// Takes the two numbers from the variables, if both are numbers.
    pub fn read(&mut self, env: &mut BTreeMap<String, String>) {
        *self = Self::default();
        let number = |name| {
            env.get(name)
                .and_then(|value: &String| value.parse::<u32>().ok())
        };
        if let (Some(open_mp @ 1..), Some(open_blas @ 1..)) = (number(OPEN_MP), number(OPEN_BLAS)) {
            self.automatic = false;
            self.open_mp.set(u64::from(open_mp));
            self.open_blas.set(u64::from(open_blas));
            env.remove(OPEN_MP);
            env.remove(OPEN_BLAS);
        }
    }

    pub fn write(&self, env: &mut BTreeMap<String, String>) {
        if self.automatic {
            return;
        }
        for (name, slider) in [(OPEN_MP, &self.open_mp), (OPEN_BLAS, &self.open_blas)] {
            if let Ok(number @ 1..) = slider.value() {
                env.insert(name.to_owned(), number.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_hand_are_variables() {
        let mut threads = Threads::default();
        let mut env = BTreeMap::new();
        threads.write(&mut env);
        assert!(env.is_empty() && !threads.sets(OPEN_MP));
        threads.automatic = false;
        threads.open_mp.set(4);
        threads.write(&mut env);
        assert_eq!((env[OPEN_MP].as_str(), env[OPEN_BLAS].as_str()), ("4", "1"));
        assert!(threads.sets(OPEN_BLAS) && !threads.sets("PATH"));
        let mut again = Threads::default();
        again.read(&mut env);
        assert!(env.is_empty() && !again.automatic);
        assert_eq!(again.open_mp.value(), Ok(4));
    }

    #[test]
    fn one_of_them_alone_stays_a_variable() {
        let mut env = BTreeMap::from([(OPEN_MP.to_owned(), "4".to_owned())]);
        let mut threads = Threads::default();
        threads.read(&mut env);
        assert!(threads.automatic && env.len() == 1);
        threads.automatic = false;
        threads.open_mp.paste("0");
        assert_eq!(threads.problems(None).len(), 1);
    }

    #[test]
    fn a_number_beyond_the_sliders_end_is_refused() {
        let mut threads = Threads {
            automatic: false,
            ..Threads::default()
        };
        threads.open_mp.set(3);
        assert_eq!(threads.problems(Some(3)), []);
        let wrong = threads.problems(Some(2));
        assert_eq!((wrong.len(), wrong[0].field), (1, Field::OpenMp));
        assert!(wrong[0].message.contains("max: 2"), "{}", wrong[0].message);
    }
}
