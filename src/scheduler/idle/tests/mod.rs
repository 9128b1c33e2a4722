//! Idle checks: the rules one by one, and whole lives of sessions in simulated time.

mod clauses;
mod facts;
mod fairness;
mod keeping;
mod lives;
mod warnings;
