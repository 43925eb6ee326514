from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import SourceError
from engine.ingestion.readers.identity import load_mapping, make_mapping, texts

WHOLE = """
records: data.laws
items: articles
document: {id: law_id, title: title, number: decree.number, language: {value: ar}}
passage: {text: [text, note], label: number_text, path: [part, chapter], notes: amendments.description}
"""


@pytest.mark.parametrize("name", ["m.yaml", "m.json"])
def test_a_mapping_is_read_from_yaml_or_json(tmp_path: Path, name: str) -> None:
    text = WHOLE if name.endswith("yaml") else '{"passage": {"text": "body"}}'
    (tmp_path / name).write_text(text, encoding="utf-8")
    mapping = make_mapping(load_mapping(tmp_path / name))
    assert mapping.passage.text == (["text", "note"] if name.endswith("yaml") else "body")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("passage: {}", "passage.text: Field required"),
        ("items: a", "passage: Field required"),
        ("passage: {text: a, colour: b}", "passage.colour: no such field; known: text, parts, id"),
        ("passage: {text: 5}", "passage.text"),
        ("- a", "must be fields with values"),
        ("{", "not readable as YAML or JSON"),
    ],
)
def test_a_wrong_mapping_says_what_and_where(tmp_path: Path, content: str, reason: str) -> None:
    (tmp_path / "m.yaml").write_text(content)
    with pytest.raises(SourceError) as caught:
        load_mapping(tmp_path / "m.yaml")
    assert reason in str(caught.value)
    assert "m.yaml" in str(caught.value)


def test_a_mapping_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be opened"):
        load_mapping(tmp_path / "m.yaml")


RECORD = {
    "a": {"b": "x", "c.d": 5},
    "list": [{"t": "one"}, {"t": ["two", "three"]}, "no"],
    "none": None,
    "": "e",
}


def test_texts_of_fields() -> None:
    assert texts(RECORD, ["a.b", "list.t", "none", "a.c.d"]) == ["x", "one", "two", "three", "5"]
    assert texts(RECORD, None) == []
