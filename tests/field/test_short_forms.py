"""Kinds O to S: the short forms in which lawyers cite."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

from datetime import date

import pytest

from engine.corpus.external_text import external_resolver
from engine.language.references import find_mentions
from engine.model import Status
from tests.field.conftest import Build

# A law, its language, and citations of it with the ids of what they lead to.
LAWS = [
    (
        "# Bridges Act 12 of 2004\n\n## Section 6\n(1) A bridge is inspected.\n\n(4) A toll is paid.\n\n"
        "## Section 7\nA keeper is named.\n\n## Section 8\nA record is kept.\n\n## Schedule 2\nTolls.\n",
        "en",
        [
            ("in terms of s 7 of the Bridges Act", ["section-7"]),
            ("see ss 7 and 8 of the Bridges Act 12 of 2004", ["section-7", "section-8"]),
            ("ss 6-8 of the Bridges Act", ["section-6", "section-7", "section-8"]),
            ("s 6(4) of the Bridges Act", ["section-6/para-4"]),
            ("Sch 2 to the Bridges Act", ["schedule-2"]),
            ("the keeper's 7 bridges under the Bridges Act", []),
        ],
    ),
    (
        "# Mühlengesetz (MühlG)\n\n## § 6\n(1) Mühlen werden geprüft.\n\n(2) Es gilt eine Gebühr.\n\n"
        "(2bis) Für Wassermühlen gilt sie nicht.\n\n## § 7\nDer Müller führt ein Buch.\n",
        "de",
        [
            ("nach § 6 Abs. 2bis MühlG", ["sec-6/para-2bis"]),
            ("nach § 6 Absatz 2 des Mühlengesetzes", ["sec-6/para-2"]),
            ("nach § 6 II MühlG", ["sec-6/para-2"]),
            ("nach § 6 II 1 MühlG", ["sec-6/para-2"]),
            ("nach §§ 6 I, II, 7 S. 1 MühlG", ["sec-6/para-1", "sec-6/para-2", "sec-7"]),
            ("nach §§ 6 f. MühlG", ["sec-6", "sec-7"]),
            ("nach § 6 ff. MühlG", ["sec-6"]),
            ("nach § 7 des deutschen Mühlengesetzes", ["sec-7"]),
            ("nach § 7 des österreichischen Mühlengesetzes", []),
            ("nach § 7 des schweizerischen Mühlengesetzes", []),
            ("Teil VI des MühlG", []),
        ],
    ),
    (
        "# Fährengesetz (FährG)\n\n## Art. 8\n(1) Fähren fahren täglich.\n\n(3) Frei sind:\na) Kinder;\nabis) Hunde.\n\n"
        "## Art. 8bis\n(1) Der Preis ist fest.\n\n(1bis) Der Kanton legt ihn fest.\n",
        "de",
        [
            ("Art. 8 Abs. 3 lit. a FährG", ["art-8/para-3"]),
            ("Art. 8 Abs. 3 Bst. abis FährG", ["art-8/para-3"]),
            ("Art. 8 Abs. 3 lit. abis des Fährengesetzes", ["art-8/para-3"]),
            ("Art. 8bis Abs. 1bis Ziff. 2 FährG", ["art-8bis/para-1bis"]),
            ("Art. 8bis I FährG", ["art-8bis/para-1"]),
        ],
    ),
]


def test_references(build: Build, subtests: pytest.Subtests) -> None:
    for text, language, cited in LAWS:
        corpus = build({"law.md": text})
        reader = external_resolver(corpus)
        for words, targets in cited:
            with subtests.test(words):
                found = [
                    str(one.target_id).removeprefix("law/")
                    for mention in find_mentions(words, language)
                    for one in reader.resolve(mention, words, language, date(2026, 1, 1))
                    if one.status is Status.RESOLVED and one.target_id != "law"
                ]
                assert found == targets
