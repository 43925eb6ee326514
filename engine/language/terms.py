"""Find terms that a text defines or names, by patterns for each language; entities are made from them.

Defined terms ('"Client" means ...'), parties with their roles, acronyms with or without their long forms,
organisations, standards and their publishers, and other names of several capitalised words. German
capitalises every noun, so there only inflected capitals before a noun ("Deutsche Bundesbank") make a name,
and compounds in the title of a provision ("Anfechtungsklage") make a term.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.language.analysis import STOPWORDS
from engine.language.names import NOUNS_IN_CAPITALS, is_organisation, parties_in, standards_in
from engine.languages import entity_words
from engine.model import EntityKind

_OPEN, _CLOSE = '["“”„«‘]', '["”“»’]'
LONGEST_TERM = 80


@dataclass(frozen=True, slots=True)
class Found:
    """A term in a text. ``other``: a second name of the same thing (the long form of an acronym).

    ``sure``: a definition, not a guess that other passages have to confirm. ``initial``: a name at the start
    of a sentence, whose first word may not belong to it. ``role``: the party's role in a contract.
    """

    name: str
    kind: EntityKind
    other: str | None = None
    sure: bool = False
    initial: bool = False
    role: str | None = None


@dataclass(frozen=True, slots=True)
class TermPatterns:
    """Patterns of definitions and names in a language, with the groups ``term`` and optionally ``other``.

    Definitions are searched only in texts with one of ``only_in``, or in all if it is empty. The first word
    of every name contains one of ``signs``, with only lower-case letters before it and a capital before
    these; without signs, names are searched everywhere.
    """

    defined: tuple[re.Pattern[str], ...]
    named: re.Pattern[str] | None = None
    only_in: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()

    def names_in(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches of ``named`` in order."""
        if self.named is None:
            return
        if not self.signs:
            yield from self.named.finditer(text)
            return
        end = 0
        for start in sorted(self._capitals(text)):
            if start >= end and (match := self.named.match(text, start)):
                yield match
                end = match.end()

    def _capitals(self, text: str) -> set[int]:
        """Return possible starts of names: the capitals of words with a sign."""
        found = set[int]()
        for sign in self.signs:
            place = text.find(sign)
            while place >= 0:
                start = place - 1
                while start >= 0 and text[start].islower():
                    start -= 1
                if start >= 0 and text[start].isupper():
                    found.add(start)
                place = text.find(sign, place + 1)
        return found


_ENGLISH = TermPatterns(
    defined=(
        re.compile(
            rf"{_OPEN}(?P<term>[A-Za-z][^\"“”„«»\n]{{1,60}}?){_CLOSE}\s*,?\s+(?:means|shall\s+mean|has\s+the\s+(?:same\s+)?meaning"
            r"|have\s+the\s+meaning|is\s+defined|includes|refers\s+to)\b"
        ),
        re.compile(
            r"\(\s*(?:the|each,?\s+an?|an?|together,?\s+the)?\s*"
            rf"{_OPEN}(?P<term>[A-Z][^\"“”„«»\n()]{{1,60}}?){_CLOSE}\s*\)"
        ),
        re.compile(
            r"(?m)^(?:\*\*)?(?P<term>[A-Z][\w'’&/-]*(?:[ ][\w'’&/()-]+){0,6}?)(?:\*\*)?\s+"
            r"(?:[Mm]eans|[Hh]as\s+the\s+meaning)\b"
        ),
    ),
    named=re.compile(
        r"(?<![.!?:;•][ \t])(?<![.!?:;\n])(?<!^)\b"
        r"(?P<term>[A-Z][a-z][\w'’-]*(?:[ ](?:(?:of|and|for|the)[ ])?[A-Z][a-z][\w'’-]*){1,5})"
    ),
)
# The start of a noun; not of a capitalised adjective, whose noun follows.
_NOUN = r"(?![A-ZÄÖÜ][a-zäöüß]*(?:isch|lich)e[nrms]?\b)[A-ZÄÖÜ][a-zäöüß]"
_GERMAN = TermPatterns(
    defined=(
        re.compile(
            rf"{_OPEN}(?P<term>[A-ZÄÖÜ][^\"“”„«»\n]{{1,60}}?){_CLOSE}\s+"
            r"(?:ist|sind|bedeutet|bezeichnet|umfasst|im\s+Sinne)\b"
        ),
        re.compile(
            r"(?:^|[.)]\s+|\n[^\S\n]*)(?P<term>[A-ZÄÖÜ][\wäöüß-]+(?:[ ][\wäöüß-]+){0,3}?)\s+im\s+Sinne\s+"
            r"(?:dieses|dieser)\s+\w+(?:\s+(?:ist|sind)\b)"
        ),
    ),
    named=re.compile(
        # The letter before its lookbehind: only capitals are tried.
        r"(?P<term>[A-ZÄÖÜ](?<=[a-zäöüß,]\s.)(?:(?:[a-zäöüß]*(?:isch|istisch|ional)|(?<=D)eutsch|(?<=V)ereinigt|(?<=O)berst"
        r"|(?<=G)emeinsam|(?<=A)uswärtig|(?<=A)llgemein|(?<=S)tatistisch|(?<=K)assenärztlich|(?<=E)rneuerbar)"
        rf"(?:e|en|er|es|em)\s{_NOUN}{{3,}}(?:\sfür\s[A-ZÄÖÜ][\wäöüß-]+)?(?!\sund\s[A-ZÄÖÜ]|[\w-])"
        r"|[a-zäöüß]+(?:(?:anstalt|amt|agentur|bank|behörde|ministerium|kammer)\sfür|(?:anstalt|ministerium)\sde[rs])\s"
        rf"{_NOUN}+(?:,\s{_NOUN}+)?(?:\sund\s(?:für\s)?(?:[a-zäöüß]{(4,)}e\s)?(?!Bundes){_NOUN}+)?(?![\w-])))"
    ),
    only_in=("„", "“", "”", "«", "»", '"', "Sinne"),
    signs=(
        *("ische", "ionale", "eutsche", "ereinigte", "berste", "emeinsame", "uswärtige", "llgemeine"),
        *("tatistische", "assenärztliche", "rneuerbare", "anstalt", "amt", "agentur", "bank", "behörde"),
        *("ministerium", "kammer"),
    ),
)

