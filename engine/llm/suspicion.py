"""Detect text that addresses a machine instead of a reader, without a model.

A document is data, and prompts fence its text as such; still, a model may follow instructions in it. So a
passage that addresses a machine is not shown to a model at all: orders to ignore instructions, to give a
certain answer, to rank it first; role tokens, forged fences, answers in the shape of a schema; text that is
hidden from people. It stays at its rank in the deterministic ranking and can be read by people.

The rules are in ``suspicion.yaml``, by language. They cover usual wordings and miss new ones: an additional
fence, not the only one. What a model returns is checked as if every passage could steer it. (Greshake et al.,
"Not what you've signed up for", 2023, for the attack; Boucher et al., "Bad Characters", 2022, for hidden
characters.)
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

from engine import bounded_yaml

WITHHELD = "(withheld: it addresses a machine)"
"""What a model reads in the place of such a title."""
_EXCERPT = 80
"""Characters of a finding that are quoted."""

_TAGS = re.compile("[\U000e0020-\U000e007e]{4,}")
"""Tag characters say ASCII that nobody sees. A flag of a region is at most 6 of them after a black flag, so a
run is looked at without that flag."""
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007f]{1,7}")
_OVERRIDE = re.compile("[\u202d\u202e]([^\u202a-\u202e\u2066-\u2069]{4,})")
"""Text whose order on the screen is forced: read the other way round it may say something else."""
_ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff]{8,}")
"""No script needs eight of them in a row; bits are hidden that way."""
_ENCODED = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")

_LOOKALIKES = str.maketrans(
    "аеорсхуіјѕԁһӏвкмнтѡοαεικνρτυχηωϲ",
    "aeopcxyijsdhlbkmhtwoaeiknptuxnwc",
)
"""Cyrillic and Greek letters that look like Latin ones, after folding (Unicode TR 39, the common ones)."""
_MIXED = re.compile(r"[^\W\d_]*(?:[a-z][а-яѐ-ӿԁα-ωϲ]|[а-яѐ-ӿԁα-ωϲ][a-z])[^\W\d_]*")
"""A word of two scripts."""
_PERSIAN = str.maketrans({"ی": "ي", "ک": "ك", "ـ": None, "ٱ": "ا"})
_TYPOGRAPHY = str.maketrans("’‘“”„«»–—", '\'\'"""""--')


@dataclass(frozen=True, slots=True)
class Suspicion:
    """The reason why a text seems to address a machine: the rule that matched, and the words."""

    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    groups: tuple[re.Pattern[str], ...]
    within: int


@dataclass(frozen=True, slots=True)
class _Rules:
    tokens: tuple[tuple[str, re.Pattern[str]], ...]
    languages: tuple[_Rule, ...]


@lru_cache(maxsize=4096)
def addresses_machine(text: str) -> bool:
    """Return whether a text addresses a machine. Recent texts are cached."""
    return next(_found(text), None) is not None


def suspicions(text: str) -> tuple[Suspicion, ...]:
    """Return all findings in a text, one per kind."""
    found: dict[str, Suspicion] = {}
    for suspicion in _found(text):
        found.setdefault(suspicion.kind, suspicion)
    return tuple(found.values())


def shown(text: str) -> str:
    """Return a title or heading as shown to a model: withheld if it addresses a machine."""
    return WITHHELD if addresses_machine(text) else text


def folded(text: str) -> str:
    """Return a text in the form that the rules match.

    Compatible letters as plain ones, no marks, no invisible characters, lower case, single spaces, and
    look-alikes of another script inside a word replaced by the letters they imitate.
    """
    if text.isascii():
        return " ".join(text.casefold().split())
    apart = unicodedata.normalize("NFKD", text)
    seen = "".join(letter for letter in apart if unicodedata.category(letter) not in ("Mn", "Cf"))
    plain = " ".join(seen.translate(_PERSIAN).translate(_TYPOGRAPHY).casefold().split())
    return _MIXED.sub(lambda word: word.group().translate(_LOOKALIKES), plain)


