"""Parties of contracts with the roles that the text gives them.

``Corvane Ltd of Eastmere (the "Agent")``, ``die Muster GmbH (nachfolgend „Auftraggeber“ genannt)``,
``甲科技有限公司（以下简称“甲方”）``: a role in brackets or behind a comma, and before it the name of
somebody. A short name of the same thing (``the Meridian Standards Board (the "Board")``) is no role: it is
in the name, or made of its characters. Nor is that of a document (``the Powers of Attorney Code (the
"Code")``), or an acronym.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from engine.language.bodies import is_organisation
from engine.language.entity_words import entity_words
from engine.language.letter_case import NOUNS_IN_CAPITALS
from engine.language.script import HAN, LATIN, scripts_of

# So many characters before a role are looked at for the name that has it.
REACH = 160
# Behind spaces, one of these begins every role.
_SIGN = re.compile(r"[(（,，–-]")
_QUOTES = "\"'“”„«‘『「"
_OPEN, _CLOSE = f"[{_QUOTES}]\\s?", "\\s?[\"'”“»’』」]"
_LETTER = r"[^\W\d_]"
_LATIN_ROLE = rf"(?=[^\Wa-zß-öø-ÿ\d_]){_LETTER}[\w’'/-]*(?:[ ]{_LETTER}[\w’'/-]*){{0,3}}"
_OTHER_ROLE = rf"[\u0621-\u064a{HAN}](?:[\u0621-\u064a{HAN} ]{{0,28}}[\u0621-\u064a{HAN}])?"
# What the law of companies puts behind their names, or before them.
_SUFFIX = (
    r"(?:S\.?A\.?(?:S\.?|R\.?L\.?|U\.?)?|Ltd\.?|Limited|L\.?L\.?C\.?|L\.?L\.?P\.?|plc|PLC|Inc\.?|Incorporated|Corp\.?|Corporation"
    r"|GmbH(?:\s&\sCo\.\sKG)?|AG|KGaA|KG|OHG|UG|SE|e\.\s?[VG]\.|S\.?à\sr\.?l\.?|S\.?p\.?A\.?|S\.?r\.?l\.?|B\.?V\.?|N\.?V\.?|S\.?L\.?"
    r"|Lda\.?|Tbk)"
)
_WORD = r"[^\Wa-zß-öø-ÿ\d_][\w.’'-]*"
_RUN = rf"{_WORD}(?:[ ](?:{_WORD}|&|and|und|et|y|e|en|dan|of|de|du)(?=[ ,(]|\Z))*"
_COMPANY = re.compile(rf"(?<!\w)(?:PT\.?[ ]{_RUN}|{_RUN}?,?[ ]{_SUFFIX})(?![\w.])")
_AT_END = re.compile(rf"(?<!\w)(?P<name>{_WORD}(?:[ ](?:{_WORD}|&))+)\s*,?\s*\Z")
_HAN_COMPANY = re.compile(
    rf"[{HAN}A-Za-z0-9（）()]{{2,28}}(?:公司|集团|银行|合作社|事务所|中心|厂|院|局|会)\Z"
)
_ARABIC_BODY = re.compile(
    r"(?<![\u0621-\u064a])(?:شركة|مؤسسة|بنك|مصرف|جمعية|هيئة|وزارة|مجموعة|مكتب)(?:\s+[\u0621-\u064a]+){1,5}\s*\Z"
)
# (“VC Managers”), with neither article nor lead, may be another word for anything.
_ONLY_QUOTED = re.compile(rf"\s*[(（]\s*{_OPEN}(?![a-z]{{1,4}}\s)")
_ARTICLE_FIRST = re.compile(r"(?:[Tt]he|Die|Der|Das|Le|La|Les|El|Il|De|Het|O|A|Firma)[ ]")


class Party(NamedTuple):
    """Somebody whom a text gives a role."""

    name: str
    role: str
    is_company: bool = False


def parties_in(text: str, language: str) -> Iterator[Party]:
    """The parties that a text names together with their role, in its order."""
    pattern = pattern_of(language.split("-")[0])
    if pattern is None or not any(sign in text for sign in signs_of(language.split("-")[0])):
        return
    for match in _matches(pattern, text):
        role = next(group for group in match.groups() if group).strip()
        before = text[max(0, match.start() - REACH) : match.start()]
        name = _name_before(before, language, of_any=not _ONLY_QUOTED.match(match[0]))
        if name and not _is_short_name(name, role, language):
            yield Party(name, role, _is_company(name, language))


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What ``pattern.finditer`` gives, tried only where a sign of it stands, with the spaces before that."""
    end = 0
    for sign in _SIGN.finditer(text):
        start = sign.start()
        if start < end:
            continue
        while start > end and text[start - 1].isspace():
            start -= 1
        if match := pattern.match(text, start):
            yield match
            end = match.end()


