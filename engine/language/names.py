"""Find names in texts: organisations, standards, capitalised words, parties of contracts with their roles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from engine.language.characters import HAN, LATIN, scripts_of
from engine.language.designations import Occupied
from engine.language.references import instruments
from engine.languages import entity_words

# Organisations and standards, recognised by the words in their names

# English names of organisations end with such a word or have it before "of": "Bank of England".
_ENGLISH = (
    r"Authority|Authorities|Commission|Board|Committee|Council|Ministry|Department|Agency|Bureau|Office|Bank|Court"
    r"|Tribunal|Registrar|Registry|Exchange|Institute|Organi[sz]ation|Association|Corporation|Union|Fund|Panel|Parliament"
    r"|Secretariat|Inspectorate|Ombudsman|Chamber|Foundation|University|Centre|Center|Administration|Service"
)
# "Fund" and "Service" alone are legal terms; with these words they are organisations.
_ONLY_OF = frozenset(
    ("Fund", "Service", "Office", "Centre", "Center", "Exchange", "Registry", "Administration")
)
_PATTERNS = {
    "en": re.compile(
        rf"(?:\S+\s+)*?(?P<word>{_ENGLISH})(?P<rest>\Z|\s+(?:of|for)\s+.*\Z)|United Nations.*\Z"
    ),
    "de": re.compile(
        r".*(?:amt|ämter|ministerium|behörde|anstalt|agentur|gericht|gerichtshof|bank|kammer|kommission|ausschuss|rat"
        r"|vereinigung|verband|institut|stiftung|Bundesrat|Bundestag)(?:e?s|en)?(?:\s+(?:für|der|des)\s.*)?\Z",
        re.IGNORECASE,
    ),
    "id": re.compile(
        r"(?:Kementerian|Badan|Otoritas|Direktorat|Subdirektorat|Komisi|Dewan|Bank|Mahkamah|Pengadilan|Lembaga|Kantor|Inspektorat"
        r"|Sekretariat|Majelis|Dinas|Pemerintah|Kejaksaan|Kepolisian|Perusahaan|Yayasan|Unit|Pusat|Balai)\s.*\Z",
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"(?:Commission|Autorité|Ministère|Conseil|Cour|Agence|Comité|Banque|Tribunal|Office|Institut|Direction|Chambre"
        r"|Parlement|Assemblée|Haute\s+Autorité)\b.*\Z"
    ),
    "ar": re.compile(
        r"(?:ال)?(?:هيئة|وزارة|مجلس|مؤسسة|ديوان|محكمة|لجنة|صندوق|مركز|بنك|جامعة|رئاسة|نيابة|جمعية)(?!\w).*\Z"
    ),
}
# Series that no grammar reads as references, because rulebooks use similar forms for other things.
_SERIES = r"RFC|FIPS|ITU-T [A-Z]\.?|GB|GOST R?|SIC|ISQC|PSAK|FRS|SSAE|SOC|CEN|SIST|BS|DIN|NF|UNE|EN"
_IN_SERIES = re.compile(
    rf"(?<![\w-])(?:{_SERIES})[ -]?\d{{1,6}}(?: \d{{3}}(?!\d))?(?:[.-]\d{{1,4}})*(?::\d{{4}})?(?![\w-])"
)
_DESIGNATION = re.compile(instruments.FORM)
# End of every sign: found several times as fast as the signs themselves.
_SIGN_END = re.compile(r"[A-Z](?<=[A-Z/Ö].)(?=[\s/\d-])")
_ANY_SIGN = re.compile(
    rf"(?:{instruments.SIGN})|(?:RFC|FIPS|ITU|GB|GOST|SIC|ISQC|PSAK|FRS|SSAE|SOC|CEN|SIST|EN)(?=[ /\d-])"
)
_EDITION = re.compile(r":\d{4}\Z")


class NamedStandard(NamedTuple):
    """A standard in a text: name without edition, as written, and the publisher's letters and name."""

    name: str
    written: str
    letters: str = ""
    publisher: str = ""


def is_organisation(name: str, language: str) -> bool:
    """Return True if a name is that of an organisation."""
    if name in instruments.PUBLISHERS.values():
        return True
    pattern = _PATTERNS.get(language.split("-")[0])
    match = pattern.fullmatch(name) if pattern else None
    if match is None:
        return False
    word = match.groupdict().get("word")
    return word not in _ONLY_OF or bool(match["rest"].strip().startswith("of"))


def standards_in(text: str) -> list[NamedStandard]:
    """Find the technical and accounting standards that a text names: "ISO/IEC 27001:2022" gives ISO/IEC
    27001."""
    if not _SIGN_END.search(text) or not _ANY_SIGN.search(text):
        return []
    found, taken = list[NamedStandard](), Occupied()
    for match in _DESIGNATION.finditer(text):
        one = instruments.standard_of(match[0])
        if one is not None:
            taken.add(*match.span())
            # A disclosure is numbered within its standard: "GRI 306-1".
            is_whole = one.name.endswith(f" {one.number}")
            written = " ".join(match[0].split(":")[0].split()) if is_whole else one.name
            letters = one.publisher if one.publisher in instruments.OWN_LETTERS else ""
            found.append(NamedStandard(one.name, written, letters, one.issuer))
    for match in _IN_SERIES.finditer(text):
        if not taken.overlaps(*match.span()):
            name = _EDITION.sub("", " ".join(match[0].split()))
            found.append(NamedStandard(name, name))
    return found


# Capitalisation over a whole corpus: a word mostly in lower case is not a name by itself

