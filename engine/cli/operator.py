"""The command ``settings``: what whoever runs the server has decided, and what can be decided."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from engine.cli.printing import print_json, print_lines

if TYPE_CHECKING:
    from engine.operator_settings import OperatorSettings

HEADINGS = {
    "server": "The server",
    "door": "Who may ask, and how often",
    "uploads": "What visitors may send",
    "models": "Models",
    "access": "Who comes in",
    "keeping": "What is kept",
}


def add_settings_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser("settings", help="the server's settings, their values and their meanings")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print as JSON")
    form.add_argument("--markdown", action="store_true", help="print the table of the docs, without values")
    command.set_defaults(command=settings)


def settings(options: argparse.Namespace) -> None:
    """Print every setting. Raises SettingsError naming each variable that is wrong or unknown."""
    from dataclasses import asdict

    from engine.operator_settings import operator_settings, told

    if options.markdown:
        print_lines(markdown_lines())
        return
    found = operator_settings()
    if options.json:
        print_json({"settings": [asdict(one) for one in told(found)]})
    else:
        print_lines(setting_lines(found))


def setting_lines(found: OperatorSettings) -> Iterator[str]:
    """Each setting in two lines, below the heading of its group."""
    from engine.operator_settings import told

    group = ""
    for one in told(found):
        if one.group != group:
            yield from ([""] if group else [])
            group = one.group
            yield HEADINGS[group]
        changed = f"   (default: {one.default})" if one.source == "environment" else ""
        yield f"  {one.variable} = {one.value}{changed}"
        yield f"      {one.meaning} [{one.unit}]"


def markdown_lines() -> Iterator[str]:
    """The page of the docs."""
    from engine.operator_settings import OperatorSettings, told

    yield "# Operator's settings"
    yield ""
    yield (
        "Environment variables of the server, the command line and its worker processes. "
        "`python -m engine settings` prints them with the values that hold; this page is made by "
        "`python -m engine settings --markdown`. A variable named `REDSTRING_...` that is not in this list, "
        "or a value that cannot be read, ends the program with a line that names it. "
        "On and off may be written yes and no, true and false, 1 and 0."
    )
    group = ""
    for one in told(OperatorSettings.model_construct()):
        if one.group != group:
            group = one.group
            yield from ("", f"## {HEADINGS[group]}", "", "| variable | default | unit | meaning |")
            yield "|---|---|---|---|"
        yield f"| `{one.variable}` | {one.default} | {one.unit} | {one.meaning} |"
