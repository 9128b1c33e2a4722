//! How messages lie on the wire.
