"""Requests to a language model for one case: an answer, or a note on why there is none.

The caller has a deterministic fallback, so that a failing model never ends a case.
"""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel

from engine.errors import BudgetError, CancelledError, ModelError
from engine.llm import LanguageModel, Meter, Prompt

Answer = TypeVar("Answer", bound=BaseModel)


class Asking:
    """The language model of one case; ``model`` is None if none is connected.

    ``notes`` report failures and omissions with their replacements, each once.
    """

    def __init__(self, model: LanguageModel | None, meter: Meter) -> None:
        self.model, self.meter = model, meter
        self._notes: dict[str, None] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user so far."""
        return tuple(self._notes)

    def note(self, words: str) -> None:
        """Add a note for the user."""
        self._notes[words] = None

    def answer(self, prompt: Prompt, schema: type[Answer], instead: str) -> Answer | None:
        """Return the model's answer, which the caller has to check; None without an answer.

        ``instead`` names the fallback ("the question's own structure"). A cancelled case gets no answer and
        no note.
        """
        if self.model is None:
            self.note(f"{prompt.task}: no language model is connected; {instead} instead")
            return None
        try:
            reply = self.model.ask(prompt, schema, self.meter)
        except CancelledError:
            return None
        except (ModelError, BudgetError) as error:
            reason = str(error).removeprefix(f"{prompt.task}: ")
            self.note(f"{prompt.task}: {reason}; {instead} instead")
            return None
        for warning in reply.warnings:
            self.note(warning)
        return reply.value
