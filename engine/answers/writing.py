"""An answer written by a language model, and what remains of it after every sentence was checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.answers.audit.matching import asked_of, hold, sentences_around
from engine.answers.audit.record import otherwise
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
from engine.llm.suspicion import addresses_machine
from engine.model import Passage, Span
from engine.records.context import FEWEST_TOKENS, ContextPassage, model_context
from engine.records.phrases import full_citation, plural

# Whether the sources of a sentence that a language model wrote say it: by the check that claims
# are held to.
#
# Each quote is read with the whole sentences that it stands in: what it leaves out of them binds
# all the same.

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Said:
    """A passage, where a quote stands in it, and how it is cited: a sentence may name the provision it
    quotes."""

    passage: Passage
    span: Span
    cited: str


def doubts_of(text: str, language: str, quotes: Sequence[Said]) -> tuple[str, ...]:
    """Why the sources of a sentence do not say it, in words; nothing where they do. In another language
    nobody tells."""
    language = language.split("-")[0]
    mentions = [one.span for one in find_mentions(text, language) if one.targets and not one.bare]
    said = [_sentences(one) for one in quotes if one.passage.language.split("-")[0] == language]
    doubts = list(_unprinted(text, mentions, quotes))
    if not said:
        return (*doubts, "its quotes are in another language: whether they say it, a person tells")
    asked = asked_of(text, language, mentions)
    together = replace(said[0], text="\n".join(one.text for one in said))
    tried = said if len(said) < 2 else [*said, together]
    found = [hold(asked, readable(one), frozenset) for one in tried]
    alignments = [held.alignment for held in found if held is not None]
    if any(one.complete for one in alignments):
        return tuple(doubts)
    nearest = min(alignments, key=lambda one: (-one.share, one.defects), default=None)
    return (*doubts, otherwise(nearest))


def _sentences(quote: Said) -> Passage:
    """A passage cut to the sentences that a quote stands in."""
    span = sentences_around(quote.span, readable(quote.passage))
    return replace(quote.passage, text=quote.passage.text[span.start : span.end])


def _unprinted(text: str, mentions: Sequence[Span], quotes: Sequence[Said]) -> dict[str, None]:
    """Provisions that a sentence names and neither its quotes nor their sources do."""
    printed = set(
        _NUMBER.findall(western_digits(" ".join(f"{one.passage.text} {one.cited}" for one in quotes)))
    )
    numbers = (
        number[0]
        for span in mentions
        for number in _NUMBER.finditer(western_digits(text[span.start : span.end]))
    )
    return dict.fromkeys(f"“{number}” is not in the quotes" for number in numbers if number not in printed)


# An answer written by a language model, and what is left of it after every sentence was checked.
#
# The model sees the ranked passages, the most relevant at both ends, and fills a form: sentences,
# each with quotes by the key of their passage. What counts is decided here: a key that was not
# listed is no key, a quote that is not in its passage word for word is no quote, a sentence
# without a quote is not supported, and what its quotes do not carry (a number, a date, a
# negation, an article) is told beside it. Sentences that fail are shown to the model once, with
# the reasons.

MOST_SENTENCES, LONGEST_SENTENCE = 10, 600
# Tokens of an answer, and of passages at most: more context helps little and costs much.
LONGEST_ANSWER, MOST_CONTEXT = 1500, 6000
# What the schema, the fences and the citations take besides, in tokens.
BESIDE = 900


@dataclass(frozen=True, slots=True)
class Written:
    """What holds of a model's answer. ``missing``: the model says that the passages do not answer."""

    sentences: tuple[Sentence, ...]
    citations: Citations
    missing: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Checked:
    """A sentence with its quotes that are in their passages, and why the others are not."""

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
    """Have the model answer, check every sentence, and give it one chance to mend those that fail.

    Raises ModelError and BudgetError where there is no answer at all, CancelledError.
    """
    model = with_prefix(model, corpus)
    citations = Citations(investigation, corpus)
    shown, hidden = passages_shown(investigation, corpus, model)
    related = relations_told(investigation, corpus)
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
        mended, told = _mended(failed, data, by_key, citations, investigation, model, meter)
        notes.extend(told)
        checked = _merged(checked, mended)
    kept = [one for one in checked if unsupported or one.support is not Support.NONE]
    left = len(checked) - len(kept)
    if left:
        notes.append(f"{plural(left, 'sentence')} of the model left out: no quote supports it")
    sentences = tuple(_sentence(one, citations, investigation.plan.language) for one in kept)
    return Written(sentences, citations, reply.value.missing, tuple(dict.fromkeys(notes)))


