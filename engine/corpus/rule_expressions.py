"""Rules over facts in three-valued logic: ``authority < scope and not special_resolution``.

A condition may contain facts by name, values of their scales, numbers, ``true`` and ``false``,
``date("2024-01-01")``, ``days(30)``, ``weeks(6)``, ``months(6)``, ``years(2)``, ``+ - * /``, comparisons,
``and``, ``or``, ``not``. There are no loops, powers, attributes or strings, so that the evaluation is linear.
simpleeval parses and dispatches; no code is executed.

The value of an unknown fact propagates as in strong Kleene logic (Kleene 1938): ``false and unknown`` is
false. So a result never changes when more facts become known.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, DecimalException
from threading import RLock
from typing import Any

import simpleeval

from engine.corpus.rule_values import (
    Choice,
    Duration,
    FactType,
    Value,
    add_duration,
    make_duration,
    parse_value,
)
from engine.errors import SettingsError

LONGEST_CONDITION = 400
# One at a time: CPython counts the depth of all trees under construction together (gh-106905), and warning
# filters are global.
_PARSING = RLock()
_FUNCTIONS = {"days": "day", "weeks": "week", "months": "month", "years": "year"}
# Names with a meaning in conditions, which facts and values of scales must not have.
RESERVED = frozenset({*_FUNCTIONS, "date", "true", "false", "and", "or", "not", "if", "else", "in", "is"})
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_ALLOWED = (ast.Name, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.Call, ast.Constant)
_SIGNS: Mapping[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


@dataclass(frozen=True, slots=True)
class Unknown:
    """An unknown result.

    ``needs`` are the facts that would determine it, ``reasons`` explain other causes.
    """

    needs: frozenset[str] = frozenset()
    reasons: frozenset[str] = frozenset()

    def __or__(self, other: Unknown) -> Unknown:
        return Unknown(self.needs | other.needs, self.reasons | other.reasons)


class _Condition(simpleeval.SimpleEval):  # type: ignore[misc]
    """Evaluates a condition. simpleeval has one operator function for each kind of node."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        binary = {node: _binary(node) for node in _SIGNS}
        functions = {name: _span(unit) for name, unit in _FUNCTIONS.items()} | {"date": _day}
        operators: dict[type, Callable[..., Any]] = {ast.Not: _negated, ast.USub: _minus}
        operators.update(binary)
        super().__init__(operators=operators, functions=functions, names=dict(names))
        handlers: dict[type, Callable[[Any], Any]] = self.nodes
        self.nodes: dict[type, Callable[[Any], Any]] = {node: handlers[node] for node in _ALLOWED}

    def _eval_constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, bool | str):
            return node.value
        if isinstance(node.value, int):
            return Decimal(node.value)
        if isinstance(node.value, float):
            # The number as written, not its binary approximation.
            return Decimal(ast.get_source_segment(self.expr, node) or repr(node.value))
        raise SettingsError(f"{node.value!r} is not allowed in a condition")

    def _eval_boolop(self, node: ast.BoolOp) -> bool | Unknown:
        """Strong Kleene logic: a false operand decides "and", a true one "or", even if others are unknown."""
        decides = isinstance(node.op, ast.Or)
        unknown: Unknown | None = None
        decided = False
        for part in node.values:
            value = _truth(self._eval(part))
            if isinstance(value, Unknown):
                unknown = value if unknown is None else unknown | value
            else:
                decided = decided or value is decides
        if decided:
            return decides
        return unknown if unknown is not None else not decides

    def _eval_compare(self, node: ast.Compare) -> bool | Unknown:
        if len(node.ops) > 1:
            raise SettingsError("compare two things at a time and join them with 'and'")
        compare = _COMPARISONS.get(type(node.ops[0]))
        if compare is None:
            raise SettingsError("compare with <, <=, >, >=, == or !=")
        return compared(compare, self._eval(node.left), self._eval(node.comparators[0]))

    def _eval_call(self, node: ast.Call) -> Any:
        if not isinstance(node.func, ast.Name) or node.func.id not in self.functions or node.keywords:
            raise SettingsError(
                'only date("2024-01-31"), days(), weeks(), months() and years() can be called'
            )
        if len(node.args) != 1 or not isinstance(node.args[0], ast.Constant):
            raise SettingsError(f"{node.func.id}() takes one number or date literal")
        return self.functions[node.func.id](node.args[0].value)


def parse(condition: str) -> ast.AST:
    """Return the syntax tree of a condition. Raises SettingsError for an invalid condition."""
    text = condition.strip()
    if not text or len(text) > LONGEST_CONDITION:
        raise SettingsError(f"a condition has 1 to {LONGEST_CONDITION} characters")
    try:
        with _PARSING, warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = ast.parse(text, mode="eval").body
    except (SyntaxError, SyntaxWarning, ValueError, MemoryError, RecursionError) as error:
        hint = "; write == for equal" if "=" in text and "==" not in text else ""
        raise SettingsError(f"{text!r} is not a condition{hint}") from error
    return tree


def names_in(condition: str) -> frozenset[str]:
    """Return the facts and values named in a condition. Raises SettingsError."""
    tree = parse(condition)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return frozenset(
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and id(node) not in called and node.id not in ("true", "false")
    )


