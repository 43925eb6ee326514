"""Parse headings of legal texts: level, number and title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from engine.language.addresses import PROVISIONS, WORDS
from engine.language.characters import visible, western_digits
from engine.language.numerals import (
    ARABIC_AGAIN,
    ARABIC_ORDINAL,
    FRENCH_AGAIN,
    FRENCH_NUMBER,
    GERMAN_BOOKS,
    HAN_NUMBER,
    arabic_again,
    arabic_ordinal,
    french_number,
    han_number,
    indonesian_number,
)
from engine.language.references.levels import ordinal
from engine.languages import all_words
from engine.model import SectionKind


@dataclass(frozen=True, slots=True)
class Heading:
    """A parsed heading.

    ``number``: without the word for its level. ``slug``: its part of an id ("art-14", "annex-i"). ``label``:
    the number as printed ("Article 14", "§ 14").
    """

    kind: SectionKind
    number: str | None
    title: str
    label: str
    slug: str


# Parts of ids that differ from the name of the kind.
_SLUGS = {"§": "sec", "§§": "sec", "clause": "clause", "disclosure": "disclosure"}
_WORDS = {
    **WORDS,
    **{
        word: kind
        for own in all_words().values()
        for kind, listed in own.heading_levels.items()
        for word in listed
    },
}
_UNNUMBERED = {
    word: kind for own in all_words().values() for kind, listed in own.unnumbered.items() for word in listed
}
_EXPLANATIONS = "|".join(one for own in all_words().values() for one in own.explanations)
_WORDS_BEFORE = "|".join(one for own in all_words().values() for one in own.explains)
EXPLANATION = re.compile(rf"(?:{_EXPLANATIONS})\s*[.:]?\Z", re.IGNORECASE)
EXPLAINS = re.compile(rf"(?:{_EXPLANATIONS}|(?:{_WORDS_BEFORE})\s.*)\Z", re.IGNORECASE)
# "§ 5", "Section 5" in the heading of an explanation.
_EXPLAINED = re.compile(r"(?<![^\s'’])(?:§+\s?|[^\W\d_]{3,}\.?\s)\d.*", re.DOTALL)
_REST = r"(?:\s*[.:–—-]\s*|\s+|\Z)(?P<title>.*)\Z"
_NUMBER = (
    r"(?P<number>[A-Z]{2,5}[ -]\d+(?:[-.]\d+)*|\d+[a-z]\d{0,2}-\d+[A-Za-z]?(?![A-Za-z])"
    rf"|[A-Z]{{0,2}}\d+(?:[A-Z]{{1,2}}(?![A-Za-z])|{FRENCH_AGAIN}(?!\w)|\s?[a-z]?(?![a-z]))"
    r"(?:(?:[.:‐‑-]|–(?=\d{3}|\d+\.\d))\d+[A-Za-z]?(?![A-Za-z])"
    r"|[-‐‑–](?:[A-Z]|bis|ter|quater)(?![\w.]))*"
    r"|[A-Z](?:\.\d+)+(?!\w)|[IVXLC]+(?:er|[a-d])?(?!\w)|[A-Z](?!\w))"
)
# "Article R*121-16", "Article 1er", "Article L9 bis": forms that only French numbers have.
_FRENCH_ARTICLE = re.compile(
    rf"(?P<word>[Aa]rt(?:icle|ículo|icolo|igo|\.)|ART(?:ICLE|ÍCULO|ICOLO|IGO|\.))\s*\**(?P<number>{FRENCH_NUMBER})\**{_REST}",
    re.DOTALL,
)
_ONLY_FRENCH = re.compile(rf"\*|\der\b|premier|[ -]{FRENCH_AGAIN}|[LRDA]\.\s?\d")
# "Artículo 5.º", "Artigo 5º-A": the ordinal sign is not part of the number.
_ORDINAL = re.compile(
    rf"(?P<word>[Aa]rt[^\W\d_]*|ART[^\W\d_]*)\.?\s*(?P<number>\d+)\.?[ºª°](?P<more>-[A-Z])?{_REST}", re.DOTALL
)
# "5 §", "5 a §", "5. §" in Nordic languages and Hungarian; "5 straipsnis", "5. pants".
_SIGN_LAST = re.compile(
    rf"(?P<number>\d+(?:\s?[a-z](?=\s))?)\.?\s*(?P<word>§|straipsnis|pants|člen|cikk){_REST}", re.DOTALL
)

_WORD_FIRST = re.compile(rf"(?P<word>§{{1,2}}|[^\W\d_]+)\.?\s*{_NUMBER}(?:\.?[ºª])?\)?{_REST}", re.DOTALL)
_NUMBER_FIRST = re.compile(rf"(?P<number>\d+[a-z]?|[IVXLC]+)\.\s+(?P<word>[^\W\d_]+){_REST}", re.DOTALL)
_GERMAN = re.compile(rf"(?P<ordinal>[A-ZÄÖÜ][a-zäöüß]+t)e[rs]?\s+(?P<word>[A-Z][a-z]+){_REST}", re.DOTALL)
_INDONESIAN = re.compile(
    rf"(?P<word>buku|bagian|bab|paragraf)\s+(?P<ordinal>ke\w+(?:\s+belas)?|pertama){_REST}",
    re.IGNORECASE | re.DOTALL,
)
_ARABIC_WORD = re.compile(r"\(?\s*(?P<word>المادة|مادة|الباب|الفصل|الكتاب|القسم|الملحق|الفرع)")
_ARABIC_KINDS = {"القسم": SectionKind.PART, "الفرع": SectionKind.SECTION}
# "البند 1.1" of a contract.
_ARABIC_CLAUSE = re.compile(
    rf"(?P<label>البند\s*\(?\s*(?P<number>\d+(?:\.\d+)+)(?:\s*\))?){_REST}", re.DOTALL
)
_HAN = re.compile(
    rf"第(?P<value>{HAN_NUMBER}|\d+(?:\.\d+)*)(?P<unit>[编編章节節条條])(?:[之の](?P<again>{HAN_NUMBER}))?\s*(?P<title>.*)\Z",
    re.DOTALL,
)
_HAN_ANNEX = re.compile(
    rf"(?P<label>附[件表录錄]\s?(?P<value>{HAN_NUMBER}|\d+))(?:\s*[:：、]\s*|\s+|\Z)(?P<title>.*)\Z",
    re.DOTALL,
)
# Korean "제5조의2(목적)".
_HANGUL = re.compile(
    r"제\s?(?P<value>\d+)\s?(?P<unit>편|장|절|조)(?:의\s?(?P<again>\d+))?\s*(?:\((?P<named>[^()]*)\))?\s*(?P<title>.*)\Z",
    re.DOTALL,
)
_HAN_UNITS = {
    **dict.fromkeys("编編편", SectionKind.BOOK),
    **dict.fromkeys("章장", SectionKind.CHAPTER),
    **dict.fromkeys("节節절", SectionKind.SECTION),
    **dict.fromkeys("条條조", SectionKind.ARTICLE),
}
_PLAIN_NUMBER = re.compile(
    r"(?:(?P<number>[A-Z]?\d+[A-Za-z]?(?:\.\d+[A-Za-z]?)*)(?:[.)]?\s+[-–]?|[.)])"
    r"|(?P<sign>[IVXLC]+|[A-Z])[.)]\s*[-–]?)\s*(?P<title>\S.*)\Z",
    re.DOTALL,
)
# "20.1", "4.1.1A": a heading that is only a number.
_BARE_NUMBER = re.compile(r"[A-Z]?\d+(?:\.\d+){1,5}[A-Za-z]?\.?")
# "RS 306-1": the series of a standard and its number.
_SERIES = re.compile(r"[A-Z]{2,5} \d")
_LETTERS = re.compile(r"[\W_]+")


@cache
def _arabic_heading() -> re.Pattern[str]:
    """Return the pattern of an Arabic heading with its number; compiled late, because it is slow."""
    return re.compile(
        rf"{_ARABIC_WORD.pattern}\s*"
        rf"(?:\(?\s*(?P<number>\d+\s?[a-z]?(?!\w))\s*\)?|(?P<ordinal>{ARABIC_ORDINAL}))"
        rf"(?P<again>\s*{ARABIC_AGAIN})?(?:\s*\))?{_REST}",
        re.DOTALL,
    )


def maghreb_article(heading: Heading) -> Heading:
    """Convert a chapter heading "الفصل 5" to that of an article, as in the Maghreb."""
    if heading.kind is not SectionKind.CHAPTER or not heading.label.startswith("الفصل"):
        return heading
    slug = heading.slug.replace(str(SectionKind.CHAPTER), "art", 1)
    return replace(heading, kind=SectionKind.ARTICLE, slug=slug)


@lru_cache(maxsize=65536)
def parse_heading(text: str) -> Heading:
    """Parse a line as a heading; without a number or known word it is a plain one."""
    line = " ".join(western_digits(visible(text)).split())
    return (
        _han(line)
        or _hangul(line)
        or _arabic_clause(line)
        or _arabic(line)
        or _german(line)
        or _indonesian(line)
        or _southern(line)
        or _counted(line)
        or _sign_last(line)
        or _worded(line)
        or _explanation(line)
        or _unnumbered(line)
        or _numbered(line)
        or Heading(SectionKind.HEADING, None, line, "", slug_of(line) or "heading")
    )


def slug_of(text: str) -> str:
    """Make a slug: letters and digits of any script in lower case, everything else as single hyphens."""
    return _LETTERS.sub("-", text.casefold()).strip("-")[:80].rstrip("-")


def _made(kind: SectionKind, word: str, number: str, title: str, label: str) -> Heading:
    number = number.strip() if _SERIES.match(number) else number.replace(" ", "")
    # "Livre Ier".
    number = number.removesuffix("er") if number.endswith("Ier") else number
    base = _SLUGS.get(word.casefold()) or ("art" if kind is SectionKind.ARTICLE else str(kind))
    return Heading(kind, number, title.strip(" -–—:"), label.strip(), f"{base}-{slug_of(number)}")


def _worded(line: str) -> Heading | None:
    match = _WORD_FIRST.match(line) or _NUMBER_FIRST.match(line)
    kind = _WORDS.get(match["word"].casefold()) if match else None
    if match is None or kind is None or line[match.end("word") - 1 :][:2].isalpha():
        # The last letter of "ANNEXE" is not a number.
        return None
    return _made(
        kind, match["word"], match["number"], match["title"], line[: match.start("title")].rstrip(" .:–—-")
    )


def _german(line: str) -> Heading | None:
    match = _GERMAN.match(line)
    value = GERMAN_BOOKS.get(match["ordinal"].casefold()) if match else None
    kind = _WORDS.get(match["word"].casefold()) if match else None
    if match is None or value is None or kind is None:
        return None
    return _made(kind, match["word"], str(value), match["title"], line[: match.end("word")])


def _indonesian(line: str) -> Heading | None:
    match = _INDONESIAN.match(line)
    value = indonesian_number(match["ordinal"]) if match else None
    if match is None or value is None:
        return None
    kind = _WORDS[match["word"].casefold()]
    return _made(kind, match["word"], str(value), match["title"], line[: match.end("ordinal")])


def _arabic(line: str) -> Heading | None:
    match = _arabic_heading().match(line) if _ARABIC_WORD.match(line) else None
    if not match:
        return None
    value = match["number"] or arabic_ordinal(match["ordinal"])
    if not value:
        return None
    word = match["word"]
    kind = _ARABIC_KINDS.get(word) or _WORDS[word]
    again = arabic_again(match["again"] or "")
    label = line[: match.start("title")].rstrip(" .:–—-")
    heading = _made(kind, word, str(value), match["title"], label)
    slug = heading.slug + again.replace(" مكرر", "-bis").replace(" ", "-")
    return Heading(kind, f"{heading.number}{again}", heading.title, label, slug)


def _han(line: str) -> Heading | None:
    if annex := _HAN_ANNEX.match(line):
        value = annex["value"] if annex["value"].isdigit() else han_number(annex["value"])
        return _made(SectionKind.ANNEX, "annex", str(value), annex["title"], annex["label"])
    match = _HAN.match(line)
    written = match["value"] if match else ""
    value = written if written[:1].isdigit() else han_number(written)
    if match is None or value is None:
        return None
    kind = _HAN_UNITS[match["unit"]]
    number = f"{value}-{han_number(match['again'])}" if match["again"] else str(value)
    return _made(kind, str(kind), number, match["title"], line[: match.start("title")].strip())


def _arabic_clause(line: str) -> Heading | None:
    match = _ARABIC_CLAUSE.match(line)
    if match is None:
        return None
    return _made(SectionKind.SECTION, "clause", match["number"], match["title"], match["label"])


def _hangul(line: str) -> Heading | None:
    match = _HANGUL.match(line)
    if match is None:
        return None
    kind = _HAN_UNITS[match["unit"]]
    number = f"{match['value']}-{match['again']}" if match["again"] else match["value"]
    title = match["named"] or match["title"]
    return _made(
        kind, str(kind), number, title, line[: match.end("again" if match["again"] else "unit")].strip()
    )


def _southern(line: str) -> Heading | None:
    """Parse a French article with a star or suffix ("L9 bis") in its number, or with an ordinal as its
    number."""
    if line[:1] not in "Aa":
        return None
    if (match := _FRENCH_ARTICLE.match(line)) is not None and _ONLY_FRENCH.search(
        line[: match.end("number")]
    ):
        again = match["number"]
        # Italian prints "5-bis", French "5 bis".
        number = again if "-" in again and match["word"].casefold() != "article" else french_number(again)
    elif (match := _ORDINAL.match(line)) is not None:
        number = match["number"] + (match["more"] or "")
    else:
        return None
    if number is None or _WORDS.get(match["word"].rstrip(".").casefold()) is not SectionKind.ARTICLE:
        return None
    label = line[: match.start("title")].rstrip(" .:–—-").replace("*", "")
    title = match["title"].strip(" -–—:")
    return Heading(SectionKind.ARTICLE, number, title, label, f"art-{slug_of(number)}")


@cache
def _in_words() -> re.Pattern[str] | None:
    """Return the pattern of a level or named provision with an ordinal in words; None if no language has
    ordinals."""
    forms = []
    for own in all_words().values():
        counts = [*own.only, *(word for words in own.ordinals for word in words)]
        levels = {*_listed(own.levels), *_listed(own.heading_levels)}
        if counts:
            counts += [r"\d{1,3}\.?[ºª]?"]
            named = [rf"{re.escape(name)}\s+(?:{'|'.join(counts)})" for name in own.named_provisions]
            forms += [rf"(?:{'|'.join(map(re.escape, levels))})\s+(?:{'|'.join(counts[:-1])})", *named]
    return (
        re.compile(rf"(?P<all>{'|'.join(forms)})(?!\w){_REST}", re.IGNORECASE | re.DOTALL) if forms else None
    )


def _listed(levels: Mapping[SectionKind, tuple[str, ...]]) -> Iterator[str]:
    return (word for listed in levels.values() for word in listed)


def _counted(line: str) -> Heading | None:
    """Parse "Capítulo primero", "Artículo único", "Disposición adicional segunda": a number in words."""
    pattern = _in_words()
    match = pattern.match(line) if pattern else None
    if match is None:
        return None
    word, *number = match["all"].split()
    kind, title = _WORDS.get(word.casefold()), match["title"].strip(" -–—:")
    counted = ordinal(" ".join(number))
    if kind is None:
        # The name of the provision is part of its number, as in references.
        return Heading(SectionKind.ARTICLE, counted, title, match["all"], slug_of(f"{word} {counted}"))
    return _made(kind, word, counted, title, match["all"])


def _sign_last(line: str) -> Heading | None:
    match = _SIGN_LAST.match(line) if line[:1].isdigit() else None
    if match is None:
        return None
    kind = SectionKind.SECTION if match["word"] == "§" else SectionKind.ARTICLE
    return _made(kind, match["word"], match["number"], match["title"], line[: match.end("word")])


def _explanation(line: str) -> Heading | None:
    """Parse the heading of an explanation: "Zu § 5", "Note to section 5"."""
    about = _EXPLAINED.search(line) if EXPLAINS.match(line) else None
    heading = parse_heading(about[0]) if about else None
    if heading is not None and heading.number and heading.kind in PROVISIONS:
        label = line[: len(line) - len(heading.title)].rstrip(" .:–—-(")
        return Heading(SectionKind.GUIDANCE, heading.number, heading.title, label, slug_of(line))
    return None


def _unnumbered(line: str) -> Heading | None:
    first = line.rstrip(" :.").casefold()
    kind = _UNNUMBERED.get(first) or _WORDS.get(first)
    if kind is None or (first not in _UNNUMBERED and kind is not SectionKind.ANNEX):
        return None
    slug = "preamble" if kind is SectionKind.PREAMBLE and not first.startswith("meng") else slug_of(first)
    return Heading(kind, None, line.rstrip(" :."), "", slug)


def _numbered(line: str) -> Heading | None:
    match = _PLAIN_NUMBER.match(line)
    if _BARE_NUMBER.fullmatch(line):
        number, title = line.rstrip("."), ""
    elif match:
        number, title = match["number"] or match["sign"], match["title"].strip()
    else:
        return None
    return bare_heading(number, title)


def bare_heading(number: str, title: str) -> Heading:
    """Make the heading of a number without a word; its dots give the depth."""
    kind = (SectionKind.CHAPTER, SectionKind.SECTION, SectionKind.RULE)[min(number.count("."), 2)]
    return Heading(kind, number, title, number, slug_of(number) or "clause")
