"""The rules of a corpus on the page: the facts they ask for, and each rule with its outcome and citations."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from engine.corpus.protocol import Ontology
from engine.corpus.rules.expressions import names_in
from engine.corpus.rules.ruleset import Fact, Rule
from engine.errors import InputError, SettingsError
from engine.language.characters import marked
from engine.language.detection import detect_question
from engine.ontology.applying import Outcome, apply_rules, fact_name
from engine.ontology.mentioned import mentioned_facts
from engine.ontology.telling import outcomes_json, verdict_words
from ui.corpus.desk import Ask, CorpusDesk

Answer = dict[str, Any]


def rules(desk: CorpusDesk, ask: Ask) -> Answer:
    """Rules applied to ``facts``, for the transaction ``kind`` on a ``day``; and what the question
    (``words``) says of the facts, which only the visitor puts among them."""
    corpus = desk.browser(ask).corpus
    ontology = corpus.ontology
    chosen = [] if ontology is None else _chosen(ontology, ask.kind)
    if ontology is None or not chosen:
        return {"rules": [], "facts": []}
    language = detect_question(ask.words, tuple(corpus.info().languages)) if ask.words else "en"
    values, problems = {}, {}
    known = {fact.id: fact for fact in ontology.facts}
    for name, text in ask.facts.items():
        if name not in known or not text.strip():
            continue
        try:
            values[name] = known[name].value(text)
        except SettingsError as error:
            problems[name] = str(error).removeprefix(f"{name}: ")
    transaction = ask.kind if ask.kind in ontology.transactions else None
    outcomes = apply_rules(
        corpus, ontology, values, _day(ask.day), transaction=transaction, language=language
    )
    return {
        "rules": [rule_json(outcome) for outcome in outcomes],
        "facts": _facts(ontology, chosen, ask, language, problems),
        "day": _day(ask.day).isoformat(),
    }


def rule_json(outcome: Outcome) -> Answer:
    """An outcome as the page shows it: nothing is hidden in what it quotes."""
    found: Answer = outcomes_json([outcome])[0] | {"told": verdict_words(outcome)}
    for quoted in (passage for citation in found["citations"] for passage in citation["passages"]):
        quoted.update({name: marked(quoted[name]) for name in ("label", "document", "text")})
    return found


def today() -> date:
    """The day of the law where nobody has named one."""
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
    ask: Ask,
    language: str,
    problems: dict[str, str],
) -> list[Answer]:
    asked = {name for rule in chosen for name in names_in(rule.when)}
    stated = {one.fact: one for one in mentioned_facts(ontology, ask.words, language)} if ask.words else {}
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
