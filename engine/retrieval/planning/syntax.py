"""The query syntax: fields, quoted phrases, excluded words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain

import numpy as np

from engine.corpus.protocol import Corpus, Mask, Rows
from engine.errors import InputError
from engine.language.analysis import analyzer
from engine.model import Constraints, DepthKind, Passage

# Passages with a phrase
#
# A passage has a phrase if its terms follow each other in the text or in the headings above it. Words are
# compared by their stems, without function words. A phrase of one word may also be in the document's short
# name.

# Languages of a corpus whose stems are tried, the most frequent first.
MOST_LANGUAGES = 6

_WORD = re.compile(r"[^\W_]+")


def phrase_mask(corpus: Corpus, phrase: str, language: str) -> Mask | None:
    """Mask the passages with a phrase, shape (passages,); None for a phrase of function words alone.

    ``language`` of the question; passages in other languages of the corpus are compared by their own stems.
    """
    if not analyzer(language).terms(phrase):
        return None
    found: Mask | None = None
    seen = set()
    for code in (language, *list(corpus.info().languages)[:MOST_LANGUAGES]):
        words = [word for word in _WORD.findall(phrase) if analyzer(code).terms(word)]
        terms = tuple(chain.from_iterable(analyzer(code).batch(words)))
        if words and terms not in seen:
            seen.add(terms)
            mask = _language_mask(corpus, phrase, words, code)
            found = mask if found is None else found | mask
    return found


def _language_mask(corpus: Corpus, phrase: str, words: list[str], language: str) -> Mask:
    """Mask the passages with the words of a phrase in their order, stemmed in one language."""
    found = np.ones(len(corpus), np.bool_)
    for hits in corpus.search_lexical(words, language, max(len(corpus), 1)):
        has = np.zeros(len(corpus), np.bool_)
        has[hits.rows] = True
        found &= has
    if len(words) > 1 or len(analyzer(language).terms(words[0])) > 1:
        rows = np.flatnonzero(found).astype(np.int32)
        found[rows] = _in_order(corpus, rows, phrase)
    return found


def _in_order(corpus: Corpus, rows: Rows, phrase: str) -> Mask:
    """Return which rows have the terms of a phrase one after another, shape (rows,)."""
    words = r"\W+".join(map(re.escape, _WORD.findall(phrase)))
    literal = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    runs: dict[str, str] = {}

    def holds(passage: Passage) -> bool:
        text = "\n".join((passage.text, passage.label, *passage.headings))
        if literal.search(text):
            return True
        run = runs.setdefault(passage.language, _run(phrase, passage.language))
        return bool(run) and f" {run} " in f" {_run(text, passage.language)} "

    return np.fromiter((holds(passage) for passage in corpus.passages(rows)), np.bool_, len(rows))


def _run(text: str, language: str) -> str:
    """Return the terms of a text's words in order, without the whole numbers that the index adds."""
    terms_of_word = analyzer(language).terms_of_word
    return " ".join(chain.from_iterable(terms_of_word(word) for word in _WORD.findall(text)))


# Query syntax: plus, quotes, minus, NOT, and ``field:value``
#
#     "client money"  +fees     must have this phrase, this word
#     -fees  -"home state"      must not have it; also NOT fees
#     type:regulation           only documents of this type
#     doc:"Conduct of Business" only this document, by id, title or short name
#     lang:de                   only documents in this language
#     year:2015..2020           only documents of these years; 2015, 2015.. and ..2020 too
#     as_of:2020-03-01          only what was in force on this day
#     depth:deep                depth of the case: look-up, usual or deep
#     transaction:sale          type of transaction, or none
#
# Only these are hard filters; prose gives suggestions (``prose.py``). Quotes without a plus in a sentence
# that ends with a question mark are prose too: they have titles and terms that half of the evidence does not
# repeat. On the gold questions with quotes, requiring the phrase would lose 18% of the evidence of
# obliqa_adgm, 53% of obliqa_mp and 43% of hotpotqa_dev200.

