"""A language model's second reading of claims: a proposal counts only if the quoted words support it.

A finding changes only if the model quotes a listed passage verbatim and the deterministic comparison of the
claim with that quote agrees with the proposal. Everything else is an opinion, shown next to the finding. So
no text, in a passage or in the audited text, can steer a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from engine.answers.audit.matching import ClaimMatcher
from engine.answers.audit.record import Checked, Claim, Finding, Reading, Source, why_unsupported
from engine.answers.audit.verdicts import Judge
from engine.errors import BudgetError, ModelError
from engine.language.quotes import Refusal, find_quote, locate
from engine.llm import Data, LanguageModel, Meter, Prompt
from engine.llm.cost import ask_all
from engine.llm.prompt import addresses_machine
from engine.model import Span

SPLIT, SECOND = "split claims", "second reading"
MOST_PASSAGES = 6
# Maximum characters of the text in one prompt to split.
PIECE = 6_000

_SPLIT_TASK = """\
The part "text" is a passage of a memorandum. List the claims it makes, in order: each a statement of fact or
law that a source could bear out or refute. Copy each word for word from the text, from its first to its last
word, without ellipsis. One claim states one thing: if a sentence states two, give two pieces that do not
overlap. Leave out headings, questions, greetings and opinions."""
_SECOND_TASK = """\
The part "claim" is a statement. The parts "passage P1", "passage P2" ... are legal sources. Say what the
passages say of the claim:
supported: one passage states all of it; contradicted: one passage states otherwise;
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


_FINDINGS_PROPOSED = {
    "supported": Finding.SUPPORTED,
    "contradicted": Finding.CONTRADICTED,
    "partly": Finding.RELATED,
    "not in passages": Finding.NOT_IN_CORPUS,
}


@dataclass(frozen=True, slots=True)
class Split:
    """Spans of claims that a model proposed and the text has, and notes for the user."""

    spans: tuple[Span, ...]
    notes: tuple[str, ...]


def split(text: str, blocks: Sequence[Span], model: LanguageModel, meter: Meter) -> Split:
    """Split claims with a model. ``blocks`` are the claims found by rules: a piece must overlap one of them,
    and a block without pieces stays a claim."""
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
        begin, refused = start, 0
        for piece in reply.value.claims:
            span = locate(piece, text[begin:end])
            if span is None:
                refused += 1
                continue
            found.append(Span(begin + span.start, begin + span.end))
            begin += span.end
        if refused:
            notes.append(f"{refused} claims of the model were refused: their words are not in the text")
    inside = [span for span in found if any(b.start < span.end and span.start < b.end for b in blocks)]
    return Split(tuple(inside), tuple(dict.fromkeys(notes)))


def _pieces(text: str, blocks: Sequence[Span]) -> list[tuple[int, int]]:
    """Return runs of claims that fit one prompt."""
    runs: list[tuple[int, int]] = []
    for block in blocks:
        if runs and block.end - runs[-1][0] <= PIECE:
            runs[-1] = (runs[-1][0], block.end)
        else:
            runs.append((block.start, block.end))
    return runs


def add_second_readings(
    checked: Sequence[Checked],
    matching: ClaimMatcher,
    judge: Judge,
    model: LanguageModel,
    meter: Meter,
    done: Callable[[int], None] = lambda count: None,
) -> tuple[list[Checked], tuple[str, ...]]:
    """Add a model's readings of the sources to the claims. Raises CancelledError."""
    sources_shown = [_listed(one) for one in checked]
    to_ask = [
        number for number, sources in enumerate(sources_shown) if sources and not _plain(checked[number])
    ]
    notes: dict[str, None] = {}
    result = list(checked)
    for start in range(0, len(to_ask), 8):
        batch = to_ask[start : start + 8]
        prompts = [_prompt(checked[number].claim, sources_shown[number]) for number in batch]
        for number, outcome in zip(batch, ask_all(model, prompts, Proposal, meter), strict=True):
            if isinstance(outcome, (ModelError, BudgetError)):
                notes[f"the model read no further: {outcome}"] = None
                continue
            result[number] = _weighed(checked[number], sources_shown[number], outcome.value, matching, judge)
        done(min(start + 8, len(to_ask)))
        if meter.opened:
            break
    return result, tuple(notes)


def _plain(one: Checked) -> bool:
    """True for a claim that addresses a machine: it is not shown to a model."""
    return addresses_machine(one.claim.text)


def _listed(one: Checked) -> list[Source]:
    return [source for source in one.sources if not addresses_machine(source.passage.text)][:MOST_PASSAGES]


def _prompt(claim: Claim, sources: Sequence[Source]) -> Prompt:
    parts = [Data("claim", claim.text)]
    parts += [Data(f"passage P{number}", source.passage.text) for number, source in enumerate(sources, 1)]
    return Prompt(SECOND, _SECOND_TASK, tuple(parts), longest=512)


def _weighed(
    one: Checked, sources: Sequence[Source], proposal: Proposal, matching: ClaimMatcher, judge: Judge
) -> Checked:
    """Change the finding if the words support the proposal; otherwise add the proposal as an opinion."""
    proposed = _FINDINGS_PROPOSED[proposal.verdict]
    same = proposed is one.finding or (proposed is Finding.SUPPORTED and one.correct is True)
    keys = {f"P{place}": source for place, source in enumerate(sources, 1)}
    source = keys.get(proposal.passage.strip().removeprefix("passage ").upper())
    if proposed is Finding.NOT_IN_CORPUS or proposed is Finding.RELATED:
        reason = "" if same else "only support or contradiction can be shown by a quote"
        return _as_opinion(one, proposed, proposal, "", reason)
    if source is None:
        return _as_opinion(one, proposed, proposal, "", "it named no listed passage")
    span = find_quote(proposal.quote, source.passage.text)
    if isinstance(span, Refusal):
        return _as_opinion(one, proposed, proposal, source.passage.id, f"its quote was refused: {span.value}")
    quoted = matching.compared(source, span, one.claim)
    reading = Reading(
        proposed, quoted.quote, source.passage.id, proposal.explanation, decided=not same, refused=""
    )
    if same:
        return replace(one, reading=replace(reading, decided=False))
    reason = _refused(proposed, quoted)
    if reason:
        return _as_opinion(one, proposed, proposal, source.passage.id, reason)
    if proposed is Finding.SUPPORTED:
        others = tuple(other for other in one.sources if other.supports and other.row != source.row)
        found = judge.supported(one.claim, quoted, others)
        return replace(found, reading=replace(reading, finding=found.finding))
    found = judge.contradicted(one.claim, quoted, one.sources)
    return replace(found, reading=reading)


def _refused(proposed: Finding, quoted: Source) -> str:
    """Return why the comparison of claim and quote does not support a proposal; empty if it does."""
    if proposed is Finding.CONTRADICTED:
        return "" if quoted.differs else "its quote is not about the same subject and act"
    return "" if quoted.supports else why_unsupported(quoted.alignment)


def _as_opinion(one: Checked, proposed: Finding, proposal: Proposal, passage: str, reason: str) -> Checked:
    return replace(
        one,
        reading=Reading(
            proposed, proposal.quote, passage, proposal.explanation, decided=False, refused=reason
        ),
    )
