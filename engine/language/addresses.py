"""Parse addresses of provisions into one canonical form.

``parse_label`` reads the label of a passage in its source ("7.1.2.(1)", "APP4.A4.10.1", "Part 6.Chapter
2.56.(3)", "المادة الثانية عشرة", "Pasal 25 ayat (1)", "§ 433 Abs. 2"). Numbers keep their printed form; two
numbers are the same provision if their ``number_key`` is equal.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from engine.language.characters import ARABIC_MARKS, visible, western_digits
from engine.language.designations import labelled
from engine.language.numerals import (
    ARABIC_AGAIN,
    ARABIC_ORDINAL,
    FRENCH_AGAIN,
    FRENCH_NUMBER,
    HAN_NUMBER,
    arabic_again,
    arabic_ordinal,
    french_number,
    han_number,
)
from engine.languages import all_words, words
from engine.model import SectionKind


@dataclass(frozen=True, slots=True)
class Address:
    """The position of a provision in its document.

    ``number``: the provision's own number. ``paragraph``: the levels below it, joined by "/" ("2/a",
    "Guidance/3"). ``within``: containers from the outside in, as (kind, number). A relative address
    ("paragraph (2)") has no number.
    """

    kind: SectionKind
    number: str | None
    paragraph: str | None = None
    within: tuple[tuple[SectionKind, str], ...] = ()


# Numbered through a document, so that the number alone identifies them.
PROVISIONS = frozenset({SectionKind.ARTICLE, SectionKind.SECTION, SectionKind.RULE})
CONTAINERS = frozenset(
    {
        SectionKind.BOOK,
        SectionKind.PART,
        SectionKind.TITLE,
        SectionKind.CHAPTER,
        SectionKind.ANNEX,
        SectionKind.SCHEDULE,
        SectionKind.PREAMBLE,
    }
)

# Their parts are numbered from one, like those of an article; those of a chapter are its articles.
ATTACHED = frozenset((SectionKind.ANNEX, SectionKind.SCHEDULE))

# Words for levels, in the languages of labels. German "Abschnitt" and Arabic "فصل" are containers, not
# provisions.
WORDS: dict[str, SectionKind] = {
    word: kind for own in all_words().values() for kind, level in own.levels.items() for word in level
}

LONGEST_LABEL = 400

# All dashes in numbers are equal to hyphens.
_DASHES = str.maketrans("‐‑–—−", "-----")
_SPACE = re.compile(r"\s+")
_BELOW = re.compile(
    r"\s*(?:[,.]?\s*(?:Abs(?:atz|\.)?|Satz|S\.|Nr\.?|Nummer|Buchst(?:abe|\.)?|ayat|huruf|angka|butir|lid|sub-?paragraph"
    r"|paragraphe?|alinéa|point|الفقرة|فقرة|البند)\s*)?\(?\s*([0-9]{1,3}[a-z]{0,2}|[a-z]{1,4}|[A-Z]|[\u0621-\u064a])\s*\)?[.:]?(?=\W|\Z)",
    re.IGNORECASE,
)
_WORDED = re.compile(
    r"(?P<word>§{1,2}|[^\W\d_]+)\.?\s*\(?\s*"
    rf"(?P<number>[A-Z]{{0,2}}\d+(?:[ -]?{FRENCH_AGAIN}(?!\w)|\s?[A-Za-z](?![A-Za-z]))?"
    r"(?:[.‐‑–-][A-Z]?\d+[A-Za-z]{0,2}|-[A-Z](?!\w))*"
    r"|[IVXLC]+(?![a-z])|[A-Z](?![A-Za-z]))\s*\)?\.?(?P<rest>.*)\Z",
    re.DOTALL,
)
_ARABIC_WORD = re.compile(r"[(\s]*(?:ال)?ماد[ةه]")
_ARABIC_ADVERB = re.compile(rf"[(\s]*(\w+?)[{ARABIC_MARKS}]*[اأ]?[{ARABIC_MARKS}]*\s*[:.)-]?\s*\Z")
_HAN = re.compile(rf"第({HAN_NUMBER}|\d+)(分编|条|章|节|编|款|项|目)(?:之({HAN_NUMBER}))?(.*)\Z", re.DOTALL)
_HAN_KINDS = {
    "条": SectionKind.ARTICLE,
    "章": SectionKind.CHAPTER,
    "节": SectionKind.SECTION,
    "编": SectionKind.BOOK,
    "分编": SectionKind.PART,
    "款": SectionKind.PARAGRAPH,
    "项": SectionKind.PARAGRAPH,
    "目": SectionKind.PARAGRAPH,
}
# "(三)" below an article is its third item.
_HAN_ITEM = re.compile(rf"\(({HAN_NUMBER}|\d+)\)\Z")
# "Article L. 110-1", "Article 1er", "Art. 2 bis, alinéa 2": French forms that English does not have.
_FRENCH = re.compile(
    rf"art(?:icle|\.)?\s*(?P<number>{FRENCH_NUMBER})(?P<rest>.*)\Z", re.IGNORECASE | re.DOTALL
)


@cache
def _arabic_label() -> re.Pattern[str]:
    """Return the pattern of an Arabic article and its number; compiled late, because it is slow."""
    return re.compile(
        _ARABIC_WORD.pattern
        + r"\s*(?:رقم\s*)?(?:[(:\s-]*(?P<digits>\d+)|[(\s]*(?P<words>"
        + ARABIC_ORDINAL
        + r"))[\s)]*(?P<again>"
        + ARABIC_AGAIN
        + r")?(?P<rest>.*)\Z",
        re.DOTALL,
    )


def number_key(number: str) -> str:
    """Normalise a number for comparison: without spaces, invisible marks and final dots, in capitals."""
    if number.isascii() and number.isalnum():
        return number.upper()
    folded = visible(unicodedata.normalize("NFKC", western_digits(number)))
    return _SPACE.sub("", folded).translate(_DASHES).strip(".:()").upper()


@lru_cache(maxsize=65536)
def parse_label(label: str, language: str = "und") -> Address | None:
    """Parse a label into an address; None for a heading, a name or an empty label."""
    text = _SPACE.sub(" ", visible(unicodedata.normalize("NFKC", western_digits(label)))).strip()
    if not text or len(text) > LONGEST_LABEL:
        return None
    french = _french(text) if words(language).article_numbers == "french" else None
    known = french or _arabic(text) or _han(text) or _worded(text)
    known = known or (None if _NAME_BEHIND.search(text) else _dotted(text, language))
    own = None if known else labelled(text)
    return Address(*own) if own else known


def _french(text: str) -> Address | None:
    match = _FRENCH.match(text)
    number = french_number(match["number"]) if match else None
    return Address(SectionKind.ARTICLE, number, _below(match["rest"])) if match and number else None


def _arabic(text: str) -> Address | None:
    match = _arabic_label().match(text) if _ARABIC_WORD.match(text) else None
    if not match:
        return _arabic_clause(text)
    value = int(match["digits"]) if match["digits"] else arabic_ordinal(match["words"])
    if value is None:
        return None
    number = f"{value}{arabic_again(match['again'] or '')}"
    return Address(SectionKind.ARTICLE, number, _below(match["rest"].lstrip(" :/-")))


def _arabic_clause(text: str) -> Address | None:
    """Parse the number of a clause of a decision, which is an adverb: "أولاً" is clause 1."""
    match = _ARABIC_ADVERB.match(text)
    value = arabic_ordinal(match[1]) if match else None
    return Address(SectionKind.ARTICLE, str(value)) if value else None


def _han(text: str) -> Address | None:
    match = _HAN.match(text)
    if not match:
        return None
    value = int(match[1]) if match[1].isdigit() else han_number(match[1])
    if value is None:
        return None
    number = f"{value}-{han_number(match[3])}" if match[3] else str(value)
    rest = match[4].strip()
    inner = _han(rest)
    kind = _HAN_KINDS[match[2]]
    if inner and kind in (SectionKind.ARTICLE, SectionKind.PARAGRAPH):
        below = "/".join(part for part in (inner.number, inner.paragraph) if part)
        return Address(kind, number, below)
    item = _HAN_ITEM.match(rest)
    if item and kind in (SectionKind.ARTICLE, SectionKind.PARAGRAPH):
        return Address(kind, number, item[1] if item[1].isdigit() else str(han_number(item[1])))
    return (
        Address(inner.kind, inner.number, inner.paragraph, ((kind, number), *inner.within))
        if inner
        else Address(kind, number)
    )


def _worded(text: str) -> Address | None:
    """Parse a word for a kind and a number, without a path: "§ 433 Abs. 2", "Pasal 25 ayat (1)", "Rule
    4.3.2(1)"."""
    match = _WORDED.match(text)
    kind = WORDS.get(match["word"].casefold()) if match else None
    if (
        match is None
        or kind is None
        or kind in CONTAINERS
        or (match["word"].isupper() and match["word"].isalpha())
    ):
        return None
    number = match["number"].replace(" ", "")
    inner = _worded(match["rest"].lstrip(" ,"))
    if inner and inner.kind is not kind and inner.kind is not SectionKind.PARAGRAPH:
        return Address(inner.kind, inner.number, inner.paragraph, ((kind, number), *inner.within))
    return Address(kind, number, _below(match["rest"]))


