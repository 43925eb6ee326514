"""Have a language model write the answer, and keep the sentences that pass the claim check.

The model sees the ranked passages, the most relevant at both ends, and returns sentences with quotes by the
key of their passage. Unknown keys and quotes that are not verbatim are dropped. A sentence without a quote is
not supported; content that its quotes do not support (a number, date, negation, article) is reported with it.
Sentences that fail go to the model once more, with the reasons.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.answers.audit.matching import compare_with, prepare_claim, sentences_around
from engine.answers.audit.record import why_unsupported
from engine.answers.audit.windows import readable
from engine.answers.record import Citations, Located, Sentence, Support, verify
from engine.corpus.protocol import Corpus
from engine.errors import BudgetError, InputError, ModelError
from engine.investigation.assistance.cost import (
    AGAIN,
    AGAIN_TASK,
    INSTRUCTIONS,
    MOST_TOKENS,
    TASK,
    WrittenAnswer,
    WrittenSentence,
    relations,
    with_prefix,
)
from engine.investigation.record import Investigation
from engine.language.characters import shortened, western_digits
from engine.language.detection import token_estimate
from engine.language.references import find_mentions
from engine.llm import Data, LanguageModel, Meter, Prompt
from engine.llm.prompt import addresses_machine
from engine.model import Passage, Span
from engine.records.context import FEWEST_TOKENS, ContextPassage, model_context
from engine.records.phrases import full_citation, plural

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class QuotedPassage:
    """A passage, the span of a quote in it, and its citation: a sentence may name the provision it quotes."""

    passage: Passage
    span: Span
    cited: str


def find_doubts(text: str, language: str, quotes: Sequence[QuotedPassage]) -> tuple[str, ...]:
    """Return why the sources of a sentence do not support it; empty if they do. Not checked across languages.

    Each quote is read with the whole sentences around it: what it omits from them is binding too."""
    language = language.split("-")[0]
    mentions = [one.span for one in find_mentions(text, language) if one.targets and not one.bare]
    passages = [_sentences(one) for one in quotes if one.passage.language.split("-")[0] == language]
    doubts = list(_unprinted(text, mentions, quotes))
    if not passages:
        return (*doubts, "its quotes are in another language: a person has to check whether they support it")
    asked = prepare_claim(text, language, mentions)
    together = replace(passages[0], text="\n".join(one.text for one in passages))
    tried = passages if len(passages) < 2 else [*passages, together]
    found = [compare_with(asked, readable(one), frozenset) for one in tried]
    alignments = [held.alignment for held in found if held is not None]
    if any(one.complete for one in alignments):
        return tuple(doubts)
    nearest = min(alignments, key=lambda one: (-one.share, one.defects), default=None)
    return (*doubts, why_unsupported(nearest))


def _sentences(quote: QuotedPassage) -> Passage:
    """Cut a passage to the sentences that contain a quote."""
    span = sentences_around(quote.span, readable(quote.passage))
    return replace(quote.passage, text=quote.passage.text[span.start : span.end])


def _unprinted(text: str, mentions: Sequence[Span], quotes: Sequence[QuotedPassage]) -> dict[str, None]:
    """Return the numbers of provisions that a sentence names and neither its quotes nor their sources do."""
    printed = set(
        _NUMBER.findall(western_digits(" ".join(f"{one.passage.text} {one.cited}" for one in quotes)))
    )
    numbers = (
        number[0]
        for span in mentions
        for number in _NUMBER.finditer(western_digits(text[span.start : span.end]))
    )
    return dict.fromkeys(f"“{number}” is not in the quotes" for number in numbers if number not in printed)


MOST_SENTENCES, LONGEST_SENTENCE = 10, 600
# Maximum tokens of an answer and of its passages: more context helps little and costs much.
LONGEST_ANSWER, MOST_CONTEXT = 1500, 6000
# Tokens of the schema, the fences and the citations.
OVERHEAD = 900


@dataclass(frozen=True, slots=True)
class Written:
    """The checked answer of a model. ``missing``: the model reports that the passages do not answer."""

    sentences: tuple[Sentence, ...]
    citations: Citations
    missing: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Checked:
    """A sentence with its verbatim quotes, and the reasons why others were dropped."""

    text: str
    quotes: tuple[Located, ...]
    doubts: tuple[str, ...]

    @property
    def support(self) -> Support:
        if not self.quotes:
            return Support.NONE
        return Support.PART if self.doubts else Support.FULL


def write(
    investigation: Investigation, corpus: Corpus, model: LanguageModel, meter: Meter, *, unsupported: bool
) -> Written:
    """Have the model answer, check every sentence, and let it rewrite those that fail once.

    Raises ModelError or BudgetError if there is no answer at all, and CancelledError.
    """
    model = with_prefix(model, corpus)
    citations = Citations(investigation, corpus)
    shown, hidden = passages_shown(investigation, corpus, model)
    related = list_relations(investigation, corpus)
    notes = [_hidden(hidden)] if hidden else []
    if not shown:
        raise ModelError("no passage could be shown to the language model")
    data = prompt_data(investigation.question, shown, related)
    reply = model.ask(Prompt(TASK, INSTRUCTIONS, data, LONGEST_ANSWER), WrittenAnswer, meter)
    notes.extend(reply.warnings)
    by_key = {passage.key: passage for passage in shown}
    checked = _checked(reply.value, by_key, citations, investigation)
    failed = [one for one in checked if one.support is not Support.FULL]
    if failed:
        rewritten, rewrite_notes = _rewritten(failed, data, by_key, citations, investigation, model, meter)
        notes.extend(rewrite_notes)
        checked = _merged(checked, rewritten)
    remaining = [one for one in checked if unsupported or one.support is not Support.NONE]
    omitted = len(checked) - len(remaining)
    if omitted:
        notes.append(f"{plural(omitted, 'sentence')} of the model left out: no quote supports it")
    sentences = tuple(_sentence(one, citations, investigation.plan.language) for one in remaining)
    return Written(sentences, citations, reply.value.missing, tuple(dict.fromkeys(notes)))


def passages_shown(
    investigation: Investigation, corpus: Corpus, model: LanguageModel
) -> tuple[list[ContextPassage], list[ContextPassage]]:
    """Return the passages that the model may read, the most relevant at both ends, and those withheld because
    they address a machine. Raises ModelError if the model's context is too small for one."""
    tokens = token_estimate(len(INSTRUCTIONS) + len(investigation.question), investigation.plan.language)
    budget = min(MOST_CONTEXT, model.context_tokens - 2 * LONGEST_ANSWER - OVERHEAD - MOST_TOKENS - tokens)
    try:
        context = model_context(investigation, corpus, max(budget, FEWEST_TOKENS))
    except InputError as error:
        raise ModelError(f"a context of {model.context_tokens:,} tokens is too small to answer") from error
    hidden = [one for one in context.passages if addresses_machine(f"{one.cited}\n{one.text}")]
    shown = [one for one in context.passages if one not in hidden]
    related = list_relations(investigation, corpus)
    return _fitting(investigation.question, shown, related, model), hidden


