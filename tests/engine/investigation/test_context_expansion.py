"""Passages grow with their neighbours: a contiguous span, one section, a length in tokens."""

from __future__ import annotations

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation.pool import Reading
from engine.investigation.presentation import ContextExpansion
from engine.language.detection import token_estimate

# Chapter 1: three passages of Article 1, three of Article 2. Chapter 2: two of Article 3. Another law: one.
PLAN = (
    *(("Law", "Chapter 1", "1", part) for part in "abc"),
    *(("Law", "Chapter 1", "2", part) for part in "abc"),
    *(("Law", "Chapter 2", "3", part) for part in "ab"),
    ("Other law", "Chapter 2", "1", "a"),
)
TEXT = "The pilot pays a fee of {} crowns to the harbour office before the vessel leaves the berth."
TOKENS = token_estimate(len(TEXT.format("1a")), "en")


@pytest.fixture(scope="module")
def law(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("law")
    lines = [
        {
            "id": f"{document}-{article}{part}",
            "title": f"{document} Article {article}",
            "text": TEXT.format(f"{article}{part}"),
            "metadata": {
                "regulation": document,
                "article": article,
                "path": [chapter],
                "language": "en",
            },
        }
        for document, chapter, article, part in PLAN
    ]
    (root / "corpus.jsonl").write_bytes(b"\n".join(orjson.dumps(line) for line in lines))
    build_corpus([root / "corpus.jsonl"], root / "corpus", embedding="none")
    return open_corpus(root / "corpus")


def grown(
    corpus: Corpus, start: str, minimum: int, maximum: int, *, ranked: str = "", barred: str = ""
) -> str:

    def rows(names: str) -> list[int]:
        return [int(row) for row in corpus.rows([f"Law-{name}" for name in names.split()])]

    places = {row: place for place, row in enumerate(rows(ranked))}
    expansion = ContextExpansion(corpus, Reading(corpus), rows(start), places, barred=rows(barred))
    found = expansion.expanded(rows(start), minimum, maximum)
    return " ".join(one.id.removeprefix("Law-") for one in corpus.passages(np.array(found, np.int32)))


@pytest.mark.parametrize(
    ("start", "share", "ranked", "barred", "expected"),
    [
        # Its own provision first, what follows before what precedes.
        ("1b", (0, 9), "", "", "1b"),
        ("1b", (2, 9), "", "", "1b 1c"),
        ("1b", (3, 9), "", "", "1a 1b 1c"),
        # Then the rest of its section, never the next section or document.
        ("1b", (4, 9), "", "", "1a 1b 1c 2a"),
        ("2b", (9, 9), "", "", "1a 1b 1c 2a 2b 2c"),
        ("3b", (9, 9), "", "", "3a 3b"),
        # Never more than the longest.
        ("1b", (9, 3), "", "", "1a 1b 1c"),
        ("1a 1b", (9, 1), "", "", "1a 1b"),
        # What ranks is joined as far as there is room, before anything else.
        ("1b", (0, 9), "1a 2a", "", "1a 1b"),
        ("1b", (0, 9), "1a 1c 2a", "", "1a 1b 1c 2a"),
        ("1b", (2, 9), "1a", "", "1a 1b"),
        # What a person dismissed ends it.
        ("1b", (9, 9), "", "1c", "1a 1b"),
    ],
)
def test_growth(
    law: Corpus, start: str, share: tuple[int, int], ranked: str, barred: str, expected: str
) -> None:
    minimum, maximum = (TOKENS * times for times in share)
    assert grown(law, start, minimum, maximum, ranked=ranked, barred=barred) == expected


@given(
    starts=st.lists(st.integers(0, len(PLAN) - 1), min_size=1, max_size=5, unique=True),
    ranked=st.sets(st.integers(0, len(PLAN) - 1)),
    lengths=st.tuples(st.integers(0, 8), st.integers(0, 8)),
    barred=st.sets(st.integers(0, len(PLAN) - 1), max_size=3),
)
def test_whatever_grows_is_a_span_of_one_section_and_appears_once(
    law: Corpus, starts: list[int], ranked: set[int], lengths: tuple[int, int], barred: set[int]
) -> None:
    barred -= set(starts)
    expansion = ContextExpansion(law, Reading(law), starts, {row: row for row in ranked}, barred=barred)
    minimum, maximum = (TOKENS * times for times in lengths)
    seen: list[int] = []
    for start in starts:
        rows = expansion.expanded([start], minimum, maximum)
        assert start in rows
        assert list(rows) == list(range(rows[0], rows[-1] + 1))
        assert len(set(law.section_numbers(np.array(rows, np.int32)).tolist())) == 1
        assert expansion.tokens(rows) <= max(maximum, expansion.tokens([start]))
        assert not barred & set(rows)
        seen += rows
    assert len(set(seen)) == len(seen)


def test_what_is_filtered_out_is_not_joined(law: Corpus) -> None:
    start, out = law.rows(["Law-1b", "Law-2a"]).tolist()
    allowed = np.ones(len(law), np.bool_)
    allowed[out] = False
    expansion = ContextExpansion(law, Reading(law), [start], {}, allowed=allowed)
    found = law.passages(np.array(expansion.expanded([start], 4096, 8192), np.int32))
    assert [one.id for one in found] == ["Law-1a", "Law-1b", "Law-1c"]


def test_what_has_grown_does_not_end_with_a_heading(law: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *_, last = rows = law.rows([f"Law-1{part}" for part in "abc"]).tolist()
    monkeypatch.setattr(law, "bare_headings", lambda asked: np.isin(asked, [first, last]))
    expansion = ContextExpansion(law, Reading(law), [rows[1]], {})
    assert expansion.expanded([rows[1]], 3 * TOKENS, 3 * TOKENS) == (first, rows[1])
    alone = ContextExpansion(law, Reading(law), [last], {})
    assert alone.expanded([last], 0, 0) == (last,), "what was found stays, heading or not"
