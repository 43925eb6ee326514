"""Load the words for reading statements (``statements.yaml`` of each language), and compute word keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from engine import bounded
from engine.language.analysis import analyzer
from engine.language.characters import fold_arabic
from engine.languages import base_of, file_of

# Compiled words of ``statements.yaml`` in the folder of each language
#
# They express quantities, modality, negation and opposites. Each entry is a regular expression without
# capturing groups; a space matches any white space, word boundaries are added, and case is ignored. ``lead``:
# prefixes that may be attached to each word. ``antonyms`` and ``synonyms`` are plain words, compared by
# stems; an antonym pair is [one side, other side], with spaces between the words of a side. Units of time and
# currencies are common to all languages and are in ``measures.yaml`` next to this file.

FILE = "statements.yaml"
MEASURES = Path(__file__).with_name("measures.yaml")
FALLBACK = "en"
_HAN = re.compile(r"[\u3400-\u9fff]")
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
    """The words of a language.

    ``cues``: by name. ``modal``: with groups must_not, need_not, must and may. ``bound``: with groups upper,
    lower, over and under. ``parted``: groups whose words enclose others. ``unit``: with a group for each unit
    of time. ``ones``: words that are a number and a unit (word -> count, unit). ``sides``: antonym pairs and
    sides of stems. ``meanings``: stems by common meaning; ``forms``: by word. ``light``: stems of light verbs
    ("submit a notification"). ``parted_verb``: verbs with an infix ("einzulegen"). ``inflected``: verbs with
    an ending of person or participle. ``parties``: endings of agents and recipients. ``elided``: articles
    attached to their nouns ("l'acte"). ``capital_nouns``: lower case excludes nouns. ``participle``: what may
    follow a verb in the passive. ``phrases``: phrases that count as one word, by meaning.
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
    """Measures common to all languages: factor and base of units of time, currencies, percent."""

    bases: Mapping[str, tuple[float, str]]
    currency: re.Pattern[str]
    currency_of: tuple[tuple[re.Pattern[str], str], ...]
    percent: re.Pattern[str]
    percent_before: re.Pattern[str]


@cache
def units() -> Units:
    """Load the units of time and currencies."""
    content: Mapping[str, Any] = bounded.load_yaml(MEASURES.read_bytes())
    named = {code: _joined(words) for code, words in content["currencies"].items()}
    each = tuple((re.compile(pattern, re.IGNORECASE), code) for code, pattern in named.items())
    return Units(
        {name: (float(factor), str(base)) for name, (factor, base) in content["units"].items()},
        re.compile("|".join(sorted(named.values(), key=len, reverse=True)), re.IGNORECASE),
        each,
        re.compile(_joined(content["percent"]), re.IGNORECASE),
        re.compile(_joined(content["percent_before"])),
    )


@cache
def lexicon(language: str) -> Lexicon:
    """Return the words of a language (ISO 639-1, region ignored), or those of English if it has none."""
    base = base_of(language)
    path = file_of(base, FILE)
    if path is None:
        return lexicon(FALLBACK)
    if base != language:
        return lexicon(base)
    content: Mapping[str, Any] = bounded.load_yaml(path.read_bytes())
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
    """Join words as alternatives, longest first, so that "not more than" is never read as "more than"."""
    ordered = sorted((str(word).replace(" ", r"\s+") for word in words), key=len, reverse=True)
    inner = "|".join(
        (r"(?<!\w)" + lead if _is_spaced(word[:1]) or lead else "") + f"(?:{word})" + _right(word)
        for word in ordered
    )
    return f"(?:{inner})" if inner else "(?!)"


def _right(word: str) -> str:
    return r"(?!\w)" if _is_spaced(word[-1]) or (word[-1] in "?)*]" and not _HAN.search(word)) else ""


def _is_spaced(letter: str) -> bool:
    """Return True for a letter of a script with spaces between words."""
    return letter.isalnum() and not _HAN.match(letter)


def _compiled(words: Iterable[str], lead: str) -> re.Pattern[str]:
    listed = list(words)
    return re.compile(_joined(listed, lead), re.IGNORECASE) if listed else _NEVER


def _groups(named: Mapping[str, Iterable[str]], lead: str) -> re.Pattern[str]:
    """Make a pattern with a group for each name; of words at one position the longest is tried first."""
    numbered = [f"(?P<{name}>{_joined([word], lead)})" for name, word in _numbered(named)]
    return re.compile("|".join(numbered), re.IGNORECASE)


def _numbered(named: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
    """Yield the group name of each word, and the word."""
    listed = [(str(word), name) for name, words in named.items() for word in words]
    listed.sort(key=lambda item: -len(item[0]))
    for place, (word, name) in enumerate(listed):
        yield f"{name}__{place}", word


def group_of(match: re.Match[str]) -> str:
    """Return the name in ``_groups`` of a match."""
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


# Keys of words: stems, corrected where a stemmer separates forms of one word or merges two parties
#
# Stemmers reduce "expropriant" and "exproprié", "Mieter" and "Miete", "employer" and "employed" to one stem,
# although they are agent and recipient; and they keep "bestraft" and "bestrafen", "held" and "hold" apart.

_POSSESSIVE = re.compile(r"['’]s?\Z")


@dataclass(frozen=True, slots=True)
class Lexeme:
    """``own``: equal for forms of one word; ``meaning``: equal also for synonyms."""

    own: str
    meaning: str


@lru_cache(maxsize=65_536)
def lexemes(word: str, language: str) -> tuple[Lexeme, ...]:
    """Return the keys of a word: none for a function word, several in scripts without spaces."""
    words = lexicon(language)
    reader = analyzer(language)
    plain = _POSSESSIVE.sub("", word)
    if words.language != language:
        # Without words for its language any short word may be a negation: all of them count.
        return tuple(Lexeme(stem, stem) for stem in reader.terms_of_word(plain) or (word.casefold(),))
    if _HAN.match(plain):
        # Without a dictionary the characters are compared one by one.
        return tuple(Lexeme(letter, words.meanings.get(letter, letter)) for letter in plain)
    plain = words.elided.sub("", plain)
    if verb := words.parted_verb.fullmatch(plain):
        plain = f"{verb[1]}{verb[2]}en"
    found = []
    for stem in reader.terms_of_word(plain):
        own = words.forms.get(stem) or _mended(plain, stem, words)
        found.append(Lexeme(own, words.meanings.get(own, words.meanings.get(stem, own))))
    return tuple(found)


def _mended(word: str, stem: str, words: Lexicon) -> str:
    """Correct a stem: remove a verb ending that the stemmer keeps, add a party ending that it removes."""
    for number, party in enumerate(words.parties):
        if party.search(word) and not stem.endswith(word[-2:].casefold()):
            return f"{stem}+{number}"
    if words.inflected is not None and (ending := words.inflected.fullmatch(word)):
        bare = analyzer(words.language).stem(ending["verb"] + "en")
        return words.forms.get(bare, bare)
    return stem
