"""Short citations of the passages that a memo or a page names."""

from __future__ import annotations

from collections.abc import Iterable

from engine.corpus.protocol import Corpus
from engine.records.citation import short_citation
from engine.records.record import CaseRecord


class PassageNames:
    """Short citations of passages by their ids: the corpus's if it is open and has the passage, else title
    and label of the record, else the id."""

    def __init__(self, case: CaseRecord, corpus: Corpus | None, ids: Iterable[str] = ()) -> None:
        self._names = {one.id: one.name for one in reversed(case.passages)}
        wanted = list(dict.fromkeys((*self._names, *ids)))
        if corpus is None or not wanted:
            return
        rows = corpus.rows(wanted)
        rows = rows[rows >= 0]
        documents, numbers = corpus.documents(), corpus.document_numbers(rows).tolist()
        for passage, number in zip(corpus.passages(rows), numbers, strict=True):
            self._names[passage.id] = " ".join(short_citation(passage, documents[number]).split())

    def __call__(self, passage_id: str) -> str:
        """Return the name of a passage in a sentence."""
        return self._names.get(passage_id, passage_id)


def named_ids(case: CaseRecord) -> set[str]:
    """Return the ids in trails, joined texts and equal texts of the ranking."""
    found = {one for passage in case.passages for one in (*passage.ids, *passage.same_words)}
    return found | {
        hop.source for one in case.passages for trail in one.trails for hop in trail if hop.source
    }
