"""What the title and the first page of an act say of it: type, number, year, issuing body, days.

Conservative: a line must look as an act of that kind prints it, and a name counts only where a title or
the head of the page gives it to the document itself; an act that is only cited there says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from engine.language.dates import DATE, parse_date
from engine.language.references.standards import standard_titled
from engine.language.script import visible, western_digits

# How much of a text is its first page.
FIRST_PAGE = 2500
STANDARD = "Standard"
# How much of it stands above what the text itself says.
HEAD = 400
_NUMBER = r"(?P<number>\d[\w./-]*)"
_YEAR = r"(?P<year>(?:1[5-9]|20|21)\d\d)"


@dataclass(frozen=True, slots=True)
class FrontPage:
    """What is said; None for what is not. ``enacted`` and ``published`` are days."""

    type: str | None = None
    number: str | None = None
    year: int | None = None
    issuer: str | None = None
    enacted: date | None = None
    published: date | None = None


@dataclass(frozen=True, slots=True)
class _Patterns:
    """``acts``: how a title or a line names its act. ``issuers``, ``enacted``, ``published``: on the page,
    or anywhere in the text for days that stand at its end."""

    acts: Sequence[str]
    issuers: Sequence[str] = ()
    enacted: Sequence[str] = ()
    published: Sequence[str] = ()


_LANGUAGES: Mapping[str, _Patterns] = {
    "en": _Patterns(
        (
            r"(?P<type>Regulation|Directive|Decision) \((?:EU|EC|EEC)(?:, Euratom)?\) (?:No\.? )?"
            r"(?P<number>(?P<year>\d{4})/\d+|\d+/\d{4})",
            r"(?P<type>Directive|Decision) (?P<number>(?P<year>\d{4})/\d+/\w+|\d{2}/\d+/\w+)",
            rf"(?P<type>Federal Decree-Law|Federal Law|Decree-Law|Law|Cabinet Resolution|Cabinet Decision|"
            rf"Ministerial Decision|Decree|Act|Ordinance) No\.? ?\(?{_NUMBER}\)? of {_YEAR}",
            rf"(?:[A-Z][\w’',()&-]*(?: of| and| the| for| in| to| on)? )+"
            rf"(?P<type>Act|Regulations|Order|Rules),? {_YEAR}",
        ),
        issuers=(r"^(?P<issuer>(?:The )?(?:European Commission|Council of the European Union|Cabinet))\b",),
        enacted=(rf"^\[?(?P<day>{DATE})\]?$",),
    ),
    "de": _Patterns(
        (
            r"(?P<type>Verordnung|Richtlinie|Beschluss) \((?:EU|EG|EWG)\) (?:Nr\. )?"
            r"(?P<number>(?P<year>\d{4})/\d+|\d+/\d{4})",
            r"(?:[A-ZÄÖÜ][a-zäöüß]+(?:s|es|e|en|er)? )?(?P<type>Gesetz|Verordnung|Satzung|Richtlinie) "
            r"(?:über|zur|zum|betreffend|für|gegen|des|der)\b",
            r"[A-ZÄÖÜ][a-zäöüß]+(?P<type>gesetz|verordnung)\b",
        ),
        issuers=(r"(?P<issuer>Bundestag) hat (?:mit Zustimmung des Bundesrates )?das folgende Gesetz",
                 r"verordne[tn] (?:die|das) (?P<issuer>Bundesregierung|Bundesministerium \w+(?: und \w+)*)"),
        enacted=(rf"Ausfertigungsdatum\s*:?\s*(?P<day>{DATE})", rf"^vom (?P<day>{DATE})"),
    ),
    "fr": _Patterns(
        (
            r"(?P<type>Règlement|Directive|Décision) \((?:UE|CE|CEE)\) (?:n[°o] ?)?"
            r"(?P<number>(?P<year>\d{4})/\d+|\d+/\d{4})",
            rf"(?P<type>Loi organique|Loi|Décret|Ordonnance|Arrêté) n[°o] ?{_NUMBER} du (?P<day>{DATE})",
        ),
    ),
    "id": _Patterns(
        (
            rf"(?:Salinan )?(?P<type>Undang-Undang|Peraturan Pemerintah(?: Pengganti Undang-Undang)?|"
            rf"Peraturan Presiden|Keputusan Presiden|Peraturan Menteri [\w ]{{3,60}}?|"
            rf"Peraturan Otoritas Jasa Keuangan|Surat Edaran Otoritas Jasa Keuangan|Peraturan Bank Indonesia|"
            rf"Peraturan Daerah [\w ]{{3,60}}?)"
            rf"(?: Republik Indonesia)? Nomor {_NUMBER}(?: ?/ ?(?P<slash>\d{{4}})| Tahun {_YEAR})",
        ),
        issuers=(r"^(?P<issuer>(?:Presiden|Menteri [\w ]{3,60}?) Republik Indonesia),$",),
        enacted=(rf"(?:Disahkan|Ditetapkan) di \w+ pada tanggal (?P<day>{DATE})",),
        published=(rf"Diundangkan di \w+ pada tanggal (?P<day>{DATE})",),
    ),
    "ar": _Patterns(
        (
            rf"(?P<type>مرسوم بقانون اتحادي|مرسوم بقانون|قانون اتحادي|مرسوم ملكي|مرسوم سلطاني|"
            rf"قرار مجلس الوزراء|قرار وزاري|"
            rf"قانون|مرسوم|قرار) رقم \(?(?P<number>\d+)\)? (?:لسنة|لعام|سنة) {_YEAR}",
            r"^(?P<type>نظام|لائحة) [\u0621-\u064a]",
        ),
        issuers=(r"^(?P<issuer>مجلس الوزراء|مجلس النواب)\s*[،:]",),
    ),
    "zh": _Patterns(
        (
            r"[\u4e00-\u9fff]{2,40}?(?P<type>实施细则|条例|办法|规定|决定|法)$",
        ),
        issuers=(r"(?P<issuer>全国人民代表大会常务委员会|全国人民代表大会|国务院)(?:令)?第[〇零一二三四五六七八九十百\d]+[号次]",),
        enacted=(rf"(?P<day>{DATE})\s*[\u4e00-\u9fff]{{2,30}}令第\d+号(?:公布|发布)",),
    ),
}  # fmt: skip
_KEEP_CASE = frozenset({"di", "dan", "of", "and"})


def read_front_page(title: str, text: str, language: str) -> FrontPage:
    """The front page of a document, from its title and its text."""
    edition = _standard(title, text)
    if edition is not None:
        return edition
    patterns = _LANGUAGES.get(language)
    if patterns is None:
        return FrontPage()
    page = western_digits(visible(text[:FIRST_PAGE]))
    act = _act(patterns, western_digits(visible(title)), page)
    groups = act.groupdict() if act is not None else {}
    kind = groups.get("type")
    year = groups.get("year") or groups.get("slash")
    number = groups.get("number")
    enacted = parse_date(groups["day"], language) if groups.get("day") else None
    if number and groups.get("slash"):
        number = f"{number.rstrip('/ ')}/{year}"
    return FrontPage(
        type=_title_case(kind) if kind else None,
        number=number.rstrip(".-/") if number else None,
        year=int(year) if year else enacted.year if enacted else None,
        issuer=_issuer(patterns, page),
        enacted=enacted or _day(patterns.enacted, text, language),
        published=_day(patterns.published, text, language),
    )


def _standard(title: str, text: str) -> FrontPage | None:
    """The edition of a standard: the title begins with its designation, or one of the first lines is one."""
    lines = [line.strip(" #*") for line in text[:HEAD].splitlines()]
    designations = (found for line in lines if (found := standard_titled(line)) and found[1] == len(line))
    named = next(designations, None)
    found = standard_titled(title) or named
    if found is None:
        return None
    standard = found[0]
    if standard.year is None and named and named[0].key == standard.key:
        standard = named[0]
    return FrontPage(STANDARD, f"{standard.publisher} {standard.number}", standard.year, standard.issuer)


def _act(patterns: _Patterns, title: str, page: str) -> re.Match[str] | None:
    """How the title names its act, or else the first lines of the page that do so from their beginning."""
    plain = " ".join(title.split())
    for pattern in patterns.acts:
        if (found := re.match(_spaced(pattern), plain, re.IGNORECASE)) is not None:
            return found
    for pattern in patterns.acts:
        # On the page only an act with a number: a heading "Gesetz über ..." may be of anything.
        if "number" in pattern:
            found = re.search(rf"^{_spaced(pattern)}", page, re.IGNORECASE | re.MULTILINE)
            if found is not None and _is_head(found, page):
                return found
    return None


def _is_head(match: re.Match[str], page: str) -> bool:
    """Whether a line that names an act is the head of its page: in capitals, or the first words of it."""
    return match[0].isupper() or re.search(r"\w", page[: match.start()]) is None


def _issuer(patterns: _Patterns, page: str) -> str | None:
    for pattern in patterns.issuers:
        if (found := re.search(_spaced(pattern), page, re.IGNORECASE | re.MULTILINE)) is not None:
            return _title_case(" ".join(found["issuer"].split()))
    return None


def _day(patterns: Sequence[str], text: str, language: str) -> date | None:
    for pattern in patterns:
        found = re.search(_spaced(pattern), western_digits(text), re.IGNORECASE | re.MULTILINE)
        if found is not None and (day := parse_date(found["day"], language)) is not None:
            return day
    return None


def _spaced(pattern: str) -> str:
    return pattern.replace(" ", r"\s+")


def _title_case(words: str) -> str:
    """Words in capitals as they are written in running text."""
    plain = " ".join(words.split())
    if not plain.isupper():
        return plain[:1].upper() + plain[1:]
    return "-".join(
        " ".join(w if w in _KEEP_CASE else w[:1].upper() + w[1:] for w in part.lower().split(" "))
        for part in plain.split("-")
    )
