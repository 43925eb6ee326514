"""Asking a server what it offers, and whether it answers as it should, told in words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ValidationError

from engine.errors import ModelError
from engine.llm import Budget, Data, Meter, Prompt
from engine.llm.client import ChatModel
from engine.llm.cost import currency_of
from engine.llm.exchange import Rung
from engine.llm.probing import Probe
from engine.llm.sending import Secret, checked_key
from engine.llm.spec import read_spec
from engine.network import UNREACHABLE, Network, Received, background_loop, fetched, in_words, opened_client
from ui.spending import used_words

LIST_SECONDS = 15.0
LONGEST_LIST = 2_000_000
MOST_LISTED = 500
# A request, and a second one where the first answer has to be repaired or the server wants another dialect.
TRIAL = Budget(calls=6, tokens=20_000, seconds=60.0)
_SCHEMAS = {
    Rung.SCHEMA: "It keeps to schemas, so that answers need no repair.",
    Rung.OBJECT: "It writes JSON, but does not know schemas: answers are checked, and repaired where needed.",
    Rung.TEXT: "It knows no schemas: answers are checked, and repaired where needed. Expect more failures.",
}


class Seen(BaseModel):
    """What the model is asked in a trial."""

    article: int
    binding: Literal["yes", "no"]


_PROMPT = Prompt(
    "trial",
    "Read the text. Give the number of its article, and say whether the article binds anybody.",
    (Data("text", "Article 12. A manager shall keep a register of all powers that were granted."),),
    longest=200,
)


def tried(model: ChatModel) -> list[str]:
    """Ask a small thing and tell how it went, the most important first. Raises ModelError, BudgetError."""
    meter = Meter(TRIAL)
    reply = model.ask(_PROMPT, Seen, meter)
    spent = meter.spent
    right = reply.value == Seen(article=12, binding="yes")
    read = model.model_spec
    seconds = spent.milliseconds / 1000 / max(1, spent.calls)
    return [
        f"{read.model} answers, in {seconds:.1f} s." if right else f"{read.model} answers, but not well.",
        *([] if right else ["It misread a sentence of a dozen words; a larger model would do better."]),
        _SCHEMAS[model.dialect.rung],
        *(f"{warning[:1].upper()}{warning[1:]}." for warning in reply.warnings),
        f"Its context is taken to be {read.context:,} tokens.",
        f"This test: {used_words(spent, currency_of(model.spec))}.",
    ]


def probe_words(found: Probe) -> list[str]:
    """A test as the dialog tells it, the most important first."""
    assert found.rung is not None, "the server answered"
    read = read_spec(found.spec)
    context = f"It read a prompt of {found.context_tokens or 0:,} tokens whole, as its context promises."
    return [
        f"{read.model} answers, in {found.seconds:.1f} s for a short one.",
        _SCHEMAS[found.rung],
        context if found.fine else f"{found.problem[:1].upper()}{found.problem[1:]}.",
        *(f"{warning[:1].upper()}{warning[1:]}." for warning in found.warnings),
        f"This test: {used_words(found.usage, currency_of(found.spec))}.",
    ]


def listed(url: str, key: str, network: Network | None) -> list[str]:
    """Names of the models that a server offers (``GET URL/models``), sorted.

    Raises SettingsError for what is no key, ModelError where the server cannot be reached, does not want to
    tell, or tells something else.
    """
    future = asyncio.run_coroutine_threadsafe(_offered(url, checked_key(key), network), background_loop())
    try:
        received = future.result(LIST_SECONDS + 1)
    except TimeoutError:
        future.cancel()
        raise ModelError(f"the server gave no list of its models within {LIST_SECONDS:g} s") from None
    if received.status == UNREACHABLE:
        raise ModelError(f"the server cannot be reached: {received.body}")
    if received.status in (401, 403):
        raise ModelError("the server does not accept the key")
    if received.status != 200:
        said = in_words(received.status) or f"status {received.status}"
        said = said if received.status >= 100 else received.body
        raise ModelError(f"the server gives no list of its models ({said}); write the name yourself")
    try:
        found = _Models.model_validate_json(received.body)
    except ValidationError:
        raise ModelError("the server's list of models cannot be read; write the name yourself") from None
    return sorted({entry.id for entry in found.data if entry.id})[:MOST_LISTED]


class _Entry(BaseModel):
    id: str = ""


class _Models(BaseModel):
    data: Sequence[_Entry] = ()


async def _offered(url: str, key: Secret, network: Network | None) -> Received:
    async with opened_client(network) as client:
        return await fetched(
            client, "GET", f"{url}/models", key=key.reveal(), seconds=LIST_SECONDS, longest=LONGEST_LIST
        )
