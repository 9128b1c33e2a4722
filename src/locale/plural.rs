//! The rule that chooses the plural form: the expression of C in the header `Plural-Forms` of a `.po` file.

/// Chooses the form of a text for a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluralRule {
    /// How many forms the language has.
    pub forms: usize,
    expression: Expression,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Expression {
    Number,
    Literal(u64),
    Not(Box<Expression>),
    Binary(&'static str, Box<[Expression; 2]>),
    Choice(Box<[Expression; 3]>),
}

/// The operators by precedence, the weakest first.
const OPERATORS: [&[&str]; 6] = [
    &["||"],
    &["&&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// How deep an expression may be nested.
const DEEPEST: usize = 32;

impl PluralRule {
    /// The rule of English.
    #[must_use]
    pub fn english() -> Self {
        let not_one = [Expression::Number, Expression::Literal(1)];
        Self {
            forms: 2,
            expression: Expression::Binary("!=", Box::new(not_one)),
        }
    }

    /// Reads `nplurals=2; plural=(n != 1);`. `None` = not in this form.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let forms = parts.next()?.strip_prefix("nplurals")?.trim_start();
        let forms: usize = forms.strip_prefix('=')?.trim().parse().ok()?;
        let expression = parts.next()?.strip_prefix("plural")?.trim_start();
        let mut reader = Reader {
            rest: expression.strip_prefix('=')?,
            depth: 0,
        };
        let expression = reader.choice()?;
        let is_whole = reader.rest.trim().is_empty() && (1..=10).contains(&forms);
        is_whole.then_some(Self { forms, expression })
    }

    /// The form for a number, which exists.
    #[must_use]
    pub fn form(&self, number: u64) -> usize {
        let form = self.expression.value(number);
        usize::try_from(form).unwrap_or(0).min(self.forms - 1)
    }
}

impl Expression {
    fn value(&self, n: u64) -> u64 {
        match self {
            Self::Number => n,
            Self::Literal(value) => *value,
            Self::Not(inner) => u64::from(inner.value(n) == 0),
            Self::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                let chosen = if condition.value(n) == 0 { no } else { yes };
                chosen.value(n)
            }
            Self::Binary(operator, sides) => {
                let [left, right] = &**sides;
                apply(operator, left.value(n), right.value(n))
            }
        }
    }
}

fn apply(operator: &str, left: u64, right: u64) -> u64 {
    match operator {
        "||" => u64::from(left != 0 || right != 0),
        "&&" => u64::from(left != 0 && right != 0),
        "==" => u64::from(left == right),
        "!=" => u64::from(left != right),
        "<=" => u64::from(left <= right),
        ">=" => u64::from(left >= right),
        "<" => u64::from(left < right),
        ">" => u64::from(left > right),
        "+" => left.saturating_add(right),
        "-" => left.saturating_sub(right),
        "*" => left.saturating_mul(right),
        "/" => left.checked_div(right).unwrap_or(0),
        _ => left.checked_rem(right).unwrap_or(0),
    }
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl Reader<'_> {
    fn take(&mut self, word: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn choice(&mut self) -> Option<Expression> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let condition = self.binary(0)?;
        let read = if self.take("?") {
            let yes = self.choice()?;
            let no = self.take(":").then(|| self.choice())??;
            Expression::Choice(Box::new([condition, yes, no]))
        } else {
            condition
        };
        self.depth -= 1;
        Some(read)
    }

    fn binary(&mut self, level: usize) -> Option<Expression> {
        let Some(operators) = OPERATORS.get(level) else {
            return self.single();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|it| self.take(it)) {
            let right = self.binary(level + 1)?;
            left = Expression::Binary(operator, Box::new([left, right]));
        }
        Some(left)
    }

    fn single(&mut self) -> Option<Expression> {
        if self.take("!") {
            self.depth += 1;
            let inner = (self.depth <= DEEPEST).then(|| self.single())??;
            self.depth -= 1;
            return Some(Expression::Not(Box::new(inner)));
        }
        if self.take("(") {
            let inner = self.choice()?;
            return self.take(")").then_some(inner);
        }
        if self.take("n") {
            return Some(Expression::Number);
        }
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !c.is_ascii_digit());
        let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
        self.rest = rest;
        digits.parse().ok().map(Expression::Literal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_several_languages() {
        let forms = |rule: &str| {
            let rule = PluralRule::read(rule).expect("a rule");
            [0, 1, 2, 5, 11, 21, 22].map(|n| rule.form(n))
        };
        assert_eq!(forms("nplurals=1; plural=0;"), [0; 7]);
        assert_eq!(forms("nplurals=2; plural=(n != 1);"), [1, 0, 1, 1, 1, 1, 1]);
        assert_eq!(forms("nplurals=2; plural=n>1"), [0, 0, 1, 1, 1, 1, 1]);
        let polish = "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);";
        assert_eq!(forms(polish), [2, 0, 1, 2, 2, 2, 1]);
    }

    #[test]
    fn other_texts_are_no_rules() {
        let deep = format!("nplurals=2; plural={}n", "(".repeat(5_000));
        let negated = format!("nplurals=2; plural={}n", "!".repeat(5_000));
        for text in [
            "",
            "nplurals=0; plural=0",
            "nplurals=2; plural=m",
            "nplurals=2; plural=n ? 1",
            "nplurals=99; plural=n",
            &deep,
            &negated,
        ] {
            assert_eq!(PluralRule::read(text), None, "{text}");
        }
        // A form that doesn't exist is the last one, and nothing divides by zero.
        assert_eq!(PluralRule::read("nplurals=2; plural=n").unwrap().form(7), 1);
        assert_eq!(
            PluralRule::read("nplurals=2; plural=n%0").unwrap().form(7),
            0
        );
    }
}
