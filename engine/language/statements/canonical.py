"""One form for what languages say in several ways: modal verbs in a row, limits in front of their numbers and
behind them, "may only if" and "may not unless".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from engine.language.statements.lexicon import Lexicon
from engine.language.statements.tokens import Sort, Token

# Characters behind a number within which a verb of measure is looked for ("may be 30 days at most").
BEHIND = 24

_MERGED = {
    ("must", "may"): "may",
    ("must", "must"): "must",
    ("may", "may"): "may",
    ("must_not", "must"): "need_not",
    ("must_not", "may"): "must_not",
    ("must", "must_not"): "must_not",
    ("must", "need_not"): "need_not",
}


def canonical(tokens: Iterable[Token], text: str, words: Lexicon) -> tuple[Token, ...]:
    """The tokens of a text in the one form."""
    found = list(_merged(tokens))
    found = _limits_ahead(found)
    found = _measured(found, text, words)
    return tuple(_bound(found))


def _merged(tokens: Iterable[Token]) -> Iterator[Token]:
    """Modal verbs in a row as one: "shall have the right to", "shall not be required to"."""
    held: Token | None = None
    for token in tokens:
        if held is None:
            held = token
        elif held.sort is Sort.MODAL and token.sort is Sort.MODAL:
            key = _MERGED.get((held.key, token.key))
            if key is None or token.opened:
                yield held
                held = token
            else:
                word = f"{held.word} {token.word}"
                held = replace(held, key=key, own=key, word=word, passive=False)
        elif held.sort is Sort.EXCEPT and token.sort is Sort.CONDITION and not token.opened:
            # "Except where" is "unless".
            held = replace(held, word=f"{held.word} {token.word}")
        else:
            yield held
            held = token
    if held is not None:
        yield held


def _limits_ahead(tokens: Sequence[Token]) -> list[Token]:
    """A limit that stands behind its number in front of it: "10 % or more", "acht Stunden nicht
    überschreiten"."""
    found = list(tokens)
    for place, token in enumerate(tokens):
        behind = tokens[place + 1] if place + 1 < len(tokens) else None
        if token.sort is not Sort.LIMIT or (behind is not None and behind.sort is Sort.NUMBER):
            continue
        before = tokens[place - 1] if place else None
        if before is None or before.sort is not Sort.NUMBER or before.sentence != token.sentence:
            continue
        limited = place > 1 and tokens[place - 2].sort is Sort.LIMIT
        if not limited:
            found[place - 1 : place + 1] = [
                replace(token, mark=before.mark, opened=before.opened),
                replace(before, mark="", opened=""),
            ]
    return found


def _measured(tokens: Sequence[Token], text: str, words: Lexicon) -> list[Token]:
    """ "May be at most 30", "must not exceed 30" and "is 30 at most" are one."""
    found = list(tokens)
    for place, token in enumerate(tokens[:-2]):
        limit, number = tokens[place + 1], tokens[place + 2]
        if token.sort is not Sort.MODAL or limit.sort is not Sort.LIMIT or number.sort is not Sort.NUMBER:
            continue
        if token.key not in ("may", "must"):
            continue
        measure = words.cues["measure"]
        end = max(number.span.end, limit.span.end) + BEHIND
        if measure.search(text, token.span.start, limit.span.end) or (
            words.capital_nouns and measure.search(text, number.span.start, end)
        ):
            found[place] = replace(token, key="must", own="must")
    return found


def _bound(tokens: Sequence[Token]) -> Iterator[Token]:
    """ "May only if" as "must not unless"; "may only within 14 days" is no duty and stays."""
    modal: int | None = None
    found = list(tokens)
    dropped: set[int] = set()
    for place, token in enumerate(tokens):
        if token.sort is Sort.MODAL:
            modal = place
        behind = tokens[place + 1] if place + 1 < len(tokens) else None
        if token.sort is not Sort.ONLY or behind is None or modal is None:
            continue
        verb = found[modal]
        if verb.key != "may" or verb.sentence != token.sentence:
            continue
        if behind.sort is Sort.CONDITION:
            found[modal] = replace(verb, key="must_not", own="must_not")
            found[place + 1] = replace(behind, sort=Sort.EXCEPT, key="except", own="except")
            dropped.add(place)
    yield from (token for place, token in enumerate(found) if place not in dropped)
