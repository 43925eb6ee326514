"""Regroup and rename a proposal with a language model, which only chooses from the corpus's own material.

It sees the headings and terms of the proposal, each with a key, and answers with keys: which belong together,
and which headings name the area. So names are always words of the corpus. Keywords that it adds must occur in
the corpus. Everything else is refused and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from engine.corpus.protocol import Area, Corpus
from engine.errors import BudgetError, ModelError
from engine.language.characters import visible
from engine.llm import Data, LanguageModel, Meter, Prompt, Usage, suspicion
from engine.ontology.drafting import HEADING, Draft, Evidence, Index, slug
from engine.ontology.proposal import (
    MODEL,
    Proposal,
    ProposedArea,
    ProposedTransaction,
    covered_share,
    measure_areas,
)

TASK = "ontology"
LONGEST_KEYWORD, MOST_ADDED = 60, 8
LONGEST_ANSWER = 4096
# Headings and terms shown of each area: the strongest; fewer if the model's context is small.
SHOWN = (16, 10, 6, 3)
_MARKUP = frozenset('<>{}[]`|\\="')

INSTRUCTIONS = """
The part "evidence" lists headings (H) and terms (T) of a document collection, one a line: key, language, how
many passages, words. The part "areas" gives the groups that a program made of them, the part "transactions"
the headings (by key of the area list, A) that it took for types of transactions.
Group the keys into the legal or subject areas that an expert of these documents would use, between 4 and 20.
Put together areas that are one, and take apart what is not one.
For each area give: name_keys, keys of headings that name it, at most one a language; keys, all headings and
terms that belong to it; added, further keywords that occur in such documents, with their language.
For each type of transaction give its key from the part "transactions" and the numbers of the areas it needs,
counted from 1 in your own list.
"""


class AddedKeyword(BaseModel):
    """A keyword that the model adds."""

    model_config = ConfigDict(extra="forbid")

    language: Annotated[str, Field(max_length=12)]
    text: Annotated[str, Field(max_length=200)]


class GroupedArea(BaseModel):
    """An area of the model."""

    model_config = ConfigDict(extra="forbid")

    name_keys: list[str]
    keys: list[str]
    added: list[AddedKeyword] = []


class GroupedTransaction(BaseModel):
    """A type of transaction, by its key, and the numbers of the areas it needs."""

    model_config = ConfigDict(extra="forbid")

    key: str
    areas: list[int]


class Grouping(BaseModel):
    """The model's whole answer."""

    model_config = ConfigDict(extra="forbid")

    areas: list[GroupedArea]
    transactions: list[GroupedTransaction] = []


@dataclass(slots=True)
class _Refused:
    """Numbers of refused parts of the answer, by reason."""

    keys: int = 0
    keywords: int = 0
    areas: int = 0

    def notes(self) -> list[str]:
        reasons = [
            (self.keys, "keys that were not listed, or were used before"),
            (self.keywords, "keywords that do not occur in the corpus"),
            (self.areas, "areas without a heading or without terms"),
        ]
        return [f"refused of the model's answer: {count} {what}" for count, what in reasons if count]


def expected_use(proposal: Proposal, model: LanguageModel) -> Usage:
    """Return the maximum usage of regrouping a proposal."""
    return model.expected(_prompt(proposal, model), Grouping)


def regroup(corpus: Corpus, proposal: Proposal, model: LanguageModel, meter: Meter) -> Proposal:
    """Regroup a proposal with a model. If the model fails, return the proposal with a note.

    Raises CancelledError.
    """
    try:
        reply = model.ask(_prompt(proposal, model), Grouping, meter)
    except (ModelError, BudgetError) as error:
        return _unchanged(proposal, f"the language model gave no grouping ({error})")
    return _checked(corpus, proposal, reply.value, reply.warnings)


def _unchanged(proposal: Proposal, reason: str) -> Proposal:
    note = f"{reason}: this is the proposal made without it"
    return replace(proposal, notes=(*proposal.notes, note))


def _prompt(proposal: Proposal, model: LanguageModel) -> Prompt:
    """Return the prompt with as much evidence as fits the model's context."""
    prompt = _prompt_of(proposal, SHOWN[0])
    for shown in SHOWN[1:]:
        if model.expected(prompt, Grouping).tokens <= model.context_tokens:
            break
        prompt = _prompt_of(proposal, shown)
    return prompt


def _prompt_of(proposal: Proposal, count: int) -> Prompt:
    lines, groups = [], []
    for number, proposed in enumerate(proposal.areas, start=1):
        own = _strongest(proposed.evidence, count)
        lines += [f"{one.key}\t{one.language}\t{one.passages}\t{one.text}" for one in own]
        groups.append(f"A{number}\t{' '.join(one.key for one in own)}")
    numbers = {proposed.area.id: number for number, proposed in enumerate(proposal.areas, start=1)}
    types = []
    for number, found in enumerate(proposal.transactions, start=1):
        needs = " ".join(f"A{numbers[area]}" for area in found.areas)
        types.append(f"X{number}\t{needs}\t{suspicion.shown(found.heading)}")
    data = (
        Data("evidence", "\n".join(lines)),
        Data("areas", "\n".join(groups)),
        Data("transactions", "\n".join(types)),
    )
    return Prompt(TASK, INSTRUCTIONS, data, LONGEST_ANSWER)


