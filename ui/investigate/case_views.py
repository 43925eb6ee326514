"""Parts of a case that are shown on demand: concepts, details of passages, rules, wrong links."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from engine.access.users import Action, Person, may
from engine.corpus.extracted import Judgement
from engine.errors import AccessError, InputError
from engine.extraction.judging import Ends, judge_link, rejected_links, unjudge_link
from engine.investigation.graph import anchors_in, subgraph
from engine.investigation.graph.nodes import edge_sentences
from engine.language.characters import marked, shortened
from engine.model import Relation
from engine.ontology.applying import Concepts, NamedConcept, first_rows, get_concepts, in_language
from engine.records.context import badge
from engine.records.phrases import full_citation, pinpoint
from ui.investigate.board import Dossier
from ui.investigate.passages import Link, link_between
from ui.open_case import OpenCase
from ui.shelf import Library
from ui.templating import rendered

# The concepts that a question names, shown under its coverage: the status of each, its provisions, points
# to check, and the relations of all. Pressing one shows its provisions on the board, as for an area.

MOST_SHOWN, MOST_SENTENCES, PER_ARTICLE = 6, 14, 12


def concepts_box(opened: OpenCase) -> str:
    """Return the fold with the concepts of a case; empty if the question names none."""
    plan = opened.case.plan
    known = get_concepts(opened.corpus)
    if known is None or plan is None:
        return ""
    named = known.named_in(plan.question, plan.language)
    if not named:
        return ""
    around = subgraph(opened.corpus, anchors_in(opened.corpus, plan.question, plan.language))
    return rendered(
        "investigate/concepts.html",
        named=len(named),
        concepts=[_concept(opened, known, one, plan.language) for one in named[:MOST_SHOWN]],
        lines=list(islice(edge_sentences(around), MOST_SENTENCES)),
    )


def _concept(
    opened: OpenCase, known: Concepts, named: NamedConcept, language: str
) -> tuple[str, list[str], int, list[str]]:
    """Return the name of a concept, those of its provisions that are in the pool, the number of all, and
    facts."""
    concept = named.concept
    rows, _ = first_rows(known.articles(opened.corpus, concept), PER_ARTICLE)
    passages = opened.corpus.passages(rows) if len(rows) else []
    ids = list(dict.fromkeys(passage.id for passage in passages))
    held = [one for one in ids if one in opened.case.pool]
    name = in_language(concept.names, language, concept.id)
    return name, held, len(ids), [*_facts(known, named, language)]


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


# Details of a passage for the board and the tree.

EXCERPT = 320


def dossiers(opened: OpenCase, passage_ids: Sequence[str]) -> Mapping[str, Dossier]:
    """Return the details of passages, from one read of the corpus."""
    found: dict[str, Dossier] = {}
    for passage_id, (passage, document) in opened.lookup(list(passage_ids)).items():
        seal = badge(passage, document, opened.case.as_of)
        found[passage_id] = Dossier(
            name=marked(opened.name(passage_id)),
            title=marked(document.title or document.id),
            where=marked(pinpoint(passage)),
            text=marked(shortened(passage.text, EXCERPT)),
            language=passage.language,
            citation=marked(full_citation(passage, document)),
            badge=seal.words if seal else "",
        )
    return found


# The element under the coverage of a case for the rules of its corpus; its script fills it.


def rules_slot(opened: OpenCase) -> str:
    """Return an empty element with the case's corpus, question, day and transaction; empty without rules."""
    ontology = opened.corpus.ontology
    if ontology is None or not ontology.rules:
        return ""
    kind = opened.case.settings.transaction_type or ""
    return rendered("investigate/rules_slot.html", opened=opened, day=opened.case.as_of, kind=kind)


# A wrong link is reported on the card whose trail shows it. The next case leaves it out.

LONGEST_LINK = 2_000


def may_judge(library: Library, person: Person, corpus: str | None) -> bool:
    """Return whether a person may judge the links of a corpus: reviewers, operators, its owner."""
    return may(person.role, Action.JUDGE, own=library.belongs(library.find(corpus, person.key)))


def judge_met(opened: OpenCase, action: Any, text: Any) -> None:
    """Reject a link that the page shows, or withdraw a rejection. Raises AccessError if the caller may not,
    InputError for an unknown link."""
    if not opened.may_judge:
        raise AccessError("links of this corpus are judged by its reviewers")
    link = link_of_words(text)
    ends = Ends(link[0], link[1], Relation(link[2]))
    if action == "reject":
        judge_link(opened.corpus, ends, Judgement.REJECTED, reviewer=opened.reviewer)
    else:
        unjudge_link(opened.corpus, ends)
    as_judged(opened, [link])


def as_judged(opened: OpenCase, more: Iterable[Link] = ()) -> None:
    """Update the rejected links of a case, whether they were rejected on its page, in a text, or by command.
    ``more`` are links to check in addition to those that the case shows."""
    pool = opened.case.pool
    # A running case adds to its pool at the same time.
    shown = {link for ends in pool.links() if (link := link_between(*ends)) is not None}
    if opened.answer is not None:
        answer = opened.answer[0]
        links = [*(one.link for one in answer.sentences), *(one.link for one in answer.conflicts)]
        shown |= {link for link in links if link is not None}
    ends = [Ends(source, target, Relation(relation)) for source, target, relation in shown.union(more)]
    opened.rejected = frozenset(
        (one.source_id, one.target_id, one.relation.value)
        for one in rejected_links(opened.corpus, ends)
        if one.relation is not None
    )


def link_of_words(text: Any) -> Link:
    """Parse a link that the page sends. Raises InputError for an invalid one."""
    try:
        source, target, relation = json.loads(str(text)[:LONGEST_LINK])
        return str(source), str(target), Relation(relation).value
    except (ValueError, TypeError):
        raise InputError("the request names no link") from None
