"""Proper names: runs of capitalised words in languages that write capitals for names alone.

A name is one word or several ("Andy Murray", "Jean-Luc Picard", "J. K. Rowling"), joined over small
particles ("University of the Arts", "Ludwig van Beethoven") and over numbers ("Apollo 13"). At the beginning
of a sentence every word has a capital: what begins there is marked, and the whole corpus decides how much
of it is a name (``letter_case.py``). German writes a capital for every noun and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from engine.language.dates import MONTHS
from engine.language.letter_case import NOUNS_IN_CAPITALS
from engine.language.script import visible
from engine.language.terms import is_label, is_running, stands_as_name, trimmed

# A name of more words is a line of a heading.
LONGEST_NAME = 8
SHORTEST_NAME = 3
# What is looked at before a name to see whether a sentence begins there.
_BEFORE = 8

# Scripts with capitals: Latin, Greek, Cyrillic, Armenian, and what was added to Latin and Greek later.
_CAPITALS = "".join(chr(code) for code in (*range(0x590), *range(0x1E00, 0x2000)) if chr(code).isupper())
_PARTICLES = (
    "of|the|de|del|della|delle|dei|degli|di|da|do|dos|das|du|des|la|le|los|las|van|von|vom|zu|zur|der|den|ter|ten|te|af|av|bin"
    "|ibn|al|el|ul|ud"
)
# No group here is possessive: Python before 3.11.5 matches such a one wrongly
# (https://github.com/python/cpython/issues/106052).
_WORD = rf"[{_CAPITALS}]\w*+(?:[’'](?!s\b)\w++|[-–](?=[{_CAPITALS}\d])\w++)*"
# Initials and short forms of "Saint", "Mister" and "Doctor" have a full stop that ends nothing.
_GAP = rf"(?:[ ]|(?<=(?<!\w)[{_CAPITALS}])\.[ ]?|(?<=St|Mr|Dr|Ms)\.[ ]|[ ]&[ ])"
_JOINT = rf"(?:[ ](?:{_PARTICLES})(?:[ ](?:{_PARTICLES}))?[ ](?:[dl][’'])?|[ ][dl][’'])"
_NUMBER = r"[ ]\d{1,4}(?![\d.,:/%-]*\d|\w)"
_NAME = re.compile(rf"(?<!\w){_WORD}(?:(?:{_GAP}|{_JOINT})(?={_WORD}){_WORD}|{_NUMBER})*")
_PARTICLE = re.compile(rf"[ ](?:{_PARTICLES})(?:[ ](?:{_PARTICLES}))?[ ]")
_BEGINS = re.compile(r"(?:\A|[.!?:;•…\n]|\(\w{1,4}\))[ \t\"“”„'‘’«»(\[–—-]*\Z")
_IN_BRACKETS = re.compile(r"\s*[(（](?:[^()（）]|[(（][^()（）]*[)）])*[)）]\s*\Z")
# Words that begin sentences, not names, beyond the function words; and forms of address.
_LEADING_WORDS = (
    "although since however also while many two three one first second third another among according despite"
    " until upon within without whose may might must shall would could yet still later then thus hence"
    " therefore born mr mrs ms dr sir dame lord lady"
)
_LEADING = frozenset(_LEADING_WORDS.split())
_DAYS = frozenset(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))


class ProperName(NamedTuple):
    """A name in a text; ``initial`` where its first word begins a sentence and may be any word."""

    name: str
    initial: bool


def proper_names(text: str, language: str) -> Iterator[ProperName]:
    """The names in a text as they are written, in its order; a name may come several times.

    A single word that begins a sentence is none here: somewhere else it stands inside one, or it is no name.
    """
    if language.split("-")[0] in NOUNS_IN_CAPITALS or not is_running(text, language):
        return
    for match in _NAME.finditer(text):
        if not stands_as_name(text, *match.span()):
            continue
        begins = _begins_sentence(text, match.start())
        for place, written in enumerate(_short_enough(match[0])):
            name = _without_leading(trimmed(written, language), language).rstrip(".")
            words = name.split()
            if not words or not name[0].isupper() or name.isupper() or is_label(name, language):
                continue
            initial = begins and not place and written.startswith(words[0])
            if len(words) == 1 and (initial or len(name) < SHORTEST_NAME):
                continue
            if not all(_is_day(word) for word in words):
                yield ProperName(name, initial)


def title_name(title: str) -> str:
    """What the title of a document names: without a remark in brackets at its end, "Pulse (1988 film)"."""
    shown = " ".join(visible(title).split())
    name = _IN_BRACKETS.sub("", shown) or shown
    if name.isupper() and " " in name:
        # Words in capitals would be taken for acronyms.
        name = " ".join(word.capitalize() for word in name.split())
    return name


def _begins_sentence(text: str, start: int) -> bool:
    first = max(0, start - _BEFORE)
    match = _BEGINS.search(text[first:start])
    return match is not None and (first == 0 or match[0].strip() != "" or "\n" in match[0])


def _short_enough(written: str) -> list[str]:
    """A run of words, or the runs between its particles where it is too long for one name."""
    return [written] if len(written.split()) <= LONGEST_NAME else _PARTICLE.split(written)


def _without_leading(name: str, language: str) -> str:
    """Without words that lead to a name: "However Obama", "January 2010 Obama"."""
    words = name.split()
    while words:
        is_date = len(words) > 1 and _is_day(words[0]) and words[1].isdigit()
        if not is_date and words[0].casefold().rstrip(".") not in _LEADING:
            break
        words = trimmed(" ".join(words[2 if is_date else 1 :]), language).split()
    return " ".join(words)


def _is_day(word: str) -> bool:
    """Whether a word is of a date: a month, a day of the week, a number."""
    small = word.casefold()
    return small in MONTHS or small in _DAYS or small.isdigit()
