"""The expansion tree of a case and its statistics, as JSON and as text."""

from engine.records.expansion.tree import (
    Descendants,
    ExpansionTree,
    Node,
    PoolFacts,
    expansion_tree,
    facts_of_pool,
    facts_of_record,
)

__all__ = [
    "Descendants",
    "ExpansionTree",
    "Node",
    "PoolFacts",
    "expansion_tree",
    "facts_of_pool",
    "facts_of_record",
]
