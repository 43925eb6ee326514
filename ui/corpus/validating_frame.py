"""The frame of the panel of links: filters, the queue, the figures, and the door to a model."""

from __future__ import annotations

from collections.abc import Mapping

_FILTERS: Mapping[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "state": (
        "State",
        (("open", "not judged"), ("judged", "judged"), ("stale", "stale"), ("", "all states")),
    ),
    "origin": (
        "Who says so",
        (("", "from anyone"), ("model", "from a model"), ("grammar", "from the texts")),
    ),
    "sort": ("Relation", ()),
    "document": ("Document", ()),
    "sure": (
        "Confidence",
        (
            ("0-1", "any confidence"),
            ("0.8-1", "80 % and more"),
            ("0.5-0.8", "50 to 80 %"),
            ("0-0.5", "50 % and less"),
        ),
    ),
    "order": (
        "Order",
        (
            ("random", "in random order"),
            ("uncertain", "least certain first"),
            ("document", "as they are read"),
        ),
    ),
}


def _select(name: str) -> str:
    label, choices = _FILTERS[name]
    options = "".join(f'<option value="{value}">{words}</option>' for value, words in choices)
    return f'<select data-wanted="{name}" aria-label="{label}">{options}</select>'


_HEAD = (
    '<div class="bar-head"><h2>Links to check</h2><small data-lib="link-count"></small>'
    f'<div class="wanted">{"".join(map(_select, _FILTERS))}</div></div>'
    '<p class="hint" data-lib="link-may" hidden>Only whoever runs this server may judge links of this '
    "corpus; in a corpus of your own you can.</p>"
)
_FOOT = (
    '<div class="link-foot"><span class="steps">'
    '<button type="button" data-lib="link-before" aria-label="Previous link">‹</button>'
    '<span data-lib="link-place"></span>'
    '<button type="button" data-lib="link-next" aria-label="Next link">›</button></span>'
    '<input type="text" data-lib="link-note" maxlength="2000" placeholder="Note to the next verdict" '
    'aria-label="Note to the next verdict" dir="auto">'
    '<input type="text" data-lib="link-reviewer" maxlength="100" placeholder="Your name (optional)" '
    'aria-label="Your name (optional)" autocomplete="off" dir="auto"></div>'
)
_SIDE = (
    '<aside class="check-side" aria-label="Figures"><section><h2 class="h">How often they are right</h2>'
    '<div data-lib="link-figures"></div><p class="hint" data-lib="link-fair" hidden>In this order the '
    "figure is no fair sample: judge in random order for that.</p></section>"
    '<section><h2 class="h">Have a model read this corpus</h2><div data-lib="extract"></div></section>'
    "</aside>"
)
FRAME = (
    '<section class="lib-view check" data-view="check" role="tabpanel" aria-label="Check links" hidden>'
    f'<div class="pane queue">{_HEAD}<div class="link-scroll" data-lib="link" aria-live="polite"></div>'
    f"{_FOOT}</div>{_SIDE}</section>"
)
