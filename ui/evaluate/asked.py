"""One request of the Evaluate view, checked."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from engine.settings import InvestigationSettings, Preset, preset
from ui.asked import LONGEST_QUESTION, CorpusName, Key, Request, SentFile
from ui.evaluate.limits import MOST_QUESTIONS, START_QUESTIONS
from ui.jobs.job import Owner


class Chosen(Request):
    """Settings as the page has them: a preset, and what is changed of it (None: the preset's)."""

    preset: Preset = Preset.BALANCED
    strategies: tuple[Key, ...] | None = Field(default=None, max_length=40)
    rounds: int | None = None

    def settings(self) -> InvestigationSettings:
        """The settings. Raises SettingsError for a value out of its range."""
        return preset(self.preset.value).changed(strategies=self.strategies, rounds=self.rounds)


class Ask(Request):
    """One request. ``gold``: the questions that come with the corpus, or files of the visitor's own."""

    do: Key
    visitor: Key = ""
    # Never what the request says: the server puts it in.
    address: Key = ""
    session: Key = Field(default="", repr=False)
    corpus: CorpusName = ""
    gold: Literal["own", "files"] = "own"
    queries: SentFile | None = None
    qrels: SentFile | None = None
    questions: int = Field(default=START_QUESTIONS, ge=1, le=MOST_QUESTIONS)
    chosen: Chosen = Chosen()
    ablate: bool = False
    job: Key = ""
    question: str = Field(default="", max_length=LONGEST_QUESTION)
    sides: tuple[Chosen, Chosen] = (Chosen(), Chosen())

    @property
    def owner(self) -> Owner:
        """Who asks."""
        return Owner(self.visitor, self.address)
