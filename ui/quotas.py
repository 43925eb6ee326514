"""The operator's own model, offered to visitors within a daily quota.

Whoever opens a page gets a new name for free, so that a quota by visitor only shares out fairly; what keeps
the operator's bill is the quota of all visitors together.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from pydantic import BaseModel

from engine.errors import BudgetError, ModelError
from engine.llm import LanguageModel, Meter, Prompt, Reply, Usage
from engine.llm.base import Answer
from engine.llm.spec import read_spec
from engine.operator_settings import OperatorSettings

DAY_SECONDS = 86_400.0
MOST_VISITORS = 4096
EVERYBODY = ""


class Quotas:
    """Tokens that were used in the day that is counted, by session and together. Safe for several threads."""

    def __init__(self, settings: OperatorSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._used: OrderedDict[str, int] = OrderedDict()
        self._began = clock()
        self._lock = threading.Lock()

    def take(self, session: str, tokens: int) -> None:
        """Set tokens aside before they are used. Raises BudgetError where a quota does not hold them."""
        with self._lock:
            if self._clock() - self._began >= DAY_SECONDS:
                self._used.clear()
                self._began = self._clock()
            if self._used.get(session, 0) + tokens > self._settings.llm_visitor_tokens:
                raise BudgetError("what a visitor may use of this server's model today is used up")
            if self._used.get(EVERYBODY, 0) + tokens > self._settings.llm_day_tokens:
                raise BudgetError("what visitors may use of this server's model today is used up")
            self._add(session, tokens)

    def give_back(self, session: str, tokens: int) -> None:
        """Tokens that were set aside and not used."""
        with self._lock:
            self._add(session, -tokens)

    def _add(self, session: str, tokens: int) -> None:
        for name in (EVERYBODY, session):
            self._used[name] = max(0, self._used.get(name, 0) + tokens)
            self._used.move_to_end(name)
        while len(self._used) > MOST_VISITORS:
            self._used.popitem(last=False)


class RationedModel:
    """A model of which one session may use no more than its quota."""

    def __init__(self, model: LanguageModel, quotas: Quotas, session: str) -> None:
        self._model, self._quotas, self._session = model, quotas, session

    @property
    def spec(self) -> str:
        """What was asked for, without the address: where the operator's server stands is told to nobody."""
        name, options, values = self._model.spec.partition("?")
        return f"{name.partition('@http')[0]}{options}{values}"

    @property
    def context_tokens(self) -> int:
        """Tokens that a prompt and its answer may have together."""
        return self._model.context_tokens

    def expected(self, prompt: Prompt, schema: type[BaseModel]) -> Usage:
        """What a prompt will use at most."""
        return self._model.expected(prompt, schema)

    def ask(self, prompt: Prompt, schema: type[Answer], meter: Meter) -> Reply[Answer]:
        """Ask within the quota. Raises BudgetError where it does not hold the prompt, and what the model
        raises; of a prompt that failed what it was expected to use is counted, as nobody knows better."""
        expected = self._model.expected(prompt, schema).tokens
        self._quotas.take(self._session, expected)
        try:
            reply = self._model.ask(prompt, schema, meter)
        except ModelError as error:
            raise type(error)(self._without_host(str(error))) from error
        self._quotas.give_back(self._session, expected - reply.usage.tokens)
        return reply

    def _without_host(self, words: str) -> str:
        host = read_spec(self._model.spec).host
        return words.replace(f" at {host}", "").replace(host, "its server")


class OperatorsModel:
    """Gives the operator's model to whom the operator offers it: freely to operators, within
    quotas to everybody else. It is made when it is first asked for."""

    def __init__(
        self,
        settings: OperatorSettings,
        opened: Callable[[str], LanguageModel | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings, self._opened = settings, opened
        self._quotas = Quotas(settings, clock)
        self._model: LanguageModel | None = None
        self._lock = threading.Lock()

    def __call__(self, session: str, trusted: bool) -> LanguageModel | None:
        """The model for a session; ``trusted``: of somebody who may use it freely."""
        if self._settings.llm == "none" or not session or not (trusted or self._settings.llm_shared):
            return None
        with self._lock:
            if self._model is None:
                self._model = self._opened(self._settings.llm)
        if self._model is None or trusted:
            return self._model
        return RationedModel(self._model, self._quotas, session)
