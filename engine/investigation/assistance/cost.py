"""The shared prefix of a case's prompts, relations of named things in words, and the cost of tasks."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from engine.corpus.protocol import Corpus
from engine.investigation.assistance import assistance
from engine.investigation.assistance.assistance import LONGEST_NAME, MOST_AREAS
from engine.investigation.definitions import defined_terms
from engine.investigation.graph import anchors_in, subgraph, to_words
from engine.investigation.opening import limit_to_depth
from engine.investigation.ranking.reranking import DEPTH as RERANKED
from engine.languages import law
from engine.llm import Budget, Data, LanguageModel, Prefix, Prompt, Usage
from engine.llm.base import Form
from engine.llm.cost import PrefixedModel
from engine.llm.prompt import addresses_machine, most_tokens
from engine.model import Passage
from engine.retrieval.planning import assisted, hypothetical, make_plan
from engine.retrieval.rerank import base
from engine.retrieval.rerank.base import LISTWISE
from engine.settings import GAP_QUERIES, HYPOTHETICAL, SUB_QUESTIONS, SUFFICIENCY, InvestigationSettings

if TYPE_CHECKING:
    from engine.investigation.case import Case


# Relations: how the things that a question names relate to each other and to provisions, in words. They come
# before the passages in a prompt and are no source to quote from.

LONGEST_LINE = 200
# Most tokens, and as a share of the free tokens.
MOST_TOKENS, SHARE = 240, 0.1


def relations(corpus: Corpus, question: str, language: str, room: int) -> tuple[str, ...]:
    """Return sentences on the twenty nodes nearest to what a question names, up to two hops, best first.

    As many as fit a tenth of ``room`` tokens; none if the question names nothing.
    """
    anchors = anchors_in(corpus, question, language)
    if not anchors:
        return ()
    found = to_words(corpus, subgraph(corpus, anchors))
    return tuple(within(found, min(MOST_TOKENS, int(SHARE * room))))


def within(lines: Iterable[str], limit: int) -> Iterator[str]:
    """Yield distinct lines up to ``limit`` tokens, without lines that address a machine."""
    left = limit
    for line in dict.fromkeys(map(line_of, lines)):
        if addresses_machine(line):
            continue
        left -= most_tokens(line) + 1
        if left < 0:
            return
        yield line


def line_of(words: str) -> str:
    """Join words into one line of limited length."""
    return " ".join(words.split())[:LONGEST_LINE]


# The prompt and form of written answers: here and not in ``engine.answers``, because the shared prefix of all
# prompts has the instructions of all tasks.

TASK, AGAIN_TASK = "answer", "answer again"

INSTRUCTIONS = """\
Answer the question in "question" from the passages, and from nothing else. Write in the language of the
question, in plain sentences of at most 40 words, most important first, at most ten. No markup, no
headings, no bracketed numbers, no addresses.
Every sentence needs at least one quote: the key of a passage that is listed ("passage 3" has key 3) and words
of that passage, copied exactly and without a gap, at least four words and as few as carry the sentence. Never
quote the line that begins with "source:". Numbers, dates, amounts and negations of a sentence must be in
its quotes.
The part "relations" is no passage: never quote it, nor write what only it states.
State which source overrides another, and if sources disagree. If the source line of a passage states that it
is not in force, state that too.
If the passages do not answer the question, set missing to true and give no sentences.
"""
AGAIN = """\
Some sentences of an answer did not hold. Write each of the failed sentences again so that it holds, or leave
it out: same rules as before. Give only these sentences.
"""


class CitedQuote(BaseModel):
    """Words of a passage, by its key."""

    model_config = ConfigDict(extra="forbid")

    key: int
    quote: str = Field(max_length=4000)


class WrittenSentence(BaseModel):
    """One sentence with the quotes that support it."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=4000)
    quotes: list[CitedQuote]


class WrittenAnswer(BaseModel):
    """An answer as the model fills it in."""

    model_config = ConfigDict(extra="forbid")

    missing: bool
    sentences: list[WrittenSentence]


FORM = Form(TASK, INSTRUCTIONS, WrittenAnswer)
AGAIN_FORM = Form(AGAIN_TASK, f'As for the task "{TASK}", with one part more:\n{AGAIN}', WrittenAnswer)


# The shared prefix of all prompts of a case: the instructions of all tasks, and a description of the
# collection
#
# Providers cache the beginning of a prompt if at least about 1,024 tokens of it are the same as before. The
# instructions of one task have a quarter of that. So each prompt has those of all tasks, and a line after
# them names its task. The description has the areas of the ontology, the types of transactions, and the
# defined terms that are used most: the same for every question. Lines that address a machine and definitions
# out of force are left out.

FORMS = (
    assisted.FORM,
    hypothetical.FORM,
    assistance.GAP_FORM,
    assistance.SUFFICIENCY_FORM,
    base.FORM,
    FORM,
    AGAIN_FORM,
)
# Most tokens of each part.
MOST_OF_AREAS, MOST_OF_TRANSACTIONS, MOST_OF_TERMS = 120, 60, 240
# Terms whose definitions are read, and the number up to which passages that use a term are counted.
TERMS_READ, MOST_USES = 64, 200
LONGEST_DEFINITION = 200
MOST_LANGUAGES = 4
# A definition is a sentence, or an item of a list.
_END = re.compile(r"[;\n]|(?<=[^\W\d_]{3})\.(?:\s|$)")


