"""The command line: ``python -m engine COMMAND``, or ``redstring COMMAND``, generated from the verbs.

With ``--json``, standard output is exactly one JSON value; progress and errors go to standard error. Exit
codes: 0 done, 1 failed, 2 invalid input, 130 interrupted.

It uses argparse and not typer: options such as ``--ranks 5 10 20`` take any number of values, which typer
(click) cannot parse.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import orjson

from engine import __version__
from engine.cli.caller import LocalCaller
from engine.errors import CancelledError, InputError, RedstringError
from engine.verbs import all_verbs
from engine.verbs.requests import Option, Request, parse_request

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from engine.verbs.verb import Response, Verb

# The last is a shell's exit code for a command that SIGINT (Ctrl-C) has ended.
FAILED, UNUSABLE, INTERRUPTED = 1, 2, 130
GROUPS = {
    "cases": "the cases that are kept: list, show, replay, compare",
    "review": "have experts judge passages, hops and answers of cases; estimate precision and recall",
    "ontology": "areas, concepts, transactions and rules of a corpus",
    "users": "who may log in, if REDSTRING_ACCESS=login",
}
MORE_SETTINGS = "more settings (defaults: the preset's)"
FIRST_SETTINGS = ("strategies", "rounds", "pool_size", "top_k")
# Fields that only tools have.
TOOLS_ALONE = ("detail",)


def main(
    arguments: Sequence[str] | None = None,
    *,
    prog: str = "python -m engine",
    add_more: Callable[[Any], None] | None = None,
) -> int:
    """Run one command and return the exit code.

    ``prog`` is its name in help, ``add_more`` adds further commands.
    """
    try:
        options = parser(prog, add_more).parse_args(arguments)
        command: Callable[[argparse.Namespace], None] = options.command
        command(options)
        print(end="", flush=True)
    except InputError as error:
        return _fail(error, UNUSABLE)
    except CancelledError as error:
        return _fail(error, INTERRUPTED)
    except KeyboardInterrupt:
        return _fail(CancelledError("stopped; what was not finished is not kept"), INTERRUPTED)
    except RedstringError as error:
        return _fail(error, FAILED)
    except BrokenPipeError:
        # The reader of the output has ended (head, less): the last flush must not fail either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def parser(
    prog: str = "python -m engine", add_more: Callable[[Any], None] | None = None
) -> argparse.ArgumentParser:
    """Return the whole command line."""
    root = argparse.ArgumentParser(prog=prog, description="Redstring, on the command line.")
    root.add_argument("--version", action="version", version=f"redstring {__version__}")
    commands = root.add_subparsers(required=True, metavar="COMMAND")
    groups: dict[str, _Group] = {}
    for verb in all_verbs():
        if not verb.name:
            continue
        group, _, action = verb.name.rpartition(" ")
        if group and group not in groups:
            groups[group] = _Group(commands.add_parser(group, help=GROUPS[group]))
        _add_command(groups[group].actions if group else commands, action, verb, groups.get(group))
    if add_more is not None:
        add_more(commands)
    return root


class _Group:
    """Commands in a group with its own name: ``cases list``."""

    def __init__(self, own: argparse.ArgumentParser) -> None:
        self.own, self.fields = own, set[str]()
        self.actions = own.add_subparsers(required=True, metavar="ACTION")


def _add_command(commands: Any, name: str, verb: Verb, group: _Group | None) -> None:
    command = commands.add_parser(name, help=verb.summary, description=verb.description or None)
    titled: dict[str, Any] = {"": command}
    for field_name, field in _form(verb).model_fields.items():
        own = _option(field)
        if field_name in TOOLS_ALONE:
            continue
        if own.is_settings:
            _add_settings(command)
        elif own.before_action and group is not None:
            if field_name not in group.fields:
                group.fields.add(field_name)
                _add_field(group.own, field_name, field, own)
        else:
            if own.group not in titled:
                titled[own.group] = command.add_argument_group(own.group)
            _add_field(titled[own.group], field_name, field, own)
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=_run, verb=verb)


def _form(verb: Verb) -> type[Request]:
    return verb.options or verb.request


def _option(field: FieldInfo) -> Option:
    return field.json_schema_extra if isinstance(field.json_schema_extra, Option) else Option()


def _flag(name: str, own: Option) -> str:
    return own.flag or f"--{name.replace('_', '-')}"


def _add_field(command: Any, name: str, field: FieldInfo, own: Option) -> None:
    words = argparse.SUPPRESS if own.is_hidden else (field.description or "").replace("%", "%%")
    values: dict[str, Any] = {"help": words}
    if field.annotation is bool:
        command.add_argument(_flag(name, own), dest=name, action="store_const", const=True, **values)
        return
    values["metavar"] = own.metavar or name.upper()
    if get_origin(field.annotation) is Literal:
        values["choices"] = [value for value in get_args(field.annotation) if value]
    if own.many == "append":
        values["action"] = "append"
    elif own.many:
        values["nargs"] = own.many
    if not own.positional:
        command.add_argument(_flag(name, own), dest=name, required=field.is_required(), **values)
        return
    if not field.is_required():
        values.setdefault("nargs", "?")
    command.add_argument(name, **values)


def reference() -> Iterator[str]:
    """Yield the table of all commands, for the documentation: ``python -m engine.cli.main``."""
    yield "| command | options | meaning |"
    yield "|---|---|---|"
    for verb in all_verbs():
        words, flags = [verb.name], ["`--json`"]
        for name, field in _form(verb).model_fields.items():
            own = _option(field)
            if own.positional:
                words.append(own.metavar if field.is_required() else f"[{own.metavar}]")
            elif own.is_settings:
                flags.append("every [setting](settings.md)")
            elif not own.is_hidden and name not in TOOLS_ALONE:
                value = "" if field.annotation is bool else f" {own.metavar or name.upper()}"
                flags.append(f"`{_flag(name, own)}{value}`")
        if verb.name:
            yield f"| `redstring {' '.join(words)}` | {', '.join(flags)} | {verb.summary} |"


class _Strategies:
    """The strategies as text, read only when help is printed."""

    def __str__(self) -> str:
        from engine.strategy_registry import load_strategies

        return "; ".join(
            f"{name} ({one.title}: {one.meaning[:-1]})" for name, one in load_strategies().items()
        )


def _add_settings(command: argparse.ArgumentParser) -> None:
    from engine.settings import InvestigationSettings

    more = command.add_argument_group(MORE_SETTINGS)
    for name, schema in InvestigationSettings.model_json_schema()["properties"].items():
        known = " Known: %(known)s." if name == "strategies" else ""
        flag = (command if name in FIRST_SETTINGS else more).add_argument(
            f"--{name.replace('_', '-')}",
            dest=f"setting_{name}",
            metavar=schema["unit"].upper(),
            help=_setting_help(schema).replace("%", "%%") + known,
        )
        vars(flag)["known"] = _Strategies()


def _setting_help(schema: Mapping[str, Any]) -> str:
    shape = next(one for one in schema.get("anyOf", (schema,)) if one.get("type") != "null")
    low, high = (shape.get(bound, schema.get(bound)) for bound in ("minimum", "maximum"))
    taken = (
        ", ".join(shape["enum"]) if "enum" in shape
        else "commas between them" if shape["type"] == "array"
        else "on or off" if shape["type"] == "boolean"
        else "YYYY-MM-DD" if shape.get("format") == "date"
        else f"{low:g} to {high:g}" if low is not None and high is not None
        else ""
    )  # fmt: skip
    return f"{schema['description']} ({taken})" if taken else str(schema["description"])


def _run(options: argparse.Namespace) -> None:
    """Run the verb of a command and print its response. Raises the errors of the verb."""
    verb: Verb = options.verb
    form = _form(verb)
    given = {name: value for name, value in vars(options).items() if value is not None}
    values = {name: given[name] for name in form.model_fields if name in given}
    if "settings" in form.model_fields:
        prefix = "setting_"
        values["settings"] = {
            name.removeprefix(prefix): value for name, value in given.items() if name.startswith(prefix)
        }
    with LocalCaller(reads_json=options.json) as caller:
        request = parse_request(form, values, lambda field: _shown(form.model_fields, field))
        _print((verb.command or verb.run)(caller, request), as_json=options.json)


def _shown(fields: Mapping[str, FieldInfo], field: str) -> str:
    """Return the name of a field as the user types it."""
    name, dot, rest = field.partition(".")
    if name not in fields:
        return field
    own = _option(fields[name])
    return (own.metavar if own.positional else _flag(name, own)) + dot + rest


def _print(response: Response, *, as_json: bool) -> None:
    if response.data is not None:
        sys.stdout.buffer.write(response.data)
    elif as_json:
        printed = orjson.dumps(response.values, default=dict, option=orjson.OPT_INDENT_2)
        sys.stdout.write(printed.decode() + "\n")
    else:
        for line in response.lines:
            print(line)
    if response.problem is not None:
        raise response.problem


def _fail(error: RedstringError, code: int) -> int:
    print(f"redstring: {' '.join(str(error).split())}", file=sys.stderr)
    return code


if __name__ == "__main__":
    print(*reference(), sep="\n")