_INDONESIAN = TermPatterns(
    defined=(
        re.compile(
            r"(?m)^[^\S\n]*(?:\d{1,3}\.\s*)?(?P<term>[A-Z][\w/-]*(?:[ ][\w/-]+){0,8}?)"
            r"(?:\s*,?\s*yang\s+selanjutnya\s+(?:disebut|disingkat)(?:\s+dengan)?\s+"
            r"(?P<other>[A-Z][\w/-]*(?:[ ][\w/-]+){0,5}?))?\s*,?\s+adalah\b"
        ),
    ),
    named=re.compile(
        r"(?<![.!?:;][ \t])(?<![.!?:;\n])(?<!^)\b"
        r"(?P<term>[A-Z][a-z][\w-]*(?:[ ](?:(?:dan|atau|untuk|bagi)[ ])?[A-Z][a-z][\w-]*){1,5})"
    ),
)
_ARABIC = TermPatterns(
    defined=(
        re.compile(
            r"(?m)^[^\S\n]*(?:\d{1,3}\s*[-.]\s*)?"
            r"(?P<term>[\u0621-\u064a\u064b-\u0652 ()]{2,45}?)\s*:\s*(?=[\u0621-\u064a])"
        ),
    ),
    named=re.compile(
        # An organisation and the definite words after it: "هيئة السوق المالية".
        r"(?<![\u0621-\u064a])(?:[وفبل]{0,2})(?P<term>(?:هيئة|وزارة|مجلس|مؤسسة|ديوان|محكمة|لجنة|صندوق|مركز|بنك)"
        r"(?:\s+ال[\u0621-\u064a]+){1,2})"
    ),
    only_in=("يقصد", "تعني", "المعاني", "المعنى"),
)
_FRENCH = TermPatterns(
    defined=(
        re.compile(
            rf"{_OPEN}\s*(?P<term>\w[^\"“”„«»\n]{{1,60}}?)\s*{_CLOSE}\s*(?:[,:]\s|(?:désigne|signifie|s[’']entend)\b)"
        ),
        re.compile(
            rf"ci-après\s+(?:dénommée?s?\s+)?{_OPEN}\s*(?:le |la |les |l[’'])?"
            rf"(?P<term>[^\"“”„«»\n]{{2,60}}?)\s*{_CLOSE}"
        ),
    ),
    named=re.compile(
        r"\b(?P<term>(?:Commission|Autorité|Ministère|Conseil|Cour|Agence|Comité|Banque|Parlement)"
        r"(?:\s(?:européen(?:ne)?|nationale?|supérieure?|constitutionnel|centrale?|général))?"
        r"(?:\s(?:de\sla|du|des|de)\s[\wàâéèêëîïôûùç-]{3,}|\sde\sl[’'][\wàâéèêëîïôûùç-]{3,}){0,2})"
    ),
)
PATTERNS = {"en": _ENGLISH, "de": _GERMAN, "id": _INDONESIAN, "ar": _ARABIC, "fr": _FRENCH}

