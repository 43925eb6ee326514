"""Align two wordings of one text word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Indel

from engine.languages import words

Kind = Literal["same", "old", "new"]
# In a script without blanks each letter is a word.
_WORD, _LETTER = re.compile(r"\w+|\s+|[^\w\s]"), re.compile(r"\d+|\s+|.", re.DOTALL)
# Common words between two changes are part of the change if none is longer: "a b, c" and "d b, e".
LONGEST_GAP = 3
# Texts of more words are shown one after the other.
MOST_WORDS = 20_000


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive words that both wordings have ("same"), or only the "old" or the "new" one."""

    kind: Kind
    text: str


def diff_words(old: str, new: str, language: str) -> tuple[Run, ...]:
    """Return two wordings as runs; the runs "same" and "old" are the old one, "same" and "new" the new one.

    White space that differs is not a difference: a run "same" has that of the new wording.
    """
    pattern = _LETTER if words(language).without_blanks else _WORD
    before, after = pattern.findall(old), pattern.findall(new)
    if max(len(before), len(after)) > MOST_WORDS:
        return tuple(_runs([("old", old), ("new", new)]))
    plain = [" " if word.isspace() else word for word in before], [" " if w.isspace() else w for w in after]
    found: list[tuple[Kind, str]] = []
    for block in Indel.opcodes(*plain):
        if block.tag == "equal":
            found.append(("same", "".join(after[block.dest_start : block.dest_end])))
            continue
        found.append(("old", "".join(before[block.src_start : block.src_end])))
        found.append(("new", "".join(after[block.dest_start : block.dest_end])))
    return tuple(_runs(_without_gaps(found)))


def marked_words(runs: Sequence[Run]) -> str:
    """Return runs in one line: old words in [-...-], new ones in {+...+}."""
    marks = {"same": "{}", "old": "[-{}-]", "new": "{{+{}+}}"}
    return " ".join("".join(marks[run.kind].format(run.text) for run in runs).split())


def similarity(old: str, new: str, language: str) -> float:
    """Return the share of the words of two texts that both have in one order, 0..1."""
    pattern = r"\w" if words(language).without_blanks else r"\w+"
    spelled = (re.findall(pattern, text.casefold())[:MOST_WORDS] for text in (old, new))
    return float(Indel.normalized_similarity(*spelled))


def _without_gaps(found: Sequence[tuple[Kind, str]]) -> Iterator[tuple[Kind, str]]:
    """Yield the runs; a short common one between two changes belongs to both wordings' changes."""
    for index, (kind, text) in enumerate(found):
        between = 0 < index < len(found) - 1
        if kind == "same" and between and all(len(word) <= LONGEST_GAP for word in re.findall(r"\w+", text)):
            yield "old", text
            yield "new", text
        else:
            yield kind, text


def _runs(found: Sequence[tuple[Kind, str]] | Iterator[tuple[Kind, str]]) -> Iterator[Run]:
    """Yield runs with text, neighbours joined: of each change the old words before the new ones."""
    old, new, same = "", "", ""
    for kind, text in found:
        if kind == "same" and text:
            yield from (Run(name, changed) for name, changed in _change(old, new) if changed)
            old, new, same = "", "", same + text
            continue
        if same and text:
            yield Run("same", same)
            same = ""
        old, new = old + text * (kind == "old"), new + text * (kind == "new")
    if same:
        yield Run("same", same)
    yield from (Run(name, changed) for name, changed in _change(old, new) if changed)


def _change(old: str, new: str) -> tuple[tuple[Kind, str], tuple[Kind, str]]:
    return ("old", old), ("new", new)
