//! The apps of a session on a cluster.

use async_trait::async_trait;

use super::BackendAiEngine;
use crate::engine::api::Apps;

#[async_trait]
impl Apps for BackendAiEngine {}
