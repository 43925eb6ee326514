"""Causes of the differences between two cases, and the comparison of their links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from engine.extraction.judging import UNWRITTEN
from engine.investigation.round import PERSON
from engine.investigation.strategies.gaps import Gaps
from engine.investigation.trails import SCAN
from engine.model import Relation
from engine.records.compared_case import ComparedCase, CorpusChanges, Hop, InputChange, Link

# A cause is as specific as the records allow, and more specific if both corpora are open. If only the
# rank of a passage changed, its causes are those of the passages now ranked before it, or of word
# weights that changed because other texts changed.
SETTING, STEP, DOCUMENT, PASSAGE, WORDS, DATES, LINK, CORPUS, MODEL, ENGINE = (
    "setting", "step", "document", "passage", "words", "dates", "link", "corpus", "model", "engine",
)  # fmt: skip
# Settings that decide which provisions are in force, and all that decide what a scan finds.
DATE_SETTINGS = frozenset({"as_of", "day", "include_superseded", "statuses"})
SCAN_SETTINGS = DATE_SETTINGS | {
    *("question", "corpus", "plan", "model", "model_tasks", "query_strategy", "retrievers", "pool_size"),
    *("must_include", "must_exclude", "documents", "types", "languages", "issuers", "year_from", "year_to"),
    *("depth", "hypothetical_passages", "hypothetical_temperature", "hypothetical_language"),
}
ROUND_SETTINGS = frozenset(
    {"rounds", "stop_when", "time_budget", "call_budget", "pool_size", "depth", "follow"}
)
LONGEST_QUOTE = 80
CauseNumbers = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause of differences.

    ``about`` is the name of a setting, the id of a passage or document, or the two ids of a link;
    ``words`` is a sentence.
    """

    kind: str
    about: str
    words: str


