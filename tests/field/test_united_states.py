"""How lawyers of the United States cite: "42 U.S.C. § 1983", "11 CFR 100.15", "Id. §", codes of states."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

from datetime import date

import pytest

from engine.corpus.external_text import external_resolver
from engine.corpus.protocol import Corpus
from engine.language.references import find_mentions
from engine.model import Naming, Status
from engine.retrieval.planning.named import provisions_named

DAY = date(2026, 1, 1)
TEXTS = {
    "usc.md": "# 33 U.S.C. Chapter 9\n\n## § 401 Bridges\n(a) A bridge needs a permit.\n\n(b) A dam does so too.\n\n"
    "## § 1983 Suits\nA person may sue.\n\n## § 1395w-4 Payment\nThe fee is fixed.\n",
    "cfr.md": "# 33 CFR Part 110 Anchorages\n\n## § 110.5 Anchor\n(a) A vessel anchors.\n\n## § 110.6 Light\nIt shows one.\n",
    "other.md": "# 50 CFR Part 110 Seals\n\n## § 110.6 Seals\nA seal is left alone.\n",
    "cal.md": "# California Civil Code\n\n## § 31 Pilots\nA pilot is licensed.\n",
    "brief.md": "# Brief\n\n## Argument\nSuits are allowed. 33 U.S.C. § 1983. Id. § 401(a). A light is shown, 33 CFR 110.6; id. § 110.5.\n",
    "fla.md": "# Florida Statutes\n\n## § 327.02 Definitions\nA vessel floats.\n",
}
# fmt: off
CITED = [
    ("33 U.S.C. § 401(b)", ["usc/sec-401"]), ("33 U.S.C. § 1983", ["usc/sec-1983"]), ("33 U. S. C. §1983", ["usc/sec-1983"]), ("33 USC 1983", ["usc/sec-1983"]),
    ("33 U.S.C.A. § 1395w-4", ["usc/sec-1395w-4"]), ("33 U.S.C. §§ 401 and 1983", ["usc/sec-401", "usc/sec-1983"]), ("33 C.F.R. § 110.5(a)", ["cfr/sec-110-5"]),
    ("33 CFR 110.6", ["cfr/sec-110-6"]), ("50 CFR § 110.6", ["other/sec-110-6"]), ("33 U.S.C. § 401 and 33 CFR 110.6", ["usc/sec-401", "cfr/sec-110-6"]),
    ("Cal. Civ. Code § 31", ["cal/sec-31"]), ("California Civil Code § 31", ["cal/sec-31"]), ("Fla. Stat. § 327.02", ["fla/sec-327-02"]),
]
# fmt: on
# Another title, another section, another code, a year.
# fmt: off
OTHERS = [
    "42 U.S.C. § 1983", "33 U.S.C. § 402", "40 CFR 110.5", "33 CFR 110.7", "Nev. Civ. Code § 31", "the Anchorage Rules 1983",
]
# fmt: on


def targets(corpus: Corpus, words: str) -> list[str]:
    reader = external_resolver(corpus)
    found = [
        reference
        for mention in find_mentions(words, "en")
        for reference in reader.resolve(mention, words, "en", DAY)
    ]
    return [str(one.target_id) for one in found if one.status is Status.RESOLVED]


@pytest.mark.parametrize(("words", "expected"), CITED)
def test_references(corpus: Corpus, words: str, expected: list[str]) -> None:
    assert targets(corpus, f"as {words} says.") == expected
    named = provisions_named(corpus, f"What does {words} say?", "en", DAY)
    assert [one.status for one in named] == [Naming.FOUND] * len(expected)


@pytest.mark.parametrize("words", OTHERS)
def test_other_laws(corpus: Corpus, words: str) -> None:
    assert targets(corpus, f"as {words} says.") == []
    named = provisions_named(corpus, f"What does {words} say?", "en", DAY)
    assert not [one for one in named if one.status is Naming.FOUND]


def test_the_code_cited_last(corpus: Corpus) -> None:
    found = corpus.references_from(corpus.rows(["brief/argument"]))
    ends = [str(one.target_id) for one in corpus.references(found.numbers.tolist())]
    assert ends == ["usc/sec-1983", "usc/sec-401", "cfr/sec-110-6", "cfr/sec-110-5"]
