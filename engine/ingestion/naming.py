"""Entities of a whole corpus: the vocabulary that its blocks make together, and where it is mentioned.

A term is looked for by the keys of its stems, added up with a power of a prime for each place (Rabin and
Karp 1987), so that all places of a block are compared with all terms at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import Array, distinct
from engine.corpus.embedded.block import Block, block_name, digest, hashed
from engine.corpus.embedded.mentions import Definers, definers_of, dump_entity, load_entity
from engine.ingestion.ledger import Previous
from engine.ingestion.view import CorpusView
from engine.language.candidates import LARGEST_SHARE, MOST_MENTIONS, Fact
from engine.language.clustering import Encode
from engine.language.entities import EntityTable
from engine.language.letter_case import Word
from engine.language.name_scores import name_scores
from engine.language.vocabulary import LONGEST_TERM, Vocabulary

ENTITIES_SUFFIX = ".entities"
_PRIME = 0x100000001B3
_POWERS = np.asarray([pow(_PRIME, place, 1 << 64) for place in range(LONGEST_TERM)], np.uint64)


VOCABULARY_NAME = "vocabulary.block"


class Naming:
    """Finds the entities of a corpus, and their mentions block by block."""

    def __init__(
        self,
        view: CorpusView,
        names: Sequence[str],
        generation: Path,
        version: str,
        encode: Encode | None = None,
    ) -> None:
        self._view, self._names, self._generation = view, names, generation
        self._version, self._encode = version, encode
        self._old: Previous | None = None

    def found(self, number: int) -> Block:
        """The mentions in a block: pairs of a passage's place in it and a term's number."""
        passages, numbers, written = mentions_in(self._view.blocks[number], self.vocabulary)
        return Block({"passage": passages, "number": numbers, "written": written}, {"key": self._key})

    def learn_from(self, old: Previous) -> None:
        """Take from an older generation what still holds."""
        self._old = old

    def kept(self, number: int) -> Block | None:
        """The mentions in a block as the older generation has them, where they still hold."""
        return self._current(self._name(number))

    def keep(self, number: int) -> None:
        """Let the mentions in a block be part of the new generation as they are."""
        assert self._old is not None
        self._old.keep(self._name(number), self._generation)

    def save(self, number: int, found: Block) -> None:
        """Write the mentions in a block beside it."""
        found.save(self._generation / self._name(number))

    def table(self, parts: Sequence[Block], least: float) -> tuple[EntityTable, Definers]:
        """The entities worth keeping with their mentions, and the rows that define each.

        An entity that one passage alone mentions links nothing and is dropped, unless that passage defines
        it; an acronym that the corpus also writes in small letters is a word in capitals. What has a
        score below ``least`` is hardly a thing with a name (``language/name_scores.py``) and dropped too.
        """
        vocabulary = self.vocabulary
        rows = [part["passage"] + self._view.first_row[number] for number, part in enumerate(parts)]
        row = np.concatenate([np.zeros(0, np.int64), *rows])
        number = np.concatenate([np.zeros(0, np.int32), *(part["number"] for part in parts)])
        scores = self._scores(
            row, number, np.concatenate([np.zeros(0, np.bool_), *(p["written"] for p in parts)])
        )
        row, number = self._with_titled(row, number)
        counts = np.bincount(number, minlength=len(vocabulary["defined"]))
        worth = (counts > 1) | ((counts == 1) & vocabulary["defined"])
        worth[self._shouted()] = False
        most = max(MOST_MENTIONS, LARGEST_SHARE * len(self._view))
        worth &= ~vocabulary["name_of_one_word"] | (counts <= most)
        worth &= scores >= least
        kept = np.flatnonzero(worth)
        renumbered = np.cumsum(worth) - 1
        chosen = worth[number]
        entities = [
            replace(load_entity(record), score=round(score, 3))
            for record, score in zip(
                vocabulary.strings("entities").take(kept), scores[kept].tolist(), strict=True
            )
        ]
        rows_of = self._view.rows
        definers = definers_of(entities, rows_of)
        table = EntityTable(
            entities, row[chosen].astype(np.int32), renumbered[number[chosen]].astype(np.int32)
        )
        return table, definers

    def _with_titled(self, rows: Array, numbers: Array) -> tuple[Array, Array]:
        """Mentions in the order of the corpus, with those of titles by the passages that begin documents."""
        vocabulary = self.vocabulary
        known = self._view.rows
        begin = np.asarray([known[name] for name in vocabulary.strings("titled").all()], np.int64)
        size = max(len(vocabulary["defined"]), 1)
        pairs = distinct(
            np.concatenate([rows, begin]).astype(np.int64) * size
            + np.concatenate([numbers, vocabulary["titled.number"]])
        )
        return pairs // size, pairs % size

    def _scores(self, rows: Array, numbers: Array, written: NDArray[np.bool_]) -> NDArray[np.float32]:
        """How surely each term is a thing with a name, shape (terms,)."""
        vocabulary = self.vocabulary
        size = max(len(vocabulary["defined"]), 1)
        documents = np.searchsorted(self._view.document_rows, rows, side="right").astype(np.int64) - 1
        spread = np.bincount(distinct(documents * size + numbers) % size, minlength=size)
        mentions = np.bincount(numbers, minlength=size)
        capitals = np.bincount(numbers, weights=written, minlength=size) / np.maximum(mentions, 1)
        said, has_case = vocabulary["said"], vocabulary["has_case"]
        share = np.where(has_case, capitals[: len(said)], np.nan).astype(np.float32)
        return name_scores(said, share, spread[: len(said)])

    def save_vocabulary(self) -> None:
        """Write the vocabulary beside the blocks, for the next ingestion."""
        self.vocabulary.save(self._generation / VOCABULARY_NAME)

    def _name(self, number: int) -> str:
        return block_name(self._names[number], ENTITIES_SUFFIX)

    def _current(self, name: str) -> Block | None:
        found = None if self._old is None else self._old.block(name)
        return found if found is not None and found.about["key"] == self._key else None

    @cached_property
    def vocabulary(self) -> Block:
        """The terms of all blocks: by length their keys and numbers; by number the entity, whether a text
        defines it, what says that it is a name; and how acronyms would be written as words."""
        return self._current(VOCABULARY_NAME) or _settled(self._view, self._encode, self._key)

    @cached_property
    def _key(self) -> str:
        """A key of all that the terms are read from."""
        parts = [self._version.encode(), str(self._encode is not None).encode()]
        for block in self._view.blocks:
            parts.append(bytes(block["facts.utf8"]))
            # How often a word stands with a capital decides what is a name.
            parts.extend((bytes(block["words.key"]), bytes(np.bincount(block["tokens.word"]))))
            ids = block.strings("passages.id")
            parts.append("\n".join(ids.take(distinct(block["facts.passage"]))).encode())
        return digest(*parts)

    def _shouted(self) -> NDArray[np.int64]:
        keys, numbers = self.vocabulary["small.key"], self.vocabulary["small.number"]
        return distinct(numbers[_counts(self._view, keys) > 0]).astype(np.int64)


def _counts(view: CorpusView, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """How often the corpus has the words with these keys."""
    looked_for = distinct(keys)
    seen = np.zeros(len(looked_for) + 1, np.int64)
    bounds = np.append(looked_for, np.uint64(0))
    for block in view.blocks:
        words = block["words.key"]
        times = np.bincount(block["tokens.word"], minlength=len(words))
        places = np.searchsorted(looked_for, words)
        known = bounds[places] == words
        np.add.at(seen, places[known], times[known])
    # A word behind all of them is none of them, even where its key is 0.
    seen[-1] = 0
    counts: NDArray[np.int64] = seen[np.searchsorted(looked_for, keys)]
    return counts


def _settled(view: CorpusView, encode: Encode | None, key: str) -> Block:
    vocabulary = Vocabulary()
    for block in view.blocks:
        positions = block["facts.passage"].tolist()
        records = map(orjson.loads, block.strings("facts").all())
        facts = (Fact(row, *record) for row, record in zip(positions, records, strict=True))
        vocabulary.read(facts, block.strings("passages.id").all())

    def count(words: Sequence[Word]) -> list[int]:
        keys = np.asarray([hashed(f"{language} {word}") for language, word in words], np.uint64)
        found: list[int] = _counts(view, keys).tolist()
        return found

    vocabulary.settle(count, encode)
    entities, small = vocabulary.entities(), list(vocabulary.small_forms())
    said, has_case = vocabulary.said()
    of_one_word, titled = vocabulary.names_of_one_word(), list(vocabulary.titled())
    capitals = [vocabulary.capitals(number) for number in range(len(entities))]
    settled = Block(
        {
            "defined": np.asarray([bool(entity.definitions) for entity in entities], np.bool_),
            "said": np.asarray(said, np.float32),
            "has_case": has_case,
            "name_of_one_word": np.isin(np.arange(len(entities)), list(of_one_word)),
            "capital.first": np.asarray([first for first, _ in capitals], np.int8),
            "capital.last": np.asarray([last for _, last in capitals], np.bool_),
            "titled.number": np.asarray([number for number, _ in titled], np.int32),
            "small.number": np.asarray([number for number, _, _ in small], np.int32),
            "small.key": np.asarray([hashed(f"{language} {word}") for _, language, word in small], np.uint64),
        },
        {"key": key},
    )
    settled.put_strings("entities", [dump_entity(entity) for entity in entities])
    settled.put_strings("titled", [name for _, name in titled])
    for length, pairs in _terms_by_length(vocabulary).items():
        keys = np.asarray([term for term, _ in pairs], np.uint64)
        order = np.argsort(keys, kind="stable")
        settled.arrays[f"terms.{length}.keys"] = keys[order]
        settled.arrays[f"terms.{length}.numbers"] = np.asarray([n for _, n in pairs], np.int32)[order]
    return settled


def _terms_by_length(vocabulary: Vocabulary) -> dict[int, list[tuple[int, int]]]:
    found: dict[int, list[tuple[int, int]]] = {}
    stems: dict[tuple[str, str], int] = {}
    for language, key, number in vocabulary.terms():
        total = 0
        for place, stem in enumerate(key):
            value = stems.get((language, stem))
            if value is None:
                value = stems[language, stem] = hashed(f"{language} {stem}")
            total += value * int(_POWERS[place])
        found.setdefault(len(key), []).append((total % (1 << 64), number))
    return found


def mentions_in(
    block: Block, vocabulary: Block
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
    """(passage, term) of each mention in a block, sorted, none twice, and whether its words begin and end as
    names do, once at least; the longest at each place.

    A single word means a term only where it is written as a name.
    """
    tokens = block["tokens.word"].astype(np.int64)
    stems, is_name, in_name = block["words.stem"], block["words.name"], block["words.in_name"]
    counts = block["passages.tokens"]
    passage = np.repeat(np.arange(len(counts)), counts)
    keys = stems[tokens] if len(tokens) else np.zeros(0, np.uint64)
    best = np.full(len(tokens), -1, np.int64)
    lengths = np.zeros(len(tokens), np.int64)
    total = np.zeros(len(tokens), np.uint64)
    for length in range(1, LONGEST_TERM + 1):
        size = len(tokens) - length + 1
        if size <= 0:
            break
        total = total[:size] + keys[length - 1 :] * _POWERS[length - 1]
        known = vocabulary.arrays.get(f"terms.{length}.keys")
        if known is None:
            continue
        places = np.minimum(np.searchsorted(known, total), len(known) - 1)
        found = np.flatnonzero(known[places] == total)
        # A term does not go on in the next passage.
        found = found[passage[found] == passage[found + length - 1]]
        numbers = vocabulary[f"terms.{length}.numbers"][places[found]]
        if length == 1:
            meant = is_name[tokens[found]]
        else:
            first, last = vocabulary["capital.first"][numbers], vocabulary["capital.last"][numbers]
            begin = found + np.maximum(length - first, 0)
            meant = (first == 0) | in_name[tokens[np.minimum(begin, len(tokens) - 1)]]
            meant &= ~last | in_name[tokens[found + length - 1]]
        found, numbers = found[meant], numbers[meant]
        best[found], lengths[found] = numbers, length
    chosen = _not_overlapping(best, lengths)
    written = in_name[tokens[chosen]] & in_name[tokens[chosen + np.maximum(lengths[chosen], 1) - 1]]
    size = int(best.max(initial=0)) + 1
    pairs, position = np.unique(passage[chosen] * size + best[chosen], return_inverse=True)
    is_name_once = np.zeros(len(pairs), np.bool_)
    is_name_once[position[written]] = True
    return (pairs // size).astype(np.int32), (pairs % size).astype(np.int32), is_name_once


def _not_overlapping(best: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of the places where terms begin, those that are met reading from left to right."""
    places = np.flatnonzero(best >= 0)
    kept: list[int] = []
    end = 0
    for place, length in zip(places.tolist(), lengths[places].tolist(), strict=True):
        if place >= end:
            kept.append(place)
            end = place + length
    return np.asarray(kept, np.int64)
