"""What a memo finds: the sentences of the sources that answer, where the corpus can be opened and has the
words of the case, else the passages that the case ranks first, as its record has them."""

from __future__ import annotations

from collections.abc import Sequence

from engine.answers.answer import answer
from engine.answers.export import MISSING, WHAT_TO_TRY
from engine.answers.record import Answer, Method, Sentence, Support
from engine.corpus.protocol import Corpus
from engine.exports.memo.content import Finding, Findings, Words
from engine.exports.memo.noting import Notes
from engine.investigation.record import Investigation
from engine.model import EvidenceStatus
from engine.records.record import CaseRecord

# Passages that are quoted where no answer is composed, and those that came closest where nothing was found.
MOST_QUOTED, MOST_CLOSE = 8, 3
OWN_SENTENCES = (
    "The sentences are the sources' own. The engine chose them from the passages of the case when this memo "
    "was written; no language model wrote them."
)
RECORDED = (
    "The passages that the case ranks first, as its record has them. No sentences were chosen from them: "
    "{why}."
)
CLOSEST = "The passages that came closest; they do not answer the question."
NONE_RANKED = "The case ranks no passage."


def answered(investigation: Investigation, corpus: Corpus) -> Answer:
    """The brief of the sources' own sentences."""
    return answer(investigation, corpus)


def findings_of_answer(told: Answer, notes: Notes) -> Findings:
    """An answer as findings: sentences, what limits them, what is to be read besides."""
    lead = []
    if told.missing:
        lead.append(" ".join(part for part in (MISSING, told.unanswered, WHAT_TO_TRY) if part))
    else:
        lead += [OWN_SENTENCES] if told.sentences and told.method is Method.BRIEF else []
        lead += [told.unanswered] if told.unanswered else []
    sentences = tuple(_of_sentence(one, told, notes) for one in told.sentences)
    limits = tuple(
        Finding(
            Words(one.words),
            tuple(notes.of_citation(told.citation(number)) for number in one.citations),
            own=False,
        )
        for one in told.conflicts
    )
    to_read = tuple(
        Finding(
            Words(told.citation(number).quote, told.citation(number).language),
            (notes.of_citation(told.citation(number)),),
        )
        for number in told.to_read
    )
    shown = [one.words.text for one in (*sentences, *to_read)]
    return Findings((*lead, *told.notes), sentences, notes.made(shown), limits, to_read, composed=True)


def findings_of_record(case: CaseRecord, notes: Notes, why: str) -> Findings:
    """The first passages of a record; ``why`` no answer was composed. Where nothing was found they are no
    findings."""
    if not case.passages:
        return Findings((NONE_RANKED,), (), ())
    none = case.evidence.status is EvidenceStatus.NONE
    chosen = case.passages[: MOST_CLOSE if none else MOST_QUOTED]
    quoted = tuple(Finding(Words(one.text, one.language), (notes.of_passage(one),)) for one in chosen)
    made = notes.made([one.words.text for one in quoted])
    if none:
        return Findings((CLOSEST,), (), made, to_read=quoted)
    return Findings((RECORDED.format(why=why),), quoted, made)


def _of_sentence(sentence: Sentence, told: Answer, notes: Notes) -> Finding:
    numbers = tuple(notes.of_citation(told.citation(number)) for number in sentence.citations)
    doubts: Sequence[str] = ()
    if sentence.support is not Support.FULL:
        doubts = (sentence.support.value, *sentence.doubts)
    return Finding(Words(sentence.text, sentence.language), numbers, area=sentence.area, doubts=tuple(doubts))
