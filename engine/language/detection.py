"""Detect the language of a short text, and estimate its number of tokens in a language model."""

from __future__ import annotations

import copy
import math
import re
from functools import cache
from typing import Any

from engine.language.analysis import STOPWORDS
from engine.language.characters import LANGUAGE_SCRIPTS, main_script, scripts_of
from engine.languages import all_words, words

# Language detection among the languages of a corpus
#
# Three signs, most reliable first: the script, the function words, and a character model (py3langid, Lui and
# Baldwin 2012, https://aclanthology.org/P12-3005), which is loaded only if the first two are inconclusive.

# Maximum number of characters to examine.
LONGEST_LOOK = 4000
# Minimum lead in function words for a decision without the character model.
CLEAR_LEAD = 2
# Log-likelihoods closer than this are inconclusive ("capital requirements" is English and almost French).
DOUBT = 1.5
# Code of an undetermined language (ISO 639-2).
UNDETERMINED = "und"
# Length of an ISO 639-1 code.
CODE = 2

_WORD = re.compile(r"[^\W\d_]+")
# A text with fewer letters has no detectable language.
_FEWEST_LETTERS, _FEW_LOOKED_AT = 8, 400
# Minimum number of function words, and minimum ratio to the next language, for a decision without the
# character model, which takes a second to load: no article of the GDPR in 22 languages is misdetected.
_LEADS = ((12, 2), (4, 4))
# Minimum lead in log-likelihood for texts shorter than this number of characters.
_SURE, _SHORT = 4.0, 200
_ONE_LANGUAGE = {
    own.scripts[0]: language for language, own in all_words().items() if own.only_one_of_its_script
}
_MODEL_NAMES = {"nb": "no", "nn": "no"}
_CODE = re.compile(r"([A-Za-z]{2,3})((?:[-_][A-Za-z0-9]+)*)\Z")
# ISO 639-2 codes and common errors.
_LONG_CODES = {code: language for language, own in all_words().items() for code in own.long_codes}


def detect(text: str, candidates: tuple[str, ...]) -> str:
    """Detect the language of ``text`` among ``candidates`` (ISO 639-1); the first one if inconclusive.

    "und" if there are no candidates, or only "und". Takes under a millisecond; the first inconclusive call
    takes half a second more to load the model.
    """
    # Undetermined texts are no evidence about others, however many there are.
    candidates = tuple(code for code in candidates if code != UNDETERMINED)
    if not candidates:
        return UNDETERMINED
    look = text[:LONGEST_LOOK]
    script = main_script(look)
    if script is None:
        return candidates[0]
    fitting = tuple(code for code in candidates if script in scripts_of(_base(code)))
    if len(fitting) <= 1:
        return fitting[0] if fitting else candidates[0]
    votes = _function_words(look, fitting)
    best, second = sorted(votes.values(), reverse=True)[:2]
    if best - second >= CLEAR_LEAD:
        return max(votes, key=lambda code: votes[code])
    leaders = tuple(code for code in fitting if votes[code] == best) if best > second else fitting
    return leaders[0] if len(leaders) == 1 else _modelled(look, leaders)


def _base(code: str) -> str:
    return code.split("-")[0].lower()


def _function_words(text: str, candidates: tuple[str, ...]) -> dict[str, int]:
    """Count the distinct function words of each language in a text, without those of all languages."""
    words = set(_WORD.findall(text.casefold()))
    found = {code: words & _telling(_base(code)) for code in candidates}
    shared = frozenset.intersection(*(frozenset(hits) for hits in found.values()))
    return {code: len(hits - shared) for code, hits in found.items()}


@cache
def _telling(language: str) -> frozenset[str]:
    """Return the words that identify a language: its function words, and those of questions."""
    own = all_words().get(language)
    return STOPWORDS.get(language, frozenset()) | frozenset(own.asking if own else ())


def _modelled(text: str, candidates: tuple[str, ...]) -> str:
    identifier = _identifier(tuple(sorted({_base(code) for code in candidates})))
    if identifier is None:
        return candidates[0]
    scores = {str(label): float(score) for label, score in identifier.rank(text)}
    best = max(scores.values())
    near = {label for label, score in scores.items() if best - score < DOUBT}
    return next((code for code in candidates if _base(code) in near), candidates[0])


@cache
def _model() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

    return LanguageIdentifier.from_model_file(MODEL_FILE)


def is_detectable(code: str) -> bool:
    """Return True if a language, by its ISO 639-1 code, can be detected."""
    return code in STOPWORDS or code in LANGUAGE_SCRIPTS or (len(code) == CODE and code in _model().labels)


