"""Proposals, checks and applied rules as lines of text, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engine.corpus.protocol import Area, Corpus, Ontology
from engine.llm import Usage
from engine.ontology.applying import Citation, Concepts, Outcome, Verdict, problems
from engine.ontology.drafting import HEADING, Index
from engine.ontology.proposal import Proposal, ProposedArea, covered_share

SHOWN_HEADINGS = 5
EXCERPT = 300


def proposal_text(proposal: Proposal) -> Iterator[str]:
    """A proposal, area by area, with the headings it was made from and what it covers."""
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
            told = (f"{text} ({language})" for language, text in proposed.added)
            yield f"  added by the model: {', '.join(told)}"
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
    told = f"covers {_passages(proposed.reach.passages)}"
    if proposed.overlap is not None and proposed.overlap[1] > 0:
        told += f", of which {proposed.overlap[1]:.0%} are in {proposed.overlap[0]} too"
    return told


def proposal_json(proposal: Proposal) -> dict[str, Any]:
    """A proposal with its evidence and figures."""
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
    """What each area of an ontology covers in a corpus, and which of its keywords the corpus never has; what
    each type of transaction needs; the concepts in their hierarchy, and which of their provisions the corpus
    has not."""
    index = Index(corpus)
    for area in ontology.areas:
        reach = index.reach(area)
        yield f"{area.id}: covers {_passages(reach.passages)}{_absent(area, index)}"
    share = covered_share(ontology.areas, index)
    yield f"{len(ontology.areas)} areas cover {share:.0%} of the passages"
    areas = {area.id: area for area in ontology.areas}
    for transaction, needed in ontology.transactions.items():
        told = ", ".join(f"{name} {ontology.needed(areas[name], transaction)}" for name in needed)
        yield f"transaction {transaction} needs passages: {told or 'none'}"
    if ontology.concepts:
        yield from _concepts_text(corpus, Concepts(ontology))


def _concepts_text(corpus: Corpus, known: Concepts) -> Iterator[str]:
    """The concepts, each under its wider one, and what is wrong with them."""
    for concept in known.in_order():
        articles = known.articles(corpus, concept)
        count = sum(len(article.found.rows) for article in articles)
        indent = "  " * len(known.above(concept))
        told = (
            f"{len(concept.articles)} article{'' if len(concept.articles) == 1 else 's'}, {_passages(count)}"
        )
        checks = f"; to check: {'; '.join(concept.required_checks)}" if concept.required_checks else ""
        yield f"{indent}concept {concept.id} (importance {concept.importance}): {told}{checks}"
    wrong = list(problems(corpus, known))
    yield from (f"wrong: {problem}" for problem in wrong)
    missing = f"{len(wrong) or 'no'} provision{'' if len(wrong) == 1 else 's'} missing"
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
    """Each rule with its outcome, the values used and the provisions it cites, word for word."""
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
    """The outcome in words: "holds: invalid", "does not hold", "needs the day of delivery", "not in force on
    2023-05-01"."""
    if outcome.verdict is Verdict.HOLDS:
        return f"{outcome.verdict.value}: {outcome.rule.then}"
    if outcome.verdict is Verdict.OPEN:
        return f"{outcome.verdict.value} {'; '.join(outcome.needs) or 'more than these facts'}"
    if outcome.verdict is Verdict.NOT_IN_FORCE:
        return f"{outcome.verdict.value} on {outcome.day.isoformat()}"
    return outcome.verdict.value


def outcomes_json(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Outcomes as plain values."""
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
                    "said": citation.said,
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
    """What a model uses: calls, tokens and, where prices are known, money."""
    told = f"{used.calls} call{'' if used.calls == 1 else 's'}, {used.tokens:,} tokens"
    return f"{told}, {used.money:.4f} {currency}" if currency and used.money is not None else told


def _citation_lines(citation: Citation) -> Iterator[str]:
    for text in citation.texts:
        body = " ".join(text.text.split())
        body = body if len(body) <= EXCERPT else f"{body[:EXCERPT].rsplit(' ', 1)[0]} …"
        seal = f" [{text.validity}]" if text.validity else ""
        yield f"  {text.document}, {text.label}{seal}: {body}"


def _passages(count: int) -> str:
    return f"{count:,} passage{'' if count == 1 else 's'}"
