"""Find words of a source that a claim must not omit: negations, conditions, exceptions, limits of
permissions, parts of the subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.language.statements.pairing import Pairs, is_light
from engine.language.statements.sequence import AGENT, BINDING, GENITIVE, Sort, Token

# Maximum share of a sentence's content words that a claim may omit after the modal verb.
MOST_DROPPED = 0.75
_NOT_CERTAIN = ("a", "an", "ein", "eine", "einen", "einem", "einer", "un", "une", "una")


def binding(
    claim: Sequence[Token],
    source: Sequence[Token],
    pairs: Pairs,
    left: list[int],
    language: str,
    *,
    agentless: bool,
) -> Iterator[Token]:
    """Yield the words of the source that the claim must not omit but does."""
    if not pairs.of_claim:
        return
    found = _Dropped(claim, source, pairs, left, language, agentless)
    dropped = 0
    for run in _runs(left):
        places = [place for place in run if source[place].sentence in found.sentences]
        places = [place for place in places if not _is_ignored(source[place]) and not _is_duty(source[place])]
        if not places or found.needs_none(places):
            continue
        bound = found.bound(places)
        yield from bound
        if not bound:
            dropped += sum(source[place].sort is Sort.CONTENT for place in places)
    if found.content and dropped > MOST_DROPPED * found.content:
        yield from (source[place] for place in left if source[place].sort is Sort.CONTENT)


class _Dropped:
    """A source, and the words that a claim omits from it.

    ``first``, ``last``: ends of the words in the claim. ``modal``: position of their modal verb.
    """

    def __init__(
        self,
        claim: Sequence[Token],
        source: Sequence[Token],
        pairs: Pairs,
        left: Sequence[int],
        language: str,
        agentless: bool,
    ) -> None:
        self.claim, self.source, self.pairs, self.language = claim, source, pairs, language
        self.used = set(pairs.of_claim.values())
        self.first, self.last = min(self.used), max(self.used)
        self.sentences = {source[place].sentence for place in self.used}
        self.agentless = agentless
        modals = (place for place in sorted(self.used) if source[place].sort is Sort.MODAL)
        between = (p for p in left if self.first < p < self.last and source[p].sort is Sort.MODAL)
        self.modal = next(modals, None)
        if self.modal is None:
            self.modal = next(between, None)
        self.content = sum(
            token.sort is Sort.CONTENT and token.sentence in self.sentences and not _is_ignored(token)
            for token in source
        )

    def needs_none(self, run: list[int]) -> bool:
        """Return True if a run may be omitted: it frames, repeats, carries, or is a member of a list."""
        source = self.source
        tokens = [source[place] for place in run]
        if self._has_other_number(run):
            return False
        if run[-1] < self.first and _ensured(tokens, source, self.first):
            return True
        if _shortened(source, run, self.used) or _repeated(source, run, self.used):
            return True
        if _carried(self.claim, source, run, self.pairs, self.language):
            return True
        behind = source[run[-1] + 1] if run[-1] + 1 < len(source) else None
        return _coordinated(tokens, behind, self._is_subject(run), source, self.modal, run)

    def bound(self, run: list[int]) -> list[Token]:
        """Return the words of a run that must not be omitted."""
        tokens = [self.source[place] for place in run]
        found = [token for token in tokens if token.sort in BINDING]
        if found:
            return found
        if self._has_other_number(run):
            return [token for token in tokens if token.sort in (Sort.NUMBER, Sort.CONTENT)]
        if self.agentless and self._is_subject(run):
            return []
        plain = [token for token in tokens if token.sort is Sort.CONTENT]
        numbers = [token for token in tokens if token.sort in (Sort.NUMBER, Sort.LIMIT)]
        modals = [token for token in tokens if token.sort is Sort.MODAL]
        if modals and not plain:
            # A permission is not a plain statement.
            inside = self.first < run[0] < self.last
            return [token for token in modals if token.key != "must"] if inside else []
        behind = self.source[run[-1] + 1] if run[-1] + 1 < len(self.source) else None
        plainly = bool(tokens[0].mark or tokens[0].opened)
        plainly = plainly or _modifies(tokens, behind, run, self.used) or self._of_one(run)
        duty = self.modal is not None and self.source[self.modal].key == "must"
        may_drop = duty and not self._is_subject(run) and plainly
        may_drop = may_drop and not (_is_choice(tokens) or self._of_all(run))
        return [] if may_drop else plain or numbers

    def _has_other_number(self, run: list[int]) -> bool:
        """Return True if the claim gives a number to words that have the omitted one: "traders [ten years,
        others] three years"."""
        around = [place for place in (run[0] - 1, run[-1] + 1) if place in self.used]
        if len(around) < 2:
            return False
        around += [around[1] + 1] if self.source[around[1]].sort is Sort.LIMIT else []
        kept = [self.source[place].quantity for place in around if place in self.used]
        omitted = [self.source[place].quantity for place in run]
        return any(one and other and one.comparable(other) for one in kept for other in omitted)

    def _of_one(self, run: list[int]) -> bool:
        """Return True if a relative clause describes something indefinite: "a board that ..."."""
        if not self.source[run[0]].relative:
            return False
        place = run[0] - 1
        while place > 0 and self.source[place].joined:
            place -= 1
        return place in self.used and self.source[place].article in _NOT_CERTAIN

    def _is_subject(self, run: list[int]) -> bool:
        if self.modal is None:
            return self.agentless and run[-1] < self.first
        return run[0] < self.modal

    def _of_all(self, run: list[int]) -> bool:
        """Return True if the omitted words define which of "all records" are meant."""
        if self.source[run[0]].opened == "," or run[0] - 1 not in self.used:
            return False
        for place in range(run[0] - 1, -1, -1):
            token = self.source[place]
            if token.sort is Sort.ALL:
                return True
            if token.opened == "," or token.sort is not Sort.CONTENT:
                return False
        return False