def list_relations(investigation: Investigation, corpus: Corpus) -> tuple[str, ...]:
    """Return the relations that the prompt gives before the passages."""
    plan = investigation.plan
    return relations(corpus, investigation.question, plan.language, MOST_CONTEXT)


def _fitting(
    question: str, shown: list[ContextPassage], related: Sequence[str], model: LanguageModel
) -> list[ContextPassage]:
    """Drop the lowest passages until the prompt fits the model's own token count."""
    while len(shown) > 1:
        prompt = Prompt(TASK, INSTRUCTIONS, prompt_data(question, shown, related), LONGEST_ANSWER)
        if model.expected(prompt, WrittenAnswer).tokens <= model.context_tokens:
            break
        last = max(one.key for one in shown)
        shown = [one for one in shown if one.key != last]
    return shown


def prompt_data(
    question: str, shown: Sequence[ContextPassage], related: Sequence[str] = ()
) -> tuple[Data, ...]:
    """Return the question, the relations of its named provisions, and the passages, each under its key."""
    return (
        Data("question", question),
        *((Data("relations", "\n".join(related)),) if related else ()),
        *(Data(f"passage {one.key}", f"source: {one.cited}{_force(one)}\n\n{one.text}") for one in shown),
    )


def _force(passage: ContextPassage) -> str:
    return f" (not in force: {passage.validity})" if passage.validity else ""


def _hidden(hidden: Sequence[ContextPassage]) -> str:
    return f"{plural(len(hidden), 'passage')} not shown to the model, because the text addresses a machine"


def _checked(
    answer: WrittenAnswer,
    by_key: dict[int, ContextPassage],
    citations: Citations,
    investigation: Investigation,
) -> list[_Checked]:
    return [
        one
        for written in answer.sentences[:MOST_SENTENCES]
        if (one := _check(written, by_key, citations, investigation)).text
    ]


