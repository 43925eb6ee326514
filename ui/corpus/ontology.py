"""Answers about the areas of a corpus: as they stand, what they cover, what is proposed, saved and undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.access.users import Action
from engine.corpus.ontology import checked, ontology_content, ontology_from, ontology_yaml, parse_ontology
from engine.corpus.ontology_journal import ontology_in_force, save_ontology, saved_ontologies, undo_ontology
from engine.corpus.protocol import Area, Corpus, Ontology
from engine.errors import CorpusError, InputError, SourceError, for_visitors
from engine.language.characters import marked
from engine.llm import LanguageModel, Meter
from engine.llm.base import Budget
from engine.llm.cost import cost_lines, cost_report, currency_of
from engine.ontology.applying import apply_rules, concepts_of, in_language
from engine.ontology.assisting import assisted, expected_use
from engine.ontology.drafting import HEADING, Index, overlaps
from engine.ontology.proposal import AreaChange, Proposal, area_content, covered_share, difference, propose
from engine.ontology.telling import use_words
from ui.corpus.browse import Browser
from ui.corpus.desk import Ask, CorpusDesk
from ui.corpus.ontology_rules import rule_json, today

Answer = dict[str, Any]
EXCERPT = 160
NOTHING_YET: Answer = {"areas": [], "transactions": {}}
MOST_HEADINGS = 5
# One grouping is one prompt, and perhaps one repair.
BUDGET = Budget(calls=6, seconds=180.0)


def areas(desk: CorpusDesk, ask: Ask) -> Answer:
    """The ontology in force: its content, where it comes from, what it covers, and who may change it."""
    shelved, browser = desk.shelved(ask), desk.browser(ask)
    corpus = browser.corpus
    saved = ontology_in_force(shelved.folder)
    model = desk.connections.model(ask.session)
    spoken = corpus.info().languages
    rules = () if corpus.ontology is None else apply_rules(corpus, corpus.ontology, {}, today())
    writable = desk.may(ask, shelved, Action.AREAS)
    return {
        "content": NOTHING_YET if corpus.ontology is None else ontology_content(corpus.ontology),
        "origin": "people" if saved else "ingested" if corpus.ontology else "none",
        "when": saved.when if saved else "",
        "undo": writable and bool(saved_ontologies(shelved.folder)),
        "writable": writable,
        "languages": sorted(spoken, key=lambda language: (-spoken[language], language)),
        "model": "" if model is None else model.spec,
        "rules": [rule_json(outcome) for outcome in rules],
        "concepts": _concepts(corpus),
        **_figures(browser, () if corpus.ontology is None else corpus.ontology.areas),
    }


def _concepts(corpus: Corpus) -> list[Answer]:
    """The concepts in the order of their hierarchy, each with what is wrong with its provisions."""
    known = concepts_of(corpus)
    if known is None:
        return []
    found = []
    for concept in known.in_order():
        articles = known.articles(corpus, concept)
        found.append(
            {
                "name": marked(in_language(concept.names, "en", concept.id)),
                "depth": len(known.above(concept)),
                "definition": marked(in_language(concept.definition, "en")),
                "articles": [marked(article.said) for article in articles],
                "checks": [marked(check) for check in concept.required_checks],
                "wrong": [f"{one.said}: {one.found.problem}" for one in articles if one.found.problem],
            }
        )
    return found


def measure(desk: CorpusDesk, ask: Ask) -> Answer:
    """What areas that are being edited would cover."""
    return _figures(desk.browser(ask), _ontology(ask).areas)


def proposal(desk: CorpusDesk, ask: Ask) -> Answer:
    """A proposal beside what is being edited; ``kind`` "model" has the visitor's model group it."""
    browser = desk.browser(ask)
    standing = _ontology(ask) if ask.ontology and ask.ontology.get("areas") else None
    own: Proposal = browser.once("proposal", lambda given: {"it": propose(given.corpus)})["it"]
    model = desk.connections.model(ask.session)
    if ask.kind != "model":
        return _proposed(browser.corpus, standing, own, model)
    if model is None:
        raise InputError("no language model is connected: connect one at the top of the page")
    meter = Meter(BUDGET)
    found = assisted(browser.corpus, own, model, meter)
    told = _proposed(browser.corpus, standing, found, model)
    return told | {"used": " · ".join(cost_lines(cost_report(meter, model.spec))[:1])}


