"""A case as context for a language model, in several orders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, TypeVar

import numpy as np

from engine.corpus.protocol import Corpus
from engine.errors import InputError, SettingsError
from engine.investigation.assistance.cost import relations
from engine.investigation.filters import Filters
from engine.investigation.pool import Reading
from engine.investigation.presentation import ContextExpansion, text_of
from engine.investigation.record import Investigation
from engine.language.detection import token_estimate
from engine.language.front_page import STANDARD
from engine.model import EDITION, OUT_OF_FORCE, Document, Passage, RankedPassage
from engine.records.phrases import full_citation

# Badges: whether a passage is in force, in a few words.

_IN_FORCE = frozenset({"in force", "in_force", "inforce", "current", "valid"})


@dataclass(frozen=True, slots=True)
class Badge:
    """A label; ``old`` is true if the passage is not in force, not yet or no longer."""

    words: str
    old: bool


def day(when: date) -> str:
    """Return a date as text: 31 Dec 2023."""
    return f"{when.day} {when:%b %Y}"


def badge(passage: Passage, document: Document, today: date) -> Badge | None:
    """Return the badge of a passage on a day, None if its validity is unknown.

    The passage's own status and dates take precedence over its document's.
    """
    status = (passage.status or document.status or "").replace("_", " ").strip().lower()
    begin = passage.valid_from or document.valid_from
    end = passage.valid_to or document.valid_to
    if end is not None and end < today:
        return Badge(f"until {day(end)}", True)
    # Dates are more precise than a status: before its end date, a repealed provision was in force.
    if status in OUT_OF_FORCE and end is None:
        return Badge(status, True)
    if begin is not None and begin > today:
        return Badge(f"from {day(begin)}", True)
    if end is not None:
        return Badge(f"in force until {day(end)}", False)
    if status in _IN_FORCE or begin is not None:
        return Badge("in force", False)
    return Badge(status, False) if status else None


def edition(document: Document) -> str:
    """Return which version or edition a document is, "version 2 of 5"; empty for the only one."""
    place, _, count = str(document.metadata.get(EDITION, "")).partition(" of ")
    if not count.isdigit():
        return ""
    word = "edition" if document.type == STANDARD else "version"
    return f"latest of {count} {word}s" if place == count else f"{word} {place} of {count}"


# Reading orders of ranked passages.

Item = TypeVar("Item")


class Order(StrEnum):
    """Reading orders; ``ends`` puts the best passages at both ends and the weakest in the middle."""

    RANK = "rank"
    DOCUMENT = "document"
    ENDS = "ends"


def order_of(name: str) -> Order:
    """Return the order with a name. Raises SettingsError for an unknown one."""
    try:
        return Order(name)
    except ValueError:
        known = ", ".join(order.value for order in Order)
        raise SettingsError(f"unknown order {name!r}; known orders: {known}") from None


def ordered(passages: Sequence[RankedPassage], order: Order) -> tuple[RankedPassage, ...]:
    """Return ranked passages in another order; their ranks are unchanged."""
    match order:
        case Order.RANK:
            return tuple(passages)
        case Order.DOCUMENT:
            return by_document(passages)
        case Order.ENDS:
            return both_ends(passages)


def by_document(passages: Sequence[RankedPassage]) -> tuple[RankedPassage, ...]:
    """Return documents in the order of their best passage, each with its passages in reading order."""
    firsts: dict[str, int] = {}
    for place, found in enumerate(passages):
        firsts.setdefault(found.document.id, place)
    return tuple(sorted(passages, key=lambda found: (firsts[found.document.id], found.passage.position)))


def both_ends(items: Sequence[Item]) -> tuple[Item, ...]:
    """Arrange items from both ends inwards: 1 3 5 6 4 2.

    Models make best use of the ends of a long context (Liu et al. 2023, "Lost in the Middle",
    https://arxiv.org/abs/2307.03172).
    """
    return (*items[::2], *reversed(items[1::2]))


# A context contains as many passages of the ranking as fit, best first; then each grows with the text around
# it in its section as far as tokens remain (see ``context_expansion``). Every text is a verbatim span of its
# source. The key of a passage is its rank, in any order.

FEWEST_TOKENS = 64
# Lengths, in tokens, to which a passage grows if its section allows, and at most.
SHORTEST, LONGEST = 512, 1024
_BACKTICKS = re.compile("`+")


@dataclass(frozen=True, slots=True)
class ContextPassage:
    """A text of a context, made of the passages ``ids`` in reading order.

    ``key`` is the rank, ``cited`` the citation, ``validity`` a remark ("until 31 Dec 2023") or empty.
    ``tokens`` is an estimate.
    """

    key: int
    ids: tuple[str, ...]
    cited: str
    validity: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class ModelContext:
    """Passages in reading order for a model.

    ``left_out``: keys of passages that did not fit; ``relations``: sentences on how the provisions named in
    the question relate.
    """

    question: str
    passages: tuple[ContextPassage, ...]
    order: Order
    left_out: tuple[int, ...] = ()
    relations: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """The estimated number of tokens of all passages."""
        return sum(passage.tokens for passage in self.passages)


def model_context(
    investigation: Investigation, corpus: Corpus, tokens: int, order: Order = Order.ENDS
) -> ModelContext:
    """Return the ranked passages of an investigation that fit into ``tokens`` (estimated) tokens.

    Raises InputError if not even one fits.
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
        raise InputError(f"no passage fits into a context of {whole} tokens; the shortest has {least}")
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
    """Return the number of tokens of a context. Raises InputError if it is below the minimum."""
    if tokens < FEWEST_TOKENS:
        raise InputError(f"a context must have at least {FEWEST_TOKENS} tokens (given: {tokens})")
    return tokens


def _grown(
    investigation: Investigation, corpus: Corpus, chosen: list[RankedPassage], day: date, room: int
) -> Iterator[tuple[RankedPassage, tuple[str, ...], str]]:
    """Yield the chosen passages that grow into the remaining tokens, best first, with their ids and text."""
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
    # A title may contain line breaks.
    cited = " ".join(full_citation(passage, document).split())
    seal = badge(passage, document, day)
    validity = seal.words if seal is not None and seal.old else ""
    # The citation and the fences count as well.
    tokens = token_estimate(len(text) + len(cited) + len(validity) + 16, passage.language)
    return ContextPassage(found.rank, ids or (passage.id,), cited, validity, text, tokens)


def context_text(context: ModelContext) -> Iterator[str]:
    """Yield a context as lines for a model: each text fenced under its key and citation.

    A fence is longer than any run of backticks inside, so that no text can end it or imitate a citation.
    """
    yield f"Question: {context.question}"
    if context.relations:
        yield "\nProvisions named in the question and their relations (not a source, do not quote):"
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
    """Return a context as plain values."""
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
