"""One request of the Evaluate view, checked."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from engine.settings import InvestigationSettings, Preset, preset
from ui.evaluate.limits import FILE_BYTES, MOST_QUESTIONS, START_QUESTIONS
from ui.jobs.job import Owner


class Sent(BaseModel):
    """A file as the browser sends it: its name, its bytes in base 64."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(max_length=200)
    data: str = Field(max_length=FILE_BYTES * 4 // 3 + 4, repr=False)


class Chosen(BaseModel):
    """Settings as the page has them: a preset, and what is changed of it (None: the preset's)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    preset: Preset = Preset.BALANCED
    strategies: tuple[str, ...] | None = Field(default=None, max_length=40)
    rounds: int | None = None

    def settings(self) -> InvestigationSettings:
        """The settings. Raises SettingsError for a value out of its range."""
        return preset(self.preset.value).changed(strategies=self.strategies, rounds=self.rounds)


class Ask(BaseModel):
    """One request. ``gold``: the questions that come with the corpus, or files of the visitor's own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    do: str
    visitor: str = Field(default="", max_length=80)
    # Never what the request says: the server puts it in.
    address: str = ""
    session: str = Field(default="", max_length=80, repr=False)
    corpus: str = Field(default="", max_length=200)
    gold: Literal["own", "files"] = "own"
    queries: Sent | None = None
    qrels: Sent | None = None
    questions: int = Field(default=START_QUESTIONS, ge=1, le=MOST_QUESTIONS)
    chosen: Chosen = Chosen()
    ablate: bool = False
    job: str = Field(default="", max_length=40)
    question: str = Field(default="", max_length=4000)
    sides: tuple[Chosen, Chosen] = (Chosen(), Chosen())

    @property
    def owner(self) -> Owner:
        """Who asks."""
        return Owner(self.visitor, self.address)
