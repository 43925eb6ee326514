"""What the provisions say that a question names: by their number, or by the term that they define."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engine.answers.citing import Citations
from engine.answers.units import Piece, Unit, units_of, word_count
from engine.corpus.headings import is_bare_heading
from engine.corpus.protocol import Corpus, Rows
from engine.investigation.record import Investigation
from engine.model import Naming, QueryPlan, Relation, Span
from engine.retrieval.planning import LITERAL
from engine.retrieval.planning.named import asks_for_nothing_else

# Passages of a named provision that are read, words that are told of it where it alone is asked for, and how
# many of its sentences at most.
NAMED_READ, LONGEST_NAMED, MOST_NAMED = 12, 120, 8
# Definitions of the term that is asked for.
MOST_DEFINITIONS = 3


def asks_for_named_alone(plan: QueryPlan) -> bool:
    """Whether the question asks for the text of what it names and for nothing else."""
    words = [view.text for view in plan.views if view.name == LITERAL][:1]
    named = [named.words for named in plan.named]
    return bool(words) and asks_for_nothing_else(words[0], plan.language, named)


def told_of_named(
    investigation: Investigation, corpus: Corpus, citations: Citations, best: Callable[[Sequence[Unit]], Unit]
) -> list[Unit]:
    """What the provisions that the question names say: the beginning of each where nothing else is asked,
    else the ``best`` of its sentences for the question."""
    plan, found = investigation.plan, list[Unit]()
    alone = asks_for_named_alone(plan)
    for named in plan.named:
        if named.status is not Naming.FOUND:
            continue
        rows = corpus.rows(list(named.passage_ids)[:NAMED_READ])
        rows = rows[rows >= 0]
        by_row = not alone or named.relation is Relation.DEFINES
        every = units_of(rows.tolist(), corpus, citations.reading, lambda text: 0.0, by_row=by_row)
        units = list(every)
        units = units or list(_whole(rows, citations))
        if named.relation is Relation.DEFINES:
            found.extend(_defining(units, named.words))
        elif alone:
            room = LONGEST_NAMED
            for unit in units:
                if found and word_count(unit.text) > room:
                    break
                found.append(unit)
                room -= word_count(unit.text)
        elif units:
            found.append(best(units))
    return found[:MOST_NAMED]


def _whole(rows: Rows, citations: Citations) -> Iterator[Unit]:
    """The texts of passages as they stand, where nothing in them can be read alone; headings only where there
    is nothing else."""
    passages = citations.reading.passages(rows)
    texts = [pair for pair in zip(rows.tolist(), passages, strict=True) if not is_bare_heading(pair[1].text)]
    for row, passage in texts or list(zip(rows.tolist(), passages, strict=True))[:1]:
        yield Unit((Piece(row, passage, Span(0, len(passage.text))),), row)


def _defining(units: Sequence[Unit], term: str) -> list[Unit]:
    """Of each passage the unit that has the term, and has it first."""
    best: dict[int, tuple[int, Unit]] = {}
    for unit in units:
        at = unit.text.casefold().find(term.casefold())
        if at >= 0 and (unit.main not in best or at < best[unit.main][0]):
            best[unit.main] = (at, unit)
    return [unit for _, unit in best.values()][:MOST_DEFINITIONS]
