"""The facts of an ontology and its rules over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from engine.corpus.rules.expressions import RESERVED, evaluate, names_in
from engine.corpus.rules.values import Choice, Duration, FactType, Value, parse_value
from engine.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Fact:
    """Something about a case that rules ask for. ``names`` and ``keywords`` by language; ``unit`` is that of
    a number or the currency of an amount; ``scale`` goes from the least to the most."""

    id: str
    type: FactType
    names: Mapping[str, str] = field(default_factory=dict)
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unit: str = ""
    scale: tuple[str, ...] = ()

    def value(self, text: str) -> Value:
        """The value that a person wrote. Raises SettingsError naming the fact."""
        try:
            return parse_value(self.type, text, unit=self.unit, scale=self.scale)
        except SettingsError as error:
            raise SettingsError(f"{self.id}: {error}") from error


@dataclass(frozen=True, slots=True)
class Rule:
    """What follows ``when`` a condition over facts holds, and the provisions that say so.

    ``then`` is the outcome in a word or two, ``because`` the reason by language; ``cite`` are ids of the
    corpus or citations in words. ``transactions``: the types it is for, none for all.
    """

    id: str
    when: str
    then: str
    names: Mapping[str, str] = field(default_factory=dict)
    because: Mapping[str, str] = field(default_factory=dict)
    cite: tuple[str, ...] = ()
    transactions: tuple[str, ...] = ()


def scales_of(facts: Iterable[Fact]) -> dict[str, Choice]:
    """The values of all scales by name. Raises SettingsError where one name stands on two scales."""
    found: dict[str, Choice] = {}
    for fact in facts:
        for value in fact.scale:
            if found.setdefault(value, Choice(value, fact.scale)).scale != fact.scale:
                raise SettingsError(f"fact {fact.id!r}: {value!r} stands on another scale already")
    return found


def check_ruleset(facts: Iterable[Fact], rules: Iterable[Rule]) -> None:
    """Raises SettingsError for names that a condition cannot use, and for a condition that names no fact, an
    unknown one, or compares what cannot be compared."""
    facts = tuple(facts)
    scales = scales_of(facts)
    for name in (*(fact.id for fact in facts), *scales):
        if not name.isidentifier() or name.casefold() in RESERVED:
            raise SettingsError(f"{name!r} cannot be the name of a fact or value: use letters, digits and _")
    for fact in facts:
        if fact.id in scales:
            raise SettingsError(f"{fact.id!r} is a fact and a value of a scale")
        if (fact.type is FactType.CHOICE) != bool(fact.scale):
            raise SettingsError(f"fact {fact.id!r}: a choice has a scale, and nothing else has one")
        if len(set(fact.scale)) != len(fact.scale):
            raise SettingsError(f"fact {fact.id!r}: a value stands on its scale twice")
    known = {fact.id for fact in facts}
    for rule in rules:
        try:
            named = names_in(rule.when)
            if unknown := sorted(named - known - set(scales)):
                raise SettingsError(
                    f"unknown fact {unknown[0]!r}; known: {', '.join(sorted(known)) or 'none'}"
                )
            if not named & known:
                raise SettingsError("its condition asks for no fact")
            # With a value for every fact the whole condition is worked out: what cannot be compared shows.
            evaluate(rule.when, {fact.id: _sample(fact) for fact in facts}, scales)
        except SettingsError as error:
            raise SettingsError(f"rule {rule.id!r}: {error}") from error


def _sample(fact: Fact) -> Value:
    match fact.type:
        case FactType.NUMBER | FactType.MONEY:
            return Decimal(1)
        case FactType.DATE:
            return date(2000, 1, 1)
        case FactType.DURATION:
            return Duration(days=1)
        case FactType.TRUTH:
            return True
        case FactType.CHOICE:
            return Choice(fact.scale[0], fact.scale)
