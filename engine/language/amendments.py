"""Read words by which a text changes the words of another: "for the words “14 days” substitute “21 days”".

``amendments_in`` reads them, ``targets`` finds the reference that each of them changes, and
``Amendment.apply`` applies them to a text. The forms of each language are in its ``law.yaml``; see
``engine.languages.Amendments``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from engine.languages import Amendments, law, words
from engine.model import Span


class AmendmentKind(StrEnum):
    """The effect of an amendment on the words of a text."""

    REPLACED = "replaced"
    DELETED = "deleted"
    AFTER = "after"
    BEFORE = "before"
    REWRITTEN = "rewritten"


# Maximum length of quoted words, and of text between the parts of an amendment.
LONGEST, BETWEEN = 6_000, 240
# Number of characters before an amendment in which it may be limited to another case.
REACH = 400
# Opening and closing quotation marks, and characters that cannot occur inside.
_MARKS = (
    *(("“", "[”“]", "“”"), ("„", "[“”]", "„“”"), ("«", "»", "«»"), ("‘‘", "’’", "‘’")),
    *(("‘", r"’(?!\w)", "‘"), ("「", "」", "「」"), ("『", "』", "『』"), ('"', '"', '"')),
    (r"(?<!\w)'", r"'(?!\w)", "\n"),
)
# A quantity needs no quotation marks: "for 14 days substitute 21 days".
_COUNT = r"(?<![\w.,])(?P<{}>\d+(?:[.,]\d+)*(?:\s?%|\s[^\W\d_]{{2,20}}))(?!\w)"
_QUOTING = re.compile("[“„«‘「『\"']")
# Requirements of a form: quoted words, following text, or unquoted quantities.
_QUOTED, _FOLLOWED, _COUNTS = "quoted", "followed", "counts"
_COUNTED = re.compile(r"\d[^\d]{1,60}?\d")
_BRACKETS = (r"\(", r"\)", "()")
_CLOSING = {left[-1]: right for left, right, _ in _MARKS}
_OPENING = '“„«‘「『"'
# Between the parts of an amendment no sentence ends and nothing is quoted.
_GAP = rf"(?:[^{_OPENING}”»’」』.;؛。；]|(?<=\w)’(?=\w)|\.(?=\s?\d|\w)){{0,{BETWEEN}}}?"
_ITEM = re.compile(r"^\s*(\d{1,3})[.)]\s", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=\w{4})[”»\"’)]?[.؟?!](?=\s+\D)|[。؛]|\n\n")
# Separators between the members of a list of references.
_LIST = re.compile(r"\W*(?:\w{1,4}\W*)?")


@dataclass(frozen=True, slots=True)
class Amendment:
    """Words of amendment at ``span``.

    ``old`` words are replaced by ``new`` ones or deleted; ``new`` words are inserted after or before ``old``
    ones, or replace a whole provision. ``everywhere``: at all occurrences. ``language``: of the text.
    """

    kind: AmendmentKind
    span: Span
    old: str = ""
    new: str = ""
    everywhere: bool = False
    language: str = ""

    @property
    def summary(self) -> str:
        """The change in short: "“14 days” → “21 days”"."""
        sides = (self.old and f"“{self.old}”", self.new and f"“{self.new}”")
        return f"{self.kind.value}: {' → '.join(filter(None, sides))}"

    def apply(self, text: str) -> str | None:
        """Return the text with the amendment applied, or unchanged if it was applied before.

        Returns None if that is not certain: the old words do not occur, or occur more than once.
        """
        if self.kind is AmendmentKind.REWRITTEN:
            return self.new or None
        made = {
            AmendmentKind.REPLACED: self.new,
            AmendmentKind.DELETED: "",
            AmendmentKind.AFTER: f"{self.old}{_blank(self.language, self.new)}{self.new}",
            AmendmentKind.BEFORE: f"{self.new}{_blank(self.language, self.new)}{self.old}",
        }[self.kind]
        applied = [match.span() for match in _spelled(made, self.language).finditer(text)] if made else []
        matches = [
            match
            for match in _spelled(self.old, self.language).finditer(text)
            if not any(first <= match.start() and match.end() <= last for first, last in applied)
        ]
        if not matches or (len(matches) > 1 and not self.everywhere):
            return text if applied and not matches else None
        for match in reversed(matches):
            text = f"{text[: match.start()]}{made}{text[match.end() :]}"
        return text if made else re.sub(r"(?<=\S) +(?=[ ,.;:])", "", text)


def _blank(language: str, new: str) -> str:
    return "" if words(language).without_blanks or new[:1] in ",;.:)" else " "


@cache
def _spelled(phrase: str, language: str) -> re.Pattern[str]:
    """Make a pattern for words as printed: with any white space between them, and whole words only."""
    inner = r"\s+".join(map(re.escape, phrase.split())) or r"(?!)"
    if words(language).without_blanks:
        edges = r"(?<!\d)" if phrase[:1].isdigit() else r"(?<![〇零一二三四五六七八九十百千])"
        return re.compile(edges + inner)
    return re.compile(rf"(?<!\w){inner}(?!\w)", re.IGNORECASE)


def amendments_in(text: str, language: str) -> list[Amendment]:
    """Find the words of amendment in a text, in order; empty for a language without forms."""
    forms = law(language).amendments
    if forms is None or not any(hint in text for hint in forms.hint):
        return []
    found: list[Amendment] = []
    quoted = bool(forms.bracketed) or _QUOTING.search(text) is not None
    applied = re.compile(_blanks(forms.applied), re.IGNORECASE)
    has = {
        _QUOTED: quoted,
        _FOLLOWED: quoted or ":" in text or "：" in text,
        _COUNTS: any(hint in text for hint in forms.plain) and _COUNTED.search(text) is not None,
    }
    for kind, needs, pattern in _compiled(language):
        if not has[needs]:
            continue
        for match in pattern.finditer(text):
            span = Span(*match.span())
            if any(span.start < one.span.end and one.span.start < span.end for one in found):
                continue
            if applied.search(text, max(0, span.start - REACH), span.end):
                continue
            old, new = _quoted(match, "old"), _quoted(match, "new")
            if kind is AmendmentKind.REWRITTEN:
                new, span = _behind(text, span, forms)
            everywhere = re.search(forms.everywhere, match[0], re.IGNORECASE) is not None
            found.append(Amendment(kind, span, old, new, everywhere, language))
    return sorted(found, key=lambda one: one.span.start)


def targets(text: str, amendments: Sequence[Amendment], spans: Sequence[Span], language: str) -> list[int]:
    """Return, for each amendment, the index in ``spans`` of the reference that it changes; -1 for none.

    This is the last reference before it in its sentence, otherwise the first one inside. References in quoted
    words, and those that only name an earlier amendment ("as amended by section 5"), are skipped.
    """
    forms = law(language).amendments
    if forms is None or not amendments:
        return [-1] * len(amendments)
    history = re.compile(rf"(?:{forms.history})\W*\Z", re.IGNORECASE)
    offered = [
        (number, span)
        for number, span in enumerate(spans)
        if not history.search(text, max(0, span.start - BETWEEN), span.start)
    ]
    found = []
    for one in amendments:
        before = [
            number
            for number, span in offered
            if span.end <= one.span.start + 1 and not _SENTENCE.search(text, span.end, one.span.start)
        ]
        inside = [
            number
            for number, span in offered
            if one.span.start <= span.start < one.span.end and not _is_quoted(text, one.span.start, span)
        ]
        found.append(before[-1] if before else inside[0] if inside else -1)
    return found


def names_part(text: str, first: int, last: int, language: str) -> bool:
    """Return True if the words between two positions name an unnumbered part: a sentence, a heading."""
    forms = law(language).amendments
    return forms is not None and re.search(forms.parts, text[first:last], re.IGNORECASE) is not None


def is_insertion_point(text: str, span: Span, language: str) -> bool:
    """Return True if a text only inserts a provision next to the one that it cites at ``span``.

    "After section 4 there is inserted", not "after the first sentence of section 4".
    """
    forms = law(language).amendments
    if forms is None:
        return False
    before, inserted = _insertion(language)
    led, follows = before.search(text, max(0, span.start - REACH), span.start), inserted.match(text, span.end)
    if follows is None or (led is None and forms.position):
        return False
    return not names_part(text, led.start() if led else span.start, follows.end(), language)


@cache
def _insertion(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compile patterns for the text before and after an insertion point, up to six words of a list apart."""
    forms = law(language).amendments
    assert forms is not None, f"no forms of amendment for {language}"
    before = rf"(?<!\w)(?:{_blanks(forms.position)})\s+(?:[\w.’']+\s+){{0,6}}(?:[ld][’'])?\Z"
    gap = _GAP if forms.position else ""
    return re.compile(before, re.IGNORECASE), re.compile(
        rf"{gap}(?:{_blanks(forms.inserted)})", re.IGNORECASE
    )


