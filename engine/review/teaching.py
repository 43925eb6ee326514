"""What verdicts on the cases of a corpus teach, question by question, and what it is shown with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.investigation.ranking.additive import Experience
from engine.records.store.sealing import new_id
from engine.review.learning.choosing import Choice, Moved, learned_from
from engine.review.learning.observing import Labels, Observed, labels_of, observed
from engine.review.model import Assessment
from engine.settings import InvestigationSettings

# Questions that moved most, up and down, that are kept with what was learned.
MOST_MOVED = 50

Asked = Callable[[Labels], Observed | None]
Learned = Callable[[Sequence[Observed], str], tuple[Experience, Choice]]
Told = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Said:
    """What stands of what was said on passages: ``labels`` by question, ``cases`` the newest case of each
    question, by its id."""

    labels: tuple[Labels, ...]
    cases: dict[str, str]

    @property
    def verdicts(self) -> int:
        """Judged passages; one that two have judged counts once."""
        return sum(len(one.worth) for one in self.labels)

    @property
    def telling(self) -> int:
        """Questions with passages that are relevant and others that are not: what can be learned from."""
        return sum(max(one.worth.values()) > min(one.worth.values()) for one in self.labels)

    def newest(self, questions: int, passages: int) -> Said:
        """The last of it: at most so many questions, with at most so many judged passages together."""
        kept: list[Labels] = []
        for one in reversed(self.labels[-questions:]):
            passages -= len(one.worth)
            if passages < 0:
                break
            kept.append(one)
        return Said(tuple(reversed(kept)), self.cases)


def said_in(assessments: Iterable[Assessment]) -> Said:
    """What standing assessments say of passages, in the order in which they were given."""
    every = list(assessments)
    return Said(tuple(labels_of(every)), {one.question: one.item.case_id for one in every})


def taught(
    corpus: Corpus,
    said: Said,
    settings: InvestigationSettings,
    *,
    ask: Asked | None = None,
    learn: Learned | None = None,
    told: Told = lambda step, done, total: None,
) -> tuple[Experience, Choice]:
    """Ask each judged question again, and learn; ``told`` hears how far that is. ``ask`` and ``learn`` do so
    somewhere else than here.

    Raises InputError where too little was said, and what ``told`` raises.
    """
    if not said.labels:
        raise InputError("nobody has judged a passage yet: `review queue` makes something to judge")
    seen = []
    for number, one in enumerate(said.labels):
        told("questions", number, len(said.labels))
        found = ask(one) if ask else next(observed(corpus, [one], settings), None)
        if found is not None:
            seen.append(found)
    told("learning", len(said.labels), len(said.labels))
    return learn(seen, new_id()) if learn else learned_from(seen, corpus, new_id())


def figures_of(choice: Choice, cases: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What learned weights are shown with, as plain values. With ``cases`` the questions that moved most are
    among it, each by its case: its words go with that."""
    found = {
        "kind": choice.kind,
        "strength": choice.strength,
        "questions": choice.questions,
        "verdicts": choice.verdicts,
        "recall": asdict(choice.recall),
        "ndcg": asdict(choice.ndcg),
        "better": len(risen(choice)),
        "worse": len(choice.worse),
    }
    if cases is None:
        return found
    both = {"up": risen(choice), "down": choice.worse}
    return found | {
        name: [
            {"case": cases.get(one.question, ""), "before": one.ndcg, "then": one.ndcg_then}
            for one in moved[:MOST_MOVED]
        ]
        for name, moved in both.items()
    }


def risen(choice: Choice) -> tuple[Moved, ...]:
    """The questions whose judged passages stand in a better order then, the best first."""
    found = [one for one in choice.moved if one.ndcg_then > one.ndcg]
    return tuple(sorted(found, key=lambda one: one.ndcg - one.ndcg_then))
