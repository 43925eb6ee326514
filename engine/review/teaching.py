"""What verdicts teach the ranking, and where learned weights are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from engine.corpus.judgements import WeightsLine, load_weights
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.investigation.ranking.additive import Experience
from engine.investigation.ranking.weights import adopt_weights, check_room, keep_weights, ship_weights
from engine.records.store.listing import Matter
from engine.records.store.matter_weights import MatterWeights
from engine.records.store.sealing import new_id
from engine.review.learning.choosing import Choice, Moved, learned_from
from engine.review.learning.observing import Labels, Observed, labels_of, observed
from engine.review.model import Assessment
from engine.settings import InvestigationSettings

# What verdicts on the cases of a corpus teach, question by question, and what it is shown with.

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


# Where learned weights belong: to a corpus, whose cases they rank whoever asks, or to a matter
# alone.


class Place(Protocol):
    """Keeps learned weights; who does something is named with it. All raise InputError for what cannot be
    done, CorpusError and ResourceError where nothing can be read or written."""

    def lines(self) -> list[WeightsLine]:
        """What was kept, and by what is ranked, in order."""
        ...

    def check_room(self) -> None:
        """Raises InputError where nothing more can be kept."""
        ...

    def keep(self, learned: Experience, choice: Choice, cases: Mapping[str, str], who: str) -> None:
        """Keep what was learned, with what it is shown with; ``cases`` are those of its questions."""
        ...

    def adopt(self, weights: str, who: str) -> None:
        """Rank by kept weights from now on."""
        ...

    def ship(self, who: str) -> None:
        """Go back to what ranks without any of these."""
        ...

    def delete(self, weights: str) -> None:
        """Delete kept weights by which nothing is ranked."""
        ...


@dataclass(frozen=True, slots=True)
class OfCorpus:
    """Weights of a corpus, in its journal. Whoever asks it is not told the questions of others."""

    corpus: Corpus

    def lines(self) -> list[WeightsLine]:
        """As ``Place``."""
        return [] if self.corpus.journals is None else load_weights(self.corpus.journals)

    def check_room(self) -> None:
        """As ``Place``."""
        check_room(self.corpus)

    def keep(self, learned: Experience, choice: Choice, cases: Mapping[str, str], who: str) -> None:
        """As ``Place``."""
        keep_weights(self.corpus, learned, figures_of(choice), reviewer=who)

    def adopt(self, weights: str, who: str) -> None:
        """As ``Place``."""
        adopt_weights(self.corpus, weights, reviewer=who)

    def ship(self, who: str) -> None:
        """As ``Place``."""
        ship_weights(self.corpus, reviewer=who)

    def delete(self, weights: str) -> None:
        """Raises InputError: lines of a journal stay."""
        raise InputError("what was learned for a corpus stays in its weights.jsonl: remove the line there")


@dataclass(frozen=True, slots=True)
class OfMatter:
    """Weights of a matter for the cases that ask a corpus, by its name; ``kept`` has them."""

    kept: MatterWeights
    matter: Matter
    corpus: str

    def lines(self) -> list[WeightsLine]:
        """As ``Place``."""
        return self.kept.lines(self.matter, self.corpus)

    def check_room(self) -> None:
        """As ``Place``."""
        self.kept.check_room(self.matter)

    def keep(self, learned: Experience, choice: Choice, cases: Mapping[str, str], who: str) -> None:
        """As ``Place``."""
        self.kept.keep(self.matter, self.corpus, learned, figures_of(choice, cases), who=who)

    def adopt(self, weights: str, who: str) -> None:
        """As ``Place``; only weights of this corpus."""
        if weights not in {line.id for line in self.lines()}:
            raise InputError(f"there are no learned weights {weights[:40]!r} of {self.corpus!r} here")
        self.kept.adopt(self.matter, weights, who=who)

    def ship(self, who: str) -> None:
        """As ``Place``."""
        self.kept.ship(self.matter, self.corpus, who=who)

    def delete(self, weights: str) -> None:
        """As ``Place``."""
        self.kept.delete(self.matter, weights)
