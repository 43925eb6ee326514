"""A larger collection from a real one: its laws again and again, each time under other names.

    python -m benchmarks.growing SOURCE OUT --copies N

SOURCE is a file ``corpus.jsonl`` or ``corpus.jsonl.gz``. OUT gets a folder for each copy with a file for each
law, the first as they are. In the others every abbreviation and every distinctive word of a law's name begins
with a syllable of the copy, in titles, texts and metadata, so that each copy cites itself and not the first.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zlib import crc32

import numpy as np
import orjson
import scipy
from numpy.typing import NDArray

from engine.language.embedders.transformer import PackagedEmbedder

CONSONANTS, VOWELS = "bdfghjklmnprstvwz", "aeiou"
# Words that only say what kind of text a law is; without them no reader would take it for one.
KINDS = frozenset(
    """gesetz gesetzes gesetze gesetzbuch gesetzbuche gesetzbuchs verordnung ordnung buch erstes zweites
    drittes viertes fünftes sechstes siebtes achtes neuntes zehntes artikel teil rules rulebook regulation
    regulations guidance draft note notes final consolidated framework supplementary principles requirements
    activities december october""".split()  # noqa: SIM905
)
LEAST_LETTERS, CUT_ENDING = 6, 2
BEFORE, AFTER = r"(?<![^\W\d_])", r"(?![^\W\d_])"
ABBREVIATION = re.compile(BEFORE + r"(?!VER)[A-ZÄÖÜ][a-zäöüß]{0,4}[A-ZÄÖÜ][^\W\d_]*")
NAMES = ("regulation", "abbreviation", "document")
# By which else documents are told apart.
NUMBERS = ("slug", "document_id")


def syllables(copy: int) -> str:
    """What the names of a copy begin with; nothing for the first."""
    made = ""
    while copy:
        copy, vowel = divmod(copy, len(VOWELS))
        copy, consonant = divmod(copy, len(CONSONANTS))
        made += CONSONANTS[consonant] + VOWELS[vowel]
    return made.capitalize()


def renamed(names: Sequence[str], copy: int) -> Callable[[str], str]:
    """What changes a text of laws with such names into that of a copy."""
    before = syllables(copy)
    if not before:
        return str
    stems, whole = set(), set()
    for name in names:
        whole.update(ABBREVIATION.findall(name))
        for word in re.findall(r"[^\W\d_]+", name):
            if word[0].isupper() and len(word) >= LEAST_LETTERS and word.lower() not in KINDS:
                stems.add(word[: max(LEAST_LETTERS - 1, len(word) - CUT_ENDING)])
    either = "|".join(
        [
            *(re.escape(word) + AFTER for word in sorted(whole, key=len, reverse=True)),
            *map(re.escape, sorted(stems - whole, key=len, reverse=True)),
        ]
    )
    found = re.compile(f"{BEFORE}(?:{either})")

    def change(match: re.Match[str]) -> str:
        word = match[0]
        return before + (word.upper() if word.isupper() else word[0].lower() + word[1:])

    return lambda text: found.sub(change, text)


def laws(source: Path) -> dict[str, list[dict[str, Any]]]:
    """The passages of a file by the law that they are of, in order."""
    opened = gzip.open if source.suffix == ".gz" else open
    found: dict[str, list[dict[str, Any]]] = {}
    with opened(source, "rb") as lines:
        for line in lines:
            passage = orjson.loads(line)
            found.setdefault(_name(passage), []).append(passage)
    return found


def grown(source: Path, copies: int) -> Iterator[tuple[int, str, list[dict[str, Any]]]]:
    """Each law of each copy: number of the copy, name, passages."""
    found = laws(source)
    names = sorted(
        {str(p["metadata"].get(key) or "") for law in found.values() for p in law for key in NAMES}
    )
    for copy in range(copies):
        change = renamed(names, copy)
        for name, passages in found.items():
            yield copy, change(name), [_copied(passage, change, copy) for passage in passages]


def write(source: Path, out: Path, copies: int) -> int:
    """Write the copies; returns how many passages they have."""
    count = 0
    for copy, name, passages in grown(source, copies):
        folder = out / f"copy-{copy:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{re.sub(r'[^A-Za-z0-9]+', '-', name)[:80]}.jsonl"
        file.write_bytes(b"".join(orjson.dumps(passage) + b"\n" for passage in passages))
        count += len(passages)
    return count


def _name(passage: dict[str, Any]) -> str:
    about = passage["metadata"]
    return str(next(about[key] for key in ("abbreviation", *NAMES) if about.get(key)))


def _copied(passage: dict[str, Any], change: Callable[[str], str], copy: int) -> dict[str, Any]:
    about = dict(passage["metadata"])
    about |= {key: change(about[key]) for key in NAMES if isinstance(about.get(key), str)}
    if copy:
        about |= {key: f"{about[key]}-{copy}" for key in NUMBERS if key in about}
    # In front: what the ids of a law begin with is the id of the law.
    own = f"{copy}x{passage['id']}" if copy else passage["id"]
    return {
        "id": own,
        "title": change(passage["title"]),
        "text": change(passage["text"]),
        "metadata": about,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Grow and say how large it is; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--copies", type=int, required=True)
    options = parser.parse_args(arguments)
    print(f"{write(options.source, options.out, options.copies):,} passages before they are cut")
    return 0


if __name__ == "__main__":
    sys.exit(main())


# Vectors without a model, for measures of growth: a text is the sum of random vectors of its
# words.
#
# A model takes hours for a million passages. These vectors cost nothing, are as many and as long,
# and near where words are shared; what is found by them says nothing of quality.

WORDS, DIMENSIONS, HASHED_LETTERS = 1 << 16, 384, 4
# How far a text's vector is from the sum of its words': copies of a text are near, not equal.
APART = 0.4
_WORD = re.compile(rf"[^\W\d_]{{{HASHED_LETTERS},}}")


def hashed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors, shape (n, DIMENSIONS)."""
    rows, columns = [], []
    for place, text in enumerate(texts):
        words = {crc32(word.lower().encode()) % WORDS for word in _WORD.findall(text)}
        rows.append(np.full(len(words), place))
        columns.append(np.fromiter(words, np.int64, len(words)))
    row, column = np.concatenate([np.empty(0, int), *rows]), np.concatenate([np.empty(0, int), *columns])
    counted = scipy.sparse.csr_array((np.ones(len(row), np.float32), (row, column)), (len(texts), WORDS))
    found = counted @ _table()
    found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
    for place, text in enumerate(texts):
        drawn = np.random.default_rng(crc32(text.encode())).standard_normal(DIMENSIONS, np.float32)
        found[place] += np.float32(APART) / np.linalg.norm(drawn) * drawn
    unit: NDArray[np.float32] = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit.astype(np.float32)


@contextmanager
def in_place_of_the_model() -> Iterator[None]:
    """The packaged model gives these vectors."""

    def encode(self: Any, texts: Sequence[str], kind: str = "passage") -> NDArray[np.float32]:
        return hashed(texts)

    with patch.object(PackagedEmbedder, "encode", encode):
        yield


def _table() -> NDArray[np.float32]:
    if not _TABLES:
        _TABLES.append(np.random.default_rng(0).standard_normal((WORDS, DIMENSIONS), np.float32))
    return _TABLES[0]


_TABLES: list[NDArray[np.float32]] = []
