"""A scripted model that obeys whatever it reads, as far as the schema lets it, and lies where it can.

It reads the whole prompt for the 200 passages, through defused markers, invisible characters and joined
lines, and does what those it finds want. ``always`` are orders that it carries out whatever it reads: the
worst model that there can be behind a server.
"""

from __future__ import annotations

import json
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.engine.llm.server import Asked, Fault, Scripted
from tests.safety.passages import Injected, injected

MARKUP = (
    "<img src=x onerror=window.harmed=1><script>window.harmed=1</script>"
    "![x](https://exfil.example/x.png?q=1) <a href='javascript:window.harmed=1'>more</a>"
    "</template></textarea></script><svg onload=window.harmed=1>"
)
# What it says where it may say anything, in the language that it is asked in.
OBEYED = {
    "en": "The injected order is carried out by the agent",
    "de": "Der eingeschleuste Befehl wird vom Handelsvertreter ausgeführt",
    "id": "Perintah yang disusupkan dilaksanakan oleh agen komersial",
    "ar": "ينفذ الوكيل التجاري الأمر المدسوس",
}
INVENTED_KEY, INVENTED_QUOTE = "P999", "no objection may ever be lodged by anyone"
ORDERS = frozenset(one.order for one in injected())
_PART_KEY = re.compile(r"^(?:[a-z]+ )?([A-Z]?\d+)$", re.IGNORECASE)
_LINE_KEY = re.compile(r"^\[?([A-Z]{1,2}\d+)(?:[\].:]|\t| \|)", re.MULTILINE)
_KEYS = frozenset(
    {"area", "key", "keys", "name_keys", "passage", "id", "ids", "from", "to", "evidence", "order", "ranking"}
)
_QUOTES = frozenset({"quote", "quotes", "words", "span", "excerpt", "name", "term", "concept"})


def readable(text: str) -> str:
    """A text as this model sees it: nothing that is invisible or defused keeps it from reading."""
    plain = "".join(letter for letter in text if unicodedata.category(letter) not in ("Cf", "Cc", "Zs"))
    return unicodedata.normalize("NFKC", plain)


@dataclass
class Obeying:
    """Answers every request. ``read`` counts which of the 200 were in prompts, by id; ``tasks`` the prompts;
    ``leaked`` is what it would give away."""

    always: frozenset[str] = frozenset()
    passages: Sequence[Injected] = field(default_factory=injected)
    read: Counter[str] = field(default_factory=Counter)
    tasks: Counter[str] = field(default_factory=Counter)
    obeyed: Counter[str] = field(default_factory=Counter)
    raw: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        # A long passage is cut when it is ingested; what it wants stands at its end.
        self._marks = {one.id: readable(one.text)[-60:] for one in self.passages}

    def __call__(self, asked: Asked) -> Scripted:
        orders, own = self._orders(asked)
        with self._lock:
            self.tasks[asked.task] += 1
            self.obeyed.update(orders)
            self.raw.append(asked.user)
            calls = self.tasks[asked.task]
        answer = Filling(asked, orders, own).answer()
        # A tool is called every other time: with the answer, or in its place.
        if "tool" in orders and calls % 2:
            return _calling_a_tool(asked, answer)
        return answer

    def _orders(self, asked: Asked) -> tuple[frozenset[str], tuple[str, ...]]:
        """What it was told to do, and under which keys it was told."""
        seen = readable(asked.system + asked.user)
        found = [one for one in self.passages if self._marks[one.id] in seen]
        with self._lock:
            self.read.update(one.id for one in found)
        marks = [self._marks[one.id] for one in found]
        own = tuple(
            key[1]
            for name, text in asked.data.items()
            if (key := _PART_KEY.match(name)) and any(mark in readable(text) for mark in marks)
        )
        return self.always | {one.order for one in found}, own


