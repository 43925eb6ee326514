"""A language model's second reading: it proposes, and a proposal counts only where the words bear it out.

A finding changes only when the model quotes a listed passage verbatim and the deterministic comparison of the
claim with that quote agrees with what the model proposes. Whatever else it says is an opinion, shown beside
the finding. So no text, in a passage or in the audited text, can steer a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from engine.answers.audit.matching import Matching
from engine.answers.audit.record import Checked, Claim, Finding, Reading, Source, otherwise
from engine.answers.audit.verdicts import Judge
from engine.errors import BudgetError, ModelError
from engine.language.quotes import Refusal, locate, sought
from engine.llm import Data, LanguageModel, Meter, Prompt
from engine.llm.cost import ask_all
from engine.llm.suspicion import addresses_machine
from engine.model import Span

SPLIT, SECOND = "split claims", "second reading"
MOST_PASSAGES = 6
# Characters of the text that one prompt splits.
PIECE = 6_000

_SPLIT_TASK = """\
The part "text" is a passage of a memorandum. List the claims it makes, in order: each a statement of fact or
law that a source could bear out or refute. Copy each word for word from the text, from its first to its last
word, without ellipsis. One claim says one thing: where a sentence says two, give two pieces that do not
overlap. Leave out headings, questions, greetings and opinions."""
_SECOND_TASK = """\
The part "claim" is a statement. The parts "passage P1", "passage P2" ... are legal sources. Say what the
passages say of the claim:
supported: one passage says all of it; contradicted: one passage says otherwise;
partly: the passages say some of it; not in passages: none of them speaks of it.
Give the key of the one passage that decides, the shortest words of it, copied exactly, that show it, and one
sentence of explanation. For "not in passages" leave key and quote empty."""


class Pieces(BaseModel):
    """The claims of a text, word for word."""

    model_config = ConfigDict(extra="forbid")

    claims: list[str] = Field(max_length=200)


class Proposal(BaseModel):
    """A model's reading of one claim."""

    model_config = ConfigDict(extra="forbid")

    verdict: Literal["supported", "contradicted", "partly", "not in passages"]
    passage: str = Field(max_length=40)
    quote: str = Field(max_length=2_000)
    explanation: str = Field(max_length=600)


_MEANT = {
    "supported": Finding.SUPPORTED,
    "contradicted": Finding.CONTRADICTED,
    "partly": Finding.RELATED,
    "not in passages": Finding.NOT_IN_CORPUS,
}


@dataclass(frozen=True, slots=True)
class Split:
    """Places of claims that a model proposed and the text has, and what a person should know."""

    spans: tuple[Span, ...]
    notes: tuple[str, ...]


def split(text: str, blocks: Sequence[Span], model: LanguageModel, meter: Meter) -> Split:
    """Claims as a model cuts them. ``blocks`` are what the rules found: a piece must lie inside them, and
    what no piece covers stays a claim as it was."""
    notes: list[str] = []
    found: list[Span] = []
    for start, end in _pieces(text, blocks):
        part = text[start:end]
        if addresses_machine(part):
            notes.append("a part of the text addresses a machine: its claims were cut by rules")
            continue
        prompt = Prompt(SPLIT, _SPLIT_TASK, (Data("text", part),), longest=2_048)
        try:
            reply = model.ask(prompt, Pieces, meter)
        except (ModelError, BudgetError) as error:
            notes.append(f"claims were cut by rules: {error}")
            break
        place, refused = start, 0
        for piece in reply.value.claims:
            span = locate(piece, text[place:end])
            if span is None:
                refused += 1
                continue
            found.append(Span(place + span.start, place + span.end))
            place += span.end
        if refused:
            notes.append(f"{refused} claims of the model were refused: their words are not in the text")
    inside = [span for span in found if any(b.start < span.end and span.start < b.end for b in blocks)]
    return Split(tuple(inside), tuple(dict.fromkeys(notes)))


def _pieces(text: str, blocks: Sequence[Span]) -> list[tuple[int, int]]:
    """Runs of claims that fit one prompt."""
    runs: list[tuple[int, int]] = []
    for block in blocks:
        if runs and block.end - runs[-1][0] <= PIECE:
            runs[-1] = (runs[-1][0], block.end)
        else:
            runs.append((block.start, block.end))
    return runs


