"""The expansion tree of a case, its figures, and both as JSON and as text."""

from engine.records.expansion.facts import PoolFacts, facts_of_pool, facts_of_record
from engine.records.expansion.tree import Descendants, ExpansionTree, Node, expansion_tree

__all__ = [
    "Descendants",
    "ExpansionTree",
    "Node",
    "PoolFacts",
    "expansion_tree",
    "facts_of_pool",
    "facts_of_record",
]
