"""What a model is asked about a window, and the form it fills in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from engine.corpus.extracted.proposal import LINK_RELATIONS, Proposal, concept_key
from engine.errors import SettingsError
from engine.extraction.windows import Window
from engine.llm import Data, LanguageModel, Prompt
from engine.llm.estimating import most_tokens
from engine.llm.prompt import messages, prompt_tokens
from engine.llm.schemas import schema_text
from engine.llm.suspicion import addresses_machine, shown
from engine.model import Relation

TASK = "extract"
# Part of each window's key: whoever changes the words below or the form counts it up.
VERSION = "1"
# The longest answer, and the most that a window's passages and the list of concepts may have, in tokens.
LONGEST_ANSWER, MOST_TEXT, CONCEPT_TOKENS = 2000, 3000, 400
# Less text than this in a window is not worth a call.
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

The part "document" names the document, "headings" says under which headings each passage stands,
"known concepts" lists concepts that earlier passages define, with keys C1, C2, ... Each further part is a
passage; its name is its key: P1, P2, ...

concepts: terms with a legal meaning of their own in this document (who, what, which act or right).
  name: the term exactly as the passage writes it. passage: the key P... of the passage.
  role: "defines" where the passage says what the term means; "applies_to" where the passage says that its
  rules hold for it; "uses" where a rule of the passage turns on it.
links: from one passage to another passage, or to what defines a known concept.
  from: the key P... of the passage whose words say so. to: a key P... or C...
  relation: "exception_to": FROM makes an exception to the rule in TO and prevails ("notwithstanding TO").
  "subject_to": the rule in TO prevails over FROM ("subject to TO", "except as TO provides").
  "extends": FROM adds to the rule in TO, or carries it further.
  "applies_to": FROM says to whom or what, when or where the rule in TO applies.
  "defines": FROM uses a term in the meaning that TO gives it.
quote: the words of the passage that say so, three words or more, word for word, from the passage given in
  "passage" or "from". confidence: from 0 to 1, how sure you are that a lawyer would agree.

List only what the words state. Leave out what merely stands near each other, and plain references without one
of these relations. Empty lists are a good answer. At most 40 entries, the surest first.
"""


class ConceptSaid(BaseModel):
    """A concept, as a model lists it. Nothing in it is trusted."""

    name: str
    passage: str
    role: str = Field(json_schema_extra={"enum": list(ROLES)})
    quote: str
    confidence: float


class LinkSaid(BaseModel):
    """A link, as a model lists it. Nothing in it is trusted."""

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    relation: str = Field(json_schema_extra={"enum": list(RELATIONS)})
    quote: str
    confidence: float


class Said(BaseModel):
    """The form."""

    concepts: list[ConceptSaid]
    links: list[LinkSaid]


@dataclass(slots=True)
class Concepts:
    """What the earlier windows of a document define: names and the passages that define them.

    ``shown`` are the concepts that stood in the last prompt, by key.
    """

    defining: dict[str, Proposal] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    shown: dict[str, Proposal] = field(default_factory=dict)

    def learn(self, proposals: tuple[Proposal, ...], window: Window) -> None:
        """Take the definitions of a window; the surer of two counts, then the earlier."""
        labels = {piece.passage.id: piece.passage.label for piece in window.pieces}
        for one in proposals:
            if one.relation is not Relation.DEFINES or not one.concept:
                continue
            known = self.defining.get(one.name)
            if known is None or one.confidence > known.confidence:
                self.defining[one.name] = one
                self.labels[one.name] = labels.get(one.source_id, "")

    def lines(self, window: Window) -> Iterator[str]:
        """The list for a prompt, as much as fits: first what the window's own words name, then the latest."""
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
    """What is asked about a window; ``known`` is the list of concepts that earlier windows define."""
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
    """A line for each piece: its key, and the headings that it stands under."""
    paths = [" > ".join((*piece.passage.headings, piece.passage.label)) for piece in window.pieces]
    if addresses_machine("\n".join(paths)):
        # One of them speaks to a machine, or two of them side by side only seem to.
        paths = [shown(path) for path in paths]
    return [f"{key}: {path}" for key, path in zip(window.named(), paths, strict=True)]


# Headings may be long: so many tokens a passage are kept.
AROUND_HEADINGS = 25
# A list of concepts of the greatest length, for estimates: two letters and a line end are two tokens.
FULL_LIST = "xx\n" * (CONCEPT_TOKENS // 2)


def text_tokens(model: LanguageModel) -> int:
    """How many tokens of passages a window may have with a model.

    Raises SettingsError where its context is too small to be worth asking.
    """
    # The document's title and the marks of the other parts are in what is left over here.
    bare = prompt_tokens(messages(Prompt(TASK, INSTRUCTIONS, ()), schema_text(Said)))
    taken = bare + LONGEST_ANSWER + CONCEPT_TOKENS + 300
    left = min(MOST_TEXT, model.context_tokens - taken)
    if left < LEAST_TEXT:
        raise SettingsError(
            f"the context of {model.context_tokens:,} tokens is too small for reading a document: "
            f"at least {taken + LEAST_TEXT:,} are needed (context= in the model's spec)"
        )
    return left


def reader_of(model: LanguageModel) -> str:
    """The model as readings name it: without prices and other options, which change nothing of them."""
    return model.spec.partition("?")[0]


def _cut_to(text: str, tokens: int) -> str:
    """As many lines' beginnings as fit, each of the same share."""
    lines = text.split("\n")
    if most_tokens(text) <= tokens:
        return text
    letters = max(20, 3 * tokens // max(1, len(lines)))
    return "\n".join(line if len(line) <= letters else f"{line[:letters]} ..." for line in lines)