def _strongest(evidence: Sequence[Evidence], count: int) -> list[Evidence]:
    """Return the first (strongest) headings and terms of each language, without those that address a
    machine."""
    counts: dict[tuple[str, str], int] = {}
    strongest = []
    for one in evidence:
        if suspicion.addresses_machine(one.text):
            continue
        counts[one.kind, one.language] = counts.get((one.kind, one.language), 0) + 1
        if counts[one.kind, one.language] <= max(1, count // 2):
            strongest.append(one)
    return strongest


def _checked(corpus: Corpus, proposal: Proposal, answer: Grouping, warnings: Sequence[str]) -> Proposal:
    index, refused = Index(corpus), _Refused()
    known = {one.key: one for proposed in proposal.areas for one in proposed.evidence}
    owner = {one.key: proposed.area.id for proposed in proposal.areas for one in proposed.evidence}
    free, taken = dict(known), set[str]()
    drafts: list[Draft] = []
    joined: list[tuple[str, ...]] = []
    added: list[tuple[tuple[str, str], ...]] = []
    numbers: dict[int, str] = {}
    for number, grouped in enumerate(answer.areas, start=1):
        own = []
        for key in dict.fromkeys((*grouped.name_keys, *grouped.keys)):
            if key in free:
                own.append(free.pop(key))
            else:
                refused.keys += 1
        more = _added(grouped.added, index, refused)
        draft = _draft([known[key] for key in grouped.name_keys if known.get(key) in own], own, more, taken)
        if draft is None:
            refused.areas += 1
            free |= {one.key: one for one in own}
            continue
        numbers[number] = draft.area.id
        drafts.append(draft)
        joined.append(tuple(dict.fromkeys(owner[one.key] for one in own)))
        added.append(more)
    if not drafts:
        return _unchanged(proposal, "the language model's grouping has nothing that can be used")
    areas = tuple(
        replace(area, made_of=made_of, added=more)
        for area, made_of, more in zip(measure_areas(drafts, index, MODEL), joined, added, strict=True)
    )
    notes = (*proposal.notes, *warnings, *refused.notes(), *_left_out(proposal, areas))
    covered = covered_share([draft.area for draft in drafts], index)
    return Proposal(areas, _transactions(proposal, answer, numbers, refused), covered, notes)


def _draft(
    named: Sequence[Evidence],
    own: Sequence[Evidence],
    more: Sequence[tuple[str, str]],
    taken: set[str],
) -> Draft | None:
    """Make an area of the model's group; None without a name or without keywords."""
    headings = [one for one in (*named, *own) if one.kind == HEADING]
    names: dict[str, str] = {}
    for one in headings:
        names.setdefault(one.language, one.text)
    keywords: dict[str, list[str]] = {}
    terms = [(one.language, one.text) for one in own if one.kind != HEADING]
    for language, text in dict.fromkeys((*terms, *more)):
        keywords.setdefault(language, []).append(text)
    if not names or not keywords:
        return None
    words = {language: tuple(texts) for language, texts in keywords.items()}
    few = sum(one.passages for one in headings) < len(headings) + 2
    area = Area(slug(next(iter(names.values())), taken), names, words, minimum_passages=1 if few else 2)
    return Draft(area, tuple(own))


def _added(keywords: Sequence[AddedKeyword], index: Index, refused: _Refused) -> tuple[tuple[str, str], ...]:
    """Return the added keywords that occur in the corpus, as plain words."""
    accepted: list[tuple[str, str]] = []
    for keyword in keywords:
        text = " ".join(visible(keyword.text).split())
        plain = 0 < len(text) <= LONGEST_KEYWORD and not _MARKUP & set(text) and "://" not in text
        if plain and len(accepted) < MOST_ADDED and index.holding(keyword.language, text).any():
            accepted.append((keyword.language, text))
        else:
            refused.keywords += 1
    return tuple(dict.fromkeys(accepted))


def _transactions(
    proposal: Proposal, answer: Grouping, numbers: dict[int, str], refused: _Refused
) -> tuple[ProposedTransaction, ...]:
    listed = {f"X{number}": found for number, found in enumerate(proposal.transactions, start=1)}
    transactions: list[ProposedTransaction] = []
    for grouped in answer.transactions:
        found = listed.pop(grouped.key, None)
        areas = tuple(dict.fromkeys(numbers[number] for number in grouped.areas if number in numbers))
        if found is None or not areas:
            refused.keys += 1
        else:
            transactions.append(replace(found, areas=areas))
    return tuple(transactions)


def _left_out(proposal: Proposal, areas: Sequence[ProposedArea]) -> list[str]:
    used = {name for area in areas for name in area.made_of}
    names = [next(iter(one.area.names.values())) for one in proposal.areas if one.area.id not in used]
    return [f"left out by the model: {', '.join(names)}"] if names else []
