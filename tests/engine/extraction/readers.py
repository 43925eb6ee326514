"""Scripted readers: one that finds what it was told to look for, and one that lies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tests.engine.llm.server import Asked

DEFINES = re.compile(r"[\"“](?P<term>[^\"”]+)[\"”] means [^;.]+")
EXCEPTION = re.compile(r"(?:does not apply|save as provided in|shall not apply)[^;.]*")


def passages(asked: Asked) -> Mapping[str, str]:
    """The passages of a request by key."""
    return {key: text for key, text in asked.data.items() if re.fullmatch(r"P\d+", key)}


def known(asked: Asked) -> Mapping[str, str]:
    """The known concepts of a request: name by key."""
    return dict(re.findall(r"^(C\d+): (.*) \(.*\)$", asked.data["known concepts"], re.M))


def honest(asked: Asked) -> dict[str, Any]:
    """Lists definitions in quotation marks, exceptions to the passage before, and uses of known concepts."""
    concepts: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    before = None
    for key, text in passages(asked).items():
        for match in DEFINES.finditer(text):
            concepts.append(
                {
                    "name": match["term"],
                    "passage": key,
                    "role": "defines",
                    "quote": match[0],
                    "confidence": 0.9,
                }
            )
        found = EXCEPTION.search(text)
        if found and before:
            links.append(
                {"from": key, "to": before, "relation": "exception_to", "quote": found[0], "confidence": 0.7}
            )
        for concept, name in known(asked).items():
            place = text.lower().find(name.lower())
            if place >= 0:
                words = text[place : place + len(name)]
                concepts.append(
                    {"name": name, "passage": key, "role": "uses", "quote": words, "confidence": 0.6}
                )
                end = " ".join(text.split()[:5])
                links.append(
                    {"from": key, "to": concept, "relation": "defines", "quote": end, "confidence": 0.5}
                )
        before = key
    return {"concepts": concepts, "links": links}


def liar(asked: Asked) -> dict[str, Any]:
    """Says what it must not: each entry is wrong in one way, but the last, which is true."""
    (first, text), *others = passages(asked).items()
    second = others[0][0] if others else first
    words = " ".join(text.split()[:4])
    good = {"from": first, "to": second, "relation": "extends", "quote": words, "confidence": 0.8}
    return {
        "concepts": [
            {"name": "invented name", "passage": first, "role": "uses", "quote": words, "confidence": 0.9},
            {"name": words, "passage": "P999", "role": "uses", "quote": words, "confidence": 0.9},
            {"name": words, "passage": first, "role": "DROP TABLE", "quote": words, "confidence": 0.9},
        ],
        "links": [
            {**good, "quote": words[:-1] + "~"},
            {**good, "quote": f"{words} ... and so on"},
            {**good, "to": "harbour-act"},
            {**good, "from": "P0"},
            {**good, "relation": "obeys"},
            {**good, "relation": "<script>alert(1)</script>"},
            {**good, "confidence": 17},
            {**good, "confidence": -0.1},
            {**good, "to": first},
            good,
            good,
        ],
    }


LIES = {
    "quote not verbatim": 2,
    "key not listed": 3,
    "relation not offered": 3,
    "confidence not from 0 to 1": 2,
    "name not in the passage": 1,
    "link to itself": 1,
    "said twice": 1,
}
