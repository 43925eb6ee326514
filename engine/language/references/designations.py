"""Find candidates for designations: numbers in forms that only one rulebook has.

No grammar knows these forms. A candidate is a reference only if the corpus has the provision: by a label or
heading of the citing document, or of one whose name or label prefix precedes the number.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.language.addresses import Address, number_key
from engine.language.designations import BELOW, LETTERS, NUMBER, PART, SUFFIX, YEAR, path_of
from engine.language.references.cues import CueReader
from engine.language.references.grammar import Grammar, Mention, Target, cased
from engine.model import Relation, SectionKind, Span

GRAMMAR = "designation"
# Minimum share of a document's numbers with a prefix that may be omitted; minimum share with letters after
# them that mark kinds of text ("3.4.1R"), and maximum number of such letters.
PREFIX_SHARE, SUFFIX_SHARE, MOST_SUFFIXES = 0.9, 0.5, 5
# Maximum number of members in a list, and in a range.
LONGEST_LIST, LONGEST_RANGE = 30, 200
_LAST_COUNT = re.compile(r"(?P<front>.*[-–‑.])(?P<count>\d+)\Z")
# Maximum length of a name before a number, and of the word for its kind.
LONGEST_NAME, LONGEST_WORD = 120, 24

_END = r"(?![\w%/]|[.,]\d|-\d)"
_NO_WORD = r"(?<![\w.,/–-])"
_FEW = r"\d{1,4}[A-Z]{0,2}(?:[-.]\d{1,4}[A-Z]{0,2}){0,4}"
_DASHES = r"\d{1,4}(?:[-–‑]\d{1,4}){1,4}(?:\.\d{1,4}[A-Za-z]?){0,3}"
_CODE = re.compile(
    rf"(?<![\w/.–-])(?P<name>{LETTERS})(?P<number>{NUMBER}{SUFFIX})(?P<behind>)(?P<below>{PART}|{BELOW}){_END}"
)
_NUMBER_FIRST = re.compile(
    rf"{_NO_WORD}(?P<name>)(?P<number>{NUMBER})(?P<behind> [A-Z]{{2,8}})(?P<below>{BELOW})(?![\w-])"
)
_DASHED = re.compile(rf"{_NO_WORD}(?P<name>)(?P<number>{_DASHES})(?P<behind>)(?P<below>{BELOW}){_END}")
# Required parts of every match, found several times faster: a letter or its separator before a digit,
# capitals after a number, a dash between digits.
_NEEDED = (
    (_CODE, re.compile(r"\d(?:(?<=[A-Z].)|(?<=[A-Z][-–. /:].)|(?<=[A-Z]\..))")),
    (_NUMBER_FIRST, re.compile(r"\d(?=[A-Z]{0,2} [A-Z]{2})")),
)
_FIGURE = re.compile(r"\d")
_NEEDED_DASH = re.compile(r"\d(?=[-–‑]\d)")
_PLAIN = re.compile(rf"(?P<number>\d(?<=[\w)’'] \d)\d{{0,3}}{_FEW[7:]})(?P<behind>)(?P<below>{BELOW}){_END}")
_CAPITALS = re.compile(r"(?<![\w’'-])(?:[A-Z][\w’'-]* ){2,5}\Z")
_WHOLE = frozenset((_CODE, _DASHED, _PLAIN))
_LISTED = re.compile(rf"(?P<number>{_FEW})(?P<behind>)(?P<below>{BELOW}){_END}")
_DASHED_TOO = re.compile(rf"(?P<number>{_DASHES})(?P<behind>)(?P<below>{BELOW}){_END}")
_JOINTS = frozenset(("of", "and", "the", "for", "in", "to", "on", "with", "&"))
NAME = re.compile(
    r"(?<![\w-])(?:[A-Z][\w'’&/-]*(?: \([A-Z][\w &-]{1,30}\))? "
    rf"(?:(?:{'|'.join(sorted(_JOINTS))}) ){{0,2}}){{1,9}}\Z"
)


@dataclass(frozen=True, slots=True)
class OwnForms:
    """Common forms of a document's numbers: a common prefix, and letters at the end that mark kinds of text.

    Both may be omitted in citations.
    """

    prefix: str = ""
    suffixed: bool = False

    @classmethod
    def of(cls, keys: Sequence[str]) -> OwnForms:
        """Derive the forms of a document from its numbers, normalised by ``key_of``."""
        parts = [key.split(".") for key in keys if key]
        first = Counter(one[0] for one in parts if len(one) > 1 and len(one[0]) > 1 and one[0].isalpha())
        ends = Counter(one[-1] for one in parts if len(one) > 1 and len(one[-1]) == 1 and one[-1].isalpha())
        prefix, count = first.most_common(1)[0] if first else ("", 0)
        return cls(
            prefix if count >= PREFIX_SHARE * len(parts) else "",
            0 < len(ends) <= MOST_SUFFIXES and ends.total() >= SUFFIX_SHARE * len(parts),
        )

    def others(self, key: str) -> Iterator[str]:
        """Yield other keys by which a number of the document may be cited."""
        shorter = key.removeprefix(f"{self.prefix}.") if self.prefix else key
        if self.suffixed and key[-2:-1] == "." and key[-1].isalpha():
            yield from dict.fromkeys((key[:-2], shorter[:-2]))
        if shorter != key:
            yield shorter


def forms_of_any(key: str) -> set[str]:
    """Return a key and all other keys by which its number may be cited, whatever the forms of its
    document."""
    first = key.partition(".")[0]
    return {key, *OwnForms(first if first.isalpha() else "", True).others(key)}


class DesignationReader:
    """Finds candidates in addition to the mentions of a grammar."""

    def __init__(self, grammar: Grammar) -> None:
        words = [word for unit in grammar.units for word in cased((*unit.plural, *unit.words))]
        self._unit = re.compile(rf"(?<!\w)(?:{'|'.join(words) or '(?!)'})\s*\Z")
        self._also = re.compile(grammar.also)
        self._through = re.compile(grammar.through)
        self._leads = re.compile(grammar.leads)
        self._cues = CueReader(grammar)

    def find(self, text: str, found: Sequence[Mention]) -> list[Mention]:
        """Return the candidates of a text in order.

        Leaves out numbers in mentions of the grammar (``found``) with a word or a name.
        """
        spans = (one.span for one in found if not one.bare or one.document is not None)
        known = sorted(spans, key=lambda span: span.start)
        starts = [span.start for span in known]
        read: list[Mention] = []
        end = 0
        for start, first, match in sorted(self._candidates(text), key=lambda one: (one[0], -one[2].end())):
            number, last = match.span("number")
            place = bisect_right(starts, number) - 1
            inside = place >= 0 and last <= known[place].end
            # A name and a number may be one number: "SYSC 4.1.2" like "COBS 4.1.2".
            is_part = inside and known[place].start < start
            if start >= end and not is_part and (match.re in _WHOLE or not inside):
                read.append(self._mention(text, start, first, match))
                end = read[-1].span.end
        return read

    def _candidates(self, text: str) -> Iterator[tuple[int, int, re.Match[str]]]:
        """Yield (start of the candidate, start of its name, match of its number)."""
        if not _FIGURE.search(text):
            return
        for pattern, needed in _NEEDED:
            for match in pattern.finditer(text) if needed.search(text) else ():
                yield self._with_unit(text, match.start()), match.start(), match
        for match in _DASHED.finditer(text) if _NEEDED_DASH.search(text) else ():
            start = self._with_unit(text, match.start())
            if start < match.start():
                yield start, match.start(), match
        for match in _PLAIN.finditer(text):
            number = match.start()
            is_year = YEAR.match(match["number"])
            name = None if is_year else NAME.search(text, name_begin(text, number), number)
            if name and self._with_unit(text, number) != number:
                # "Fundamental Rules 2.1": the word for a kind may be part of a complete name.
                name = _CAPITALS.search(text, name.start(), number)
            if name:
                yield name.start(), name.start(), match

    def _with_unit(self, text: str, start: int) -> int:
        """Return the start of a word for a kind of provision before a number, otherwise of the number."""
        unit = self._unit.search(text, max(0, start - LONGEST_WORD), start)
        return unit.start() if unit else start

    def _mention(self, text: str, start: int, first: int, match: re.Match[str]) -> Mention:
        name = text[first : match.start("number")]
        targets = [_target(name, start, match)]
        last = match.end()
        more = {_PLAIN: _LISTED, _DASHED: _DASHED_TOO}.get(match.re)
        while more and len(targets) < LONGEST_LIST:
            also, through = self._also.match(text, last), self._through.match(text, last)
            joint = also or (through if more is _DASHED_TOO else None)
            following = more.match(text, joint.end()) if joint else None
            if following is None:
                break
            if joint is through:
                targets.extend(_between(targets[-1], following))
            targets.append(_target(name, following.start(), following))
            last = following.end()
        leads = self._leads.match(text, last)
        return Mention(
            Span(start, last),
            text[start:last],
            GRAMMAR,
            self._relation(text, start, match.start("number"), last),
            tuple(targets),
            leads_at=leads.end() if leads and text[leads.end() : leads.end() + 1].isalpha() else None,
            bare=True,
        )

    def _relation(self, text: str, start: int, number: int, last: int) -> Relation:
        """Return the relation of the words around the candidate; its first word may belong to them, as in
        "Subject to Guideline 12"."""
        starts = [start, *(word.end() for word in _WORD_ENDS.finditer(text, start, number))]
        found = (self._cues.relation(text, place, last) for place in starts)
        return next((one for one in found if one is not Relation.CITES), Relation.CITES)


_WORD_ENDS = re.compile(r" (?=[A-Z])")


def name_begin(text: str, number: int) -> int:
    """Return the earliest start of a name that ends at a number: after the last word that cannot be in a
    name.

    ``NAME`` finds the same match from there as from further back, in a tenth of the time.
    """
    first = max(0, number - LONGEST_NAME)
    end = number - 1
    while end > first:
        start = text.rfind(" ", first, end) + 1 or first
        word = text[start:end]
        if "(" in word or ")" in word:
            # Any word may occur in brackets.
            return first
        if not ("A" <= word[:1] <= "Z" or word in _JOINTS):
            return start
        end = start - 1
    return first


def _between(first: Target, last: re.Match[str]) -> Iterator[Target]:
    """Yield the numbers strictly inside a range of numbers with dashes: 9-311 for "9-310 to 9-312"."""
    one, other = _LAST_COUNT.match(first.address.number or ""), _LAST_COUNT.match(last["number"])
    if one is None or other is None or number_key(one["front"]) != number_key(other["front"]):
        return
    for count in range(int(one["count"]) + 1, min(int(other["count"]), int(one["count"]) + LONGEST_RANGE)):
        number = f"{one['front']}{count:0{len(one['count'])}}"
        yield Target(Address(SectionKind.RULE, number), Span(first.span.start, last.end()))


def _target(name: str, start: int, match: re.Match[str]) -> Target:
    number = " ".join(f"{name}{match['number']}{match['behind']}".split())
    return Target(Address(SectionKind.RULE, number, path_of(match["below"])), Span(start, match.end()))
