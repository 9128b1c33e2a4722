"""Creates the domain `annex`, a project of it, and two accounts: `annexed@example.com`, a member of the project, and
`nothing@example.com`, who has no project. Or opens the domain again; closes it.

Argument: open or close.
"""

import asyncio
import secrets
import sys

from ai.backend.client.session import AsyncSession

NAME, PROJECT, RESOURCE_GROUP = "annex", "annex-team", "default"
MEMBER, WITHOUT_PROJECT = "annexed@example.com", "nothing@example.com"

DOMAIN = "query ($name: String) { domain(name: $name) { allowed_docker_registries allowed_vfolder_hosts } }"
DOMAINS = "query { domains { name } }"
CREATE_DOMAIN = """mutation ($name: String!, $props: DomainInput!) {
    create_domain(name: $name, props: $props) { ok msg }
}"""
MODIFY_DOMAIN = """mutation ($name: String!, $props: ModifyDomainInput!) {
    modify_domain(name: $name, props: $props) { ok msg }
}"""
FOR_DOMAIN = """mutation ($group: String!, $domain: String!) {
    associate_scaling_group_with_domain(scaling_group: $group, domain: $domain) { ok msg }
}"""
CREATE_PROJECT = """mutation ($name: String!, $props: GroupInput!) {
    create_group(name: $name, props: $props) { ok msg }
}"""
PROJECTS = "query ($domain: String!) { groups(domain_name: $domain) { id name } }"
CREATE_USER = """mutation ($email: String!, $props: UserInput!) {
    create_user(email: $email, props: $props) { ok msg }
}"""


async def change(session, query, variables):
    ((what, done),) = (await session.Admin.query(query, variables)).items()
    if not done["ok"]:
        sys.exit(f"error: {what}: {done['msg']}")


async def create(session):
    usual = (await session.Admin.query(DOMAIN, {"name": "default"}))["domain"]
    hosts = usual["allowed_vfolder_hosts"]
    props = {"total_resource_slots": "{}", "allowed_vfolder_hosts": hosts, "allowed_docker_registries": usual["allowed_docker_registries"]}
    await change(session, CREATE_DOMAIN, {"name": NAME, "props": props})
    await change(session, FOR_DOMAIN, {"group": RESOURCE_GROUP, "domain": NAME})
    props = {"domain_name": NAME, "total_resource_slots": "{}", "allowed_vfolder_hosts": hosts, "resource_policy": "default"}
    await change(session, CREATE_PROJECT, {"name": PROJECT, "props": props})
    projects = (await session.Admin.query(PROJECTS, {"domain": NAME}))["groups"]
    project = next(str(row["id"]) for row in projects if row["name"] == PROJECT)
    for email, groups in ((MEMBER, [project]), (WITHOUT_PROJECT, [])):
        name = email.split("@")[0]
        props = {
            "username": name, "password": secrets.token_urlsafe(12) + "-1!", "need_password_change": False, "full_name": name,
            "domain_name": NAME, "role": "user", "group_ids": groups,
        }
        await change(session, CREATE_USER, {"email": email, "props": props})


async def main(verb):
    async with AsyncSession() as session:
        domains = (await session.Admin.query(DOMAINS, {}))["domains"]
        if any(row["name"] == NAME for row in domains):
            await change(session, MODIFY_DOMAIN, {"name": NAME, "props": {"is_active": verb == "open"}})
        elif verb == "open":
            await create(session)


asyncio.run(main(*sys.argv[1:]))
