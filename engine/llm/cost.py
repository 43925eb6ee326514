"""The cost of calls: prices, shared prefixes, and a cache of answers on disk."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import orjson
from platformdirs import user_cache_path
from pydantic import BaseModel, ValidationError

from engine.errors import BudgetError, ModelError, SettingsError
from engine.files import make_private_folder
from engine.llm.base import Answer, Budget, LanguageModel, Meter, Prefix, Prompt, Reply, Usage
from engine.llm.connection import NO_MODEL, read_spec
from engine.operator_settings import OFF, operator_settings

# Several prompts at once.

# Limits waiting threads; a client has its own limit of concurrent requests.
MOST_THREADS = 8

Outcome = Reply[Answer] | ModelError | BudgetError


def ask_all(
    model: LanguageModel, prompts: Sequence[Prompt], schema: type[Answer], meter: Meter
) -> list[Outcome[Answer]]:
    """Return the reply to each prompt, in order, or its error.

    Raises CancelledError if the meter was cancelled, after cancelling the requests still running.
    """

    def ask(prompt: Prompt) -> Outcome[Answer]:
        try:
            return model.ask(prompt, schema, meter)
        except (ModelError, BudgetError) as error:
            return error

    if len(prompts) < 2:
        return [ask(prompt) for prompt in prompts]
    with ThreadPoolExecutor(min(len(prompts), MOST_THREADS), "language model") as threads:
        return list(threads.map(ask, prompts))


# A language model for one case: all its prompts begin with the same bytes.


class PrefixedModel:
    """A model whose prompts get a prefix, created for the first prompt.

    Prompts of tasks that the prefix does not describe are passed on unchanged.
    """

    def __init__(self, model: LanguageModel, made: Callable[[], Prefix]) -> None:
        self._model, self._made = model, made
        self._prefix: Prefix | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"PrefixedModel({self.spec!r})"

    @property
    def spec(self) -> str:
        """The spec, without secrets."""
        return self._model.spec

    @property
    def context_tokens(self) -> int:
        """The limit of tokens of a prompt with its answer."""
        return self._model.context_tokens

    def expected(self, prompt: Prompt, schema: type[BaseModel]) -> Usage:
        """Return the maximum usage of a prompt, its prefix included."""
        return self._model.expected(self.prefixed(prompt), schema)

    def ask(self, prompt: Prompt, schema: type[Answer], meter: Meter) -> Reply[Answer]:
        """Send a prompt with its prefix. See ``LanguageModel.ask``."""
        return self._model.ask(self.prefixed(prompt), schema, meter)

    def prefixed(self, prompt: Prompt) -> Prompt:
        """Return a prompt with its prefix."""
        with self._lock:
            if self._prefix is None:
                self._prefix = self._made()
        return replace(prompt, prefix=self._prefix) if self._prefix.knows(prompt.task) else prompt


# The cost of language models in one investigation: by task, in total, and of the budget.

MONEY_DIGITS = 6


@dataclass(frozen=True, slots=True)
class CostReport:
    """The usage by task and in total.

    ``tasks`` are in the order of their first answers. ``currency`` is empty if no prices are known.
    ``stopped`` is the reason why the budget stopped the model; empty if it did not. ``seconds`` is the sum
    over all requests, concurrent ones included.
    """

    spec: str
    currency: str
    tasks: Mapping[str, Usage]
    total: Usage
    budget: Budget
    stopped: str

    @property
    def seconds(self) -> float:
        """Seconds of all requests."""
        return self.total.milliseconds / 1000


def cost_report(meter: Meter, spec: str = NO_MODEL) -> CostReport:
    """Return the report of a meter; ``spec`` is the model's, for the name and the currency."""
    tasks = dict(meter.tasks)
    return CostReport(
        spec, currency_of(spec), tasks, sum(tasks.values(), Usage()), meter.budget, meter.opened
    )


def currency_of(spec: str) -> str:
    """Return the currency of a spec's prices; empty if it has none."""
    try:
        prices = read_spec(spec).prices
    except SettingsError:
        return ""
    return prices.currency if prices else ""


def usage_words(used: Usage, currency: str = "") -> str:
    """Return a short text: "3 calls, 2,120 tokens in (1,024 cached), 310 out, 0.0042 USD"."""
    cached = f" ({used.cached_tokens:,} cached)" if used.cached_tokens else ""
    parts = [
        f"{used.calls:,} {'call' if used.calls == 1 else 'calls'}",
        f"{used.prompt_tokens:,} tokens in{cached}",
        f"{used.completion_tokens:,} out",
    ]
    if used.money:
        parts.append(f"{used.money:.4g} {currency or 'money'}")
    if used.reused:
        parts.append(f"{used.reused:,} {'answer' if used.reused == 1 else 'answers'} reused")
    return ", ".join(parts)


