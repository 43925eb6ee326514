"""Structured answers: JSON schemas for servers, and the parsing of completions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_
from typing import Annotated, Any, Generic

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.llm.base import Answer, Counted

# Convert pydantic schemas to strict JSON schemas for servers, and to words for models.
#
# Lists, literals, optional fields and nested schemas can be strict. A dictionary or a tuple as a
# field cannot: strict servers refuse such a schema, and its answers are only checked afterwards.

# Keywords of strict structured output
# (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas); the others are described in
# words and checked by pydantic.
STRICT_KEYS = frozenset(
    {
        *("type", "properties", "required", "additionalProperties", "items", "anyOf", "$ref", "$defs"),
        *("enum", "const", "description", "minimum", "maximum", "minItems", "maxItems", "pattern"),
    }
)
INDENT = "  "
LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minItems": "at least {} of them",
    "maxItems": "at most {} of them",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "matching {}",
    "format": "a {}",
}

Node = Mapping[str, Any]


@lru_cache(maxsize=64)
def strict_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema for strict output: all properties required, no others, known keywords only."""
    from openai import pydantic_function_tool

    made: Any = pydantic_function_tool(schema)["function"]["parameters"]
    stripped: dict[str, Any] = _stripped(made)
    return stripped


class Wrapped(BaseModel, Generic[Answer]):
    """An answer as a schema for several tasks has it: a schema may not be a choice at its top."""

    model_config = ConfigDict(extra="forbid")

    answer: Answer


@lru_cache(maxsize=16)
def one_of(schemas: tuple[type[BaseModel], ...]) -> type[BaseModel]:
    """Return a wrapped schema that fits an answer to any of several schemas."""
    wrapped: Any = Wrapped
    made: type[BaseModel] = wrapped[reduce(or_, schemas)]
    return made


@lru_cache(maxsize=64)
def schema_text(schema: type[BaseModel]) -> str:
    """Return the schema in words: an example object with the kind of each value; notes follow ``//``."""
    made = schema.model_json_schema()
    return _kind(made, made.get("$defs", {}), "", ())


def _stripped(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    kept: dict[str, Any] = {}
    for name, value in node.items():
        # Exactly one of several schemas must fit; strict output supports only "any of".
        key = "anyOf" if name == "oneOf" else name
        if key not in STRICT_KEYS:
            continue
        if key in ("properties", "$defs"):
            kept[key] = {inner: _stripped(schema) for inner, schema in value.items()}
        elif key == "anyOf":
            kept[key] = [_stripped(inner) for inner in value]
        else:
            kept[key] = _stripped(value)
    return kept


def _kind(node: Node, defs: Node, indent: str, inside: tuple[str, ...]) -> str:
    """Return the kind of a value; ``inside`` are the enclosing schemas, so that one may contain itself."""
    if "$ref" in node:
        name = str(node["$ref"]).rpartition("/")[2]
        return name if name in inside else _kind(defs.get(name, {}), defs, indent, (*inside, name))
    if "const" in node:
        return _json(node["const"])
    if "enum" in node:
        return " or ".join(map(_json, node["enum"]))
    for several in ("anyOf", "oneOf", "allOf"):
        if several in node:
            return " or ".join(_kind(inner, defs, indent, inside) for inner in node[several])
    kind = str(node.get("type", "any value"))
    if kind == "array":
        return f"[{_kind(node.get('items', {}), defs, indent, inside)}, ...]"
    if kind != "object":
        return kind
    if "properties" not in node:
        values = node.get("additionalProperties")
        return f"{{string: {_kind(values if isinstance(values, dict) else {}, defs, indent, inside)}, ...}}"
    lines = _properties(node["properties"], defs, indent + INDENT, inside)
    return "\n".join(("{", *lines, indent + "}"))


def _properties(properties: Node, defs: Node, indent: str, inside: tuple[str, ...]) -> Iterator[str]:
    for number, (name, node) in enumerate(properties.items(), 1):
        comma = "," if number < len(properties) else ""
        notes = "; ".join(_notes(node))
        kind = _kind(node, defs, indent, inside)
        # After a long kind a note would be far from its name.
        if notes and "\n" in kind:
            yield f"{indent}// {notes}"
            notes = ""
        yield f"{indent}{_json(name)}: {kind}{comma}" + (f"  // {notes}" if notes else "")


def _notes(node: Node) -> Iterator[str]:
    if "description" in node:
        yield " ".join(str(node["description"]).split())
    inner = [node, *(part for part in node.get("anyOf", ()) if isinstance(part, dict))]
    for part in inner:
        for key, words in LIMITS.items():
            if key in part:
                yield words.format(part[key])


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


# Parsing of completions, and of the answers in them.

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
