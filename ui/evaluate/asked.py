"""One request of the Evaluate view, checked."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from engine.settings import InvestigationSettings, Preset, preset
from ui.asked import LONGEST_QUESTION, CorpusName, Key, Request
from ui.evaluate.limits import FILE_BYTES, MOST_QUESTIONS, START_QUESTIONS
from ui.jobs.job import Owner


class Sent(Request):
    """A file as the browser sends it: its name, its bytes in base 64."""

    name: str = Field(max_length=200)
    data: str = Field(max_length=FILE_BYTES * 4 // 3 + 4, repr=False)


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
    queries: Sent | None = None
    qrels: Sent | None = None
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
