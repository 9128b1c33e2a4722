//! The owner of a new session: our own account or, for an administrator, another user.

use serde_json::{Value, json};

use super::super::{
    connect::connection::{ManagerConnection, without_project},
    request::{gql::Schema, lenient_json::Node},
};
use crate::{
    engine::api::Result,
    model::{
        capability::Capability,
        catalogue::OwnerChoices,
        failure::{Failure, FailureKind},
        launch_field::LaunchField,
        spec::{LaunchRequest, Owner},
        text::Clean,
    },
};

const OWNER: &str = "query($email: String) { user(email: $email) { email is_active domain_name \
                     groups { id name } } keypairs(email: $email, is_active: true) { access_key } }";

/// The owner of a session.
pub(super) struct SessionOwner {
    pub(super) domain: String,
    /// The name of a project.
    pub(super) project: String,
    /// The access key of another user.
    pub(super) access_key: Option<String>,
}

/// A user that a session may be launched for.
struct FoundUser {
    choices: OwnerChoices,
    domain: String,
}

impl ManagerConnection {
    pub(super) async fn whose(&self, request: &LaunchRequest) -> Result<SessionOwner> {
        if let Some(owner) = &request.owner {
            return self.owned_by(owner, request.project.as_deref()).await;
        }
        let own = self.project.as_ref().map(|project| project.name.as_str());
        let Some(project) = request.project.as_deref().or(own) else {
            return Err(without_project(&self.me.user.email));
        };
        Ok(SessionOwner {
            domain: self.domain().to_owned(),
            project: project.to_owned(),
            access_key: None,
        })
    }

    /// The requested project, else ours if the owner is in it too, else the owner's first one.
    async fn owned_by(&self, owner: &Owner, project: Option<&str>) -> Result<SessionOwner> {
        let FoundUser { choices, domain } = self.find(&owner.email).await?;
        let access_key = key_of(&choices, &owner.access_key)?;
        let ours = self.project.as_ref().map(|project| &project.name);
        let shared = ours.filter(|ours| choices.projects.contains(ours));
        let otherwise = shared.or(choices.projects.first()).map(Clean::as_str);
        let Some(project) = project.or(otherwise) else {
            return Err(without_project(&choices.email));
        };
        Ok(SessionOwner {
            domain,
            project: project.to_owned(),
            access_key: Some(access_key),
        })
    }

    /// The keys and projects of a user.
    pub(in super::super) async fn owner(&self, email: &str) -> Result<OwnerChoices> {
        Ok(self.find(email).await?.choices)
    }

    async fn find(&self, email: &str) -> Result<FoundUser> {
        if let Some(why) = self.info.capabilities.why_not(Capability::Owners) {
            return Err(refused(why.clone()));
        }
        let email = email.trim();
        let shown = Clean::new(email);
        let variables = json!({"email": email});
        let data = self.http.ask(Schema::One, OWNER, variables).await;
        let data = data.map_err(|error| match error.kind {
            FailureKind::Refused => refused(format!("{shown}: {}", error.what)),
            _ => error,
        })?;
        read(&data, &shown)
    }
}

/// The requested key, or the only one.
fn key_of(choices: &OwnerChoices, asked: &str) -> Result<String> {
    let (email, keys) = (&choices.email, &choices.access_keys);
    if keys.iter().any(|key| *key == *asked) {
        return Ok(asked.to_owned());
    }
    match (asked, keys.as_slice()) {
        ("", [only]) => Ok(only.as_str().to_owned()),
        ("", several) => {
            let names: Vec<&str> = several.iter().map(Clean::as_str).collect();
            let names = names.join(", ");
            Err(refused(tr_sent!(
                "{email} has several keys. Use {email}/KEY with one of {names}",
                email,
                names
            )))
        }
        (asked, _) => {
            let key = Clean::new(asked);
            Err(refused(tr_sent!(
                "{email} has no active key {key}",
                email,
                key
            )))
        }
    }
}

fn read(data: &Value, asked: &Clean) -> Result<FoundUser> {
    let user = Node::new(data).node("user");
    let Some(email) = user.text("email") else {
        return Err(refused(tr_sent!("user {asked} not found", asked)));
    };
    if user.flag("is_active") == Some(false) {
        return Err(refused(tr_sent!("user {email} isn't active", email)));
    }
    let names = |list: &[Value], field: &str| -> Vec<Clean> {
        let named = list.iter().map(Node::new);
        named.filter_map(|node| node.text(field)).collect()
    };
    let projects = names(user.list("groups"), "name");
    // Managers leave out the keys of such a user.
    if projects.is_empty() {
        return Err(without_project(&email));
    }
    let access_keys = names(Node::new(data).list("keypairs"), "access_key");
    if access_keys.is_empty() {
        return Err(refused(tr_sent!("{email} has no active key", email)));
    }
    Ok(FoundUser {
        domain: user
            .text("domain_name")
            .map_or_else(|| "default".to_owned(), Clean::into_string),
        choices: OwnerChoices {
            email,
            access_keys,
            projects,
        },
    })
}

fn refused(why: impl Into<Clean>) -> Failure {
    Failure::refused(why).about(LaunchField::Owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(data: &Value) -> String {
        let error = read(data, &"x@example.com".into()).err().unwrap();
        assert_eq!(error.field, Some(LaunchField::Owner));
        error.to_string()
    }

    #[test]
    fn the_only_key_need_not_be_said() {
        let choices = |keys: &[&str]| OwnerChoices {
            email: "x@example.com".into(),
            access_keys: keys.iter().map(|key| Clean::new(key)).collect(),
            projects: Vec::new(),
        };
        assert_eq!(key_of(&choices(&["A"]), "").unwrap(), "A");
        assert_eq!(key_of(&choices(&["A", "B"]), "B").unwrap(), "B");
        let several = key_of(&choices(&["A", "B"]), "").unwrap_err().to_string();
        assert!(
            several.contains("x@example.com/KEY with one of A, B"),
            "{several}"
        );
        assert!(key_of(&choices(&["A"]), "C").is_err());
    }

    #[test]
    fn users_that_cannot_own_a_session() {
        assert_eq!(why(&json!({"user": null})), "user x@example.com not found");
        let user = json!({"email": "x@example.com", "is_active": false});
        assert_eq!(
            why(&json!({ "user": user })),
            "user x@example.com isn't active"
        );
        let mut user = json!({"email": "x@example.com", "is_active": true});
        let error = read(&json!({"user": user, "keypairs": []}), &"x".into());
        let error = error.err().unwrap();
        assert_eq!(error.field, Some(LaunchField::Project));
        user["groups"] = json!([{"name": "default"}]);
        assert_eq!(
            why(&json!({"user": user, "keypairs": []})),
            "x@example.com has no active key"
        );
    }
}
