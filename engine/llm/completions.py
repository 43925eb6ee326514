"""Parsing of completions, and of the answers in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Generic

from pydantic import BaseModel, Field, ValidationError

from engine.llm.base import Answer, Counted

# A server's response: the answer, the reason for its end, and the token counts.

MOST_TOLD = 300


Count = Annotated[int, Field(ge=0)]


class _Details(BaseModel):
    cached_tokens: Count | None = None
    cache_write_tokens: Count | None = None


class _Usage(BaseModel):
    prompt_tokens: Annotated[int, Field(gt=0)]
    completion_tokens: Count
    prompt_tokens_details: _Details | None = None
    # The names used by DeepSeek, Moonshot, and Anthropic (passed on by gateways).
    prompt_cache_hit_tokens: Count | None = None
    cached_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None

    @property
    def counted(self) -> Counted:
        """Return the counts; the cached tokens never exceed those of the prompt."""
        details = self.prompt_tokens_details or _Details()
        read = (
            details.cached_tokens,
            self.prompt_cache_hit_tokens,
            self.cached_tokens,
            self.cache_read_input_tokens,
        )
        written = (details.cache_write_tokens, self.cache_creation_input_tokens)
        # A gateway may add a 0 of its own to the provider's count.
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
    # Parsed separately, so that an invalid usage does not invalidate the answer.
    usage: Any = None

    @property
    def content(self) -> str:
        """The model's text."""
        content = self.choices[0].message.content or ""
        return content if isinstance(content, str) else "".join(part.text or "" for part in content)

    @property
    def finish(self) -> str:
        """The reason for the end: stop, length, content_filter; empty if missing."""
        return self.choices[0].finish_reason or ""

    @property
    def refusal(self) -> str:
        """The text of a refusal; empty if there is none."""
        return self.choices[0].message.refusal or ""

    @property
    def counted(self) -> Counted | None:
        """The server's counts; None if missing or invalid."""
        try:
            return _Usage.model_validate(self.usage).counted
        except ValidationError:
            return None


def read_completion(body: str) -> Completion | None:
    """Parse the completion in a response; None if invalid."""
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


def error_message(body: str) -> str:
    """Return the message of an error, on one line and shortened, whatever its format."""
    try:
        failure = _Failure.model_validate_json(body)
    except ValidationError:
        text = body
    else:
        inner = failure.error.message if isinstance(failure.error, _Problem) else failure.error
        text = inner or failure.message or failure.detail or body
    text = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return text if len(text) <= MOST_TOLD else text[:MOST_TOLD] + " …"


# From a model's text to a checked value: JSON as it is, or JSON found in text.

# Some reasoning models write their thoughts before the answer.
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
    """A valid value. ``pure``: the answer was JSON and nothing else."""

    value: Answer
    pure: bool


@dataclass(frozen=True, slots=True)
class Unfit:
    """The reason why there is no value, for the user and for the repair. ``formed``: it was JSON.

    ``shape``: the JSON violates the schema itself, which a server with strict schemas prevents.
    """

    reason: str
    formed: bool
    shape: bool = True


def read_answer(content: str, schema: type[Answer]) -> Fitting[Answer] | Unfit:
    """Parse the value in a model's answer."""
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
    return Unfit(_describe_errors(problem), formed, bool(_kinds(problem) & SHAPE))


def _kinds(error: ValidationError) -> set[str]:
    return {item["type"] for item in error.errors(include_url=False, include_context=False)}


def _syntax(error: ValidationError) -> bool:
    return "json_invalid" in _kinds(error)


def _objects(text: str) -> Iterator[str]:
    """Yield the JSON objects in a text, last first: after its thoughts a model ends with the answer."""
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


def _describe_errors(error: ValidationError) -> str:
    """Return the problems, one clause per location, without the input: the repair shows that."""
    listed = []
    for item in error.errors(include_url=False, include_context=False, include_input=False)[:MOST_ERRORS]:
        where = ".".join(map(str, item["loc"])) or "answer"
        listed.append(f"{where}: {item['msg']}"[:LONGEST_ERROR])
    return "; ".join(listed)
