from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.ontology import (
    checked,
    ontology_content,
    ontology_from,
    ontology_yaml,
    parse_ontology,
    read_ontology,
)
from engine.errors import SourceError

AREA = {"id": "objection", "names": {"en": "Objection"}, "keywords": {"en": ["objection", "remedy"]}}
FACTS = [{"id": "authority", "type": "money", "unit": "MRC"}, {"id": "scope", "type": "money", "unit": "MRC"}]
RULE = {"id": "too-broad", "when": "authority < scope", "then": "invalid", "cite": ["code/art-14"]}


def whole(**parts: Any) -> dict[str, Any]:
    return {"areas": [AREA], "facts": FACTS, "rules": [RULE], **parts}


def test_a_file_of_areas_reads_as_it_did_before_there_were_rules(tmp_path: Path) -> None:
    (tmp_path / "ontology.yaml").write_text("areas: [{id: a}]\ntransactions: {t: [a]}\n", encoding="utf-8")
    found = read_ontology(tmp_path / "ontology.yaml")
    assert set(found) == {"areas", "transactions"}
    assert ontology_from(found).areas[0].names == {"en": "a"}
    assert ontology_from(found).rules == ()


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"areas": [AREA, AREA]}, "'objection' is described twice"),
        ({"areas": [], "rules": []}, "no area, concept or rule"),
        ({"transactions": {"t": ["tax"]}}, "unknown area 'tax'"),
        ({"facts": [*FACTS, FACTS[0]]}, "'authority' is described twice"),
        ({"rules": [RULE | {"when": "authority < reach"}]}, "unknown fact 'reach'"),
        ({"rules": [RULE | {"when": "1 < 2"}]}, "names no fact"),
        ({"rules": [RULE | {"when": "authority <"}]}, "not a condition"),
        ({"rules": [RULE | {"when": "authority"}]}, "neither true nor false"),
        ({"rules": [RULE | {"transactions": ["sale"]}]}, "unknown transaction 'sale'"),
        ({"facts": [{"id": "my fact", "type": "number"}], "rules": []}, "use letters"),
        ({"facts": [{"id": "role", "type": "choice"}], "rules": []}, "a choice has a scale"),
        ({"facts": [{"id": "role", "type": "choice", "scale": ["a", "a"]}], "rules": []}, "twice"),
        (
            {
                "facts": [
                    {"id": "x", "type": "choice", "scale": ["low", "high"]},
                    {"id": "y", "type": "choice", "scale": ["high", "low"]},
                ],
                "rules": [],
            },
            "another scale",
        ),
        ({"surprise": 1}, "Extra inputs"),
    ],
)
def test_what_is_wrong_is_named(parts: dict[str, Any], words: str) -> None:
    with pytest.raises(SourceError, match=words):
        checked(whole(**parts), "ontology.yaml")


@pytest.mark.parametrize("text", ["areas: [", "- 1", "", "a: !!python/object:os.system {}", "[" * 5000])
def test_what_is_no_yaml_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(SourceError, match=r"^ontology\.yaml: "):
        parse_ontology(text, "ontology.yaml")


CONCEPTS = [
    {"id": "remedy", "names": {"en": "Remedy"}},
    {
        "id": "period",
        "names": {"en": "Period"},
        "parent": "remedy",
        "area": "objection",
        "definition": "A time.",
        "importance": 5,
    },
]


def test_concepts_and_least_passages_are_read_and_written_back() -> None:
    types = {"sale": {"areas": {"objection": 4}, "names": {"en": "Sale"}}, "lease": ["objection"]}
    content = checked(whole(concepts=CONCEPTS, transactions=types))
    found = ontology_from(content)
    assert [concept.parent for concept in found.concepts] == [None, "remedy"]
    assert found.concepts[1].definition == {"und": "A time."}
    assert found.transactions == {"sale": ("objection",), "lease": ("objection",)}
    assert [found.needed(found.areas[0], kind) for kind in ("sale", "lease", None)] == [4, 2, 2]
    assert parse_ontology(ontology_yaml(content), "x") == content
    assert ontology_from(ontology_content(found)) == found


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"concepts": [CONCEPTS[0], CONCEPTS[0]]}, "concept 'remedy' is described twice"),
        ({"concepts": [{"id": "a", "parent": "b"}]}, "'a' has the unknown parent 'b'"),
        ({"concepts": [{"id": "a", "parent": "a"}]}, "form a cycle: a under a"),
        (
            {
                "concepts": [
                    {"id": "a", "parent": "b"},
                    {"id": "b", "parent": "c"},
                    {"id": "c", "parent": "a"},
                ]
            },
            "form a cycle: a under b under c under a",
        ),
        ({"concepts": [{"id": "a", "area": "tax"}]}, "'a' is in the unknown area 'tax'"),
        ({"concepts": [{"id": "a", "importance": 6}]}, "concepts.0.importance: .*less than or equal to 5"),
        ({"transactions": {"t": {"areas": {"objection": 0}}}}, "least.t.objection"),
        ({"least": {"t": {"objection": 1}}}, "'objection', which is none of its areas"),
    ],
)
def test_what_is_wrong_with_concepts_and_numbers_is_named(parts: dict[str, Any], words: str) -> None:
    with pytest.raises(SourceError, match=words):
        checked(whole(**parts), "ontology.yaml")


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6))
def test_a_hierarchy_is_refused_if_and_only_if_it_has_a_circle(parents: list[int]) -> None:
    concepts = [{"id": f"c{n}", "parent": f"c{p}" if p < n else None} for n, p in enumerate(parents)]
    assert checked({"concepts": concepts})["concepts"]
    turned = [{"id": f"c{n}", "parent": f"c{(n + 1) % len(parents)}"} for n in range(len(parents))]
    with pytest.raises(SourceError, match="cycle"):
        checked({"concepts": turned})
