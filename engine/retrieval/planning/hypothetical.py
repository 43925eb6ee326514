"""Hypothetical passages: texts that might answer a question, searched in addition to it.

A question and the provision that answers it have different words; a passage that might answer has the words
of the provision (HyDE, Gao et al. 2023, https://arxiv.org/abs/2212.10496). A language model writes them, and
they are weighed against question and corpus; without one the first passages found are used instead. They are
views of the plan, which can be edited and switched off like all others, and are never evidence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from engine.corpus.protocol import Corpus, Mask, Rows
from engine.errors import ModelError, SettingsError
from engine.language.analysis import analyzer
from engine.language.detection import detect_question, is_detectable
from engine.language.embedders import Embedder, reads
from engine.llm import Data, Form, Prompt
from engine.llm.base import Asking
from engine.llm.prompt import addresses_machine
from engine.model import Passage
from engine.retrieval.retrievers.registry import levels
from engine.retrieval.scan import fuse
from engine.settings import InvestigationSettings

# Weights of hypothetical passages
#
# A passage that a model invented may be about something else. One with a similarity below 0.4 to the question
# is not searched. The others are weighted by their agreement, the mean similarity to the question and to each
# other. Similarities are on a scale from unrelated (0) to equal (1): cosines above those of unrelated texts,
# which are not 0 (``retrievers/registry.py``); without vectors, the weighted share of common terms.

LOWEST_SIMILARITY = 0.4
# Below this mean agreement a note reports low confidence.
LOW_CONFIDENCE = 0.5
_WORD = re.compile(r"[^\W_]+")
Similarities = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Draft:
    """A hypothetical passage and its origin."""

    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class WeighedDraft:
    """A draft with its similarity to the question and its agreement, 0..1."""

    draft: Draft
    similarity: float
    agreement: float

    @property
    def used(self) -> bool:
        """True if it is similar enough to the question to be searched."""
        return self.similarity >= LOWEST_SIMILARITY


def weigh_drafts(
    drafts: Sequence[Draft], question: str, language: str, corpus: Corpus, embedder: Embedder | None
) -> tuple[WeighedDraft, ...]:
    """Weigh drafts by their similarity to a question in a language and their agreement, in their order."""
    if not drafts:
        return ()
    texts = [draft.text for draft in drafts]
    table = _by_vectors(question, texts, language, corpus, embedder)
    if table is None:
        table = _by_words([question, *texts], language, corpus)
    others = len(texts)
    agreements = (table[1:].sum(axis=1) - np.diag(table)[1:]) / others
    return tuple(
        WeighedDraft(draft, float(similarity), float(agreement))
        for draft, similarity, agreement in zip(drafts, table[0, 1:], agreements, strict=True)
    )


def _by_vectors(
    question: str, texts: Sequence[str], language: str, corpus: Corpus, embedder: Embedder | None
) -> Similarities | None:
    """Return similarities of the question, first, and the texts, shape (1 + texts, 1 + texts).

    None if the corpus has no vectors, or its model does not read the question or failed.
    """
    if embedder is None or not reads(embedder, language):
        return None
    try:
        asked, drafted = embedder.encode([question], "query"), embedder.encode(texts, "passage")
    except ModelError:
        # The scan embeds the question again and reports the failure.
        return None
    if asked.shape[1] != corpus.vectors(np.empty(0, np.int32)).shape[1]:
        return None
    floors = np.full((1 + len(texts), 1 + len(texts)), corpus.similarity_floor)
    # A question is further from passages than passages from each other: it has its own floor.
    floors[0, :] = floors[:, 0] = _floor(asked, language, corpus)
    vectors = np.vstack([asked, drafted]).astype(np.float64)
    table: Similarities = np.clip((vectors @ vectors.T - floors) / np.maximum(1.0 - floors, 1e-6), 0.0, 1.0)
    return table


def _floor(asked: NDArray[np.float32], language: str, corpus: Corpus) -> float:
    """Return the cosine of passages unrelated to a question, in the language of the nearest passage."""
    hits = corpus.search_dense(asked, 1, -1.0)
    if not len(hits[0].rows):
        return corpus.similarity_floor
    found = levels(corpus, language, asked, hits)
    group = found.group_of[corpus.document_numbers(hits[0].rows)[0]]
    return float(found.floors[0, group])


def _by_words(texts: Sequence[str], language: str, corpus: Corpus) -> Similarities:
    """Return the share of common terms of texts, weighted by rarity, shape (texts, texts), symmetric.

    The share is of the text with fewer terms, because a passage has more words than the question.
    """
    terms = [frozenset(found) for found in analyzer(language).batch(texts)]
    rarity = _rarity(texts, language, corpus)
    size = len(texts)
    table = np.eye(size, dtype=np.float64)
    for one in range(size):
        for other in range(one + 1, size):
            common = sum(rarity.get(term, 0.0) for term in terms[one] & terms[other])
            fewer = min(sum(rarity.get(term, 0.0) for term in terms[index]) for index in (one, other))
            table[one, other] = table[other, one] = common / fewer if fewer > 0 else 0.0
    return table


def _rarity(texts: Sequence[str], language: str, corpus: Corpus) -> dict[str, float]:
    """Return the best BM25 score of a passage for each term, which is close to its inverse frequency."""
    words = sorted({word for text in texts for word in _WORD.findall(text)})
    looked_up: dict[str, str] = {}
    for word, terms in zip(words, analyzer(language).batch(words), strict=True):
        for term in terms:
            # In a script without blanks, each term is a word.
            looked_up.setdefault(term, word if len(terms) == 1 else term)
    best = corpus.search_lexical(list(looked_up.values()), language, 1) if looked_up else []
    return {term: float(np.max(hits.scores, initial=0.0)) for term, hits in zip(looked_up, best, strict=True)}


# Passages that a language model writes in the register and language of the corpus
#
# The prompt has the types of documents, headings and a few passages as samples of style. The passages are
# checked (length, language, no copy of a sample) and used only as queries.

TASK = "hypothetical passages"
INSTEAD = "the first passages found are used"
ORIGIN = "written by the language model, not found in the corpus"
SHORTEST, LONGEST = 40, 1_500
# Tokens of an answer, for each passage.
LONGEST_ANSWER = 400
# Values of the language setting other than a code.
OF_QUESTION, OF_CORPUS = "question", "corpus"
SAMPLES, LONGEST_SAMPLE = 3, 500
MOST_HEADINGS, MOST_TYPES, MOST_LANGUAGES = 12, 8, 4
LONGEST_HEADING = 120
# First passages for the question's words, from which samples and headings are taken.
LOOKED_AT = 30

INSTRUCTIONS = """\
Write short passages that might be part of the collection that the parts describe, each of which would answer
the part "question" if it were real. They are used to search for real passages, never shown as law.
- Write as many as the part "number" states.
- Write in the language that the part "language" names (a code of ISO 639-1), and in the register of the
  parts "sample": same kind of document, same turns of phrase, same way of numbering.
