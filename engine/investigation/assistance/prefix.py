"""What all prompts of a case begin with: the tasks of a case, and what its collection is.

Providers cache the beginning of a prompt where about 1,024 tokens of it or more are the same as before. The
instructions of one task have a quarter of that, so all tasks are told in each prompt, and only a line behind
them says which; the tasks alone reach it, however small a collection is. With them go the areas of its
ontology, its types of transactions, and the terms that it defines and uses most: the same for every question.
What speaks to a machine is left out, and so are definitions that are out of force.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from datetime import date
from weakref import WeakKeyDictionary

from engine.corpus.protocol import Corpus
from engine.investigation.assistance import answer_form, gap_queries, sufficiency
from engine.investigation.assistance.relations import line_of, within
from engine.investigation.defined_terms import defined_terms
from engine.languages import law
from engine.llm import Data, LanguageModel, Prefix
from engine.llm.prefixing import PrefixedModel
from engine.llm.suspicion import addresses_machine
from engine.model import Passage
from engine.retrieval.planning import decomposing, hypothetical
from engine.retrieval.rerank import listwise

FORMS = (
    decomposing.FORM,
    hypothetical.FORM,
    gap_queries.FORM,
    sufficiency.FORM,
    listwise.FORM,
    answer_form.FORM,
    answer_form.AGAIN_FORM,
)
# Tokens of each part at most.
MOST_OF_AREAS, MOST_OF_TRANSACTIONS, MOST_OF_TERMS = 120, 60, 240
# Terms whose definitions are looked at, and passages up to which their uses are counted.
TERMS_READ, MOST_USES = 64, 200
LONGEST_DEFINITION = 200
MOST_LANGUAGES = 4
# A definition is a sentence, or an item of a list.
_END = re.compile(r"[;\n]|(?<=[^\W\d_]{3})\.(?:\s|$)")


def with_prefix(model: LanguageModel, corpus: Corpus) -> PrefixedModel:
    """A model as the cases of a corpus ask it."""
    return PrefixedModel(model, lambda: prefix_of(corpus))


def prefix_of(corpus: Corpus) -> Prefix:
    """What all prompts of the cases of a corpus begin with."""
    parts = (
        Data("collection", "\n".join(_told(corpus))),
        Data("collection areas", "\n".join(within(_areas(corpus), MOST_OF_AREAS))),
        Data("collection transactions", "\n".join(within(_transactions(corpus), MOST_OF_TRANSACTIONS))),
        Data("collection terms", "\n".join(_terms(corpus, date.today()))),
    )
    return Prefix(FORMS, tuple(part for part in parts if part.text))


def _told(corpus: Corpus) -> Iterator[str]:
    """The name of a corpus and its languages, the most frequent first."""
    info = corpus.info()
    yield f"name: {line_of(info.name) if not addresses_machine(info.name) else ''}"
    yield f"languages: {', '.join(list(info.languages)[:MOST_LANGUAGES])}"


def _areas(corpus: Corpus) -> Iterator[str]:
    """The areas of the ontology."""
    for area in corpus.ontology.areas if corpus.ontology else ():
        yield _named(area.names, corpus, area.id)


def _transactions(corpus: Corpus) -> Iterator[str]:
    """The ontology's types of transactions."""
    if (ontology := corpus.ontology) is not None:
        for kind in ontology.transactions:
            wording = ontology.wording.get(kind)
            yield _named(wording.names if wording else {}, corpus, kind)


def _named(names: Mapping[str, str], corpus: Corpus, otherwise: str) -> str:
    """A name in English, as the instructions are, else in the first language that it is given in."""
    languages = ("en", *corpus.info().languages, *names)
    return next((names[language] for language in languages if language in names), otherwise)


_KNOWN: WeakKeyDictionary[Corpus, tuple[date, tuple[str, ...]]] = WeakKeyDictionary()
_READING = threading.Lock()


def _terms(corpus: Corpus, day: date) -> tuple[str, ...]:
    """The definitions that are told of a corpus, looked for once a day as long as it is open."""
    with _READING:
        of_day, terms = _KNOWN.get(corpus, (None, ()))
        if of_day != day:
            terms = tuple(within(_defined(corpus, day), MOST_OF_TERMS))
            _KNOWN[corpus] = (day, terms)
        return terms


def _defined(corpus: Corpus, day: date) -> Iterator[str]:
    """Definitions of the terms that the most passages use, as the text words them."""
    known, old = defined_terms(corpus), corpus.out_of_force(day)
    found: list[tuple[int, str]] = []
    definitions = [known.definitions(term) for term in range(len(known))]
    # A term that many documents define is one that many need.
    numbers = sorted(range(len(known)), key=lambda term: -len(definitions[term]))[:TERMS_READ]
    for term in numbers:
        rows = definitions[term]
        for passage in corpus.passages(rows[~old[rows]][:1]):
            words = _definition(known.names[term], passage)
            if words:
                found.append((_uses(corpus, known.names[term], passage.language), words))
    yield from (words for _, words in sorted(found, key=lambda pair: -pair[0]))


def _uses(corpus: Corpus, name: str, language: str) -> int:
    """How many passages use the words of a name, as far as they are counted."""
    return len(corpus.search_lexical([name], language, MOST_USES)[0].rows)


def _definition(name: str, passage: Passage) -> str:
    """The words of a passage from a term in quotation marks and a verb of defining to the end of its
    definition; empty where it is defined in another way, or at length."""
    wording = law(passage.language).definitions
    if wording is None or not wording.verbs:
        return ""
    # "Has the meaning given in Article 2" says nothing by itself.
    telling = [verb for verb in wording.verbs if "meaning" not in verb]
    verbs = "|".join(re.escape(verb).replace(r"\ ", r"\s+") for verb in telling)
    written = rf"[\"“„«‘']\s?{re.escape(name)}\s?[\"“”»’']\s*,?\s*(?:{verbs})\b"
    found = re.search(written, passage.text, re.IGNORECASE)
    if found is None:
        return ""
    end = _END.search(passage.text, found.end())
    words = " ".join(passage.text[found.start() : end.start() if end else None].split())
    return words if len(words) <= LONGEST_DEFINITION else ""