class Causes:
    """Numbered causes of the differences between two cases, each stored once.

    ``changes`` are the differences between the corpora, None unless both are open; ``differs`` is true if
    the corpora are known to be in different states.
    """

    def __init__(
        self,
        first: ComparedCase,
        second: ComparedCase,
        given: Sequence[InputChange],
        changes: CorpusChanges | None,
        differs: bool,
    ) -> None:
        self.first, self.second, self.changes, self.differs = first, second, changes, differs
        self.found: list[Cause] = []
        self._numbers: dict[tuple[str, str], int] = {}
        self._given = {change.name: change for change in given}
        self._otherwise: dict[frozenset[str], CauseNumbers] = {}
        self._absences: dict[tuple[str, bool], CauseNumbers] = {}
        self._reworded: set[str] = set(changes.reworded) if changes is not None else set()

    def number(self, kind: str, about: str, words: str) -> int:
        """Return the number of a cause; add it if it is new."""
        stored = self._numbers.get((kind, about))
        if stored is None:
            stored = self._numbers[kind, about] = len(self.found)
            self.found.append(Cause(kind, about, words))
        return stored

    def settings(self, names: Iterable[str]) -> CauseNumbers:
        """Return the causes for those of some settings that differ."""
        changed = [change for name, change in self._given.items() if name in set(names)]
        return tuple(self.number(SETTING, change.name, change.words) for change in changed)

    def reworded(self, name: str) -> CauseNumbers:
        """Return the cause that a passage's text changed, if it did."""
        if name not in self._reworded:
            return ()
        return (self.number(WORDS, name, f"{self._named(name)} has a different text"),)

    def is_reworded(self, name: str) -> None:
        """Record that the text of a passage changed."""
        self._reworded.add(name)
        self._otherwise.clear()

    def redated(self, name: str) -> CauseNumbers:
        """Return the cause that a passage's dates or status changed, if they did."""
        if self.changes is not None and name not in self.changes.redated:
            return ()
        old, new = self.first.ranked.get(name), self.second.ranked.get(name)
        sentence = f"{self._named(name)} has different dates or a different status"
        if old is None or new is None:
            return () if self.changes is None else (self.number(DATES, name, sentence),)
        dated = [[passage[key] for key in ("valid_from", "valid_to", "status")] for passage in (old, new)]
        return (self.number(DATES, name, sentence),) if dated[0] != dated[1] else ()

    def of_passage(self, name: str) -> CauseNumbers:
        """Return the known changes of a passage itself."""
        return self.reworded(name) + self.redated(name)

    def otherwise(self, names: Iterable[str] = ()) -> CauseNumbers:
        """Return causes for a difference without a more specific cause.

        These are the changed settings among ``names``, else all changed settings; changes of the corpora,
        which affect word weights; else steps of the user, the model or the engine.
        """
        key = frozenset(names)
        if key not in self._otherwise:
            found = self.settings(key - {"corpus"}) or self.settings(self._given.keys() - {"corpus"})
            found += self._of_state()
            self._otherwise[key] = found or self._of_steps() or (self._by_chance(),)
        return self._otherwise[key]

    def _by_chance(self) -> int:
        """Return the cause of a difference if settings, corpora and steps are the same."""
        if self.first.asked_model and self.second.asked_model:
            return self.number(MODEL, self.second.record["model"], "the language model answered differently")
        return self.number(ENGINE, "", "the inputs are the same: the engine changed, or chance")

    def _of_steps(self) -> CauseNumbers:
        """Return the steps of the user that were taken in only one case, as far as the records show them."""
        first, second = self.first, self.second
        found: CauseNumbers = ()
        for word, old, new in (
            ("pinned", first.pinned, second.pinned),
            ("dismissed", first.dismissed, second.dismissed),
        ):
            for name in sorted(old ^ new):
                found += self.of_step(name, word)
        for number in range(*sorted((first.last_round + 1, second.last_round + 1))):
            found += (self.number(STEP, f"round {number}", f"only one case ran round {number}"),)
        return found

    def of_step(self, name: str, word: str) -> CauseNumbers:
        """Return the cause that a passage was pinned, dismissed or added by hand in only one case."""
        return (self.number(STEP, name, f"{self._named(name)} was {word} in only one case"),)

    def _of_state(self) -> CauseNumbers:
        """Return the known differences between the corpora."""
        if self.changes is not None:
            return self._of_corpora(self.changes)
        found = tuple(number for name in sorted(self._reworded) for number in self.reworded(name))
        for removed in (True, False):
            there, lacking = self._sides(removed)
            for name in there.nodes:
                found += self._missing(name, removed) if lacking.has(name) is False else ()
        found = tuple(dict.fromkeys(found)) or self.settings(("corpus",))
        if found or not self.differs:
            return found
        return (self.number(CORPUS, "", "the corpus changed, and with it the weights of words"),)

    def of_absence(self, name: str, *, removed: bool) -> CauseNumbers:
        """Return why a passage of one pool is not in the other.

        ``removed``: it is in the pool of the first case only, else of the second only.
        """
        key = name, removed
        if key not in self._absences:
            # Stops the recursion at a trail that leads back to its start.
            self._absences[key] = ()
            self._absences[key] = tuple(dict.fromkeys(self._absent(name, removed)))
        return self._absences[key]

    def of_hop(self, hop: Hop, *, removed: bool) -> CauseNumbers:
        """Return why a hop of one pool is not in the other."""
        there, lacking = self._sides(removed)
        source, target = hop["source"], hop["target"]
        for end in (source, target):
            if end is not None and lacking.has(end) is False:
                return self._missing(end, removed)
        strategy = hop["strategy"]
        if strategy == PERSON:
            word = "pinned" if target in there.pinned else "added by hand"
            return self.of_step(target, word)
        if strategy not in (SCAN, Gaps.name) and strategy in there.strategies - lacking.strategies:
            return self.settings(("strategies",)) or self.otherwise()
        if hop["round"] > lacking.last_round:
            return self._of_rounds()
        written = self._written(hop, removed)
        if written:
            return written
        if source is not None and source not in lacking.nodes:
            return self.of_absence(source, removed=removed) or self.otherwise()
        own = (() if source is None else self.of_passage(source)) + self.of_passage(target)
        return own or self.otherwise(SCAN_SETTINGS if source is None else ())

    def _absent(self, name: str, removed: bool) -> CauseNumbers:
        there, lacking = self._sides(removed)
        if lacking.has(name) is False:
            return self._missing(name, removed)
        if self._out_of_force(name, there, lacking):
            own = self.redated(name) or self.settings(DATE_SETTINGS)
            if own:
                return own
        found: CauseNumbers = ()
        for hop in there.bringing(name) if name in there.nodes else ():
            found += self.of_hop(hop, removed=removed)
        return found or self.of_passage(name) or self.otherwise()

    def _missing(self, name: str, removed: bool) -> CauseNumbers:
        """Return the cause that a passage, or its whole document, is not in the other corpus."""
        there, lacking = self._sides(removed)
        document = there.document(name)
        word = "is no longer in the corpus" if removed else "is new in the corpus"
        if document is not None and lacking.has_document(document[0]) is False:
            return (self.number(DOCUMENT, document[0], f"{document[1]} {word}"),)
        return (self.number(PASSAGE, name, f"{self._named(name)} {word}"),)

    def _written(self, hop: Hop, removed: bool) -> CauseNumbers:
        """Return the cause that a reference in a text is not in the other corpus."""
        _, lacking = self._sides(removed)
        relation = Relation(hop["relation"])
        if relation in UNWRITTEN or hop["source"] is None:
            return ()
        ends = (hop["source"], hop["target"]) if hop["direction"] == "out" else (hop["target"], hop["source"])
        link = Link(*ends, relation)
        if self.changes is not None:
            differing = self.changes.links_removed if removed else self.changes.links_new
            return self.of_link(link, hop, removed=removed) if link in differing else ()
        stored_links = lacking.links(link.source)
        is_missing = stored_links is not None and link not in stored_links
        # Without the corpus: a record contains all links between an explored passage and the rest of its
        # pool.
        explored = hop["source"] in lacking.explored and hop["target"] in lacking.nodes
        inferred = stored_links is None and explored and not self._given
        return self.of_link(link, hop, removed=removed) if is_missing or inferred else ()

    def of_link(self, link: Link, hop: Hop | None, *, removed: bool) -> CauseNumbers:
        """Return the causes for a link that is in only one corpus."""
        quoted = f" (“{hop['quote'][:LONGEST_QUOTE]}”)" if hop is not None and hop["quote"] else ""
        word = "is no longer there" if removed else "is new"
        ends = f"{self._named(link.source)} → {self._named(link.target)}"
        sentence = f"the link {ends}, {link.relation}{quoted}, {word}"
        about = f"{link.source} {link.relation} {link.target}"
        return (self.number(LINK, about, sentence), *self.reworded(link.source))

    def _of_rounds(self) -> CauseNumbers:
        named = self.settings(ROUND_SETTINGS)
        return named or self.otherwise()

    def _of_corpora(self, changes: CorpusChanges) -> CauseNumbers:
        found: CauseNumbers = ()
        for name in sorted(changes.reworded):
            found += self.reworded(name)
        for name in sorted(changes.redated):
            found += self.redated(name)
        for names, removed in ((changes.removed, True), (changes.new, False)):
            for name in sorted(names):
                found += self._missing(name, removed)
        for links, removed in ((changes.links_removed, True), (changes.links_new, False)):
            for link in sorted(links):
                if not {link.source, link.target} & (changes.removed | changes.new):
                    found += self.of_link(link, None, removed=removed)
        return tuple(dict.fromkeys(found))

    def _out_of_force(self, name: str, there: ComparedCase, lacking: ComparedCase) -> bool:
        """Return whether a passage is out of force on the day of the other case."""
        shown, looked_at = there.ranked.get(name), lacking.record["day"]
        if self.changes is not None and name in self.changes.redated:
            return True
        if shown is None or looked_at is None:
            return False
        day = date.fromisoformat(looked_at)
        begin, end = (shown[key] and date.fromisoformat(shown[key]) for key in ("valid_from", "valid_to"))
        return bool((begin and begin > day) or (end and end < day))

    def _sides(self, removed: bool) -> tuple[ComparedCase, ComparedCase]:
        return (self.first, self.second) if removed else (self.second, self.first)

    def _named(self, name: str) -> str:
        return self.second.label(name) or self.first.label(name) or name


