from __future__ import annotations

import pytest

from engine.language.references import Resolver
from engine.model import Document, Passage, Reference, SectionKind, Status
from tests.engine.language.references.reading import Row, rows

TABLE: list[tuple[str, list[Row]]] = [
    (
        "l'article L. 110-1 du code de commerce",
        [("article L. 110-1 du code de commerce", "code de commerce", ("article L110-1",))],
    ),
    (
        "aux articles R. 123-4 à R. 123-9",
        [("articles R. 123-4 à R. 123-9", None, ("article R123-4 .. R123-9",))],
    ),
    (
        "l'article 1er et l'article 2 bis",
        [("article 1er", None, ("article 1",)), ("article 2 bis", None, ("article 2 bis",))],
    ),
    ("de l’article premier", [("article premier", None, ("article 1",))]),
    (
        "à l'article 6, paragraphe 1, points c) et e), du règlement (UE) 2016/679",
        [
            (
                "article 6, paragraphe 1, points c) et e), du règlement (UE) 2016/679",
                "règlement (UE) 2016/679",
                ("article 6/1/c",),
            )
        ],
    ),
    ("des articles 12 à 22", [("articles 12 à 22", None, ("article 12 .. 22",))]),
    (
        "aux articles 63, 64 et 65",
        [("articles 63, 64 et 65", None, ("article 63", "article 64", "article 65"))],
    ),
    # a letter counts as one only where the sentence goes on as after a letter
    ("le point f), y compris", []),
    ("l'article 12, paragraphe 8, y compris", [("article 12, paragraphe 8", None, ("article 12/8",))]),
    ("au paragraphe 2, deuxième alinéa,", [("paragraphe 2, deuxième alinéa", None, ("paragraph 2",))]),
    ("au II de l'article 3", [("au II de l'article 3", None, ("article 3/II",))]),
    (
        "les 2° et 3° du I de l'article L. 511-1",
        [("les 2° et 3° du I de l'article L. 511-1", None, ("article L511-1/I/2", "article L511-1/I/3"))],
    ),
    ("considérant 26", [("considérant 26", None, ("recital 26",))]),
    ("au chapitre IX", [("chapitre IX", None, ("chapter IX",))]),
    (
        "l'article 263 du traité sur le fonctionnement de l'Union européenne",
        [
            (
                "article 263 du traité sur le fonctionnement de l'Union européenne",
                "traité sur le fonctionnement de l'Union européenne",
                ("article 263",),
            )
        ],
    ),
    ("5 % au 1er janvier 2020, 12 personnes", []),
    ("Article 5\n\nLe présent", [("Article 5", None, ("article 5",))]),
]


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
