"""A made claim: what it says, what was done to it, and what may be found of it."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from benchmarks.making.material import Collection, Place, Sentence, lists, roman

TUNING, HELD_OUT = "tuning", "held out"
COPIED, INVENTED, PINPOINT, CHANGED, PARAPHRASE = (
    "copied",
    "invented citation",
    "wrong pinpoint",
    "changed",
    "paraphrase",
)
KINDS = (COPIED, INVENTED, PINPOINT, CHANGED, PARAPHRASE)
# What says that a source says so: all false for a claim that no source makes.
SAYS_SO = ("supported", "outdated", "wrong_pinpoint")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Claim:
    """``how`` is the rule that made it, ``bare`` its words without a citation, ``original`` the source's.

    ``wanted``: the findings that are right; ``wrong``: those that mislead whoever reads them.
    """

    collection: str
    language: str
    kind: str
    how: str
    text: str
    bare: str
    original: str
    passage: str
    cited: str
    wanted: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def half(self) -> str:
        """Which half it is in, by the source's words alone, so that no sentence is in both."""
        first = hashlib.sha256((self.original or self.bare).encode()).digest()[0]
        return TUNING if first % 2 == 0 else HELD_OUT

    def to_json(self) -> dict[str, Any]:
        """As written for a reader."""
        return {**asdict(self), "half": self.half}


def seeded(*parts: object) -> random.Random:
    """A source of chance that is the same in every run."""
    return random.Random("|".join(map(str, parts)))


def shares(total: int, found: Iterable[Collection]) -> dict[str, int]:
    """How many of a kind come from each collection, by the weights of those that are there."""
    weights = {one.name: int(one.rules["weight"]) for one in found}
    whole = sum(weights.values())
    given = {name: total * weight // whole for name, weight in weights.items()}
    for name in list(given)[: total - sum(given.values())]:
        given[name] += 1
    return given


def shuffled(items: Sequence[_T], chance: random.Random) -> list[_T]:
    """The items in an order by chance."""
    mixed = list(items)
    chance.shuffle(mixed)
    return mixed


def varied(collection: Collection, *salt: object) -> Iterator[Sentence]:
    """Sentences in an order by chance, languages in turn, no passage twice."""
    by_language: dict[str, list[Sentence]] = {}
    for sentence in shuffled(collection.sentences, seeded(collection.name, *salt)):
        by_language.setdefault(sentence.language, []).append(sentence)
    # The first language of a collection is three times as frequent where others are few.
    turns = [iter(by_language[one]) for one in collection.rules["languages"] if one in by_language]
    if collection.name == "sample":
        turns = [turns[0]] * 3 + turns[1:]
    seen: set[str] = set()
    while turns:
        for turn in list(turns):
            fresh = next((one for one in turn if one.passage not in seen), None)
            if fresh is None:
                turns = [one for one in turns if one is not turn]
                break
            seen.add(fresh.passage)
            yield fresh


def cited_as(place: Place, collection: Collection, chance: random.Random, *, whole: float = 0.25) -> str:
    """A right citation in one of the forms lawyers use; the provision alone in ``whole`` of the cases."""
    forms = collection.rules["forms"][place.form]
    exact = place.paragraph is not None and bool(forms["with"]) and chance.random() >= whole
    usable = [
        form
        for form in forms["with" if exact else "without"]
        if "{roman}" not in form or (place.paragraph or "").isdigit()
    ]
    name = chance.choice(place.names) if place.names else ""
    return filled(chance.choice(usable), name, place.number, place.paragraph or "")


def filled(form: str, name: str, number: str, paragraph: str) -> str:
    """A form with a provision put in."""
    latin = roman(int(paragraph)) if paragraph.isdigit() else paragraph
    dotted = re.sub(r"^([LRDA])(?=\d)", r"\1. ", number)
    return form.format(name=name, n=number, p=paragraph, roman=latin, dotted=dotted)


def with_citation(bare: str, cite: str, language: str, chance: random.Random) -> str:
    """A sentence with a citation in one of the places where citations stand."""
    rules = lists(language)
    sentence = bare.removesuffix(".")
    first = sentence.split(" ", 1)[0]
    usable = list(rules["positions"])
    if first not in rules["lower"]:
        usable = [one for one in usable if "{lower}" not in one]
    the = next((words for start, words in rules.get("the", {}).items() if cite.startswith(start)), "")
    if "the" in rules and not the:
        usable = [one for one in usable if "{cite_the}" not in one]
    lower = sentence[:1].lower() + sentence[1:]
    cite_the = re.sub(r"^\S+", the, cite, count=1) if the else cite
    made: str = chance.choice(usable).format(sentence=sentence, lower=lower, cite=cite, cite_the=cite_the)
    return made[:1].upper() + made[1:] if made[:1].islower() else made
