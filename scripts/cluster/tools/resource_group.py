"""Creates a resource group for the domain and the project `default`, as an administrator does, or opens it again.

Arguments: its name, the address of the app proxy's coordinator, and the file with its token.
"""

import asyncio
import pathlib
import sys

from administration import change
from ai.backend.client.session import AsyncSession

LIST = "query { scaling_groups { name } }"
CREATE = """mutation ($name: String!, $props: CreateScalingGroupInput!) {
    create_scaling_group(name: $name, props: $props) { ok msg }
}"""
OPEN = """mutation ($name: String!, $props: ModifyScalingGroupInput!) {
    modify_scaling_group(name: $name, props: $props) { ok msg }
}"""
FOR_DOMAIN = """mutation ($name: String!) {
    associate_scaling_group_with_domain(scaling_group: $name, domain: "default") { ok msg }
}"""
FOR_PROJECT = """mutation ($name: String!, $project: UUID!) {
    associate_scaling_group_with_user_group(scaling_group: $name, user_group: $project) { ok msg }
}"""


async def main(name, proxy, token):
    async with AsyncSession() as session:
        groups = (await session.Admin.query(LIST, {}))["scaling_groups"]
        if any(group["name"] == name for group in groups):
            return await change(session, OPEN, {"name": name, "props": {"is_active": True}})
        projects = await session.Group.list("default")
        project = next(str(row["id"]) for row in projects if row["name"] == "default")
        props = {"driver": "static", "scheduler": "fifo", "wsproxy_addr": proxy, "wsproxy_api_token": pathlib.Path(token).read_text()}
        await change(session, CREATE, {"name": name, "props": props})
        await change(session, FOR_DOMAIN, {"name": name})
        await change(session, FOR_PROJECT, {"name": name, "project": project})


asyncio.run(main(*sys.argv[1:]))
