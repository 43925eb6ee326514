"""The key by which a word is compared: its stem, mended where a stemmer leaves forms of one word apart or
puts two parties under one stem.

A stemmer cuts "expropriant" and "exproprié", "Mieter" and "Miete", "employer" and "employed" to one stem:
who does it and to whom it is done. And it leaves "bestraft" and "bestrafen", "held" and "hold" apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from engine.language.analyzer import analyzer
from engine.language.statements.lexicon import Lexicon, lexicon

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
