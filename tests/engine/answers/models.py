"""Scripted answers of a language model: one that tells the truth, and many that do not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.engine.llm.server import Asked

PASSAGE = re.compile(r"passage (\d+)")


def passages(asked: Asked) -> Mapping[int, str]:
    """The text of each passage that the model was shown, by its key, without the line of its source."""
    shown = {}
    for name, text in asked.data.items():
        found = PASSAGE.fullmatch(name)
        if found:
            shown[int(found[1])] = text.partition("\n\n")[2]
    return shown


def key_of(asked: Asked, words: str) -> int:
    """The key of a passage that holds some words."""
    return next(key for key, text in passages(asked).items() if words in text)


def said(text: str, *quotes: tuple[int, str]) -> dict[str, Any]:
    return {"text": text, "quotes": [{"key": key, "quote": quote} for key, quote in quotes]}


def filled(*sentences: Mapping[str, Any], missing: bool = False) -> dict[str, Any]:
    return {"missing": missing, "sentences": list(sentences)}


# What the sentence of the rule says, whole, in other words; and with its bounds left out.
STATED = (
    "A manager of a company must not confer on an agent broader powers than those which the manager holds "
    "under Article 31 of the Commercial Register Act, as shown by the entries in force on the day of the "
    "grant."
)
TOO_WIDE = "A manager may not confer broader powers."
RULE = "A manager of a company may not confer on an agent broader powers than those which the manager holds"
EXCEPTION = (
    "The special resolution shall name the agent, describe the powers and state a duration not exceeding "
    "two years."
)


def truthful(asked: Asked) -> dict[str, Any]:
    """Two sentences that their quotes carry; says nothing again."""
    if asked.task != "answer":
        return filled()
    return filled(
        said(STATED, (key_of(asked, RULE), RULE)),
        said("A special resolution states a duration of not more than two years.",
             (key_of(asked, EXCEPTION), EXCEPTION)),
    )  # fmt: skip


def once(*sentences: Mapping[str, Any], then: Sequence[Mapping[str, Any]] = ()) -> Any:
    """A model that says some sentences, and others when it is asked again."""

    def answer(asked: Asked) -> dict[str, Any]:
        return filled(*(sentences if asked.task == "answer" else then))

    return answer
