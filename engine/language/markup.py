"""Text of others in HTML: the one escape for all pages and exports."""

from __future__ import annotations

import html

from engine.language.hidden_marks import marked


def escape(text: str, *, quote: bool = True) -> str:
    """A text as it is shown in HTML: no markup of its own, and nothing hidden in it.

    ``quote``: it may stand between quotes, too.
    """
    return html.escape(marked(text), quote)


def attribute(text: str) -> str:
    """A value that the page sends back, such as an id, between quotes: character for character."""
    return html.escape(text)