def hidden(text: str) -> Iterator[str]:
    """Yield hidden text.

    Tag characters as letters, forced order reversed, zero-width bits, readable Base64.
    """
    without = _FLAG.sub("", text)
    for run in _TAGS.finditer(without):
        yield "".join(chr(ord(letter) - 0xE0000) for letter in run.group())
    for run in _OVERRIDE.finditer(text):
        yield run.group(1)[::-1]
    if run_of_nothing := _ZERO_WIDTH.search(text):
        yield f"{len(run_of_nothing.group())} zero-width characters in a row"
    for run in _ENCODED.finditer(text):
        if decoded := _decoded(run.group()):
            yield decoded


def _decoded(encoded: str) -> str:
    """Return the text encoded in Base64 if it consists of words, else an empty text."""
    body = encoded.rstrip("=")
    try:
        decoded = base64.b64decode(body + "=" * (-len(body) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    letters = sum(letter.isalpha() or letter == " " for letter in decoded)
    words = [word for word in decoded.split() if len(word) > 1]
    return decoded if len(words) > 2 and letters > 0.8 * len(decoded) else ""


def _found(text: str) -> Iterator[Suspicion]:
    rules = _rules()
    for words in hidden(text):
        yield Suspicion("hidden", words[:_EXCERPT])
    for kind, pattern in rules.tokens:
        if token := pattern.search(text):
            yield Suspicion(kind, token.group().strip()[:_EXCERPT])
    plain = folded(text)
    spans: dict[re.Pattern[str], list[tuple[int, int]]] = {}
    for rule in rules.languages:
        if window := _near(plain, rule, spans):
            start, end = window
            yield Suspicion(rule.kind, plain[start:end][:_EXCERPT])


def _near(
    plain: str, rule: _Rule, spans: dict[re.Pattern[str], list[tuple[int, int]]]
) -> tuple[int, int] | None:
    """Return the first range of up to ``rule.within`` characters with an expression of each group."""
    for group in rule.groups:
        if group not in spans:
            spans[group] = [match.span() for match in group.finditer(plain)]
        if not spans[group]:
            return None
    first, *others = (spans[group] for group in rule.groups)
    for start, end in first:
        low, high = start, end
        for other in others:
            near = [span for span in other if _distance(span, (start, end)) <= rule.within]
            if not near:
                break
            nearest = min(near, key=lambda span: _distance(span, (start, end)))
            low, high = min(low, nearest[0]), max(high, nearest[1])
        else:
            return low, high
    return None


def _distance(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(one[0] - other[1], other[0] - one[1], 0)


@cache
def _rules() -> _Rules:
    written = bounded_yaml.load(
        resources.files("engine.llm").joinpath("suspicion.yaml").read_text(encoding="utf-8")
    )
    tokens = tuple(
        (kind, re.compile(pattern, re.IGNORECASE | re.MULTILINE))
        for kind, pattern in written["tokens"].items()
    )
    languages = dict(written["languages"])
    shared = languages.pop("any")
    rules = [
        rule
        for language in languages.values()
        for kind, shape in written["rules"].items()
        if (rule := _rule(kind, shape, shared, language))
    ]
    return _Rules(tokens, tuple(rules))


def _rule(
    kind: str, shape: Mapping[str, object], shared: Mapping[str, str], language: Mapping[str, str]
) -> _Rule | None:
    """Return a rule in one language; None if that language does not define it."""
    names, within = shape["groups"], shape["within"]
    if not isinstance(names, list) or not isinstance(within, int):
        raise TypeError(f"suspicion.yaml: rule {kind} needs groups and within")
    groups = []
    for name in names:
        written = [words[name] for words in (shared, language) if name in words]
        if not written:
            return None
        groups.append(re.compile("|".join(written)))
    return _Rule(kind, tuple(groups), within)
