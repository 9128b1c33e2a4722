"""Creates the domain `annex`, a project of it, and two accounts: `annexed@example.com`, a member of the project, and
`nothing@example.com`, who isn't. Or opens the domain again; closes it.

Argument: open or close.
"""

import asyncio
import secrets
import sys

from administration import change
from ai.backend.client.exceptions import BackendAPIError
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


async def has_domain(session):
    return any(row["name"] == NAME for row in (await session.Admin.query(DOMAINS, {}))["domains"])


async def default_domain(session):
    return (await session.Admin.query(DOMAIN, {"name": "default"}))["domain"]


async def create_domain(session, usual):
    props = {"total_resource_slots": "{}", "allowed_vfolder_hosts": usual["allowed_vfolder_hosts"], "allowed_docker_registries": usual["allowed_docker_registries"]}
    try:
        await change(session, CREATE_DOMAIN, {"name": NAME, "props": props})
    except BackendAPIError:
        # 26.9 creates it, and fails to describe it in the answer.
        if not await has_domain(session):
            raise
    await change(session, FOR_DOMAIN, {"group": RESOURCE_GROUP, "domain": NAME})


async def find_project(session):
    projects = (await session.Admin.query(PROJECTS, {"domain": NAME}))["groups"]
    return next((str(row["id"]) for row in projects if row["name"] == PROJECT), None)


async def create_accounts(session, usual):
    props = {"domain_name": NAME, "total_resource_slots": "{}", "allowed_vfolder_hosts": usual["allowed_vfolder_hosts"], "resource_policy": "default"}
    await change(session, CREATE_PROJECT, {"name": PROJECT, "props": props})
    for email, groups in ((MEMBER, [await find_project(session)]), (WITHOUT_PROJECT, [])):
        name = email.split("@")[0]
        props = {
            "username": name, "password": secrets.token_urlsafe(12) + "-1!", "need_password_change": False, "full_name": name,
            "domain_name": NAME, "role": "user", "group_ids": groups,
        }
        await change(session, CREATE_USER, {"email": email, "props": props})


async def main(verb):
    async with AsyncSession() as session:
        is_open = verb == "open"
        if await has_domain(session):
            await change(session, MODIFY_DOMAIN, {"name": NAME, "props": {"is_active": is_open}})
        elif is_open:
            await create_domain(session, await default_domain(session))
        if is_open and await find_project(session) is None:
            await create_accounts(session, await default_domain(session))


asyncio.run(main(*sys.argv[1:]))
