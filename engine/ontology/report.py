"""Format proposals, checks and applied rules as lines of text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engine.corpus.protocol import Area, Corpus, Ontology
from engine.llm import Usage
from engine.ontology.applying import Citation, Concepts, Outcome, Verdict, find_problems
from engine.ontology.drafting import HEADING, Index
from engine.ontology.proposal import Proposal, ProposedArea, covered_share

SHOWN_HEADINGS = 5
EXCERPT = 300


def proposal_text(proposal: Proposal) -> Iterator[str]:
    """Yield a proposal area by area, with the headings it was made from and its coverage."""
    for proposed in proposal.areas:
        area = proposed.area
        yield f"{' / '.join(area.names.values())}  [{area.id}]"
        yield f"  {_figures(proposed)}"
        for language, words in area.keywords.items():
            yield f"  {language}: {', '.join(words)}"
        headings = [one for one in proposed.evidence if one.kind == HEADING][:SHOWN_HEADINGS]
        if headings:
            yield "  from: " + "; ".join(f"{one.text} ({one.passage_id})" for one in headings)
        if proposed.made_of:
            yield f"  joined by the model: {', '.join(proposed.made_of)}"
        if proposed.added:
            added = (f"{text} ({language})" for language, text in proposed.added)
            yield f"  added by the model: {', '.join(added)}"
        yield ""
    if proposal.transactions:
        yield "Transactions"
        for found in proposal.transactions:
            yield f"  {found.heading}: {', '.join(found.areas)}  (below the heading: {found.passage_id})"
        yield ""
    yield f"{len(proposal.areas)} areas cover {proposal.covered:.0%} of the passages"
    for note in proposal.notes:
        yield f"Note: {note}"


def _figures(proposed: ProposedArea) -> str:
    figures = f"covers {_passages(proposed.reach.passages)}"
    if proposed.overlap is not None and proposed.overlap[1] > 0:
        figures += f", of which {proposed.overlap[1]:.0%} are in {proposed.overlap[0]} too"
    return figures


def proposal_json(proposal: Proposal) -> dict[str, Any]:
    """Return a proposal with its evidence and figures."""
    return {
        **proposal.content(),
        "covered": round(proposal.covered, 4),
        "notes": list(proposal.notes),
        "evidence": {
            proposed.area.id: [
                {"key": one.key, "kind": one.kind, "text": one.text, "language": one.language,
                 "passage": one.passage_id, "passages": one.passages}
                for one in proposed.evidence
            ]
            for proposed in proposal.areas
        },
        "figures": {
            proposed.area.id: {
                "passages": proposed.reach.passages,
                "overlap": None if proposed.overlap is None else list(proposed.overlap),
                "source": proposed.source,
                "made_of": list(proposed.made_of),
                "added": [list(one) for one in proposed.added],
            }
            for proposed in proposal.areas
        },
    }  # fmt: skip


def check_text(corpus: Corpus, ontology: Ontology) -> Iterator[str]:
    """Yield what each area of an ontology covers in a corpus, and its keywords that never occur; what each
    type of transaction needs; and the concepts in their hierarchy, with their missing provisions."""
    index = Index(corpus)
    for area in ontology.areas:
        reach = index.reach(area)
        yield f"{area.id}: covers {_passages(reach.passages)}{_absent(area, index)}"
    share = covered_share(ontology.areas, index)
    yield f"{len(ontology.areas)} areas cover {share:.0%} of the passages"
    areas = {area.id: area for area in ontology.areas}
    for transaction, needed in ontology.transactions.items():
        needed_text = ", ".join(f"{name} {ontology.needed(areas[name], transaction)}" for name in needed)
        yield f"transaction {transaction} needs passages: {needed_text or 'none'}"
    if ontology.concepts:
        yield from _concepts_text(corpus, Concepts(ontology))


def _concepts_text(corpus: Corpus, known: Concepts) -> Iterator[str]:
    """Yield the concepts, each below its parent, and their problems."""
    for concept in known.in_order():
        articles = known.articles(corpus, concept)
        count = sum(len(article.found.rows) for article in articles)
        indent = "  " * len(known.above(concept))
        size = (
            f"{len(concept.articles)} article{'' if len(concept.articles) == 1 else 's'}, {_passages(count)}"
        )
        checks = f"; to check: {'; '.join(concept.required_checks)}" if concept.required_checks else ""
        yield f"{indent}concept {concept.id} (importance {concept.importance}): {size}{checks}"
    missing_provisions = list(find_problems(corpus, known))
    yield from (f"wrong: {problem}" for problem in missing_provisions)
    missing = (
        f"{len(missing_provisions) or 'no'} provision{'' if len(missing_provisions) == 1 else 's'} missing"
    )
    yield f"{len(known.ontology.concepts)} concepts; {missing}"


def _absent(area: Area, index: Index) -> str:
    missing = [
        f"{word} ({language})"
        for language, words in area.keywords.items()
        for word in words
        if index.of_language(language).any() and not index.holding(language, word).any()
    ]
    return f"; not in the corpus: {', '.join(missing)}" if missing else ""


def outcomes_text(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield each rule with its outcome, the values used and the provisions it cites, verbatim."""
    for outcome in outcomes:
        yield f"{outcome.name} -> {verdict_words(outcome)}"
        if outcome.verdict is Verdict.HOLDS and outcome.because:
            yield f"  {outcome.because}"
        yield f"  when: {outcome.rule.when}"
        for name, value in outcome.used:
            yield f"  {name}: {value}"
        for reason in outcome.reasons:
            yield f"  {reason}"
        for citation in outcome.citations:
            yield from _citation_lines(citation)
        for warning in outcome.warnings:
            yield f"  Note: {warning}"
        yield ""


