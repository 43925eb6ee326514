"""Parse the short spec of a language model: ``openai:MODEL@URL?context=8192&input=0.15&output=0.60``.

``URL`` is the base URL of an OpenAI-compatible API (``http://127.0.0.1:11434/v1``); by default
api.openai.com.

===============  ======================================================================  =========
``context``      limit of tokens of a prompt with its answer                             8192
``input``        price of a million prompt tokens                                        not known
``output``       price of a million completion tokens                                    not known
``cached``       price of a million prompt tokens that the provider had cached           as input
``written``      price of a million prompt tokens that it writes to its cache            as input
``currency``     of these prices                                                         USD
``concurrency``  limit of concurrent requests                                            4
``timeout``      limit of seconds of a request                                           60
``thinking``     limit of tokens that a reasoning model uses before its answer           0
``marks``        1 if the server accepts ``cache_control`` in messages, 0 if not         see below
===============  ======================================================================  =========

Anthropic's models cache only what a request marks. OpenRouter passes the marks on, so requests for these
models there contain some. Other servers get none, as they may refuse unknown fields, unless ``marks=1``
declares that they accept them (a gateway such as LiteLLM).
"""

from __future__ import annotations

import ipaddress
import math
import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from engine.errors import SettingsError
from engine.llm.base import Counted

NO_MODEL = "none"
OPENAI_URL = "https://api.openai.com/v1"
USAGE = "none or openai:MODEL@URL?context=8192&input=0.15&output=0.60"
OPTIONS = (
    *("context", "input", "output", "cached", "written", "currency", "concurrency", "timeout", "thinking"),
    "marks",
)
# https://openrouter.ai/docs/guides/best-practices/prompt-caching
MARKING_HOST, MARKED_MODELS = "openrouter.ai", ("anthropic/", "~anthropic/")
# https://platform.openai.com/docs/guides/prompt-caching: a schema is a prefix to the system message.
SCHEMA_FIRST = ("api.openai.com", MARKING_HOST)
MILLION = 1_000_000
LONGEST_OPTION = 16


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a million tokens."""

    input: float
    output: float
    cached: float
    written: float
    currency: str = "USD"

    def money(self, counted: Counted) -> float:
        """Return the price of a request."""
        fresh = counted.prompt - counted.cached - counted.written
        prompt = fresh * self.input + counted.cached * self.cached + counted.written * self.written
        return (prompt + counted.completion * self.output) / MILLION

    def most(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the maximum price of a request: no tokens cached, and all of them written to the cache."""
        dearest = max(self.input, self.written, self.cached)
        return (prompt_tokens * dearest + completion_tokens * self.output) / MILLION

    def saved(self, counted: Counted) -> float:
        """Return the money that the provider's cache saved; negative if writing to it cost more."""
        without = Counted(counted.prompt, completion=counted.completion)
        return self.money(without) - self.money(counted)


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A parsed spec. ``text`` is the spec itself."""

    text: str
    model: str
    url: str = OPENAI_URL
    own_url: bool = False
    context: int = 8192
    prices: Prices | None = None
    concurrency: int = 4
    timeout: float = 60.0
    thinking: int = 0
    marks: bool = False

    @property
    def host(self) -> str:
        """Name of the server, for messages."""
        return urlsplit(self.url).netloc

    @property
    def local(self) -> bool:
        """True if the server is on this machine or its private network, judged by its name."""
        name = urlsplit(self.url).hostname or ""
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return (
                name == "localhost" or "." not in name or name.endswith((".local", ".internal", ".localhost"))
            )
        return address.is_private or address.is_loopback

    @property
    def one_schema(self) -> bool:
        """True if the tasks of a case share one schema, as the server caches a schema as part of the prompt.

        This applies to OpenAI, and to gateways to it and to Anthropic.
        """
        return self.marks or urlsplit(self.url).hostname in SCHEMA_FIRST

    @property
    def where(self) -> str:
        """Model and server, for messages."""
        return f"{self.model} at {self.host}"


def read_spec(text: str) -> ModelSpec:
    """Parse a spec. Raises SettingsError without any value, which could be a misplaced key."""
    text = text.strip()
    scheme, _, rest = text.partition(":")
    name, _, query = rest.partition("?")
    if scheme != "openai" or not name:
        raise SettingsError(f"a language model is named {USAGE}")
    model, at, url = re.split(r"(@)(?=https?://)", name, maxsplit=1) if "@http" in name else (name, "", "")
    if not model or "@http" in model or re.search(r"[\s\x00-\x1f]", name):
        raise SettingsError(f"the language model has no name; it is named {USAGE}")
    if "@" in model and "//" in model:
        raise SettingsError("the address of a language model begins with http:// or https://")
    options = _options(query)
    return ModelSpec(
        text=text,
        model=model,
        url=_address(url) if at else OPENAI_URL,
        own_url=bool(at),
        context=int(_number(options, "context", 8192, least=256, whole=True)),
        prices=_prices(options),
        concurrency=int(_number(options, "concurrency", 4, least=1, whole=True)),
        timeout=_number(options, "timeout", 60.0, least=0.05),
        thinking=int(_number(options, "thinking", 0, whole=True)),
        marks=_marks(options, model, url),
    )


def _marks(options: dict[str, str], model: str, url: str) -> bool:
    """Return whether requests mark what the server caches."""
    if "marks" not in options:
        return urlsplit(url).hostname == MARKING_HOST and model.startswith(MARKED_MODELS)
    if options["marks"] not in ("0", "1"):
        raise SettingsError("marks of a language model is 0 or 1")
    return options["marks"] == "1"


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        good = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good:
        raise SettingsError(
            "the address of the language model cannot be read; write http(s)://HOST[:PORT]/v1"
        )
    if parts.username is not None or parts.password is not None:
        raise SettingsError("the address of a language model holds no key; give it in REDSTRING_LLM_KEY")
    if parts.fragment:
        raise SettingsError("the address of a language model has no # part")
    return url.rstrip("/")


def _options(query: str) -> dict[str, str]:
    options = {key: values[-1] for key, values in parse_qs(query, keep_blank_values=True).items()}
    if unknown := sorted(options.keys() - set(OPTIONS)):
        # Anything but a plain word may be a misplaced key.
        word = unknown[0]
        told = f" {word!r}" if word.isalpha() and len(word) <= LONGEST_OPTION else ""
        raise SettingsError(
            f"unknown option{told} of a language model; known: {', '.join(OPTIONS)}. "
            "A key is no option: give it in REDSTRING_LLM_KEY"
        )
    return options


def _number(
    options: dict[str, str], name: str, default: float, *, least: float = 0.0, whole: bool = False
) -> float:
    if name not in options:
        return default
    try:
        value = float(int(options[name])) if whole else float(options[name])
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < least:
        kind = "whole number" if whole else "number"
        raise SettingsError(f"{name} of a language model is a {kind} of at least {least:g}")
    return value


def _prices(options: dict[str, str]) -> Prices | None:
    given = [name for name in ("input", "output", "cached", "written") if name in options]
    if not given:
        return None
    if "input" not in given or "output" not in given:
        raise SettingsError("prices of a language model: give both input and output, per million tokens")
    per_input = _number(options, "input", 0.0)
    currency = options.get("currency", "USD")
    if not re.fullmatch(r"[A-Za-z]{3}", currency):
        raise SettingsError("currency of a language model is a code of three letters, such as USD")
    return Prices(
        per_input,
        _number(options, "output", 0.0),
        _number(options, "cached", per_input),
        _number(options, "written", per_input),
        currency.upper(),
    )
