"""Sentences of real law with their places, and the claims made from them."""

from __future__ import annotations

import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.bounded import load_yaml
from engine.corpus import open_corpus
from engine.model import Document, Passage

# Sentences of real law with the place where they stand, for claims to be made from.
#
# Written apart from the engine's own splitting and citing, which is what the claims measure: here
# a sentence is left out wherever it is doubtful that it is one.

LISTS = Path(__file__).parents[1] / "claims" / "making"
# The law of this day is what a claim is held against.
DAY = date(2024, 6, 1)
SHORTEST, LONGEST = 8, 60
_SPACE = re.compile(r"[\s\u00a0]+")
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\ufeff\u00ad]")
_WORD = re.compile(r"\w+")
_BOUNDARY = re.compile(r"(?<=\.)\s+(?=[^\W\d_a-zäöüéèàñ]|§)")
_LIST_ITEM = re.compile(r"^\s*(?:\(?[a-z0-9]{1,4}[.)°]|[IVX]+\s?[.)]|[-–—•*|#])\s")
_ROMAN = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


@cache
def lists(name: str) -> dict[str, Any]:
    """The word lists of a language, or the collections (``collections``)."""
    read: dict[str, Any] = load_yaml((LISTS / f"{name}.yaml").read_text(encoding="utf-8"))
    return read


def words_of(text: str) -> list[str]:
    """Words for comparison: small letters, no marks."""
    return _WORD.findall(text.lower())


def roman(number: int) -> str:
    """A small number in Roman figures."""
    written = ""
    for value, figure in _ROMAN:
        while number >= value:
            written += figure
            number -= value
    return written


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sentence stands: names of its document, form of citation, number and paragraph."""

    document: str
    names: tuple[str, ...]
    form: str
    number: str
    paragraph: str | None

    @property
    def provision(self) -> tuple[str, str]:
        """The provision without the paragraph."""
        return self.document, self.number


@dataclass(frozen=True, slots=True)
class Sentence:
    """A whole sentence of a passage; ``place`` is None where it is not sure how lawyers would cite it."""

    text: str
    language: str
    passage: str
    place: Place | None


class Collection:
    """One collection: its sentences, its provisions, and which passages hold which words."""

    def __init__(self, name: str, folder: Path):
        self.name = name
        self.folder = folder
        self.rules: dict[str, Any] = lists("collections")[name]
        corpus = open_corpus(folder)
        documents = {one.id: one for one in corpus.documents()}
        passages = corpus.passages(np.arange(len(corpus), dtype=np.int32))
        self.passages = [one for one in passages if self._is_used(one, documents[one.document_id])]
        self._holding: dict[str, list[int]] = defaultdict(list)
        self.words = [set(words_of(one.text)) for one in self.passages]
        for row, held in enumerate(self.words):
            for word in held:
                self._holding[word].append(row)
        self.plain = [" ".join(words_of(one.text)) for one in self.passages]
        self.paragraphs: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.places: dict[tuple[str, str], Place] = {}
        # The words of a paragraph, of the whole provision under None.
        self.texts: dict[tuple[str, str, str | None], list[str]] = defaultdict(list)
        self.sentences = self._sentences(documents)

    def _is_used(self, passage: Passage, document: Document) -> bool:
        if passage.language not in self.rules["languages"]:
            return False
        ends = (passage.valid_to, document.valid_to)
        starts = (passage.valid_from, document.valid_from)
        over = any(end is not None and end < DAY for end in ends)
        return not over and not any(start is not None and start > DAY for start in starts)

    def _sentences(self, documents: dict[str, Document]) -> list[Sentence]:
        found: dict[str, Sentence] = {}
        for passage in self.passages:
            for text, place in self._placed(passage, documents[passage.document_id]):
                if place is not None:
                    self.places.setdefault(place.provision, place)
                    for paragraph in {None, place.paragraph}:
                        self.texts[(*place.provision, paragraph)].append(text)
                    if place.paragraph:
                        self.paragraphs[place.provision].add(place.paragraph)
                for sentence in sentences_of(text, passage.language):
                    found.setdefault(sentence, Sentence(sentence, passage.language, passage.id, place))
        return [found[text] for text in sorted(found)]

    def _placed(self, passage: Passage, document: Document) -> Iterator[tuple[str, Place | None]]:
        """The blocks of a passage, each with the paragraph that its mark says."""
        mark = re.compile(self.rules["markers"]) if "markers" in self.rules else None
        parts = "#" in passage.id or (passage.paragraph is not None and "." in passage.label[-8:])
        paragraph: str | None = passage.paragraph if self.name in ("sample",) else None
        known = not parts
        for block in passage.text.split("\n"):
            met = mark.match(block) if mark else None
            if met:
                paragraph, known = next(one for one in met.groups() if one), True
                block = block[met.end() :]
            yield block, self._place(passage, document, paragraph) if known else None

    def _place(self, passage: Passage, document: Document, paragraph: str | None) -> Place | None:
        rules, number, form = self.rules, passage.number or "", passage.language
        if "label" in rules:
            label = str(passage.metadata.get("passage_label", ""))
            of_act = document.title == rules["section_of"]
            if not of_act and not passage.label.startswith("Rule "):
                return None
            met = re.match(rules["section_label"] if of_act else rules["label"], label)
            if met is None:
                return None
            number, paragraph = met.group(1), met.group(2)
            form = "section" if of_act else form
        if not re.fullmatch(rules.get("number", r"A?\d+[a-z]?(?:\.\d+)*"), number):
            return None
        if passage.kind.value not in ("article", "section", "paragraph", "rule", "clause"):
            return None
        if "labels" in rules and not re.match(rules["labels"], passage.label):
            return None
        names = document.aliases or (document.title,)
        if "names" in rules:
            names = tuple(one for one in names if re.match(rules["names"], one))
        return Place(document.id, names, form, number, paragraph) if names else None

    def rarest(self, text: str, count: int = 4) -> list[int]:
        """Rows of the passages that hold the rarest words of a text, all of those that occur."""
        held = [rows for word in set(words_of(text)) if (rows := self._holding.get(word))]
        held.sort(key=len)
        if not held:
            return []
        common = set(held[0])
        for rows in held[1:count]:
            common &= set(rows)
        return sorted(common)

    def overlap(self, text: str) -> NDArray[np.float64]:
        """For each passage the share of the text's words that it holds."""
        asked = set(words_of(text))
        counts = np.zeros(len(self.passages))
        for word in asked:
            if word in self._holding:
                counts[self._holding[word]] += 1
        return counts / max(len(asked), 1)

    def says(self, text: str) -> bool:
        """Whether the words stand in a passage in this order."""
        plain = " ".join(words_of(text))
        return any(plain in self.plain[row] for row in self.rarest(text))

    def nearly_said(self, text: str, but: str, share: float = 0.9) -> bool:
        """Whether another passage than ``but`` holds nearly all words of the text."""
        near = np.flatnonzero(self.overlap(text) >= share)
        return any(self.passages[row].id != but for row in near.tolist())


