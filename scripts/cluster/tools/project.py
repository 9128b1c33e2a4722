"""Creates the project `lab` with limits and a policy of its own, with `user` and the administrator as its members, or opens it again; closes it.

Arguments: open or close, then the storage host.
"""

import asyncio
import json
import sys

from administration import change
from ai.backend.client.session import AsyncSession

NAME, POLICY, RESOURCE_GROUP = "lab", "one-folder", "default"
MEMBERS = ("user@lablup.com", "admin@lablup.com")
SLOTS = {"cpu": "2", "mem": "2147483648"}

POLICIES = "query { project_resource_policies { name } }"
CREATE_POLICY = """mutation ($name: String!, $props: CreateProjectResourcePolicyInput!) {
    create_project_resource_policy(name: $name, props: $props) { ok msg }
}"""
CREATE = """mutation ($name: String!, $props: GroupInput!) {
    create_group(name: $name, props: $props) { ok msg }
}"""
MODIFY = """mutation ($id: UUID!, $props: ModifyGroupInput!) {
    modify_group(gid: $id, props: $props) { ok msg }
}"""
FOR_PROJECT = """mutation ($name: String!, $project: UUID!) {
    associate_scaling_group_with_user_group(scaling_group: $name, user_group: $project) { ok msg }
}"""
GROUPS = "query { groups(domain_name: \"default\", is_active: %s) { id name } }"
USER = "query ($email: String) { user(email: $email) { uuid } }"


async def project_id(session):
    for active in ("true", "false"):
        for row in (await session.Admin.query(GROUPS % active, {}))["groups"]:
            if row["name"] == NAME:
                return str(row["id"])
    return None


async def create(session, host):
    policies = (await session.Admin.query(POLICIES, {}))["project_resource_policies"]
    if not any(policy["name"] == POLICY for policy in policies):
        limits = {"max_vfolder_count": 1, "max_quota_scope_size": 0, "max_network_count": 1}
        await change(session, CREATE_POLICY, {"name": POLICY, "props": limits})
    permissions = ["create-vfolder", "modify-vfolder", "delete-vfolder", "mount-in-session", "upload-file", "download-file"]
    props = {
        "domain_name": "default", "resource_policy": "default", "total_resource_slots": json.dumps(SLOTS),
        "allowed_vfolder_hosts": json.dumps({host: permissions}),
    }
    await change(session, CREATE, {"name": NAME, "props": props})
    project = await project_id(session)
    await change(session, FOR_PROJECT, {"name": RESOURCE_GROUP, "project": project})
    members = [(await session.Admin.query(USER, {"email": email}))["user"]["uuid"] for email in MEMBERS]
    # When a project is created, 25.15 looks for its policy among those of key pairs.
    props = {"user_update_mode": "add", "user_uuids": members, "resource_policy": POLICY}
    await change(session, MODIFY, {"id": project, "props": props})


async def main(verb, host):
    async with AsyncSession() as session:
        project = await project_id(session)
        if verb == "open" and project is None:
            await create(session, host)
        elif project is not None:
            await change(session, MODIFY, {"id": project, "props": {"is_active": verb == "open"}})


asyncio.run(main(*sys.argv[1:]))
