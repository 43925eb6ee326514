"""Query plans: the views of a question.

``make_plan`` finds the intent of a question (``words.py``), its explicit constraints (``syntax.py``) and
possible ones (``prose.py``), the provisions that it names (``named/``), and the views that are scanned: its
parts (``parting.py``), sides and clauses (``words.py``), words of the law and of the corpus (``views.py``).
``engine/languages`` has the tables of each language. If the settings say so, a language model splits the
question (``decomposing.py``) and drafts passages that might answer it (``hypothetical.py``); ``assisted.py``
chooses the views and has the fallbacks.
"""

from engine.retrieval.planning.assisted import GAP, HYPOTHETICAL, KINDS, LITERAL, OWN, PART, SIDE, Helpers
from engine.retrieval.planning.parting import parts
from engine.retrieval.planning.plan import (
    LONGEST_QUESTION,
    active,
    checked_plan,
    depth_of,
    make_plan,
    with_settings,
)
from engine.retrieval.planning.views import BACKGROUND

__all__ = [
    "BACKGROUND",
    "GAP",
    "HYPOTHETICAL",
    "KINDS",
    "LITERAL",
    "LONGEST_QUESTION",
    "OWN",
    "PART",
    "SIDE",
    "Helpers",
    "active",
    "checked_plan",
    "depth_of",
    "make_plan",
    "parts",
    "with_settings",
]