def with_prefix(model: LanguageModel, corpus: Corpus) -> PrefixedModel:
    """Wrap a model to send the prefix of a corpus with each prompt."""
    return PrefixedModel(model, lambda: prefix_of(corpus))


def prefix_of(corpus: Corpus) -> Prefix:
    """Make the prefix of all prompts of a corpus's cases."""
    parts = (
        Data("collection", "\n".join(_collection(corpus))),
        Data("collection areas", "\n".join(within(_areas(corpus), MOST_OF_AREAS))),
        Data("collection transactions", "\n".join(within(_transactions(corpus), MOST_OF_TRANSACTIONS))),
        Data("collection terms", "\n".join(_terms(corpus, date.today()))),
    )
    return Prefix(FORMS, tuple(part for part in parts if part.text))


def _collection(corpus: Corpus) -> Iterator[str]:
    """Yield the name of a corpus and its languages, the most frequent first."""
    info = corpus.info()
    yield f"name: {line_of(info.name) if not addresses_machine(info.name) else ''}"
    yield f"languages: {', '.join(list(info.languages)[:MOST_LANGUAGES])}"


def _areas(corpus: Corpus) -> Iterator[str]:
    """Yield the areas of the ontology."""
    for area in corpus.ontology.areas if corpus.ontology else ():
        yield _named(area.names, corpus, area.id)


def _transactions(corpus: Corpus) -> Iterator[str]:
    """Yield the ontology's types of transactions."""
    if (ontology := corpus.ontology) is not None:
        for kind in ontology.transactions:
            wording = ontology.wording.get(kind)
            yield _named(wording.names if wording else {}, corpus, kind)


def _named(names: Mapping[str, str], corpus: Corpus, otherwise: str) -> str:
    """Return a name in English, the language of the instructions, or else in the first language it has."""
    languages = ("en", *corpus.info().languages, *names)
    return next((names[language] for language in languages if language in names), otherwise)


_BY_CORPUS: WeakKeyDictionary[Corpus, tuple[date, tuple[str, ...]]] = WeakKeyDictionary()
_LOCK = threading.Lock()


def _terms(corpus: Corpus, day: date) -> tuple[str, ...]:
    """Return the definitions for the prefix of a corpus, found once a day while it is open."""
    with _LOCK:
        of_day, terms = _BY_CORPUS.get(corpus, (None, ()))
        if of_day != day:
            terms = tuple(within(_defined(corpus, day), MOST_OF_TERMS))
            _BY_CORPUS[corpus] = (day, terms)
        return terms


def _defined(corpus: Corpus, day: date) -> Iterator[str]:
    """Yield definitions of the most used terms, verbatim."""
    known, old = defined_terms(corpus), corpus.out_of_force(day)
    found: list[tuple[int, str]] = []
    definitions = [known.definitions(term) for term in range(len(known))]
    # Terms that many documents define are the most needed.
    numbers = sorted(range(len(known)), key=lambda term: -len(definitions[term]))[:TERMS_READ]
    for term in numbers:
        rows = definitions[term]
        for passage in corpus.passages(rows[~old[rows]][:1]):
            words = _definition(known.names[term], passage)
            if words:
                found.append((_uses(corpus, known.names[term], passage.language), words))
    yield from (words for _, words in sorted(found, key=lambda pair: -pair[0]))


def _uses(corpus: Corpus, name: str, language: str) -> int:
    """Count the passages that use the words of a name, up to MOST_USES."""
    return len(corpus.search_lexical([name], language, MOST_USES)[0].rows)


def _definition(name: str, passage: Passage) -> str:
    """Quote a definition from a term in quotation marks and a verb of defining to its end.

    Empty if the passage defines the term in another way, or at length.
    """
    wording = law(passage.language).definitions
    if wording is None or not wording.verbs:
        return ""
    # "Has the meaning given in Article 2" is no use without Article 2.
    defining = [verb for verb in wording.verbs if "meaning" not in verb]
    verbs = "|".join(re.escape(verb).replace(r"\ ", r"\s+") for verb in defining)
    written = rf"[\"“„«‘']\s?{re.escape(name)}\s?[\"“”»’']\s*,?\s*(?:{verbs})\b"
    found = re.search(written, passage.text, re.IGNORECASE)
    if found is None:
        return ""
    end = _END.search(passage.text, found.end())
    words = " ".join(passage.text[found.start() : end.start() if end else None].split())
    return words if len(words) <= LONGEST_DEFINITION else ""


# Expected cost: the most that the language model of a case will use
#
# Unknown parts of prompts are taken at their full length, filled with the corpus's text that needs the most
# tokens for its length, and each answer is taken to need its one repair. Requests that fail and are sent
# again are not counted.

