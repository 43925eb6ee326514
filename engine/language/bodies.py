"""Names of organisations and of technical standards: what kind of thing a name is, by the words in it."""

from __future__ import annotations

import re

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
_MAKERS = "BS|DIN|NF|SNI|UNE|EN|ISO|IEC|SIST|ASTM|IEEE|ANSI|CEN|ETSI"
_TECHNICAL = r"RFC|NIST SP|FIPS|ITU-T [A-Z]\.?|GB/T|GB|GOST R?"
_ACCOUNTING = "IFRS|IAS|IFRIC|SIC|ISAE|ISQC|ISQM|ISSB|ESRS|PSAK|FRS|SSAE|SOC"
_STANDARD = re.compile(
    rf"(?<![\w-])(?P<term>(?:(?:(?:{_MAKERS})[ /-])*(?:{_MAKERS})(?:[ /](?:TS|TR|PAS))?"
    rf"|{_TECHNICAL}|{_ACCOUNTING})"
    r"[ -]?\d{1,6}(?: \d{3}(?!\d))?(?:[.-]\d{1,4})*(?::\d{4})?)(?![\w-])"
)
# Plain words are searched for many times faster than the pattern.
_ANY_MAKER = re.compile(
    rf"(?:{_MAKERS}|RFC|NIST|FIPS|ITU|GB|GOST|IFR|IAS|SIC|IS[AQS]|ESRS|PSAK|FRS|SSAE|SOC)(?=[ /\d-])"
)


def is_organisation(name: str, language: str) -> bool:
    """Whether a name is that of a body, as its words say."""
    pattern = _PATTERNS.get(language.split("-")[0])
    match = pattern.fullmatch(name) if pattern else None
    if match is None:
        return False
    word = match.groupdict().get("word")
    return word not in _ONLY_OF or bool(match["rest"].strip().startswith("of"))


def standards_in(text: str) -> list[str]:
    """The technical and accounting standards that a text names: "ISO/IEC 27001:2022", "IFRS 9"."""
    if not _ANY_MAKER.search(text):
        return []
    return [" ".join(match["term"].split()) for match in _STANDARD.finditer(text)]
