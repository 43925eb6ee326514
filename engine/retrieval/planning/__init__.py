"""The question seen several ways, without a language model.

``make_plan`` tells what a question asks (``intent.py``), what it demands (``syntax.py``; ``prose.py``: what
it may mean), and by which views it is scanned: its parts, sides and clauses (``structure.py``), the words
of the law (``register.py``) and those of the corpus (``vocabulary.py``, ``feedback.py``). How questions are
asked in a language stands in ``languages/``; which views are used, in ``strategies.py``.
"""

from engine.retrieval.planning.editing import checked_plan
from engine.retrieval.planning.plan import LONGEST_QUESTION, active, make_plan, with_settings
from engine.retrieval.planning.strategies import GAP, KINDS, LITERAL, OWN, PART, SIDE, deepened
from engine.retrieval.planning.structure import parts

__all__ = [
    "GAP",
    "KINDS",
    "LITERAL",
    "LONGEST_QUESTION",
    "OWN",
    "PART",
    "SIDE",
    "active",
    "checked_plan",
    "deepened",
    "make_plan",
    "parts",
    "with_settings",
]