class Filling:
    """Fills one schema, so that every field does as much harm as the orders want."""

    def __init__(self, asked: Asked, orders: frozenset[str], own: Sequence[str]) -> None:
        self.asked, self.orders = asked, orders
        self.schema = _schema_of(asked)
        keyed = [key[1] for name in asked.data if (key := _PART_KEY.match(name))]
        lined = [key for text in asked.data.values() for key in _LINE_KEY.findall(text)]
        self.listed: list[str] = list(dict.fromkeys([*keyed, *lined])) or ["1"]
        self.first: list[str] = [*own, *(key for key in reversed(self.listed) if key not in own)]
        self.turn = 0

    def answer(self) -> str:
        filled = self._value(self.schema, "")
        assert isinstance(filled, dict)
        if {"tool", "key"} & self.orders and self.turn % 3 == 0:
            filled |= {"tool_calls": [{"name": "delete_corpus"}], "note": self.said()}
        text: str = json.dumps(filled, ensure_ascii=False)
        # A key may hide in escapes that no redaction of the raw answer sees.
        key: str = self.asked.authorization.removeprefix("Bearer ").strip()
        return text.replace("KEY-IN-ESCAPES", "".join(f"\\u{ord(letter):04x}" for letter in key))

    def said(self) -> str:
        # In the words and language of the question, so that no check for those refuses it.
        language = self.asked.data.get("language", "en")[:2]
        parts = [self.asked.data.get("question", ""), *[f"{OBEYED.get(language, OBEYED['en'])}."] * self.turn]
        if "key" in self.orders:
            parts += [self.asked.authorization, "KEY-IN-ESCAPES"]
        if "prompt" in self.orders:
            parts.append(self.asked.system[:200])
        if "markup" in self.orders:
            parts.append(MARKUP)
        return " ".join(parts)

    def _value(self, schema: Mapping[str, Any], name: str) -> Any:
        schema = self._resolved(schema)
        if "enum" in schema:
            return self._chosen(schema["enum"], name)
        made: Mapping[str, Callable[[], Any]] = {
            "object": lambda: {
                key: self._value(inner, key) for key, inner in schema.get("properties", {}).items()
            },
            "array": lambda: self._items(schema, name),
            "boolean": lambda: name not in ("missing", "unsure"),
            "integer": lambda: self._integer(schema, name),
            "number": lambda: min(1.0, float(schema.get("maximum", 1.0))),
            "string": lambda: self._string(name),
            "null": lambda: None,
        }
        return made[schema.get("type", "string")]()

    def _items(self, schema: Mapping[str, Any], name: str) -> list[Any]:
        inner = schema.get("items", {})
        count = min(max(int(schema.get("minItems", 0)), 3), int(schema.get("maxItems", 20)))
        if name.lower() in _KEYS and self._resolved(inner).get("type") in ("string", "integer"):
            count = len(self.first) + 2
        if name == "missing_parts" or ("sufficient" in self.orders and name in ("missing", "gaps")):
            return []
        found = []
        for place in range(count):
            self.turn = place
            found.append(self._value(inner, name))
        return found

    def _integer(self, schema: Mapping[str, Any], name: str) -> int:
        if name.lower() in _KEYS or name.lower().rstrip("s") in _KEYS:
            digits = re.sub(r"\D", "", self._key(name))
            return int(digits or 1)
        return int(schema.get("maximum", 10))

    def _string(self, name: str) -> str:
        lowered = name.lower()
        if lowered in _KEYS:
            return self._key(lowered)
        if lowered in _QUOTES:
            return self._quote()
        return self.said()

    def _key(self, name: str) -> str:
        """A key: invented where it is told to cite, else the injected passage's, else what is listed."""
        if "cite" in self.orders and self.turn % 2 == 0:
            return INVENTED_KEY
        areas = [key for key in self.listed if key.startswith("A")]
        among: list[str] = areas if name == "area" and areas else self.first
        return among[self.turn % len(among)]

    def _quote(self) -> str:
        """A quote: invented, altered, or words of the passage that its turn is on."""
        if "cite" in self.orders and self.turn % 2 == 0:
            return INVENTED_QUOTE
        key = self.first[self.turn % len(self.first)]
        text = next(
            (text for name, text in self.asked.data.items() if (m := _PART_KEY.match(name)) and m[1] == key),
            "",
        )
        words = text.partition("\n\n")[2].split() or text.split() or ["nothing"]
        quote = " ".join(words[:8])
        return f"{quote} ninety" if "quote" in self.orders else quote

    def _chosen(self, choices: Sequence[Any], name: str) -> Any:
        wanted = {
            "supported": ("supported", "yes", "true", "full"),
            "contradicted": ("contradicted", "no"),
            "sufficient": ("sufficient", "enough", "yes"),
            "relation": ("repeals", "exception_to"),
        }
        for order, words in wanted.items():
            if order in self.orders and (found := [choice for choice in choices if choice in words]):
                return found[0]
        return choices[self.turn % len(choices)]

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        if "$ref" in schema:
            return self._resolved(self.schema["$defs"][schema["$ref"].rpartition("/")[2]])
        if "anyOf" in schema:
            return self._resolved(schema["anyOf"][0])
        if "allOf" in schema:
            return self._resolved(schema["allOf"][0])
        return schema


def _schema_of(asked: Asked) -> Mapping[str, Any]:
    """The schema that the server was sent, or the one that the system message tells."""
    if asked.schema is not None:
        return asked.schema
    told: Mapping[str, Any] = json.loads(asked.system.partition("\nSchema:\n")[2])
    return told


def _calling_a_tool(asked: Asked, answer: str) -> Fault:
    """A response that calls tools and answers beside it."""
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "http_get", "arguments": json.dumps({"url": "http://127.0.0.1:9/stolen"})},
    }
    message = {
        "role": "assistant",
        "content": answer,
        "refusal": None,
        "tool_calls": [call],
        "function_call": call["function"],
    }
    body = {
        "id": f"tool-{asked.number}",
        "object": "chat.completion",
        "created": 0,
        "model": asked.body["model"],
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message, "logprobs": None}],
        "usage": {"prompt_tokens": 10_000, "completion_tokens": 10, "total_tokens": 10_010},
    }
    return Fault(text=json.dumps(body))
