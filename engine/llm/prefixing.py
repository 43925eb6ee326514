"""A language model at work in one case: all its prompts begin with the same bytes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from pydantic import BaseModel

from engine.llm.base import Answer, LanguageModel, Prefix, Prompt, Reply
from engine.llm.meter import Meter
from engine.llm.usage import Usage


class PrefixedModel:
    """A model whose prompts get a prefix, made when the first is asked. Tasks that the prefix does not tell
    are passed on as they are."""

    def __init__(self, model: LanguageModel, made: Callable[[], Prefix]) -> None:
        self._model, self._made = model, made
        self._prefix: Prefix | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"PrefixedModel({self.spec!r})"

    @property
    def spec(self) -> str:
        """What was asked for, without any secret."""
        return self._model.spec

    @property
    def context_tokens(self) -> int:
        """Tokens that a prompt and its answer may have together."""
        return self._model.context_tokens

    def expected(self, prompt: Prompt, schema: type[BaseModel]) -> Usage:
        """What a prompt will use at most, its prefix included."""
        return self._model.expected(self.prefixed(prompt), schema)

    def ask(self, prompt: Prompt, schema: type[Answer], meter: Meter) -> Reply[Answer]:
        """Ask the model. See ``LanguageModel.ask``."""
        return self._model.ask(self.prefixed(prompt), schema, meter)

    def prefixed(self, prompt: Prompt) -> Prompt:
        """A prompt as the model is sent it."""
        with self._lock:
            if self._prefix is None:
                self._prefix = self._made()
        return replace(prompt, prefix=self._prefix) if self._prefix.knows(prompt.task) else prompt
