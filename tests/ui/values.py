"""Hand-made passages, hops and pools, small enough to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from engine.investigation.pool import Pool
from engine.model import Direction, Document, Hop, Passage, RankedPassage, Relation, ScorePart
from ui.investigate.board import Dossier
from ui.investigate.passages import Reading

TODAY = date(2026, 6, 1)
CODE = Document(
    "code",
    "Commercial Agency Code",
    "en",
    number="13",
    year=2011,
    status="in force",
    aliases=("Agency Code", "CAC"),
)
ARABIC = Document("code-ar", "قانون الوكالة التجارية", "ar", status="in force")
READING = Reading("Can a manager grant broader powers?", lambda passage_id: f"CAC {passage_id}", TODAY)


def passage(
    passage_id: str, text: str = "The authority of a manager.", document: Document = CODE, position: int = 0
) -> Passage:
    return Passage(
        passage_id,
        document.id,
        None,
        position,
        text,
        document.language,
        number="14",
        label="Article 14(2)",
        page=9,
    )


def scan_hop(target: str, rank: int = 1) -> Hop:
    return Hop(target, None, "scan", Relation.MATCHES, Direction.OUT, 0, 0.9, rank=rank)


def cites(target: str, source: str, quote: str = "subject to Article 14(2)", number: int = 1) -> Hop:
    return Hop(target, source, "citations", Relation.CITES, Direction.OUT, number, 0.8, quote, source)


def ranked(
    found: Passage,
    document: Document = CODE,
    *,
    rank: int = 1,
    trails: Sequence[Sequence[Hop]] = (),
    pinned: bool = False,
) -> RankedPassage:
    return RankedPassage(
        rank,
        found,
        document,
        found.text,
        0.82,
        (
            ScorePart("relevance", 0.5, "bm25 and dense"),
            ScorePart("citations", 0.4),
            ScorePart("length", -0.08),
        ),
        tuple(tuple(trail) for trail in trails),
        pinned=pinned,
    )


def small_pool() -> Pool:
    """Scan: a, b, c. Round 1: d and e from a, f from b. Round 2: g from d, and a second hop from f to g."""
    pool = Pool(100)
    for rank, name in enumerate("abc", start=1):
        pool.admit(scan_hop(name, rank), rank, 1.0 - rank / 10)
    for row, hop in enumerate((cites("d", "a"), cites("e", "a", ""), cites("f", "b")), start=10):
        pool.admit(hop, row, 0.5)
    pool.admit(cites("g", "d", "as defined in Article 3", 2), 20, 0.7)
    pool.admit(cites("g", "f", "see also", 2), 20, 0.7)
    return pool


def dossiers(passage_ids: Sequence[str]) -> Mapping[str, Dossier]:
    return {
        name: Dossier(
            f"CAC {name}", "Commercial Agency Code", "Article 1", f"Text of {name}", "en", f"[{name}]"
        )
        for name in passage_ids
    }
