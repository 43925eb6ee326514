"""Windows of text for a model, the prompts about them, and the validation of its answers.

A window is a run of consecutive passages of one document; windows overlap.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from pydantic import BaseModel, Field

from engine.corpus.extracted import LINK_RELATIONS, Proposal, concept_key, occurrence_at
from engine.corpus.protocol import Corpus
from engine.errors import SettingsError
from engine.language.quotes import locate
from engine.llm import Data, LanguageModel, Prompt
from engine.llm.completions import schema_text
from engine.llm.prompt import addresses_machine, messages, most_tokens, prompt_tokens, shown
from engine.model import Document, Passage, Relation, Span

# Tokens of the marks around a passage and of its line of headings.
AROUND_PASSAGE = 60
# Share of a window that repeats the previous one, so that text across the border is complete in one.
OVERLAP = 0.2
# A passage longer than a window is read in pieces, cut after a sentence or word.
_ENDS = ("\n", ". ", "; ", " ")


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage, or the characters ``[start, stop)`` of one that is longer than a window."""

    passage: Passage
    start: int
    stop: int

    @property
    def text(self) -> str:
        """The text of the piece."""
        return self.passage.text[self.start : self.stop]


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive pieces of one document. ``key`` changes if the words, the model or the prompt change."""

    document: Document
    pieces: tuple[Piece, ...]
    key: str

    def named(self) -> dict[str, Piece]:
        """Return the pieces by the keys that the model sees: P1, P2, ..."""
        return {f"P{number}": piece for number, piece in enumerate(self.pieces, start=1)}


def make_windows(corpus: Corpus, document: Document, tokens: int, reader: str) -> list[Window]:
    """Return the windows of a document, in reading order, each with at most ``tokens`` (estimated) of pieces.

    ``reader`` is the model and the version of the prompt, which are part of each window's key. Passages that
    address a machine are left out.
    """
    rows = corpus.by_document([document.id])[0]
    read = [passage for passage in corpus.passages(rows) if not addresses_machine(passage.text)]
    pieces = [piece for passage in read for piece in _pieces(passage, tokens)]
    sizes = [most_tokens(piece.text) + AROUND_PASSAGE for piece in pieces]
    return [
        Window(document, tuple(pieces[first:stop]), _key(document, pieces[first:stop], reader))
        for first, stop in _cut(sizes, tokens)
    ]


def withheld(corpus: Corpus, document: Document) -> int:
    """Return the number of passages of a document left out because they address a machine."""
    rows = corpus.by_document([document.id])[0]
    return sum(addresses_machine(passage.text) for passage in corpus.passages(rows))


def _cut(sizes: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Yield half-open ranges that cover all sizes in order; each begins with the end of the one before."""
    first, stop = 0, 0
    while stop < len(sizes):
        total = sum(sizes[first:stop])
        fresh = stop
        while stop < len(sizes) and (total + sizes[stop] <= most or stop == fresh):
            # The overlap shrinks if the next passage would not fit.
            while total + sizes[stop] > most and first < fresh:
                total -= sizes[first]
                first += 1
            total += sizes[stop]
            stop += 1
        yield first, stop
        first, total = stop, 0
        while first > 0 and total + sizes[first - 1] <= OVERLAP * most:
            first -= 1
            total += sizes[first]


def _pieces(passage: Passage, tokens: int) -> Iterator[Piece]:
    """Yield the passage, or its pieces, without blank ones."""
    text, start = passage.text, 0
    while start < len(text):
        stop = _end(text, start, tokens - AROUND_PASSAGE)
        if text[start:stop].strip():
            yield Piece(passage, start, stop)
        start = stop


