//! Idle checks: the clauses of the judge, and whole lives of sessions in virtual time.

mod clauses;
mod facts;
mod fairness;
mod keeping;
mod lives;
mod warnings;
