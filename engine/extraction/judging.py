"""Verdicts on any link of a corpus, by its ends, whatever made it.

Verdicts are appended to ``validations.jsonl`` next to the corpus and apply at once. The corpus itself does
not change, so that verdicts can be withdrawn.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from engine.corpus.embedded.publication import VALIDATIONS_NAME
from engine.corpus.embedded.store import EmbeddedCorpus
from engine.corpus.extracted import (
    LONGEST_NAME,
    LONGEST_NOTE,
    Judgement,
    Origin,
    Proposal,
    Validation,
    add_validation,
    current_verdicts,
    extracted_graph,
    load_validations,
    occurrence_at,
)
from engine.corpus.journal import InMemoryJournals, signed_name
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, InputError
from engine.extraction.checklist import Precision, precision
from engine.investigation.strategies.citations import CHANGES, LIMITS
from engine.investigation.strategies.entities import Entities
from engine.model import Direction, Passage, Reference, Relation, Status

# Relations without words: neighbours, similar passages, passages found together.
UNWRITTEN = frozenset(
    (Relation.PART_OF, Relation.NEXT_TO, Relation.MENTIONS, Relation.SIMILAR_TO, Relation.MATCHES)
)
# Strategies that follow no link: a name shared with its definition is not one.
SHARING = frozenset((Entities.name,))
# Letters of a passage quoted for a link that comes from metadata.
BEGINNING = 80


def is_written(relation: Relation, strategy: str) -> bool:
    """True if a hop of a strategy followed a link that words make."""
    return relation not in UNWRITTEN and strategy not in SHARING


@dataclass(frozen=True, slots=True)
class Ends:
    """A link: source passage, target passage, section or document, and relation; None for any relation."""

    source_id: str
    target_id: str
    relation: Relation | None = None


def judge_link(
    corpus: Corpus,
    ends: Ends,
    judgement: Judgement,
    *,
    to: str = "",
    relation: Relation | None = None,
    note: str = "",
    reviewer: str = "",
) -> list[Validation]:
    """Store a verdict on a link; a correction gives its right target (``to``) or ``relation``.

    All references of the passage to the target are judged together. Raises InputError for an unknown link and
    for a note that is too long, CorpusError if nothing can be stored.
    """
    if corpus.journals is None:
        raise CorpusError(f"{corpus.name!r} cannot store verdicts: it has no journals")
    if judgement is Judgement.CORRECTED and not (to or relation):
        raise InputError("a correction needs the right target or the right relation")
    note, reviewer = note.strip(), signed_name(reviewer, LONGEST_NAME)
    if len(note) > LONGEST_NOTE:
        raise InputError(f"a note has at most {LONGEST_NOTE:,} characters")
    if to and corpus.rows([to])[0] < 0:
        raise InputError(f"{to!r} is not a passage of {corpus.name!r}")
    made = []
    for proposal, origin in _links(corpus, ends):
        correction = None
        if judgement is Judgement.CORRECTED:
            changed = {"target_id": to or proposal.target_id, "relation": relation or proposal.relation}
            correction = Proposal.model_validate(proposal.model_dump() | changed)
            if correction.key == proposal.key:
                raise InputError("the correction changes nothing; accept the link instead")
            if correction.target_id == correction.source_id:
                raise InputError("a passage has no relation with itself")
        made.append(
            Validation(
                proposal=proposal,
                origin=origin,
                judgement=judgement,
                correction=correction,
                note=note,
                reviewer=reviewer,
            )
        )
    stored = [add_validation(corpus.journals, one) for one in made]
    corpus.apply_verdicts()
    return stored


def unjudge_link(corpus: Corpus, ends: Ends, *, reviewer: str | None = None) -> list[Validation]:
    """Withdraw all verdicts on a link, or those of one reviewer: then another's latest verdict applies.
    Raises InputError if there is none, and CorpusError."""
    if corpus.journals is None:
        raise CorpusError(f"{corpus.name!r} cannot store verdicts: it has no journals")
    by_key: dict[str, list[Validation]] = {}
    for one in _latest_verdicts(corpus, ends):
        by_key.setdefault(one.proposal.key, []).append(one)
    stored = []
    for verdicts in by_key.values():
        own = [one for one in verdicts if reviewer in (None, one.reviewer)]
        others = [one for one in verdicts if reviewer not in (None, one.reviewer)]
        stored += [add_validation(corpus.journals, one.model_copy(update={"withdrawn": True})) for one in own]
        for last in others[-1:] if own else ():
            add_validation(corpus.journals, last)
    if not stored:
        raise InputError(f"there is no verdict on a link from {ends.source_id!r} to {ends.target_id!r}")
    corpus.apply_verdicts()
    return stored


def _latest_verdicts(corpus: Corpus, ends: Ends) -> list[Validation]:
    """Return each reviewer's latest verdict on a link that is not withdrawn, in order."""
    if corpus.journals is None:
        return []
    targets, last = _targets(corpus, ends.target_id), dict[tuple[str, str], Validation]()
    every = load_validations(corpus.journals)
    for one in every:
        last.pop((one.proposal.key, one.reviewer), None)
        last[one.proposal.key, one.reviewer] = one
    # If the latest verdict on a link was withdrawn, no earlier one applies.
    counted = current_verdicts(every)
    return [
        one
        for one in last.values()
        if not one.withdrawn
        and one.proposal.key in counted
        and one.proposal.source_id == ends.source_id
        and ends.relation in (None, one.proposal.relation)
        and {one.proposal.target_id, one.correction.target_id if one.correction else None} & targets
    ]