def passages_shown(
    investigation: Investigation, corpus: Corpus, model: LanguageModel
) -> tuple[list[ContextPassage], list[ContextPassage]]:
    """The passages that the model may read, the most relevant at both ends, and those that are kept from it
    as they speak to a machine. Raises ModelError where the model's context has no room for one."""
    asked = token_estimate(len(INSTRUCTIONS) + len(investigation.question), investigation.plan.language)
    room = min(MOST_CONTEXT, model.context_tokens - 2 * LONGEST_ANSWER - BESIDE - MOST_TOKENS - asked)
    try:
        context = model_context(investigation, corpus, max(room, FEWEST_TOKENS))
    except InputError as error:
        raise ModelError(f"a context of {model.context_tokens:,} tokens is too small to answer") from error
    hidden = [one for one in context.passages if addresses_machine(f"{one.cited}\n{one.text}")]
    shown = [one for one in context.passages if one not in hidden]
    related = relations_told(investigation, corpus)
    return _fitting(investigation.question, shown, related, model), hidden


def relations_told(investigation: Investigation, corpus: Corpus) -> tuple[str, ...]:
    """What stands in front of the passages."""
    plan = investigation.plan
    return relations(corpus, investigation.question, plan.language, MOST_CONTEXT)


def _fitting(
    question: str, shown: list[ContextPassage], related: Sequence[str], model: LanguageModel
) -> list[ContextPassage]:
    """As many of the passages as the model's own count of tokens allows, the lowest of the ranking dropped
    first: text that needs more tokens than text usually does must not keep an answer from being written."""
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
    """The question, how what it names relates, and the passages, each under its key."""
    return (
        Data("question", question),
        *((Data("relations", "\n".join(related)),) if related else ()),
        *(Data(f"passage {one.key}", f"source: {one.cited}{_force(one)}\n\n{one.text}") for one in shown),
    )


def _force(passage: ContextPassage) -> str:
    return f" (not in force: {passage.validity})" if passage.validity else ""


def _hidden(hidden: Sequence[ContextPassage]) -> str:
    return f"{plural(len(hidden), 'passage')} not shown to the model, as the text speaks to a machine"


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
    """Hold a sentence against its quotes, and its quotes against their passages."""
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
    # A dropped quote is no fault of a sentence that the others carry.
    said = [one for found in unique for one in _said(found, citations)]
    return _Checked(text, unique, doubts_of(text, investigation.plan.language, said))


def _said(found: Located, citations: Citations) -> list[Said]:
    """The passages that a quote stands in, and the name under which their source is cited."""
    passages = citations.passages([name for name, _ in found.places])
    return [
        Said(passage, span, full_citation(passage, citations.document(passage)))
        for passage, (_, span) in zip(passages, found.places, strict=True)
    ]


def _mended(
    failed: Sequence[_Checked],
    data: tuple[Data, ...],
    by_key: dict[int, ContextPassage],
    citations: Citations,
    investigation: Investigation,
    model: LanguageModel,
    meter: Meter,
) -> tuple[list[_Checked], tuple[str, ...]]:
    """What the model makes of the sentences that failed, in order; nothing where it fails itself."""
    told = "\n".join(
        f"{number}. {one.text}\n   failed: {'; '.join(one.doubts)}" for number, one in enumerate(failed, 1)
    )
    prompt = Prompt(
        AGAIN_TASK, f"{INSTRUCTIONS}\n{AGAIN}", (*data, Data("failed sentences", told)), LONGEST_ANSWER
    )
    try:
        reply = model.ask(prompt, WrittenAnswer, meter)
    except (ModelError, BudgetError) as error:
        return [], (f"the sentences that failed were not written again: {error}",)
    return _checked(reply.value, by_key, citations, investigation), reply.warnings


def _merged(checked: Sequence[_Checked], mended: Sequence[_Checked]) -> list[_Checked]:
    """The sentences with those that hold better now in the place of those that failed, each used once."""
    waiting = list(mended)
    merged = []
    for one in checked:
        if one.support is Support.FULL:
            merged.append(one)
            continue
        better = max(waiting, key=lambda other: _shared(one.text, other.text), default=None)
        if better is None or _rank(better) <= _rank(one) or not _shared(one.text, better.text):
            merged.append(one)
            continue
        waiting.remove(better)
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
    """A sentence of a model as plain text in one line: no markup, no addresses, no citations of its own."""
    text, before = _CONTROL.sub("", text), ""
    # What is left where a tag is taken out of a tag may be one again.
    while text != before:
        before = text
        text = _LINKED.sub(r"\1", text)
        for pattern in (_TAG, _ADDRESS, _NUMBERED, _MARKUP):
            text = pattern.sub("", text)
    return shortened(" ".join(text.split()), LONGEST_SENTENCE)


def expected_prompt(
    investigation: Investigation, corpus: Corpus, model: LanguageModel
) -> tuple[Prompt, type[WrittenAnswer]] | None:
    """The prompt that ``write`` would send, to be priced before it is sent; None where nothing is shown.
    Raises ModelError as ``passages_shown`` does."""
    shown, _ = passages_shown(investigation, corpus, model)
    if not shown:
        return None
    data = prompt_data(investigation.question, shown, relations_told(investigation, corpus))
    asked = Prompt(TASK, INSTRUCTIONS, data, LONGEST_ANSWER)
    return with_prefix(model, corpus).prefixed(asked), WrittenAnswer
