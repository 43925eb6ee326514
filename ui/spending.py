"""What a language model cost, or will cost at most, as the page tells it."""

from __future__ import annotations

from engine.language.characters import escape
from engine.llm import Usage
from engine.llm.cost import CostReport, cache_words
from engine.records.wording import plural

_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}
_HEADS = ("", "Calls", "In", "Cached", "Out", "Reused")


def money_words(money: float, currency: str) -> str:
    """ "$0.0042", "0.0042 CHF": two significant digits below a cent, cents above."""
    number = f"{money:,.2f}" if money >= 0.1 or money == 0 else f"{money:.2g}"
    sign = _SIGNS.get(currency)
    return f"{sign}{number}" if sign else f"{number} {currency}"


def rough(count: int) -> str:
    """A number that is only an estimate, in two significant digits: 14,283 is "14,000"."""
    if count < 100:
        return str(count)
    step = 10 ** (len(str(count)) - 2)
    return f"{-(-count // step) * step:,}"


def expected_words(expected: Usage, currency: str) -> str:
    """What a case will use at most, in one line; empty where the model would not be asked."""
    if not expected.calls:
        return ""
    words = f"up to {plural(expected.calls, 'call')}, about {rough(expected.tokens)} tokens"
    if expected.money is None or not currency:
        return words
    return f"{words}, at most {money_words(expected.money, currency)}"


def used_words(used: Usage, currency: str) -> str:
    """What was used, in one line."""
    words = f"{plural(used.calls, 'call')}, {used.prompt_tokens:,} tokens in, {used.completion_tokens:,} out"
    return f"{words}, {money_words(used.money, currency)}" if currency and used.money is not None else words


def cost_step(report: CostReport) -> str:
    """The step of the story that tells what was spent, with a table of the tasks behind it."""
    if not report.tasks:
        return ""
    words = [f"Model <b>{plural(report.total.calls, 'call')}</b>"]
    if not report.total.calls:
        words = [f"Model <b>{plural(report.total.reused, 'answer')}</b> known before"]
    elif report.currency and report.total.money is not None:
        words.append(escape(money_words(report.total.money, report.currency)))
    else:
        words.append(f"{report.total.tokens:,} tokens")
    rows = "".join(_row(task, used, report.currency) for task, used in report.tasks.items())
    total = _row("all", report.total, report.currency) if len(report.tasks) > 1 else ""
    money = f"<th>{escape(report.currency)}</th>" if report.currency else ""
    heads = "".join(f"<th>{head}</th>" for head in _HEADS)
    cached = cache_words(report.total, report.currency)
    saved = f"<p>{escape(cached)}</p>" if cached else ""
    stopped = f'<p class="stopped">{escape(report.stopped)}</p>' if report.stopped else ""
    return (
        '<button type="button" class="step cost more-behind" popovertarget="cost-table">'
        f'{" · ".join(words)}</button><div popover id="cost-table" class="step-table cost-table">'
        "<h3>What the language model was asked</h3>"
        f"<table><thead><tr>{heads}{money}</tr></thead><tbody>{rows}</tbody>"
        f"<tfoot>{total}</tfoot></table>{saved}{stopped}"
        f"<p>Tokens as the server counted them · {report.seconds:.1f} s of requests</p></div>"
    )


def _row(task: str, used: Usage, currency: str) -> str:
    numbers = (used.calls, used.prompt_tokens, used.cached_tokens, used.completion_tokens, used.reused)
    cells = "".join(f"<td>{number:,}</td>" for number in numbers)
    money = "" if used.money is None else f"{used.money:.5f}"
    paid = f"<td>{money}</td>" if currency else ""
    name = task.replace("_", " ").replace("-", " ")
    return f"<tr><th>{escape(name[:1].upper() + name[1:])}</th>{cells}{paid}</tr>"
