//! Parts of the server alone. The whole server is tested with OpenSSH's programs in `tests/ssh/`.

mod backlog;
mod keys;
mod serving;
