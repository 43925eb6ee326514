"""Tells the relation of a reference by the words right before and right after it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from engine.language.references.grammar import NEVER, Grammar
from engine.model import Relation

# How far before and after a reference words are read that tell its relation, in characters.
CUE_BEFORE = 100
# And how far before words are read that say that no cue counts.
CONTEXT = 300
# A repealed act is followed by its title and its place in the gazette before it is repealed.
CUE_AFTER = 450
# Texts behind references that are kept, with whether they hold a cue: those of a passage.
_KEPT = 256
# Between a cue and its reference no clause ends.
_GAP = r"[^\w.,;:!?؛،]*"
_SCRIPT_WITHOUT_SPACES = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A cue whose patterns are compiled."""

    relation: Relation
    before: re.Pattern[str]
    after: re.Pattern[str]
    only: re.Pattern[str]
    unless: re.Pattern[str]

    def fits(self, text: str, start: int, after: str, *, led: bool) -> bool:
        """Whether the cue stands around a reference from ``start``, before what comes ``after``; ``led``:
        whether any cue may stand before it."""
        lead = self.before.search(text, max(0, start - CUE_BEFORE), start) if led else None
        if lead and self.only.match(after) and not self._barred(text, lead.start()):
            return True
        return bool(self.after.match(after)) and not self._barred(text, start)

    def _barred(self, text: str, at: int) -> bool:
        return self.unless.search(text, max(0, at - CONTEXT), at) is not None


class CueReader:
    """Compiled cues of a grammar; the first that fits tells the relation."""

    def __init__(self, grammar: Grammar) -> None:
        before = [cue.before for cue in grammar.cues]
        # Where words are set apart and stand alone, a cue begins with a word: far fewer places to try.
        joined = grammar.glued or any(_SCRIPT_WITHOUT_SPACES.search(pattern) for pattern in before)
        start = "" if joined else r"(?<!\w)"
        self._any_before = _before(start, "|".join(f"(?:{pattern})" for pattern in before) or NEVER)
        afters: dict[tuple[str, ...], list[str]] = {}
        for cue in grammar.cues:
            afters.setdefault(cue.after_signs, []).append(f"(?:, )?(?:{cue.after})")
        self._any_after = [(signs, _after("|".join(patterns))) for signs, patterns in afters.items()]
        # Several references, or readings of one, end at the same place.
        self._is_followed = lru_cache(_KEPT)(self._looked_behind)
        self._signs = tuple(
            dict.fromkeys(sign for cue in grammar.cues if cue.before != NEVER for sign in cue.signs)
        )
        self._cues = [
            _Compiled(
                cue.relation,
                _before(start, cue.before),
                # "The Act of 3 May 2009, is repealed".
                _after(f"(?:, )?(?:{cue.after})" if cue.relation is Relation.REPEALS else cue.after),
                _after(cue.only),
                re.compile(rf"(?:{cue.unless})\Z", re.IGNORECASE),
            )
            for cue in grammar.cues
        ]

    def relation(self, text: str, start: int, end: int) -> Relation:
        """The relation that the words around a reference from ``start`` to ``end`` tell."""
        before, after = text[max(0, start - CUE_BEFORE) : start], text[end : end + CUE_AFTER]
        # One look for all cues: most references have none.
        led = self._has_sign(before) and self._any_before.search(before) is not None
        if not led and not self._is_followed(after):
            return Relation.CITES
        for cue in self._cues:
            if cue.fits(text, start, after, led=led):
                return cue.relation
        return Relation.CITES

    def _looked_behind(self, after: str) -> bool:
        """Whether any cue may stand at the beginning of a text."""
        return any(
            any(sign in after for sign in signs) and pattern.match(after) is not None
            for signs, pattern in self._any_after
        )

    def _has_sign(self, before: str) -> bool:
        for sign in self._signs:  # noqa: SIM110 - a generator takes twice as long
            if sign in before:
                return True
        return False


def _before(start: str, pattern: str) -> re.Pattern[str]:
    return re.compile(rf"{start}(?:{pattern}){_GAP}\Z", re.IGNORECASE)


def _after(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"{_GAP}(?:{pattern})", re.IGNORECASE)
