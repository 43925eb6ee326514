"""From rows to what a person reads: ranked passages with text, trails, breakdown and hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engine.corpus.protocol import Corpus
from engine.investigation.assembly import assemble
from engine.investigation.pool import Pool
from engine.investigation.ranking import Ranking
from engine.investigation.reading import Reading
from engine.model import Passage, RankedPassage, RetrieverHit
from engine.settings import InvestigationSettings

TRAILS_SHOWN = 5
JOINT = "\n"


def present(
    ranking: Ranking,
    pool: Pool,
    corpus: Corpus,
    reading: Reading,
    hits: Mapping[int, tuple[RetrieverHit, ...]],
    settings: InvestigationSettings,
) -> tuple[RankedPassage, ...]:
    """The top of the ranking as passages with everything that explains them."""
    assembled = assemble(ranking, corpus, reading, settings)
    wanted = np.unique(np.array([row for item in assembled for row in item.rows], np.int32))
    passages = dict(zip(wanted.tolist(), reading.passages(wanted), strict=True))
    documents = corpus.documents()
    numbers = dict(zip(wanted.tolist(), corpus.document_numbers(wanted).tolist(), strict=True))
    shown = []
    for number, item in enumerate(assembled, 1):
        row = int(ranking.rows[item.place])
        passage = passages[row]
        shown.append(
            RankedPassage(
                rank=number,
                passage=passage,
                document=documents[numbers[row]],
                text=_joined([passages[other] for other in item.rows]),
                score=float(ranking.scores[item.place]),
                breakdown=ranking.breakdown(item.place),
                trails=pool.trails(passage.id, TRAILS_SHOWN),
                hits=hits.get(row, ()),
                assembled_ids=tuple(passages[other].id for other in item.rows),
                pinned=passage.id in pool.pinned,
            )
        )
    return tuple(shown)


def _joined(passages: Sequence[Passage]) -> str:
    """The text of consecutive passages; what a part repeats of the part before is said once."""
    first, *rest = passages
    return JOINT.join((first.text, *(passage.text[passage.overlap :] for passage in rest)))
