"""Acts of the European Union by number: their names in its languages, CELEX numbers and ELI addresses.

"Regulation (EU) 2016/679", "règlement (UE) 2016/679", "Richtlinie 95/46/EG", "32016R0679" and
"http://data.europa.eu/eli/reg/2016/679/oj" all become a CELEX number, so that an act is found in
whatever language it is cited. Sources: "How to read a CELEX number" and the ELI templates of the
Publications Office (https://eur-lex.europa.eu/content/help/eurlex-content/celex-number.html,
https://eur-lex.europa.eu/eli-register/technical_information.html).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from engine.language.references.uses import Told, Use, Uses
from engine.languages import all_words, words
from engine.model import Document

# What may stand between the word and the number: "delegated" and its like behind the word, the
# Communities in brackets, "No" in the ways it is printed.
_BETWEEN = (
    r"(?:\s+(?:délégué|déléguée|d['’]exécution|delegad[oa]|de\s+ejecución|delegat[oa]|di\s+esecuzione|de\s+execução))?"
    r"\s+(?:\((?:EU|UE|EG|EC|CE|EWG|EEC|CEE|EEG|Euratom|EGKS|CECA|ECSC)[^()]{0,16}\)\s*)?"
    r"(?:(?:No|Nr|n\.?\s?[o°ºr]?|N[o°º])\.?\s*)?"
)
_NUMBER = (
    r"\d{1,4}/\d{1,4}(?:/(?:EU|UE|EG|EC|CE|EWG|EEC|CEE|EEG|Euratom|EGKS|ECSC|CECA|JHA|JI|JAI|JBZ|GAI|GASP"
    r"|CFSP|PESC))?(?!\w)"
)
_CELEX = (
    r"(?:CELEX\s?(?:No\.?|n°|Nr\.)?\s?:?\s?)?[0-9][12]\d{3}(?:R|L|D|F|H|G|Q)\d{4}(?:\(\d{2}\)|-\d{8})?(?!\w)"
)
_ELI = r"(?:https?://data\.europa\.eu)?/?\beli/(?:reg|dir|dec|dec_framw)(?:_impl|_del)?/\d{4}/\d{1,4}(?:\(\d\))?(?:/(?:oj|\d{4}-\d{2}-\d{2}))?(?:/[a-z]{3})?"
LANGUAGES = tuple(language for language, own in all_words().items() if own.eu_acts)

_AS_CELEX = re.compile(r"(?<!\d)([0-9])([12]\d{3})([RLDFHGQ])(\d{4})(?!\d)")
_AS_ELI = re.compile(r"\beli/(reg|dir|dec_framw|dec)(?:_impl|_del)?/(\d{4})/(\d{1,4})\b")
_ELI_LETTERS = {"reg": "R", "dir": "L", "dec": "D", "dec_framw": "F"}
_AS_NUMBER = re.compile(r"(\d{1,4})/(\d{1,4})(?:/([A-Za-z]+))?")
_NUMBER_WORD = re.compile(r"(?<![^\W\d_])(?:No|Nr|n)\.?\s?[o°ºr]?\.?\s*\Z", re.IGNORECASE)
_FIRST_YEAR = 1952


@cache
def eu_act_form(language: str) -> str | None:
    """The regular expression of an EU act's name in a language; None where its words are not known."""
    if language not in LANGUAGES:
        return None
    kinds = "|".join(f"(?i:{word})" for word in words(language).eu_acts.values())
    return rf"(?:(?:{kinds}){_BETWEEN}{_NUMBER}|{_CELEX}|{_ELI})"


@cache
def _reader(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    if language not in LANGUAGES:
        return ()
    return tuple(
        (letter, re.compile(rf"(?:{word}){_BETWEEN}(?={_NUMBER})", re.IGNORECASE))
        for letter, word in words(language).eu_acts.items()
    )


def celex_of(name: str, language: str) -> str | None:
    """The CELEX number of the act that a name, a CELEX number or an ELI address means.

    A consolidated version ("02016R0679-20160504") is the act it consolidates. None where the name is
    none of an EU act by number, or its year and number cannot be told apart.
    """
    celex = _AS_CELEX.search(name)
    if celex:
        sector = "3" if celex[1] == "0" else celex[1]
        return f"{sector}{celex[2]}{celex[3]}{celex[4]}"
    eli = _AS_ELI.search(name)
    if eli:
        return f"3{eli[2]}{_ELI_LETTERS[eli[1]]}{int(eli[3]):04d}"
    for letter, word in _reader(language):
        found = word.match(name)
        if found:
            return _numbered(letter, name, found.end())
    return None


def _numbered(letter: str, name: str, position: int) -> str | None:
    match = _AS_NUMBER.match(name, position)
    if match is None:
        return None
    first, second = match[1], match[2]
    # Until 2014 a regulation was "No 575/2013", number first; a directive "2002/58/EC" never was.
    counted = _NUMBER_WORD.search(name, 0, position) is not None
    regulation = letter == "R" and (_year(first) is None or len(first) < len(second) == 4)
    year, number = (second, first) if _year(second) and (counted or regulation) else (first, second)
    value = _year(year)
    return None if value is None else f"3{value}{letter}{int(number):04d}"


def _year(text: str) -> int | None:
    """A year printed with four digits, or with two as it was until 1998."""
    value = int(text)
    if len(text) == 2:
        value += 1900
    return value if _FIRST_YEAR <= value < 2100 else None


class EuActs:
    """The documents of a corpus that are EU acts, by their CELEX numbers."""

    def __init__(self, documents: Sequence[Document], uses: Uses | None = None) -> None:
        """``uses`` hears of each act that is asked for."""
        self._uses = uses
        self._documents: dict[str, list[int]] = {}
        for number, document in enumerate(documents):
            names = (str(document.metadata.get("celex") or ""), document.title, *document.aliases)
            celex = next((found for name in names if (found := celex_of(name, document.language))), None)
            if celex:
                self._documents.setdefault(celex, []).append(number)

    def meant(self, name: str, language: str) -> tuple[int, ...] | None:
        """The documents that a name means, none for an act from outside; None where it names no EU act."""
        celex = celex_of(name, language) if any(letter.isdigit() for letter in name) else None
        if celex is None:
            return None
        if self._uses is not None:
            self._uses.add(("celex", celex))
        return tuple(self._documents.get(celex, ()))

    def answers(self, told: Told) -> Iterator[tuple[Use, str]]:
        """Who means each act."""
        for celex, found in self._documents.items():
            yield ("celex", celex), told(found)
