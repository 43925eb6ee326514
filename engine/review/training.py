"""Training of the ranking by verdicts, and stores of learned weights: of a corpus or of a matter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from engine.corpus.judgements import WeightsLine, load_weights
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.investigation.ranking.additive import Experience
from engine.investigation.ranking.weights import adopt_weights, check_room, keep_weights, ship_weights
from engine.records.store.chain import new_id
from engine.records.store.database import Matter
from engine.records.store.matter_weights import MatterWeights
from engine.review.learning.learning import Labels, Observed, make_labels, observe
from engine.review.learning.validation import Choice, Moved, learn_weights
from engine.review.model import Assessment
from engine.settings import InvestigationSettings

# Questions that moved most in each direction, stored with learned weights.
MOST_MOVED = 50

AskQuestion = Callable[[Labels], Observed | None]
LearnWeights = Callable[[Sequence[Observed], str], tuple[Experience, Choice]]
ReportProgress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class TrainingLabels:
    """Current judgements of passages: ``labels`` by question, and ``cases``, the newest case id of each
    question."""

    labels: tuple[Labels, ...]
    cases: dict[str, str]

    @property
    def verdicts(self) -> int:
        """Number of judged passages; one that two reviewers judged counts once."""
        return sum(len(one.worth) for one in self.labels)

    @property
    def telling(self) -> int:
        """Number of questions with passages of different relevance: only these can be learned from."""
        return sum(max(one.worth.values()) > min(one.worth.values()) for one in self.labels)

    def newest(self, questions: int, passages: int) -> TrainingLabels:
        """Return the newest labels, limited by the number of questions and of passages in total."""
        newest: list[Labels] = []
        for one in reversed(self.labels[-questions:]):
            passages -= len(one.worth)
            if passages < 0:
                break
            newest.append(one)
        return TrainingLabels(tuple(reversed(newest)), self.cases)


def labels_from(assessments: Iterable[Assessment]) -> TrainingLabels:
    """Collect the labels of passages from current assessments, in the order they were given."""
    every = list(assessments)
    return TrainingLabels(tuple(make_labels(every)), {one.question: one.item.case_id for one in every})


def train(
    corpus: Corpus,
    labels: TrainingLabels,
    settings: InvestigationSettings,
    *,
    ask: AskQuestion | None = None,
    learn: LearnWeights | None = None,
    report: ReportProgress = lambda step, done, total: None,
) -> tuple[Experience, Choice]:
    """Investigate each judged question again, and learn weights.

    ``report`` receives the progress. ``ask`` and ``learn`` replace the local work, e.g. by workers. Raises
    InputError for too few verdicts, and the errors of ``report``.
    """
    if not labels.labels:
        raise InputError("no passage has been judged yet: `review queue` makes items to judge")
    seen = []
    for number, one in enumerate(labels.labels):
        report("questions", number, len(labels.labels))
        found = ask(one) if ask else next(observe(corpus, [one], settings), None)
        if found is not None:
            seen.append(found)
    report("learning", len(labels.labels), len(labels.labels))
    return learn(seen, new_id()) if learn else learn_weights(seen, corpus, new_id())


def choice_to_json(choice: Choice, cases: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the figures shown with learned weights, as plain values; with ``cases`` also the questions that
    moved most, each by its case."""
    found = {
        "kind": choice.kind,
        "strength": choice.strength,
        "questions": choice.questions,
        "verdicts": choice.verdicts,
        "recall": asdict(choice.recall),
        "ndcg": asdict(choice.ndcg),
        "better": len(improved_questions(choice)),
        "worse": len(choice.worse),
    }
    if cases is None:
        return found
    both = {"up": improved_questions(choice), "down": choice.worse}
    return found | {
        name: [
            {"case": cases.get(one.question, ""), "before": one.ndcg, "then": one.ndcg_then}
            for one in moved[:MOST_MOVED]
        ]
        for name, moved in both.items()
    }


def improved_questions(choice: Choice) -> tuple[Moved, ...]:
    """Return the questions whose judged passages are in a better order with the learned weights, best
    first."""
    found = [one for one in choice.moved if one.ndcg_then > one.ndcg]
    return tuple(sorted(found, key=lambda one: one.ndcg - one.ndcg_then))


class WeightStore(Protocol):
    """Stores learned weights; ``who`` names the person who acts. All methods raise InputError for an invalid
    action, and CorpusError or ResourceError if nothing can be read or written."""

    def lines(self) -> list[WeightsLine]:
        """Return the journal of stored and applied weights, in order."""
        ...

    def check_room(self) -> None:
        """Raise InputError if nothing more can be stored."""
        ...

    def keep(self, learned: Experience, choice: Choice, cases: Mapping[str, str], who: str) -> None:
        """Store learned weights with their figures; ``cases`` are the cases of the questions."""
        ...

    def adopt(self, weights: str, who: str) -> None:
        """Rank by stored weights from now on."""
        ...

    def ship(self, who: str) -> None:
        """Rank by the shipped weights again."""
        ...

    def delete(self, weights: str) -> None:
        """Delete stored weights that are not in use."""
        ...


@dataclass(frozen=True, slots=True)
class CorpusWeightStore:
    """Weights of a corpus, in its journal; without the questions, which other users must not see."""

    corpus: Corpus

    def lines(self) -> list[WeightsLine]:
        """See ``WeightStore``."""
        return [] if self.corpus.journals is None else load_weights(self.corpus.journals)

    def check_room(self) -> None:
        """See ``WeightStore``."""
        check_room(self.corpus)

    def keep(self, learned: Experience, choice: Choice, cases: Mapping[str, str], who: str) -> None:
        """See ``WeightStore``."""
        keep_weights(self.corpus, learned, choice_to_json(choice), reviewer=who)

    def adopt(self, weights: str, who: str) -> None:
        """See ``WeightStore``."""
        adopt_weights(self.corpus, weights, reviewer=who)

    def ship(self, who: str) -> None:
        """See ``WeightStore``."""
        ship_weights(self.corpus, reviewer=who)

    def delete(self, weights: str) -> None:
        """Raise InputError: a journal keeps its lines."""
        raise InputError("what was learned for a corpus stays in its weights.jsonl: remove the line there")


@dataclass(frozen=True, slots=True)
class MatterWeightStore:
    """Weights of a matter for cases that ask a corpus, given by name; ``kept`` stores them."""

    kept: MatterWeights
    matter: Matter
    corpus: str

    def lines(self) -> list[WeightsLine]:
        """See ``WeightStore``."""
        return self.kept.lines(self.matter, self.corpus)

    def check_room(self) -> None:
        """See ``WeightStore``."""
        self.kept.check_room(self.matter)

    def keep(self, learned: Experience, choice: Choice, cases: Mapping[str, str], who: str) -> None:
        """See ``WeightStore``."""
        self.kept.keep(self.matter, self.corpus, learned, choice_to_json(choice, cases), who=who)

    def adopt(self, weights: str, who: str) -> None:
        """See ``WeightStore``; only weights of this corpus."""
        if weights not in {line.id for line in self.lines()}:
            raise InputError(f"there are no learned weights {weights[:40]!r} of {self.corpus!r} here")
        self.kept.adopt(self.matter, weights, who=who)

    def ship(self, who: str) -> None:
        """See ``WeightStore``."""
        self.kept.ship(self.matter, self.corpus, who=who)

    def delete(self, weights: str) -> None:
        """See ``WeightStore``."""
        self.kept.delete(self.matter, weights)
