"""Names of organisations and of technical standards: what kind of thing a name is, by the words in it."""

from __future__ import annotations

import re
from typing import NamedTuple

from engine.language.occupied import Occupied
from engine.language.references import standards

# English names say it with their last word, or with the word before "of": "Bank of England".
_ENGLISH = (
    r"Authority|Authorities|Commission|Board|Committee|Council|Ministry|Department|Agency|Bureau|Office|Bank|Court"
    r"|Tribunal|Registrar|Registry|Exchange|Institute|Organi[sz]ation|Association|Corporation|Union|Fund|Panel|Parliament"
    r"|Secretariat|Inspectorate|Ombudsman|Chamber|Foundation|University|Centre|Center|Administration|Service"
)
# "Fund" and "Service" alone are things of the law; behind these words they are somebody.
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
# Series that no grammar reads as references. What is written like them in a rulebook means another thing.
_SERIES = r"RFC|FIPS|ITU-T [A-Z]\.?|GB|GOST R?|SIC|ISQC|PSAK|FRS|SSAE|SOC|CEN|SIST|BS|DIN|NF|UNE|EN"
_IN_SERIES = re.compile(
    rf"(?<![\w-])(?:{_SERIES})[ -]?\d{{1,6}}(?: \d{{3}}(?!\d))?(?:[.-]\d{{1,4}})*(?::\d{{4}})?(?![\w-])"
)
_DESIGNATION = re.compile(standards.FORM)
# Plain words are searched for many times faster than the patterns.
# How every sign ends: found several times as fast as the signs.
_SIGN_END = re.compile(r"[A-Z](?<=[A-Z/Ö].)(?=[\s/\d-])")
_ANY_SIGN = re.compile(
    rf"(?:{standards.SIGN})|(?:RFC|FIPS|ITU|GB|GOST|SIC|ISQC|PSAK|FRS|SSAE|SOC|CEN|SIST|EN)(?=[ /\d-])"
)
_EDITION = re.compile(r":\d{4}\Z")


class NamedStandard(NamedTuple):
    """A standard in a text: its designation without edition, how the text writes it, who publishes it by
    letters and by name."""

    name: str
    written: str
    letters: str = ""
    publisher: str = ""


def is_organisation(name: str, language: str) -> bool:
    """Whether a name is that of a body, as its words say."""
    if name in standards.PUBLISHERS.values():
        return True
    pattern = _PATTERNS.get(language.split("-")[0])
    match = pattern.fullmatch(name) if pattern else None
    if match is None:
        return False
    word = match.groupdict().get("word")
    return word not in _ONLY_OF or bool(match["rest"].strip().startswith("of"))


def standards_in(text: str) -> list[NamedStandard]:
    """The technical and accounting standards that a text names: "ISO/IEC 27001:2022" is ISO/IEC 27001."""
    if not _SIGN_END.search(text) or not _ANY_SIGN.search(text):
        return []
    found, taken = list[NamedStandard](), Occupied()
    for match in _DESIGNATION.finditer(text):
        one = standards.standard_of(match[0])
        if one is not None:
            taken.add(*match.span())
            # A disclosure is numbered in its standard: "GRI 306-1".
            is_whole = one.name.endswith(f" {one.number}")
            written = " ".join(match[0].split(":")[0].split()) if is_whole else one.name
            letters = one.publisher if one.publisher in standards.OWN_LETTERS else ""
            found.append(NamedStandard(one.name, written, letters, one.issuer))
    for match in _IN_SERIES.finditer(text):
        if not taken.overlaps(*match.span()):
            name = _EDITION.sub("", " ".join(match[0].split()))
            found.append(NamedStandard(name, name))
    return found