def _below(rest: str) -> str | None:
    parts: list[str] = []
    position = 0
    while (match := _BELOW.match(rest, position)) and match.end() > position:
        parts.append(match[1])
        position = match.end()
    return "/".join(parts) or None


_CONTAINER = re.compile(r"(?P<word>[A-Za-z]+)\s?(?P<number>[A-Z]?\d+[A-Z]?|[IVXLC]+|[A-Z])?\s?:?\Z")
_PIECE = re.compile(r"\((?P<bracket>\w{1,5})\)|(?P<close>\d{1,4}|[a-z]{1,4})\)|(?P<plain>[^.()]+)")
# "3.4.1 COBS": a number and the letters of its rulebook.
_NAME_BEHIND = re.compile(r"\d [A-Z]{2,8}(?:\(|\Z)")
_PROVISION = re.compile(r"[A-Z]?\d+[A-Za-z]{0,2}\Z")
_GUIDANCE = re.compile(r"guidance", re.IGNORECASE)
_GUIDANCE_NUMBER = re.compile(r"guidance\s?(\d+)\Z", re.IGNORECASE)


def _dotted(text: str, language: str) -> Address | None:
    """Parse a path of pieces separated by dots: containers, the number, and the levels below it."""
    within: list[tuple[SectionKind, str]] = []
    number: list[str] = []
    below: list[str] = []
    guidance = closed = False
    for match in _PIECE.finditer(text):
        piece = (match["bracket"] or match["close"] or match["plain"]).strip()
        if not piece:
            continue
        container = None if number or below else _container(piece)
        if container:
            within.append(container)
        elif _GUIDANCE.match(piece):
            guidance = True
            marked = _GUIDANCE_NUMBER.match(piece)
            below.extend(["Guidance", marked[1]] if marked else ["Guidance"] * ("Guidance" not in below))
        elif match["close"] and not number:
            closed = True
            number.append(piece)
        elif match["plain"] and not below and _PROVISION.match(piece):
            number.append(piece)
        else:
            below.append(_tidy(piece))
    return _assembled(text, language, within, number, below, guidance, closed)


