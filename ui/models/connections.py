"""Language models of a page load: the visitor's, or the operator's within a daily quota."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from engine.access.users import Action, Person, may
from engine.errors import BudgetError, InputError, ModelError
from engine.llm import LanguageModel, Meter, Prompt, Reply, Usage
from engine.llm.base import Answer
from engine.llm.connection import read_spec
from engine.operator_settings import ANYWHERE, OperatorSettings, operator_settings

# The operator's own model, offered to visitors within a daily quota.
#
# A page gets a new name at no cost, so the quota of each visitor is only for fairness; the quota of all
# visitors together limits the operator's bill.

DAY_SECONDS = 86_400.0
MOST_VISITORS = 4096
EVERYBODY = ""


class Quotas:
    """Tokens used in the current day, by session and in total. Thread-safe."""

    def __init__(self, settings: OperatorSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._used: OrderedDict[str, int] = OrderedDict()
        self._began = clock()
        self._lock = threading.Lock()

    def take(self, session: str, tokens: int) -> None:
        """Reserve tokens before use. Raises BudgetError if they exceed a quota."""
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
        """Release reserved tokens that were not used."""
        with self._lock:
            self._add(session, -tokens)

    def _add(self, session: str, tokens: int) -> None:
        for name in (EVERYBODY, session):
            self._used[name] = max(0, self._used.get(name, 0) + tokens)
            self._used.move_to_end(name)
        while len(self._used) > MOST_VISITORS:
            self._used.popitem(last=False)


class RationedModel:
    """A model with a quota for one session."""

    def __init__(self, model: LanguageModel, quotas: Quotas, session: str) -> None:
        self._model, self._quotas, self._session = model, quotas, session

    @property
    def spec(self) -> str:
        """The spec without the address: visitors do not see the operator's server."""
        name, options, values = self._model.spec.partition("?")
        return f"{name.partition('@http')[0]}{options}{values}"

    @property
    def context_tokens(self) -> int:
        """Limit of tokens of a prompt and its answer together."""
        return self._model.context_tokens

    def expected(self, prompt: Prompt, schema: type[BaseModel]) -> Usage:
        """Return the maximum usage of a prompt."""
        return self._model.expected(prompt, schema)

    def ask(self, prompt: Prompt, schema: type[Answer], meter: Meter) -> Reply[Answer]:
        """Send a prompt within the quota; a failed prompt counts with its maximum usage.

        Raises BudgetError if the quota is too small for the prompt, and what the model raises.
        """
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
    """The operator's model: without limits for operators, within quotas for everyone else.

    It is made at its first use.
    """

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
        """Return the model for a session; ``trusted``: its user has no quota."""
        if self._settings.llm == "none" or not session or not (trusted or self._settings.llm_shared):
            return None
        with self._lock:
            if self._model is None:
                self._model = self._opened(self._settings.llm)
        if self._model is None or trusted:
            return self._model
        return RationedModel(self._model, self._quotas, session)


# The language model of a page load: the visitor's own, else the operator's, else none.
#
# A connection is stored in memory only, under the secret token that a page load has chosen. It is dropped
# when the user leaves the page, after a long time without use, or when there are too many. Its key is never
# sent back.

# Limits of connections and page loads; the least recently used ones are dropped first.
MOST_CONNECTIONS = 256
MOST_PAGES = 4096
# Lifetimes of an unused connection, and of one whose page was left, s. To the server, a short network failure
# looks like leaving the page; such a page must find its connection again.
IDLE_SECONDS = 7200.0
LEFT_SECONDS = 120.0
SHORTEST_SESSION = 32
Whose = Literal["nobody", "visitor", "operator"]


class LentModel:
    """A visitor's model for cases: once it is revoked, no case can use it, and its key is forgotten."""

    def __init__(self, model: LanguageModel) -> None:
        self._model: LanguageModel | None = model
        self._spec, self._context = model.spec, model.context_tokens

    @property
    def spec(self) -> str:
        """The requested spec, without secrets."""
        return self._spec

    @property
    def context_tokens(self) -> int:
        """Limit of tokens of a prompt and its answer together."""
        return self._context

    def expected(self, prompt: Prompt, schema: type[BaseModel]) -> Usage:
        """Return the maximum usage of a prompt. Raises ModelError if the model was disconnected."""
        return self._lent().expected(prompt, schema)

    def ask(self, prompt: Prompt, schema: type[Answer], meter: Meter) -> Reply[Answer]:
        """Send a prompt to the model. Raises ModelError if it was disconnected, and what the model raises."""
        return self._lent().ask(prompt, schema, meter)

    def take_back(self) -> None:
        """Revoke the model."""
        self._model = None

    def _lent(self) -> LanguageModel:
        model = self._model
        if model is None:
            raise ModelError("the language model was disconnected on this page")
        return model


