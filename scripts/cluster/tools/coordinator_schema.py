"""Makes the tables of the app proxy's coordinator. Its own command for that is missing in 25.15, and that of 26.4 does
not get along with the version of click which the release itself asks for.

    coordinator_schema.py ALEMBIC.ini
"""

import sys

ini = sys.argv[1]
try:
    from ai.backend.appproxy.coordinator.cli.dbschema import oneshot
except ImportError:
    from alembic import command
    from alembic.config import Config

    command.upgrade(Config(ini), "head")
else:
    oneshot.main(["-f", ini], obj=None)