def _container(piece: str) -> tuple[SectionKind, str] | None:
    match = _CONTAINER.match(piece)
    kind = WORDS.get(match["word"].casefold()) if match else None
    if match is None or kind is None:
        return None
    if kind not in CONTAINERS and not match["word"].isupper():
        return None
    return (kind, match["number"] or "")


def _tidy(piece: str) -> str:
    return piece.replace("/", "-")


def _assembled(
    text: str,
    language: str,
    within: list[tuple[SectionKind, str]],
    number: list[str],
    below: list[str],
    guidance: bool,
    closed: bool,
) -> Address | None:
    if not number and not within:
        return _lettered(text)
    if not number:
        kind, own = within[-1]
        outer = tuple(within[:-1])
        if not below:
            return Address(kind, own or None, None, outer) if own or kind in CONTAINERS else None
        return Address(SectionKind.GUIDANCE if guidance else kind, own or None, "/".join(below), outer)
    # A statute prints containers in lower case and numbers sections through: the last number is the
    # section's. A rulebook prints PART and has dotted numbers below: "PART 5.12.2.2" is rule 12.2.2.
    in_statute = text[:4] in ("Part", "Chap", "Sche") and all(piece[0].isdigit() for piece in number)
    dotted = ".".join(number[-1:] if in_statute else number)
    kind = SectionKind.GUIDANCE if guidance else _kind(dotted, within, closed, in_statute, language)
    return Address(kind, dotted, "/".join(below) or None, tuple(within))


def _kind(
    number: str, within: list[tuple[SectionKind, str]], closed: bool, in_statute: bool, language: str
) -> SectionKind:
    inside = {kind for kind, _ in within}
    dots = number.count(".")
    if closed:
        return SectionKind.PARAGRAPH
    if inside & {SectionKind.SCHEDULE, SectionKind.ANNEX} and not dots:
        return SectionKind.PARAGRAPH
    if dots >= 2:
        return SectionKind.RULE
    if dots == 1:
        return SectionKind.SECTION
    if (bare := words(language).bare_number) is not None:
        return bare
    return SectionKind.SECTION if in_statute else SectionKind.CHAPTER


_LETTERED = re.compile(r"([A-Z](?:\.\d+)*)\.?\Z")


def _lettered(text: str) -> Address | None:
    match = _LETTERED.match(text)
    if not match:
        return None
    return Address(SectionKind.CHAPTER if match[1].isalpha() else SectionKind.PARAGRAPH, match[1])