# Languages that write every noun with a capital: German, Luxembourgish, Low German, Swiss German, Bavarian.
NOUNS_IN_CAPITALS = frozenset(("de", "lb", "nds", "gsw", "bar"))
# A word after its language.
Word = tuple[str, str]

# Minimum ratio of capitals to lower case for a word that is always part of a name.
ALWAYS = 2


class Comparison(NamedTuple):
    """Whether ``times`` the count of a word exceeds the total count of others."""

    word: Word
    others: tuple[Word, ...] = ()
    times: int = 1


# Returns which comparisons are true. Results, unlike counts, rarely change with a corpus and can be reused.
Weigh = Callable[[Sequence[Comparison]], Sequence[bool]]


class _CaseUse(NamedTuple):
    """How a word is used in lower case."""

    is_small_too: bool
    is_mostly_small: bool
    is_often_small: bool


class LetterCase:
    """Use of words with capitals and in lower case, looked up for many words at once."""

    def __init__(self, words: Iterable[Word], weigh: Weigh) -> None:
        self._weigh = weigh
        self._uses: dict[Word, _CaseUse] = {}
        self._look_up(list(dict.fromkeys(words)))

    def is_small_too(self, language: str, word: str) -> bool:
        """Return True if the corpus contains a word in lower case."""
        return self._of(language, word).is_small_too

    def is_ordinary(self, language: str, word: str) -> bool:
        """Return True if a word is mostly in lower case, or its script has no capitals."""
        return word.lower() == word.upper() or self._of(language, word).is_mostly_small

    def is_always_name(self, language: str, word: str) -> bool:
        """Return True if the corpus hardly contains a word in lower case."""
        return not self._of(language, word).is_often_small

    def _of(self, language: str, word: str) -> _CaseUse:
        if (language, word) not in self._uses:
            self._look_up([(language, word)])
        return self._uses[language, word]

    def _look_up(self, words: Sequence[Word]) -> None:
        comparisons: list[Comparison] = []
        for language, word in words:
            small = language, word.lower()
            large = tuple((language, form) for form in _large(word))
            comparisons += Comparison(small), Comparison(small, large), Comparison(small, large, ALWAYS)
        found = self._weigh(comparisons)
        uses = map(_CaseUse, found[::3], found[1::3], found[2::3])
        self._uses |= dict(zip(words, uses, strict=True))


def _large(word: str) -> list[str]:
    """Return the forms of a word with a capital."""
    return sorted({word, word.capitalize(), word.upper()} - {word.lower()})


# Parties of contracts with the roles that the text assigns
#
# ``Corvane Ltd of Eastmere (the "Agent")``, ``die Muster GmbH (nachfolgend „Auftraggeber“ genannt)``,
# ``甲科技有限公司（以下简称“甲方”）``: a role in brackets or after a comma, preceded by a name. A short name
# (``the Meridian Standards Board (the "Board")``) is not a role: it is part of the name, or made of its
# characters. Nor is the short name of a document (``the Powers of Attorney Code (the "Code")``), or an
# acronym.

# Number of characters before a role to search for its name.
REACH = 160
# Every role begins with one of these, possibly after spaces.
_SIGN = re.compile(r"[(（,，–-]")
_QUOTES = "\"'“”„«‘『「"
_OPEN, _CLOSE = f"[{_QUOTES}]\\s?", "\\s?[\"'”“»’』」]"
_LETTER = r"[^\W\d_]"
_LATIN_ROLE = rf"(?=[^\Wa-zß-öø-ÿ\d_]){_LETTER}[\w’'/-]*(?:[ ]{_LETTER}[\w’'/-]*){{0,3}}"
_OTHER_ROLE = rf"[\u0621-\u064a{HAN}](?:[\u0621-\u064a{HAN} ]{{0,28}}[\u0621-\u064a{HAN}])?"
# Legal forms after or before names of companies.
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
# (“VC Managers”), without article or lead, may be another word for anything.
_ONLY_QUOTED = re.compile(rf"\s*[(（]\s*{_OPEN}(?![a-z]{{1,4}}\s)")
_ARTICLE_FIRST = re.compile(r"(?:[Tt]he|Die|Der|Das|Le|La|Les|El|Il|De|Het|O|A|Firma)[ ]")


class Party(NamedTuple):
    """A person or organisation with a role."""

    name: str
    role: str
    is_company: bool = False


def parties_in(text: str, language: str) -> Iterator[Party]:
    """Yield the parties that a text names together with their roles, in order."""
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
    """Yield the matches of ``pattern.finditer``, tried only at its signs and the spaces before them."""
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
    """Return substrings, one of which is in every match of a language's pattern: a quotation mark, a word
    before a role, or an article in brackets."""
    words = entity_words(language)
    leads = dict.fromkeys(max(one.split(), key=len) for one in words.leads)
    return (*_QUOTES, *leads, *(f"({one.split()[0]}" for one in words.articles))


@cache
def pattern_of(language: str) -> re.Pattern[str] | None:
    """Return the pattern of a role in a language; the role is the one group that matches. None without
    words."""
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
    """Return the last company in the last clause, or with ``of_any`` the name that ends it; "" for none."""
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
        # Where all nouns are capitalised, only the words of a name show that it is one.
        if not name or (language.split("-")[0] in NOUNS_IN_CAPITALS and not is_organisation(name, language)):
            return ""
    return _ARTICLE_FIRST.sub("", " ".join(name.split()), count=1).strip(" ,")


def _is_company(name: str, language: str) -> bool:
    return bool(_COMPANY.fullmatch(name)) or scripts_of(language.split("-")[0]) != LATIN


def _is_short_name(name: str, role: str, language: str) -> bool:
    """Return True if a "role" is a short name of the same thing, an acronym, or the name of a document."""
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
