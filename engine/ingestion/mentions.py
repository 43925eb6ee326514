"""Find mentions of the terms of a vocabulary in texts, and build the vocabulary of all blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.arrays import distinct
from engine.corpus.embedded.block import Block, digest, hashed
from engine.corpus.embedded.passages import dump_entity
from engine.errors import CorpusError
from engine.ingestion.words import RecordedComparisons, WordCounts
from engine.language.clustering import Encode
from engine.language.entities import LONGEST_TERM, Fact
from engine.language.vocabulary import Vocabulary

# A term is a sum of the keys of its stems, weighted by powers of a prime for each position (Rabin and Karp
# 1987), so all positions of a block are compared with all terms at once. Only positions whose word begins a
# term are examined.

_PRIME = 0x100000001B3
_POWERS = np.asarray([pow(_PRIME, place, 1 << 64) for place in range(LONGEST_TERM)], np.uint64)
# Odd constants that mix the bits of keys before they are added.
_MIX = np.asarray([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], np.uint64)


class FoundMentions(NamedTuple):
    """Distinct mentions in a block, sorted by passage and term: position of the passage in the block, number
    of the term, and whether any mention is capitalised like a name."""

    passages: NDArray[np.int32]
    numbers: NDArray[np.int32]
    written: NDArray[np.bool_]

    @staticmethod
    def from_bytes(passages: bytes, numbers: bytes, written: bytes) -> FoundMentions:
        """Decode mentions from the bytes of their columns."""
        columns = (np.frombuffer(passages, np.int32), np.frombuffer(numbers, np.int32))
        return FoundMentions(*columns, np.frombuffer(written, np.bool_))


class Terms:
    """The terms of a vocabulary.

    ``terms.L.stems``: stem keys of the terms with L words, shape (terms, L), ordered by their sums.
    ``terms.L.numbers``: their numbers in the vocabulary.
    """

    def __init__(self, vocabulary: Block) -> None:
        self.first, self.last = vocabulary["capital.first"], vocabulary["capital.last"]
        self.stems: dict[int, NDArray[np.uint64]] = {}
        self.numbers: dict[int, NDArray[np.int32]] = {}
        for length in range(1, LONGEST_TERM + 1):
            if f"terms.{length}.numbers" in vocabulary.arrays:
                self.stems[length] = vocabulary[f"terms.{length}.stems"]
                self.numbers[length] = vocabulary[f"terms.{length}.numbers"]

    @staticmethod
    def put(vocabulary: Block, terms: dict[int, list[tuple[list[int], int]]]) -> None:
        """Store the terms, given by length as (stem keys, number)."""
        for length, pairs in terms.items():
            stems = np.asarray([keys for keys, _ in pairs], np.uint64).reshape(-1, length)
            order = np.argsort(_sums(stems), kind="stable")
            vocabulary.arrays[f"terms.{length}.stems"] = stems[order]
            vocabulary.arrays[f"terms.{length}.numbers"] = np.asarray([n for _, n in pairs], np.int32)[order]

    @cached_property
    def _sums_of(self) -> dict[int, NDArray[np.uint64]]:
        return {length: _sums(stems) for length, stems in self.stems.items()}

    @cached_property
    def _begins(self) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        """First stems of all terms in ascending order, and the lengths of their terms as bits."""
        firsts = distinct(np.concatenate([np.zeros(0, np.uint64), *(s[:, 0] for s in self.stems.values())]))
        lengths = np.zeros(len(firsts), np.uint8)
        for length, stems in self.stems.items():
            lengths[np.searchsorted(firsts, distinct(stems[:, 0]))] |= np.uint8(1 << (length - 1))
        return firsts, lengths

    def mentions_in(self, block: Block) -> FoundMentions:
        """Find the mentions in a block, the longest at each position.

        A single word is a mention only if it is capitalised like a name.
        """
        tokens = block["tokens.word"]
        stems, is_name, in_name = block["words.stem"], block["words.name"], block["words.in_name"]
        counts = block["passages.tokens"]
        passage = np.repeat(np.arange(len(counts)), counts)
        firsts, bits = self._begins
        begin = np.append(bits, np.uint8(0))[_place_in(firsts, stems)][tokens]
        best = np.full(len(tokens), -1, np.int64)
        lengths = np.zeros(len(tokens), np.int64)
        for length, sums in self._sums_of.items():
            size = len(tokens) - length + 1
            places = np.flatnonzero(begin[: max(size, 0)] & np.uint8(1 << (length - 1)))
            # Terms do not cross passages.
            places = places[passage[places] == passage[places + length - 1]]
            total = np.zeros(len(places), np.uint64)
            for further in range(length):
                total += stems[tokens[places + further]] * _POWERS[further]
            positions = _place_in(sums, total)
            found, own = places[positions < len(sums)], positions[positions < len(sums)]
            numbers = self.numbers[length][own]
            if length == 1:
                is_mention = is_name[tokens[found]]
            else:
                first, last = self.first[numbers], self.last[numbers]
                begins = found + np.maximum(length - first, 0)
                is_mention = (first == 0) | in_name[tokens[np.minimum(begins, len(tokens) - 1)]]
                is_mention &= ~last | in_name[tokens[found + length - 1]]
            found, numbers = found[is_mention], numbers[is_mention]
            best[found], lengths[found] = numbers, length
        chosen = _not_overlapping(best, lengths)
        written = in_name[tokens[chosen]] & in_name[tokens[chosen + np.maximum(lengths[chosen], 1) - 1]]
        size = int(best.max(initial=0)) + 1
        pairs, position = np.unique(passage[chosen] * size + best[chosen], return_inverse=True)
        is_name_once = np.zeros(len(pairs), np.bool_)
        is_name_once[position[written]] = True
        return FoundMentions((pairs // size).astype(np.int32), (pairs % size).astype(np.int32), is_name_once)

    def sets(self) -> NDArray[np.uint64]:
        """Return a key for each number, made from its terms and their required capitals; 0 for a number
        without terms.

        Shape (numbers,).
        """
        sums = np.zeros(len(self.first), np.uint64)
        for length, own in self._sums_of.items():
            np.add.at(sums, self.numbers[length], _mixed(own + _MIX[:1] * np.uint64(length)))
        written = self.first.astype(np.uint64) * np.uint64(2) + self.last
        return np.where(sums == 0, sums, _mixed(sums + written * _MIX[0]))


def match_terms(old: Terms, new: Terms) -> tuple[NDArray[np.int32], Changed]:
    """Map each number of an older vocabulary to the number with the same mentions, or -1; and collect the
    terms of all other numbers, old and new."""
    before, after = old.sets(), new.sets()
    _, own, now = np.intersect1d(before, after, return_indices=True)
    own, now = own[before[own] != 0], now[before[own] != 0]
    numbers = np.full(len(before), -1, np.int32)
    numbers[own] = now
    is_kept = np.zeros(len(after), np.bool_)
    is_kept[now] = True
    return numbers, Changed([*_of(old, numbers < 0), *_of(new, ~is_kept)])


class Changed:
    """Terms whose mentions differ from before."""

    def __init__(self, stems: list[NDArray[np.uint64]]) -> None:
        """``stems``: stem keys of terms, shape (terms, words) each."""
        self._stems = stems
        self._wanted = distinct(np.concatenate([np.zeros(0, np.uint64), *(own.ravel() for own in stems)]))

    def __len__(self) -> int:
        return sum(map(len, self._stems))

    def may_be_in(self, block: Block) -> bool:
        """Return True if a block contains all words of one of the terms."""
        present = np.zeros(len(self._wanted) + 1, np.bool_)
        present[_place_in(self._wanted, block["words.stem"])] = True
        present[-1] = False
        return any(present[np.searchsorted(self._wanted, own)].all(axis=1).any() for own in self._stems)


def _of(terms: Terms, chosen: NDArray[np.bool_]) -> Iterator[NDArray[np.uint64]]:
    for length, stems in terms.stems.items():
        own = stems[chosen[terms.numbers[length]]]
        if len(own):
            yield own


def _sums(stems: NDArray[np.uint64]) -> NDArray[np.uint64]:
    total: NDArray[np.uint64] = (stems * _POWERS[: stems.shape[1]]).sum(axis=1, dtype=np.uint64)
    return total


def _mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    keys = (keys ^ (keys >> np.uint64(29))) * _MIX[1]
    return keys ^ (keys >> np.uint64(32))


def _place_in(ordered: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the positions of keys in an ascending array; its length for missing keys."""
    if not len(ordered):
        return np.zeros(len(keys), np.int64)
    positions = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    found: NDArray[np.int64] = np.where(ordered[positions] == keys, positions, len(ordered))
    return found


