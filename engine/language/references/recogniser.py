"""Recognise mentions in a text by a grammar: provisions, lists, ranges and named documents.

One combined expression finds the start of a mention; from there the list, the levels below each number and
the document's name are read step by step. The corpus is not consulted: the resolver checks whether a target
exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from engine.language.addresses import Address
from engine.language.amendments import amendments_in, names_part, targets
from engine.language.characters import without_note_calls
from engine.language.designations import Occupied
from engine.language.references.cues import CueReader, MentionCombiner, RelativeReader, nested
from engine.language.references.grammar import NEVER, ActForm, Grammar, Mention, Target, Unit, cased
from engine.language.references.instruments import decisions
from engine.language.references.levels import BelowReader
from engine.model import Relation, SectionKind, Span

# Maximum distance of a document's name before its provision ("COBS Rule 3.4.2").
NAME_BEFORE = 80
# Maximum distance of an unnumbered part before its provision.
BEFORE_PART = 40
# A longer list is a table or a register, not a citation.
LONGEST_LIST = 60
# The number of a provision that the text does not name.
UNKNOWN_NUMBER = "?"


class Recogniser:
    """Finds the mentions of one grammar. Contains only compiled patterns; build one per grammar."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self._units = {unit: _UnitReader(unit, grammar) for unit in grammar.units}
        self._below = BelowReader(grammar)
        self._relative_reader = RelativeReader(grammar)
        self._folding = MentionCombiner(grammar)
        heads = [
            *((cased((*unit.plural, *unit.words)), self._units[unit].ahead) for unit in grammar.units),
            *(
                (cased(level.words), level.value)
                for level in grammar.levels
                if level.depth == 0 and level.counts and level.words
            ),
        ]
        # A plain list of words is searched by its first letters, many times faster.
        self._words = re.compile("|".join(word for words, _ in heads for word in words))
        self._heads = re.compile("|".join(rf"(?:{'|'.join(words)})\s*(?={ahead})" for words, ahead in heads))
        self._bare = re.compile(rf"(?<![\w.,/])(?:{grammar.bare})") if grammar.bare else None
        self._acts = [_ActReader(form) for form in grammar.acts]
        self._also = re.compile(grammar.also)
        self._through = re.compile(grammar.through)
        self._and_next = re.compile(grammar.and_next)
        self._either = re.compile(grammar.either)
        self._here_before = re.compile(rf"(?:{grammar.here_before})\s*\Z")
        self._back_of = re.compile(grammar.back_of)
        words = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in grammar.back_words.items())
        words = rf"(?:{words})(?![^\W\u3400-\u9fff])"
        self._back = [re.compile(form.replace("WORD", words)) for form in grammar.back]
        self._that_before = re.compile(rf"(?:{grammar.that_before})\s*\Z")
        self._run_on = re.compile(grammar.run_on)
        self._here = re.compile(grammar.here)
        self._that = re.compile(grammar.that)
        self._leads = re.compile(grammar.leads)
        self._after = re.compile(rf"(?:{grammar.after})(?P<name>{grammar.name_form})")
        self._before = re.compile(rf"(?P<name>{grammar.before})\s*\Z") if grammar.before else None
        fronts = (
            (grammar.here_before, self._here_before),
            (grammar.that_before, self._that_before),
            (grammar.before, self._before),
        )
        self._in_front = [pattern for given, pattern in fronts if pattern and given != NEVER]
        self._cues = CueReader(grammar)
        self.relation = self._cues.relation
        self._by_word: dict[str, tuple[Unit, ...]] = {}

    def find(self, text: str) -> list[Mention]:
        """Find all mentions of a text in order, without overlaps."""
        printed, text = text, without_note_calls(text)
        found: list[Mention] = []
        end = 0
        for start, head_end, bare in self._starts(text):
            if start < end:
                continue
            mention = self._read(text, start, head_end, bare, end)
            if mention:
                found.append(mention)
                end = mention.span.end
        if relative := self._relative_reader.find(text, found, self._cues.relation):
            found = sorted((*found, *relative), key=lambda mention: mention.span.start)
        found = self._pointing_back(text, self._folding.combine(text, found))
        found = self._amending(text, self._with_acts(text, found))
        if printed != text:
            found = [replace(one, text=printed[one.span.start : one.span.end]) for one in found]
        return _with_carried_relations(
            [
                replace(mention, joined=True) if self._joined(text, mention, after) else mention
                for mention, after in zip_longest(found, found[1:])
            ]
        )

    def _pointing_back(self, text: str, found: list[Mention]) -> list[Mention]:
        """Add provisions that the text only points back to ("that section", "paragraph 94 of that Schedule").

        They are the ones named last of their kind, otherwise unknown ones, and in no case the text itself.
        """
        matches = [match for form in self._back for match in form.finditer(text)]
        for match in sorted(matches, key=re.Match.start):
            start, end = match.span()
            number = next((n for n, one in enumerate(found) if one.span.end > start), len(found))
            if number < len(found) and found[number].span.start < end:
                continue
            relation = self._cues.relation(text, start, end)
            inner = found[number - 1] if number and found[number - 1].targets else None
            joint = self._back_of.match(text, inner.span.end) if inner else None
            is_inner = joint is not None and joint.end() == start
            outer = _named_last(match, found[: number - is_inner], self.grammar.name, relation)
            if inner and is_inner:
                found[number - 1] = nested(text, replace(inner, bare=False), outer) or inner
                continue
            following = found[number] if number < len(found) else None
            if following and following.span.start == end and _is_relative(following):
                # "同条第二款"
                found[number] = nested(text, following, replace(outer, span=following.span)) or following
            else:
                found.insert(number, outer)
        return found

    def _amending(self, text: str, found: list[Mention]) -> list[Mention]:
        """Mark mentions as amended if the text changes their words, or repeals an unnumbered part of them
        ("the second sentence of section 5")."""
        language = self.grammar.languages[0] if self.grammar.languages else ""
        named = [number for number, one in enumerate(found) if one.targets and not _is_item(one)]
        if not named:
            return found
        amended = targets(text, amendments_in(text, language), [found[n].span for n in named], language)
        changed = {
            named[place] for place in amended if place >= 0 and found[named[place]].relation is Relation.CITES
        }
        for number in named:
            if found[number].relation is Relation.REPEALS:
                start, end = found[number].span.start, found[number].span.end
                if names_part(text, max(0, start - BEFORE_PART), end, language):
                    changed.add(number)
        for number in changed:
            found[number] = replace(found[number], relation=Relation.AMENDS)
        return found

    def _joined(self, text: str, mention: Mention, after: Mention | None) -> bool:
        return (
            after is not None and self._run_on.fullmatch(text, mention.span.end, after.span.start) is not None
        )

    def _starts(self, text: str) -> Iterator[tuple[int, int, bool]]:
        heads = [
            (match.start(), match.end(), False)
            for match in self._head_matches(text)
            if self._begins_word(text, match.start())
        ]
        if self._bare is None:
            return iter(heads)
        heads.extend((match.start(), match.start(), True) for match in self._bare.finditer(text))
        return iter(sorted(heads))

    def _head_matches(self, text: str) -> Iterator[re.Match[str]]:
        position = 0
        while word := self._words.search(text, position):
            head = self._heads.match(text, word.start())
            position = head.end() if head else word.start() + 1
            if head:
                yield head

    def _begins_word(self, text: str, start: int) -> bool:
        if start and text[start - 1] in "'’" and not text[start + 1 : start + 2].isalpha():
            # "the keeper's 7 bridges"
            return False
        if start == 0 or not text[start - 1].isalnum() or not text[start].isalpha() or _is_han(text[start]):
            return True
        position = start
        while position and text[position - 1] in self.grammar.glued and start - position < 3:
            position -= 1
        return position < start and (position == 0 or not text[position - 1].isalnum())

    def _read(self, text: str, start: int, head_end: int, bare: bool, floor: int) -> Mention | None:
        if "\n\n" in text[start:head_end]:
            return None
        word = text[start:head_end].strip()
        unit = None if bare else self._unit(word, text, head_end)
        targets: list[Target] = []
        end = start
        if bare:
            targets, end = self._provisions(text, start, self.grammar.units[0], start, plural=True)
        elif unit:
            plural = self._units[unit].plural.match(word) is not None
            targets, end = self._provisions(text, start, unit, head_end, plural=plural)
            if targets and not plural:
                targets, end = self._loose_list(text, start, unit, head_end, end) or (targets, end)
            if targets and unit.annexed:
                span = Span(start, end)
                grammar = self.grammar.name
                return Mention(span, text[start:end], grammar, Relation.CITES, tuple(targets), bare=True)
        if not targets and not bare:
            targets, end = self._relative(text, start)
        if not targets:
            return None
        return self._named(text, start, end, targets, bare, floor)

    def _unit(self, word: str, text: str, position: int) -> Unit | None:
        """Return the unit of a word; if several share it, as 第 for 条 and 章, the number decides."""
        if word not in self._by_word:
            self._by_word[word] = tuple(u for u, reader in self._units.items() if reader.words.match(word))
        units = self._by_word[word]
        if len(units) < 2:
            return units[0] if units else None
        return next((unit for unit in units if self._units[unit].number.match(text, position)), None)

    def _relative(self, text: str, start: int) -> tuple[list[Target], int]:
        paths, end = self._below.read_levels(text, start)
        return [
            Target(Address(SectionKind.PARAGRAPH, None, path), Span(first, last))
            for path, first, last in paths
        ], end

    def _provisions(
        self, text: str, start: int, unit: Unit, position: int, *, plural: bool
    ) -> tuple[list[Target], int]:
        """Read "4.3.2(1)(a), 4.3.3 and 4.3.5 to 4.3.7" from ``position``; the first span includes the
        word."""
        reader = self._units[unit]
        targets: list[Target] = []
        end = position
        begin: int = start
        while len(targets) < LONGEST_LIST:
            number = reader.number.match(text, position)
            value = self.grammar.value(number[0]) if number else None
            if number is None or value is None:
                break
            after_number = number.end() if value else start + len(text[start:position].rstrip())
            below, end = self._below.read(text, after_number, value, plural)
            ranged = self._range_end(text, reader, end, value)
            if ranged and not below:
                last, end = ranged
                span = Span(begin, end)
                # "§§ 110 bis 116 Abs. 2 und § 117 HGB": the list goes on behind the part of the last.
                end = self._below.read(text, end, last, plural)[1]
                targets.append(Target(Address(unit.kind, value), span, Address(unit.kind, last)))
            else:
                targets.extend(
                    Target(Address(unit.kind, value, path), Span(begin if index == 0 else first, last_at))
                    for index, (path, first, last_at) in enumerate(below or [(None, begin, end)])
                )
            also = self._also.match(text, end)
            if not also or "\n\n" in also[0]:
                break
            following = reader.number.match(text, also.end())
            if not following or not (plural or "." in following[0] or self._either.match(text, end)):
                break
            begin = position = also.end()
        return targets, end

    def _loose_list(
        self, text: str, start: int, unit: Unit, position: int, strict: int
    ) -> tuple[list[Target], int] | None:
        """Read "Article 13 or 14 of the Act": a list after a singular, if a document's name ends it.

        ``strict``: the end of the singular alone; in "§ 3 Nummer 12 oder 13" after all numbers.
        """
        also = self._also.match(text, strict)
        if not also or not self._units[unit].number.match(text, also.end()):
            return None
        targets, end = self._provisions(text, start, unit, position, plural=True)
        if end <= strict or any(target.span.start < strict for target in targets[1:]):
            return None
        named = (self._here.match(text, end), self._that.match(text, end), self._after.match(text, end))
        return (targets, end) if any(named) else None

    def _leads_to_name(self, text: str, position: int) -> int | None:
        match = self._leads.match(text, position)
        return match.end() if match and text[match.end() : match.end() + 1].isalnum() else None

    def _range_end(self, text: str, reader: _UnitReader, position: int, first: str) -> tuple[str, int] | None:
        if first.isdecimal() and (following := self._and_next.match(text, position)):
            return str(int(first) + 1), following.end()
        through = self._through.match(text, position)
        if not through:
            return None
        again = reader.again.match(text, through.end())
        number = reader.number.match(text, again.end() if again else through.end())
        value = self.grammar.value(number[0]) if number else None
        return (value, number.end()) if number and value is not None else None

    def _named(
        self, text: str, start: int, end: int, targets: list[Target], bare: bool, floor: int
    ) -> Mention:
        document: str | None = None
        name_at: int | None = None
        here = self._here.match(text, end) is not None
        that = None if here else self._that.match(text, end)
        after = None if here or that else self._after.match(text, end)
        last = after.end() if after else that.end() if that else end
        before = None if here or that or after else self._ahead(text[max(floor, start - NAME_BEFORE) : start])
        first = start - len(before[0]) if before else start
        if after:
            document, name_at = after["name"], after.start("name")
        elif before and before.re is self._here_before:
            here = True
        elif before and before.re is self._that_before:
            # "of this Regulation in accordance with its Article 98" is in this regulation.
            here = self._here.search(before.string, 0, before.start()) is not None
            that = None if here else before
        elif before:
            document, name_at = before["name"], first
        if len(targets) == 1:
            targets = [Target(targets[0].address, Span(first, last), targets[0].through)]
        elif before:
            targets[0] = Target(targets[0].address, Span(first, targets[0].span.end), targets[0].through)
        pointing = here or that is not None
        return Mention(
            Span(first, last),
            text[first:last],
            self.grammar.name,
            self._cues.relation(text, first, last),
            tuple(targets),
            document,
            name_at,
            None if pointing or document is not None else self._leads_to_name(text, last),
            here=here,
            that=that is not None,
            bare=bare,
        )

    def _ahead(self, window: str) -> re.Match[str] | None:
        """Match words directly before a provision that name its document: its own, another, or a name."""
        for pattern in self._in_front:
            if match := pattern.search(window):
                return match
        return None

    def _with_acts(self, text: str, found: list[Mention]) -> list[Mention]:
        """Add documents that are named without a provision, and court decisions."""
        whole: list[tuple[int, int, str]] = list(decisions(text)) if self.grammar.case_law else []
        named: list[tuple[int, int, str]] = []
        for form in self._acts:
            names = [(start, end, text[start:end]) for start, end in form.names(text)]
            (whole if form.whole else named).extend(names)
        if whole:
            # "410 U.S. 113" contains no section 113; "paragraph 5 of IFRS 9" names the whole itself.
            found = [
                one for one in found if not any(_inside(one.span, start, end) for start, end, _ in whole)
            ]
            named = [*whole, *named]
        if not named:
            return found
        # The number of a convention is not an item: "Übereinkommen Nr. 182".
        found = [
            one
            for one in found
            if not (_is_item(one) and any(_inside(one.span, start, end) for start, end, _ in named))
        ]
        taken = Occupied((mention.span.start, mention.span.end) for mention in found)
        for start, end, name in named:
            if taken.overlaps(start, end):
                continue
            taken.add(start, end)
            span = Span(start, end)
            relation = self._cues.relation(text, start, end)
            words = text[start:end]
            found.append(Mention(span, words, self.grammar.name, relation, document=name, name_at=start))
        found.sort(key=lambda mention: mention.span.start)
        return found


