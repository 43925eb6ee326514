"""References in Indonesian law.

"Pasal 25 ayat (1) huruf a", "Pasal 5 sampai dengan Pasal 9", "ayat (2)", "Pasal 25 ayat (1)
Undang-Undang Nomor 6 Tahun 1983", "Peraturan Pemerintah Nomor 71 Tahun 2019".
"""

from __future__ import annotations

from engine.language.references.grammar import Cue, Grammar, Level, Unit
from engine.model import Relation, SectionKind

_NUMBER = r"\d{1,4}[A-Z]?(?![\w%/]|[.,]\d)"
# Scans read the digits 1 and 0 as l, I and O.
_IN_BRACKETS = r"\(\s*[0-9lIO]{1,2}[a-z]?\s*\)"
_NUMBERED = (
    r"(?:Undang-\s*Undang|UNDANG-UNDANG|UU|PP|PMK|POJK|Perpres|Perppu|Perda|Keppres|Permen\w*"
    r"|Peraturan(?:\s+[A-Z][\w-]+){1,7}?|Keputusan(?:\s+[A-Z][\w-]+){1,4}?)"
    r"\s+(?:Nomor|No\.?)\s*[\w./-]*\d[\w./-]*(?:\s+Tahun\s+\d{4})?"
)
_CODES = (
    r"(?:Undang-\s*Undang\s+Dasar(?:\s+Negara\s+Republik\s+Indonesia)?(?:\s+Tahun\s+1945)?|UUD\s+(?:NRI\s+(?:Tahun\s+)?)?1945"
    r"|Kitab\s+Undang-\s*Undang\s+(?:Hukum\s+)?[A-Z]\w+(?:\s+Pidana|\s+Perdata|\s+Dagang)?|KUH\s?(?:Perdata|Pidana|AP|P|D))"
)
# An act by its subject: "Undang-Undang Daftar Niaga", "UU tentang Bea Meterai".
_NAMED = (
    r"(?:Undang-\s*Undang|UU|Peraturan(?:\s+[A-Z][\w-]+){0,4}?)(?:\s+tentang)?"
    r"(?:\s+(?:(?:dan|atau|serta|untuk|atas|di)\s+)?(?!(?:Nomor|No|Tahun|Pasal|Dasar|Republik|Peraturan|Undang|Perubahan|Penetapan|Pengganti)\b)[A-Z][\w-]*){1,8}"
)

INDONESIAN = Grammar(
    name="indonesian",
    languages=("id",),
    number=_NUMBER,
    value=str,
    units=(
        Unit(SectionKind.ARTICLE, ("pasal",), ("pasal-pasal",)),
        Unit(SectionKind.CHAPTER, ("bab",), (), r"[IVXL]{1,7}(?!\w)"),
        Unit(SectionKind.ANNEX, ("lampiran",), (), r"[IVXL]{1,7}(?!\w)"),
    ),
    levels=(
        Level(("ayat",), _IN_BRACKETS),
        Level(("huruf",), r"[a-z](?!\w)", depth=1),
        Level(("angka", "butir"), r"\d{1,3}(?!\w)", depth=2),
    ),
    also=r"\s*,\s*(?:(?:dan/atau|dan|atau|serta)\s+)?|\s+(?:dan/atau|dan|atau|serta)\s+",
    through=r"\s+(?:sampai\s+dengan|s\.?d\.?|hingga)\s+",
    run_on=r"\s*,\s*(?:(?:dan/atau|dan|atau|serta)\s+)?|\s+(?:dan/atau|dan|atau|serta)\s+",
    chain=r"\s+(?:dari|dalam|pada)\s+",
    here=r"\s+(?:dari\s+|dalam\s+|pada\s+)?(?:Undang-\s*Undang|Peraturan(?:\s+[A-Z]\w+){0,3}|Keputusan(?:\s+[A-Z]\w+){0,2})\s+ini(?!\w)",
    that=(
        r"\s+(?:dari\s+|dalam\s+|pada\s+)?(?:Undang-\s*Undang|Peraturan(?:\s+[A-Z]\w+){0,3}|Keputusan(?:\s+[A-Z]\w+){0,2})"
        r"\s+(?:tersebut|dimaksud|itu)(?!\w)"
    ),
    leads=r"\s+(?:dari\s+|dalam\s+|pada\s+)?",
    after=r"\s+(?:dari\s+|dalam\s+|pada\s+)?",
    name_form=rf"(?:{_NUMBERED}|{_CODES}|{_NAMED})",
    # "PPh Pasal 21" is a tax named after an article of the income tax law, whatever act speaks of it.
    before=r"(?:[Pp]ajak\s+[Pp]enghasilan|PPh)",
    acts=rf"(?:{_NUMBERED}|{_NAMED})",
    acts_sign=r"[Nn]omor|No\b|Undang|UU",
    cues=(
        Cue(
            Relation.EXCEPTION_TO,
            before=r"(?:dikecualikan\s+dari|kecuali|pengecualian\s+(?:dari|terhadap)|menyimpang\s+dari)(?:\s+ketentuan)?(?:\s+(?:sebagaimana\s+)?\w+\s+dalam)?",
        ),
        Cue(
            Relation.BASED_ON,
            # "berdasarkan Pasal 5" alone says under what something else was done.
            before=r"(?:untuk\s+melaksanakan(?:\s+ketentuan)?|Mengingat\s*:(?:\s*1\.)?)",
            after=r"[^.;]{0,90}\bperlu\s+(?:menetapkan|membentuk)",
        ),
        Cue(
            Relation.AMENDS,
            # "Nomor 64 Tahun 2015 tentang Perubahan atas ...": the title of yet another act.
            before=r"(?:(?<!\d\stentang\s)perubahan\s+(?:\w+\s+)?atas|mengubah)",
            after=r"diubah",
        ),
        Cue(
            Relation.REPEALS,
            before=r"(?:mencabut|(?<!\d\stentang\s)pencabutan(?:\s+atas)?)",
            after=r"[^.;]{0,60}dicabut",
        ),
        Cue(Relation.SUPERSEDES, before=r"menggantikan"),
    ),
    known=(
        ("KUHPerdata", "KUH Perdata", "Kitab Undang-Undang Hukum Perdata"),
        ("KUHP", "KUH Pidana", "Kitab Undang-Undang Hukum Pidana"),
        ("KUHAP", "Kitab Undang-Undang Hukum Acara Pidana"),
        ("UUD 1945", "Undang-Undang Dasar Negara Republik Indonesia Tahun 1945", "Undang-Undang Dasar 1945"),
    ),
)
