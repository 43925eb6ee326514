from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.ontology import checked, ontology_from, ontology_yaml, parse_ontology, read_ontology
from engine.corpus.rules.values import FactType
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


def test_facts_and_rules_are_read() -> None:
    found = ontology_from(checked(whole(rules=[RULE | {"because": "No one gives what he does not have."}])))
    assert [fact.type for fact in found.facts] == [FactType.MONEY, FactType.MONEY]
    assert found.rules[0].because == {"und": "No one gives what he does not have."}
    assert found.rules[0].names == {"en": "too-broad"}


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"areas": [AREA, AREA]}, "'objection' is described twice"),
        ({"areas": [], "rules": []}, "no area and no rule"),
        ({"transactions": {"t": ["tax"]}}, "unknown area 'tax'"),
        ({"facts": [*FACTS, FACTS[0]]}, "'authority' is described twice"),
        ({"rules": [RULE | {"when": "authority < reach"}]}, "unknown fact 'reach'"),
        ({"rules": [RULE | {"when": "1 < 2"}]}, "asks for no fact"),
        ({"rules": [RULE | {"when": "authority <"}]}, "not a condition"),
        ({"rules": [RULE | {"when": "authority"}]}, "neither true nor false"),
        ({"rules": [RULE | {"transactions": ["sale"]}]}, "unknown transaction 'sale'"),
        ({"facts": [{"id": "my fact", "type": "number"}], "rules": []}, "use letters"),
        ({"facts": [{"id": "days", "type": "number"}], "rules": []}, "cannot be the name"),
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


WORDS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co", "Zs", "Zl", "Zp"]), min_size=1, max_size=20
)
AREAS = st.lists(
    st.fixed_dictionaries(
        {
            "id": WORDS,
            "names": st.dictionaries(st.sampled_from(["en", "ar", "de"]), WORDS),
            "keywords": st.dictionaries(st.sampled_from(["en", "ar"]), st.lists(WORDS, max_size=4)),
            "required": st.booleans(),
            "minimum_passages": st.integers(1, 9),
        }
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda area: area["id"],
)


@given(AREAS, st.booleans())
def test_what_is_written_as_yaml_reads_back_as_the_same(areas: list[dict[str, Any]], rules: bool) -> None:
    ids = [area["id"] for area in areas]
    more = {"facts": FACTS, "rules": [RULE]} if rules else {}
    content = checked({"areas": areas, "transactions": {"sale": ids[:2]}, **more})
    assert parse_ontology(ontology_yaml(content), "x") == content
