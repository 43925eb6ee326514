"""The nouns: what a document collection and an investigation are made of.

Values only: frozen, without behaviour beyond their own consistency. Relation names follow ELI and
schema.org/Legislation where those have a word (``cites``, ``amends``, ``repeals``, ``based_on``,
``applies_to``).

Inside the engine a passage is addressed by its *row*: its position in the corpus (int32). Ids are
for people, files and other programs.
"""

from engine.model.documents import (
    EDITION,
    FAMILY,
    OUT_OF_FORCE,
    Document,
    Entity,
    EntityKind,
    Passage,
    Reference,
    Role,
    Section,
    SectionKind,
    Span,
    TargetKind,
)
from engine.model.findings import Hop, RankedPassage, RetrieverHit, ScorePart
from engine.model.grades import Grade
from engine.model.nothing import NOTHING
from engine.model.progress import (
    UNJUDGED,
    UNMEASURED,
    AreaCoverage,
    AreaState,
    Completeness,
    Evidence,
    EvidenceStatus,
    GapQuery,
    Metrics,
    PartEvidence,
    RetrieverCount,
    RoundJudgement,
    RoundReport,
    Stop,
    StopReason,
    StrategyCount,
    counted,
)
from engine.model.questions import (
    Choice,
    Constraints,
    Depth,
    DepthKind,
    Intent,
    NamedProvision,
    Naming,
    QueryPlan,
    Suggestion,
    Transaction,
    View,
)
from engine.model.relations import RELATION_VERBS, Direction, Relation, Status
from engine.model.reviews import Review, Verdict

__all__ = [
    "EDITION",
    "FAMILY",
    "NOTHING",
    "OUT_OF_FORCE",
    "RELATION_VERBS",
    "UNJUDGED",
    "UNMEASURED",
    "AreaCoverage",
    "AreaState",
    "Choice",
    "Completeness",
    "Constraints",
    "Depth",
    "DepthKind",
    "Direction",
    "Document",
    "Entity",
    "EntityKind",
    "Evidence",
    "EvidenceStatus",
    "GapQuery",
    "Grade",
    "Hop",
    "Intent",
    "Metrics",
    "NamedProvision",
    "Naming",
    "PartEvidence",
    "Passage",
    "QueryPlan",
    "RankedPassage",
    "Reference",
    "Relation",
    "RetrieverCount",
    "RetrieverHit",
    "Review",
    "Role",
    "RoundJudgement",
    "RoundReport",
    "ScorePart",
    "Section",
    "SectionKind",
    "Span",
    "Status",
    "Stop",
    "StopReason",
    "StrategyCount",
    "Suggestion",
    "TargetKind",
    "Transaction",
    "Verdict",
    "View",
    "counted",
]
