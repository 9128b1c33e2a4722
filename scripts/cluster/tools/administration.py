"""What the other tools share. It is copied beside each of them."""

import sys


async def change(session, query, variables):
    ((what, done),) = (await session.Admin.query(query, variables)).items()
    if not done["ok"]:
        sys.exit(f"error: {what}: {done['msg']}")
