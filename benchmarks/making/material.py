"""Sentences of real law with the place where they stand, for claims to be made from.

Written apart from the engine's own splitting and citing, which is what the claims measure: here a sentence is
left out wherever it is doubtful that it is one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.bounded_yaml import load
from engine.corpus import open_corpus
from engine.model import Document, Passage

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
    read: dict[str, Any] = load((LISTS / f"{name}.yaml").read_text(encoding="utf-8"))
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