def _is_relative(mention: Mention) -> bool:
    """Return True if a mention is a paragraph of an unnamed provision."""
    return bool(mention.targets) and mention.targets[0].address.number is None and not mention.that


def _named_last(match: re.Match[str], before: Sequence[Mention], grammar: str, relation: Relation) -> Mention:
    """Return a mention of the provision of a kind that was named last before words that point back to it."""
    kind, span = SectionKind(str(match.lastgroup)), Span(*match.span())
    word = match[kind].casefold().replace("-", "")
    for mention in reversed(before):
        found = [
            (one, address)
            for one in mention.targets
            if (address := _of_kind(one, kind, word, mention.text)) is not None
        ]
        if found:
            target, address = found[-1]
            # "sections 3 or 5", "sections 3 to 5", "the preceding section": which one is not named.
            is_one = len({address for _, address in found}) == 1 and target.step is None
            is_one = is_one and (target.through is None or target.address.kind is not kind)
            address = address if is_one else Address(kind, UNKNOWN_NUMBER)
            targets = (Target(address, span),)
            named = replace(mention, span=span, text=match[0], relation=relation, targets=targets)
            return replace(named, bare=False, joined=False)
    targets = (Target(Address(kind, UNKNOWN_NUMBER), span),)
    return Mention(span, match[0], grammar, relation, targets)