_ACRONYM = re.compile(r"(?P<term>[A-ZÄÖÜ](?<![\w.-].)[A-ZÄÖÜa-z]?[A-ZÄÖÜ0-9]{1,8})(?:s|’s|'s)?(?![\w-])")
_PART_OF_NAME = r"(?:[A-Z][\w'’&-]*|of|and|for|the|on|in)"
_LONG_FORM = re.compile(
    rf"(?P<other>{_PART_OF_NAME}(?:[ -]{_PART_OF_NAME}){{1,9}})\s*"
    r"[(\[]\s*(?:the\s+)?[\"“”‘']?(?P<term>[A-Z]{2,8})[\"”“’']?\s*[)\]]"
)
# Acronyms, and the signs of standards, have two consecutive capitals, or one next to a digit or stroke.
_CAPITALS = re.compile(r"[A-ZÄÖÜ/][A-ZÄÖÜ0-9]")
# A cheap test for an acronym in brackets.
_IN_BRACKETS = re.compile(r"[(\[]\s*(?:the\s+)?[\"“”‘']?[A-Z]{2}")
_SMALL = frozenset(("of", "and", "for", "the", "on", "in"))
# Capitals that are not names: Roman numerals, headings in capitals, list markers.
_NOT_ACRONYM = re.compile(r"[IVXLCDM]+\Z|[A-Z]\d+\Z")


# Words for positions in a text; they are removed from the ends of a term.
_STRUCTURE = frozenset((
    "rule", "rules", "section", "sections", "chapter", "chapters", "part", "parts", "schedule", "article",
    "articles", "annex", "appendix", "guidance", "paragraph", "paragraphs", "application", "means", "has",
    "meaning", "nomor", "tahun", "pasal", "bab", "ayat", "huruf", "undang", "undang-undang", "peraturan",
    "teil", "abschnitt", "titel", "kapitel", "buch", "absatz", "anlage", "المادة", "الفقرة", "الفصل",
    "الباب", "القسم", "النظام", "اللائحة",
))  # fmt: skip
_ENDS = re.compile(r"[’']s?\Z")


def trimmed(name: str, language: str) -> str:
    """Remove function words and words for positions from the ends of a term; the result may be empty."""
    words = name.split()
    empty = STOPWORDS.get(language.split("-")[0], frozenset()) | _STRUCTURE
    while words and words[0].casefold() in empty:
        words = words[1:]
    while words and words[-1].casefold() in empty:
        words = words[:-1]
    return _ENDS.sub("", " ".join(words)).strip(" -–—")


def terms_of(text: str, language: str) -> Iterator[Found]:
    """Yield the terms that a text defines or names, in no particular order, with repetitions."""
    patterns = PATTERNS.get(language.split("-")[0])
    if patterns:
        yield from _defined(text, patterns, language)
        for match in patterns.names_in(text) if is_running(text, language) else ():
            name = trimmed(match["term"], language)
            if " " in name and may_be_name(text, *match.span()):
                yield Found(name, _kind_of(name, language))
    has_capitals = _CAPITALS.search(text) is not None
    if has_capitals:
        yield from _standards(text)
    for party in parties_in(text, language):
        kind = EntityKind.ORGANISATION if party.is_company else _kind_of(party.name, language)
        yield Found(party.name, kind, sure=True, role=party.role)
    if not has_capitals or text.isupper():
        return
    for match in _LONG_FORM.finditer(text) if _IN_BRACKETS.search(text) else ():
        long_form = _by_initials(match["other"], match["term"])
        if long_form:
            is_body = is_organisation(long_form, language)
            kind = EntityKind.ORGANISATION if is_body else EntityKind.ACRONYM
            yield Found(match["term"], kind, long_form, sure=True)
    for match in _ACRONYM.finditer(text):
        if match["term"].isupper() and len(match["term"]) >= 3 and not _NOT_ACRONYM.match(match["term"]):
            yield Found(match["term"], EntityKind.ACRONYM)


def _kind_of(name: str, language: str) -> EntityKind:
    return EntityKind.ORGANISATION if is_organisation(name, language) else EntityKind.NAME


def _standards(text: str) -> Iterator[Found]:
    """Yield the standards that a text names, and their publishers if the letters are their own."""
    for one in standards_in(text):
        yield Found(one.name, EntityKind.STANDARD, one.written if one.written != one.name else None)
        if one.letters:
            yield Found(one.letters, EntityKind.ORGANISATION, one.publisher)


def is_running(text: str, language: str) -> bool:
    """Return True if a text consists of sentences; in headings, lists and tables capitals do not mark names.

    Decided by the share of words in lower case.
    """
    if language.split("-")[0] in NOUNS_IN_CAPITALS:
        return True
    words = _LETTERS.findall(text)
    small = sum(word[0].islower() for word in words)
    cased = small + sum(word[0].isupper() for word in words)
    if cased < FEW_WORDS:
        return small > 0 or not cased
    least = LEAST_IN_SENTENCE if _SENTENCE_END.search(text) else LEAST_SMALL
    enough: bool = small >= least * cased
    return enough


