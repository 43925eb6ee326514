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
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, get_args, get_origin

import orjson

from engine import __version__
from engine.access.users import Action, Person, Role
from engine.errors import CancelledError, InputError, RedstringError, SettingsError
from engine.records.store import EVERYBODY, Owner
from engine.verbs import all_verbs
from engine.verbs.verb import Option, Request, parse_request

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from engine.corpus.protocol import Corpus, CorpusInfo
    from engine.investigation import Case
    from engine.investigation.ranking.additive import Experience
    from engine.llm.client import ChatModel
    from engine.records.store.database import MatterWeights
    from engine.records.store.store import CaseStore
    from engine.review.store import ReviewStore
    from engine.settings import InvestigationSettings
    from engine.verbs.verb import CorpusEntry, Response, Verb


# The user of the command line, as verbs see them.

T = TypeVar("T")
FROM_INPUT = "-"


class LocalCorpus(NamedTuple):
    """A corpus named on the command line."""

    name: str
    info: CorpusInfo | None = None
    private: bool = False
    problem: str = ""


class LocalCaller:
    """The user of the command line: may do everything, names a corpus by its folder or address.

    ``reads_json``: progress is not reported. Leaving the context closes the stores.
    """

    application = "cli"
    name = "command line"
    owner: Owner = EVERYBODY
    person = Person(role=Role.OPERATOR, name="(command line)")

    def __init__(self, *, reads_json: bool) -> None:
        self.reads_json, self._stack = reads_json, ExitStack()

    def __enter__(self) -> LocalCaller:
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()

    def corpus(self, name: str) -> Corpus:
        """Return the corpus of a folder or an address. Raises as ``open_corpus``."""
        from engine.corpus import open_corpus

        return open_corpus(name)

    def store(self) -> CaseStore:
        """Return the store of cases that the settings name. Raises as ``CaseStore``."""
        return self._store

    def reviews(self) -> ReviewStore:
        """Return the reviews of its cases. Raises as ``CaseStore``."""
        return self._reviews

    def corpora(self) -> list[CorpusEntry]:
        """Return no corpus: the command line names folders."""
        return []

    def find(self, name: str) -> CorpusEntry:
        """Return the corpus of a folder or an address, without opening it."""
        return LocalCorpus(name)

    def may(self, action: Action, corpus: str) -> bool:
        """Return True: a user with a shell may do everything."""
        return True

    def log(self, action: str, corpus: str) -> None:
        """Do nothing: only requests to the server and deletions (``log_case``) are logged."""

    def log_case(self, action: str, case: str) -> None:
        """Write an action on a case to the audit log, if one is kept."""
        from engine.access.audit_log import audit_log, record
        from engine.operator_settings import operator_settings

        # A second process only appends to the file: the server rotates it.
        with audit_log(operator_settings(), rotates=False):
            record(self.person, action, case, "done")

    def settings(
        self, preset: str, values: Mapping[str, Any] | None, changes: Mapping[str, Any], *, assisted: bool
    ) -> InvestigationSettings:
        """Return the preset with the changes and the values. Raises SettingsError."""
        from engine.settings import preset as get_preset

        return get_preset(preset).changed(**changes).changed(**(values or {}))

    def model(self, request: Any, *, cached: bool = True) -> ChatModel | None:
        """Return the model named by the options or the environment, None if neither names one.

        Raises SettingsError for an invalid spec.
        """
        from engine.llm.client import connect, connect_from_environment
        from engine.llm.cost import default_cache
        from engine.operator_settings import operator_settings

        key = request.llm_key
        if request.llm is None and key is None:
            return connect_from_environment(kept=cached)
        spec = request.llm if request.llm is not None else operator_settings().llm
        if key == FROM_INPUT:
            key = sys.stdin.readline().strip()
            if not key:
                raise SettingsError("--llm-key -: standard input holds no key")
        return connect(spec, key, environment_key=True, cache=default_cache() if cached else None)

    def weights_in(self, matter: str, corpus: Corpus) -> Experience | None:
        """Return the weights of a matter on this machine; None for those of the corpus.

        Raises as ``MatterWeights``.
        """
        from engine.records.store.store import matter_name

        if not matter:
            return None
        name = matter_name(matter)
        found = next((one for one in self.store().matters() if one.name == name), None)
        return None if found is None else self._weights.adopted(found, corpus.name)

    def weights_of(self, matter_id: str, record: Mapping[str, Any]) -> Experience | None:
        """Return the weights that ranked a case, if its matter learned them."""
        weights = str(record.get("weights", ""))
        return self._weights.experience(matter_id, weights) if weights else None

    def run_case(self, work: Callable[..., T], case: Case, **more: Any) -> T:
        """Return the result of ``work`` on the case, and show its progress."""
        return work(case, self.report, **more)

    def waiting(self, cancel: Callable[[], None]) -> AbstractContextManager[None]:
        """Return an empty context: Ctrl-C ends the command."""
        return nullcontext()

    def report(self, line: str) -> None:
        """Print progress on standard error."""
        if not self.reads_json:
            print(line, file=sys.stderr, flush=True)

    def notice(self, line: str) -> None:
        """Print a line on standard error."""
        print(line, file=sys.stderr)

    @cached_property
    def _weights(self) -> MatterWeights:
        from engine.operator_settings import operator_settings
        from engine.records.store.database import MatterWeights

        return self._stack.enter_context(closing(MatterWeights(operator_settings().cases_address)))

    @cached_property
    def _store(self) -> CaseStore:
        from engine.operator_settings import operator_settings
        from engine.records.store.store import CaseStore

        return self._stack.enter_context(closing(CaseStore(operator_settings().cases_address)))

    @cached_property
    def _reviews(self) -> ReviewStore:
        from engine.operator_settings import operator_settings
        from engine.review.store import ReviewStore

        return self._stack.enter_context(closing(ReviewStore(operator_settings().cases_address)))


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