def _of_kind(target: Target, kind: SectionKind, word: str, text: str) -> Address | None:
    """Return the part of a target's address that a word of a kind names, or None."""
    address = target.address
    if address.kind is kind and (target.step is not None or (address.number and "sub" not in word)):
        return replace(address, paragraph=None)
    if kind is SectionKind.PARAGRAPH and address.paragraph is not None:
        is_level = word in text.casefold().replace("-", "")
        if is_level or "(" in text:
            first = address.paragraph.partition("/")[0]
            return address if is_level or "section" not in word else replace(address, paragraph=first)
        return None
    containers = [place for place, (outer, _) in enumerate(address.within) if outer is kind]
    if not containers:
        return None
    place = containers[-1]
    return Address(kind, address.within[place][1], None, address.within[:place])


def _is_item(mention: Mention) -> bool:
    """Return True if a mention is "point 2", which is a part of an annex or nothing."""
    if not mention.bare or not mention.targets:
        return False
    first = mention.targets[0].address
    return first.kind is SectionKind.PARAGRAPH and not first.within


def _inside(span: Span, start: int, end: int) -> bool:
    return start <= span.start and span.end <= end


def _with_carried_relations(found: list[Mention]) -> list[Mention]:
    """Copy relations to joined mentions: in "subject to Rule 5 and Rule 6" both prevail."""
    carried: list[Mention] = []
    for mention in found:
        before = carried[-1] if carried else None
        if before and before.joined and mention.relation is Relation.CITES:
            mention = replace(mention, relation=before.relation)
        carried.append(mention)
    return carried


