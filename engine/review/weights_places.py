"""Where learned weights belong: to a corpus, whose cases they rank whoever asks, or to a matter alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from engine.corpus.learned_weights import WeightsLine, load_weights
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.investigation.ranking.additive import Experience
from engine.investigation.ranking.weights import adopt_weights, check_room, keep_weights, ship_weights
from engine.records.store.listing import Matter
from engine.records.store.matter_weights import MatterWeights
from engine.review.learning.choosing import Choice
from engine.review.teaching import figures_of


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
