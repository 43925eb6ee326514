"""What is done to a ranking after its features have spoken: a reranker, then diversity."""

from __future__ import annotations

from collections.abc import Callable

from engine.corpus.protocol import Corpus
from engine.investigation.diversity import diversified
from engine.investigation.ranking import Ranking
from engine.investigation.reading import Reading
from engine.investigation.reranking import Reranking
from engine.retrieval.asking import Asking
from engine.settings import InvestigationSettings


class Refining:
    """The last steps of one case's ranking; both are off by default.

    Raises SettingsError for a reranker whose spec cannot be read.
    """

    def __init__(self, question: str, settings: InvestigationSettings, asking: Asking) -> None:
        self._settings = settings
        self._reranking = Reranking(question, settings, asking)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the person should know of the last refinement: what was reranked, or why nothing was."""
        return self._reranking.notes

    @property
    def calls(self) -> int:
        """Requests sent to an outside service so far."""
        return self._reranking.calls

    def applied(
        self, ranking: Ranking, corpus: Corpus, reading: Reading, language: str, halted: Callable[[], bool]
    ) -> Ranking:
        """The ranking refined. ``language`` is the question's; ``halted`` is asked between calls of a
        model, and ends the reranking."""
        judged = self._reranking.applied(ranking, corpus, reading, language, halted)
        return diversified(judged, corpus, reading, self._settings.diversity)