class _ActReader:
    """Finds names of one form around the signs that every such name contains."""

    def __init__(self, form: ActForm) -> None:
        self._sign = re.compile(form.sign)
        # Plain letters at the start of every sign are searched several times faster.
        (self._begin,) = _PLAIN.findall(form.sign)[:1] or [""]
        self._pattern = re.compile(form.pattern)
        self._reach = form.reach
        self.whole = form.whole

    def names(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of names in order, without overlaps."""
        end = 0
        for sign in self._sign.finditer(text) if self._begin in text else ():
            if sign.end() <= end:
                continue
            start = max(end, sign.start() - self._reach)
            while end < start < sign.start() and not text[start - 1].isspace():
                start += 1
            for match in self._pattern.finditer(text, start, sign.end() + self._reach):
                if match.start() >= sign.end():
                    break
                yield match.span()
                end = match.end()
                if end >= sign.end():
                    break


class _UnitReader:
    """Compiled patterns of one unit."""

    def __init__(self, unit: Unit, grammar: Grammar) -> None:
        number = unit.number or grammar.number
        words = "|".join(cased((*unit.words, *unit.plural)))
        self.ahead = number
        self.number = re.compile(number)
        self.words = re.compile(rf"(?:{words})\Z")
        self.plural = re.compile(rf"(?:{'|'.join(cased(unit.plural))})\Z" if unit.plural else r"(?!)")
        self.again = re.compile(rf"(?:{words})\s*")


# The plain letters at the start of a pattern, unless alternatives follow.
_PLAIN = re.compile(r"\A[\w /-]+(?=\Z|\((?=\?[=!]))(?!.*\|)")


def _is_han(letter: str) -> bool:
    """Return True for a letter of a script without spaces, where any letter may begin a word."""
    return "\u3400" <= letter <= "\u9fff"
