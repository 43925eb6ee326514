from __future__ import annotations

import pytest

from engine.language.references import Resolver
from engine.model import Document, Passage, Reference, SectionKind, Status
from tests.engine.language.references.reading import Row, rows
from tests.tables import pairs

TABLE: list[tuple[str, list[Row]]] = pairs(__file__, "TABLE")


@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_mentions(text: str, expected: list[Row]) -> None:
    assert rows(text, "fr") == expected


LAW = Document(
    "loi-78-17",
    "Loi n° 78-17 du 6 janvier 1978 relative à l'informatique, aux fichiers et aux libertés",
    "fr",
    aliases=("Loi n° 78-17 du 6 janvier 1978", "Loi n° 78-17"),
)
DECREE = Document("decret", "Décret n° 2019-536 du 29 mai 2019", "fr")
PASSAGES = [
    Passage("loi-78-17/5", "loi-78-17", None, 0, "Texte.", "fr", SectionKind.ARTICLE, "5"),
    Passage(
        "loi-78-17/6", "loi-78-17", None, 1, "L'article précédent s'applique.", "fr", SectionKind.ARTICLE, "6"
    ),
    Passage(
        "decret/1",
        "decret",
        None,
        0,
        "La loi n° 78-17 du 6 janvier 1978 (ci-après dénommée « la loi Informatique ») s'applique.",
        "fr",
        SectionKind.ARTICLE,
        "1",
    ),
    Passage(
        "decret/2",
        "decret",
        None,
        1,
        "Selon l'article 6 de la loi Informatique.",
        "fr",
        SectionKind.ARTICLE,
        "2",
    ),
    Passage(
        "decret/3",
        "decret",
        None,
        2,
        "Les articles 5 et 6 de la loi n° 78-17 du 6 janvier 1978 et l'article 2 du présent décret.",
        "fr",
        SectionKind.ARTICLE,
        "3",
    ),
    Passage("decret/4", "decret", None, 3, "L'article 5 du code civil.", "fr", SectionKind.ARTICLE, "4"),
]


def resolved(passage: Passage) -> list[str | None]:
    resolver = Resolver([LAW, DECREE], [], PASSAGES)
    found: list[Reference] = resolver.references(passage)
    return [one.target_id for one in found if one.status is Status.RESOLVED]


@pytest.mark.parametrize(
    ("source", "targets"),
    [
        ("loi-78-17/6", ["loi-78-17/5"]),
        ("decret/1", ["loi-78-17"]),
        ("decret/2", ["loi-78-17/6"]),
        ("decret/3", ["loi-78-17/5", "loi-78-17/6", "decret/2"]),
        # the civil code is not in the corpus, and its Article 5 is not the decree's
        ("decret/4", []),
    ],
)
def test_what_is_meant(source: str, targets: list[str]) -> None:
    (passage,) = (one for one in PASSAGES if one.id == source)
    assert resolved(passage) == targets