def without_verdicts(corpus: Corpus, links: Iterable[Ends], since: datetime) -> EmbeddedCorpus | None:
    """Return a corpus without the verdicts on some links since a time; new verdicts on it stay in memory.
    None if that is impossible (on a server). Raises CorpusError."""
    if not isinstance(corpus, EmbeddedCorpus):
        return None
    lines = corpus.journals.lines(VALIDATIONS_NAME)
    affected = [(one, _targets(corpus, one.target_id)) for one in dict.fromkeys(links)]
    remaining = [
        line
        for line, validation in zip(lines, load_validations(corpus.journals), strict=True)
        if datetime.fromisoformat(validation.when) < since
        or not any(_is_of(validation, *one) for one in affected)
    ]
    return corpus.with_journals(InMemoryJournals(corpus.journals, {VALIDATIONS_NAME: remaining}))


def _is_of(validation: Validation, ends: Ends, targets: Collection[str | None]) -> bool:
    own = validation.proposal
    is_same = own.source_id == ends.source_id and ends.relation in (None, own.relation)
    return is_same and own.target_id in targets


def rejected_links(corpus: Corpus, links: Iterable[Ends]) -> list[Ends]:
    """Return the links that people have rejected and the corpus no longer has. Raises CorpusError."""
    if corpus.journals is None:
        return []
    corpus.apply_verdicts()
    rejected: dict[tuple[str, Relation], set[str | None]] = {}
    for one in current_verdicts(load_validations(corpus.journals)).values():
        if one.judgement is Judgement.REJECTED:
            proposal = one.proposal
            rejected.setdefault((proposal.source_id, proposal.relation), set()).add(proposal.target_id)
    return [
        one
        for one in dict.fromkeys(links)
        if one.relation is not None
        and (targets := rejected.get((one.source_id, one.relation)))
        and not targets.isdisjoint(_targets(corpus, one.target_id))
        and not _has_link(corpus, one)
    ]


def _has_link(corpus: Corpus, ends: Ends) -> bool:
    """True if the corpus, or a model's reading of it, has a link after people's verdicts."""
    source, target = corpus.rows([ends.source_id, ends.target_id]).tolist()
    own = np.array([source], np.int32)
    relations = None if ends.relation is None else [ends.relation]
    if target in corpus.neighbours(own, relations, Direction.OUT).rows:
        return True
    graph = extracted_graph(corpus)
    read = graph.neighbours(own, Direction.OUT)
    proposals = (graph.standing[number].proposal for number in read.evidence[read.rows == target].tolist())
    return any(one.relation is ends.relation for one in proposals)


def _targets(corpus: Corpus, target_id: str) -> set[str | None]:
    """Return the ids by which a link may name a target: the passage, its sections, its document."""
    found: set[str | None] = {target_id}
    row = int(corpus.rows([target_id])[0])
    if row >= 0:
        (passage,) = corpus.passages(np.array([row], np.int32))
        found.add(passage.document_id)
        document = int(corpus.document_numbers(np.array([row], np.int32))[0])
        found |= {
            section.id
            for section in corpus.sections(corpus.document_sections(document).tolist())
            if section.first <= passage.position < section.stop
        }
    return found - {None}


