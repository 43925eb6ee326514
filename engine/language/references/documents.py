"""Which document a mention speaks of: named, defined in the text, its own, or the one cited throughout.

Names are learned from three places: the documents' own aliases, the grammar's groups of known names,
and the texts themselves, where they define a name ('... Regulations 2015 ("FSMR")').
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from engine.language.addresses import Address
from engine.language.designations import forms_of, splits
from engine.language.references.definitions import (
    YEAR_AT_END,
    Meaning,
    Stated,
    goes_on,
    is_weak,
    name_stands_before,
    named_last,
    own_regulation,
    parent_act,
    same_as,
    speaks_of_guidance,
)
from engine.language.references.grammar import Mention, Target
from engine.language.references.instruments import EuActs, Standards
from engine.language.references.names import (
    Answering,
    Decrees,
    Names,
    Topics,
    Use,
    Uses,
    merged_groups,
    name_in_front,
    of_its_time,
    told_by,
)
from engine.language.references.provisions import Provisions
from engine.language.references.readings import Readings, grammars, statement_reader
from engine.languages import law, words
from engine.model import Document, Passage, Relation, SectionKind

Exists = Callable[[int, Address, int], bool]

# A document is the companion of another where this share of its named citations goes there.
COMPANION_SHARE = 0.6
COMPANION_MINIMUM = 3
# A known name may leave off what a printed one ends with: ", 2015" or "(2015)".
YEAR = 8
# How sure a document is that is only pointed at: "of that Act".
BY_POINTING = 0.9
# How many passages before its own "that Act" may point to.
LOOK_BACK = 2
# How sure a document is that the corpus has in another language than its act is cited in.
IN_TRANSLATION = 0.9
# How many passages before its own an amendment may name its act.
LONGEST_AMENDMENT = 40
# Letters of a heading that are looked at for the name of an act, and of such a name at least.
LONGEST_HEADING, SHORTEST_NAME = 400, 4
# How sure a document is whose title merely holds the words of the name.
BY_TOPIC = 0.8


class DocumentFinder:
    """Finds the document of each mention of a passage."""

    def __init__(self, documents: Sequence[Document], provisions: Provisions, readings: Readings) -> None:
        self._documents = documents
        self._provisions = provisions
        self._readings = readings
        # What was asked of all documents together; whoever keeps references may clear it.
        self.uses: Uses = set()
        self._names: dict[str, Names] = {}
        self._local: dict[int, Names] = {}
        # The names that texts give to documents: who asks from outside may mean any.
        self._given = Names()
        self._companions: dict[int, Counter[tuple[SectionKind, int]]] = {}
        self._eu_acts = EuActs(documents, self.uses)
        self._decrees = Decrees(documents, self.uses)
        self._told = told_by(documents, self._decrees.made_by)
        self._standards = Standards(documents, self.uses)
        self._topics = Topics(documents, self.uses)
        self._learn_titles()
        self._learn_definitions()
        self.uses.clear()

    def answers(self) -> Iterator[tuple[Use, str]]:
        """What every question to all documents together has for an answer, where it has one."""
        tables: list[Answering] = [*self._names.values(), self._eu_acts, self._decrees]
        for table in (*tables, self._standards, self._topics):
            yield from table.answers(self._told)

    def own_names(self, document: int) -> str:
        """The names that a document's own text gives, and whom it means by them."""
        local = self._local.get(document)
        return "" if local is None else repr(list(local.answers(self._told)))

    def _names_of(self, language: str) -> Names:
        return self._names.get(language) or self._names.setdefault(language, Names(language, self.uses))

    def _learn_titles(self) -> None:
        for number, document in enumerate(self._documents):
            for name in (document.title, document.id, *document.aliases):
                self._names_of(document.language).add(name, number, document.language)
        for grammar in grammars():
            for language in grammar.languages:
                merged_groups(grammar.known, self._names_of(language), language)

    def _learn_definitions(self) -> None:
        for row, language, (name, short, everywhere) in self._readings.names():
            self._learn(name, short, everywhere, self._provisions.document_of[row], language)
        for number, document in enumerate(self._documents):
            parent = parent_act(document.title, document.language)
            if parent:
                short, name = parent
                meant = self._names_of(document.language).meanings(name, document.language) or (None,)
                for meaning in meant:
                    self._local.setdefault(number, Names()).add(short, meaning, document.language)

    def _learn_kind(self, name: str, short: str, document: int, language: str) -> None:
        """What an unknown act is that a text calls "the Act": itself, its regulation, or one from outside."""
        title = self._documents[document].title
        meaning: tuple[int | None, ...] = (None,)
        if same_as(short, title, language):
            meaning = (document,)
        elif regulation := own_regulation(name, title, language):
            meaning = self._names_of(language).meanings(regulation, language) or meaning
        for meant in meaning:
            self._local.setdefault(document, Names()).add(short, meant, language)

    def _learn(self, name: str, short: str, everywhere: bool, document: int, language: str) -> None:
        names = self._names_of(language)
        by_name, by_short = names.meanings(name, language), names.meanings(short, language)
        if year := YEAR_AT_END.search(name):
            # The title of a document may leave off the year; another year is another act's.
            stated = Stated(int(year[1]), None, False, 0, 0)
            by_name = by_name or self._fitting(names.meanings(name[: year.start()], language), stated)
            by_short = self._fitting(by_short, stated)
        if by_name and not by_short:
            for meaning in by_name:
                self._given.add(short, meaning, language)
                self._local.setdefault(document, Names()).add(short, meaning, language)
        elif by_short and not by_name and everywhere:
            for meaning in by_short:
                names.add(name, meaning, language)
        elif not by_name and not by_short and not everywhere:
            matched = names.match(short, 0, language)
            if not matched:
                self._learn_kind(name, short, document, language)
                return
            for meaning in matched[0]:
                self._local.setdefault(document, Names()).add(short, meaning, language)

    def meanings(
        self, mentions: Sequence[Mention], passage: Passage, row: int, exists: Exists
    ) -> list[Meaning]:
        """The meaning of each mention, in order."""
        own = self._provisions.document_of[row]
        found = [self._meaning(mention, passage, own) for mention in mentions]
        for index, mention in enumerate(mentions):
            if mention.that:
                found[index] = self._pointed_at(mention, mentions[:index], found[:index], row)
        self._run_on(mentions, found, own, row, exists)
        self._amending(mentions, found, passage, row, lambda number, address: exists(number, address, row))
        if passage.language.startswith("en"):
            self._fall_back(mentions, found, own, row, exists)
        return found

    def _amending(
        self,
        mentions: Sequence[Mention],
        found: list[Meaning],
        passage: Passage,
        row: int,
        has: Callable[[int, Address], bool],
    ) -> None:
        """What a text amends or repeals without naming its act.

        That is the act of which it said so last ("The Harbour Act is amended as follows"), or that of the
        heading above it or of its title ("Act amending the Harbour Act")."""
        own = self._provisions.document_of[row]
        for index, mention in enumerate(mentions):
            plain = mention.targets and not (found[index].named or mention.here or mention.that)
            if not plain or mention.relation not in _AMENDING:
                continue
            last = self._act_last_amended(mentions[:index], found[:index], row)
            titles = (*reversed(passage.headings), self._documents[own].title)
            for amended in (
                last,
                *(self._amended_in(title, passage.language, own) for title in titles),
            ):
                fitting = tuple(one for one in amended if one != own and has(one, mention.targets[0].address))
                if fitting:
                    found[index] = Meaning(fitting, True, None, BY_POINTING)
                    break

    def _act_last_amended(
        self, before: Sequence[Mention], meanings: Sequence[Meaning], row: int
    ) -> tuple[int, ...]:
        """Return the act that a text amended last as a whole, here or in its provision."""
        passages, own = self._provisions.passages, self._provisions.document_of[row]
        for earlier in range(row, max(row - LONGEST_AMENDMENT, self._provisions.first_row(own)) - 1, -1):
            if earlier < row:
                if passages[earlier].number != passages[row].number:
                    break
                before = self._readings.mentions(earlier)
                meanings = [self._meaning(one, passages[earlier], own) for one in before]
            for mention, meaning in zip(reversed(before), reversed(meanings), strict=True):
                if meaning.named and not mention.targets and mention.relation is Relation.AMENDS:
                    return tuple(one for one in meaning.documents if one is not None)
        return ()

    def _amended_in(self, heading: str, language: str, own: int) -> tuple[int, ...]:
        """Return the documents that a heading announces as amended."""
        forms = law(language).amendments
        if forms is None or not re.search(forms.titles, heading, re.IGNORECASE):
            return ()
        names = self._names_of(language)
        heading = heading[:LONGEST_HEADING]
        every = range(len(heading)) if words(language).without_blanks else _word_starts(heading)
        for start in every:
            matched = names.match(heading, start, language)
            known = [one for one in matched[0] if one not in (None, own)] if matched else []
            if matched and known and own not in matched[0] and matched[1] - start >= SHORTEST_NAME:
                return tuple(one for one in known if one is not None)
        return ()

    def _meaning(self, mention: Mention, passage: Passage, own: int) -> Meaning:
        if mention.here and passage.kind is SectionKind.GUIDANCE and speaks_of_guidance(mention, passage):
            # The items of the guidance below one rule are no provisions of its document.
            return Meaning((), True)
        if mention.here or mention.that:
            return Meaning((own,))
        if mention.document is None or mention.name_at is None:
            return self._behind(mention, passage, own)
        eu_act = self._eu_acts.meant(mention.document, passage.language)
        if eu_act is not None:
            alike = tuple(n for n in eu_act if self._documents[n].language == passage.language)
            meant = (own,) if own in eu_act else alike or eu_act
            return Meaning(meant, True, None, 1.0 if alike else IN_TRANSLATION)
        edition = self._standards.meant(mention.document)
        if edition is not None:
            return Meaning((own,) if own in edition else edition, True)
        if mention.grammar == "chinese":
            matched = name_in_front(
                mention.document, mention.name_at, lambda at: self._longest_name(at, passage, own)
            )
        else:
            matched = self._longest_name(mention.name_at, passage, own)
            if matched is None and (named := self.called(mention.document, passage.language)):
                # "42 U. S. C."
                matched = named, mention.name_at + len(mention.document)
        made = self._decrees.meant(mention.document, matched[0] if matched else ())
        if made is not None:
            return Meaning((own,) if own in made else made, True, mention.span.end)
        if matched is not None and mention.targets and _is_longer(mention, matched[1]):
            # "the Ports Act Regulations" are not the Ports Act.
            matched = None
        if matched is not None:
            stated = statement_reader(passage.language).read(passage.text, mention.name_at, matched[1])
            kept = self._fitting(matched[0], stated)
            if not kept:
                return self._denied(matched[0], stated)
            matched = kept, matched[1]
        longer = matched is not None and matched[1] > mention.span.end
        if mention.grammar == "german" and not longer and goes_on(mention, passage.text):
            return Meaning((), True)
        whole = matched is not None and matched[1] >= mention.span.end - YEAR
        if matched and (mention.targets or whole or mention.grammar in _OPEN):
            known = tuple(document for document in matched[0] if document is not None)
            known = of_its_time(known, own, self._documents)
            # A text that calls something by a name it bears itself means itself.
            return Meaning((own,) if own in known else known, True, matched[1])
        if same_as(mention.document, self._documents[own].title, passage.language):
            return Meaning((own,))
        if is_weak(mention, passage.text):
            return Meaning((own,), weak=True)
        if mention.grammar == "english" and _GENERIC.match(mention.document):
            return Meaning((own,))
        return Meaning(self._topics.meant(mention.document, passage.language), True, None, BY_TOPIC)

    def _pointed_at(
        self, mention: Mention, before: Sequence[Mention], meanings: Sequence[Meaning], row: int
    ) -> Meaning:
        """What "that Act" means: the act named last, here or in the passages right before."""
        if before and before[-1].span.end == mention.span.start and not meanings[-1].named:
            # "Article 8, in conjunction with Article 5": both stand in one act.
            return meanings[-1]
        own = self._provisions.document_of[row]
        if mention.grammar == "german":
            # Its grammar reads no act that stands alone, so the one named last may have been missed.
            this = _THIS.search(mention.text)
            # What an act is stands before its number; what it repeals is named behind.
            title = re.split(r"[(\d]", self._documents[own].title)[0]
            return Meaning((own,)) if this and same_as(this[1], title, "de") else Meaning((), True)
        found = named_last(mention, before, meanings)
        for earlier in range(row - 1, max(row - 1 - LOOK_BACK, self._provisions.first_row(own) - 1), -1):
            if found is not None:
                break
            passage = self._provisions.passages[earlier]
            others = self._readings.mentions(earlier)
            found = named_last(mention, others, [self._meaning(one, passage, own) for one in others])
        return Meaning(found.documents if found else (), True, None, BY_POINTING)

    def designated(
        self, target: Target, behind: Meaning, language: str, own: int
    ) -> Iterator[tuple[tuple[int, ...], Address, str, int | None]]:
        """Where a candidate for a designation may be found, the likeliest first: in the document that is
        named ``behind`` it; where none is, in its ``own``, then in those whose name it begins with; the
        address there, the words that the reference begins with, and where a name behind it ends."""
        number = target.address.number or ""
        kind, part, within = target.address.kind, target.address.paragraph, target.address.within
        known = tuple(document for document in behind.documents if document is not None)
        for form in forms_of(number):
            if part is not None:
                # A label may end in brackets: "AMC1 CAT.OP.MPA.150(b)".
                first, _, rest = part.partition("/")
                whole = Address(kind, f"{form}({first})", rest or None, within)
                yield known, whole, form, behind.name_end
            yield known, Address(kind, form, part, within), form, behind.name_end
        for name, rest in () if behind.named else splits(number):
            named = self._local.get(own, _NO_NAMES).meanings(name, language)
            named = named or self._names_of(language).meanings(name, language)
            known = of_its_time(tuple(one for one in named if one is not None), own, self._documents)
            for form in (number, rest):
                yield known, Address(kind, form, part, within), name, None

    def behind(self, mention: Mention, passage: Passage, own: int) -> Meaning:
        """The document that is named behind a candidate for a designation, else its own."""
        return self._behind(mention, passage, own) if mention.leads_at is not None else Meaning((own,))

    def called(self, name: str, language: str) -> tuple[int, ...]:
        """The documents that a name means in texts of a language, by their positions."""
        known = self._names_of(language).meanings(name, language)
        return tuple(document for document in known if document is not None)

    def _behind(self, mention: Mention, passage: Passage, own: int) -> Meaning:
        """The document of a mention that names none in a form of its grammar: a name the corpus knows."""
        reader, text = statement_reader(passage.language), passage.text
        position = mention.leads_at if mention.targets else None
        matched = self._longest_name(position, passage, own) if position is not None else None
        if position is not None and matched is None:
            position, led = reader.name_begin(text, position), position
            matched = self._longest_name(position, passage, own)
            if position > led and matched is None:
                return Meaning((), True)
        start, end = (mention.span.start, mention.span.end) if matched is None else (position, matched[1])
        stated = reader.read(text, start or 0, end)
        if matched is None and stated.is_former and mention.targets:
            return Meaning((), True, stated.end if stated.end > end else None)
        if position is None or matched is None or matched[0] == (None,):
            return Meaning((own,))
        kept = self._fitting(matched[0], stated)
        if not kept:
            return self._denied(matched[0], stated)
        matched = kept, matched[1]
        name = passage.text[position : matched[1]]
        known = tuple(document for document in matched[0] if document is not None)
        beside = tuple(document for document in known if self._is_beside(document, own))
        if beside:
            return Meaning(beside, True, matched[1])
        if len(name.split()) < 2 and not _ACRONYM.fullmatch(name):
            # One word may be a name by chance: "the Regulator".
            return Meaning((own,))
        return Meaning((own,) if own in known else known, True, matched[1])

    def _is_beside(self, document: int, own: int) -> bool:
        """Whether two documents are texts of one file: "the Protocol" is the one behind its treaty."""
        one, other = (self._documents[number].id for number in (document, own))
        return document != own and one.partition("~")[0] == other.partition("~")[0]

    def _fitting(self, found: Sequence[int | None], stated: Stated) -> tuple[int | None, ...]:
        """The documents of a name that what is stated beside it does not rule out."""
        return tuple(one for one in found if one is None or stated.fits(self._documents[one]))

    def _denied(self, found: Sequence[int | None], stated: Stated) -> Meaning:
        return Meaning((), True, stated.end, denied=tuple(one for one in found if one is not None))

    def _longest_name(
        self, position: int, passage: Passage, own: int
    ) -> tuple[tuple[int | None, ...], int] | None:
        """The longest name at a place, among those of the text itself and those of the corpus."""
        language = passage.language
        given = self._given if self._documents[own].id.startswith("\0") else None
        found = [
            matched
            for names in (self._local.get(own, given), self._names_of(language), self._names_of("und"))
            if names is not None and (matched := names.match(passage.text, position, language))
        ]
        longest = max(found, key=lambda matched: matched[1], default=None)
        if longest and _OTHER_ACT.match(passage.text[position : longest[1]]):
            return None
        return longest

    def _run_on(
        self, mentions: Sequence[Mention], found: list[Meaning], own: int, row: int, exists: Exists
    ) -> None:
        """ "§ 5 and § 7 of the Act": the first may belong to the Act, or to the text's own document."""
        for index in range(len(mentions) - 2, -1, -1):
            mention, after, language = mentions[index], found[index + 1], self._documents[own].language
            if not (mention.joined and mention.targets and mention.document is None and not mention.here):
                continue
            following = mentions[index + 1]
            if not after.named or not following.targets or name_stands_before(following):
                continue
            address = mention.targets[0].address
            if address.number is None:
                continue
            # An act is made before its articles are: its preamble cites those of other acts.
            before = self._provisions.passages[row].kind is SectionKind.PREAMBLE
            here = not before and exists(own, address, row)
            if here and address.kind is not following.targets[0].address.kind:
                continue
            there = [
                document
                for document in after.documents
                if document is not None and exists(document, address, row)
            ]
            there = [document for document in there if document != own]
            if own in after.documents:
                continue
            if not after.documents and self._eu_acts.meant(following.document or "", language) is not None:
                # "Article 25(6) or Article 26(4) of Directive 95/46/EC": the style of the Union.
                found[index] = replace(after, name_end=None)
                continue
            if here and (there or not after.documents):
                found[index] = Meaning((own, *there), True, None, 0.5)
            elif there or before:
                found[index] = Meaning(tuple(there), True, None, 0.9)

    def _fall_back(
        self, mentions: Sequence[Mention], found: list[Meaning], own: int, row: int, exists: Exists
    ) -> None:
        """A number that its own document lacks belongs to the one named just before, or cited throughout."""
        last: int | None = None
        text, read = self._provisions.passages[row].text, 0
        for index, (mention, meaning) in enumerate(zip(mentions, found, strict=True)):
            last = self._named_between(text, read, mention.span.start) or last
            read = mention.span.end
            if meaning.named:
                last = meaning.documents[0] if len(meaning.documents) == 1 else last
                continue
            if (
                not mention.targets
                or mention.here
                or mention.that
                or mention.targets[0].address.number is None
            ):
                continue
            address = mention.targets[0].address
            if exists(own, address, row):
                continue
            if last is not None and last != own and exists(last, address, row):
                found[index] = replace(meaning, documents=(last,), confidence=0.8)
            elif address.kind in _COUNTED or (mention.document and address.kind is SectionKind.CHAPTER):
                usual = self._companion(own, address, row, exists)
                if usual is not None:
                    found[index] = replace(meaning, documents=(usual,), confidence=0.7)

    def _named_between(self, text: str, start: int, end: int) -> int | None:
        """The last document that an acronym names in a stretch of text."""
        last = None
        for match in _ACRONYM.finditer(text, start, end):
            meant = self._names_of("en").meanings(match[0], "en")
            last = meant[0] if len(meant) == 1 else last
        return last

    def _companion(self, own: int, address: Address, row: int, exists: Exists) -> int | None:
        """The document that a guidance cites throughout, where it has what its own document lacks."""
        counts = self._companions.get(own)
        if counts is None:
            counts = self._companions[own] = self._named_citations(own)
        fitting: Counter[int] = Counter()
        for same_kind in (True, False):
            for (kind, document), count in counts.items():
                if (kind is address.kind or not same_kind) and exists(document, address, row):
                    fitting[document] += count
            if fitting:
                break
        if not fitting:
            return None
        best, count = fitting.most_common(1)[0]
        if len(fitting) > 1 and (count < COMPANION_MINIMUM or count < COMPANION_SHARE * fitting.total()):
            return None
        return best

    def _named_citations(self, own: int) -> Counter[tuple[SectionKind, int]]:
        """How often a document cites provisions of a kind of another document that it names."""
        counts: Counter[tuple[SectionKind, int]] = Counter()
        for row in self._provisions.rows_of(own):
            passage = self._provisions.passages[row]
            for mention in self._readings.mentions(row):
                if not mention.targets or not mention.document:
                    continue
                meant = self._meaning(mention, passage, own).documents
                if len(meant) == 1 and meant[0] is not None and meant[0] != own:
                    counts[mention.targets[0].address.kind, meant[0]] += 1
        return counts