def _not_overlapping(best: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Select the terms that do not overlap, from left to right."""
    places = np.flatnonzero(best >= 0)
    chosen: list[int] = []
    end = 0
    for position, length in zip(places.tolist(), lengths[places].tolist(), strict=True):
        if position >= end:
            chosen.append(position)
            end = position + length
    return np.asarray(chosen, np.int64)


# The vocabulary of all blocks

# Number of stored columns of a fact: all but its row.
_STORED_COLUMNS = len(Fact._fields) - 1


def settle_vocabulary(blocks: Sequence[Block], words: WordCounts, encode: Encode | None, key: str) -> Block:
    """Build the vocabulary of all blocks.

    It contains the stems and numbers of terms by length; the entity, definition flag and name evidence by
    number; and the lower-case forms of acronyms. ``key`` identifies the input. The comparisons of word counts
    that it depends on are stored too (``Weighing``). Raises CorpusError for blocks of an earlier version.
    """
    vocabulary = Vocabulary()
    for block in blocks:
        positions = block["facts.passage"].tolist()
        records = orjson.loads(f"[{','.join(block.strings('facts').all())}]")
        if any(len(record) != _STORED_COLUMNS for record in records[:1]):
            raise CorpusError(
                "the corpus was made by an earlier version, which stored its terms in another form: ingest "
                "its sources again"
            )
        facts = [Fact(row, *record) for row, record in zip(positions, records, strict=True)]
        vocabulary.read(facts, block.strings("passages.id"))

    weigh = RecordedComparisons(words)
    vocabulary.settle(weigh, encode)
    entities, small = vocabulary.entities(), list(vocabulary.small_forms())
    evidence, has_case = vocabulary.evidence()
    of_one_word, titled = vocabulary.names_of_one_word(), list(vocabulary.titled())
    capitals = [vocabulary.capitals(number) for number in range(len(entities))]
    made = Block(
        {
            "defined": np.asarray([bool(entity.definitions) for entity in entities], np.bool_),
            "name_evidence": np.asarray(evidence, np.float32),
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
    weigh.put(made)
    made.put_strings("entities", [dump_entity(entity) for entity in entities])
    made.put_strings("titled", [name for _, name in titled])
    Terms.put(made, _terms_by_length(vocabulary))
    return made


def facts_key(block: Block) -> NDArray[np.uint8]:
    """Return a key of the facts that a block states about terms and of their passages, shape (16,).

    Equal keys give equal contributions to the vocabulary.
    """
    ids = block.strings("passages.id").take(block["facts.passage"])
    parts = (
        block["facts.offsets"].tobytes(),
        block["facts.utf8"].tobytes(),
        *(name.encode() for name in ids),
    )
    return np.frombuffer(bytes.fromhex(digest(*parts)), np.uint8)


def _terms_by_length(vocabulary: Vocabulary) -> dict[int, list[tuple[list[int], int]]]:
    found: dict[int, list[tuple[list[int], int]]] = {}
    stems: dict[tuple[str, str], int] = {}
    for language, key, number in vocabulary.terms():
        keys = []
        for stem in key:
            value = stems.get((language, stem))
            if value is None:
                value = stems[language, stem] = hashed(f"{language} {stem}")
            keys.append(value)
        found.setdefault(len(key), []).append((keys, number))
    return found
