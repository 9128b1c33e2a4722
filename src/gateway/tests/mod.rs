//! Real clients on loopback, the gateway, and applications behind it.

mod access;
mod limits;
mod streams;
mod support;
mod tcp;
mod upstream;
mod wrong_http;
