"""Kind I, its references: a provision under a bare number has parts that its own text cites."""

from __future__ import annotations

import pytest

from engine.model import Status
from tests.field.conftest import Build

ACTS = [
    (
        "# Ferry Act 3 of 2011\n\n## 1. Duties\n(1) A keeper must—\n(a) hold a licence; and\n"
        "(b) keep a log.\n\n(2) A keeper must report.\n\n(3) A breach of subsection (1)(a) or (2) is an "
        "offence.\n\n## 2. State\nIt is bound.\n",
        {"1/para-3": ["1/para-1", "1/para-2"]},
    ),
    (
        "# Fährgesetz\n\n## 1. Pflichten\n(1) Der Fährmann führt ein Buch.\n\n(2) Er meldet Unfälle.\n\n"
        "(3) Verstöße gegen Absatz 2 werden bestraft.\n",
        {"1/para-3": ["1/para-2"]},
    ),
    (
        "# Loi sur les bacs\n\n## 1. Devoirs\n(1) Le passeur a un livre.\n\n(2) Il signale un accident.\n\n"
        "(3) Le paragraphe 2 ne s'applique pas à l'État.\n",
        {"1/para-3": ["1/para-2"]},
    ),
]


def test_parts(build: Build, subtests: pytest.Subtests) -> None:
    for text, expected in ACTS:
        corpus = build({"act.md": text})
        found: dict[str, list[str]] = {}
        for one in corpus.all_references():
            if one.status is Status.RESOLVED:
                source, target = (name.removeprefix("act/") for name in (one.source_id, str(one.target_id)))
                found.setdefault(source, []).append(target)
        with subtests.test(text.splitlines()[0]):
            assert found == expected
