"""Each setting can be given on the page, on the command line, over HTTP and as a tool (MCP).

Every field gets another value than its default through each interface, all in one case, and the case record
names these settings. Every field gets a wrong value through each interface, and the error names it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import main
from engine.errors import InputError
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.operator_settings import OperatorSettings
from engine.settings import preset
from tests.engine.harbour import write_harbour
from tests.ui.served import inside_a_loop, served
from ui.investigate.controls import LINES, NAMES, Knob, knobs, shown
from ui.investigate.plan import case_request
from ui.investigate.updates import open_case
from ui.models.connections import Connections
from ui.page import build_page
from ui.shelf import Library, open_library

QUESTION = "When may a berth be refused?"
KNOBS = {knob.name: knob for knob in knobs()}
# What a rule cannot tell: what the corpus holds, what is not offered to everybody.
OTHERS: Mapping[str, Any] = {
    "strategies": ["citations"],
    "retrievers": ["bm25"],
    "model_tasks": ["sub-questions", "hypothetical"],
    "stop_when": ["coverage >= 0.9", "efficiency < 0.1"],
    "must_include": ["berth", "harbour master"],
    "must_exclude": ["pilot"],
    "documents": ["harbour-act"],
    "types": ["act"],
    "languages": ["en"],
    "issuers": ["Harbour Board"],
    "statuses": ["in force"],
    "year_from": 2005,
    "year_to": 2010,
    "as_of": "2020-05-06",
    "transaction_type": "berth-refusal",
    "reranker": "llm",
    "hypothetical_language": "de",
}
# Phrases may be anything that is text.
WRONG: Mapping[str, Any] = {"must_include": 5, "must_exclude": 5}
Door = Callable[[Mapping[str, Any]], dict[str, Any]]


class RefusedError(Exception):
    """What a door says of a wrong value."""


def another(knob: Knob) -> Any:
    """A value that a field may have and does not start with."""
    if knob.name in OTHERS:
        return OTHERS[knob.name]
    if knob.kind == "boolean":
        return not knob.default
    if knob.kind == "choice":
        return next(choice for choice in knob.choices if choice != knob.default)
    low, high = knob.low or 0, knob.high or 0
    if knob.kind == "integer":
        return int(low) + 1 if int(low) + 1 != knob.default else int(low) + 2
    return 0.5 if knob.default != 0.5 and low <= 0.5 <= high else low + (high - low) / 4


def wrong(knob: Knob) -> Any:
    if knob.name in WRONG:
        return WRONG[knob.name]
    if knob.kind == NAMES:
        return ["nowhere"]
    return knob.high + 1 if knob.high is not None else "nowhere"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("doors")
    act = write_harbour(root / "sources", ontology=True) / "harbour.md"
    act.write_text(
        act.read_text(encoding="utf-8").replace("type: act", "type: act\nissuer: Harbour Board", 1)
    )
    build_corpus([root / "sources"], root / "corpus", name="Harbour", embedding="none")
    return root / "corpus"


@pytest.fixture(scope="module")
def library(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Library:
    home = tmp_path_factory.mktemp("home")
    return open_library([folder], home, OperatorSettings(home=home))


@pytest.fixture(scope="module")
def address(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    # Whoever sits at a machine that serves nobody else asks as often as they like.
    settings = OperatorSettings()
    page = inside_a_loop(lambda: build_page(library, connections=Connections(settings)))
    with served(page, settings, tmp_path_factory.mktemp("uploads")) as found:
        yield found


def ran_with(case: Case) -> dict[str, Any]:
    list(case.run())
    return case.investigation().settings.model_dump(mode="json")


@pytest.fixture
def command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> Door:
    def door(given: Mapping[str, Any]) -> dict[str, Any]:
        flags = ["--preset", "balanced", "--json"]
        for name, value in given.items():
            flags += [
                f"--{name.replace('_', '-')}",
                ",".join(value) if isinstance(value, list) else str(value),
            ]
        code = main(["investigate", QUESTION, "--corpus", str(folder), *flags])
        printed = capsys.readouterr()
        if code:
            assert code == 2
            raise RefusedError(printed.err.removeprefix("redstring: ").strip())
        return dict(json.loads(printed.out)["settings"])

    return door


@pytest.fixture
def page(library: Library) -> Door:
    def door(given: Mapping[str, Any]) -> dict[str, Any]:
        typed = {
            name: "\n".join(value) if KNOBS[name].kind == LINES and isinstance(value, list) else value
            for name, value in given.items()
        }
        held = shown(preset("balanced")) | typed
        try:
            asked = case_request(json.dumps({"question": QUESTION, "held": held}))
            return ran_with(open_case(library, asked).case)
        except InputError as error:
            raise RefusedError(str(error)) from error

    return door


@pytest.fixture
def mcp(address: str) -> Door:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async def call(given: Mapping[str, Any]) -> Any:
        async with (
            streamable_http_client(f"{address}gradio_api/mcp/") as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            whole = {"question": QUESTION, "preset": "balanced", "settings": given, "detail": "full"}
            return await session.call_tool("investigate", whole)

    def door(given: Mapping[str, Any]) -> dict[str, Any]:
        called = asyncio.run(call(given))
        text = getattr(called.content[0], "text", "")
        if called.isError:
            raise RefusedError(text)
        return dict(json.loads(text)["settings"])

    return door


DOORS = ("command_line", "page", "mcp")


@pytest.mark.parametrize("where", DOORS)
def test_values_reach_the_case(where: str, request: pytest.FixtureRequest) -> None:
    door: Door = request.getfixturevalue(where)
    given = {name: another(knob) for name, knob in KNOBS.items()}
    assert all(value != KNOBS[name].default for name, value in given.items())
    assert door(given) == preset("balanced").model_dump(mode="json") | given


@pytest.mark.parametrize("where", DOORS)
def test_a_wrong_value_is_named(
    where: str, request: pytest.FixtureRequest, subtests: pytest.Subtests
) -> None:
    door: Door = request.getfixturevalue(where)
    # On the command line any text is a phrase. All check by one function.
    given = KNOBS.keys() - (WRONG.keys() if where == "command_line" else ())
    for name in given if where == "page" else sorted(given)[::8]:
        with subtests.test(field=name):
            with pytest.raises(RefusedError) as refused:
                door({name: wrong(KNOBS[name])})
            said = str(refused.value)
            assert name in said or "nowhere" in said
            assert "\n" not in said
            assert len(said) < 400