def save(desk: CorpusDesk, ask: Ask) -> Answer:
    """Put what was edited in force. A corpus opened from now on has it."""
    shelved = desk.writable(ask)
    if not any((ask.ontology or {}).get(part) for part in ("areas", "rules", "concepts")):
        raise InputError("there is no area left: undo, or keep one")
    try:
        save_ontology(shelved.folder, ask.ontology, ask.words[:200])
    except (SourceError, CorpusError) as error:
        raise InputError(for_visitors(error)) from error
    return {"saved": True}


def undo(desk: CorpusDesk, ask: Ask) -> Answer:
    """Put the state before the last one in force."""
    shelved = desk.writable(ask)
    try:
        undo_ontology(shelved.folder)
    except CorpusError as error:
        raise InputError(for_visitors(error)) from error
    return {"saved": True}


def as_file(desk: CorpusDesk, ask: Ask) -> Answer:
    """What is being edited as the text of an ontology.yaml."""
    desk.shelved(ask)
    return {"text": ontology_yaml(ask.ontology or {})}


def from_file(desk: CorpusDesk, ask: Ask) -> Answer:
    """The content of an ontology.yaml that the visitor chose, to be edited; nothing is saved."""
    desk.writable(ask)
    content = parse_ontology(ask.mapping, "the file")
    return {"content": content, **_figures(desk.browser(ask), ontology_from(content).areas)}


def _ontology(ask: Ask) -> Ontology:
    return ontology_from(checked(ask.ontology or {}, "areas"))


def _figures(browser: Browser, given: Sequence[Area]) -> Answer:
    index: Index = browser.once("keywords", lambda own: {"it": Index(own.corpus)})["it"]
    shared = overlaps({area.id: index.counts(area) > 0 for area in given})
    reach = {area.id: index.reach(area) for area in given}
    wanted = list(dict.fromkeys(name for one in reach.values() for name in one.examples))
    rows = browser.corpus.rows(wanted)
    passages = {passage.id: passage for passage in browser.corpus.passages(rows)} if wanted else {}
    documents = browser.corpus.document_numbers(rows).tolist() if wanted else []
    number = dict(zip(wanted, documents, strict=True))
    return {
        "covered": covered_share(given, index),
        "reach": {
            area.id: {
                "passages": reach[area.id].passages,
                "overlap": list(shared[area.id]) if area.id in shared else None,
                "found": [[lang, word, count] for (lang, word), count in reach[area.id].found.items()],
                "examples": [
                    {
                        "label": marked(passages[name].label or name),
                        "document": marked(browser.document(number[name]).title),
                        "number": number[name],
                        "at": passages[name].position,
                        "text": marked(" ".join(passages[name].text[:EXCERPT].split())),
                    }
                    for name in reach[area.id].examples
                ],
            }
            for area in given
        },
    }


def _proposed(
    corpus: Corpus, standing: Ontology | None, found: Proposal, model: LanguageModel | None
) -> Answer:
    changes = difference(corpus, standing, found)
    known = set() if standing is None else set(standing.transactions)
    most = ""
    if model is not None and found.areas:
        most = use_words(expected_use(found, model), currency_of(model.spec))
    return {
        "changes": [_change(change, changes.areas_for) for change in changes.areas],
        "known": len(changes.known),
        "transactions": [
            {
                "id": one.id,
                "heading": marked(one.heading),
                "areas": list(dict.fromkeys(changes.areas_for[name] for name in one.areas)),
                "passages": one.passages,
            }
            for one in found.transactions
            if one.id not in known
        ],
        "covered": found.covered,
        "notes": list(found.notes),
        "model": "" if model is None else model.spec,
        "most": most,
        "used": "",
    }


def _change(change: AreaChange, areas_for: Mapping[str, str]) -> Answer:
    proposed = change.proposed
    return {
        "id": areas_for[proposed.area.id],
        "stands": change.stands,
        "area": area_content(proposed.area) | {"id": areas_for[proposed.area.id]},
        "keywords": {language: list(words) for language, words in change.keywords.items()},
        "passages": proposed.reach.passages,
        "overlap": None if proposed.overlap is None else list(proposed.overlap),
        "source": proposed.source,
        "made_of": list(proposed.made_of),
        "added": [list(one) for one in proposed.added],
        "headings": [
            {"text": marked(one.text), "language": one.language, "passage": one.passage_id}
            for one in proposed.evidence
            if one.kind == HEADING
        ][:MOST_HEADINGS],
    }