_QUOTED = r'(?:"[^"\n]+"|“[^”“"\n]+[”"]|„[^“”"\n]+[“”"]|«[^»\n]+»|「[^」\n]+」)'
_MARKS = '"“”„«»「」'
_FIELDS = {
    "type": "types",
    "doc": "documents",
    "document": "documents",
    "lang": "languages",
    "language": "languages",
    "year": "year",
    "as_of": "as_of",
    "asof": "as_of",
    "depth": "depth",
    "transaction": "transaction",
}
_SIGN = re.compile(
    rf"(?<!\S)(?P<field>{'|'.join(_FIELDS)}):(?P<value>{_QUOTED}|[^\s{_MARKS}]+)"
    rf"|(?<!\S)\+(?P<plus>{_QUOTED}|[^\W_][\w-]*)"
    rf"|(?<!\S)[-−](?P<minus>{_QUOTED}|[^\W\d_][\w-]*)"
    rf"|(?<!\S)(?:AND\s+)?NOT\s+(?P<negated>{_QUOTED}|\w[\w-]*)"
    rf"|(?P<quoted>{_QUOTED})",
)
# After one of these, "NOT" in capitals is a stressed word and no sign.
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|be|do|does|did|may|must|shall|can|could|should|would|will|has|have|had|need|or|if|and|but)\s+\Z",
    re.IGNORECASE,
)
_YEARS = re.compile(r"(?P<first>\d{4})?(?P<dots>\.\.|[-–])?(?P<last>\d{4})?\Z")
_LOOSE = " .,;:!?؟。，、()"


@dataclass(frozen=True, slots=True)
class Signs:
    """A question without its signs, and the constraints that they state.

    ``text`` keeps quoted words; ``quoted`` are phrases in quotes that are not required.
    """

    text: str
    constraints: Constraints
    quoted: tuple[str, ...] = ()


def read_signs(question: str) -> Signs:
    """Separate the signs from a question. Raises InputError for an invalid year or day."""
    found = Constraints()
    shouted = question.isupper()
    is_sentence = question.rstrip(_MARKS + " .)").endswith(("?", "؟", "？"))
    quoted: tuple[str, ...] = ()
    text, end = [], 0
    for match in _SIGN.finditer(question):
        if match["negated"] and (shouted or _AUXILIARY.search(question, 0, match.start())):
            continue
        text.append(question[end : match.start()])
        end = match.end()
        if match["field"]:
            found = _with_field(found, match["field"], match["value"].strip(_MARKS))
        elif match["quoted"] and is_sentence:
            text.append(match["quoted"])
            quoted = _added(quoted, _bare(match["quoted"]))
        elif match["quoted"] or match["plus"]:
            phrase = _bare(match["quoted"] or match["plus"])
            text.append(phrase)
            found = replace(found, must_include=_added(found.must_include, phrase))
        else:
            phrase = _bare(match["minus"] or match["negated"])
            found = replace(found, must_exclude=_added(found.must_exclude, phrase))
    text.append(question[end:])
    return Signs(" ".join("".join(text).split()), found, quoted)


def _bare(words: str) -> str:
    return words.strip(_MARKS).strip(_LOOSE)


def _added(known: tuple[str, ...], phrase: str) -> tuple[str, ...]:
    return known if not phrase or phrase in known else (*known, phrase)


def _with_field(found: Constraints, name: str, value: str) -> Constraints:
    kind = _FIELDS[name]
    # The dots of "2015.." have a meaning; a full stop after a name has none.
    value = value.strip(" ,;:!?؟。，、()" if kind == "year" else _LOOSE)
    if not value:
        return found
    if kind == "as_of":
        try:
            return replace(found, as_of=date.fromisoformat(value))
        except ValueError:
            raise InputError(f"{name}:{value}: not a day; write it as 2020-03-01") from None
    if kind == "year":
        first, last = _years(name, value)
        return replace(found, year_from=first, year_to=last)
    if kind == "depth":
        kinds = [one.value for one in DepthKind]
        if value.casefold() not in kinds:
            raise InputError(f"{name}:{value}: no depth; write {', '.join(kinds)}")
        return replace(found, depth=DepthKind(value.casefold()))
    if kind == "transaction":
        return replace(found, transaction=value)
    if kind == "types":
        return replace(found, types=_added(found.types, value))
    if kind == "languages":
        return replace(found, languages=_added(found.languages, value))
    return replace(found, documents=_added(found.documents, value))


def _years(name: str, value: str) -> tuple[int | None, int | None]:
    match = _YEARS.match(value)
    first, last = (match["first"], match["last"]) if match else (None, None)
    if match is None or (first is None and last is None) or (first and last and not match["dots"]):
        raise InputError(f"{name}:{value}: not a year; write 2015, 2015..2020, 2015.. or ..2020")
    if not match["dots"]:
        last = first
    if first and last and int(first) > int(last):
        raise InputError(f"{name}:{value}: {first} is after {last}")
    return int(first) if first else None, int(last) if last else None