def _check(
    written: WrittenSentence,
    by_key: dict[int, ContextPassage],
    citations: Citations,
    investigation: Investigation,
) -> _Checked:
    """Check a sentence against its quotes, and the quotes against their passages."""
    text, quotes, doubts = plain(written.text), [], []
    for cited in written.quotes:
        passage = by_key.get(cited.key)
        if passage is None:
            doubts.append("it cites a passage that is not listed")
            continue
        found = verify(cited.quote, citations.passages(passage.ids))
        if isinstance(found, Located):
            quotes.append(found)
        else:
            doubts.append(f"a quote is dropped: {found}")
    unique = tuple(dict.fromkeys(quotes))
    if not unique:
        return _Checked(text, (), tuple(dict.fromkeys(doubts or ["it cites nothing"])))
    # A dropped quote does not count against a sentence that the other quotes support.
    quoted = [one for found in unique for one in _quoted_passages(found, citations)]
    return _Checked(text, unique, find_doubts(text, investigation.plan.language, quoted))


def _quoted_passages(found: Located, citations: Citations) -> list[QuotedPassage]:
    """Return the passages of a quote with the citation of their source."""
    passages = citations.passages([name for name, _ in found.places])
    return [
        QuotedPassage(passage, span, full_citation(passage, citations.document(passage)))
        for passage, (_, span) in zip(passages, found.places, strict=True)
    ]


def _rewritten(
    failed: Sequence[_Checked],
    data: tuple[Data, ...],
    by_key: dict[int, ContextPassage],
    citations: Citations,
    investigation: Investigation,
    model: LanguageModel,
    meter: Meter,
) -> tuple[list[_Checked], tuple[str, ...]]:
    """Return the model's new versions of the sentences that failed, in order; empty if the model fails."""
    failures = "\n".join(
        f"{number}. {one.text}\n   failed: {'; '.join(one.doubts)}" for number, one in enumerate(failed, 1)
    )
    prompt = Prompt(
        AGAIN_TASK, f"{INSTRUCTIONS}\n{AGAIN}", (*data, Data("failed sentences", failures)), LONGEST_ANSWER
    )
    try:
        reply = model.ask(prompt, WrittenAnswer, meter)
    except (ModelError, BudgetError) as error:
        return [], (f"the sentences that failed were not written again: {error}",)
    return _checked(reply.value, by_key, citations, investigation), reply.warnings


def _merged(checked: Sequence[_Checked], rewritten: Sequence[_Checked]) -> list[_Checked]:
    """Replace failed sentences with better supported new versions, each used once."""
    unused = list(rewritten)
    merged = []
    for one in checked:
        if one.support is Support.FULL:
            merged.append(one)
            continue
        better = max(unused, key=lambda other: _shared(one.text, other.text), default=None)
        if better is None or _rank(better) <= _rank(one) or not _shared(one.text, better.text):
            merged.append(one)
            continue
        unused.remove(better)
        merged.append(better)
    return merged


def _rank(one: _Checked) -> int:
    return (Support.NONE, Support.PART, Support.FULL).index(one.support)


def _shared(one: str, other: str) -> float:
    mine, theirs = set(one.casefold().split()), set(other.casefold().split())
    return len(mine & theirs) / max(len(mine | theirs), 1)


def _sentence(one: _Checked, citations: Citations, language: str) -> Sentence:
    numbers = tuple(citations.of(found).number for found in one.quotes)
    return Sentence(one.text, numbers, one.support, one.doubts, language=language)


_TAG = re.compile(r"<[^<>\n]{0,200}>")
_LINKED = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\n]{0,500}\)")
_ADDRESS = re.compile(r"(?:https?|ftp|data|javascript|file):\S+|\bwww\.\S+", re.IGNORECASE)
_NUMBERED = re.compile(r"\s*[\[【(]\s*(?:passage\s+|key\s+)?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\s*[\]】]")
_MARKUP = re.compile(r"\*\*|__|~~|`+|^\s*(?:#{1,6}\s+|[-*•]\s+|>\s+)", re.MULTILINE)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def plain(text: str) -> str:
    """Return a model's sentence as plain text in one line, without markup, addresses and citations."""
    text, before = _CONTROL.sub("", text), ""
    # Removing a tag from within a tag may leave another tag.
    while text != before:
        before = text
        text = _LINKED.sub(r"\1", text)
        for pattern in (_TAG, _ADDRESS, _NUMBERED, _MARKUP):
            text = pattern.sub("", text)
    return shortened(" ".join(text.split()), LONGEST_SENTENCE)


def expected_prompt(
    investigation: Investigation, corpus: Corpus, model: LanguageModel
) -> tuple[Prompt, type[WrittenAnswer]] | None:
    """Return the prompt that ``write`` would send, for its price; None if no passage is shown. Raises
    ModelError as ``passages_shown`` does."""
    shown, _ = passages_shown(investigation, corpus, model)
    if not shown:
        return None
    data = prompt_data(investigation.question, shown, list_relations(investigation, corpus))
    prompt = Prompt(TASK, INSTRUCTIONS, data, LONGEST_ANSWER)
    return with_prefix(model, corpus).prefixed(prompt), WrittenAnswer
