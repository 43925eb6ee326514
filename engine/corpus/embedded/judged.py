"""People's verdicts on links, over what is kept of them: a rejected link is none, a corrected one leads where
a person says. The files of the corpus stay as they are; the verdicts lie beside them, and hold as long as the
passage says the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import Block
from engine.corpus.embedded.deciding import target_of
from engine.corpus.embedded.ends import Tables
from engine.corpus.embedded.links import Edges, LinkIndex, ReferenceTable
from engine.corpus.embedded.references import KIND_NUMBERS, RELATION_NUMBERS, STATUS_NUMBERS
from engine.corpus.extracted.proposal import Proposal, located
from engine.corpus.extracted.validations import Judgement, Validation
from engine.model import Status

Stamp = tuple[int, ...]


def with_verdicts(
    verdicts: Iterable[Validation], references: ReferenceTable, links: LinkIndex, tables: Tables
) -> tuple[ReferenceTable, LinkIndex]:
    """References and links as people have judged them; those given where nobody has."""
    changed = dict(changes(verdicts, references, tables))
    if not changed:
        return references, links
    table = with_changes(references, changed)
    sources = np.unique(references.column("source")[np.array(list(changed), np.int64)])
    return table, _relinked(links, table, sources, tables)


def with_changes(references: ReferenceTable, changed: Mapping[int, Values]) -> ReferenceTable:
    """The same references with other values in ``CHANGED``, by number."""
    columns = {name: np.array(references.column(name)) for name in CHANGED}
    for number, after in changed.items():
        for name, value in zip(CHANGED, after, strict=True):
            columns[name][number] = value
    return references.changed(columns)


CHANGED = ("relation", "status", "kind", "target", "confidence")
_NO_LINK = (STATUS_NUMBERS[Status.UNRESOLVED], KIND_NUMBERS[None], -1, 0.0)
Values = tuple[float, ...]


def changes(
    verdicts: Iterable[Validation], references: ReferenceTable, tables: Tables
) -> Iterable[tuple[int, Values]]:
    """The references that verdicts change, by number, with what they are by them."""
    wanted = [one for one in verdicts if one.judgement is not Judgement.ACCEPTED and one.proposal.target_id]
    ids = sorted({one.proposal.source_id for one in wanted})
    rows = dict(zip(ids, tables.passages.rows(ids).tolist(), strict=True))
    there = sorted({row for row in rows.values() if row >= 0})
    texts = dict(zip(there, tables.passages.texts(there), strict=True))
    for one in wanted:
        row = rows[one.proposal.source_id]
        if row < 0 or located(one.proposal, texts[row]) is None:
            continue
        relation = RELATION_NUMBERS[one.proposal.relation]
        for number in _same_link(one.proposal, row, relation, references, tables):
            if one.correction is None:
                yield number, (relation, *_NO_LINK)
            else:
                corrected = _corrected(one.correction, tables)
                yield number, corrected or (relation, *_NO_LINK)


def _same_link(
    proposal: Proposal, row: int, relation: int, references: ReferenceTable, tables: Tables
) -> list[int]:
    """All references of a passage that make a link: it may name its target more than once."""
    target = target_of(str(proposal.target_id), tables.passages, tables.sections, tables.documents)
    if target is None:
        return []
    start, stop = np.searchsorted(references.column("source"), (row, row + 1)).tolist()
    same = references.column("relation")[start:stop] == relation
    same &= references.column("kind")[start:stop] == KIND_NUMBERS[target[0]]
    same &= references.column("target")[start:stop] == target[1]
    found: list[int] = (start + np.flatnonzero(same)).tolist()
    return found


def _corrected(correction: Proposal, tables: Tables) -> Values | None:
    """The values of a link as a person corrected it; None where it leads to a concept or nowhere now."""
    if correction.target_id is None:
        return None
    target = target_of(correction.target_id, tables.passages, tables.sections, tables.documents)
    if target is None:
        return None
    relation = RELATION_NUMBERS[correction.relation]
    return relation, STATUS_NUMBERS[Status.RESOLVED], KIND_NUMBERS[target[0]], target[1], 1.0


def _relinked(links: LinkIndex, table: ReferenceTable, sources: Array, tables: Tables) -> LinkIndex:
    """The links with those of some sources made anew."""
    kept = links.edges()
    stays = ~np.isin(kept.sources, sources)
    anew = table.edges(
        tables.sections, tables.documents, np.flatnonzero(np.isin(table.column("source"), sources))
    )
    columns = [
        np.concatenate([getattr(kept, name)[stays], getattr(anew, name).astype(getattr(kept, name).dtype)])
        for name in Edges._fields
    ]
    edges = Edges(*columns)
    block = Block({})
    LinkIndex.put(block, edges, links.size)
    return LinkIndex(block)
