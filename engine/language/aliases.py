"""Derive the names by which other texts call a document.

``aliases_of`` derives them from the metadata of a document: its title, id, abbreviation, number and year.
``name_key`` normalises names for comparison by stems, so that "des Bürgerlichen Gesetzbuchs" equals
"Bürgerliches Gesetzbuch".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from engine import languages
from engine.language.analysis import analyzer
from engine.language.characters import HAN, visible, western_digits
from engine.language.designations import designation_of
from engine.language.numerals import GERMAN_BOOKS
from engine.languages import law

# Parts of a file name or title that identify a version, not a name.
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_VERSION = re.compile(
    r"[\s_(]*(?<![A-Za-z])VER\s?\d+(?:\.\d+)*\)?"
    rf"|\((?:As |as )?(?:Consolidated|Amended|Version|amended|{_MONTH})[^)]*\)"
    r"|\(\d{1,3}\)|\b[vV]\d+(?:\.\d+)*\b|_\d{6,8}(?!\d)"
    rf"|[\s_]\d{{1,2}} (?:{_MONTH}) \d{{4}}(?:\s+\w{{2,4}})?(?:\s*\(\d+\))?\s*$"
)
_OF_YEAR = r"(?:of|de|del|van|von|Tahun|لسنة|لعام)\s+\(?(?:1[2-9]|20)\d\d\)?(?!\w)(?!\s+tentang)"
_YEAR = re.compile(rf",?\s+\(?(?:19|20)\d\d\)?$|(?<=[^\W\d])\s+{_OF_YEAR}")
# "Seeds Act 7 of 2019", "Seeds Act (Act No. 7 of 2019)", "Seeds Act (Chapter 39:03)".
_NUMBERED = re.compile(
    r"(?<=Act|aws|Law|ode|nce),?\s+(?:\((?:(?:Act|Law|Ordinance|Chapter|Cap\.?|No\.?)\s*)+\d[\d:]*(?:\s+of\s+\d{4})?\)"
    r"|(?:No\.?\s*)?\d{1,4}\s+of\s+\d{4})"
)
# "Agency Code, Law No. 12 of 2004": the number of the act follows its name.
_NUMBER_BEHIND = re.compile(
    r"(?:,\s*|\s\()(?=(?:Federal |Decree[ -])?(?:Act|Law|Ordinance|Decree|Ley|Loi|Lei|Legge)\s)"
)
_OF_OTHER_ACT = re.compile(r"\b(?:under|amend\w*|implement\w*|pursuant)\b", re.IGNORECASE)
_ACRONYM = re.compile(r"[A-Z][A-Za-z]?[A-Z0-9]{1,6}\Z")
# "DSGVO", "HafG", "MarktVO NRW"
_SHORT_TITLE = re.compile(r"[A-ZÄÖÜ][\w-]*[A-Z0-9ÄÖÜ]\w{0,3}(?: [A-Z]{2,4})?\Z")
_NUMBER_ONLY = re.compile(r"(?:Act|Law|Ordinance)?\s*(?:No\.?\s*)?\d")
_PARTS = re.compile(r"\s+[-–—]\s+|,\s+")
_ACRONYM_FIRST = re.compile(r"([A-Z]{2,8})\s+(?=Rulebook|Rules|Rule\b|Module)")
_IN_BRACKETS = re.compile(r"\(([^()]{2,80})\)")
_GUIDANCE = re.compile(
    r"^(?:(?:draft|supplementary)\s+)*guidance(?:\s+notes?)?\s*(?:[-–—:]|on\b)?\s*(?=\S)", re.IGNORECASE
)
_GUIDANCE_LAST = re.compile(
    r"\s*[-–—]?\s*(?:supplementary\s+)?guidance(?:\s+notes?)?(?:\s+final)?$", re.IGNORECASE
)
_LAW_WORD = re.compile(
    r"(act|regulations?|rules|code|law|order|directive|verordnung|gesetz)\b", re.IGNORECASE
)
_GERMAN_ABOUT = re.compile(r"Gesetz (?:über|betreffend) (?:das|den|die) ([A-ZÄÖÜ][a-zäöüß]+)$")
_GERMAN_BOOK = re.compile(r"SGB[ -]?(\d{1,2})\b")
# In "Sozialgesetzbuch (SGB) Drittes Buch (III)" neither bracket is a name of the book.
_PART_OF_CODE = re.compile(r"SGB\Z|[IVXLC]+\Z")
_ROMANS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV")
_INDONESIAN = re.compile(
    r"(?P<type>undang-\s*undang|peraturan\s+[\w\s]+?|keputusan\s+[\w\s]+?|surat\s+edaran(?:\s+[\w\s]+?)?|UU|PP|PMK|Perpres|Permen\w*)\s+"
    r"(?:republik\s+indonesia\s+)?(?:nomor|no\.?)\s*(?P<number>[\w./-]+)\s+tahun\s+(?P<year>\d{4})(?:\s+tentang\s+(?P<about>.+))?",
    re.IGNORECASE | re.DOTALL,
)
INDONESIAN_SHORT = {
    "undang-undang": "UU",
    "peraturan pemerintah": "PP",
    "peraturan presiden": "Perpres",
    "peraturan menteri keuangan": "PMK",
    "peraturan menteri perhubungan": "PM",
    "keputusan presiden": "Keppres",
    "peraturan pemerintah pengganti undang-undang": "Perppu",
    "peraturan daerah": "Perda",
    "peraturan otoritas jasa keuangan": "POJK",
    "peraturan bank indonesia": "PBI",
    "surat edaran": "SE",
}
_ARABIC_ACT = re.compile(r"\s*(?:نظام|قانون|لائحة|تنظيم)\s+\w+")
# Ministries that print the short form before the number: "Peraturan Menteri Perhubungan Nomor PM 4".
_OWN_SERIES = frozenset(("PM",))
_INDONESIAN_CODE = re.compile(
    r"Kitab Undang-Undang Hukum (Acara Pidana|Perdata|Pidana|Dagang)", re.IGNORECASE
)
_INDONESIAN_CODES = {"perdata": "KUHPerdata", "pidana": "KUHP", "dagang": "KUHD", "acara pidana": "KUHAP"}
_EU_ACT = re.compile(
    r"(?:Regulation|Directive|Decision|Verordnung|Richtlinie|Beschluss|Règlement|Directive|Décision)\s*"
    r"(?:\((?:EU|EG|EC|UE|CE|EWG|EEC|Euratom)(?:,\s*Euratom)?\)\s*)?(?:No\.?\s*|Nr\.?\s*|n[o°]\s*)?"
    r"\d{2,4}/\d{1,4}(?:/(?:EU|EG|EC|UE|CE|EWG|EEC))?",
    re.IGNORECASE,
)
_FRENCH = re.compile(
    r"(?P<kind>(?:loi(?: organique| constitutionnelle)?|décret|ordonnance|arrêté|délibération))"
    r"(?:\s+n\s?[°ºo]\.?\s?(?P<number>\d{2,4}[-‑]\d{1,5}))?(?:\s+du\s+(?P<day>\d{1,2}(?:er)?\s+\w+\s+\d{4}))?"
    r"\s*,?\s*(?P<about>(?:relati|portant|pour|visant|tendant|sur|fixant|instituant).+)?",
    re.IGNORECASE | re.DOTALL,
)
_CHINA = "中华人民共和国"
# "(试行)" is part of a name; a year or day, "(2020修正)" or "（1996-10-03）", is not.
_CHINESE_NOTE = re.compile(r"[（(]\s*\d{4}[^（）()]{0,12}[）)]\s*\Z")
LONGEST_ALIAS = 200


def aliases_of(
    title: str,
    *,
    document_id: str = "",
    abbreviation: str | None = None,
    number: str | None = None,
    year: int | None = None,
    type: str | None = None,
    language: str = "und",
) -> tuple[str, ...]:
    """Return names that other texts may use for a document, its title first, without duplicates.

    ``type``: the kind of act ("Act", "Undang-Undang"); with ``number`` and ``year`` it gives names such as
    "UU No. 6 Tahun 1983". Only the arguments are used.
    """
    found: list[str] = []
    for source in (title, abbreviation or "", document_id if _telling(document_id) else ""):
        found.extend(_names(source, language))
    if type and number and year and language == "id":
        found.extend(_indonesian(f"{type} Nomor {number} Tahun {year}"))
    kept: dict[str, None] = {}
    for name in found:
        tidy = " ".join(name.split()).strip(" -–—_,.;:")
        if 2 <= len(tidy) <= LONGEST_ALIAS:
            kept.setdefault(tidy, None)
    return tuple(kept)


def _telling(document_id: str) -> bool:
    """Return True if an id is a name: titles and acronyms have capitals, slugs and hashes have none."""
    return sum(letter.isupper() for letter in document_id) >= 2


def _names(source: str, language: str) -> Iterator[str]:
    if not source:
        return
    # In an Arabic title "(39)" is the number of the act, not that of a copy.
    shown = visible(source) if language == "ar" else _VERSION.sub(" ", visible(source))
    plain = " ".join(shown.replace("_", " ").split()).strip(" -–—")
    if language == "de" and _GERMAN_BOOK.fullmatch(plain):
        # Lawyers use Roman numerals for the books of the social code.
        yield from _german(plain)
        return
    yield plain
    without_year = _YEAR.sub("", plain)
    yield without_year
    yield _NUMBERED.sub("", plain)
    if language == "en" and without_year.isupper() and _ACRONYM.match(without_year):
        yield f"{without_year} Rulebook"
    elif leading := _ACRONYM_FIRST.match(plain):
        yield leading[1]
    if designated := designation_of(plain.removeprefix("Prudential Standard ")):
        yield designated
    yield from _bracketed(plain)
    yield from _guidance(plain)
    if act := _EU_ACT.match(plain):
        yield act[0]
    yield from _short(plain, language)
    if language == "de":
        yield from _german(plain)
    if language == "fr":
        yield from _french(plain)
    if language == "zh":
        yield from _chinese(plain)
    if language == "id":
        yield from _indonesian(plain)
    if language == "ar":
        yield from _arabic(plain)


def _bracketed(name: str) -> Iterator[str]:
    """Yield short titles in brackets, "... (General Data Protection Regulation)", and the name without
    them."""
    for inner in _IN_BRACKETS.findall(name):
        names = [one for one in _PARTS.split(inner) if _is_name(one)]
        if names:
            yield from names
            yield name.replace(f"({inner})", " ")


def _is_name(inner: str) -> bool:
    """Return True if words in brackets are a name of the act: an abbreviation or a short title."""
    if _LAW_WORD.search(inner) and not _LAW_WORD.fullmatch(inner):
        return not _NUMBER_ONLY.match(inner)
    return len(inner) > 2 and _SHORT_TITLE.match(inner) is not None and not _PART_OF_CODE.match(inner)


def _guidance(name: str) -> Iterator[str]:
    topic = _GUIDANCE.sub("", name, count=1)
    if topic == name:
        topic = _GUIDANCE_LAST.sub("", name)
        topic = topic if topic != name else ""
    if topic and len(topic.split()) >= 2:
        yield from (f"Guidance on {topic}", f"{topic} Guidance", f"Guidance - {topic}")


def _short(name: str, language: str) -> Iterator[str]:
    """Yield the start of a title if it is the usual name of the act, "Ley 39/2015, de 1 de octubre, ...", and
    the number after its name."""
    parts = [name] if _OF_OTHER_ACT.search(name) else _NUMBER_BEHIND.split(name, maxsplit=1)
    yield parts[0]
    for pattern, part in product(law(language).short_titles, dict.fromkeys((name, *parts))):
        if found := re.match(pattern, part):
            groups = found.groupdict()
            if "number" in groups:
                forms = (
                    "{kind} n. {number} del {year}",
                    "{kind} {number} of {year}",
                    "{kind} {number}/{year}",
                )
                yield from (found[0], *(form.format(**groups) for form in forms))
            else:
                yield f"{groups['kind']} {groups['about']}" if groups else found[0]


def _german(name: str) -> Iterator[str]:
    """Yield compound short titles of "Gesetz über das ...", and the spellings of the books of the SGB."""
    if about := _GERMAN_ABOUT.match(name):
        yield from (f"{about[1]}gesetz", f"{about[1]}sgesetz")
    if book := _GERMAN_BOOK.match(name):
        index = int(book[1])
        if 1 <= index <= len(_ROMANS):
            ordinal = list(GERMAN_BOOKS)[index - 1].capitalize()
            yield from (
                f"SGB {_ROMANS[index - 1]}",
                f"{ordinal}es Buch Sozialgesetzbuch",
                f"{ordinal}es Buch des Sozialgesetzbuchs",
                f"{ordinal}es Buch",
                f"Sozialgesetzbuch {ordinal}es Buch",
            )


def _french(name: str) -> Iterator[str]:
    """Yield names for "Loi n° 78-17 du 6 janvier 1978 relative à ...": by number, by date, and by subject."""
    match = _FRENCH.match(name)
    if not match:
        return
    kind, number, day = match["kind"], match["number"], match["day"]
    if number and day:
        yield f"{kind} n° {number} du {day}"
    if number:
        yield f"{kind} n° {number}"
    elif day:
        yield f"{kind} du {day}"
    if match["about"] and len(match["about"]) < LONGEST_ALIAS:
        yield f"{kind} {match['about']}"


def _chinese(name: str) -> Iterator[str]:
    """Remove the name of the state and the version: 《中华人民共和国专利法（2020修正）》 gives 专利法."""
    bare = _CHINESE_NOTE.sub("", name.strip("《》〈〉 "))
    yield bare
    if bare.startswith(_CHINA) and len(bare) > len(_CHINA) + 1:
        yield bare.removeprefix(_CHINA)


def _indonesian(name: str) -> Iterator[str]:
    if code := _INDONESIAN_CODE.match(name):
        yield _INDONESIAN_CODES[code[1].casefold()]
        yield code[0]
    match = _INDONESIAN.search(name)
    if not match:
        return
    kind = re.sub(r"-\s+", "-", " ".join(match["type"].split()))
    tail = f"{match['number']} Tahun {match['year']}"
    short = INDONESIAN_SHORT.get(kind.casefold())
    for form in (kind, short):
        if form:
            yield f"{form} Nomor {tail}"
            yield f"{form} {match['number']}/{match['year']}"
    yield f"{kind} Republik Indonesia Nomor {tail}"
    if short in _OWN_SERIES:
        yield f"{kind} Nomor {short} {tail}"
    if match["about"] and len(match["about"]) < LONGEST_ALIAS:
        yield f"{kind} tentang {match['about']}"
        if kind.casefold() == "undang-undang" and not match["about"].casefold().startswith("perubahan"):
            yield f"{kind} {match['about']}"


def _arabic(name: str) -> Iterator[str]:
    bare = _IN_BRACKETS.sub(lambda match: match[0] if match[1].strip().isdecimal() else " ", name)
    if bare != name:
        yield bare
    # "النظام التجاري ( نظام المحكمة التجارية )": the older name.
    yield from (inner.strip() for inner in _IN_BRACKETS.findall(name) if _ARABIC_ACT.match(inner))


# A word, or one letter of a script that puts no spaces between words.
NAME_WORD = re.compile(f"[{HAN}]|[^\\W_{HAN}]+(?:[./-](?=[^\\W{HAN}])[^\\W_{HAN}]+)*")
# "U.S.C" is "USC".
_INITIALS = re.compile(r"(?<!\w)[a-z](?:\. ?[a-z])+(?!\w)")
# Words without meaning in a name: articles and the word "number".
_ARTICLES = ("the", "das", "der", "die", "des", "dem", "den", "la", "le", "les", "el", "los", "il")
_EMPTY = frozenset((*_ARTICLES, "no", "nr", "n", "nº", "nomor", "number"))


@lru_cache(maxsize=200_000)
def name_key(name: str, language: str = "und") -> tuple[str, ...]:
    """Return the stems of a name in order, without articles and the word "number"; equal for equal names."""
    stem = analyzer(language).stem
    plain = western_digits(visible(name)).casefold()
    words = NAME_WORD.findall(_INITIALS.sub(lambda one: re.sub(r"\W", "", one[0]), plain))
    short = languages.words(language).short_words
    return tuple(stem(short.get(word, word)) for word in words if word not in _EMPTY)