def find_changes(text: str, span: Span, spans: Sequence[Span], language: str) -> list[Amendment]:
    """Return the changes of a text to the target of its reference at ``span``.

    ``spans``: all its amending references, in order; the members of a list ("sections 4 and 5") are changed
    alike.
    """
    found = amendments_in(text, language)
    changes = []
    for one, place in zip(found, targets(text, found, spans, language), strict=True):
        while place > 0 and spans[place] != span and _are_listed(text, spans[place - 1], spans[place]):
            place -= 1
        if place >= 0 and spans[place] == span:
            changes.append(one)
    return changes


def _are_listed(text: str, first: Span, second: Span) -> bool:
    return _LIST.fullmatch(text, first.end, second.start) is not None


def _is_quoted(text: str, start: int, span: Span) -> bool:
    ahead = text[start : span.start]
    return ahead.count('"') % 2 == 1 or any(
        ahead.count(left) > ahead.count(right) for left, right in ("“”", "«»", "„“", "「」", "『』")
    )


def _behind(text: str, span: Span, forms: Amendments) -> tuple[str, Span]:
    """Return the new words of a provision and the span of the amendment with them.

    They are the quoted words after it, otherwise the rest of the text; empty if their end is unclear.
    """
    start = span.end + len(text[span.end :]) - len(text[span.end :].lstrip(" \n\t:：-—–"))
    opening = text[start : start + 1]
    if opening in _OPENING and opening:
        closed = re.compile(rf"{_CLOSING[opening]}\W*(?=\n|\Z)").search(text, start + 1)
        if closed is None:
            return "", span
        quoted = text[start + 1 : closed.start()]
        clear = opening not in quoted
        return (quoted.strip() if clear else ""), Span(span.start, closed.end())
    # An item of a list ends at the next one.
    item = list(_ITEM.finditer(text, 0, span.start))
    following = item and re.compile(rf"\n\s*{int(item[-1][1]) + 1}[.)]\s").search(text, start)
    end = following.start() if following else len(text)
    rest = text[start:end].strip()
    clear = ":" in text[span.start : start] or "：" in text[span.start : start]
    if not rest or not clear or any(hint in rest for hint in forms.hint):
        return "", span
    return rest, Span(span.start, end)