def _is_ignored(token: Token) -> bool:
    return token.bracket or token.aside or token.sort is Sort.REFERENCE


def _is_duty(token: Token) -> bool:
    """Return True for "must": a statement of law implies it."""
    return token.sort is Sort.MODAL and token.key == "must" and not token.opened


def _runs(places: Sequence[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for place in places:
        if run and place != run[-1] + 1:
            yield run
            run = []
        run.append(place)
    if run:
        yield run


def _ensured(tokens: Sequence[Token], source: Sequence[Token], first: int) -> bool:
    """Return True if the omitted words at the start are "A shall ensure that"."""
    return source[first].opened == "ensure" and all(token.sort is not Sort.NOT for token in tokens)


def _modifies(tokens: Sequence[Token], behind: Token | None, run: list[int], used: set[int]) -> bool:
    """Return True if the omitted words are adjectives directly before a noun of the claim."""
    return not tokens[0].joined and behind is not None and behind.joined and run[-1] + 1 in used


def _repeated(source: Sequence[Token], run: list[int], used: set[int]) -> bool:
    """Return True if the claim may omit words or use a pronoun, because it names them in the same
    sentence."""
    if any(source[place].sort is not Sort.CONTENT for place in run):
        return False
    named = {
        source[place].key: source[place]
        for place in used
        if source[place].sentence == source[run[0]].sentence
    }
    if not all(source[place].key in named for place in run):
        return False
    # A phrase with its own marker has another role.
    return all(source[place].mark in ("", named[source[place].key].mark) for place in run)


def _carried(
    claim: Sequence[Token], source: Sequence[Token], run: list[int], pairs: Pairs, language: str
) -> bool:
    """Return True if a word only carries the next: "submitting a notification", "approval granted by"."""
    if len(run) != 1 or source[run[0]].sort is not Sort.CONTENT:
        return False
    held = {theirs: own for own, theirs in pairs.of_claim.items()}
    behind = held.get(run[0] + 1)
    if behind is not None and source[run[0] + 1].mark == AGENT and claim[behind].mark == GENITIVE:
        return True
    return is_light(source[run[0]], language) and (behind is not None or run[0] - 1 in held)


def _shortened(source: Sequence[Token], run: list[int], used: set[int]) -> bool:
    """Return True if the words are repeated: "the officer" for "the data protection officer" before."""
    if run[-1] + 1 not in used:
        return False
    keys = [source[place].key for place in (*run, run[-1] + 1)]
    return any(
        [token.key for token in source[start : start + len(keys)]] == keys
        and all(place in used for place in range(start, start + len(keys)))
        for start in range(run[0])
    )


def _coordinated(
    tokens: Sequence[Token],
    behind: Token | None,
    subject: bool,
    source: Sequence[Token],
    modal: int | None,
    run: list[int],
) -> bool:
    """Return True if a run is a member of a list, the claim has another member, and one member suffices."""
    if tokens[0].relative or tokens[0].sort in BINDING or not all(_belongs(token) for token in tokens):
        return False
    ends = {tokens[0].opened, behind.opened if behind is not None else ""} - {"", "(", "ensure"}
    if not ends:
        return False
    joint = ends | {token.opened for token in tokens if token.opened in ("and", "or")}
    either = "or" in joint or (joint == {","} and _list_joint(source, run) == "or")
    both = "and" in joint or (joint == {","} and _list_joint(source, run) == "and")
    if subject:
        return either or both
    forbidding = modal is not None and source[modal].key in ("may", "must_not")
    return both or (either and forbidding)


def _is_choice(tokens: Sequence[Token]) -> bool:
    """Return True if a run is an alternative to the words before it: "[the goods] or the documents"."""
    return tokens[0].opened in (",", "or") and any(token.opened == "or" for token in tokens)


def _belongs(token: Token) -> bool:
    """Return True if a word belongs to one member of a list: "data for the purpose of identifying
    persons"."""
    if token.sort is Sort.CONDITION:
        return not token.opened
    return token.sort in (Sort.CONTENT, Sort.REFERENCE, Sort.ALL)


def _list_joint(source: Sequence[Token], run: list[int]) -> str:
    """Return the conjunction before the last member of a list."""
    for token in source[run[-1] + 1 : run[-1] + 12]:
        if token.opened in ("and", "or"):
            return token.opened
        if token.sort is Sort.MODAL:
            break
    return ""
