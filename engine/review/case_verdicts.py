"""The parts of a case that can be judged, and the verdicts on them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from engine.answers.answer import answer
from engine.answers.record import Answer
from engine.corpus import find_passages
from engine.corpus.extracted import LONGEST_NOTE, Judgement
from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError, for_visitors
from engine.extraction.judging import Ends, is_written, judge_link, rejected_links, unjudge_link
from engine.investigation.presentation import group_identical
from engine.model import Direction, Passage, Relation
from engine.records.conversion import investigation_of
from engine.records.phrases import short_citation
from engine.records.store import EVERYBODY, Owner
from engine.records.store.chain import SealedCase
from engine.review.exchange import gains
from engine.review.model import Assessment, Item, ItemKind, SourceType, Verdict
from engine.review.queues import assessment_from
from engine.review.store import ReviewStore

# Items of a case that can be judged: its passages, the hops of its trails, and the sentences of
# its answer.

Record = Mapping[str, Any]


class _Read(NamedTuple):
    passage: Passage
    title: str
    document_type: str
    label: str


def passage_items(record: Record, case_id: str, corpus: Corpus) -> list[Item]:
    """Return the passages of a case's pool: ranked ones in order, then the others by admission. Of passages
    with identical words only the first is returned, which names the others.

    ``record`` is made by ``investigation_to_json``. Passages no longer in the corpus are left out.
    """
    nodes = {node["id"]: node for node in record["pool"]["nodes"]}
    ranked = {passage["id"]: passage for passage in record["passages"]}
    order = [*ranked, *(one for one in nodes if one not in ranked)]
    read, distances = _read(order, corpus), _distances(record["pool"]["edges"])
    items = [
        Item(
            case_id,
            ItemKind.PASSAGE,
            f"{ItemKind.PASSAGE.value}:{one}",
            one,
            strategy=nodes[one]["strategy"] if one in nodes else "",
            round=nodes[one]["round"] if one in nodes else 0,
            distance=distances.get(one, 1),
            rank=ranked[one]["rank"] if one in ranked else None,
            score=ranked[one]["score"] if one in ranked else None,
            **_described(read[one]),
        )
        for one in order
        if one in read
    ]
    once = list(_judged_once(items, [read[one].passage for one in order if one in read]))
    size = sum(item.rank is not None for item in once)
    return [replace(item, ranking_size=size) for item in once]


def hop_items(record: Record, case_id: str, corpus: Corpus) -> list[Item]:
    """Return the hops between passages on the trails of a case, each once, in the order of the ranking;
    without hops from the question or a query. Passages no longer in the corpus are left out."""
    hops: dict[str, tuple[Mapping[str, Any], int | None]] = {}
    for passage in record["passages"]:
        for hop in (hop for trail in passage["trails"] for hop in trail):
            if hop["source"] is not None:
                key = f"{ItemKind.HOP.value}:{hop['source']}>{hop['relation']}>{hop['target']}"
                hops.setdefault(key, (hop, passage["rank"]))
    ends = {end for hop, _ in hops.values() for end in (hop["source"], hop["target"])}
    read, distances = _read(sorted(ends), corpus), _distances(record["pool"]["edges"])
    return [
        Item(
            case_id,
            ItemKind.HOP,
            key,
            hop["target"],
            source_id=hop["source"],
            relation=hop["relation"],
            strategy=hop["strategy"],
            round=hop["round"],
            distance=distances.get(hop["target"], 1),
            rank=rank,
            quote=hop["quote"],
            detail=hop["detail"],
            backward=hop["direction"] == Direction.IN,
            source_label=read[hop["source"]].label,
            source_text=read[hop["source"]].passage.text,
            **_described(read[hop["target"]]),
        )
        for key, (hop, rank) in hops.items()
        if hop["source"] in read and hop["target"] in read
    ]


def answer_items(record: Record, case_id: str, corpus: Corpus) -> list[Item]:
    """Return the sentences of a case's answer without a language model. Records do not store it, so it is
    made again. Empty if the corpus no longer has the passages of the record."""
    try:
        made = answer(investigation_of(record, corpus), corpus)
    except InputError:
        return []
    return sentence_items(made, record, case_id, corpus)


def sentence_items(made: Answer, record: Record, case_id: str, corpus: Corpus) -> list[Item]:
    """Return the sentences of an answer, each once, with the texts of the passages it rests on and its quotes
    from them, one a line. The last of them is the item's passage; none if the corpus has none of them."""
    nodes, distances = {node["id"]: node for node in record["pool"]["nodes"]}, None
    cited = [[place for n in one.citations for place in made.citation(n).places] for one in made.sentences]
    read = _read(sorted({passage_id for places in cited for passage_id, _ in places}), corpus)
    found: dict[str, Item] = {}
    for sentence, places in zip(made.sentences, cited, strict=True):
        available = [(read[passage_id], span) for passage_id, span in places if passage_id in read]
        own = available[-1][0] if available else None
        passage_id = "" if own is None else own.passage.id
        # Identified by its words: another answer may have another sentence at this position.
        digest = blake2b(sentence.text.encode(), digest_size=8).hexdigest()
        key = f"{ItemKind.SENTENCE.value}:{digest}:{passage_id}"
        item = Item(case_id, ItemKind.SENTENCE, key, passage_id, language=sentence.language)
        if own is not None:
            distances = distances or _distances(record["pool"]["edges"])
            node = nodes.get(passage_id, {})
            texts = dict.fromkeys(one.passage.text for one, _ in available)
            labels = dict.fromkeys(one.label for one, _ in available)
            item = replace(
                item,
                **_described(own),
                strategy=node.get("strategy", ""),
                round=node.get("round", 0),
                distance=distances.get(passage_id, 1),
                source_text="\n\n".join(texts),
                source_label="; ".join(labels),
                quote="\n".join(
                    " ".join(one.passage.text[span.start : span.end].split()) for one, span in available
                ),
            )
        found.setdefault(key, replace(item, text=sentence.text))
    return list(found.values())


