"""What is put together from others: German compounds of two nouns, names of terms that are known alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from engine.language.candidates import Key
from engine.language.letter_case import Comparison, Weigh, Word

# The parts of a German compound have at least so many letters.
SHORTEST_PART = 4
# Joints between them, and endings that the first part has alone.
_JOINTS = ("", "s", "es", "n", "en", "er", "e")


def is_composed(key: Key, is_known: Callable[[Key], bool], empty: Collection[str], joints: int) -> bool:
    """Whether stems are known terms and words that join them, which are ``empty``, and one other word at
    most. ``joints``: how many there are beside the stems."""
    terms, others, place = 0, 0, 0
    while place < len(key):
        ends = range(min(len(key), place + len(key) - 1), place, -1)
        end = next((end for end in ends if is_known(key[place:end])), None)
        if end is not None:
            terms, place = terms + 1, end
        elif key[place] in empty or key[place] == "s":
            joints, place = joints + 1, place + 1
        else:
            others, place = others + 1, place + 1
    return terms > 0 and joints > 0 and others < 2


def terms_in(key: Key, numbers: Mapping[Key, int]) -> list[int]:
    """Terms of several words inside a longer one, the longest at each place."""
    found, place = list[int](), 0
    while place < len(key):
        # A first name alone is another's too.
        ends = range(min(len(key), place + len(key) - 1), place + 1, -1)
        end = next((end for end in ends if key[place:end] in numbers), None)
        if end is not None:
            found.append(numbers[key[place:end]])
        place = place + 1 if end is None else end
    return found


def compounds_in(words: Sequence[Word], weigh: Weigh) -> list[bool]:
    """Which of some words are put together from two nouns that the corpus has by themselves, with or without
    a joint: "Anfechtung-s-klage". A noun is what it writes with a capital rather than without."""
    cuts = [
        (number, language, word[:place], word[place:].capitalize())
        for number, (language, word) in enumerate(words)
        for place in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
    ]
    nouns = _nouns(((language, tail) for _, language, _, tail in cuts), weigh)
    cuts = [cut for cut in cuts if (cut[1], cut[3]) in nouns]
    heads = [(number, language, form) for number, language, head, _ in cuts for form in _without_joint(head)]
    nouns = _nouns(((language, form) for _, language, form in heads), weigh)
    found = {number for number, language, form in heads if (language, form) in nouns}
    return [number in found for number in range(len(words))]


def _without_joint(head: str) -> Iterator[str]:
    for joint in _JOINTS:
        if head.endswith(joint) and len(head) - len(joint) >= SHORTEST_PART:
            yield head.removesuffix(joint) if joint else head
    # "Klageschrift", "Klagfrist": the ending of the first part may be lost.
    yield f"{head}e"


def _nouns(words: Iterable[Word], weigh: Weigh) -> set[Word]:
    wanted = list(dict.fromkeys(words))
    found = weigh([Comparison((language, word), ((language, word.lower()),)) for language, word in wanted])
    return {word for word, is_noun in zip(wanted, found, strict=True) if is_noun}