def evaluate(condition: str, facts: Mapping[str, Value], scales: Mapping[str, Choice]) -> bool | Unknown:
    """Evaluate a condition. Facts missing from ``facts`` are unknown; ``scales`` are the values of scales by
    name.

    Raises SettingsError for a comparison of incompatible values.
    """
    tree = parse(condition)
    unknown = {name: Unknown(frozenset({name})) for name in names_in(condition)}
    names = {**unknown, **scales, **facts, "true": True, "false": False}
    return _truth(_run(condition, tree, names))


def _run(condition: str, tree: ast.AST, names: Mapping[str, Any]) -> Any:
    try:
        return _Condition(names).eval(condition.strip(), previously_parsed=tree)
    except simpleeval.InvalidExpression as error:
        raise SettingsError(f"{condition.strip()!r}: {error}") from error
    except RecursionError as error:
        raise SettingsError(f"{condition.strip()!r} is nested too deep") from error


def compared(compare: Callable[[Any, Any], bool], left: Any, right: Any) -> bool | Unknown:
    """Compare two values of a kind; unknown if one is, or if the result depends on the calendar."""
    unknown = _unknown(left, right)
    if unknown is not None:
        return unknown
    if isinstance(left, Duration) and isinstance(right, Duration):
        return _durations(compare, left, right)
    if isinstance(left, Choice) and isinstance(right, Choice) and left.scale == right.scale:
        return compare(left.rank, right.rank)
    is_truth = isinstance(left, bool) and isinstance(right, bool)
    if is_truth and compare not in (operator.eq, operator.ne):
        raise SettingsError("yes and no have no order")
    same = type(left) is type(right) and isinstance(left, Decimal | date)
    if not same and not is_truth:
        raise SettingsError(f"{kind_of(left)} and {kind_of(right)} cannot be compared")
    return compare(left, right)


def _durations(compare: Callable[[Any, Any], bool], left: Duration, right: Duration) -> bool | Unknown:
    low, high = (left - right).bounds()
    # The difference is an integer between the bounds; only a calendar would determine it.
    answers = {compare(low, 0), compare(high, 0), *([compare(0, 0)] if low < 0 < high else [])}
    if len(answers) == 1:
        return answers.pop()
    return Unknown(reasons=frozenset({f"{left} and {right} cannot be compared without a date"}))


def kind_of(value: object) -> str:
    """Return the kind of a value in words."""
    kinds: list[tuple[type, str]] = [
        (bool, FactType.TRUTH.value), (Decimal, "number"), (date, "date"), (Duration, "duration"),
        (Choice, "choice"), (str, "text"),
    ]  # fmt: skip
    return next((words for kind, words in kinds if isinstance(value, kind)), "value")


def _unknown(*values: Any) -> Unknown | None:
    found = [value for value in values if isinstance(value, Unknown)]
    if not found:
        return None
    together = found[0]
    for more in found[1:]:
        together = together | more
    return together


def _truth(value: Any) -> bool | Unknown:
    if isinstance(value, bool | Unknown):
        return value
    raise SettingsError(f"a {kind_of(value)} is neither true nor false: compare it with something")


def _negated(value: Any) -> bool | Unknown:
    truth = _truth(value)
    return truth if isinstance(truth, Unknown) else not truth


def _minus(value: Any) -> Any:
    if isinstance(value, Unknown | Decimal):
        return value if isinstance(value, Unknown) else -value
    raise SettingsError(f"a {kind_of(value)} has no minus")


def _binary(node: type) -> Callable[[Any, Any], Any]:
    sign = _SIGNS[node]

    def work_out(left: Any, right: Any) -> Any:
        unknown = _unknown(left, right)
        if unknown is not None:
            return unknown
        try:
            found = _calculated(sign, left, right)
        except (DecimalException, OverflowError):
            return Unknown(reasons=frozenset({f"{left} {sign} {right} cannot be calculated"}))
        if found is None:
            raise SettingsError(f"{kind_of(left)} {sign} {kind_of(right)} has no meaning")
        return found

    return work_out


def _calculated(sign: str, left: Any, right: Any) -> Any:
    """Return the result; None for incompatible operands."""
    match sign, left, right:
        case _, bool(), _:
            return None
        case "+", Decimal(), Decimal():
            return left + right
        case "-", Decimal(), Decimal():
            return left - right
        case "*", Decimal(), Decimal():
            return left * right
        case "/", Decimal(), Decimal():
            return left / right
        case "+", Duration(), Duration():
            return left + right
        case "-", Duration(), Duration():
            return left - right
        case "+", date(), Duration():
            return add_duration(left, right)
        case "-", date(), Duration():
            return add_duration(left, right, -1)
        case "-", date(), date():
            return Duration(days=(left - right).days)
    return None


def _span(unit: str) -> Callable[[object], Duration]:
    def make(count: object) -> Duration:
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= 100_000:
            raise SettingsError(f"{unit}s() takes a whole number up to 100000")
        return make_duration(count, unit)

    return make


def _day(text: object) -> date:
    try:
        return date.fromisoformat(str(text))
    except ValueError as error:
        raise SettingsError(f'date() takes a day like "2024-01-31", not {text!r}') from error


# Facts of an ontology and rules over them.


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
