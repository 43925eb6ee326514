"""Routing to the documents that a question names in its prose: a little more for each of their passages.

"Under COBS" may mean that the answer stands in COBS, or only that the case falls under it, so nothing is
left out. The less of the corpus a document is, the more its name says: with n passages of which the
document holds m, each gets

    MOST * log(n / m) / log(n)

which is the rarity of an entity (see ``corpus/embedded/mentions.py``) on the scale of the relevance. Where
the question asks for the document's own text ("what does COBS say on fees?") each gets ``FOCUSED``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Rows
from engine.model import QueryPlan

# Measured on the gold questions that name a document: a rulebook of a tenth of the corpus bears 0.05 (0.2
# costs 4 points of recall@10), an article of its own gains up to 0.2.
MOST = 0.2
FOCUSED = 0.5


def routed(corpus: Corpus, plan: QueryPlan, rows: Rows) -> NDArray[np.float32] | None:
    """What each row gets for its document, shape (n,); None where the question names no document."""
    if not plan.document_ids or not len(rows):
        return None
    named = [own for own in corpus.by_document(plan.document_ids) if len(own)]
    if not named:
        return None
    numbers = corpus.document_numbers(np.array([own[0] for own in named], np.int32))
    size = max(len(corpus), 2)
    documents = corpus.document_numbers(rows)
    extra = np.zeros(len(rows), np.float32)
    focus = set(plan.focus)
    ids = [corpus.documents()[number].id for number in numbers.tolist()]
    for number, document_id, own in zip(numbers.tolist(), ids, named, strict=True):
        share = np.log(size / len(own)) / np.log(size)
        extra[documents == number] = FOCUSED if document_id in focus else MOST * share
    return extra
