"""The spans of a case, laid out from the durations that its record has.

A record knows when a case began, to the second, and how long each part of it took, and not when each part
began: parts stand one after another, and none overlaps another. What people followed later is a round like
the others. The plan was not timed: it is a moment. What a language model took is a sum over the whole case
for each task, part of which was spent inside rounds: these spans stand behind the rounds, and the case ends
with the last of them, or after its own milliseconds, whichever is later.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from engine.errors import InputError
from engine.exports.models import model_name
from engine.exports.reading import Query, Record, Round, Used, Worked
from engine.exports.spans.documents import of_retriever, of_strategy, texts_of
from engine.exports.spans.otlp import CLIENT, NANOSECONDS, Attributes, Span
from engine.investigation.turn import SCAN
from engine.records.wording import GAP_STRATEGY

KIND = "openinference.span.kind"
CHAIN, RETRIEVER, LLM = "CHAIN", "RETRIEVER", "LLM"
# Times are unsigned nanoseconds since 1970, of 64 bits.
FIRST, LAST = datetime(1970, 1, 1, tzinfo=UTC), 2**64 - 1


def spans_of(record: Record) -> Span:
    """Return the span of a case with all below it, with the question, the queries and the texts of passages.

    Raises InputError for a case of a time that no span can have.
    """
    start = int((record.started - FIRST).total_seconds()) * 1000 * NANOSECONDS
    root = Span("case", "investigate", start, start, _of_case(record))
    root.children.append(_plan(record, start))
    clock = start
    for position, one in enumerate(record.rounds):
        root.children.append(span := _round(record, one, position, clock))
        clock = span.end
    for task, used in record.usage.items():
        root.children.append(span := _asked(record, task, used, clock))
        clock = span.end
    root.end = max(start + _nanoseconds(record.milliseconds), clock)
    if start < 0 or root.end > LAST:
        raise InputError(f"a case of {record.started.isoformat()} has no spans: only from 1970 to 2554")
    return root


def _of_case(record: Record) -> Attributes:
    figures = {
        f"redstring.metrics.{name}": float(value)
        for name, value in record.metrics.items()
        if value is not None
    }
    used = record.usage.values()
    return {
        KIND: CHAIN,
        "input.value": record.question,
        "input.mime_type": "text/plain",
        "gen_ai.data_source.id": record.corpus,
        "gen_ai.usage.input_tokens": sum(one.prompt_tokens for one in used) if record.usage else None,
        "gen_ai.usage.output_tokens": sum(one.completion_tokens for one in used) if record.usage else None,
        "redstring.evidence": record.evidence.status,
        "redstring.stop.reason": record.stop.reason,
        "redstring.passages": len(record.passages),
        "redstring.pool": len(record.pool.nodes),
        "redstring.milliseconds": float(record.milliseconds),
        **figures,
    }


def _plan(record: Record, start: int) -> Span:
    views = [view.text for view in record.plan.views if view.enabled]
    attributes: Attributes = {
        KIND: CHAIN,
        "input.value": record.question,
        "output.value": "\n".join(views),
        "redstring.plan.views": len(views),
        "redstring.plan.language": record.plan.language,
        "redstring.plan.intent": record.plan.intent,
        "redstring.plan.strategy": record.plan.strategy,
        "redstring.plan.edited": record.plan.edited,
    }
    return Span("plan", "plan", start, start, attributes)


def _round(record: Record, one: Round, position: int, start: int) -> Span:
    """A round; its strategies one after another inside it, and in the scan its retrievers."""
    path = f"round/{position}"
    attributes: Attributes = {
        KIND: CHAIN,
        "input.value": "\n".join(query.text for query in one.queries) if one.queries else None,
        "redstring.round": one.number,
        "redstring.round.purpose": one.purpose,
        "redstring.round.seeds": len(one.seeds),
        "redstring.round.admitted": one.admitted,
        "redstring.round.refused": one.refused,
        "redstring.round.pool": one.pool_size,
    }
    span = Span(path, "scan" if one.number == 0 else f"round {one.number}", start, start, attributes)
    clock = start
    for number, work in enumerate(one.strategies):
        below = _strategy(record, one, work, f"{path}/strategy/{number}", clock)
        span.children.append(below)
        if work.strategy == SCAN:
            below.children.extend(_retrievers(record, one, path, clock))
        clock = below.end
    span.end = max(start + _nanoseconds(one.milliseconds), clock)
    return span


def _strategy(record: Record, one: Round, work: Worked, path: str, start: int) -> Span:
    query = _query_of(record, one, work.strategy)
    attributes: Attributes = {
        **_retrieval(record, work.strategy, query),
        "redstring.proposed": work.proposed,
        "redstring.admitted": work.admitted,
        **of_strategy(record, one.number, work.strategy, texts_of(record)),
    }
    end = start + _nanoseconds(work.milliseconds)
    return Span(path, f"retrieval {work.strategy}", start, end, attributes)


def _query_of(record: Record, one: Round, strategy: str) -> str | None:
    """What a strategy was asked: the scan the question, queries for gaps themselves; others start from
    passages."""
    if strategy == SCAN:
        return record.question
    return _lines(one.queries) if strategy == GAP_STRATEGY else None


def _lines(queries: tuple[Query, ...]) -> str:
    return "\n".join(query.text for query in queries)


def _retrievers(record: Record, one: Round, path: str, start: int) -> Iterator[Span]:
    """What each retriever found: moments, as only the scan as a whole was timed."""
    for number, retriever in enumerate(one.retrievers):
        if retriever.off:
            continue
        attributes: Attributes = {
            **_retrieval(record, retriever.retriever, record.question),
            "redstring.found": retriever.found,
            **of_retriever(record, retriever.retriever, texts_of(record)),
        }
        yield Span(f"{path}/retriever/{number}", f"retrieval {retriever.retriever}", start, start, attributes)


def _retrieval(record: Record, name: str, query: str | None) -> Attributes:
    return {
        KIND: RETRIEVER,
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": record.corpus,
        "gen_ai.retrieval.query.text": query,
        "input.value": query,
        "redstring.strategy": name,
    }


def _asked(record: Record, task: str, used: Used, start: int) -> Span:
    """What a language model was asked for one task in the whole case."""
    model = model_name(record.model)
    provider = record.model.partition(":")[0]
    attributes: Attributes = {
        KIND: LLM,
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider or None,
        "gen_ai.request.model": model or None,
        "gen_ai.usage.input_tokens": used.prompt_tokens,
        "gen_ai.usage.output_tokens": used.completion_tokens,
        "gen_ai.usage.cache_read.input_tokens": used.cached_tokens,
        "llm.model_name": model or None,
        "llm.token_count.prompt": used.prompt_tokens,
        "llm.token_count.completion": used.completion_tokens,
        "llm.token_count.total": used.prompt_tokens + used.completion_tokens,
        "redstring.task": task,
        "redstring.calls": used.calls,
    }
    end = start + _nanoseconds(used.milliseconds)
    return Span(f"model/{task}", f"chat {model}".strip(), start, end, attributes, CLIENT)


def _nanoseconds(milliseconds: float) -> int:
    return round(milliseconds * NANOSECONDS)
