"""An answer to the question of a case, every sentence bound to the exact words of a source.

With a language model it writes and the engine checks (see ``writing``); without one, or where it fails, the
answer is a brief of the sources' own sentences (see ``brief``). That the pool does not contain an answer is
decided by the words of the question (see ``asked``), or said by the model where no sentence of it holds.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from engine.answers.brief import Brief, brief_of, missing_areas
from engine.answers.citing import Citations
from engine.answers.conflicts import conflicts_of
from engine.answers.linking import with_links
from engine.answers.naming import asks_for_named_alone
from engine.answers.record import Answer, Method, Sentence, Support
from engine.answers.writing import Written, write
from engine.corpus.protocol import Corpus
from engine.errors import BudgetError, ModelError
from engine.investigation.asked import Asked, asked_of
from engine.investigation.assistance.answer_form import AGAIN_TASK, TASK
from engine.investigation.record import Investigation
from engine.llm import LanguageModel, Meter
from engine.model import EvidenceStatus, Naming
from engine.records.wording import plural, status_words
from engine.retrieval.planning.plan import law_of_today

OUT_OF_FORCE_ONLY = "Every source of this answer is out of force on the day of the question."


def answer(
    investigation: Investigation,
    corpus: Corpus,
    *,
    model: LanguageModel | None = None,
    meter: Meter | None = None,
    unsupported: bool = True,
) -> Answer:
    """Answer the question of an investigation from its ranked passages.

    ``meter`` counts what the model uses and keeps its budget. ``unsupported``: whether sentences of the model
    that no quote supports are kept, marked, or left out. Where the model fails a note says so and the brief
    takes its place. Raises CancelledError where the meter was cancelled.
    """
    started = time.perf_counter()
    meter = meter or Meter()
    asked = asked_of(investigation.question, investigation.plan.language, corpus)
    lacking = _lacking(asked, investigation)
    notes: list[str] = []
    written: Written | None = None
    brief = Brief(())
    if model is not None and investigation.passages:
        try:
            written = write(investigation, corpus, model, meter, unsupported=unsupported)
        except (ModelError, BudgetError) as error:
            notes.append(f"the answer is a brief of the sources' own sentences: {error}")
    if written is not None:
        sentences, citations = written.sentences, written.citations
        notes.extend(written.notes)
        carried = any(one.support is not Support.NONE for one in sentences)
        missing = not carried and (written.missing or bool(lacking) or not sentences)
        lacking = lacking or "The language model found no answer in the passages." if missing else ""
    else:
        citations = Citations(investigation, corpus)
        missing = bool(lacking)
        brief = brief if missing else brief_of(investigation, corpus, asked, citations)
        sentences = with_links(brief.sentences, citations.made, corpus)
    today = "" if missing else _law_of_today(investigation)
    conflicts = () if missing else conflicts_of(investigation, corpus, citations)
    return Answer(
        question=investigation.question,
        language=investigation.plan.language,
        method=Method.BRIEF if written is None else Method.MODEL,
        sentences=sentences,
        citations=citations.made,
        conflicts=conflicts,
        missing=missing,
        unanswered=" ".join(filter(None, (today, lacking or brief.unanswered))),
        to_read=brief.to_read,
        gaps=() if missing else missing_areas(investigation),
        notes=(*_in_part(investigation), *notes, *_of_force(sentences, citations)),
        model=model.spec if written is not None and model is not None else "",
        usage={task: used for task, used in meter.tasks.items() if task in TASKS},
        milliseconds=1000 * (time.perf_counter() - started),
        parts=investigation.evidence.parts,
    )


# What an answer asks a model for; other tasks of the same meter are the case's.
TASKS = (TASK, AGAIN_TASK)


def _law_of_today(investigation: Investigation) -> str:
    """That the answer is the law of today though the question is about another time, of a corpus of law."""
    if not any(found.passage.number for found in investigation.passages):
        return ""
    day = investigation.day or investigation.started.date()
    return law_of_today(investigation.plan, investigation.settings, day)


def _lacking(asked: Asked, investigation: Investigation) -> str:
    """What the pool lacks of the question, in words; empty where it may hold an answer. Where it holds the
    provision that the question asks for by its number, it does; where there is no such provision, or the
    question does not tell which of several, nothing else answers."""
    named = investigation.plan.named
    shown = {one for found in investigation.passages for one in (found.passage.id, *found.assembled_ids)}
    if any(one.status is Naming.FOUND and not shown.isdisjoint(one.passage_ids) for one in named):
        return ""
    if named and asks_for_named_alone(investigation.plan):
        told = "; ".join(one.note for one in named)
        return f"{told[:1].upper()}{told[1:]}."
    if not investigation.passages:
        told = "Nothing was found for this question."
    elif investigation.evidence.status is EvidenceStatus.NONE:
        held = investigation.evidence.numbers.get("best", 0.0)
        told = f"The best passage holds {100 * held:.0f} % of what the question asks about."
    else:
        return ""
    if not asked.unknown:
        return told
    words = ", ".join(f"“{word}”" for word in asked.unknown[:6])
    stand = "stands" if len(asked.unknown) == 1 else "stand"
    return f"{told} {words} {stand} nowhere in {investigation.corpus}."


def _in_part(investigation: Investigation) -> tuple[str, ...]:
    """What of the question nothing bears, where the rest is found."""
    if investigation.evidence.status is not EvidenceStatus.PARTIAL:
        return ()
    return (f"{status_words(investigation.evidence)}.",)


def _of_force(sentences: Sequence[Sentence], citations: Citations) -> tuple[str, ...]:
    """What is to be said of the force of the sources that the sentences cite."""
    made = citations.made
    cited = [made[number - 1] for number in sorted({n for one in sentences for n in one.citations})]
    old = [citation for citation in cited if citation.old]
    if not old:
        return ()
    if len(old) == len(cited):
        return (OUT_OF_FORCE_ONLY,)
    names = dict.fromkeys(f"{citation.short} ({citation.validity})" for citation in old)
    return (f"{plural(len(names), 'source')} of this answer not in force: {', '.join(names)}.",)
