"""Facts of an ontology and rules over them."""

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
    """A fact about a case that rules need.

    ``names`` and ``keywords`` are by language; ``unit`` is that of a number or the currency of an amount;
    ``scale`` is in ascending order.
    """

    id: str
    type: FactType
    names: Mapping[str, str] = field(default_factory=dict)
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unit: str = ""
    scale: tuple[str, ...] = ()

    def value(self, text: str) -> Value:
        """Parse a user's value. Raises SettingsError with the name of the fact."""
        try:
            return parse_value(self.type, text, unit=self.unit, scale=self.scale)
        except SettingsError as error:
            raise SettingsError(f"{self.id}: {error}") from error


@dataclass(frozen=True, slots=True)
class Rule:
    """A conclusion from a condition over facts, with the provisions that it is based on.

    ``when`` is the condition, ``then`` the outcome in a word or two, ``because`` the reason by language;
    ``cite`` are ids of the corpus or citations. ``transactions``: the types it applies to, empty for all.
    """

    id: str
    when: str
    then: str
    names: Mapping[str, str] = field(default_factory=dict)
    because: Mapping[str, str] = field(default_factory=dict)
    cite: tuple[str, ...] = ()
    transactions: tuple[str, ...] = ()


def scales_of(facts: Iterable[Fact]) -> dict[str, Choice]:
    """Return the values of all scales by name. Raises SettingsError for a name on two scales."""
    found: dict[str, Choice] = {}
    for fact in facts:
        for value in fact.scale:
            if found.setdefault(value, Choice(value, fact.scale)).scale != fact.scale:
                raise SettingsError(f"fact {fact.id!r}: {value!r} is on another scale already")
    return found


def check_ruleset(facts: Iterable[Fact], rules: Iterable[Rule]) -> None:
    """Raise SettingsError for invalid names and conditions.

    A condition must name a known fact, no unknown one, and compare only compatible values.
    """
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
            raise SettingsError(f"fact {fact.id!r}: a value is on its scale twice")
    known = {fact.id for fact in facts}
    for rule in rules:
        try:
            named = names_in(rule.when)
            if unknown := sorted(named - known - set(scales)):
                raise SettingsError(
                    f"unknown fact {unknown[0]!r}; known: {', '.join(sorted(known)) or 'none'}"
                )
            if not named & known:
                raise SettingsError("its condition names no fact")
            # With a value for every fact the whole condition is evaluated, so that incompatible comparisons
            # show.
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