- 40 to 120 words each. Each takes another view: the rule, its definition or scope, its exception or sanction.
- Use the terms that the headings and samples use. Name no article numbers, dates, amounts or institutions
  that the question does not name: leave them out.
- Do not copy a sample, do not mention the question, do not explain.
"""


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """The number of passages to write, the temperature, and the language."""

    passages: int = 3
    temperature: float = 0.0
    language: str = OF_QUESTION

    @classmethod
    def of(cls, settings: InvestigationSettings) -> Self:
        """Make the request from the settings of a case."""
        return cls(
            settings.hypothetical_passages,
            settings.hypothetical_temperature,
            settings.hypothetical_language,
        )


class Passages(BaseModel):
    """The form that the model fills in."""

    passages: list[str] = Field(description="Hypothetical passages, without headings or numbers")


FORM = Form(TASK, INSTRUCTIONS, Passages)


def write_drafts(
    asking: Asking,
    text: str,
    language: str,
    corpus: Corpus,
    mask: Mask | None,
    request: DraftRequest = DraftRequest(),
) -> tuple[Draft, ...]:
    """Let a language model write passages for a question; empty if the fallback has to be used."""
    sent = prompt(text, language, corpus, mask, request)
    answer = asking.answer(sent, Passages, INSTEAD)
    if answer is None:
        return ()
    samples = [part.text for part in sent.data if part.name.startswith("sample")]
    target = target_language(corpus, language, request.language)
    found = checked(answer.passages, target, samples, request.passages)
    if not found:
        asking.note(f"{TASK}: the language model wrote none that can be used; {INSTEAD}")
    return tuple(Draft(passage, ORIGIN) for passage in found)


def prompt(
    text: str,
    language: str,
    corpus: Corpus,
    mask: Mask | None = None,
    request: DraftRequest = DraftRequest(),
) -> Prompt:
    """Make the prompt for a question in a language."""
    first = _first(corpus, text, language, mask)
    target = target_language(corpus, language, request.language)
    types = Counter(document.type for document in corpus.documents() if document.type)
    headings = dict.fromkeys(
        heading[:LONGEST_HEADING]
        for passage in first
        for heading in passage.headings[-2:]
        if heading and not addresses_machine(heading)
    )
    parts = [
        Data("question", text),
        Data("language", target),
        Data("number", str(request.passages)),
        Data("types of documents", "\n".join(name for name, _ in types.most_common(MOST_TYPES))),
        Data("headings", "\n".join(list(headings)[:MOST_HEADINGS])),
    ]
    parts += [Data(f"sample {number}", sample) for number, sample in enumerate(_samples(first, target), 1)]
    data = tuple(part for part in parts if part.text)
    longest = LONGEST_ANSWER * request.passages
    return Prompt(TASK, INSTRUCTIONS, data, longest, request.temperature)


def target_language(corpus: Corpus, language: str, setting: str = OF_QUESTION) -> str:
    """Return the language to write in.

    This is the code in the setting; or the corpus's most frequent language; or the question's language if the
    corpus has it, else the most frequent one.
    """
    languages = corpus.info().languages
    if setting not in (OF_QUESTION, OF_CORPUS):
        return setting
    if not languages or (setting == OF_QUESTION and language in languages):
        return language
    return max(languages, key=lambda code: languages[code])


def check_language(corpus: Corpus, setting: str) -> None:
    """Raise SettingsError for an invalid value of the language setting."""
    if setting in (OF_QUESTION, OF_CORPUS, *corpus.info().languages) or is_detectable(setting):
        return
    raise SettingsError(
        f"hypothetical_language: {setting!r:.40} is no known language; "
        f"write {OF_QUESTION}, {OF_CORPUS}, or a code of ISO 639-1 such as de"
    )


def checked(
    passages: Sequence[str], language: str, samples: Sequence[str] = (), most: int = 3
) -> tuple[str, ...]:
    """Return the usable passages, each once: 40 to 1,500 characters, in the language, no copy."""
    copies = {_plain(sample) for sample in samples}
    found: dict[str, str] = {}
    for passage in passages:
        words = " ".join(passage.split())
        if not SHORTEST <= len(words) <= LONGEST or any(_plain(words) in copy for copy in copies):
            continue
        if language != "und" and detect_question(words, (language,)) != language:
            continue
        found.setdefault(_plain(words), words)
    return tuple(found.values())[:most]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _first(corpus: Corpus, text: str, language: str, mask: Mask | None) -> list[Passage]:
    """Return the first passages for the question's words, or of the corpus if it has none of them.

    Without passages that address a machine.
    """
    (hits,) = corpus.search_lexical([text], language, LOOKED_AT, mask=mask)
    rows = hits.rows
    if not len(rows):
        rows = np.arange(min(LOOKED_AT, len(corpus)), dtype=np.int32)
    return [passage for passage in corpus.passages(rows) if not addresses_machine(passage.text)]


def _samples(first: Sequence[Passage], language: str) -> list[str]:
    """Return the beginnings of a few passages in the language, of different documents if possible."""
    suitable = [passage for passage in first if len(passage.text) >= SHORTEST]
    suitable = [passage for passage in suitable if passage.language == language] or suitable
    by_document = {passage.document_id: passage for passage in reversed(suitable)}
    chosen = list(reversed(by_document.values()))[:SAMPLES]
    chosen += [passage for passage in suitable if passage not in chosen][: SAMPLES - len(chosen)]
    return [_cut(passage.text) for passage in chosen]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_SAMPLE else text[:LONGEST_SAMPLE].rsplit(" ", 1)[0]


# Hypothetical passages without a language model: the first passages found, as if they were the answer.

FEEDBACK_ORIGIN = "one of the first passages found, as if it answered"
SEARCHED = 50
# Words of a passage that are used; further words are less related to the question.
LONGEST = 150


def feedback_drafts(
    text: str,
    language: str,
    corpus: Corpus,
    embedder: Embedder | None,
    mask: Mask | None = None,
    most: int = 3,
) -> tuple[Draft, ...]:
    """Return the beginnings of the first passages for a question; none if nothing is found."""
    rows = _first_passages(text, language, corpus, embedder, mask)[:most]
    beginnings = (" ".join(passage.text.split()[:LONGEST]) for passage in corpus.passages(rows))
    return tuple(Draft(beginning, FEEDBACK_ORIGIN) for beginning in dict.fromkeys(beginnings) if beginning)


def _first_passages(
    text: str, language: str, corpus: Corpus, embedder: Embedder | None, mask: Mask | None
) -> Rows:
    """Return the first passages for a question, by words and, with vectors, by meaning."""
    lists = corpus.search_lexical([text], language, SEARCHED, mask=mask)
    if embedder is not None and reads(embedder, language):
        try:
            lists += corpus.search_dense(embedder.encode([text], "query"), SEARCHED, 0.0, mask=mask)
        except ModelError:
            # The scan embeds the question again and reports the failure.
            return lists[0].rows
    return fuse(lists, [1.0] * len(lists)).rows
