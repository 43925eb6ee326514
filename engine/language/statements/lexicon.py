"""The words that statements are read by (``statements.yaml`` of each language), and keys to compare words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from engine import bounded_yaml
from engine.language.analysis import analyzer
from engine.language.characters import fold_arabic
from engine.languages import base_of, file_of

# The words by which statements are read: ``statements.yaml`` in the folder of each language, compiled.
#
# They say quantities, what must and may be done, negation and opposites. Each entry of a file is a regular
# expression without capturing groups; a blank stands for any white space and the ends of a word are added,
# letters may be capitals; ``lead`` is what may be written as one word in front of each. Under ``antonyms``
# and ``synonyms`` stand plain words, which are compared by their stems: an antonym pair is [one side, other
# side], with blanks between the words of a side. What is the same in all languages, units of time and
# currencies, stands in ``measures.yaml`` beside this file.

FILE = "statements.yaml"
MEASURES = Path(__file__).with_name("measures.yaml")
FALLBACK = "en"
_NEVER = re.compile(r"(?!)")
CUES = (
    *("must_not", "need_not", "must", "may", "not", "only", "except"),
    *("before", "after", "upper", "lower", "over", "under"),
    *("condition", "all", "always", "some", "and", "or", "relative", "ensure", "agents", "roles", "passive"),
    *(
        "genitives",
        "citing",
        "framing",
        "measure",
        "aside",
        "self",
        "adverbs",
        "carriers",
        "articles",
        "provided",
        "idle",
    ),
    "from_whom",
)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of one language.

    ``cues`` by name; ``modal`` has the groups must_not, need_not, must and may, ``bound`` the groups upper,
    lower, over and under; ``parted`` names the groups between whose words others stand. ``unit`` has a group
    for each unit of time; ``ones`` are words that are a number and a unit in one (word -> count, unit).
    ``sides`` tell which side of which antonym pairs a stem is on, ``meanings`` put stems of one meaning
    together, ``forms`` those of one word; ``light`` are stems of verbs that only carry a noun ("submit a
    notification"), ``parted_verb`` matches a verb with something inside ("einzulegen"), ``inflected`` one
    with the ending of a person or participle, ``parties`` the endings of who does it and to whom it is done,
    ``elided`` an article that is written as one word with its noun ("l'acte"); ``capital_nouns``: a small
    letter tells that a word is no noun; ``participle`` matches what may stand behind a verb of the passive.
    ``phrases`` are words that count as one, by what they mean.
    """

    language: str
    cues: Mapping[str, re.Pattern[str]]
    modal: re.Pattern[str]
    parted: frozenset[str]
    bound: re.Pattern[str]
    unit: re.Pattern[str]
    scales: Mapping[str, float]
    scale: re.Pattern[str]
    fractions: tuple[tuple[re.Pattern[str], float], ...]
    cardinals: Mapping[str, float]
    teens: frozenset[str]
    tens: frozenset[str]
    ordinal_prefix: str
    ones: Mapping[str, tuple[float, str]]
    sides: Mapping[str, tuple[tuple[int, int], ...]]
    meanings: Mapping[str, str]
    light: frozenset[str]
    parted_verb: re.Pattern[str]
    forms: Mapping[str, str]
    inflected: re.Pattern[str] | None
    parties: tuple[re.Pattern[str], ...]
    elided: re.Pattern[str]
    capital_nouns: bool
    participle: re.Pattern[str]
    phrases: Mapping[str, re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class Units:
    """What is the same in all languages: factor and base of units of time, currencies, percent."""

    bases: Mapping[str, tuple[float, str]]
    currency: re.Pattern[str]
    currency_of: tuple[tuple[re.Pattern[str], str], ...]
    percent: re.Pattern[str]


@cache
def units() -> Units:
    """Units of time and currencies."""
    content: Mapping[str, Any] = bounded_yaml.load(MEASURES.read_bytes())
    named = {code: _joined(words) for code, words in content["currencies"].items()}
    each = tuple((re.compile(pattern, re.IGNORECASE), code) for code, pattern in named.items())
    return Units(
        {name: (float(factor), str(base)) for name, (factor, base) in content["units"].items()},
        re.compile("|".join(sorted(named.values(), key=len, reverse=True)), re.IGNORECASE),
        each,
        re.compile(_joined(content["percent"]), re.IGNORECASE),
    )


@cache
def lexicon(language: str) -> Lexicon:
    """The words of a language (ISO 639-1, region ignored); those of English where there are none."""
    base = base_of(language)
    path = file_of(base, FILE)
    if path is None:
        return lexicon(FALLBACK)
    if base != language:
        return lexicon(base)
    content: Mapping[str, Any] = bounded_yaml.load(path.read_bytes())
    lead = str(content.get("lead", ""))
    scales = {str(word): float(value) for word, value in content.get("scales", {}).items()}
    return Lexicon(
        base,
        {name: _compiled(content.get(name, ()), lead) for name in CUES},
        _groups(modals := {name: content[name] for name in ("must_not", "need_not", "must", "may")}, lead),
        frozenset(name for name, word in _numbered(modals) if r"\w" in word or r"[\w" in word),
        _groups({name: content[name] for name in ("upper", "lower", "over", "under")}, lead),
        _groups(content["durations"], lead),
        scales,
        re.compile(_joined(scales, lead), re.IGNORECASE),
        tuple(
            (_compiled([words.replace(" ", r"[\s-]+")], lead), float(value))
            for words, value in sorted(content["fractions"].items(), key=lambda item: -len(item[0]))
        ),
        {_folded(word, base): float(value) for word, value in content.get("cardinals", {}).items()},
        frozenset(content.get("teens", ())),
        frozenset(content.get("tens", ())),
        str(content.get("ordinal_prefix", "")),
        {
            _folded(word, base): (1.0, one) if isinstance(one, str) else (float(one[0]), str(one[1]))
            for word, one in content.get("ones", {}).items()
        },
        _sides(content["antonyms"], base),
        _meanings(content["synonyms"], base),
        frozenset(stem for word in content.get("light", ()) for stem in _stems(str(word), base)),
        re.compile(content.get("parted", "(?!)"), re.IGNORECASE),
        _meanings(content.get("forms", ()), base),
        re.compile(content["inflected"]) if "inflected" in content else None,
        tuple(re.compile(f"(?:{ending})\\Z") for ending in content.get("parties", ())),
        re.compile(content.get("elided", "(?!)"), re.IGNORECASE),
        bool(content.get("capital_nouns", False)),
        re.compile(content.get("participle", r".+"), re.IGNORECASE),
        {name: _compiled(listed, lead) for name, listed in content.get("phrases", {}).items()},
    )


def _folded(word: str, language: str) -> str:
    return fold_arabic(word) if language == "ar" else word.casefold()


def _joined(words: Iterable[str], lead: str = "") -> str:
    """The longest first: "not more than" is never read as "more than"."""
    ordered = sorted((str(word).replace(" ", r"\s+") for word in words), key=len, reverse=True)
    inner = "|".join(
        (r"(?<!\w)" + lead if word[:1].isalnum() or lead else "") + f"(?:{word})" + _right(word)
        for word in ordered
    )
    return f"(?:{inner})" if inner else "(?!)"


def _right(word: str) -> str:
    return r"(?!\w)" if word[-1].isalnum() or word[-1] in "?)*]" else ""


def _compiled(words: Iterable[str], lead: str) -> re.Pattern[str]:
    listed = list(words)
    return re.compile(_joined(listed, lead), re.IGNORECASE) if listed else _NEVER


def _groups(named: Mapping[str, Iterable[str]], lead: str) -> re.Pattern[str]:
    """One pattern with a group for each name; of words that begin at one place the longest is tried first."""
    numbered = [f"(?P<{name}>{_joined([word], lead)})" for name, word in _numbered(named)]
    return re.compile("|".join(numbered), re.IGNORECASE)


def _numbered(named: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
    """The name of the group of each word, and the word."""
    listed = [(str(word), name) for name, words in named.items() for word in words]
    listed.sort(key=lambda item: -len(item[0]))
    for place, (word, name) in enumerate(listed):
        yield f"{name}__{place}", word


def group_of(match: re.Match[str]) -> str:
    """Which name of ``_groups`` a match stands for."""
    return (match.lastgroup or "").split("__")[0]


def _sides(pairs: Iterable[Iterable[str]], language: str) -> dict[str, tuple[tuple[int, int], ...]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for number, sides in enumerate(pairs):
        for side, words in enumerate(sides):
            for stem in _stems(words, language):
                found.setdefault(stem, []).append((number, side))
    return {stem: tuple(places) for stem, places in found.items()}


def _meanings(groups: Iterable[Iterable[str]], language: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for words in groups:
        stems = [stem for word in words for stem in _stems(word, language)]
        for stem in stems:
            found.setdefault(stem, found.get(stems[0], stems[0]))
    return found


def _stems(words: str, language: str) -> list[str]:
    return [analyzer(language).stem(word) for word in words.split()]


# The key by which a word is compared: its stem, mended where a stemmer leaves forms of one word apart or puts
# two parties under one stem.
#
# A stemmer cuts "expropriant" and "exproprié", "Mieter" and "Miete", "employer" and "employed" to one stem:
# who does it and to whom it is done. And it leaves "bestraft" and "bestrafen", "held" and "hold" apart.

_POSSESSIVE = re.compile(r"['’]s?\Z")


@dataclass(frozen=True, slots=True)
class Lexeme:
    """``own`` is equal for forms of one word, ``meaning`` for words of one meaning too."""

    own: str
    meaning: str


@lru_cache(maxsize=65_536)
def lexemes(word: str, language: str) -> tuple[Lexeme, ...]:
    """The keys of a word: none for a function word, several in scripts without spaces."""
    words = lexicon(language)
    reader = analyzer(language)
    plain = _POSSESSIVE.sub("", word)
    if words.language != language:
        # Without words of its language nobody tells which small word denies: each of them counts.
        return tuple(Lexeme(stem, stem) for stem in reader.terms_of_word(plain) or (word.casefold(),))
    plain = words.elided.sub("", plain)
    if verb := words.parted_verb.fullmatch(plain):
        plain = f"{verb[1]}{verb[2]}en"
    found = []
    for stem in reader.terms_of_word(plain):
        own = words.forms.get(stem) or _mended(plain, stem, words)
        found.append(Lexeme(own, words.meanings.get(own, words.meanings.get(stem, own))))
    return tuple(found)


def _mended(word: str, stem: str, words: Lexicon) -> str:
    """A stem without the ending of a verb that the stemmer leaves on, with the ending of a party that it
    takes off."""
    for number, party in enumerate(words.parties):
        if party.search(word) and not stem.endswith(word[-2:].casefold()):
            return f"{stem}+{number}"
    if words.inflected is not None and (ending := words.inflected.fullmatch(word)):
        bare = analyzer(words.language).stem(ending["verb"] + "en")
        return words.forms.get(bare, bare)
    return stem
