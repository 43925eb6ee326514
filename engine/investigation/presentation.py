"""From rows to what a person reads: ranked passages with text, trails, breakdown and hits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from engine.corpus.protocol import Corpus, Mask
from engine.investigation.assembly import JOINING_DEPTH, assemble
from engine.investigation.context_expansion import text_of
from engine.investigation.pool import Pool
from engine.investigation.ranking import Ranking
from engine.investigation.reading import Reading
from engine.model import Passage, RankedPassage, RetrieverHit

TRAILS_SHOWN = 5
# Shorter texts ("Deleted.", "See Article 3.") are alike by chance.
SHORTEST_SAME = 40


def present(
    ranking: Ranking,
    pool: Pool,
    corpus: Corpus,
    reading: Reading,
    hits: Mapping[int, tuple[RetrieverHit, ...]],
    top_k: int,
    allowed: Mask | None = None,
    first: Collection[int] = (),
) -> tuple[RankedPassage, ...]:
    """The top of the ranking as passages with everything that explains them.

    ``allowed`` limits what may be joined to them, shape (passages,); None for all. ``first`` are the rows
    that the question names.
    """
    barred = corpus.rows(sorted(pool.dismissed)).tolist()
    assembled = assemble(ranking, corpus, reading, top_k, allowed=allowed, barred=barred, first=first)
    same = same_words(reading.passages(ranking.rows[: JOINING_DEPTH * top_k]))
    wanted = np.unique(np.array([row for item in assembled for row in item.rows], np.int32))
    passages = dict(zip(wanted.tolist(), reading.passages(wanted), strict=True))
    documents = corpus.documents()
    numbers = dict(zip(wanted.tolist(), corpus.document_numbers(wanted).tolist(), strict=True))
    trails = pool.trails_of([passages[int(ranking.rows[item.place])].id for item in assembled], TRAILS_SHOWN)
    shown = []
    for number, item in enumerate(assembled, 1):
        row = int(ranking.rows[item.place])
        passage = passages[row]
        shown.append(
            RankedPassage(
                rank=number,
                passage=passage,
                document=documents[numbers[row]],
                text=text_of([passages[other] for other in item.rows]),
                score=float(ranking.scores[item.place]),
                breakdown=ranking.breakdown(item.place),
                trails=trails[passage.id],
                hits=hits.get(row, ()),
                assembled_ids=tuple(passages[other].id for other in item.rows),
                pinned=passage.id in pool.pinned,
                same_words=tuple(other for other in same.get(passage.id, ()) if other != passage.id),
            )
        )
    return tuple(shown)


def same_words(passages: Iterable[Passage]) -> dict[str, tuple[str, ...]]:
    """For each passage whose words others have too: the ids of all that have them, in the order given.

    Spacing and case do not count. Both stay in the ranking: the same words in two acts are two passages.
    """
    groups: dict[str, list[str]] = {}
    for passage in passages:
        words = " ".join(passage.text.split()).casefold()
        if len(words) >= SHORTEST_SAME:
            groups.setdefault(words, []).append(passage.id)
    return {one: tuple(group) for group in groups.values() if len(group) > 1 for one in group}
