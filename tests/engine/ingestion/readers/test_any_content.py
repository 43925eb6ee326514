"""No content makes a reader raise: it is read, or named with a problem."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.readers.base import Problem, Reader, SourceFile
from engine.ingestion.readers.beir import BeirReader
from engine.ingestion.readers.html import HtmlReader
from engine.ingestion.readers.markdown import MarkdownReader
from engine.ingestion.readers.records.reader import JsonReader, TableReader
from engine.ingestion.readers.text import TextReader

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
TAGS = "<p> <tr> <td> </td> <ul> <li> <dl> <dt> <dd> <h1> </h2> <b> <main> <pre> <![CDATA[ </table>"
MARKS = st.sampled_from(
    [
        *TAGS.split(),
        *("<ol start='x'>", "<!DOCTYPE x>", "&#0;", "\0", "\n", "\t", ",", ";", "|", '"', "---\n", "# T\n"),
        *("## Article 1 B\n", "Pasal 3\n", "第四条 内容\n", "(1) One.\n", "\f", "- 2 -\n", "[", "{"),
    ]
)
FIELDS = "text title articles number path notes id a.b paragraphs document regulation passage_label heading"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | TEXT | st.just("Every person has a right to it. " * 3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*FIELDS.split(), "language", "metadata", ""]), inner, max_size=5)
    ),
    max_leaves=20,
)
READERS: dict[str, Reader] = {
    "x.md": MarkdownReader(),
    "x.txt": TextReader(),
    "x.html": HtmlReader(),
    "x.json": JsonReader(),
    "x.jsonl": JsonReader(),
    "x.csv": TableReader(),
    "corpus.jsonl": BeirReader(),
}


def read(factory: pytest.TempPathFactory, name: str, content: str) -> None:
    path = factory.mktemp("any") / name
    path.write_text(content, encoding="utf-8")
    items = list(READERS[name].read(SourceFile(path)))
    documents = [item for item in items if not isinstance(item, Problem)]
    passages = [passage.id for item in documents for passage in item.passages]
    assert len({item.document.id for item in documents}) == len(documents)
    assert len(set(passages)) == len(passages) >= len(documents)


@pytest.mark.parametrize("name", READERS)
@given(parts=st.lists(MARKS | TEXT, max_size=25))
def test_any_text_is_read_or_a_problem(
    tmp_path_factory: pytest.TempPathFactory, name: str, parts: list[str]
) -> None:
    read(tmp_path_factory, name, "".join(parts))


@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "corpus.jsonl"])
@given(lines=st.lists(JSON, min_size=1, max_size=4))
def test_any_json_is_read_or_a_problem(
    tmp_path_factory: pytest.TempPathFactory, name: str, lines: list[Any]
) -> None:
    kept = lines[:1] if name == "x.json" else lines
    read(tmp_path_factory, name, "\n".join(json.dumps(line) for line in kept))
