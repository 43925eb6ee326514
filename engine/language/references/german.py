"""References in German federal law.

"§ 433 Abs. 2 BGB", "§§ 12 bis 15", "§§ 3, 5 Absatz 2 und 7 des Aktiengesetzes", "Artikel 229 § 5 des
Einführungsgesetzes zum Bürgerlichen Gesetzbuche", "Artikel 6 Absatz 1 der Verordnung (EU) 2016/679".
"""

from __future__ import annotations

from engine.language.references.german_names import GERMAN_NAMES, SOCIAL_CODES
from engine.language.references.grammar import Cue, Grammar, Level, Unit
from engine.model import Relation, SectionKind

_NUMBER = r"\d{1,4}[a-z]{0,2}(?![\w%]|[.,]\d)"
_CONTAINER_NUMBER = r"(?:\d{1,3}[a-z]?|[IVX]{1,5})(?![\w%]|[.,]\d)"

_LETTER = "[A-ZÄÖÜ]"
_EU_ACT = (
    r"(?:(?:Delegierten?\s+|Durchführungs)?[Vv]erordnung|Richtlinie|Beschlusse?s?)\s+"
    r"(?:\((?:EU|EG|EWG|Euratom)[^)]{0,12}\)\s*)?(?:Nr\.\s*)?\d{1,4}/\d{1,4}(?:/(?:EU|EG|EWG))?"
)
_SOCIAL_CODE = (
    rf"{_LETTER}[a-zäöüß]+e[ns]\s+Buche?s(?:\s+(?:\(?[IVX]+\)?\s+)?(?:des\s+)?Sozialgesetzbuche?s?)?"
)
_COMPOUND = (
    rf"(?:{_LETTER}[\wÄÖÜäöüß]*-\s?(?:,\s*{_LETTER}[\wÄÖÜäöüß]*-\s?)*(?:und|oder)\s+)?"
    rf"(?:{_LETTER}[a-zäöüß]+en\s+(?={_LETTER}))?(?:{_LETTER}[\wÄÖÜäöüß-]*)?(?:[Gg]esetze?s?|[Gg]esetzbuche?s?|[Oo]rdnung|[Vv]erordnung"
    r"|[Kk]odex|[Vv]ertrage?s|[Aa]bkommens|[Üü]bereinkommens|[Gg]esetzbuche)(?![\w-])"
)
_PLAIN = (
    r"(?:Gesetze?s|Gesetzbuche?s?|Verordnung|Richtlinie|Abkommens|Übereinkommens|Vertrage?s|Protokolls|Satzung"
    r"|Charta|Übereinkunft)(?![\w-])"
)
_ACRONYM = rf"(?:SGB\s+(?:[IVX]+|\d+)|{_LETTER}[A-Za-zÄÖÜäöü]*[A-ZÄÖÜ])(?![\w-])"

GERMAN = Grammar(
    name="german",
    languages=("de",),
    number=_NUMBER,
    value=str,
    units=(
        Unit(SectionKind.SECTION, ("§",), ("§§",)),
        Unit(SectionKind.ARTICLE, (), ("Artikeln", "Artikels", "Artikel", r"Art\.")),
        Unit(SectionKind.ANNEX, ("Anlage", "Anhang", "Anhangs"), ("Anlagen", "Anhänge"), _CONTAINER_NUMBER),
    ),
    levels=(
        Level(("Absätzen", "Absätze", "Absatzes", "Absatz", r"Abs\."), r"\d{1,3}[a-z]?(?![\w%]|[.,]\d)"),
        Level(("Unterabsatz", "Unterabs\\."), r"\d{1,2}(?!\w)", counts=False),
        Level(("Sätzen", "Sätze", "Satzes", "Satz", r"S\."), r"\d{1,2}(?!\w)", counts=False),
        Level(
            ("Halbsätze", "Halbsatz", r"Halbs\.", "Alternative", r"Alt\.", "Variante"),
            r"\d(?!\w)",
            counts=False,
        ),
        Level(
            ("Nummern", "Nummer", r"Nrn?\.", "Ziffern", "Ziffer"),
            r"\d{1,3}[a-z]{0,2}(?![\w%]|[.,]\d)",
            depth=1,
        ),
        Level(("Buchstaben", "Buchstabe", r"Buchst\."), r"[a-z](?!\w)", depth=2),
        Level(("Doppelbuchstaben", "Doppelbuchstabe", r"Doppelbuchst\."), r"[a-z]{2}(?!\w)", depth=3),
    ),
    also=r"\s*,\s*(?:(?:und|oder|sowie)\s+)?|\s+(?:und|oder|sowie|bzw\.|beziehungsweise)\s+",
    through=r"\s*(?:bis|–)\s*",
    run_on=r"\s*,\s*(?:(?:und|oder|sowie)\s+)?(?:(?:des|der|den|die|dem)\s+)?|\s+(?:und|oder|sowie|bzw\.|beziehungsweise)\s+(?:(?:des|der|den|die|dem)\s+)?",
    chain=r"\s+(?:des|der|zu|zum)\s+",
    inward=r"\s+",
    here=(
        r"\s+(?:dieses|dieser|dieser\s+Durchführungs)\s*"
        r"(?:Gesetze?s|Gesetzbuche?s?|Grundgesetzes|Verordnung|Ordnung|Vertrage?s|Satzung|Buche?s)(?!\w)"
    ),
    that=(
        r"\s+(?:jenes|jener|(?:des|der)\s+(?:genannten|vorgenannten|erwähnten))\s+"
        r"(?:Gesetze?s|Gesetzbuche?s?|Verordnung|Ordnung|Vertrage?s|Satzung|Richtlinie)(?!\w)"
    ),
    leads=r"\s+(?:des|der|dem|zum|zur)\s+",
    after=r"\s+(?:(?:des|der|dem|zum|zur)\s+)?",
    name_form=rf"(?:{_EU_ACT}|{_SOCIAL_CODE}|{_COMPOUND}|{_PLAIN}|{_ACRONYM})",
    acts=_EU_ACT,
    acts_sign=r"/\d",
    cues=(
        Cue(
            Relation.EXCEPTION_TO,
            before=(
                r"(?:abweichend\s+von|in\s+Abweichung\s+von"
                r"|ungeachtet(?:\s+(?:des|der))?|außer\s+in\s+den\s+Fällen\s+(?:des|der))"
            ),
        ),
        Cue(
            Relation.DEFINES,
            before=r"(?:im\s+Sinne(?:\s+(?:von|des|der))?|i\.\s?S\.\s?(?:v\.|d\.)|Begriffsbestimmung\w*\s+(?:des|der|in|nach))",
        ),
        Cue(
            Relation.BASED_ON,
            # "auf Grund des § 5" alone says under what something else was made.
            before=r"gestützt\s+auf(?:\s+(?:den|die|das))?",
            after=r"[^.;]{0,90}\bverordnet(?!\w)",
        ),
        Cue(Relation.REPEALS, after=r"(?:wird|werden|ist|sind)\s+aufgehoben"),
        Cue(
            Relation.AMENDS,
            after=r"(?:wird|werden)\s+(?:wie\s+folgt\s+)?geändert",
        ),
        Cue(
            Relation.SUPERSEDES,
            before=r"(?:(?<!wird\s)(?<!werden\s)ersetzt|an\s+die\s+Stelle(?:\s+(?:von|des|der))?)",
        ),
    ),
    known=(*GERMAN_NAMES, *SOCIAL_CODES),
)
