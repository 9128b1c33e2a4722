//! The apps of a session's container.

use async_trait::async_trait;

use super::DockerEngine;
use crate::engine::api::Apps;

#[async_trait]
impl Apps for DockerEngine {}
