"""Whatever is asked, an answer in short is under 40,000 characters, and so is each page that is read."""

from __future__ import annotations

from typing import Any

import gradio as gr
import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.requests import Request

from engine.access.users import Person, Role
from engine.ingestion.build import build_corpus
from engine.operator_settings import OperatorSettings
from engine.verbs import all_tools
from engine.verbs.verb import parse_request, weight
from ui.cases.storage import KeptCases
from ui.models.connections import Connections
from ui.shelf import Library, open_library
from ui.tools.caller import ServerCaller, Services
from ui.tools.schemas import output_schema

BOUND = 40_000
ALL = {tool.tool.name: tool for tool in all_tools()}
SCHEMAS = {tool.tool.name: jsonschema.Draft202012Validator(output_schema(tool)) for tool in all_tools()}


def asking(library: Library) -> ServerCaller:
    place = Services(library, Connections(library.settings), KeptCases(library.settings, library.home))
    return ServerCaller(
        place, Person(role=Role.OPERATOR), gr.Request(Request({"type": "http", "headers": []}))
    )


def told(who: ServerCaller, name: str, **arguments: Any) -> dict[str, Any]:
    """What a tool says, held against its schema and the bound."""
    values = ALL[name].answer(who, parse_request(ALL[name].request, arguments))
    if arguments.get("detail") != "full":
        assert weight(values) < BOUND
    SCHEMAS[name].validate(values)
    return values


@pytest.fixture(scope="module")
def giants(tmp_path_factory: pytest.TempPathFactory) -> ServerCaller:
    """A corpus whose passages, titles and headings are as long as anybody makes them."""
    root = tmp_path_factory.mktemp("giants")
    (root / "sources").mkdir()
    for number, word in enumerate(('quote " and \\ slash berth ', "نص عربي berth refused ")):
        body = "\n\n".join(
            f"#### Article {n} {'Heading ' * 60}\n\n{word * 300}see Article {n + 1}." for n in range(1, 4)
        )
        head = f"---\nid: giant-{number}\ntitle: {'Very Long Title ' * 30}{number}\ntype: act\n---\n"
        (root / "sources" / f"giant-{number}.md").write_text(f"{head}\n# Giant {number}\n\n{body}\n", "utf-8")
    build_corpus([root / "sources"], root / "corpus", name="Giants", embedding="none")
    return asking(open_library([root / "corpus"], root / "home", OperatorSettings(home=root / "home")))


def test_of_long_passages_titles_and_headings(giants: ServerCaller) -> None:
    case = told(giants, "investigate", question="berth refused", preset="detective", top_k=200)
    assert any("characters)" in one["text"] for one in case["passages"])
    step = told(giants, "follow", case=case["case"], passage=case["passages"][0]["id"])
    assert step["followed"]
    told(giants, "case", case=case["case"])
    told(giants, "answer", question="When is a berth refused?")
    told(giants, "corpora", corpus="Giants")
    told(giants, "audit", text="A berth is refused (Article 1 Giant 1). " * 40)


def test_a_document_of_long_passages_is_read_to_its_end(giants: ServerCaller) -> None:
    seen: list[str] = []
    going_on: dict[str, int] | None = {"at": 0, "start": 0}
    while going_on is not None:
        page = told(giants, "read", what="giant-0", **going_on)
        seen += [one["text"] for one in page["passages"]]
        going_on = page["next"]
    (rows,) = giants.corpus("").by_document(["giant-0"])
    assert seen == [passage.text for passage in giants.corpus("").passages(rows)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.text("Aé法 ع1", max_size=200).map(str.strip),
    notes=st.text(max_size=2000),
    words=st.text(min_size=1, max_size=300),
)
def test_of_whatever_people_write_of_their_cases(
    giants: ServerCaller, name: str, notes: str, words: str
) -> None:
    store = giants.services.kept.store()
    case = told(giants, "cases", limit=1)["cases"] or [{"id": _asked(giants)}]
    store.describe(case[0]["id"], who="x" * 200, name=name, notes=notes * 10)
    told(giants, "cases", limit=50)
    told(giants, "case", case=case[0]["id"])
    told(giants, "case", case=case[0]["id"], part="events")
    told(giants, "plan", question=f"x{words}")


def _asked(who: ServerCaller) -> str:
    return str(told(who, "investigate", question="berth", preset="quick")["case"])
