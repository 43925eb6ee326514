"""Causes of differences between two cases, and their links compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from engine.extraction.judging import UNWRITTEN
from engine.investigation.round import PERSON, SCAN
from engine.investigation.strategies.gaps import Gaps
from engine.model import Relation
from engine.records.sides import CorpusChanges, Given, Hop, Link, Side

# What made the difference between two cases: from a passage that came or went back to a setting,
# a step, a document, words, dates or a link.
#
# A cause is as near as the records tell, and nearer where the corpora are open. Where a passage
# is only ranked otherwise, it is what ranked it so: the passages that came before it, or words
# that count for more or less because others have changed.

SETTING, STEP, DOCUMENT, PASSAGE, WORDS, DATES, LINK, CORPUS, MODEL, ENGINE = (
    "setting", "step", "document", "passage", "words", "dates", "link", "corpus", "model", "engine",
)  # fmt: skip
# What decides what a scan finds; which day it is decides what is in force.
DAYS = frozenset({"as_of", "day", "include_superseded", "statuses"})
SCANNED = DAYS | {
    *("question", "corpus", "plan", "model", "model_tasks", "query_strategy", "retrievers", "pool_size"),
    *("must_include", "must_exclude", "documents", "types", "languages", "issuers", "year_from", "year_to"),
    *("depth", "hypothetical_passages", "hypothetical_temperature", "hypothetical_language"),
}
GONE_THROUGH = frozenset(
    {"rounds", "stop_when", "time_budget", "call_budget", "pool_size", "depth", "follow"}
)
LONGEST_QUOTE = 80
Found = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that was given otherwise. ``about`` is the name of a setting or the id of a passage or
    document, of a link those of its ends; ``words`` say it in a sentence."""

    kind: str
    about: str
    words: str