def may_be_name(text: str, start: int, end: int) -> bool:
    """Return True if capitalised words at a position may be a name.

    They are not in markup ("/Table Start"), if they continue in a number ("Disclosure RS 306-1"), or in the
    title of a provision after its number ("Rule 6.10 (Confirmation Notes)").
    """
    if text[max(0, start - 1) : start] == "/" or _NUMBER_BEHIND.match(text, end):
        return False
    return text[end : end + 1] != ")" or not _NUMBER_BEFORE.search(text[max(0, start - 24) : start])


def is_label(name: str, language: str) -> bool:
    """Return True for a word for documents ("Agreement"), or a numbered position in a text ("Clause 4")."""
    words, own = name.casefold().split(), entity_words(language)
    if len(words) == 1:
        return words[0] in own.documents or words[0].removesuffix("s") in own.documents
    last = name.split()[-1]
    is_counted = last.isdigit() or (len(words) == 2 and _NOT_ACRONYM.match(last) is not None)
    if not is_counted:
        return False
    return any(one in own.labels or one in _STRUCTURE for one in (words[-2], words[-2].removesuffix("s")))


def _defined(text: str, patterns: TermPatterns, language: str) -> Iterator[Found]:
    if patterns.only_in and not any(sign in text for sign in patterns.only_in):
        return
    for pattern in patterns.defined:
        for match in pattern.finditer(text):
            term = " ".join(match["term"].split()).strip(" -")
            other = match.groupdict().get("other")
            if short := _SHORT_FORM.search(term):
                term, other = term[: short.start()], short[1]
            term = term.strip(" ()")
            is_term = 2 <= len(term) <= LONGEST_TERM and trimmed(term, language) == term
            if is_term and not is_label(term, language):
                yield Found(term, EntityKind.DEFINED_TERM, other, sure=True)


def _by_initials(words: str, acronym: str) -> str | None:
    """Return the last words whose initials give the acronym ("Money Laundering Reporting Officer", MLRO), or
    None."""
    parts = list(_PART.finditer(words))
    for start in range(len(parts) - 1):
        rest = [part[0] for part in parts[start:]]
        full = "".join(word[0] for word in rest).upper()
        short = "".join(word[0] for word in rest if word.lower() not in _SMALL).upper()
        if rest[0].lower() not in _SMALL and acronym in (full, short):
            return words[parts[start].start() :]
    return None


_PART = re.compile(r"[^\s-]+")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_SHORT_FORM = re.compile(r"\s+\(([A-Z][\w-]+)\)\Z")
# Minimum share of lower-case words in a sentence, and minimum length of a text to apply it.
LEAST_SMALL, LEAST_IN_SENTENCE, FEW_WORDS = 0.4, 0.25, 7
_SENTENCE_END = re.compile(r"[.!?;:][\"”’»)\]]*\s*\Z")
_NUMBER_BEHIND = re.compile(r"[ ]\d")
_NUMBER_BEFORE = re.compile(r"\d[\w.]*(?:\(\w+\))*\s*\(\Z")
_NUMBERED_TITLE = re.compile(
    r"^(?:(?:part|chapter|section|schedule|annex|appendix|article|rule|teil|buch|titel|untertitel|abschnitt|unterabschnitt|kapitel"
    r"|bab|bagian|paragraf|buku|الفصل|الباب|القسم)\s+[\w.]+|[\dIVXLC]+(?:\.\d+)*\.?|\w+(?:er|es)\s+(?:Teil|Buch|Titel|Abschnitt|Kapitel))"
    r"\s*[:.–—-]*\s*",
    re.IGNORECASE,
)


# Minimum length of a German compound, which corresponds to two words in other languages
# ("Abfallbeseitigung").
SHORTEST_COMPOUND = 10


def title_terms(heading: str, language: str) -> Iterator[str]:
    """Yield the compounds in a section's title: "Abschnitt 7 - Abfallbeseitigung; Zweck" gives the first.

    Titles of several words describe an event, or are no term; in other languages all do.
    """
    if language.split("-")[0] not in NOUNS_IN_CAPITALS:
        return
    title = _NUMBERED_TITLE.sub("", heading.strip())
    for piece in re.split(r"\s*[;,:]\s*|\s+[–—-]\s+", title):
        term = trimmed(piece.strip(" .()"), language)
        if len(term) >= SHORTEST_COMPOUND and term.isalpha() and term[0].isupper() and term[1:].islower():
            yield term
