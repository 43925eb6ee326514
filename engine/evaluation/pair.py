"""Compare two settings on one question: both rankings, and the passages found by only one of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.investigation import Case, run_case
from engine.model import Completeness, EvidenceStatus, RankedPassage, Stop
from engine.settings import InvestigationSettings


@dataclass(frozen=True, slots=True)
class PairedPassage:
    """A passage of one ranking: the other's rank of it (None if not ranked), whether the other's pool has it,
    and whether it is gold."""

    found: RankedPassage
    other_rank: int | None
    in_other_pool: bool
    gold: bool


@dataclass(frozen=True, slots=True)
class SettingsResult:
    """The result of one of the settings. ``alone`` counts passages only in its pool; ``gold_in_pool`` and
    ``gold_ranked`` count gold passages in the pool and in the ranking."""

    settings: InvestigationSettings
    ranking: tuple[PairedPassage, ...]
    pool_size: int
    alone: int
    rounds: int
    stop: Stop
    completeness: Completeness | None
    milliseconds: float
    gold_in_pool: int
    gold_ranked: int


@dataclass(frozen=True, slots=True)
class Pair:
    """Both results; ``shared`` counts the passages in both pools, ``gold`` the question's gold."""

    question: str
    left: SettingsResult
    right: SettingsResult
    shared: int
    gold: int


def compare_settings(
    corpus: Corpus,
    question: str,
    settings: tuple[InvestigationSettings, InvestigationSettings],
    gold: Collection[str] = (),
) -> Pair:
    """Investigate a question with both settings, one after the other.

    ``gold``: source ids of the passages that answer it, if known. They are only compared with the results and
    reach no investigation. Raises InputError for an empty question.
    """
    left, right = (run_case(corpus, question, each) for each in settings)
    names = _source_ids(corpus, left, right)
    first, second = _pool_ids(left), _pool_ids(right)
    gold_ids = set(gold)
    return Pair(
        question,
        _side(left, right, settings[0], names, gold_ids),
        _side(right, left, settings[1], names, gold_ids),
        len(first & second),
        len(gold_ids),
    )


def _side(
    mine: Case, other: Case, settings: InvestigationSettings, names: dict[str, str], gold: set[str]
) -> SettingsResult:
    if mine.stop is None:
        raise InputError("the investigation ended before its ranking")
    ranks = {member: found.rank for found in reversed(other.ranking) for member in _members(found)}
    others, own = _pool_ids(other), _pool_ids(mine)
    placed = []
    for found in mine.ranking:
        members = _members(found)
        other_ranks = [ranks[member] for member in members if member in ranks]
        placed.append(
            PairedPassage(
                found,
                min(other_ranks, default=None),
                any(member in others for member in members),
                any(names[member] in gold for member in members),
            )
        )
    shown = {names[member] for found in mine.ranking for member in _members(found)}
    return SettingsResult(
        settings,
        tuple(placed),
        len(own),
        len(own - others),
        sum(1 for report in mine.rounds if report.number > 0),
        mine.stop,
        mine.completeness() if mine.evidence.status is EvidenceStatus.FOUND else None,
        mine.milliseconds,
        len({names[member] for member in own} & gold),
        len(shown & gold),
    )


def _members(found: RankedPassage) -> Sequence[str]:
    return found.assembled_ids or (found.passage.id,)


def _pool_ids(case: Case) -> set[str]:
    return {entry.passage_id for entry in case.pool.entries()}


def _source_ids(corpus: Corpus, *cases: Case) -> dict[str, str]:
    """Return the source id of every passage in either pool or ranking."""
    members = {member for case in cases for found in case.ranking for member in _members(found)}
    members |= {name for case in cases for name in _pool_ids(case)}
    ids = sorted(members)
    return {passage.id: passage.source_id for passage in corpus.passages(corpus.rows(ids))}
