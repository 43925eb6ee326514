"""The rules of an ontology applied to facts: what holds, what does not, what is still needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from engine.corpus.protocol import Corpus, Ontology
from engine.corpus.rules.expressions import Unknown, evaluate, names_in
from engine.corpus.rules.ruleset import Fact, Rule, scales_of
from engine.corpus.rules.values import Value, value_text
from engine.errors import SettingsError
from engine.ontology.citing import Citation, cited


class Verdict(StrEnum):
    """Whether a rule's condition holds; a rule cannot where a provision that it cites is not in force."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "needs"
    NOT_IN_FORCE = "not in force"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A rule applied to the law of a ``day``. ``needs`` are names of facts that would decide it, ``reasons``
    why those given do not; ``used`` the names and values of the facts given; ``warnings`` what is wrong with
    its citations."""

    rule: Rule
    name: str
    verdict: Verdict
    because: str
    needs: tuple[str, ...]
    reasons: tuple[str, ...]
    used: tuple[tuple[str, str], ...]
    citations: tuple[Citation, ...]
    warnings: tuple[str, ...]
    day: date


def facts_from(ontology: Ontology, given: Mapping[str, str]) -> dict[str, Value]:
    """Values of facts from what a person wrote; empty words say nothing. Raises SettingsError for an unknown
    fact or a value that cannot be read."""
    known = {fact.id: fact for fact in ontology.facts}
    if unknown := sorted(set(given) - set(known)):
        listed = ", ".join(known) or "none: this corpus has no rules"
        raise SettingsError(f"unknown fact {unknown[0]!r}; known facts: {listed}")
    return {name: known[name].value(text) for name, text in given.items() if text.strip()}


def apply_rules(
    corpus: Corpus,
    ontology: Ontology,
    facts: Mapping[str, Value],
    day: date,
    *,
    transaction: str | None = None,
    language: str = "en",
) -> tuple[Outcome, ...]:
    """Every rule for a type of transaction (None: every rule there is), in the order of the ontology."""
    chosen = [
        rule
        for rule in ontology.rules
        if transaction is None or not rule.transactions or transaction in rule.transactions
    ]
    return tuple(_applied(corpus, ontology, rule, facts, day, language) for rule in chosen)


def in_language(words: Mapping[str, str], language: str, otherwise: str = "") -> str:
    """The words in a language, else in English, else the first there are."""
    return words.get(language) or words.get("en") or next(iter(words.values()), otherwise)


def fact_name(fact: Fact, language: str) -> str:
    """What a fact is called."""
    return in_language(fact.names, language, fact.id)


def _applied(
    corpus: Corpus, ontology: Ontology, rule: Rule, facts: Mapping[str, Value], day: date, language: str
) -> Outcome:
    known = {fact.id: fact for fact in ontology.facts}
    found = evaluate(rule.when, facts, scales_of(ontology.facts))
    unknown = found if isinstance(found, Unknown) else Unknown()
    named = [fact for fact in ontology.facts if fact.id in names_in(rule.when)]
    citations = tuple(cited(corpus, said, day, (language, "en")) for said in rule.cite)
    verdict = Verdict.OPEN if isinstance(found, Unknown) else Verdict.HOLDS if found else Verdict.FAILS
    if any(citation.lapsed for citation in citations):
        # Whatever the facts: the law of that day does not say so.
        verdict = Verdict.NOT_IN_FORCE
    return Outcome(
        rule,
        in_language(rule.names, language, rule.id),
        verdict,
        in_language(rule.because, language),
        tuple(fact_name(known[name], language) for name in known if name in unknown.needs),
        tuple(sorted(unknown.reasons)),
        tuple(
            (fact_name(fact, language), value_text(facts[fact.id], fact.unit))
            for fact in named
            if fact.id in facts
        ),
        citations,
        _warnings(citations, day),
        day,
    )


def _warnings(citations: Sequence[Citation], day: date) -> tuple[str, ...]:
    found = [f"{one.said}: {one.problem}" for one in citations if one.problem]
    found += [f"{one.said} is {one.lapsed} on {day.isoformat()}" for one in citations if one.lapsed]
    if not citations:
        found.append("this rule cites no provision")
    return tuple(found)