def verdict_words(outcome: Outcome) -> str:
    """Return the outcome in words: "holds: invalid", "does not hold", "needs the day of delivery", "not in
    force on 2023-05-01"."""
    if outcome.verdict is Verdict.HOLDS:
        return f"{outcome.verdict.value}: {outcome.rule.then}"
    if outcome.verdict is Verdict.OPEN:
        return f"{outcome.verdict.value} {'; '.join(outcome.needs) or 'more than these facts'}"
    if outcome.verdict is Verdict.NOT_IN_FORCE:
        return f"{outcome.verdict.value} on {outcome.day.isoformat()}"
    return outcome.verdict.value


def outcomes_json(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return outcomes as plain values."""
    return [
        {
            "rule": outcome.rule.id,
            "name": outcome.name,
            "verdict": outcome.verdict.value,
            "day": outcome.day.isoformat(),
            "then": outcome.rule.then,
            "because": outcome.because,
            "when": outcome.rule.when,
            "needs": list(outcome.needs),
            "reasons": list(outcome.reasons),
            "used": dict(outcome.used),
            "citations": [
                {
                    "said": citation.words,
                    "problem": citation.problem,
                    "passages": [
                        {"id": text.passage_id, "label": text.label, "document": text.document,
                         "text": text.text, "validity": text.validity or "in force or not known"}
                        for text in citation.texts
                    ],
                }
                for citation in outcome.citations
            ],
            "warnings": list(outcome.warnings),
        }
        for outcome in outcomes
    ]  # fmt: skip


def use_words(used: Usage, currency: str) -> str:
    """Return a model's usage: calls, tokens and, if prices are known, money."""
    usage = f"{used.calls} call{'' if used.calls == 1 else 's'}, {used.tokens:,} tokens"
    return f"{usage}, {used.money:.4f} {currency}" if currency and used.money is not None else usage


def _citation_lines(citation: Citation) -> Iterator[str]:
    for text in citation.texts:
        body = " ".join(text.text.split())
        body = body if len(body) <= EXCERPT else f"{body[:EXCERPT].rsplit(' ', 1)[0]} …"
        validity = f" [{text.validity}]" if text.validity else ""
        yield f"  {text.document}, {text.label}{validity}: {body}"


def _passages(count: int) -> str:
    return f"{count:,} passage{'' if count == 1 else 's'}"
