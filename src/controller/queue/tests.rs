//! The queue in virtual time.