def _word_starts(text: str) -> Iterator[int]:
    return (match.start() for match in _WORD_START.finditer(text))


_AMENDING = (Relation.AMENDS, Relation.REPEALS)
_WORD_START = re.compile(r"\b\w")
# Kinds whose numbers tell a document; every text has a Part 1 and a paragraph 2.
_COUNTED = frozenset((SectionKind.RULE, SectionKind.SECTION, SectionKind.ARTICLE))
# Without capitals only the corpus can tell where the name of an act ends and its sentence goes on.
_OPEN = frozenset(("arabic",))
_GENERIC = re.compile(r"(?:Rules|Rulebook|Regulations?|Act|Law|Code)\Z")
# "نظام" without the article begins the name of some other act: only "النظام" is "the Act".
_OTHER_ACT = re.compile(r"(?:نظام|قانون|لائحة|تنظيم)\Z")
# "dieser Richtlinie" is the text's own where it is one, else the one named before.
_THIS = re.compile(r"\bdies(?:er|es)\s+(\w+)\Z")
_ACRONYM = re.compile(r"(?<![\w-])[A-Z]{3,8}(?![\w-])")


_NO_NAMES = Names()
_ACT_WORD = re.compile(r"(?:Act|Law|Regulations?|Rules|Code|Order|Directive|Decree|Treaty|Convention)\Z")


def _is_longer(mention: Mention, name_end: int) -> bool:
    """Whether the printed name of an act goes on behind a known one, in words and not by its year."""
    if mention.grammar != "english" or mention.document is None or mention.name_at is None:
        return False
    known, rest = (
        mention.document[: name_end - mention.name_at],
        mention.document[name_end - mention.name_at :],
    )
    return _ACT_WORD.search(known) is not None and re.match(r"(?: [a-z]+)* [A-Z]\w", rest) is not None