# Comparison of the hops of two pools.

GONE, NEW, CHANGED = "gone", "new", "changed"
Ends = tuple[str | None, str, str, str, str]


@dataclass(frozen=True, slots=True)
class LinkChange:
    """A hop that differs.

    ``change`` is ``removed`` (only in the first pool), ``new`` (only in the second) or ``changed`` (different
    quote, strength or round). ``source`` is None if the hop starts at the question.
    """

    change: str
    source: str | None
    target: str
    strategy: str
    relation: str
    direction: str
    quote: str
    causes: CauseNumbers


def compare_links(first: ComparedCase, second: ComparedCase, causes: Causes) -> Iterator[LinkChange]:
    """Yield all hops that differ, in the order of the pools."""
    old, new = _hops(first), _hops(second)
    for ends, hops in old.items():
        if ends not in new:
            yield _change(GONE, ends, hops[0], causes.of_hop(hops[0], removed=True))
    for ends, hops in new.items():
        if ends not in old:
            yield _change(NEW, ends, hops[0], causes.of_hop(hops[0], removed=False))
        elif hops != old[ends]:
            own = (() if ends[0] is None else causes.of_passage(ends[0])) + causes.of_passage(ends[1])
            yield _change(CHANGED, ends, hops[0], tuple(dict.fromkeys(own)) or causes.otherwise())


def _hops(side: ComparedCase) -> Mapping[Ends, list[Hop]]:
    found: defaultdict[Ends, list[Hop]] = defaultdict(list)
    for hop in side.record["pool"]["edges"]:
        ends = hop["source"], hop["target"], hop["strategy"], hop["relation"], hop["direction"]
        found[ends].append(hop)
    return found


def _change(change: str, ends: Ends, hop: Hop, causes: CauseNumbers) -> LinkChange:
    return LinkChange(change, *ends, hop["quote"], causes)
