"""Completions as servers send them, and the answers read from them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Generic

from pydantic import BaseModel, Field, ValidationError

from engine.llm.base import Answer, Counted

# What a server's response says: the answer, why it ended, and what was counted.

MOST_TOLD = 300


Count = Annotated[int, Field(ge=0)]


class _Details(BaseModel):
    cached_tokens: Count | None = None
    cache_write_tokens: Count | None = None


class _Usage(BaseModel):
    prompt_tokens: Annotated[int, Field(gt=0)]
    completion_tokens: Count
    prompt_tokens_details: _Details | None = None
    # DeepSeek's name for it, Moonshot's, and Anthropic's, which gateways pass on.
    prompt_cache_hit_tokens: Count | None = None
    cached_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None

    @property
    def counted(self) -> Counted:
        """The counts, of which those of the cache are never more than the prompt has."""
        details = self.prompt_tokens_details or _Details()
        read = (
            details.cached_tokens,
            self.prompt_cache_hit_tokens,
            self.cached_tokens,
            self.cache_read_input_tokens,
        )
        written = (details.cache_write_tokens, self.cache_creation_input_tokens)
        # A gateway may tell a 0 of its own beside the provider's count.
        cached = min(max((count for count in read if count is not None), default=0), self.prompt_tokens)
        rest = self.prompt_tokens - cached
        kept = min(max((count for count in written if count is not None), default=0), rest)
        return Counted(self.prompt_tokens, cached, kept, self.completion_tokens)


class _Part(BaseModel):
    text: str | None = None


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class Completion(BaseModel):
    """A response of ``POST /chat/completions``, as far as it is read. What else is in it is passed over."""

    choices: list[_Choice]
    # A usage that makes no sense costs no answer, so it is read by itself.
    usage: Any = None

    @property
    def content(self) -> str:
        """What the model wrote."""
        content = self.choices[0].message.content or ""
        return content if isinstance(content, str) else "".join(part.text or "" for part in content)

    @property
    def finish(self) -> str:
        """Why it ended: stop, length, content_filter; empty where the server does not say."""
        return self.choices[0].finish_reason or ""

    @property
    def refusal(self) -> str:
        """The words of a refusal; empty where there is none."""
        return self.choices[0].message.refusal or ""

    @property
    def counted(self) -> Counted | None:
        """What the server counted; None where it gives no usage that can be."""
        try:
            return _Usage.model_validate(self.usage).counted
        except ValidationError:
            return None


def read_completion(body: str) -> Completion | None:
    """The completion in a response, None where it is none."""
    try:
        completion = Completion.model_validate_json(body)
    except ValidationError:
        return None
    return completion if completion.choices else None


class _Problem(BaseModel):
    message: str | None = None


class _Failure(BaseModel):
    error: _Problem | str | None = None
    message: str | None = None
    detail: str | None = None


def told(body: str) -> str:
    """The words of an error, on one line and not long, whatever shape the server gives them."""
    try:
        failure = _Failure.model_validate_json(body)
    except ValidationError:
        text = body
    else:
        inner = failure.error.message if isinstance(failure.error, _Problem) else failure.error
        text = inner or failure.message or failure.detail or body
    text = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return text if len(text) <= MOST_TOLD else text[:MOST_TOLD] + " …"


# From what a model wrote to a checked value: JSON as it is, or JSON found in text.

# Some reasoning models think aloud before they answer.
THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.S | re.I)
# Errors of pydantic about what strict schemas rule out.
SHAPE = frozenset(
    {
        *("json_invalid", "missing", "extra_forbidden", "string_type", "int_type", "float_type", "bool_type"),
        *(
            "list_type",
            "dict_type",
            "model_type",
            "model_attributes_type",
            "literal_error",
            "enum",
            "none_required",
        ),
    }
)
MOST_STARTS = 50
MOST_ERRORS, LONGEST_ERROR = 8, 300


@dataclass(frozen=True, slots=True)
class Fitting(Generic[Answer]):
    """A value that fits. ``pure``: the answer was JSON and nothing else."""

    value: Answer
    pure: bool


@dataclass(frozen=True, slots=True)
class Unfit:
    """Why there is no value, for the person and for the repair. ``formed``: it was JSON.
    ``shape``: and not of the schema's shape, which a server that keeps to schemas cannot send."""

    reason: str
    formed: bool
    shape: bool = True


def read_answer(content: str, schema: type[Answer]) -> Fitting[Answer] | Unfit:
    """The value in a model's answer."""
    text = THOUGHTS.sub("", content).strip()
    try:
        return Fitting(schema.model_validate_json(text), pure=text == content.strip())
    except ValidationError as error:
        problem = error
    formed = not _syntax(problem)
    for candidate in () if formed and text.startswith("{") else _objects(text):
        try:
            return Fitting(schema.model_validate_json(candidate), pure=False)
        except ValidationError as error:
            if not _syntax(error):
                problem = error
    return Unfit(_told(problem), formed, bool(_kinds(problem) & SHAPE))


def _kinds(error: ValidationError) -> set[str]:
    return {item["type"] for item in error.errors(include_url=False, include_context=False)}


def _syntax(error: ValidationError) -> bool:
    return "json_invalid" in _kinds(error)


def _objects(text: str) -> Iterator[str]:
    """JSON objects in a text, the last first: a model that thinks aloud ends with its answer."""
    decoder, found, at = json.JSONDecoder(), [], 0
    for _ in range(MOST_STARTS):
        at = text.find("{", at)
        if at < 0:
            break
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        found.append(text[at:end])
        at = end
    return reversed(found)


def _told(error: ValidationError) -> str:
    """What is wrong, one clause for each place. The input is not repeated: the repair shows it."""
    listed = []
    for item in error.errors(include_url=False, include_context=False, include_input=False)[:MOST_ERRORS]:
        where = ".".join(map(str, item["loc"])) or "answer"
        listed.append(f"{where}: {item['msg']}"[:LONGEST_ERROR])
    return "; ".join(listed)
