"""The small language that grammar files write patterns in, turned into regular expressions.

A pattern is a regular expression without capturing groups. Three things make it readable:
a list of patterns means "one of these"; ``%name%`` stands for the named part; a space stands for any
white space, line breaks included, and " ?" for white space or none. ``\\x20`` is a space and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_PART = re.compile(r"%([a-z_]+)%")


def spaced(pattern: str) -> str:
    """The pattern with each space outside of brackets as ``\\s+``, and " ?" or " *" as ``\\s*``."""
    if " " not in pattern:
        return pattern
    written: list[str] = []
    in_class = False
    position = 0
    while position < len(pattern):
        sign = pattern[position]
        taken = 1
        if sign == "\\":
            taken = 2
            written.append(pattern[position : position + 2])
        elif sign == " " and not in_class:
            many = pattern[position + 1 : position + 2] in ("?", "*")
            taken = 2 if many else 1
            written.append(r"\s*" if many else r"\s+")
        else:
            in_class = sign == "[" or (in_class and sign != "]")
            written.append(sign)
        position += taken
    return "".join(written)


def one_of(pattern: str | Sequence[str]) -> str:
    """A list of patterns as one that any of them matches."""
    return pattern if isinstance(pattern, str) else f"(?:{'|'.join(pattern)})"


class Parts:
    """The named parts of one grammar, each put in where a pattern says ``%name%``."""

    def __init__(
        self, parts: Mapping[str, str | Sequence[str]], ready: Mapping[str, str], *, checked: bool = True
    ) -> None:
        """``ready`` are parts that come with the program and are regular expressions already.

        Checking compiles each expression by itself, which takes longer than all the rest.
        """
        self._checked = checked
        self._ready = {name: f"(?:{pattern})" for name, pattern in ready.items()}
        for name, pattern in parts.items():
            self._ready[name] = f"(?:{self.expanded(one_of(pattern))})"

    def expanded(self, pattern: str) -> str:
        """The regular expression of a pattern.

        Raises:
            ValueError: a part is not known where it is used, the expression is not valid, or it captures.
        """
        expression = _PART.sub(self._part, spaced(pattern))
        if not self._checked:
            return expression
        try:
            compiled = re.compile(expression)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error.msg}, in {pattern!r}") from error
        if compiled.groups:
            raise ValueError(f"write (?:...) instead of (...), in {pattern!r}")
        return expression

    def _part(self, match: re.Match[str]) -> str:
        known = self._ready.get(match[1])
        if known is None:
            raise ValueError(f"there is no part %{match[1]}% above this place")
        return known
