"""Items that experts judge, and their assessments.

An item is a part of a case: a passage, a hop of a trail or a sentence of an answer. An assessment is one
person's verdict on an item at one time. Assessments are only added; a person's latest one on an item that is
not withdrawn is the current one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class ItemKind(StrEnum):
    """Kinds of items."""

    PASSAGE = "passage"
    HOP = "hop"
    SENTENCE = "sentence"


class Verdict(StrEnum):
    """A person's verdict on an item."""

    RELEVANT = "relevant"
    PARTLY = "partly"
    IRRELEVANT = "not relevant"
    RIGHT = "right"
    WRONG_KIND = "wrong kind"
    WRONG_TARGET = "wrong target"
    USELESS = "useless"
    WRONG = "wrong"
    UNSUPPORTED = "unsupported"
    LATER = "later"


# Verdicts for each kind of item, in the order of their keys, the best first. ``LATER`` only postpones the
# item.
VERDICTS: Final[Mapping[ItemKind, tuple[Verdict, ...]]] = {
    ItemKind.PASSAGE: (Verdict.RELEVANT, Verdict.PARTLY, Verdict.IRRELEVANT, Verdict.LATER),
    ItemKind.HOP: (
        Verdict.RIGHT,
        Verdict.WRONG_KIND,
        Verdict.WRONG_TARGET,
        Verdict.USELESS,
        Verdict.LATER,
    ),
    ItemKind.SENTENCE: (Verdict.RIGHT, Verdict.WRONG, Verdict.UNSUPPORTED, Verdict.LATER),
}
# Verdicts that approve an item, even if it is only partly relevant.
APPROVING: Final = frozenset((Verdict.RELEVANT, Verdict.PARTLY, Verdict.RIGHT))


class SourceType(StrEnum):
    """Author of an assessment: a person or a program."""

    HUMAN = "human"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a case that can be judged.

    ``key`` identifies it within the case. ``passage_id`` is the passage, the target of the hop, or the
    passage that a sentence rests on, empty if there is none; ``source_id`` and ``relation`` belong to a hop.
    ``strategy`` found it first, in ``round``; ``distance`` counts hops from the question, at least 1.
    ``rank`` is the passage's rank from 1, None if it is only in the pool; ``ranking_size`` is the number of
    ranked passages, 0 if unknown. ``title`` and ``label`` name the passage, ``text`` is its text;
    ``source_label`` and ``source_text`` are those of the passage that a hop starts from. ``quote`` has the
    words that make the link, ``detail`` further evidence of the strategy, such as a shared term in another
    spelling. ``copies`` are keys of items of the case with identical words, which are judged with it.
    ``backward``: the hop followed its link back, from the target to the passage that makes it.
    """

    case_id: str
    kind: ItemKind
    key: str
    passage_id: str
    document_id: str = ""
    source_id: str = ""
    relation: str = ""
    strategy: str = ""
    round: int = 0
    distance: int = 1
    rank: int | None = None
    ranking_size: int = 0
    score: float | None = None
    language: str = ""
    document_type: str = ""
    title: str = ""
    label: str = ""
    text: str = ""
    source_label: str = ""
    source_text: str = ""
    quote: str = ""
    detail: str = ""
    copies: tuple[str, ...] = ()
    backward: bool = False


@dataclass(frozen=True, slots=True)
class Assessment:
    """One person's assessment of an item. ``number`` is its index in the journal of the store, from 1.

    ``at`` is UTC in ISO 8601. ``sha256`` is the digest of the judged words, ``fingerprint`` the state of the
    corpus, ``engine`` the version that made the case, ``criteria`` the version of the matter's criteria, 0
    for none. ``withdraws`` is the number of an earlier assessment of the same person that this one withdraws.
    ``settles``: it ends a disagreement and overrides the verdicts of others. ``seconds`` is the time between
    the item's appearance and the verdict, None if not measured.
    """

    number: int
    item: Item
    question: str
    verdict: Verdict
    reviewer: str
    at: str
    reason: str = ""
    note: str = ""
    sha256: str = ""
    fingerprint: str = ""
    engine: str = ""
    criteria: int = 0
    source: SourceType = SourceType.HUMAN
    seconds: float | None = None
    withdraws: int | None = None
    settles: bool = False

    @property
    def is_approval(self) -> bool:
        """True if the verdict approves the item."""
        return self.verdict in APPROVING


def current_assessments(assessments: Iterable[Assessment]) -> list[Assessment]:
    """Return the latest assessment of each person on each item, in the order given, without withdrawn and
    postponed ones."""
    last: dict[tuple[str, str, str], Assessment] = {}
    for one in sorted(assessments, key=lambda one: one.number):
        key = (one.item.case_id, one.item.key, one.reviewer)
        last.pop(key, None)
        if one.withdraws is None and one.verdict is not Verdict.LATER:
            last[key] = one
    return list(last.values())
