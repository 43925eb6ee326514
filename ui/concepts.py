"""The concepts that a question names, under its coverage: where each stands, where the law is, what to check,
and how all that it names relates. One that is pressed shows its provisions on the board, as an area does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

from engine.investigation.graph import anchors_in, subgraph
from engine.investigation.graph.nodes import edge_sentences
from engine.language.characters import attribute, escape, marked
from engine.ontology.applying import Concepts, NamedConcept, concepts_of, first_rows, in_language
from ui.session import OpenCase

MOST_SHOWN, MOST_SENTENCES, PER_ARTICLE = 6, 14, 12


def concepts_box(opened: OpenCase) -> str:
    """The fold with the concepts of a case; nothing where the question names none."""
    plan = opened.case.plan
    known = concepts_of(opened.corpus)
    if known is None or plan is None:
        return ""
    named = known.named_in(plan.question, plan.language)
    if not named:
        return ""
    listed = "".join(_concept(opened, known, one, plan.language) for one in named[:MOST_SHOWN])
    around = subgraph(opened.corpus, anchors_in(opened.corpus, plan.question, plan.language))
    lines = "".join(
        f'<li dir="auto">{escape(marked(line))}</li>'
        for line in islice(edge_sentences(around), MOST_SENTENCES)
    )
    return (
        '<details class="concepts-box"><summary><b>Concepts</b>'
        f"<small>{len(named)} named</small></summary>"
        f'{listed}<details class="concept-map"><summary>How they relate</summary><ul>{lines}</ul></details>'
        "</details>"
    )


def _concept(opened: OpenCase, known: Concepts, named: NamedConcept, language: str) -> str:
    """A concept as a button that shows its provisions, as far as the pool has them."""
    concept = named.concept
    articles = known.articles(opened.corpus, concept)
    rows, _ = first_rows(articles, PER_ARTICLE)
    ids = [passage.id for passage in opened.corpus.passages(rows)] if len(rows) else []
    held = [one for one in dict.fromkeys(ids) if one in opened.case.pool]
    facts = [*_facts(known, named, language)]
    return (
        f'<button type="button" class="area concept" aria-pressed="false" '
        f'data-evidence="{attribute(json.dumps(held))}">'
        f'<span class="t"><b dir="auto">{escape(in_language(concept.names, language, concept.id))}</b>'
        f'<span class="s">{len(held)} of {len(dict.fromkeys(ids))} found</span></span>'
        + "".join(f'<span class="f" dir="auto">{escape(marked(fact))}</span>' for fact in facts)
        + "</button>"
    )


def _facts(known: Concepts, named: NamedConcept, language: str) -> Iterator[str]:
    concept = named.concept
    above = [in_language(one.names, language, one.id) for one in reversed(known.above(concept))]
    if above:
        yield "under " + " › ".join(above)
    if concept.definition:
        yield in_language(concept.definition, language, "")
    cited = [*([concept.defined_in] if concept.defined_in else []), *concept.articles]
    if cited:
        yield "; ".join(cited)
    if concept.required_checks:
        yield f"to check: {'; '.join(concept.required_checks)}"
