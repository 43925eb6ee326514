from __future__ import annotations

import pytest

from engine.language.references import find_mentions
from engine.model import Relation
from tests.engine.language.references.reading import Row, rows

TABLE: list[tuple[str, list[Row]]] = [
    ("nach § 433 Abs. 2 BGB", [("§ 433 Abs. 2 BGB", "BGB", ("section 433/2",))]),
    ("die §§ 12 bis 15", [("§§ 12 bis 15", None, ("section 12 .. 15",))]),
    ("§§ 3, 5 und 7", [("§§ 3, 5 und 7", None, ("section 3", "section 5", "section 7"))]),
    (
        "§§ 3, 5 Absatz 2 und 7 des Aktiengesetzes",
        [
            (
                "§§ 3, 5 Absatz 2 und 7 des Aktiengesetzes",
                "Aktiengesetzes",
                ("section 3", "section 5/2", "section 7"),
            )
        ],
    ),
    ("§ 5 Absatz 2 und 3", [("§ 5 Absatz 2 und 3", None, ("section 5/2", "section 5/3"))]),
    (
        "§ 5 Absatz 2 Satz 1 Nummer 3 Buchstabe a",
        [("§ 5 Absatz 2 Satz 1 Nummer 3 Buchstabe a", None, ("section 5/2/3/a",))],
    ),
    (
        "Artikel 6 und Art. 7 Abs. 1",
        [("Artikel 6", None, ("article 6",)), ("Art. 7 Abs. 1", None, ("article 7/1",))],
    ),
    ("Absatz 2 gilt", [("Absatz 2", None, ("paragraph 2",))]),
    (
        "§ 1 des Bürgerlichen Gesetzbuchs",
        [("§ 1 des Bürgerlichen Gesetzbuchs", "Bürgerlichen Gesetzbuchs", ("section 1",))],
    ),
    (
        "§ 82 Abs. 2 des Zwölften Buches Sozialgesetzbuch",
        [
            (
                "§ 82 Abs. 2 des Zwölften Buches Sozialgesetzbuch",
                "Zwölften Buches Sozialgesetzbuch",
                ("section 82/2",),
            )
        ],
    ),
    ("§ 18 des Vierten Buches", [("§ 18 des Vierten Buches", "Vierten Buches", ("section 18",))]),
    ("Artikel 229 § 5 Absatz 2", [("Artikel 229 § 5 Absatz 2", None, ("article 229 > section 5/2",))]),
    (
        "Artikel 6 Absatz 1 der Verordnung (EU) 2016/679",
        [("Artikel 6 Absatz 1 der Verordnung (EU) 2016/679", "Verordnung (EU) 2016/679", ("article 6/1",))],
    ),
    # a sentence counts for nothing in an address, but the act behind it does
    (
        "§ 38 Satz 1 des Baugesetzbuchs",
        [("§ 38 Satz 1 des Baugesetzbuchs", "Baugesetzbuchs", ("section 38",))],
    ),
    # the number of the next item of a list is not a further sentence
    ("im Sinne von Absatz 2 Satz 2,\n\n3. die", [("Absatz 2 Satz 2", None, ("paragraph 2",))]),
    ("§\n    318 Abs. 3", [("§\n    318 Abs. 3", None, ("section 318/3",))]),
    ("§ 14a", [("§ 14a", None, ("section 14a",))]),
    ("zum 1. Januar 2020", []),
    (
        "§§ 17 ff. des Handelsgesetzbuchs",
        [("§§ 17 ff. des Handelsgesetzbuchs", "Handelsgesetzbuchs", ("section 17",))],
    ),
    (
        "§ 36 Abs. 2 erster Halbsatz und Abs. 4 des Vierten Buches",
        [
            (
                "§ 36 Abs. 2 erster Halbsatz und Abs. 4 des Vierten Buches",
                "Vierten Buches",
                ("section 36/2", "section 36/4"),
            )
        ],
    ),
    # an act by its name alone
    (
        "die Vorschriften des Gerichtskostengesetzes",
        [("Gerichtskostengesetzes", "Gerichtskostengesetzes", ())],
    ),
    ("das Einführungsgesetz zum Aktiengesetz", [("Einführungsgesetz", "Einführungsgesetz", ())]),
    ("nach dem SGB IX und", [("SGB IX", "SGB IX", ())]),
    ("§ 3 des genannten Gesetzes", [("§ 3 des genannten Gesetzes", None, ("section 3",))]),
    # numbers of chapters begin anew in each part
    ("Kapitel 5", [("Kapitel 5", None, ("chapter 5",))]),
    ("die Vorschriften der Kapitel 1 und 2 dieses Untertitels", []),
    ("den Kapiteln 3 bis 6 des Teils 2", []),
]


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