def second_readings(
    checked: Sequence[Checked],
    matching: Matching,
    judge: Judge,
    model: LanguageModel,
    meter: Meter,
    done: Callable[[int], None] = lambda count: None,
) -> tuple[list[Checked], tuple[str, ...]]:
    """The claims again, with what a model reads in the passages. Raises CancelledError."""
    listed = [_listed(one) for one in checked]
    asked = [number for number, sources in enumerate(listed) if sources and not _plain(checked[number])]
    notes: dict[str, None] = {}
    result = list(checked)
    for start in range(0, len(asked), 8):
        batch = asked[start : start + 8]
        prompts = [_prompt(checked[number].claim, listed[number]) for number in batch]
        for number, outcome in zip(batch, ask_all(model, prompts, Proposal, meter), strict=True):
            if isinstance(outcome, (ModelError, BudgetError)):
                notes[f"the model read no further: {outcome}"] = None
                continue
            result[number] = _weighed(checked[number], listed[number], outcome.value, matching, judge)
        done(min(start + 8, len(asked)))
        if meter.opened:
            break
    return result, tuple(notes)


def _plain(one: Checked) -> bool:
    """A claim that addresses a machine is not shown to one."""
    return addresses_machine(one.claim.text)


def _listed(one: Checked) -> list[Source]:
    return [source for source in one.sources if not addresses_machine(source.passage.text)][:MOST_PASSAGES]


def _prompt(claim: Claim, sources: Sequence[Source]) -> Prompt:
    parts = [Data("claim", claim.text)]
    parts += [Data(f"passage P{place}", source.passage.text) for place, source in enumerate(sources, 1)]
    return Prompt(SECOND, _SECOND_TASK, tuple(parts), longest=512)


def _weighed(
    one: Checked, sources: Sequence[Source], proposal: Proposal, matching: Matching, judge: Judge
) -> Checked:
    """A proposal that the words bear out changes the finding; any other is told beside it."""
    meant = _MEANT[proposal.verdict]
    same = meant is one.finding or (meant is Finding.SUPPORTED and one.correct is True)
    keys = {f"P{place}": source for place, source in enumerate(sources, 1)}
    source = keys.get(proposal.passage.strip().removeprefix("passage ").upper())
    if meant is Finding.NOT_IN_CORPUS or meant is Finding.RELATED:
        why = "" if same else "only support or contradiction can be shown by a quote"
        return _beside(one, meant, proposal, "", why)
    if source is None:
        return _beside(one, meant, proposal, "", "it named no listed passage")
    place = sought(proposal.quote, source.passage.text)
    if isinstance(place, Refusal):
        return _beside(one, meant, proposal, source.passage.id, f"its quote was refused: {place.value}")
    quoted = matching.compared(source, place, one.claim)
    reading = Reading(
        meant, quoted.quote, source.passage.id, proposal.explanation, decided=not same, refused=""
    )
    if same:
        return replace(one, reading=replace(reading, decided=False))
    why = _refused(meant, quoted)
    if why:
        return _beside(one, meant, proposal, source.passage.id, why)
    if meant is Finding.SUPPORTED:
        others = tuple(other for other in one.sources if other.says and other.row != source.row)
        found = judge.borne_out(one.claim, quoted, others)
        return replace(found, reading=replace(reading, finding=found.finding))
    found = judge.contradicted(one.claim, quoted, one.sources)
    return replace(found, reading=reading)


def _refused(meant: Finding, quoted: Source) -> str:
    """Why the comparison of claim and quote does not bear a proposal out; empty where it does."""
    if meant is Finding.CONTRADICTED:
        return "" if quoted.differs else "its quote is not about the same subject and act"
    return "" if quoted.says else otherwise(quoted.alignment)


def _beside(one: Checked, meant: Finding, proposal: Proposal, passage: str, why: str) -> Checked:
    return replace(
        one, reading=Reading(meant, proposal.quote, passage, proposal.explanation, decided=False, refused=why)
    )