@cache
def _identifier(languages: tuple[str, ...]) -> Any:
    """Return the character model for some languages; None if it supports fewer than two of them."""
    known = [code for code in languages if code in _model().labels]
    if len(known) < 2:
        return None
    restricted = copy.copy(_model())
    restricted.set_languages(known)
    return restricted


def language_of_text(text: str) -> str:
    """Detect the language of a whole text from samples at its beginning, middle and end, as ISO 639-1 code.

    Supports all languages of the scripts, the function words and the character model; "und" if the text has
    too few letters.
    """
    look = _samples(text)
    if sum(map(str.isalpha, look[:_FEW_LOOKED_AT])) < _FEWEST_LETTERS:
        return "und"
    script = main_script(look)
    if script is None:
        return "und"
    if script in _ONE_LANGUAGE:
        return _ONE_LANGUAGE[script]
    # In longer texts the function words of the right language lead by far; a language without a list shares a
    # few with several others.
    known = tuple(code for code in STOPWORDS if script in scripts_of(code))
    votes: dict[str, int] = {}
    if len(known) > 1:
        votes = _function_words(look, known)
        most, second = sorted(votes.values(), reverse=True)[:2]
        if any(most >= many and most >= far * max(second, 1) for many, far in _LEADS):
            return max(votes, key=lambda code: votes[code])
    ranked = [(str(label), float(score)) for label, score in _model().rank(look)]
    fitting = [(code, score) for code, score in ranked if script in scripts_of(code)]
    if not fitting:
        return "und"
    (first, best), *others = fitting
    sure = not others or best - others[0][1] >= _SURE
    if not sure and len(look) < _SHORT and known:
        # One or two lines: prefer a common language.
        return detect(look, known)
    if others and {first, others[0][0]} <= votes.keys():
        # For its first two (Malay and Indonesian) function words are more reliable than letters.
        return min((first, others[0][0]), key=lambda code: (-votes[code], _priority(code)))
    return _MODEL_NAMES.get(first, first)


def _priority(code: str) -> int:
    own = all_words().get(code)
    return own.priority if own is not None else 100


def language_code(stated: str) -> str | None:
    """Parse a language as stated by a source ("fr-FR", "fra", "DE") into an ISO 639-1 code with the rest;
    None for an invalid code."""
    match = _CODE.match(stated.strip())
    if match is None:
        return None
    base = _LONG_CODES.get(match[1].lower(), match[1].lower())
    return None if len(base) > CODE else base + match[2]


def _samples(text: str) -> str:
    """Return the beginning, the middle and the end of a text."""
    if len(text) <= LONGEST_LOOK:
        return text
    part = LONGEST_LOOK // 3
    middle = len(text) // 2
    return "\n".join((text[:part], text[middle : middle + part], text[-part:]))


def detect_question(text: str, candidates: tuple[str, ...]) -> str:
    """Detect the language of a question to texts in some languages: one of ``candidates``, or another if
    certain.

    Another language is accepted if the script is none of the candidates', or if its function words lead and
    the character model for all languages agrees: a question has few words.
    """
    among = detect(text, candidates)
    look = text[:LONGEST_LOOK]
    script = main_script(look)
    if script is None or not candidates:
        return among
    bases = {_base(code) for code in candidates}
    fits = any(script in scripts_of(base) for base in bases)
    others = tuple(code for code in STOPWORDS if code not in bases and script in scripts_of(code))
    if not fits:
        return detect(look, others) if others else _of_script(script)
    if not others:
        return among
    votes = _function_words(look, (*others, among))
    best = max(others, key=lambda code: votes[code])
    return best if votes[best] > votes[among] and _surely(look, best) else among


def _of_script(script: str) -> str:
    """Return the one language written in a script; "und" if there are several."""
    known = [code for code, scripts in LANGUAGE_SCRIPTS.items() if script in scripts]
    return known[0] if len(known) == 1 else "und"


def _surely(text: str, language: str) -> bool:
    """Return True if the character model clearly prefers this language to all others."""
    ranked = [(str(label), float(score)) for label, score in _model().rank(text)]
    (first, best), (_, second) = ranked[:2]
    return first == language and best - second >= DOUBT


# Estimates of tokens, from the length and the language of a text
#
# Models have different tokenisers, most of them unavailable offline. Characters per token were measured with
# ``o200k_base`` on law texts and on the GDPR in 24 languages, and rounded down, so that estimates are rarely
# too small. Older tokenisers give up to twice as many tokens for languages other than English.


def characters_per_token(language: str) -> float:
    """Return the characters per token of a language."""
    return words(language).characters_per_token


def token_estimate(characters: int, language: str) -> int:
    """Estimate the tokens of a text with this number of characters, rounded up."""
    return math.ceil(characters / characters_per_token(language))
