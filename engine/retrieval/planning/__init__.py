"""The question seen several ways.

``make_plan`` tells what a question asks (``intent.py``), what it requires (``syntax.py``; ``prose.py``: what
it may mean), and by which views it is scanned: its parts (``parting.py``), sides and clauses
(``structure.py``), the words of the law (``register.py``) and those of the corpus (``vocabulary.py``,
``feedback.py``). How questions are asked in a language stands in ``engine/languages``; which views are used,
in ``strategies.py``. Where the settings say so a language model takes the question apart
(``decomposing.py``) and drafts passages that might answer (``hypothetical/``); ``assisted.py`` puts its
fallback in its place where it cannot.
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
from engine.retrieval.planning.views import TOLD

__all__ = [
    "GAP",
    "HYPOTHETICAL",
    "KINDS",
    "LITERAL",
    "LONGEST_QUESTION",
    "OWN",
    "PART",
    "SIDE",
    "TOLD",
    "Helpers",
    "active",
    "checked_plan",
    "depth_of",
    "make_plan",
    "parts",
    "with_settings",
]
