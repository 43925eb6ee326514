"""Asking a language model on behalf of one case: an answer, or a note that says why there is none.

Whoever asks has a deterministic fallback that takes over, so a model that fails never ends a case.
"""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel

from engine.errors import BudgetError, CancelledError, ModelError
from engine.llm import LanguageModel, Meter, Prompt

Answer = TypeVar("Answer", bound=BaseModel)


class Asking:
    """A language model at work in one case; None where none is connected.

    ``notes`` tell what failed or was left out, and what goes on instead; each is told once.
    """

    def __init__(self, model: LanguageModel | None, meter: Meter) -> None:
        self.model, self.meter = model, meter
        self._notes: dict[str, None] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of it so far."""
        return tuple(self._notes)

    def note(self, words: str) -> None:
        """Tell a person something."""
        self._notes[words] = None

    def answer(self, prompt: Prompt, schema: type[Answer], instead: str) -> Answer | None:
        """The model's answer, which the caller still has to check; None where there is none.

        ``instead`` names what takes over ("the question's own structure"). A case that was stopped gets
        no answer and no note: whoever stopped it knows.
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