@cache
def signs_of(language: str) -> tuple[str, ...]:
    """Something that every match of the pattern of a language has: a quotation mark, a word of those before a
    role, or an article in brackets."""
    words = entity_words(language)
    leads = dict.fromkeys(max(one.split(), key=len) for one in words.leads)
    return (*_QUOTES, *leads, *(f"({one.split()[0]}" for one in words.articles))


@cache
def pattern_of(language: str) -> re.Pattern[str] | None:
    """How a language gives a role, the role as its one group that matches; None for one without words."""
    words = entity_words(language)
    if not words.leads:
        return None
    leads = "|".join(
        re.escape(one).replace(r"\ ", r"\s+") for one in sorted(words.leads, key=len, reverse=True)
    )
    articles = "|".join(
        re.escape(one) + ("" if one[-1] in "'’" else r"\s+")
        for one in sorted(words.articles, key=len, reverse=True)
    ).replace(r"\ ", r"\s+")
    tails = "|".join(map(re.escape, words.tails))
    role = _LATIN_ROLE if scripts_of(language) == LATIN else _OTHER_ROLE
    article = rf"(?:{articles})?" if articles else ""
    tail = rf"(?:\s*(?:{tails}))?" if tails else ""
    lead = rf"(?:{leads})\s*[:,]?\s*"
    quoted = rf"(?:{_OPEN}(?:{articles})?)({role}){_CLOSE}" if articles else rf"{_OPEN}({role}){_CLOSE}"
    return re.compile(
        rf"\s*[(（]\s*(?:{lead})?{article}{quoted}{tail}\s*[)）]"
        + (rf"|\s*\((?:{articles})({role})\)" if articles else "")
        + rf"|\s*[(（]\s*{lead}{article}({role}?){tail}\s*[)）]"
        rf"|\s*[,，–-]\s*{lead}{article}{quoted}{tail}"
        rf"|\s*[,，–-]\s*{lead}{article}({role}?){tail}(?=\s*[,.;:–-]|\s*\Z)"
    )


def _name_before(text: str, language: str, *, of_any: bool) -> str:
    """The last company in a text's last clause, or, ``of_any``, the name that ends it; "" for none."""
    scripts = scripts_of(language.split("-")[0])
    if "han" in scripts:
        found = _HAN_COMPANY.search(re.split(r"[，。；：、,;:\s]", text.rstrip(" ,，"))[-1])
        return found[0] if found else ""
    if "arabic" in scripts:
        found = _ARABIC_BODY.search(text)
        return found[0].strip() if found else ""
    clause = re.split(r"\n|;\s|[.:]\s(?=\S{4,}\s[a-z])|\)\s", text)[-1]
    companies = _COMPANY.findall(clause)
    if companies:
        name: str = companies[-1]
    else:
        ending = _AT_END.search(clause) if of_any else None
        name = ending["name"] if ending else ""
        # Where every noun has a capital, only the words of the name tell that it is somebody's.
        if not name or (language.split("-")[0] in NOUNS_IN_CAPITALS and not is_organisation(name, language)):
            return ""
    return _ARTICLE_FIRST.sub("", " ".join(name.split()), count=1).strip(" ,")


def _is_company(name: str, language: str) -> bool:
    return bool(_COMPANY.fullmatch(name)) or scripts_of(language.split("-")[0]) != LATIN


def _is_short_name(name: str, role: str, language: str) -> bool:
    """Whether a "role" is the thing's own short name, an acronym, or that of a document."""
    words = entity_words(language)
    last_words = {one.casefold().strip(".,").removeprefix("ال") for one in name.split()}
    of_role = [one.removeprefix("ال") for one in role.casefold().split()]
    if "han" in scripts_of(language.split("-")[0]) and set(role) <= set(name):
        return True
    is_acronym = " " not in role and len(role) > 1 and sum(letter.isupper() for letter in role) > 1
    is_pihak = role.isupper() and " " in role
    return (
        (is_acronym and not is_pihak)
        or of_role[-1] in last_words
        or of_role[-1] in words.documents
        or of_role[-1].removesuffix("s") in words.documents
        or bool(last_words & words.documents)
    )