# Passages from which the filler text is chosen.
SAMPLE = 64
# Characters of an area's line apart from its name.
AROUND_AREA = 80
# A repair sends the prompt again with the rejected answer and the reason.
REJECTED_CHARACTERS = 8_500


def expected_cost(case: Case) -> Mapping[str, Usage]:
    """Return the most that each task will use; empty without a language model or tasks for it.

    The price is None if the model has no prices.
    """
    if case.model is None:
        return {}
    model = with_prefix(case.model, case.corpus)
    filler = _filler(case.corpus)
    found: dict[str, Usage] = {}
    for prompt, schema, times in _prompts(case, filler):
        if times > 0:
            found[prompt.task] = _times(_with_repair(model, prompt, schema, filler), times)
    return found


def _prompts(case: Case, filler: str) -> Iterator[tuple[Prompt, type[BaseModel], int]]:
    """Yield each prompt at its longest, its schema, and how often it is sent."""
    settings, corpus = limit_to_depth(case.settings, None), case.corpus
    plain = settings.changed(model_tasks=(), query_strategy="precision")
    plan = make_plan(case.question, list(corpus.info().languages), plain)
    text, language = plan.views[0].text, plan.language
    if case.edited is None and SUB_QUESTIONS in settings.model_tasks:
        yield assisted.prompt(text, language), assisted.SubQuestions, 1
    if case.edited is None and HYPOTHETICAL in settings.model_tasks:
        wish = hypothetical.DraftRequest.of(settings)
        yield hypothetical.prompt(text, language, corpus, None, wish), hypothetical.Passages, 1
    yield _gap_prompt(text, filler), assistance.GapQueries, _gap_rounds(settings)
    judged = (
        max(0, settings.rounds - assistance.FIRST_ROUND + 1) if SUFFICIENCY in settings.model_tasks else 0
    )
    yield _sufficiency_prompt(text, filler), assistance.Sufficiency, judged
    if settings.reranker == LISTWISE:
        judged = min(RERANKED, settings.pool_size, len(corpus))
        texts = [filler[: base.LONGEST_TEXT]] * min(judged, base.WINDOW)
        yield base.prompt(text, texts), base.Order, base.windows(judged)


def _gap_rounds(settings: InvestigationSettings) -> int:
    return settings.rounds if GAP_QUERIES in settings.model_tasks and settings.close_gaps else 0


def _gap_prompt(question: str, filler: str) -> Prompt:
    area = filler[: LONGEST_NAME + assistance.LONGEST_SENT + AROUND_AREA]
    excerpt = filler[: assistance.LONGEST_EVIDENCE + 3 * LONGEST_NAME]
    parts = [Data(f"area A{number}", area) for number in range(1, MOST_AREAS + 1)]
    shown = MOST_AREAS * assistance.MOST_EVIDENCE
    parts += [Data(f"passage P{number}", excerpt) for number in range(1, shown + 1)]
    data = (Data("question", question), Data("language", "und"), *parts)
    return Prompt(assistance.GAP_TASK, assistance.GAP_INSTRUCTIONS, data, assistance.GAP_LONGEST_ANSWER)


def _sufficiency_prompt(question: str, filler: str) -> Prompt:
    table = "\n".join([filler[: LONGEST_NAME + AROUND_AREA]] * MOST_AREAS)
    excerpt = filler[: assistance.LONGEST_EXCERPT + 3 * LONGEST_NAME]
    shown = range(1, assistance.MOST_PASSAGES + 1)
    parts = [Data("coverage", table), *(Data(f"passage P{number}", excerpt) for number in shown)]
    data = (Data("question", question), *parts)
    return Prompt(
        assistance.SUFFICIENCY_TASK,
        assistance.SUFFICIENCY_INSTRUCTIONS,
        data,
        assistance.SUFFICIENCY_LONGEST_ANSWER,
    )


def _with_repair(model: LanguageModel, prompt: Prompt, schema: type[BaseModel], filler: str) -> Usage:
    rejected = Data("rejected answer", filler[:REJECTED_CHARACTERS])
    return model.expected(prompt, schema) + model.expected(
        replace(prompt, data=(*prompt.data, rejected)), schema
    )


def _times(used: Usage, times: int) -> Usage:
    return sum([used] * times, Usage())


def _filler(corpus: Corpus) -> str:
    """Text of the corpus that needs the most tokens for its length, long enough for the longest part."""
    rows = np.unique(np.linspace(0, len(corpus) - 1, min(SAMPLE, len(corpus))).astype(np.int32))
    texts = [" ".join(passage.text.split()) for passage in corpus.passages(rows)]
    # Text of a line or two is mostly numbers and names.
    texts = [text for text in texts if len(text) > LONGEST_NAME] or [text for text in texts if text]
    if not texts:
        return ""
    densest = max(texts, key=lambda text: most_tokens(text) / len(text)) + " "
    return densest * (REJECTED_CHARACTERS // len(densest) + 1)


# What a language model may use in one case, as the settings say.


def budget_of(settings: InvestigationSettings) -> Budget:
    """Return the budget of a case; its seconds end with those of the run."""
    return Budget(settings.call_budget, settings.token_budget, settings.time_budget, settings.money_budget)
