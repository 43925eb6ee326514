"""References in English regulatory texts: rulebooks, acts, regulations, guidance, contracts.

"Rule 4.3.2(1)(a)", "sections 12 to 15 of the Companies Regulations", "COBS 3.4.2", "Part 3 of
Chapter 3 of PRU", "paragraph (2)", "A4.3 of App4".
"""

from __future__ import annotations

import re

from engine.language.references.grammar import Cue, Grammar, Level, Unit
from engine.language.script import visible
from engine.model import Relation, SectionKind

# Marks of no width stand before many numbers that were once fields of a word processor.
_MARK = "[\u200e\u200f\u200b\u00a0]*"
_NUMBER = (
    rf"{_MARK}[A-Z]{{0,2}}\d{{1,4}}[A-Z]{{0,2}}(?:\.\d{{1,3}}[A-Z]{{0,2}}){{0,4}}"
    r"(?:(?=[a-z]\))|(?![\w%/]|[.,]\d))"
)
_ANNEX_NUMBER = rf"{_MARK}(?:[A-Z]{{0,2}}\d{{1,3}}(?:\.\d{{1,3}}){{0,3}}|[IVX]{{1,5}}|[A-Z])(?![\w%/]|[.,]\d)"
_CONTAINER_NUMBER = rf"{_MARK}(?:\d{{1,3}}[A-Z]{{0,2}}|[IVX]{{1,5}}|[A-Z])(?![\w%/]|[.,]\d)"
_BRACKETS = rf"(?:{_MARK}\s?\({_MARK}(?:\d{{1,3}}[A-Z]?|[a-z]{{1,4}}|[A-Z])\))+|(?<=\d)[a-z]\)"
# The heading of a provision may stand between its number and what follows: "Rule 9.5.3 (Voting) of MKT".
_HEADING = r"(?:\s*\([A-Za-z][^()]{2,80}\))?"

_LAW_WORD = (
    r"(?:Act|Regulations?|Rules|Rulebook|Law|Code|Order|Directive|Decree|Convention|Treaty|Guidance"
    r"|Guidelines|Standards?|Manual|Principles|Agreement)"
)
_YEAR = r"(?:\s*,?\s*\(?(?:19|20)\d\d\)?)?"
_LINKED = r"(?:\s+(?!The\s)(?:and|of|the|for|on|in|to|[A-Z(][\w'’&)/-]*))"
_ACRONYM = rf"[A-Z]{{2,8}}(?![\w-])(?:\s+{_LAW_WORD}(?!\w))?"
_LONG_NAME = rf"[A-Z][\w'’&/-]*{_LINKED}{{0,10}}?\s+{_LAW_WORD}(?!\w){_YEAR}"
_NUMBERED_LAW = (
    r"(?:Federal\s+)?(?:(?:Decree[\s-]+)?(?:[Bb]y[\s-]+)?Law|Cabinet\s+(?:Decision|Resolution)|Ministerial\s+Decision)"
    r"\s+No\.?\s*\(?\d+\)?\s+of\s+(?:the\s+year\s+)?\d{4}"
)
_EU_ACT = (
    r"(?:Regulation|Directive|Decision)\s+(?:\((?:EU|EC|EEC|Euratom)[^)]{0,12}\)\s*)?(?:No\.?\s*)?\d{2,4}/\d{1,4}"
    r"(?:/(?:EU|EC|EEC|JHA))?"
)
_GENERIC_NAME = rf"{_LAW_WORD}(?!\w){_YEAR}"
_NAME = rf"(?:{_NUMBERED_LAW}|{_EU_ACT}|{_ACRONYM}|{_LONG_NAME}|{_GENERIC_NAME})"

_YEARS = re.compile(r"(?:19|20)\d\d\Z")


def _value(printed: str) -> str | None:
    number = visible(printed).strip()
    return None if _YEARS.match(number) else number


