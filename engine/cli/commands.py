"""Commands made from verbs: a field of the request is an option, or a positional argument."""

from __future__ import annotations

import argparse
import sys
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from engine.cli.caller import LocalCaller
from engine.cli.printing import print_json, print_lines
from engine.verbs.requests import Option, parse_request
from engine.verbs.verb import Response, Verb


def add_verb(commands: Any, verb: Verb) -> None:
    """Describe the command of a verb to the parser of its group."""
    command = commands.add_parser(verb.name.split()[-1], help=verb.summary)
    form = verb.options or verb.request
    for name, field in form.model_fields.items():
        _add_field(command, name, field)
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=run_verb, verb=verb)


def run_verb(options: argparse.Namespace) -> None:
    """Run the verb of a command, and print its response. Raises what the verb raises."""
    verb: Verb = options.verb
    form = verb.options or verb.request
    given = {name: getattr(options, name) for name in form.model_fields}
    values = {name: value for name, value in given.items() if value is not None}
    with LocalCaller(is_quiet=options.json) as caller:
        request = parse_request(form, values, lambda field: _shown(form.model_fields, field))
        print_response(verb.call(caller, request), as_json=options.json)


def print_response(response: Response, *, as_json: bool) -> None:
    """Print a response. Raises its problem, if it has one."""
    if response.data is not None:
        sys.stdout.buffer.write(response.data)
    elif as_json:
        print_json(response.values)
    else:
        print_lines(response.lines)
    if response.problem is not None:
        raise response.problem


def _option_of(field: FieldInfo) -> Option:
    return field.json_schema_extra if isinstance(field.json_schema_extra, Option) else Option()


def _flag(name: str, own: Option) -> str:
    return own.flag or f"--{name.replace('_', '-')}"


def _shown(fields: dict[str, FieldInfo], place: str) -> str:
    """The name of a field as a person types it."""
    name, dot, rest = place.partition(".")
    if name not in fields:
        return place
    own = _option_of(fields[name])
    return (own.metavar if own.positional else _flag(name, own)) + dot + rest


def _add_field(command: argparse.ArgumentParser, name: str, field: FieldInfo) -> None:
    own = _option_of(field)
    words = argparse.SUPPRESS if own.hidden else (field.description or "").replace("%", "%%")
    told: dict[str, Any] = {"help": words, "default": None}
    if field.annotation is bool:
        command.add_argument(_flag(name, own), dest=name, action="store_const", const=True, **told)
        return
    told["metavar"] = own.metavar or name.upper()
    if get_origin(field.annotation) is Literal:
        told["choices"] = [value for value in get_args(field.annotation) if value]
    if own.many == "append":
        told["action"] = "append"
    elif own.many:
        told["nargs"] = own.many
    if own.positional:
        if not field.is_required():
            told.setdefault("nargs", "?")
        command.add_argument(name, **told)
        return
    command.add_argument(_flag(name, own), dest=name, required=field.is_required(), **told)
