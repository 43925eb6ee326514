"""A case as context for a language model, in an order and with its validity."""

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
from engine.records.wording import full_citation

# Whether a passage is in force, as a badge of a few words.

_IN_FORCE = frozenset({"in force", "in_force", "inforce", "current", "valid"})


@dataclass(frozen=True, slots=True)
class Badge:
    """``old`` where the passage is not, or not yet, or no longer in force."""

    words: str
    old: bool


def day(when: date) -> str:
    """A date as people write it: 31 Dec 2023."""
    return f"{when.day} {when:%b %Y}"


def badge(passage: Passage, document: Document, today: date) -> Badge | None:
    """The badge of a passage on a day; its own status and dates count before its document's.

    None where neither says anything.
    """
    status = (passage.status or document.status or "").replace("_", " ").strip().lower()
    begin = passage.valid_from or document.valid_from
    end = passage.valid_to or document.valid_to
    if end is not None and end < today:
        return Badge(f"until {day(end)}", True)
    # With a known end the dates tell more: before it, what is repealed by now was in force.
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
    """Which of its versions or editions a document is: "version 2 of 5", "latest of 5 versions"; empty where
    it is the only one."""
    place, _, count = str(document.metadata.get(EDITION, "")).partition(" of ")
    if not count.isdigit():
        return ""
    word = "edition" if document.type == STANDARD else "version"
    return f"latest of {count} {word}s" if place == count else f"{word} {place} of {count}"


# Orders in which ranked passages can be read: by rank, as their documents read, or for a model.

Item = TypeVar("Item")


class Order(StrEnum):
    """``ends``: the best passages at both ends, the weakest in the middle."""

    RANK = "rank"
    DOCUMENT = "document"
    ENDS = "ends"


def order_of(name: str) -> Order:
    """The order with a name. Raises SettingsError for an unknown one."""
    try:
        return Order(name)
    except ValueError:
        known = ", ".join(order.value for order in Order)
        raise SettingsError(f"unknown order {name!r}; known orders: {known}") from None


def ordered(passages: Sequence[RankedPassage], order: Order) -> tuple[RankedPassage, ...]:
    """Passages of a ranking, best first, in another order; their ranks stay."""
    match order:
        case Order.RANK:
            return tuple(passages)
        case Order.DOCUMENT:
            return by_document(passages)
        case Order.ENDS:
            return both_ends(passages)


def by_document(passages: Sequence[RankedPassage]) -> tuple[RankedPassage, ...]:
    """Documents in the order of their best passage, the passages of each as the document reads."""
    firsts: dict[str, int] = {}
    for place, found in enumerate(passages):
        firsts.setdefault(found.document.id, place)
    return tuple(sorted(passages, key=lambda found: (firsts[found.document.id], found.passage.position)))


def both_ends(items: Sequence[Item]) -> tuple[Item, ...]:
    """The first at the beginning, the second at the end, and so on inwards: 1 3 5 6 4 2.

    Models use best what stands at the ends of a long context (Liu et al. 2023, "Lost in the Middle",
    https://arxiv.org/abs/2307.03172).
    """
    return (*items[::2], *reversed(items[1::2]))


# What a model is given to read: passages of an investigation within a number of tokens, each with
# a key.
#
# First as many passages of the ranking as there is room for, best first; then, with the room that
# is left, each grows with the text around it inside its section (see ``context_expansion``).
# Every text is a span of its source, word for word. The key of a passage is its rank, in whatever
# order the passages stand.

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
