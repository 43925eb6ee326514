"""What experts judge and what they say of it.

An item is something of a case that can be judged: a passage, a hop of a trail or a sentence of an answer. An
assessment is what one person said of an item at one time; assessments are only added, and the last one of a
person on an item that was not taken back is the one that stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class ItemKind(StrEnum):
    """What is judged."""

    PASSAGE = "passage"
    HOP = "hop"
    SENTENCE = "sentence"


class Verdict(StrEnum):
    """What a person says of an item."""

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


# Which verdicts an item of a kind can have, in the order of their keys, the best first. Who says ``LATER`` is
# asked again: it is none.
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
# Those that say that an item is as it should be; what is partly relevant is.
APPROVING: Final = frozenset((Verdict.RELEVANT, Verdict.PARTLY, Verdict.RIGHT))


class SourceType(StrEnum):
    """Who gives an assessment: a person, or a program."""

    HUMAN = "human"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Item:
    """Something of a case that can be judged.

    ``key`` names it within the case. ``passage_id`` is the passage, the target of the hop, or the passage
    that a sentence rests on, empty where it rests on none; ``source_id`` and ``relation`` are those of a
    hop. ``strategy`` found it first, in ``round``; ``distance`` counts hops from the question, at least 1.
    ``rank`` is the passage's place in the ranking from 1, None where it is in the pool alone;
    ``ranking_size`` passages are ranked, 0 where that is not known. ``title`` and ``label`` name the
    passage, ``text`` are its words; ``source_label`` and ``source_text`` are those of the passage that a
    hop starts from, ``quote`` the words that made the link, ``detail`` what the strategy says of it
    besides, such as the term that is shared where it is written otherwise. ``copies``: the keys of items of
    the case that have the same words, which are judged with it. ``backward``: the hop followed its link
    back, from the passage that the link leads to to the one that says it.
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
    """What one person said of an item. ``number`` is its place in the journal of all of a store, from 1.

    ``at`` is UTC in ISO 8601. ``sha256`` are the words of the passage that were judged, ``fingerprint`` the
    state of the corpus, ``engine`` the version that made the case, ``criteria`` the version of what counts as
    relevant in the matter, 0 for none written. ``withdraws`` is the number of an earlier one of the same
    person that is taken back by this one. ``settles``: it ends a disagreement, whatever others said before.
    ``seconds`` passed between the item's appearance and the verdict,
    None where nobody measured.
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
        """Whether it says that the item is as it should be."""
        return self.verdict in APPROVING


def standing(assessments: Iterable[Assessment]) -> list[Assessment]:
    """The last assessment of each person on each item, in the order in which they were given; what was taken
    back and what was put off is not among them."""
    last: dict[tuple[str, str, str], Assessment] = {}
    for one in sorted(assessments, key=lambda one: one.number):
        key = (one.item.case_id, one.item.key, one.reviewer)
        last.pop(key, None)
        if one.withdraws is None and one.verdict is not Verdict.LATER:
            last[key] = one
    return list(last.values())