def _quoted(match: re.Match[str], name: str) -> str:
    groups = match.groupdict()
    found = (groups[key] for key in groups if key.rstrip("_0123456789") == name and groups[key] is not None)
    return next(found, "").strip()


@cache
def _compiled(language: str) -> tuple[tuple[AmendmentKind, str, re.Pattern[str]], ...]:
    """Return the compiled forms of a language in the order of trial, with their kinds and requirements."""
    forms = law(language).amendments
    assert forms is not None, f"no forms of amendment for {language}"
    listed: Mapping[AmendmentKind, Sequence[str]] = {
        AmendmentKind.REPLACED: forms.replaced,
        AmendmentKind.AFTER: forms.after,
        AmendmentKind.BEFORE: forms.before,
        AmendmentKind.DELETED: forms.deleted,
        AmendmentKind.REWRITTEN: forms.rewritten,
    }
    made = [
        (kind, _FOLLOWED if kind is AmendmentKind.REWRITTEN else _QUOTED, _form(line, forms))
        for kind, lines in listed.items()
        for line in lines
    ]
    # Unquoted quantities only if nothing is between them and the words of amendment.
    made += [(AmendmentKind.REPLACED, _COUNTS, _plain_form(line)) for line in forms.replaced]
    return tuple((kind, needs, re.compile(form, re.IGNORECASE)) for kind, needs, form in made)


def _form(line: str, forms: Amendments) -> str:
    """Make the regular expression of a form."""
    line = _blanks(line)
    for name in ("old", "new"):
        quoted = "|".join(_marked(name, _MARKS))
        pattern = rf"(?:(?:{_blanks(forms.words)})\s*:?\s*)?(?:{quoted})"
        if forms.bracketed:
            pattern += rf"|(?:{forms.bracketed})\s*{''.join(_marked(f'{name}_', (_BRACKETS,)))}"
        line = line.replace("{" + name + "}", f"(?:{pattern})")
    return line.replace("{gap}", _GAP)


def _plain_form(line: str) -> str:
    """Make a form in which the old and the new words are quantities."""
    line = _blanks(line).replace("{gap}", r",?\s*")
    return line.replace("{old}", _COUNT.format("old")).replace("{new}", _COUNT.format("new"))


def _blanks(pattern: str) -> str:
    return pattern.replace(" ?", r"\s*").replace(" ", r"\s+")


def _marked(name: str, marks: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """Yield patterns for quoted words, one for each kind of quotation marks."""
    for number, (left, right, none) in enumerate(marks):
        yield rf"{left}\s*(?P<{name}{number}>[^{none}]{{1,{LONGEST}}}?)\s*{right}"
