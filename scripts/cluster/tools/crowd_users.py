"""Creates the users of scripts/cluster/crowd with the official client, as an administrator does. Argument: how many."""

import asyncio
import sys

from ai.backend.client.session import AsyncSession


async def create(session, number, group):
    email = f"crowd{number:03}@example.com"
    try:
        done = await session.User.create(
            "default",
            email,
            f"Crowd-{number:03}!",
            username=f"crowd{number:03}",
            full_name=f"Crowd {number}",
            group_ids=[group],
        )
        why = None if done.get("ok", True) else str(done.get("msg"))
    except Exception as error:  # the client has many
        why = str(error)
    if why and not any(word in why.lower() for word in ("exist", "duplicate", "conflict")):
        sys.exit(f"error: {email}: {why}")


async def main(count):
    async with AsyncSession() as session:
        groups = await session.Group.list("default")
        group = next(str(row["id"]) for row in groups if row["name"] == "default")
        for number in range(1, count + 1):
            await create(session, number, group)


asyncio.run(main(int(sys.argv[1])))