@dataclass(slots=True)
class _Connection:
    model: LentModel
    until: float


@dataclass(frozen=True, slots=True)
class Described:
    """A connection without its secrets: its owner and its spec."""

    whose: Whose = "nobody"
    spec: str = ""


class Connections:
    """The language models of page loads. Thread-safe.

    ``operators`` returns the operator's model for a session. It is called only if the operator offers one,
    and does not connect by itself.
    """

    def __init__(
        self,
        settings: OperatorSettings | None = None,
        operators: Callable[[str, bool], LanguageModel | None] = lambda session, trusted: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings or operator_settings(host=ANYWHERE)
        self.operators = operators
        self._clock = clock
        self._own: OrderedDict[str, _Connection] = OrderedDict()
        self._pages: OrderedDict[str, str] = OrderedDict()
        self._trusted: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def arrive(self, session: str, page: str, *, trusted: bool) -> None:
        """Record an opened page. ``page`` is the server's own id of it; ``trusted``: see ``seen``."""
        if len(session) < SHORTEST_SESSION:
            return
        self.seen(session, trusted=trusted)
        with self._lock:
            self._pages[page] = session
            while len(self._pages) > MOST_PAGES:
                self._pages.popitem(last=False)

    def seen(self, session: str, *, trusted: bool) -> None:
        """Record a call of a page; ``trusted``: its user may use the operator's model without a quota."""
        with self._lock:
            self._trusted.pop(session, None)
            if trusted and len(session) >= SHORTEST_SESSION:
                self._trusted[session] = None
            while len(self._trusted) > MOST_PAGES:
                self._trusted.popitem(last=False)

    def leave(self, page: str) -> None:
        """Record a closed or disconnected page: its connection is dropped unless it is used again."""
        with self._lock:
            kept = self._own.get(self._pages.get(page, ""))
            if kept is not None:
                kept.until = min(kept.until, self._clock() + LEFT_SECONDS)

    def connect(self, session: str, model: LanguageModel) -> None:
        """Use a visitor's own model from now on, in place of any previous one.

        Raises InputError if visitors may not bring models, or the page did not send its session.
        """
        if not self.settings.visitor_models:
            raise InputError("models of visitors are switched off on this server")
        if len(session) < SHORTEST_SESSION:
            raise InputError("the page did not say who is asking; load it again")
        with self._lock:
            self._drop(session)
            self._own[session] = _Connection(LentModel(model), self._clock() + IDLE_SECONDS)
            while len(self._own) > MOST_CONNECTIONS:
                self._drop(next(iter(self._own)))

    def forget(self, session: str) -> None:
        """Drop the visitor's own connection, with its key."""
        with self._lock:
            self._drop(session)

    def model(self, session: str) -> LanguageModel | None:
        """Return the model that a page load may use, or None. Sends nothing."""
        return self._visitors(session) or self.operators(session, self.is_trusted(session))

    def model_for(self, session: str, person: Person) -> LanguageModel | None:
        """Return the model of a session for the current rights of a person."""
        self.seen(session, trusted=may(person.role, Action.USE_MODEL))
        return self.model(session)

    def describe(self, session: str) -> Described:
        """Return the owner and the spec of the model that a page load would use."""
        own = self._visitors(session)
        if own is not None:
            return Described("visitor", own.spec)
        offered = self.operators(session, self.is_trusted(session))
        return Described("operator", offered.spec) if offered is not None else Described()

    def _visitors(self, session: str) -> LentModel | None:
        now = self._clock()
        with self._lock:
            for expired in [name for name, kept in self._own.items() if kept.until <= now]:
                self._drop(expired)
            kept = self._own.get(session)
            if kept is None:
                return None
            kept.until = now + IDLE_SECONDS
            self._own.move_to_end(session)
            return kept.model

    def _drop(self, session: str) -> None:
        """Drop a connection; called with the lock held."""
        kept = self._own.pop(session, None)
        if kept is not None:
            kept.model.take_back()

    def is_trusted(self, session: str) -> bool:
        """Whether the last caller from a page may use the operator's model without a quota."""
        with self._lock:
            return session in self._trusted
