"""What a person says of verdicts: confirmed, overruled, or taken back; kept beside the corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.answers.audit.log import AMBIGUOUS, RESOLVED, WORDS, Entry, Log
from engine.corpus.confirmations import Confirmation, add_confirmation, made_confirmation
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, InputError

Act = Literal["confirm", "overrule", "undo"]


@dataclass(frozen=True, slots=True)
class Saying:
    """What is said of the entry with a ``number``; ``instead`` is the right verdict, to overrule it."""

    act: Act
    number: str
    instead: str = ""


def say(
    corpus: Corpus, log: Log, sayings: Sequence[Saying], *, note: str = "", reviewer: str = ""
) -> tuple[Confirmation, ...]:
    """Keep what a person says of the entries of a log; durable once this returns.

    All of it is looked up and checked before anything is kept. Raises InputError for an entry or a verdict
    that there is none of, CorpusError where nothing can be kept.
    """
    if corpus.journals is None:
        raise CorpusError(f"{corpus.name!r} has no journals: there is no place for confirmations")
    journals, made = corpus.journals, list(_made(log, sayings, note, reviewer))
    return tuple(add_confirmation(journals, one) for one in made)


def checked_instead(told: str, entry: Entry) -> str:
    """The verdict that a person gives an entry, as a key. Raises InputError for what it cannot have."""
    key = "_".join(told.strip().lower().split())[:100]
    known = [one for one in WORDS if entry.is_citation or one not in (RESOLVED, AMBIGUOUS)]
    if key not in known:
        raise InputError(f"{told.strip()[:30]!r} is no verdict; there are {', '.join(known)}")
    return key


def _made(log: Log, sayings: Sequence[Saying], note: str, reviewer: str) -> Iterator[Confirmation]:
    for one in sayings:
        entry = log.entry(one.number)
        if one.act == "undo":
            yield _withdrawal(entry, reviewer)
            continue
        instead = checked_instead(one.instead, entry) if one.act == "overrule" else ""
        held = ("", "") if entry.held is None else (entry.held.passage_id, entry.held.sha256)
        said = {"instead": instead, "note": note, "reviewer": reviewer}
        yield made_confirmation(entry.words, held, entry.finding, **said)


def _withdrawal(entry: Entry, reviewer: str) -> Confirmation:
    """What takes back what was said of an entry, whether that still holds or not."""
    said = entry.review or entry.before
    if said is None:
        raise InputError(f"nobody has said anything of {entry.number}")
    held = (said.passage_id, said.sha256)
    made = made_confirmation(said.claim, held, said.finding, instead=said.instead, reviewer=reviewer)
    return made.model_copy(update={"withdrawn": True})
