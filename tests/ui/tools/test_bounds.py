"""Whatever is asked, an answer in short is under 40,000 characters, and so is each page that is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.requests import Request

from engine.access.people import Person
from engine.access.roles import Role
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.operator_settings import OperatorSettings
from engine.settings import InvestigationSettings
from ui.asked import checked
from ui.cases.kept import KeptCases
from ui.connections import Connections
from ui.shelf import Library, open_library
from ui.tools.asking import Asking, Place
from ui.tools.registry import TOOLS
from ui.tools.schemas import output_schema
from ui.tools.tool import weight

BOUND = 40_000
ORDINARY = {"preset": "balanced"}
ALL = {tool.name: tool for tool in TOOLS}
SCHEMAS = {tool.name: jsonschema.Draft202012Validator(output_schema(tool)) for tool in TOOLS}
LARGEST = InvestigationSettings.model_json_schema()["properties"]


def asking(library: Library) -> Asking:
    """Somebody who sits at the machine."""
    place = Place(library, Connections(library.settings), KeptCases(library.settings, library.home))
    return Asking(place, Person(role=Role.OPERATOR), gr.Request(Request({"type": "http", "headers": []})))


def told(who: Asking, name: str, **arguments: Any) -> dict[str, Any]:
    """What a tool says, held against its schema and the bound."""
    values = ALL[name].answer(who, checked(ALL[name].form, arguments))
    if arguments.get("detail") != "full":
        assert weight(values) < BOUND
    SCHEMAS[name].validate(values)
    return values


def largest(name: str) -> int:
    """The largest value that a setting may have."""
    return int(LARGEST[name]["maximum"])


@pytest.fixture(scope="module")
def sample(sample_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Asking:
    home = tmp_path_factory.mktemp("home")
    return asking(open_library([sample_folder], home, OperatorSettings(home=home)))


def questions(corpus: Corpus) -> Iterator[str]:
    """Of every kind: those that come with the corpus, by number, of documents by name, several at once."""
    yield from (str(one["text"]) for one in corpus.info().metadata["examples"])
    documents = corpus.documents()
    for document in documents[::2]:
        yield f"What does the {document.title} say?"
    numbers = range(0, len(corpus), max(1, len(corpus) // 3))
    for passage in corpus.passages([*numbers]):  # type: ignore[arg-type]
        title = documents[int(corpus.document_numbers(corpus.rows([passage.id]))[0])].title
        yield f"What does {passage.label} of the {title} say, and what does it refer to?"
        yield passage.text[:300]


def test_of_many_questions_as_deep_as_it_goes(sample: Asking) -> None:
    corpus = sample.corpus("")
    every = list(questions(corpus))
    assert len(every) > 12
    deep = {"preset": "detective", "pool_size": largest("pool_size"), "top_k": largest("top_k")}
    longest = 0
    for number, question in enumerate(every):
        case = told(sample, "investigate", question=question, **(deep if number % 4 == 0 else ORDINARY))
        assert case["passages"] or case["evidence"]["status"] == "none"
        longest = max(longest, weight(case))
        if number % 4 == 0:
            told(sample, "plan", question=question)
    assert longest > 20_000, "there is enough to be cut"


def test_of_answers_and_whole_texts(sample: Asking) -> None:
    corpus = sample.corpus("")
    for question in list(questions(corpus))[::15]:
        told(sample, "answer", question=question, settings={"top_k": largest("top_k")})
    text = "\n\n".join(passage.text for passage in corpus.passages([*range(0, len(corpus), 40)]))[:8_000]  # type: ignore[arg-type]
    told(sample, "audit", text=text)
    told(sample, "grades", act="list")
    told(sample, "judge", act="rates")


@pytest.fixture(scope="module")
def giants(tmp_path_factory: pytest.TempPathFactory) -> Asking:
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


def test_of_long_passages_titles_and_headings(giants: Asking) -> None:
    case = told(giants, "investigate", question="berth refused", preset="detective", top_k=largest("top_k"))
    assert any("characters)" in one["text"] for one in case["passages"])
    step = told(giants, "follow", case=case["case"], passage=case["passages"][0]["id"])
    assert step["followed"]
    told(giants, "case", case=case["case"])
    told(giants, "answer", question="When is a berth refused?")
    told(giants, "corpora", corpus="Giants")
    told(giants, "audit", text="A berth is refused (Article 1 Giant 1). " * 40)


def test_a_document_of_long_passages_is_read_to_its_end(giants: Asking) -> None:
    seen: list[str] = []
    going_on: dict[str, int] | None = {"at": 0, "start": 0}
    while going_on is not None:
        page = told(giants, "read", what="giant-0", **going_on)
        seen += [one["text"] for one in page["passages"]]
        going_on = page["next"]
    (rows,) = giants.corpus("").by_document(["giant-0"])
    assert seen == [passage.text for passage in giants.corpus("").passages(rows)]


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.text("Aé法 ع1", max_size=200).map(str.strip),
    notes=st.text(max_size=2000),
    words=st.text(min_size=1, max_size=300),
)
def test_of_whatever_people_write_of_their_cases(giants: Asking, name: str, notes: str, words: str) -> None:
    store = giants.place.kept.store()
    case = told(giants, "cases", limit=1)["cases"] or [{"id": _asked(giants)}]
    store.describe(case[0]["id"], who="x" * 200, name=name, notes=notes * 10)
    told(giants, "cases", limit=50)
    told(giants, "case", case=case[0]["id"])
    told(giants, "case", case=case[0]["id"], part="events")
    told(giants, "plan", question=f"x{words}")


def _asked(who: Asking) -> str:
    return str(told(who, "investigate", question="berth", preset="quick")["case"])
