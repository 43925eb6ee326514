"""Requests about the areas and rules of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any

from pydantic import Field

from engine.access.users import Action
from engine.corpus.ontology import (
    checked,
    load_ontologies,
    ontology_content,
    ontology_from,
    ontology_in_force,
    ontology_yaml,
    parse_ontology,
    save_ontology,
    undo_ontology,
)
from engine.corpus.protocol import Area, Corpus, Ontology
from engine.corpus.rule_expressions import Fact, Rule, names_in
from engine.errors import CorpusError, InputError, SettingsError, SourceError, for_visitors
from engine.language.characters import marked
from engine.language.detection import detect_question
from engine.ontology.applying import Outcome, apply_rules, fact_name, get_concepts, in_language
from engine.ontology.reports import (
    Index,
    covered_share,
    mentioned_facts,
    outcomes_json,
    overlaps,
    verdict_words,
)
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm
from ui.corpus.browser import Browser

# The rules of a corpus: their facts, and each rule with its outcome and citations.


class RulesForm(CorpusForm):
    """The facts that the visitor states, the question (``words``), the transaction (``kind``), and the
    day."""

    words: str = Field(default="", max_length=500)
    kind: str = Field(default="", max_length=200)
    facts: dict[str, Annotated[str, Field(max_length=200)]] = Field(default_factory=dict, max_length=200)
    day: str = Field(default="", max_length=20)


def rules(access: CorpusAccess, form: RulesForm) -> Answer:
    """Apply the rules to ``facts``, for the transaction ``kind`` on a ``day``. Also returns the facts that
    the question (``words``) states; only the visitor adds them to ``facts``."""
    corpus = access.browser().corpus
    ontology = corpus.ontology
    chosen = [] if ontology is None else _chosen(ontology, form.kind)
    if ontology is None or not chosen:
        return {"rules": [], "facts": []}
    language = detect_question(form.words, tuple(corpus.info().languages)) if form.words else "en"
    values, problems = {}, {}
    known = {fact.id: fact for fact in ontology.facts}
    for name, text in form.facts.items():
        if name not in known or not text.strip():
            continue
        try:
            values[name] = known[name].value(text)
        except SettingsError as error:
            problems[name] = str(error).removeprefix(f"{name}: ")
    transaction = form.kind if form.kind in ontology.transactions else None
    outcomes = apply_rules(
        corpus, ontology, values, _day(form.day), transaction=transaction, language=language
    )
    return {
        "rules": [rule_json(outcome) for outcome in outcomes],
        "facts": _facts(ontology, chosen, form, language, problems),
        "day": _day(form.day).isoformat(),
    }


def rule_json(outcome: Outcome) -> Answer:
    """Return an outcome for the page, with invisible characters marked."""
    found: Answer = outcomes_json([outcome])[0] | {"told": verdict_words(outcome)}
    for quoted in (passage for citation in found["citations"] for passage in citation["passages"]):
        quoted.update({name: marked(quoted[name]) for name in ("label", "document", "text")})
    return found


def today() -> date:
    """Return the default day of the law."""
    return datetime.now(UTC).date()


def _chosen(ontology: Ontology, transaction: str) -> list[Rule]:
    return [
        rule
        for rule in ontology.rules
        if transaction not in ontology.transactions
        or not rule.transactions
        or transaction in rule.transactions
    ]


def _facts(
    ontology: Ontology,
    chosen: list[Rule],
    form: RulesForm,
    language: str,
    problems: dict[str, str],
) -> list[Answer]:
    asked = {name for rule in chosen for name in names_in(rule.when)}
    stated = {one.fact: one for one in mentioned_facts(ontology, form.words, language)} if form.words else {}
    return [
        {
            **_fact(fact, language),
            "problem": problems.get(fact.id, ""),
            "stated": None
            if fact.id not in stated
            else {"value": stated[fact.id].value, "words": stated[fact.id].words},
        }
        for fact in ontology.facts
        if fact.id in asked
    ]


def _fact(fact: Fact, language: str) -> Answer:
    return {
        "id": fact.id,
        "name": fact_name(fact, language),
        "type": fact.type.value,
        "unit": fact.unit,
        "scale": list(fact.scale),
    }


def _day(text: str) -> date:
    if not text:
        return today()
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{text!r} is not a day; write it like 2024-01-31") from error


# The areas of a corpus: shown, measured, saved and undone.

EXCERPT = 160
NOTHING_YET: Answer = {"areas": [], "transactions": {}}


class OntologyForm(CorpusForm):
    """The content of an ontology as it is being edited."""

    ontology: dict[str, Any] | None = None


class SavedForm(OntologyForm):
    """A note on the changes."""

    words: str = Field(default="", max_length=500)


class LoadedForm(CorpusForm):
    """The text of an ontology.yaml."""

    mapping: str = Field(default="", max_length=200_000)


def areas(access: CorpusAccess, form: CorpusForm) -> Answer:
    """Return the ontology in force: its content, its origin, its coverage, and the caller's rights."""
    shelved, browser = access.entry, access.browser()
    corpus = browser.corpus
    saved = ontology_in_force(shelved.folder)
    model = access.desk.connections.model(access.caller.session)
    spoken = corpus.info().languages
    rules = () if corpus.ontology is None else apply_rules(corpus, corpus.ontology, {}, today())
    writable = access.may(shelved, Action.AREAS)
    return {
        "content": NOTHING_YET if corpus.ontology is None else ontology_content(corpus.ontology),
        "origin": "people" if saved else "ingested" if corpus.ontology else "none",
        "when": saved.when if saved else "",
        "undo": writable and bool(load_ontologies(shelved.folder)),
        "writable": writable,
        "languages": sorted(spoken, key=lambda language: (-spoken[language], language)),
        "model": "" if model is None else model.spec,
        "rules": [rule_json(outcome) for outcome in rules],
        "concepts": _concepts(corpus),
        **_figures(browser, () if corpus.ontology is None else corpus.ontology.areas),
    }


