"""The language of a short text, and the number of tokens that a language model reads in it."""

from __future__ import annotations

import copy
import math
import re
from functools import cache
from typing import Any

from engine.language.analysis import STOPWORDS
from engine.language.characters import LANGUAGE_SCRIPTS, main_script, scripts_of
from engine.languages import all_words, words

# The language of a short text, among the languages that a corpus holds.
#
# Three witnesses, the surest first: the script, the function words, and a character model (py3langid, Lui and
# Baldwin 2012, https://aclanthology.org/P12-3005), which is loaded only when the first two leave a doubt.

# More of a text says nothing new about its language.
LONGEST_LOOK = 4000
# Function words by which one language must lead to be believed without the character model.
CLEAR_LEAD = 2
# Log-likelihoods closer than this say nothing ("capital requirements" is English and all but French).
DOUBT = 1.5
# The language of what nobody determined (ISO 639-2).
UNDETERMINED = "und"
# Letters of a code of ISO 639-1.
CODE = 2

_WORD = re.compile(r"[^\W\d_]+")
# A text of fewer letters is in no language.
_FEWEST_LETTERS, _FEW_LOOKED_AT = 8, 400
# So many function words, and so many times as many as the next language has, need no character model, whose
# loading takes a second: no article of the GDPR in 22 languages is misread so.
_LEADS = ((12, 2), (4, 4))
# Log-likelihood by which the model must be sure of a text of fewer characters than this.
_SURE, _SHORT = 4.0, 200
_ONE_LANGUAGE = {
    own.scripts[0]: language for language, own in all_words().items() if own.only_one_of_its_script
}
_MODEL_NAMES = {"nb": "no", "nn": "no"}
_CODE = re.compile(r"([A-Za-z]{2,3})((?:[-_][A-Za-z0-9]+)*)\Z")
# ISO 639-2 and common slips.
_LONG_CODES = {code: language for language, own in all_words().items() for code in own.long_codes}


def detect(text: str, candidates: tuple[str, ...]) -> str:
    """The language of ``text``: one of ``candidates`` (ISO 639-1), the first where nothing tells.

    "und" where there are no candidates at all, or nothing else among them. Takes under a millisecond, the
    first call in doubt half a second more to load the model.
    """
    # What nobody determined says nothing of other texts, however much of it there is.
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
    """How many different function words of each language a text holds, those of all of them aside."""
    words = set(_WORD.findall(text.casefold()))
    found = {code: words & _telling(_base(code)) for code in candidates}
    shared = frozenset.intersection(*(frozenset(hits) for hits in found.values()))
    return {code: len(hits - shared) for code, hits in found.items()}


@cache
def _telling(language: str) -> frozenset[str]:
    """The words that tell a language: its function words, and those by which people ask."""
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


def known_language(code: str) -> bool:
    """Whether texts in a language, by its ISO 639-1 code, can be told from those in others."""
    return code in STOPWORDS or code in LANGUAGE_SCRIPTS or (len(code) == CODE and code in _model().labels)


@cache
def _identifier(languages: tuple[str, ...]) -> Any:
    """The character model for some languages only; None where it knows fewer than two of them."""
    known = [code for code in languages if code in _model().labels]
    if len(known) < 2:
        return None
    restricted = copy.copy(_model())
    restricted.set_languages(known)
    return restricted


def language_of_text(text: str) -> str:
    """The language of a whole text by parts of it from its beginning, middle and end, as ISO 639-1 code.

    Any language that the script, the function words or the character model know; "und" where the text has
    too few letters to tell.
    """
    look = _samples(text)
    if sum(map(str.isalpha, look[:_FEW_LOOKED_AT])) < _FEWEST_LETTERS:
        return "und"
    script = main_script(look)
    if script is None:
        return "und"
    if script in _ONE_LANGUAGE:
        return _ONE_LANGUAGE[script]
    # Function words of the known languages lead by far in a text of some length; a language without a list
    # of them shares a few with several.
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
        # A line or two: rather one of the languages that most texts are in.
        return detect(look, known)
    if others and {first, others[0][0]} <= votes.keys():
        # Of its first two (Malay and Indonesian) the function words know better than the letters.
        return min((first, others[0][0]), key=lambda code: (-votes[code], _priority(code)))
    return _MODEL_NAMES.get(first, first)


def _priority(code: str) -> int:
    own = all_words().get(code)
    return own.priority if own is not None else 100


def language_code(stated: str) -> str | None:
    """A language as sources state it ("fr-FR", "fra", "DE") as ISO 639-1 code with what stands behind it;
    None for what is no code."""
    match = _CODE.match(stated.strip())
    if match is None:
        return None
    base = _LONG_CODES.get(match[1].lower(), match[1].lower())
    return None if len(base) > CODE else base + match[2]


def _samples(text: str) -> str:
    """The beginning, the middle and the end of a text as one."""
    if len(text) <= LONGEST_LOOK:
        return text
    part = LONGEST_LOOK // 3
    middle = len(text) // 2
    return "\n".join((text[:part], text[middle : middle + part], text[-part:]))


def detect_question(text: str, candidates: tuple[str, ...]) -> str:
    """The language of a question put to texts in some languages: one of ``candidates``, or another one
    that it is clearly in.

    Another one is believed where the script is none of the candidates', or where its function words lead
    and the character model, asked about all languages, agrees: a few words of a question tell little.
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
    """The one language that is known to be written in a script; "und" where there are several."""
    known = [code for code, scripts in LANGUAGE_SCRIPTS.items() if script in scripts]
    return known[0] if len(known) == 1 else "und"


def _surely(text: str, language: str) -> bool:
    """Whether the character model takes a text for this language, clearly before all others."""
    ranked = [(str(label), float(score)) for label, score in _model().rank(text)]
    (first, best), (_, second) = ranked[:2]
    return first == language and best - second >= DOUBT


# How many tokens of a language model a text is, estimated by its length and its language.
#
# No tokeniser is asked: each model has its own, and most of them are not at hand offline. Characters a token
# were measured with ``o200k_base`` on law texts and on the GDPR in 24 languages, and rounded down, so that an
# estimate is seldom too small. Older tokenisers cut what is not English up to twice as small.


def characters_per_token(language: str) -> float:
    """Characters of a text that one token of a language model stands for."""
    return words(language).characters_per_token


def token_estimate(characters: int, language: str) -> int:
    """Tokens of a text of so many characters, rounded up."""
    return math.ceil(characters / characters_per_token(language))
