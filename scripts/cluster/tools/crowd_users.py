"""Creates the users of scripts/cluster/crowd with the official client, as an administrator does. Arguments: how many."""

import asyncio
import sys

from ai.backend.client.session import AsyncSession


async def main(count):
    async with AsyncSession() as session:
        group = next(row for row in await session.Group.list("default") if row["name"] == "default")
        known = {row["email"] for row in (await session.User.paginated_list(
            page_size=1000, fields=["email"])).items} if count else set()
        for number in range(1, count + 1):
            email = f"crowd{number:03}@example.com"
            if email in known:
                continue
            done = await session.User.create(
                "default", email, f"Crowd-{number:03}!", username=f"crowd{number:03}", full_name=f"Crowd {number}", group_ids=[str(group["id"])]
            )
            if not done.get("ok", True):
                sys.exit(f"error: {email}: {done.get('msg')}")


asyncio.run(main(int(sys.argv[1])))