def _concepts(corpus: Corpus) -> list[Answer]:
    """Return the concepts in the order of their hierarchy, each with the problems of its provisions."""
    known = get_concepts(corpus)
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
                "articles": [marked(article.words) for article in articles],
                "checks": [marked(check) for check in concept.required_checks],
                "wrong": [f"{one.words}: {one.found.problem}" for one in articles if one.found.problem],
            }
        )
    return found


def measure(access: CorpusAccess, form: OntologyForm) -> Answer:
    """Return the coverage of areas that are being edited."""
    return _figures(access.browser(), _ontology(form).areas)


def save(access: CorpusAccess, form: SavedForm) -> Answer:
    """Save the edited ontology. It applies to corpora that are opened from now on."""
    shelved = access.entry
    if not any((form.ontology or {}).get(part) for part in ("areas", "rules", "concepts")):
        raise InputError("there is no area left: undo, or keep one")
    try:
        save_ontology(shelved.folder, form.ontology, form.words[:200])
    except (SourceError, CorpusError) as error:
        raise InputError(for_visitors(error)) from error
    return {"saved": True}


def undo(access: CorpusAccess, form: CorpusForm) -> Answer:
    """Undo the last save."""
    shelved = access.entry
    try:
        undo_ontology(shelved.folder)
    except CorpusError as error:
        raise InputError(for_visitors(error)) from error
    return {"saved": True}


def as_file(access: CorpusAccess, form: OntologyForm) -> Answer:
    """Return the edited ontology as the text of an ontology.yaml."""
    return {"text": ontology_yaml(form.ontology or {})}


def from_file(access: CorpusAccess, form: LoadedForm) -> Answer:
    """Parse an ontology.yaml for editing; nothing is saved."""
    content = parse_ontology(form.mapping, "the file")
    return {"content": content, **_figures(access.browser(), ontology_from(content).areas)}


def _ontology(form: OntologyForm) -> Ontology:
    return ontology_from(checked(form.ontology or {}, "areas"))


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


CALLS = (
    Call("rules", RulesForm, rules),
    Call("areas", CorpusForm, areas),
    Call("areas-measure", OntologyForm, measure),
    Call("areas-save", SavedForm, save, audit="areas-save", needs=Action.AREAS),
    Call("areas-undo", CorpusForm, undo, audit="areas-undo", needs=Action.AREAS),
    Call("areas-file", OntologyForm, as_file),
    Call("areas-load", LoadedForm, from_file, needs=Action.AREAS),
)