class Causes:
    """The causes of the differences between two sides, each once, by number. ``changes``: what differs
    between the corpora, None where only one of them is open; ``differs``: whether they are in another state,
    as far as is known."""

    def __init__(
        self,
        first: Side,
        second: Side,
        given: Sequence[Given],
        changes: CorpusChanges | None,
        differs: bool,
    ) -> None:
        self.first, self.second, self.changes, self.differs = first, second, changes, differs
        self.found: list[Cause] = []
        self._numbers: dict[tuple[str, str], int] = {}
        self._given = {one.name: one for one in given}
        self._otherwise: dict[frozenset[str], Found] = {}
        self._absences: dict[tuple[str, bool], Found] = {}
        self._reworded: set[str] = set(changes.reworded) if changes is not None else set()

    def number(self, kind: str, about: str, words: str) -> int:
        """A cause by its number; it is told once."""
        known = self._numbers.get((kind, about))
        if known is None:
            known = self._numbers[kind, about] = len(self.found)
            self.found.append(Cause(kind, about, words))
        return known

    def settings(self, names: Iterable[str]) -> Found:
        """Those of some settings that differ."""
        wanted = [one for name, one in self._given.items() if name in set(names)]
        return tuple(self.number(SETTING, one.name, one.words) for one in wanted)

    def reworded(self, name: str) -> Found:
        """That a passage has other words, where it has."""
        if name not in self._reworded:
            return ()
        return (self.number(WORDS, name, f"{self._named(name)} has other words"),)

    def is_reworded(self, name: str) -> None:
        """Learn that a passage has other words."""
        self._reworded.add(name)
        self._otherwise.clear()

    def redated(self, name: str) -> Found:
        """That a passage has other dates or another status, where it has."""
        if self.changes is not None and name not in self.changes.redated:
            return ()
        old, new = self.first.ranked.get(name), self.second.ranked.get(name)
        told = f"{self._named(name)} has other dates or another status"
        if old is None or new is None:
            return () if self.changes is None else (self.number(DATES, name, told),)
        dated = [[one[key] for key in ("valid_from", "valid_to", "status")] for one in (old, new)]
        return (self.number(DATES, name, told),) if dated[0] != dated[1] else ()

    def of_passage(self, name: str) -> Found:
        """What is known to differ in a passage itself."""
        return self.reworded(name) + self.redated(name)

    def otherwise(self, names: Iterable[str] = ()) -> Found:
        """What is left where nothing nearer is known: settings of some names that differ, all that do, what
        differs in the corpora by which words are weighed, or the engine."""
        wanted = frozenset(names)
        if wanted not in self._otherwise:
            found = self.settings(wanted - {"corpus"}) or self.settings(self._given.keys() - {"corpus"})
            found += self._of_state()
            self._otherwise[wanted] = found or self._of_steps() or (self._by_chance(),)
        return self._otherwise[wanted]

    def _by_chance(self) -> int:
        """What is left where nothing that was given differs."""
        if self.first.asked_model and self.second.asked_model:
            return self.number(MODEL, self.second.record["model"], "the language model answered otherwise")
        return self.number(ENGINE, "", "nothing that was given differs: the engine, or chance")

    def _of_steps(self) -> Found:
        """The steps that were taken in one case alone, as far as they show."""
        first, second = self.first, self.second
        found: Found = ()
        for word, old, new in (
            ("pinned", first.pinned, second.pinned),
            ("dismissed", first.dismissed, second.dismissed),
        ):
            for name in sorted(old ^ new):
                found += self.of_step(name, word)
        for number in range(*sorted((first.last_round + 1, second.last_round + 1))):
            found += (self.number(STEP, f"round {number}", f"round {number} was gone in one case alone"),)
        return found

    def of_step(self, name: str, word: str) -> Found:
        """That a passage was pinned, dismissed or pointed at in one case alone."""
        return (self.number(STEP, name, f"{self._named(name)} was {word} in one case alone"),)

    def _of_state(self) -> Found:
        """What is known to differ between the corpora."""
        if self.changes is not None:
            return self._of_corpora(self.changes)
        found = tuple(number for name in sorted(self._reworded) for number in self.reworded(name))
        for gone in (True, False):
            there, lacking = self._sides(gone)
            for name in there.nodes:
                found += self._missing(name, gone) if lacking.has(name) is False else ()
        found = tuple(dict.fromkeys(found)) or self.settings(("corpus",))
        if found or not self.differs:
            return found
        return (self.number(CORPUS, "", "the corpus is in another state: words are weighed otherwise"),)

    def of_absence(self, name: str, *, gone: bool) -> Found:
        """Why a passage of the one pool is not in the other: ``gone`` of the first, else of the second."""
        key = name, gone
        if key not in self._absences:
            # A trail that leads back to where it began tells nothing more.
            self._absences[key] = ()
            self._absences[key] = tuple(dict.fromkeys(self._absent(name, gone)))
        return self._absences[key]

    def of_hop(self, hop: Hop, *, gone: bool) -> Found:
        """Why a hop of the one pool is not in the other."""
        there, lacking = self._sides(gone)
        source, target = hop["source"], hop["target"]
        for end in (source, target):
            if end is not None and lacking.has(end) is False:
                return self._missing(end, gone)
        strategy = hop["strategy"]
        if strategy == PERSON:
            word = "pinned" if target in there.pinned else "pointed at"
            return self.of_step(target, word)
        if strategy not in (SCAN, Gaps.name) and strategy in there.strategies - lacking.strategies:
            return self.settings(("strategies",)) or self.otherwise()
        if hop["round"] > lacking.last_round:
            return self._of_rounds()
        written = self._written(hop, gone)
        if written:
            return written
        if source is not None and source not in lacking.nodes:
            return self.of_absence(source, gone=gone) or self.otherwise()
        own = (() if source is None else self.of_passage(source)) + self.of_passage(target)
        return own or self.otherwise(SCANNED if source is None else ())

    def _absent(self, name: str, gone: bool) -> Found:
        there, lacking = self._sides(gone)
        if lacking.has(name) is False:
            return self._missing(name, gone)
        if self._out_of_force(name, there, lacking):
            own = self.redated(name) or self.settings(DAYS)
            if own:
                return own
        found: Found = ()
        for hop in there.bringing(name) if name in there.nodes else ():
            found += self.of_hop(hop, gone=gone)
        return found or self.of_passage(name) or self.otherwise()

    def _missing(self, name: str, gone: bool) -> Found:
        """That a passage, or its whole document, is not in the other corpus."""
        there, lacking = self._sides(gone)
        document = there.document(name)
        word = "is no longer in the corpus" if gone else "is new in the corpus"
        if document is not None and lacking.has_document(document[0]) is False:
            return (self.number(DOCUMENT, document[0], f"{document[1]} {word}"),)
        return (self.number(PASSAGE, name, f"{self._named(name)} {word}"),)

    def _written(self, hop: Hop, gone: bool) -> Found:
        """That a link which words make is not in the other corpus."""
        _, lacking = self._sides(gone)
        relation = Relation(hop["relation"])
        if relation in UNWRITTEN or hop["source"] is None:
            return ()
        ends = (hop["source"], hop["target"]) if hop["direction"] == "out" else (hop["target"], hop["source"])
        link = Link(*ends, relation)
        if self.changes is not None:
            differing = self.changes.links_gone if gone else self.changes.links_new
            return self.of_link(link, hop, gone=gone) if link in differing else ()
        said = lacking.links(link.source)
        known = said is not None and link not in said
        # Without its corpus a record tells as much: what is explored is joined with all that the pool holds.
        explored = hop["source"] in lacking.explored and hop["target"] in lacking.nodes
        inferred = said is None and explored and not self._given
        return self.of_link(link, hop, gone=gone) if known or inferred else ()

    def of_link(self, link: Link, hop: Hop | None, *, gone: bool) -> Found:
        """A link that is in one corpus alone."""
        quoted = f" (“{hop['quote'][:LONGEST_QUOTE]}”)" if hop is not None and hop["quote"] else ""
        word = "is no longer there" if gone else "is new"
        ends = f"{self._named(link.source)} → {self._named(link.target)}"
        told = f"the link {ends}, {link.relation}{quoted}, {word}"
        about = f"{link.source} {link.relation} {link.target}"
        return (self.number(LINK, about, told), *self.reworded(link.source))

    def _of_rounds(self) -> Found:
        named = self.settings(GONE_THROUGH)
        return named or self.otherwise()

    def _of_corpora(self, changes: CorpusChanges) -> Found:
        found: Found = ()
        for name in sorted(changes.reworded):
            found += self.reworded(name)
        for name in sorted(changes.redated):
            found += self.redated(name)
        for names, gone in ((changes.gone, True), (changes.new, False)):
            for name in sorted(names):
                found += self._missing(name, gone)
        for links, gone in ((changes.links_gone, True), (changes.links_new, False)):
            for link in sorted(links):
                if not {link.source, link.target} & (changes.gone | changes.new):
                    found += self.of_link(link, None, gone=gone)
        return tuple(dict.fromkeys(found))

    def _out_of_force(self, name: str, there: Side, lacking: Side) -> bool:
        """Whether a passage is out of force on the day that the other case looks at."""
        shown, looked_at = there.ranked.get(name), lacking.record["day"]
        if self.changes is not None and name in self.changes.redated:
            return True
        if shown is None or looked_at is None:
            return False
        day = date.fromisoformat(looked_at)
        begin, end = (shown[key] and date.fromisoformat(shown[key]) for key in ("valid_from", "valid_to"))
        return bool((begin and begin > day) or (end and end < day))

    def _sides(self, gone: bool) -> tuple[Side, Side]:
        return (self.first, self.second) if gone else (self.second, self.first)

    def _named(self, name: str) -> str:
        return self.second.label(name) or self.first.label(name) or name