ENGLISH = Grammar(
    name="english",
    languages=("en",),
    number=_NUMBER,
    value=_value,
    brackets=_BRACKETS,
    units=(
        Unit(SectionKind.RULE, ("rule", "regulation"), ("rules", "regulations")),
        Unit(
            SectionKind.SECTION,
            ("section", "sub-?section", r"sec\.", r"s\."),
            ("sections", "sub-?sections", r"ss\."),
        ),
        Unit(SectionKind.SECTION, ("clause",), ("clauses",)),
        Unit(SectionKind.ARTICLE, ("article", r"art\."), ("articles", r"arts\.")),
        Unit(SectionKind.PARAGRAPH, ("paragraph", r"para\.?"), ("paragraphs", r"paras\.?")),
        Unit(SectionKind.RECITAL, ("recital",), ("recitals",)),
        Unit(SectionKind.CHAPTER, ("chapter",), ("chapters",), _CONTAINER_NUMBER),
        Unit(SectionKind.PART, ("part",), ("parts",), _CONTAINER_NUMBER),
        Unit(SectionKind.SCHEDULE, ("schedule",), ("schedules",), _CONTAINER_NUMBER),
        # A text with one schedule calls it "the Schedule".
        Unit(SectionKind.SCHEDULE, ("the schedule", "the Schedule"), (), r"(?!\w|\s*[\d(A-Z])"),
        Unit(
            SectionKind.ANNEX,
            ("annex", "appendix", "app", r"app\."),
            ("annexes", "appendices"),
            _ANNEX_NUMBER,
        ),
    ),
    levels=(
        Level(
            ("sub-?sections?", "sub-?paragraphs?", "paragraphs?", "sub-?rules?", "sub-?clauses?", "points?"),
            _BRACKETS,
        ),
    ),
    # Three components are a rule's number without any word; fewer only behind a letter or an acronym.
    bare=(
        rf"{_MARK}(?:[A-Z]?\d{{1,2}}[A-Z]?(?:\.\d{{1,3}}[A-Z]?){{2,3}}|A\d{{1,2}}\.\d{{1,2}}"
        r"|(?:(?<=[A-Z]{3} )|(?<=[A-Z]{4} )|(?<=[A-Z]{5} ))\d{1,2}[A-Z]?(?:\.\d{1,2}[A-Z]?)?)"
        r"(?![\w%/]|[.,]\d)"
    ),
    also=r"\s*,\s*(?:(?:and/or|and|or)\s+)?|\s+(?:and/or|and|or|&)\s+",
    through=rf"\s+(?:to|through)\s+(?:and\s+including\s+)?|\s*[–—-]\s*(?={_MARK}[A-Z]?[\d(])",
    run_on=rf"\s*,\s*(?:(?:and/or|and|or)\s+)?{_MARK}|\s+(?:and/or|and|or|&)\s+{_MARK}",
    chain=rf"{_HEADING}\s*,?\s*(?:of|in|to)\s+(?:the\s+)?{_MARK}",
    here=(
        rf"{_HEADING}\s*,?\s+(?:of|in|to|under)\s+(?:this|these|the\s+present)\s+"
        r"(?:Act|Law|Regulations?|Rules|Rulebook|Code|Order|Directive|Agreement|Contract|Guidance|Module|Policy)"
    ),
    that=(
        rf"{_HEADING}\s*,?\s+(?:of|in|to|under)\s+(?:that|the\s+(?:said|same)|such)\s+"
        r"(?:Act|Law|Regulations?|Rules|Rulebook|Code|Order|Directive|Agreement|Contract|Guidance|Module|Policy)(?!\w)"
    ),
    leads=rf"{_HEADING}\s*,?\s+(?:of|in|under)\s+(?:the\s+)?",
    after=rf"{_HEADING}\s*,?\s+(?:of|in|to|under)\s+(?:the\s+|that\s+)?|\s+(?=[A-Z]{{3,8}}(?![\w-]))",
    name_form=_NAME,
    before=rf"(?:{_LONG_NAME}|(?<![\w-])\(?[A-Z]{{2,8}}(?:\s+Rulebook)?\)?),?",
    acts=rf"(?:{_NUMBERED_LAW}|{_EU_ACT}|\b(?!(?:The|Means|Under|See|In|If|For|Where|Any|This|These|Each)\s)[A-Z][\w'’&/-]*{_LINKED}{{0,10}}?\s+{_LAW_WORD}(?!\w){_YEAR})",
    acts_sign=_LAW_WORD + r"(?!\w)|/\d|\bNo\b",
    cues=(
        Cue(
            Relation.EXCEPTION_TO,
            before=(
                r"(?:except\s+(?:as\s+|to\s+the\s+extent\s+)?(?:otherwise\s+)?(?:(?:provided|set\s+out|specified|stated|permitted|required|allowed)"
                r"(?:\s+for)?(?:\s+(?:in|by|under|pursuant\s+to))?|under|in|by|where(?:\s+an?\s+exemption\s+under)?|in\s+(?:the\s+)?cases?\s+(?:of|within))"
                r"|except(?:ion)?s?\s+(?:to|from)|notwithstanding|despite|by\s+way\s+of\s+(?:exception|derogation)"
                r"(?:\s+(?:from|to))?|(?:in\s+)?derogati(?:on|ng)\s+from|exempt(?:ed|ion)?\s+from|without\s+regard\s+to)"
                r"(?:\s+the\s+(?:provisions?|requirements?)\s+(?:of|in))?"
            ),
        ),
        Cue(
            Relation.DEFINES,
            before=(
                r"(?:(?:has|have|having|bears?|given)\s+the\s+(?:same\s+)?meanings?[\w\s]{0,25}|as\s+defined\s+(?:in|by|under)"
                r"|within\s+the\s+meaning\s+of|defined\s+(?:in|by|under)|definition\s+(?:in|under))"
            ),
        ),
        Cue(
            Relation.REPEALS,
            before=r"(?:(?<!the\s)(?<!been\s)(?:repeal(?:s|ed|ing)?|revok(?:es?|ed|ing))|repeal\s+of|revocation\s+of)(?:\s+the)?",
            after=r"(?:is|are)\s+(?:hereby\s+)?(?:repealed|revoked)",
        ),
        # "replaced by Rule 5" says the reverse: what is cited took the place of something here.
        Cue(
            Relation.SUPERSEDES,
            before=r"(?<!the\s)(?<!been\s)(?:supersed(?:es?|ed|ing)|replac(?:es?|ed|ing))(?:\s+the)?",
        ),
        Cue(
            Relation.AMENDS,
            before=r"(?<!the\s)(?<!been\s)(?:amend(?:s|ed|ing)?|amendments?\s+(?:to|of))(?:\s+the)?",
            after=(
                r"(?:is|are)\s+(?:hereby\s+)?(?:amended|replaced\s+by)"
                r"|(?:a\s+new|the\s+following)\s+[^.;]{1,70}\s(?:is|are)\s+(?:inserted|added)"
            ),
        ),
        Cue(
            Relation.BASED_ON,
            before=(
                r"(?:(?<!\w)in\s+exercise\s+of\s+(?:\w+\s+){0,3}powers?(?:\s+\w+){0,8}"
                rf"|th(?:is|ese)\s+{_LAW_WORD}[^.;]{{0,40}}?\s(?:made|issued|enacted|adopted|prescribed)"
                r"(?:\s+by\s+[\w\s]{2,40}?)?\s+(?:under|pursuant\s+to|by\s+virtue\s+of|in\s+accordance\s+with)"
                r"(?:\s+(?:the\s+)?powers?(?:\s+\w+){1,6})?)"
            ),
            after=(
                r"[^.;]{0,80}\b(?:hereby\s+(?:makes?|enacts?|issues?|adopts?|prescribes?|orders?)\b"
                r"|(?:makes?|enacts?|issues?|adopts?)\s+(?:the\s+following|these|this)\s)"
            ),
        ),
        Cue(Relation.EXTENDS, before=r"(?:in\s+addition\s+to(?:\s+[\w\s]{0,30})?|supplements?)"),
    ),
    known=(
        ("GDPR", "General Data Protection Regulation", "Regulation (EU) 2016/679"),
        ("MiFID II", "Directive 2014/65/EU"),
        ("MiFIR", "Regulation (EU) No 600/2014"),
        ("CRR", "Capital Requirements Regulation", "Regulation (EU) No 575/2013"),
    ),
)