def _links(corpus: Corpus, ends: Ends) -> list[tuple[Proposal, Origin]]:
    """Return a passage's references for a link as proposals. Raises InputError if there are none."""
    row = int(corpus.rows([ends.source_id])[0])
    if row < 0:
        raise InputError(f"{ends.source_id!r} is not a passage of {corpus.name!r}")
    own = np.array([row], np.int32)
    (passage,) = corpus.passages(own)
    target = int(corpus.rows([ends.target_id])[0])
    links = corpus.neighbours(own, None, Direction.OUT)
    quoted = {int(number) for number in links.evidence[links.rows == target].tolist()}
    every = corpus.references_from(own).numbers.tolist()
    named = dict(zip(every, corpus.references(every), strict=True))
    leading = {named[number].target_id for number in quoted} | {ends.target_id}
    found: dict[str, tuple[Proposal, Origin]] = {}
    for reference in named.values():
        matches = ends.relation in (None, reference.relation) and reference.target_id in leading
        if matches and reference.status is Status.RESOLVED:
            proposal = _proposal(reference, passage)
            found.setdefault(proposal.key, (proposal, "grammar"))
    graph = extracted_graph(corpus)
    links = graph.neighbours(own, Direction.OUT)
    for index in np.flatnonzero(links.rows == target).tolist():
        standing = graph.standing[int(links.evidence[index])]
        proposal = standing.proposal if standing.validation is None else standing.validation.proposal
        if proposal.target_id is not None and ends.relation in (None, proposal.relation):
            found.setdefault(proposal.key, (proposal, "model"))
    if not found:
        # A rejected link can be judged again.
        found = {one.proposal.key: (one.proposal, one.origin) for one in _latest_verdicts(corpus, ends)}
    if not found:
        kind = f" as “{ends.relation.value}”" if ends.relation is not None else ""
        raise InputError(f"{ends.source_id!r} has no link to {ends.target_id!r}{kind}")
    return list(found.values())


def _proposal(reference: Reference, passage: Passage) -> Proposal:
    """Return a reference as a proposal; without words of its own it quotes the beginning of its passage."""
    quote, start = reference.text, reference.span.start
    if not quote.strip():
        quote, start = passage.text.strip()[:BEGINNING], passage.text.find(passage.text.strip()[:1])
    return Proposal(
        source_id=passage.id,
        quote=quote,
        occurrence=occurrence_at(passage.text, quote, start),
        relation=reference.relation,
        target_id=reference.target_id,
        confidence=min(1.0, reference.confidence),
        said_by=reference.grammar,
    )


def rates(corpus: Corpus, verdicts: Iterable[Validation]) -> Mapping[str, Mapping[str, Precision]]:
    """Return the share of right links among the judged ones, by relation, by the strategies that follow them,
    and by the language of the passage; most verdicts first."""
    judged = list(verdicts)
    rows = corpus.rows([one.proposal.source_id for one in judged])
    known = np.unique(rows[rows >= 0]).astype(np.int32)
    languages = {
        int(row): passage.language for row, passage in zip(known, corpus.passages(known), strict=True)
    }
    language_of = {
        one.proposal.key: languages.get(row, "gone") for one, row in zip(judged, rows.tolist(), strict=True)
    }
    return {
        "relation": _grouped(judged, lambda one: [one.proposal.relation.value]),
        "strategy": _grouped(judged, _strategies),
        "language": _grouped(judged, lambda one: [language_of[one.proposal.key]]),
    }


def _strategies(one: Validation) -> list[str]:
    """Return the strategies that follow a link."""
    if one.origin == "model":
        return ["extracted"]
    relation = one.proposal.relation
    found = ["citations"]
    found += ["amendments"] if relation in (*CHANGES, *LIMITS) else []
    return [*found, "definitions"] if relation is Relation.DEFINES else found


def _grouped(
    verdicts: Iterable[Validation], names: Callable[[Validation], Iterable[str]]
) -> Mapping[str, Precision]:
    groups: dict[str, list[Validation]] = {}
    for one in verdicts:
        for name in names(one):
            groups.setdefault(name, []).append(one)
    order = sorted(groups, key=lambda name: (-len(groups[name]), name))
    return {name: precision(groups[name]) for name in order}


def figures_to_json(figures: Mapping[str, Mapping[str, Precision]]) -> dict[str, Any]:
    """Return the result of ``rates`` as plain values; ``rate`` is accepted of judged, 0..1."""
    return {
        by: {
            name: {
                "judged": one.judged,
                "accepted": one.accepted,
                "corrected": one.corrected,
                "rejected": one.rejected,
                "rate": one.share,
                "interval_95": one.interval,
            }
            for name, one in named.items()
        }
        for by, named in figures.items()
    }
