"""References in Arabic law.

"المادة (5)", "المواد 5، 6 و7", "المادتين (الحادية والعشرين) و(الثانية والعشرين)", "الفقرة (2) من المادة
الثالثة من هذا النظام", with numbers as digits of either kind or as ordinals in words.
"""

from __future__ import annotations

import re

from engine.language.numerals import ARABIC_AGAIN, ARABIC_ORDINAL, arabic_again, arabic_ordinal
from engine.language.references.grammar import Cue, Grammar, Level, Unit
from engine.language.script import visible, western_digits
from engine.model import Relation, SectionKind

_NUMBER = (
    rf"(?:رقم\s*)?\(?\s*(?:\d{{1,4}}(?![\d/]|\.\d)|{ARABIC_ORDINAL})(?:\s*\)?\s*{ARABIC_AGAIN})?(?:\s*\))?"
)
_PART = rf"\(?\s*(?:\d{{1,3}}(?!\d)|{ARABIC_ORDINAL}|[أ-ي](?!\w))(?:\s*\))?"
_ACT = (
    r"(?:النظام|القانون|اللائحة|التنظيم|اللوائح|القواعد|الترتيبات|الضوابط|الوثيقة|القرار"
    r"|المرسوم|الاتفاقية|السياسة)"
)
_DIGITS = re.compile(r"\d+")
_WORDS = re.compile(ARABIC_ORDINAL)
_AGAIN = re.compile(ARABIC_AGAIN)


def _value(printed: str) -> str | None:
    text = western_digits(visible(printed))
    digits = _DIGITS.search(text)
    words = None if digits else _WORDS.search(text)
    value = digits[0] if digits else arabic_ordinal(words[0]) if words else None
    if value is None:
        return None
    again = _AGAIN.search(text)
    return f"{int(value)}{arabic_again(again[0] if again else '')}"


ARABIC = Grammar(
    name="arabic",
    languages=("ar",),
    number=_NUMBER,
    value=_value,
    units=(
        Unit(
            SectionKind.ARTICLE,
            ("المادة", "لمادة", "الماده", "مادة"),
            ("المادتين", "المادتان", "لمادتين", "المواد", "لمواد"),
        ),
    ),
    levels=(
        Level(
            (
                "الفقرة الفرعية",
                "الفقرات الفرعية",
                "الفقرتين الفرعيتين",
                "الفقرتين",
                "الفقرتان",
                "الفقرات",
                "الفقرة",
                "لفقرتين",
                "لفقرة",
                "فقرة",
                "البندين",
                "البنود",
                "البند",
                "لبند",
                "بند",
            ),
            _PART,
        ),
    ),
    also=r"\s*[،,]\s*(?:و\s*|أو\s+|او\s+)?|\s*و(?=\s*\(|\s*\d|\s*ال|\s+)\s*|\s+(?:أو|او)\s+",
    through=r"\s*(?:حتى|إلى|الى|–|-)\s*(?:نهاية\s+)?",
    run_on=r"\s*[،,]?\s*(?:و|أو\s+|او\s+)\s*(?:كذلك\s+)?(?:في\s+|من\s+|ب)?(?:حكم\s+|أحكام\s+|عجز\s+)?|\s*[،,]\s*",
    chain=r"\s*من\s+(?:حكم\s+)?",
    here=rf"\s*من\s+(?:هذا|هذه|ذات|نفس)\s+{_ACT}",
    that=rf"\s*من\s+(?:(?:ذلك|تلك)\s+{_ACT}|{_ACT}\s+(?:المذكورة?|المشار\s+إليه))(?!\w)",
    leads=r"\s*من\s+",
    after=r"\s*من\s+",
    name_form=rf"(?:{_ACT}(?!\w)(?:\s+الأساسي\s+للحكم|\s+التنفيذية(?:\s+لنظام(?:\s+\w+){{1,8}})?)?|(?:نظام|قانون|لائحة|تنظيم|قواعد|مرسوم)(?:\s+\w+){{1,10}})",
    glued="وفبلك",
    acts=r"(?:المرسوم\s+الملكي|مرسوم\s+ملكي|قرار\s+مجلس\s+الوزراء|الأمر\s+الملكي)\s+(?:ذي\s+الرقم|رقم)\s*\(?\s*[\w/]+\s*/?\s*\d*\s*\)?",
    acts_sign="رقم",
    cues=(
        Cue(
            Relation.EXCEPTION_TO,
            before=r"(?:استثناءً?\s+(?:من|مما)(?:\s+\w+){0,4}|خلافاً?\s+ل(?:\w+\s*){0,3})",
        ),
        Cue(
            Relation.BASED_ON,
            # "بناءً على المادة" alone says under what something else was done.
            before=r"تنفيذاً?\s+ل(?:\w+\s*){0,3}",
            after=r"[^.]{0,90}\b(?:رسمنا|قررنا|أصدرنا|نأمر)",
        ),
        Cue(Relation.AMENDS, before=r"(?:عُ?د[ّ]?لت|(?<!لا\s)(?:يعدل|تعدل)|تعديل)(?:\s+(?:أحكام|حكم|نص))?"),
        Cue(Relation.REPEALS, before=r"(?:أُ?لغيت|يلغي|إلغاء|تلغى)(?:\s+\w+){0,4}"),
        Cue(Relation.SUPERSEDES, before=r"(?:يحل\s+محل|تحل\s+محل|حل\s+محل)(?:\s+\w+){0,3}"),
    ),
)