def _described(read: _Read) -> dict[str, Any]:
    passage = read.passage
    return {
        "document_id": passage.document_id,
        "document_type": read.document_type,
        "language": passage.language,
        "title": read.title,
        "label": read.label,
        "text": passage.text,
    }


def _read(ids: Sequence[str], corpus: Corpus) -> dict[str, _Read]:
    """Return passages by id, as far as the corpus has them."""
    return {
        name: _Read(passage, own.title, own.type or "", short_citation(passage, own))
        for name, (passage, own) in find_passages(corpus, ids).items()
    }


def _distances(edges: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of hops from the question, or a gap query, to each passage of a pool."""
    onward: dict[str | None, list[str]] = {}
    for edge in edges:
        onward.setdefault(edge["source"], []).append(edge["target"])
    found: dict[str, int] = {}
    queue: deque[tuple[str | None, int]] = deque([(None, 0)])
    while queue:
        passage, distance = queue.popleft()
        for target in onward.get(passage, ()):
            if target not in found:
                found[target] = distance + 1
                queue.append((target, distance + 1))
    return found


def _judged_once(items: Sequence[Item], passages: Sequence[Passage]) -> Iterator[Item]:
    """Yield the first of items with identical words, with the keys of the others."""
    same, judged = group_identical(passages), set[str]()
    keys = {item.passage_id: item.key for item in items}
    for item in items:
        if item.key in judged:
            continue
        copies = [keys[one] for one in same.get(item.passage_id, ()) if keys[one] not in (*judged, item.key)]
        judged.update((item.key, *copies))
        yield replace(item, copies=tuple(copies))


# Find quotes in the texts that they are taken from.

Pieces = tuple[tuple[str, bool], ...]


def mark_quotes(text: str, *quotes: str) -> Pieces:
    """Split a text into pieces and mark those that are quotes.

    Each quote is searched after the one before, ignoring white space; in the given case first, then in any.
    A quote that does not occur is not marked."""
    pieces, end = [], 0
    for quote in quotes:
        words = quote.split()
        pattern, found = r"\s+".join(map(re.escape, words)), None
        if words:
            found = re.compile(pattern).search(text, end) or re.compile(pattern, re.I).search(text, end)
        if found is not None:
            pieces += [(text[end : found.start()], False), (found[0], True)]
            end = found.end()
    return tuple(piece for piece in (*pieces, (text[end:], False)) if piece[0]) or ((text, False),)


# Verdicts on a case as exported with it, and verdicts on hops applied to their links.

# The current verdicts on a case as exported with it, with or without names.

_OF_CASE = ("number", "question", "criteria", "withdraws")


def case_verdicts(
    reviews: ReviewStore, case_id: str, owner: Owner = EVERYBODY, *, named: bool
) -> list[Assessment]:
    """Return the current assessments of a case; unless ``named``, people are numbered."""
    found = reviews.assessments(None, owner, case_id=case_id, is_current=True)
    return found if named else anonymise(found)


def anonymise(assessments: Iterable[Assessment]) -> list[Assessment]:
    """Replace people's names by numbers, in order of first assessment. The number includes the case, so that
    the first reviewers of two cases are not mistaken for one person."""
    names: dict[str, str] = {}
    found = []
    for one in assessments:
        name = one.reviewer
        if one.source is SourceType.HUMAN:
            number = f"reviewer {len(names) + 1} of case {one.item.case_id[:8]}"
            name = names.setdefault(one.reviewer, number)
        found.append(replace(one, reviewer=name))
    return found


def passage_gains(assessments: Iterable[Assessment]) -> dict[str, int]:
    """Return the gains of the passages of one case, without names."""
    return {passage: gain for (_, passage), gain in gains(assessments).items()}


def finished_judgements(reviews: ReviewStore, case_id: str, owner: Owner) -> dict[str, int]:
    """Return the gains of a case's passages if no queue waits for verdicts on it; else empty, so that its
    reviewers do not see the verdicts of others."""
    if reviews.is_waiting(case_id):
        return {}
    return passage_gains(reviews.assessments(None, owner, case_id=case_id, is_current=True))


def verdicts_to_json(assessments: Iterable[Assessment]) -> tuple[dict[str, Any], ...]:
    """Return assessments as the file of their case stores them."""
    return tuple(
        {name: value for name, value in _plain(one).items() if name not in _OF_CASE} for one in assessments
    )


def _plain(one: Assessment) -> dict[str, Any]:
    item = asdict(one.item) | {"kind": one.item.kind.value, "copies": list(one.item.copies)}
    return asdict(one) | {"item": item, "verdict": one.verdict.value, "source": one.source.value}


def parse_assessments(case: SealedCase, record: Mapping[str, Any]) -> Sequence[Assessment]:
    """Parse the assessments in the file of a case."""
    of_case = {"question": record["question"], "case_id": case.id, "criteria": 0, "withdraws": None}
    return [assessment_from({**one, **of_case, "number": n}) for n, one in enumerate(case.verdicts, 1)]


# Apply a verdict on a hop to the link that it followed, if words of a text make the link.
#
# Callers decide who may judge links, and open the corpus.

# The judgement of a link by a verdict on its hop; other verdicts do not judge the link.
JUDGEMENTS: Final[Mapping[Verdict, Judgement]] = {
    Verdict.RIGHT: Judgement.ACCEPTED,
    Verdict.WRONG_KIND: Judgement.REJECTED,
    Verdict.WRONG_TARGET: Judgement.REJECTED,
}
LINK_CONFIRMED = "the link is confirmed"
LINK_REJECTED = "the next case leaves the link out"
LINK_STAYS_REJECTED = "another reviewer has rejected the link: it stays left out until settled or withdrawn"


def link_followed(item: Item) -> Ends | None:
    """Return the link of a hop in its own direction; None for other items and for links without words."""
    if item.kind is not ItemKind.HOP or item.relation not in list(Relation):
        return None
    relation = Relation(item.relation)
    if not is_written(relation, item.strategy):
        return None
    ends = (item.source_id, item.passage_id)
    source, target = reversed(ends) if item.backward else ends
    return Ends(source, target, relation)


def apply_to_link(corpus: Corpus, assessment: Assessment) -> str:
    """Judge the link of a hop as its reviewer judged the hop; return the effect in words, empty for none.

    An earlier judgement of the link by the same reviewer is withdrawn; if the verdict settles a disagreement,
    also those of others. If the link cannot be judged, the verdict stays and the words give the reason.
    """
    ends, judgement = link_followed(assessment.item), JUDGEMENTS.get(assessment.verdict)
    if ends is None:
        return ""
    try:
        with suppress(InputError):
            unjudge_link(
                corpus,
                ends,
                reviewer=None if assessment.settles and judgement is None else assessment.reviewer,
            )
        if judgement is None:
            return ""
        if judgement is Judgement.ACCEPTED and not assessment.settles and rejected_links(corpus, [ends]):
            return LINK_STAYS_REJECTED
        note = ": ".join(part for part in (assessment.reason, assessment.note) if part)
        judge_link(corpus, ends, judgement, note=note[:LONGEST_NOTE], reviewer=assessment.reviewer)
    except RedstringError as error:
        return f"the link itself was not judged: {for_visitors(error)}" if judgement else ""
    return LINK_CONFIRMED if judgement is Judgement.ACCEPTED else LINK_REJECTED


def withdraw_from_link(corpus: Corpus, assessment: Assessment) -> bool:
    """Withdraw the reviewer's judgement of the link of a hop; return whether there was one."""
    ends = link_followed(assessment.item)
    with suppress(RedstringError):
        return ends is not None and bool(unjudge_link(corpus, ends, reviewer=assessment.reviewer))
    return False
