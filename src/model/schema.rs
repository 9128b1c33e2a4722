//! The JSON Schema of types that write their JSON themselves. The others derive it. Only tests use it, to check the
//! documented schemas.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{
    id::{ContextName, InstanceId, KernelId, SessionId},
    resources::{Bytes, Cpu},
    status::Status,
    text::Clean,
};

macro_rules! schemas {
    ($( $type:ty: $name:literal, $schema:tt )+) => { $(
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )+ };
}

schemas! {
    Clean: "Text", { "type": "string" }
    ContextName: "ContextName", { "type": "string" }
    InstanceId: "InstanceId", { "type": "string", "format": "uuid" }
    SessionId: "SessionId", { "type": "string", "format": "uuid" }
    KernelId: "KernelId", { "type": "string", "format": "uuid" }
    Cpu: "Cores", { "type": "number", "minimum": 0 }
    Bytes: "Bytes", { "type": "integer", "minimum": 0 }
    Status: "Status", { "type": "string" }
}
