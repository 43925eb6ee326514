"""Quotes drawn from real passages: true ones, set differently than their source, and mutated ones.

Everything is drawn from a seed. What a mutation makes is checked against the text by a plainer rule than the
one under test (blanks collapsed, then ``in``): one that happens to be another true quote is drawn again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random

from engine.model import Span

FEWEST, MOST = 5, 30
# Words between blanks, without marks of direction at their ends, which no quote includes.
_WORD = re.compile(r"[^\s\u200e\u200f](?:\S*[^\s\u200e\u200f])?")
_LETTER = re.compile(r"[^\W_]")
_LATIN_LIGATURES = {"ffi": "ﬃ", "ffl": "ﬄ", "ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ"}
_ARABIC_FORMS = {
    unicodedata.normalize("NFKC", chr(code)): chr(code)
    for code in range(0xFE80, 0xFEFD)
    if len(unicodedata.normalize("NFKC", chr(code))) <= 2
}


@dataclass(frozen=True)
class Quoted:
    """Words as a passage has them. ``span`` is where they first stand in it."""

    words: str
    text: str
    span: Span


@dataclass(frozen=True)
class Mutated:
    """What is no quote of ``text``, and what was done to make it so."""

    words: str
    text: str
    kind: str


def true_quotes(texts: Sequence[str], number: int, seed: int) -> Iterator[Quoted]:
    """Runs of 5 to 30 words of passages that have as many."""
    random, enough = Random(seed), long_enough(texts)
    for _ in range(number):
        yield _drawn(random, random.choice(enough))


def long_enough(texts: Sequence[str]) -> list[str]:
    """The texts of as many words as a quote has at least."""
    return [text for text in texts if len(list(islice(_WORD.finditer(text), FEWEST))) == FEWEST]


def _drawn(random: Random, text: str) -> Quoted:
    words = list(_WORD.finditer(text))
    length = random.randint(FEWEST, min(MOST, len(words)))
    first = random.randint(0, len(words) - length)
    start, end = words[first].start(), words[first + length - 1].end()
    quote = text[start:end]
    if _plain(text).count(_plain(quote)) == 1:
        return Quoted(quote, text, Span(start, end))
    # The same words may stand further up: the first place counts.
    pattern = r"\s+".join(map(re.escape, quote.split()))
    place = re.search(rf"(?<![^\s\u200e\u200f]){pattern}(?![^\s\u200e\u200f])", text)
    assert place is not None
    return Quoted(place[0], text, Span(*place.span()))


def disguised(quote: str, random: Random) -> str:
    """A quote with every sign that can be set in two ways set in one of them."""
    changed = re.sub(r"\s+", lambda _: random.choice((" ", "\u00a0", "\n", "  ", " \r\n\t", "\u2009")), quote)
    for letters, ligature in _LATIN_LIGATURES.items():
        changed = changed.replace(letters, random.choice((letters, ligature)))
    changed = "".join(random.choice((sign, _ARABIC_FORMS.get(sign, sign))) for sign in changed)
    changed = re.sub(r"['‘’]", lambda _: random.choice("'‘’"), changed)
    changed = re.sub('["“”„«»]', lambda _: random.choice('"“”„«»'), changed)
    changed = re.sub("[-‐‑–—]", lambda _: random.choice("-‐‑–—"), changed)
    if random.random() < 0.5:
        changed = unicodedata.normalize("NFD", changed)
    for _ in range(random.randint(0, 3)):
        place = random.randrange(len(changed) + 1)
        changed = changed[:place] + random.choice("\u00ad\u200b\u2060\u200d\ufeff\u200f") + changed[place:]
    return random.choice(("", " ", "\n")) + changed + random.choice(("", " "))


def broken_quotes(texts: Sequence[str], number: int, seed: int) -> Iterator[Mutated]:
    """True quotes without their first or last letter, where that cuts a word and makes no other whole one."""
    random = Random(seed)
    made, enough = 0, long_enough(texts)
    while made < number:
        quoted = _drawn(random, random.choice(enough))
        words = quoted.words[1:] if random.random() < 0.5 else quoted.words[:-1]
        cut = quoted.words[0] + words[0] if words[0] == quoted.words[1] else words[-1] + quoted.words[-1]
        if cut.isalpha() and not re.search(rf"(?<!\w){re.escape(words)}(?!\w)", quoted.text):
            made += 1
            yield Mutated(words, quoted.text, "inside a word")


def mutated_quotes(texts: Sequence[str], number: int, seed: int) -> Iterator[Mutated]:
    """Mutations of each kind by turns, of those that the texts' script has; none is a quote of its text."""
    random, enough = Random(seed), long_enough(texts)
    possible = [kind for kind in MUTATIONS if _mutated(random, enough, kind)]
    for _, kind in zip(range(number), cycle(possible), strict=False):
        # Arabic law has a Latin letter, which has a case, once in a long while.
        mutated = _mutated(random, enough, kind) or _mutated(random, enough, "character changed")
        assert mutated is not None
        yield mutated