def cache_words(used: Usage, currency: str = "") -> str:
    """Return the use of the provider's cache, empty if there was none.

    "Provider's cache: 1,024 of 2,120 tokens in (48%), 0.0005 USD saved"; only tokens if their price is
    unknown.
    """
    if not used.cached_tokens and not used.written_tokens:
        return ""
    share = used.cached_tokens / max(used.prompt_tokens, 1)
    words = f"Provider's cache: {used.cached_tokens:,} of {used.prompt_tokens:,} tokens in ({share:.0%})"
    if not used.saved:
        return words
    told = "saved" if used.saved > 0 else "more than without it, as writing to it costs"
    return f"{words}, {abs(used.saved):.2g} {currency or 'money'} {told}"


def usage_values(used: Usage) -> dict[str, Any]:
    """Return the usage as plain values.

    Money is null if no prices are known, and so are savings if the price of cached tokens is unknown.
    """
    values = asdict(used)
    values["milliseconds"] = round(used.milliseconds, 2)
    values["money"] = None if used.money is None else round(used.money, MONEY_DIGITS)
    known = used.money is not None and (used.saved or not used.cached_tokens)
    values["saved"] = round(used.saved, MONEY_DIGITS) if known else None
    return values


# A cache of answers on disk: the same prompt to the same model costs nothing the second time.
#
# Each answer is a small JSON file, written next to its path and then renamed: several processes
# and threads may share a folder without a lock, and a damaged file loses one answer, which is
# requested again. The alternative was a database file, but it locks on network drives, and damage
# loses all of it. The name of a file is a hash of everything that the answer depends on, except
# keys. Nothing of the prompt is stored.

# Increased when the same prompt would be sent differently: earlier answers are no longer found.
VERSION = 1
MOST_BYTES = 64_000_000
# Cleaning removes files down to this share of the limit, so that it does not run for every answer.
KEPT_PART = 0.8
WRITES_BETWEEN_LOOKS = 64


class AnswerCache:
    """A folder of answers of at most ``most_bytes``; the least recently used are removed first.

    If the disk fails, an answer is not cached; ``trouble`` then contains the reason.
    """

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder
        self.trouble = ""
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._writes = 0

    def get(self, key: str, schema: type[Answer]) -> Answer | None:
        """Return the answer cached for a key, None if there is none that fits the schema."""
        path = self._path(key)
        try:
            value = schema.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return value

    def put(self, key: str, value: BaseModel) -> None:
        """Store an answer."""
        path = self._path(key)
        try:
            make_private_folder(path.parent)
            # A temporary file is readable by its owner only.
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(value.model_dump_json().encode())
                os.replace(name, path)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(name)
                raise
        except OSError as error:
            self.trouble = f"answers are not kept in {self.folder}: {error.strerror or error}"
            return
        with self._lock:
            self._writes += 1
            look = self._writes % WRITES_BETWEEN_LOOKS == 1
        if look:
            self._make_room()

    def clear(self) -> int:
        """Remove all answers and return their number."""
        return sum(_removed(path) for path in self._files())

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key[2:]}.json"

    def _files(self) -> list[Path]:
        return [path for path in self.folder.glob("??/*") if path.suffix in (".json", ".part")]

    def _make_room(self) -> None:
        """Remove the least recently used answers until there is room again."""
        found = []
        for path in self._files():
            with contextlib.suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime_ns, status.st_size, path))
        held = sum(size for _, size, _ in found)
        if held <= self._most_bytes:
            return
        for _, size, path in sorted(found, key=lambda item: item[0]):
            if held <= self._most_bytes * KEPT_PART:
                break
            held -= size * _removed(path)


def answer_key(parts: Mapping[str, Any]) -> str:
    """Return the key of an answer: a hash of everything that it depends on."""
    written = orjson.dumps({"version": VERSION, **parts}, option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(written, digest_size=20).hexdigest()


def default_cache() -> AnswerCache | None:
    """Return the cache in REDSTRING_LLM_CACHE, else in REDSTRING_HOME or the user's cache folder.

    None if the variable is "off".
    """
    settings = operator_settings()
    named = settings.llm_cache
    if named.lower() == OFF:
        return None
    usual = (settings.home or user_cache_path("redstring")) / "answers"
    return AnswerCache(Path(named).expanduser() if named else usual)


def _removed(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True
