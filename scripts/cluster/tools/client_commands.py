"""Prints the commands of the official client, one per line, without those of administrators and aliases."""

import warnings

import click
from ai.backend.cli.loader import load_entry_points


def walk(command, path):
    if isinstance(command, click.Group):
        for name, inside in sorted(command.commands.items()):
            walk(inside, [*path, name])
    elif path[0] != "admin" and not (command.help or "").startswith('Alias of "session'):
        print(" ".join(path))


warnings.filterwarnings("ignore")
walk(load_entry_points(allowlist={"ai.backend.client.cli"}), [])