def _mutated(random: Random, texts: Sequence[str], kind: str) -> Mutated | None:
    for _ in range(300):
        text = random.choice(texts)
        words = MUTATIONS[kind](random, _drawn(random, text).words, texts)
        if words is not None and _plain(words) not in _plain(text):
            return Mutated(words, text, kind)
    return None


def _plain(text: str) -> str:
    return " ".join(text.split())


def _place(random: Random, quote: str, pattern: re.Pattern[str] = _LETTER) -> int | None:
    places = [match.start() for match in pattern.finditer(quote)]
    return random.choice(places) if places else None


def _changed(random: Random, quote: str, _: Sequence[str]) -> str | None:
    place = _place(random, quote)
    assert place is not None
    alphabet = sorted(letter for letter in set(quote) if letter.isalnum() and letter != quote[place])
    return quote[:place] + random.choice(alphabet) + quote[place + 1 :] if alphabet else None


def _changed_digit(random: Random, quote: str, _: Sequence[str]) -> str | None:
    place = _place(random, quote, re.compile(r"\d"))
    if place is None:
        return None
    others = [digit for digit in "0123456789" if digit != quote[place]]
    return quote[:place] + random.choice(others) + quote[place + 1 :]


def _changed_case(random: Random, quote: str, _: Sequence[str]) -> str | None:
    places = [place for place, sign in enumerate(quote) if sign.swapcase() != sign]
    if not places:
        return None
    place = random.choice(places)
    return quote[:place] + quote[place].swapcase() + quote[place + 1 :]


def _dropped(random: Random, quote: str, _: Sequence[str]) -> str | None:
    place = _place(random, quote)
    assert place is not None
    return quote[:place] + quote[place + 1 :]


def _added(random: Random, quote: str, _: Sequence[str]) -> str | None:
    place = _place(random, quote)
    assert place is not None
    letters = [sign for sign in quote if sign.isalnum()]
    return quote[:place] + random.choice(letters) + quote[place:]


def _swapped(random: Random, quote: str, _: Sequence[str]) -> str | None:
    words = quote.split()
    one, other = random.sample(range(len(words)), 2)
    words[one], words[other] = words[other], words[one]
    return " ".join(words)


def _cut_out(random: Random, quote: str, _: Sequence[str]) -> str | None:
    words = quote.split()
    first = random.randrange(1, len(words) - 1)
    last = random.randrange(first + 1, len(words))
    return " ".join((*words[:first], random.choice(("…", "...", "[...]", "(...)")), *words[last:]))


def _left_out(random: Random, quote: str, _: Sequence[str]) -> str | None:
    words = quote.split()
    del words[random.randrange(1, len(words) - 1)]
    return " ".join(words)


def _of_another(random: Random, _: str, texts: Sequence[str]) -> str | None:
    return _drawn(random, random.choice(texts)).words


MUTATIONS: dict[str, Callable[[Random, str, Sequence[str]], str | None]] = {
    "character changed": _changed,
    "digit changed": _changed_digit,
    "case changed": _changed_case,
    "character dropped": _dropped,
    "character added": _added,
    "words swapped": _swapped,
    "ellipsis": _cut_out,
    "word left out": _left_out,
    "another passage's": _of_another,
}
