"""Kind E: a number with dashes is read whole, whichever dash is printed."""

from __future__ import annotations

from datetime import date

import pytest

from engine.corpus.external_text import external_resolver
from engine.language.references import find_mentions
from engine.model import Naming, Passage, Status
from engine.retrieval.planning.named import provisions_named
from tests.field.conftest import Build

DAY = date(2026, 1, 1)
# A law, the words that cite it, their language, and the numbers that they cite.
LAWS = [
    (
        "# Code of the Borough\n\n## § 9–305.04. Notice\nNotice.\n\n## § 9–305.05. Appeal\nAn appeal.\n\n"
        "## § 9–310. Terms\nFirst.\n\n## § 9–311. Scope\nSecond.\n\n## § 9–312. Limits\nThird.\n",
        "en",
        [
            ("§ 9–305.05", ["9-305.05"]),
            ("§ 9-305.05", ["9-305.05"]),
            ("§ 9‑305.04", ["9-305.04"]),
            ("section 9-305.04", ["9-305.04"]),
            ("§§ 9–310 through 9–312", ["9-310", "9-311", "9-312"]),
            ("§§ 9-310 to 9-311", ["9-310", "9-311"]),
            ("§§ 9–305.04 and 9–311", ["9-305.04", "9-311"]),
        ],
    ),
    (
        "# Ley de Riegos\n\n## Artículo 12\nRiego.\n\n## Artículo 12-A\nTurnos.\n\n"
        "## Artículo 12-B\nCuotas.\n\n## Artículo 13\nMultas.\n",
        "es",
        [
            ("el artículo 12-A de la Ley de Riegos", ["12-A"]),
            ("el artículo 12–B", ["12-B"]),
            ("los artículos 12-A y 13", ["12-A", "13"]),
            ("el artículo 12", ["12"]),
        ],
    ),
    (
        "# Lei das Feiras\n\n## Art. 5º\nFeiras.\n\n## Art. 5º-A\nTaxas.\n\n## Art. 6º\nMultas.\n",
        "pt",
        [("o art. 5º-A", ["5-A"]), ("o artigo 5.º-A", ["5-A"]), ("o art. 5º", ["5"])],
    ),
    (
        "# Codice dei mulini\n\n## Art. 7\nMulini.\n\n## Art. 7-bis\nCanoni.\n\n## Art. 8\nPene.\n",
        "it",
        [("l'articolo 7-bis", ["7-bis"]), ("gli articoli 7 e 7–bis", ["7", "7-bis"])],
    ),
    (
        "# Code des moulins\n\n## Article L. 241-3\nMoulins.\n\n## Article L. 241-3-1\nCanaux.\n",
        "fr",
        [("l'article L. 241-3-1", ["L241-3-1"]), ("l'article L. 241‑3", ["L241-3"])],
    ),
    (
        "# Rotterdamse verordening\n\n## Artikel 2:10\nVergunning.\n\n## Artikel 2:10a\nMelding.\n",
        "nl",
        [("artikel 2:10a", ["2:10a"]), ("artikel 2:10", ["2:10"])],
    ),
]


def number_of(passage: Passage) -> str:
    return (passage.number or "").replace("–", "-").replace("‑", "-").replace(" ", "").replace(".L", "L")


@pytest.mark.parametrize(("text", "language", "cited"), LAWS, ids=[language for _, language, _ in LAWS])
def test_references_and_questions(
    text: str,
    language: str,
    cited: list[tuple[str, list[str]]],
    build: Build,
    subtests: pytest.Subtests,
) -> None:
    corpus = build({"law.md": text})
    reader = external_resolver(corpus)
    for words, numbers in cited:
        with subtests.test(words):
            found = [
                corpus.passages(reader.rows(one.target_kind, str(one.target_id)))[0]
                for mention in find_mentions(words, language)
                for one in reader.within(mention, (0,), words, language, DAY)
                if one.status is Status.RESOLVED
            ]
            named = provisions_named(corpus, words, language, DAY)
            asked = [corpus.passages(corpus.rows(one.passage_ids))[0] for one in named]
            assert {one.status for one in named} == {Naming.FOUND}
            assert [number_of(one) for one in asked] == numbers
            assert not found or [number_of(one) for one in found] == numbers