# The hops of two pools: which are in one alone, and which are told otherwise.

GONE, NEW, CHANGED = "gone", "new", "changed"
Ends = tuple[str | None, str, str, str, str]


@dataclass(frozen=True, slots=True)
class LinkChange:
    """A hop that differs. ``change``: it is ``gone`` from the second pool, ``new`` in it, or ``changed``:
    with other words, another strength, of another round. ``source`` is None where it starts at the
    question."""

    change: str
    source: str | None
    target: str
    strategy: str
    relation: str
    direction: str
    quote: str
    causes: Found


def links_between(first: Side, second: Side, causes: Causes) -> Iterator[LinkChange]:
    """All hops that differ, in the order of the pools."""
    old, new = _hops(first), _hops(second)
    for ends, hops in old.items():
        if ends not in new:
            yield _change(GONE, ends, hops[0], causes.of_hop(hops[0], gone=True))
    for ends, hops in new.items():
        if ends not in old:
            yield _change(NEW, ends, hops[0], causes.of_hop(hops[0], gone=False))
        elif hops != old[ends]:
            own = (() if ends[0] is None else causes.of_passage(ends[0])) + causes.of_passage(ends[1])
            yield _change(CHANGED, ends, hops[0], tuple(dict.fromkeys(own)) or causes.otherwise())


def _hops(side: Side) -> Mapping[Ends, list[Hop]]:
    found: defaultdict[Ends, list[Hop]] = defaultdict(list)
    for hop in side.record["pool"]["edges"]:
        ends = hop["source"], hop["target"], hop["strategy"], hop["relation"], hop["direction"]
        found[ends].append(hop)
    return found


def _change(change: str, ends: Ends, hop: Hop, causes: Found) -> LinkChange:
    return LinkChange(change, *ends, hop["quote"], causes)