def _end(text: str, start: int, tokens: int) -> int:
    """Return the end of a piece that begins at ``start``."""
    if most_tokens(text[start:]) <= tokens:
        return len(text)
    low, high = start + 1, min(len(text), start + 8 * tokens)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if most_tokens(text[start:middle]) <= tokens else (low, middle - 1)
    for end in _ENDS:
        place = text.rfind(end, start + (low - start) // 2, low)
        if place >= 0:
            return place + len(end)
    return low


def _key(document: Document, pieces: Sequence[Piece], reader: str) -> str:
    parts = [
        reader,
        document.id,
        document.title,
        [(piece.passage.id, piece.passage.headings, piece.passage.label, piece.text) for piece in pieces],
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


# The prompt about a window, and the form of the answer.
TASK = "extract"
# Part of each window's key: increase it when the words below or the form change.
VERSION = "1"
# Maximum tokens of an answer, of a window's passages, and of the list of concepts.
LONGEST_ANSWER, MOST_TEXT, CONCEPT_TOKENS = 2000, 3000, 400
# Minimum tokens of text in a window that are worth a call.
LEAST_TEXT = 400
# The roles of a concept in a passage, as the form names them.
ROLES: Mapping[str, Relation] = {
    "defines": Relation.DEFINES,
    "uses": Relation.MENTIONS,
    "applies_to": Relation.APPLIES_TO,
}
RELATIONS: Mapping[str, Relation] = {relation.value: relation for relation in LINK_RELATIONS}

INSTRUCTIONS = """\
Read passages of one legal document and list what they state about concepts and about each other.

The part "document" names the document, "headings" gives the headings above each passage,
"known concepts" lists concepts that earlier passages define, with keys C1, C2, ... Each further part is a
passage; its name is its key: P1, P2, ...

concepts: terms with a legal meaning of their own in this document (who, what, which act or right).
  name: the term exactly as the passage writes it. passage: the key P... of the passage.
  role: "defines" if the passage states what the term means; "applies_to" if the passage states that its
  rules apply to it; "uses" if a rule of the passage depends on it.
links: from one passage to another passage, or to what defines a known concept.
  from: the key P... of the passage whose words state it. to: a key P... or C...
  relation: "exception_to": FROM makes an exception to the rule in TO and prevails ("notwithstanding TO").
  "subject_to": the rule in TO prevails over FROM ("subject to TO", "except as TO provides").
  "extends": FROM adds to the rule in TO, or carries it further.
  "applies_to": FROM states to whom or what, when or where the rule in TO applies.
  "defines": FROM uses a term in the meaning that TO gives it.
quote: the words of the passage that state it, three words or more, word for word, from the passage given in
  "passage" or "from". confidence: from 0 to 1, how sure you are that a lawyer would agree.

List only what the words state. Leave out passages that are only near each other, and plain references without
one of these relations. Empty lists are a good answer. At most 40 entries, the surest first.
"""


class ConceptAnswer(BaseModel):
    """A concept in a model's answer, not validated."""

    name: str
    passage: str
    role: str = Field(json_schema_extra={"enum": list(ROLES)})
    quote: str
    confidence: float


class LinkAnswer(BaseModel):
    """A link in a model's answer, not validated."""

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    relation: str = Field(json_schema_extra={"enum": list(RELATIONS)})
    quote: str
    confidence: float


class ModelAnswer(BaseModel):
    """The form of a model's answer."""

    concepts: list[ConceptAnswer]
    links: list[LinkAnswer]


@dataclass(slots=True)
class Concepts:
    """Definitions in the earlier windows of a document: names and defining passages.

    ``shown`` are the concepts in the last prompt, by key.
    """

    defining: dict[str, Proposal] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    shown: dict[str, Proposal] = field(default_factory=dict)

    def learn(self, proposals: tuple[Proposal, ...], window: Window) -> None:
        """Add the definitions of a window; the more confident of two counts, then the earlier."""
        labels = {piece.passage.id: piece.passage.label for piece in window.pieces}
        for one in proposals:
            if one.relation is not Relation.DEFINES or not one.concept:
                continue
            known = self.defining.get(one.name)
            if known is None or one.confidence > known.confidence:
                self.defining[one.name] = one
                self.labels[one.name] = labels.get(one.source_id, "")

    def lines(self, window: Window) -> Iterator[str]:
        """Yield the lines of a prompt's list up to its limit: concepts named in the window, then the
        latest."""
        words = concept_key(" ".join(piece.text for piece in window.pieces))
        latest = list(self.defining)[::-1]
        names = sorted(latest, key=lambda name: name not in words)
        self.shown, left = {}, CONCEPT_TOKENS
        for number, name in enumerate(names, start=1):
            line = f"C{number}: {self.defining[name].concept} ({self.labels[name]})"
            left -= most_tokens(line) + 1
            if left < 0:
                return
            self.shown[f"C{number}"] = self.defining[name]
            yield line


def prompt_for(window: Window, known: str) -> Prompt:
    """Return the prompt about a window; ``known`` lists the concepts that earlier windows define."""
    document = window.document
    described = " ".join(filter(None, (document.type, document.number, str(document.year or ""))))
    headings = _headings(window)
    return Prompt(
        TASK,
        INSTRUCTIONS,
        (
            Data("document", shown(f"{document.title or document.id}\n{described}".strip())),
            Data("headings", _cut_to("\n".join(headings), AROUND_HEADINGS * len(headings))),
            Data("known concepts", known or "none yet"),
            *(Data(key, piece.text) for key, piece in window.named().items()),
        ),
        LONGEST_ANSWER,
    )


def _headings(window: Window) -> list[str]:
    """Return a line for each piece: its key and headings."""
    paths = [" > ".join((*piece.passage.headings, piece.passage.label)) for piece in window.pieces]
    if addresses_machine("\n".join(paths)):
        # Either one heading addresses a machine, or only their combination seems to.
        paths = [shown(path) for path in paths]
    return [f"{key}: {path}" for key, path in zip(window.named(), paths, strict=True)]


# Maximum tokens kept of the headings of a passage.
AROUND_HEADINGS = 25
# The longest possible list of concepts, for estimates: two letters and a line end are two tokens.
FULL_LIST = "xx\n" * (CONCEPT_TOKENS // 2)


def text_tokens(model: LanguageModel) -> int:
    """Return the maximum tokens of passages in a window for a model.

    Raises SettingsError if the model's context is too small.
    """
    # 300 tokens are for the document's title and the marks of the other parts.
    bare = prompt_tokens(messages(Prompt(TASK, INSTRUCTIONS, ()), schema_text(ModelAnswer)))
    taken = bare + LONGEST_ANSWER + CONCEPT_TOKENS + 300
    left = min(MOST_TEXT, model.context_tokens - taken)
    if left < LEAST_TEXT:
        raise SettingsError(
            f"the context of {model.context_tokens:,} tokens is too small for reading a document: "
            f"at least {taken + LEAST_TEXT:,} are needed (context= in the model's spec)"
        )
    return left


def reader_name(model: LanguageModel) -> str:
    """Return the model as readings name it: without prices and other options that do not affect them."""
    return model.spec.partition("?")[0]


def _cut_to(text: str, tokens: int) -> str:
    """Cut lines to equal lengths so that all together fit."""
    lines = text.split("\n")
    if most_tokens(text) <= tokens:
        return text
    letters = max(20, 3 * tokens // max(1, len(lines)))
    return "\n".join(line if len(line) <= letters else f"{line[:letters]} ..." for line in lines)


# Validation of a model's answer: listed keys, offered relations, words of the text.

MOST_ENTRIES = 60
LONGEST_NAME = 80


class Refused(StrEnum):
    """The reason for rejecting an entry of an answer."""

    QUOTE = "quote not verbatim"
    KEY = "key not listed"
    RELATION = "relation not offered"
    CONFIDENCE = "confidence not from 0 to 1"
    NAME = "name not in the passage"
    ITSELF = "link to itself"
    TWICE = "said twice"
    TOO_MANY = "too many at once"


class Checked(NamedTuple):
    """The valid proposals in order, and the number of refused entries by reason."""

    proposals: tuple[Proposal, ...]
    refused: Counter[str]


def check_answer(answer: ModelAnswer, window: Window, known: Mapping[str, Proposal], model: str) -> Checked:
    """Validate a model's answer about a window; ``known`` are the concepts whose keys were listed."""
    pieces = window.named()
    found: dict[str, Proposal] = {}
    refused: Counter[str] = Counter()
    everything: list[ConceptAnswer | LinkAnswer] = [*answer.concepts, *answer.links]
    for one in everything[:MOST_ENTRIES]:
        if isinstance(one, ConceptAnswer):
            result = _concept(one, pieces, model)
        else:
            result = _link(one, pieces, known, model)
        if isinstance(result, Refused):
            refused[result] += 1
        elif result.key in found:
            refused[Refused.TWICE] += 1
        else:
            found[result.key] = result
    if len(everything) > MOST_ENTRIES:
        refused[Refused.TOO_MANY] += len(everything) - MOST_ENTRIES
    return Checked(tuple(found.values()), refused)


def _concept(answer: ConceptAnswer, pieces: Mapping[str, Piece], model: str) -> Proposal | Refused:
    piece, relation = pieces.get(answer.passage), ROLES.get(answer.role)
    if piece is None:
        return Refused.KEY
    if relation is None:
        return Refused.RELATION
    name = " ".join(answer.name.split())
    if not 1 < len(name) <= LONGEST_NAME or not _has_name(name, piece.text):
        return Refused.NAME
    # For a use the name is enough evidence; a definition needs defining words.
    span = _span(answer.quote, piece, fewest=1 if relation is Relation.MENTIONS else 3)
    return (
        span if isinstance(span, Refused) else _proposal(span, piece, relation, answer, model, concept=name)
    )


def _has_name(name: str, text: str) -> bool:
    """True if a text has a name, in any case, as whole words."""
    before, after = (r"(?<!\w)", r"(?!\w)") if name.isascii() else ("", "")
    return bool(re.search(f"{before}{re.escape(concept_key(name))}{after}", concept_key(text)))


def _link(
    answer: LinkAnswer, pieces: Mapping[str, Piece], known: Mapping[str, Proposal], model: str
) -> Proposal | Refused:
    piece, relation = pieces.get(answer.source), RELATIONS.get(answer.relation)
    if piece is None or (answer.target not in pieces and answer.target not in known):
        return Refused.KEY
    if relation is None:
        return Refused.RELATION
    target = pieces[answer.target].passage.id if answer.target in pieces else known[answer.target].source_id
    if target == piece.passage.id:
        return Refused.ITSELF
    span = _span(answer.quote, piece, fewest=3)
    return (
        span if isinstance(span, Refused) else _proposal(span, piece, relation, answer, model, target=target)
    )


def _span(quote: str, piece: Piece, *, fewest: int) -> Span | Refused:
    """Return the span of a quote in its passage."""
    found = locate(quote, piece.text, fewest_words=fewest)
    return Refused.QUOTE if found is None else Span(piece.start + found.start, piece.start + found.end)


def _proposal(
    span: Span,
    piece: Piece,
    relation: Relation,
    entry: ConceptAnswer | LinkAnswer,
    model: str,
    *,
    target: str | None = None,
    concept: str = "",
) -> Proposal | Refused:
    if not 0.0 <= entry.confidence <= 1.0:
        return Refused.CONFIDENCE
    text = piece.passage.text
    quote = text[span.start : span.end]
    return Proposal(
        source_id=piece.passage.id,
        quote=quote,
        occurrence=occurrence_at(text, quote, span.start),
        relation=relation,
        target_id=target,
        concept=concept,
        confidence=entry.confidence,
        said_by=model,
    )