def sentences_of(block: str, language: str) -> Iterator[str]:
    """The sentences of a block of text that are whole beyond doubt."""
    rules = lists(language)
    if _LIST_ITEM.match(block):
        return
    parts: list[str] = []
    for piece in _BOUNDARY.split(_SPACE.sub(" ", _INVISIBLE.sub("", block)).strip()):
        if parts and _is_open(parts[-1], rules["abbreviations"]):
            parts[-1] += " " + piece
        else:
            parts.append(piece)
    for part in parts:
        if is_whole(part, rules):
            yield part


def _is_open(part: str, abbreviations: list[str]) -> bool:
    last = part.rsplit(" ", 1)[-1].strip("(„“\"'").removesuffix(".")
    return last in abbreviations or last.isdigit() or len(last) == 1


def is_whole(text: str, rules: dict[str, Any]) -> bool:
    """Whether a text is one whole sentence with a finite verb, no heading and no part of a list."""
    words = text.split()
    if not SHORTEST <= len(words) <= LONGEST or not text.endswith(".") or not text[0].isalpha():
        return False
    if text[0].islower() or _BOUNDARY.search(text) or any(mark in text for mark in ':;[]|“”"„<>…'):
        return False
    if text.count("(") != text.count(")") or sum(word.isupper() and len(word) > 3 for word in words) > 3:
        return False
    last = words[-1].removesuffix(".")
    if last in rules["abbreviations"] or (len(last) == 1 and not last.isdigit()):
        return False
    plain = {word.strip(",.()").lower() for word in words}
    return any(verb.lower() in plain for verb in rules["verbs"])


def collections(folder: Path, names: list[str]) -> Iterator[Collection]:
    """The collections that are there, in the order of the list."""
    for name, rules in lists("collections").items():
        found = next((folder / one for one in rules["folders"] if (folder / one).is_dir()), None)
        if found is not None and (not names or name in names):
            yield Collection(name, found)


# A made claim: what it says, what was done to it, and what may be found of it.

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
