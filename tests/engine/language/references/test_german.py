from __future__ import annotations

import pytest

from engine.language.references import find_mentions
from engine.model import Relation
from tests.engine.language.references.reading import Row, rows
from tests.tables import pairs

TABLE: list[tuple[str, list[Row]]] = pairs(__file__, "TABLE")


@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_mentions(text: str, expected: list[Row]) -> None:
    assert rows(text, "de") == expected


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("nach § 5", Relation.CITES),
        ("entgegen § 5", Relation.CITES),
        ("abweichend von § 5", Relation.EXCEPTION_TO),
        ("mit Ausnahme des § 5", Relation.CITES),
        ("unbeschadet des § 5", Relation.WITHOUT_PREJUDICE_TO),
        ("§ 5 bleibt unberührt", Relation.WITHOUT_PREJUDICE_TO),
        ("§ 5 ist nicht anzuwenden", Relation.EXCEPTION_TO),
        ("Kosten im Sinne des § 5 sind alle Auslagen", Relation.INTERPRETS),
        ("bei Kosten im Sinne des § 5 sind die Auslagen", Relation.DEFINES),
        ("An die Stelle des § 5 tritt das Folgende", Relation.CITES),
        ("§ 5 wird wie folgt gefasst", Relation.AMENDS),
        ("§ 5 tritt außer Kraft", Relation.REPEALS),
        ("Auf Grund des § 5 des Gesetzes verordnet die Bundesregierung", Relation.BASED_ON),
        ("gestützt auf Artikel 5", Relation.BASED_ON),
        ("zuletzt geändert durch Artikel 9 des Gesetzes", Relation.CITES),
    ],
)
def test_relations(text: str, relation: Relation) -> None:
    (mention,) = find_mentions(text, "de")
    assert mention.relation is relation
