"""Text of others in HTML and Markdown: the escapes of all pages and exports."""

from __future__ import annotations

import html
import re

from engine.language.hidden_marks import marked

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
# What would begin a list.
_LISTED = re.compile(r"^(\d*)([.)+-])")


def escape(text: str, *, quote: bool = True) -> str:
    """A text as it is shown in HTML: no markup of its own, and nothing hidden in it.

    ``quote``: it may stand between quotes, too.
    """
    return html.escape(marked(text), quote)


def markdown(text: str) -> str:
    """A text as it is shown in Markdown: one line, without markup of its own, and nothing hidden in it."""
    line = _MARKDOWN.sub(r"\\\1", marked(" ".join(text.split())))
    return _LISTED.sub(r"\1\\\2", line)


def attribute(text: str) -> str:
    """A value that the page sends back, such as an id, between quotes: character for character."""
    return html.escape(text)
