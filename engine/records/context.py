"""What a model is given to read: passages of an investigation within a number of tokens, each with a key.

First as many passages of the ranking as there is room for, best first; then, with the room that is left,
each grows with the text around it inside its section (see ``context_expansion``). Every text is a span of its
source, word for word. The key of a passage is its rank, in whatever order the passages stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.investigation.assistance.cost import relations
from engine.investigation.filters import Filters
from engine.investigation.pool import Reading
from engine.investigation.presentation import ContextExpansion, text_of
from engine.investigation.record import Investigation
from engine.language.detection import token_estimate
from engine.model import RankedPassage
from engine.records.citation import full_citation
from engine.records.orders import Order, ordered
from engine.records.validity import badge

FEWEST_TOKENS = 64
# Tokens to which a passage grows in full where its section has them, and that it has at most.
SHORTEST, LONGEST = 512, 1024
_BACKTICKS = re.compile("`+")


@dataclass(frozen=True, slots=True)
class ContextPassage:
    """One text of a context. ``ids`` are the passages whose text it is, in reading order.

    ``key`` is the rank of the passage that was found, ``cited`` how it is cited, ``validity`` what is to
    be known of its force ("until 31 Dec 2023"), empty where nothing is. ``tokens`` are estimated.
    """

    key: int
    ids: tuple[str, ...]
    cited: str
    validity: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class ModelContext:
    """Passages in the order in which a model shall read them. ``left_out``: keys there was no room for;
    ``relations``: how what the question names relates, in sentences that stand in front of the passages."""

    question: str
    passages: tuple[ContextPassage, ...]
    order: Order
    left_out: tuple[int, ...] = ()
    relations: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """All tokens of the passages, estimated."""
        return sum(passage.tokens for passage in self.passages)


def model_context(
    investigation: Investigation, corpus: Corpus, tokens: int, order: Order = Order.ENDS
) -> ModelContext:
    """The ranked passages of an investigation in at most ``tokens`` tokens, estimated.

    Raises InputError where ``tokens`` hold not one of them.
    """
    checked_tokens(tokens)
    day = investigation.day or date.today()
    language = investigation.plan.language
    related = relations(corpus, investigation.question, language, tokens)
    whole, tokens = tokens, tokens - sum(token_estimate(len(line) + 1, language) for line in related)
    ranking = investigation.passages
    written = {found.rank: _written(found, day, found.text, found.assembled_ids) for found in ranking}
    chosen, room = [], tokens
    for found in ranking:
        if written[found.rank].tokens <= room:
            chosen.append(found)
            room -= written[found.rank].tokens
    if ranking and not chosen:
        least = min(one.tokens for one in written.values())
        raise InputError(f"a context of {whole} tokens holds no passage; the shortest has {least}")
    for found, ids, text in _grown(investigation, corpus, chosen, day, room):
        written[found.rank] = _written(found, day, text, ids)
    kept = {found.rank for found in chosen}
    return ModelContext(
        investigation.question,
        tuple(written[found.rank] for found in ordered(chosen, order)),
        order,
        tuple(found.rank for found in ranking if found.rank not in kept),
        related,
    )


def checked_tokens(tokens: int) -> int:
    """The number of tokens of a context. Raises InputError where nothing would fit."""
    if tokens < FEWEST_TOKENS:
        raise InputError(f"a context must have at least {FEWEST_TOKENS} tokens (given: {tokens})")
    return tokens


def _grown(
    investigation: Investigation, corpus: Corpus, chosen: list[RankedPassage], day: date, room: int
) -> Iterator[tuple[RankedPassage, tuple[str, ...], str]]:
    """Those of the chosen that grow in the room that is left, best first, with their ids and text."""
    settings, reading = investigation.settings, Reading(corpus)
    rows = {found.rank: corpus.rows(found.assembled_ids).tolist() for found in chosen}
    pool = investigation.pool
    expansion = ContextExpansion(
        corpus,
        reading,
        [row for own in rows.values() for row in own],
        ranked={},
        allowed=Filters(corpus, settings, day, investigation.plan).mask,
        barred=corpus.rows(sorted(pool.dismissed)).tolist(),
    )
    for found in chosen:
        own = rows[found.rank]
        before = expansion.tokens(own)
        longest = min(LONGEST, before + room)
        joined = expansion.expanded(own, min(SHORTEST, longest), longest)
        if len(joined) > len(own):
            room -= expansion.tokens(joined) - before
            passages = reading.passages(np.asarray(joined, np.int32))
            yield found, tuple(passage.id for passage in passages), text_of(passages)


def _written(found: RankedPassage, day: date, text: str, ids: tuple[str, ...]) -> ContextPassage:
    passage, document = found.passage, found.document
    # In one line, whatever a title holds.
    cited = " ".join(full_citation(passage, document).split())
    seal = badge(passage, document, day)
    validity = seal.words if seal is not None and seal.old else ""
    # The line of the citation is read too, and the fences around the text.
    tokens = token_estimate(len(text) + len(cited) + len(validity) + 16, passage.language)
    return ContextPassage(found.rank, ids or (passage.id,), cited, validity, text, tokens)


def context_text(context: ModelContext) -> Iterator[str]:
    """A context as lines to be given to a model: each text under its key and citation, fenced.

    A fence is longer than any run of backticks inside, so no text can end it, or pass for a citation.
    """
    yield f"Question: {context.question}"
    if context.relations:
        yield "\nWhat it names, and how that relates (no source, not to be quoted):"
        yield from (f"- {line}" for line in context.relations)
    for passage in context.passages:
        old = f" ({passage.validity})" if passage.validity else ""
        longest = max((len(run) for run in _BACKTICKS.findall(passage.text)), default=0)
        fence = "`" * max(3, longest + 1)
        yield f"\n[{passage.key}] {passage.cited}{old}"
        yield fence
        yield passage.text
        yield fence


def context_to_json(context: ModelContext) -> dict[str, Any]:
    """A context as plain values."""
    return {
        "order": context.order.value,
        "tokens": context.tokens,
        "left_out": list(context.left_out),
        "relations": list(context.relations),
        "passages": [
            {
                "key": passage.key,
                "ids": list(passage.ids),
                "citation": passage.cited,
                "validity": passage.validity,
                "text": passage.text,
                "tokens": passage.tokens,
            }
            for passage in context.passages
        ],
    }
