"""Find the document of each mention: named, defined in the text, its own, or cited throughout.

Names come from the documents' aliases, the grammar's groups of known names, and definitions in texts
('... Regulations 2015 ("FSMR")').
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from engine.language.addresses import Address, number_key
from engine.language.designations import forms_of, splits
from engine.language.references.definitions import (
    YEAR_AT_END,
    Meaning,
    Stated,
    continues,
    is_name_before,
    is_weak,
    named_last,
    own_regulation,
    parent_act,
    same_as,
    speaks_of_guidance,
)
from engine.language.references.grammar import Mention, Target
from engine.language.references.instruments import EuActs, Standards
from engine.language.references.names import (
    AnswerTable,
    Decrees,
    Names,
    Topics,
    Use,
    Uses,
    add_known_groups,
    latest_versions,
    make_describer,
    name_in_front,
)
from engine.language.references.provisions import Provisions
from engine.language.references.readings import Readings, grammars, statement_reader
from engine.languages import base_of, codes, law, words
from engine.model import Document, Passage, Relation, SectionKind

Exists = Callable[[int, Address, int], bool]

# Minimum share and number of named citations that make a document the companion of another.
COMPANION_SHARE = 0.6
COMPANION_MINIMUM = 3
# A known name may omit the end of a printed one: ", 2015" or "(2015)".
YEAR = 8
# Confidence of a document that is only pointed at: "of that Act".
BY_POINTING = 0.9
# Number of earlier passages that "that Act" may point to.
LOOK_BACK = 2
# Confidence of a document in another language than the citation of its act.
IN_TRANSLATION = 0.9
# Number of earlier passages in which an amendment may name its act.
LONGEST_AMENDMENT = 40
# Maximum length of a heading to search for the name of an act, and minimum length of the name.
LONGEST_HEADING, SHORTEST_NAME = 400, 4
# Minimum length of a name in texts of another language.
SHORTEST_FOREIGN = 8
# Confidence of a document whose title only contains the words of the name.
BY_TOPIC = 0.8


class DocumentFinder:
    """Finds the document of each mention of a passage."""

    def __init__(self, documents: Sequence[Document], provisions: Provisions, readings: Readings) -> None:
        self._documents = documents
        self._provisions = provisions
        self._readings = readings
        # Look-ups among all documents; the caller may clear the set.
        self.uses: Uses = set()
        self._names: dict[str, Names] = {}
        self._local: dict[int, Names] = {}
        # Names defined in texts; questions from outside the corpus may mean any of them.
        self._given = Names()
        self._companions: dict[int, Counter[tuple[SectionKind, int]]] = {}
        self._numbers: dict[int, frozenset[str]] = {}
        self._eu_acts = EuActs(documents, self.uses)
        self._decrees = Decrees(documents, self.uses)
        self._describe = make_describer(documents, self._decrees.made_by)
        self._standards = Standards(documents, self.uses)
        self._topics = Topics(documents, self.uses)
        self._learn_titles()
        self._learn_definitions()
        self.uses.clear()

    def answers(self) -> Iterator[tuple[Use, str]]:
        """Yield (use, answer) for every possible look-up among all documents."""
        tables: list[AnswerTable] = [*self._names.values(), self._eu_acts, self._decrees]
        for table in (*tables, self._standards, self._topics):
            yield from table.answers(self._describe)

    def own_names(self, document: int) -> str:
        """Return the names that a document's own text defines, with their meanings, as a string."""
        local = self._local.get(document)
        return "" if local is None else repr(list(local.answers(self._describe)))

    def _names_of(self, language: str) -> Names:
        return self._names.get(language) or self._names.setdefault(language, Names(language, self.uses))

    def _learn_titles(self) -> None:
        for number, document in enumerate(self._documents):
            for name in (document.title, document.id, *document.aliases):
                self._names_of(document.language).add(name, number, document.language)
        for grammar in grammars():
            for language in grammar.languages:
                add_known_groups(grammar.known, self._names_of(language), language)
        self._learn_foreign_titles()

    def _learn_foreign_titles(self) -> None:
        """Add the titles of documents in other languages: "Artikel 3 des Ferry Act".

        A name that a language knows keeps its meaning there. Short names, and single words for a kind of act
        ("Constitution"), are left out: they may mean something else in another language.
        """
        found: list[tuple[str, int, str]] = []
        languages = dict.fromkeys(document.language for document in self._documents)
        for number, document in enumerate(self._documents if len(languages) > 1 else ()):
            for name in (document.title, *document.aliases):
                if len(name) < SHORTEST_FOREIGN or name[0].islower():
                    continue
                found += (
                    (name, number, language)
                    for language in languages
                    if language != document.language
                    and not self._names_of(language).meanings(name, language)
                    and not statement_reader(language).is_own_name(name)
                )
        for name, number, language in found:
            self._names_of(language).add(name, number, language)

    def _learn_definitions(self) -> None:
        for row, language, (name, short, everywhere) in self._readings.names():
            self._learn(name, short, everywhere, self._provisions.document_of[row], language)
        for number, document in enumerate(self._documents):
            parent = parent_act(document.title, document.language)
            if parent:
                short, name = parent
                meanings = self._names_of(document.language).meanings(name, document.language) or (None,)
                for meaning in meanings:
                    self._local.setdefault(number, Names()).add(short, meaning, document.language)

    def _learn_kind(self, name: str, short: str, document: int, language: str) -> None:
        """Add the meaning of an unknown act called "the Act": the document itself, its regulation, or an
        outside act."""
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
            # The title of a document may omit the year; another year means another act.
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
        """Return the meaning of each mention, in order."""
        own = self._provisions.document_of[row]
        found = [self._meaning(mention, passage, own) for mention in mentions]
        for index, mention in enumerate(mentions):
            if mention.that:
                found[index] = self._pointed_at(mention, mentions[:index], found[:index], row)
        self._run_on(mentions, found, own, row, exists)
        self._amending(mentions, found, passage, row, lambda number, address: exists(number, address, row))
        if passage.language.startswith("en"):
            self._fall_back(mentions, found, own, row, exists)
        for index, mention in enumerate(mentions):
            if found[index].documents == (own,) and (part := self._part_with(mention, own, row, exists)):
                found[index] = replace(found[index], documents=part)
        return found

    def _amending(
        self,
        mentions: Sequence[Mention],
        found: list[Meaning],
        passage: Passage,
        row: int,
        has: Callable[[int, Address], bool],
    ) -> None:
        """Find the act that a text amends or repeals without naming it.

        It is the act that the text last named as amended ("The Harbour Act is amended as follows"), or that
        of a heading or the title ("Act amending the Harbour Act").
        """
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
        """Return the act that the text last amended as a whole, in this passage or provision."""
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
        """Return the documents that a heading names as amended."""
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
            # Items of guidance below a rule are not provisions of the document.
            return Meaning((), True)
        if mention.here or mention.that:
            return Meaning((own,))
        if mention.document is None or mention.name_at is None:
            return self._behind(mention, passage, own)
        eu_act = self._eu_acts.find(mention.document, passage.language)
        if eu_act is not None:
            alike = tuple(n for n in eu_act if self._documents[n].language == passage.language)
            meant = (own,) if own in eu_act else alike or eu_act
            return Meaning(meant, True, None, 1.0 if alike else IN_TRANSLATION)
        edition = self._standards.find(mention.document)
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
        made = self._decrees.find(mention.document, matched[0] if matched else ())
        if made is not None:
            return Meaning((own,) if own in made else made, True, mention.span.end)
        if matched is not None and mention.targets and _is_longer(mention, matched[1]):
            # "the Ports Act Regulations" are not the Ports Act.
            matched = None
        if matched is not None:
            stated = statement_reader(passage.language).read(passage.text, mention.name_at, matched[1])
            fitting = self._fitting(matched[0], stated)
            if not fitting:
                return self._denied(matched[0], stated)
            matched = fitting, matched[1]
        longer = matched is not None and matched[1] > mention.span.end
        if mention.grammar == "german" and not longer and continues(mention, passage.text):
            return Meaning((), True)
        whole = matched is not None and matched[1] >= mention.span.end - YEAR
        if matched and (mention.targets or whole or mention.grammar in _OPEN):
            known = tuple(document for document in matched[0] if document is not None)
            known = latest_versions(known, own, self._documents)
            # A text that uses one of its own names refers to itself.
            return Meaning((own,) if own in known else known, True, matched[1])
        if same_as(mention.document, self._documents[own].title, passage.language):
            return Meaning((own,))
        if is_weak(mention, passage.text):
            return Meaning((own,), weak=True)
        if mention.grammar == "english" and _GENERIC.match(mention.document):
            return Meaning((own,))
        return Meaning(self._topics.find(mention.document, passage.language), True, None, BY_TOPIC)

    def _pointed_at(
        self, mention: Mention, before: Sequence[Mention], meanings: Sequence[Meaning], row: int
    ) -> Meaning:
        """Return the meaning of "that Act": the act named last, here or in the previous passages."""
        if before and before[-1].span.end == mention.span.start and not meanings[-1].named:
            # "Article 8, in conjunction with Article 5": both are in one act.
            return meanings[-1]
        own = self._provisions.document_of[row]
        if mention.grammar == "german":
            # The German grammar reads no act without a provision, so the last one may have been missed.
            this = _THIS.search(mention.text)
            # The kind of an act is before its number; what it repeals is named after it.
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
        """Yield the places where a candidate for a designation may be found, most likely first.

        Searches the document named ``behind`` it, otherwise its ``own`` and then those whose names it begins
        with. Yields (documents, address, first words of the reference, end of a name after it).
        """
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
            known = latest_versions(tuple(one for one in named if one is not None), own, self._documents)
            for form in (number, rest):
                yield known, Address(kind, form, part, within), name, None

    def behind(self, mention: Mention, passage: Passage, own: int) -> Meaning:
        """Return the document named after a candidate for a designation, otherwise its own."""
        return self._behind(mention, passage, own) if mention.leads_at is not None else Meaning((own,))

    def called(self, name: str, language: str) -> tuple[int, ...]:
        """Return the documents that a name means in texts of a language, by their positions."""
        known = self._names_of(language).meanings(name, language)
        return tuple(document for document in known if document is not None)

    def _behind(self, mention: Mention, passage: Passage, own: int) -> Meaning:
        """Return the document of a mention without a name in its grammar: a name that the corpus knows."""
        reader, text = statement_reader(passage.language), passage.text
        position = mention.leads_at if mention.targets else None
        matched = self._longest_name(position, passage, own) if position is not None else None
        if position is not None and matched is None:
            position, lead_start = reader.name_begin(text, position), position
            matched = self._longest_name(position, passage, own)
            if position > lead_start and matched is None:
                return Meaning((), True)
        start, end = (mention.span.start, mention.span.end) if matched is None else (position, matched[1])
        stated = reader.read(text, start or 0, end)
        if matched is None and stated.is_former and mention.targets:
            return Meaning((), True, stated.end if stated.end > end else None)
        if matched is None and position is not None and (name_end := _foreign_act(passage, position)):
            return Meaning((), True, name_end)
        if position is None or matched is None or matched[0] == (None,):
            return Meaning((own,))
        fitting = self._fitting(matched[0], stated)
        if not fitting:
            return self._denied(matched[0], stated)
        matched = fitting, matched[1]
        name = passage.text[position : matched[1]]
        known = tuple(document for document in matched[0] if document is not None)
        in_same_file = tuple(document for document in known if self._is_in_same_file(document, own))
        if in_same_file:
            return Meaning(in_same_file, True, matched[1])
        is_foreign = all(self._documents[one].language != passage.language for one in known)
        if len(name.split()) < 2 and not (_ACRONYM.fullmatch(name) or (is_foreign and not name[0].islower())):
            # A single word may be a name by chance: "the Regulator".
            return Meaning((own,))
        confidence = IN_TRANSLATION if is_foreign else 1.0
        return Meaning((own,) if own in known else known, True, matched[1], confidence)

    def _is_in_same_file(self, document: int, own: int) -> bool:
        """Return True if two documents are texts of one file: "the Protocol" after its treaty."""
        one, other = (self._documents[number].id for number in (document, own))
        return document != own and one.partition("~")[0] == other.partition("~")[0]

    def _fitting(self, found: Sequence[int | None], stated: Stated) -> tuple[int | None, ...]:
        """Return the documents of a name that the stated details do not exclude."""
        return tuple(one for one in found if one is None or stated.fits(self._documents[one]))

    def _denied(self, found: Sequence[int | None], stated: Stated) -> Meaning:
        return Meaning((), True, stated.end, denied=tuple(one for one in found if one is not None))

    def _longest_name(
        self, position: int, passage: Passage, own: int
    ) -> tuple[tuple[int | None, ...], int] | None:
        """Find the longest name at a position, among those of the text and of the corpus."""
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
        """Resolve "§ 5 and § 7 of the Act": the first may belong to the Act or to the text's own document."""
        for index in range(len(mentions) - 2, -1, -1):
            mention, after, language = mentions[index], found[index + 1], self._documents[own].language
            if not (mention.joined and mention.targets and mention.document is None and not mention.here):
                continue
            following = mentions[index + 1]
            if not after.named or not following.targets or is_name_before(following):
                continue
            address = mention.targets[0].address
            if address.number is None:
                continue
            # The preamble is adopted before the articles: it cites those of other acts.
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
            if not after.documents and self._eu_acts.find(following.document or "", language) is not None:
                # "Article 25(6) or Article 26(4) of Directive 95/46/EC": the style of EU acts.
                found[index] = replace(after, name_end=None)
                continue
            if here and (there or not after.documents):
                found[index] = Meaning((own, *there), True, None, 0.5)
            elif there or before:
                found[index] = Meaning(tuple(there), True, None, 0.9)

    def _fall_back(
        self, mentions: Sequence[Mention], found: list[Meaning], own: int, row: int, exists: Exists
    ) -> None:
        """Assign numbers that the own document lacks to the document named just before, or cited
        throughout."""
        last: int | None = None
        text, read = self._provisions.passages[row].text, 0
        for index, (mention, meaning) in enumerate(zip(mentions, found, strict=True)):
            last = self._named_between(text, read, mention.span.start) or last
            read = mention.span.end
            own_number = mention.targets[0].address.number if mention.targets else None
            if (
                own_number
                and meaning.documents == (own,)
                and not exists(own, mention.targets[0].address, row)
            ):
                parts = [one for one in self._parts_of(own) if exists(one, mention.targets[0].address, row)]
                if len(parts) == 1:
                    found[index] = replace(meaning, documents=(parts[0],))
                    continue
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

    def _part_with(self, mention: Mention, own: int, row: int, exists: Exists) -> tuple[int, ...]:
        """Return the other part of the act of ``own`` that has the provision of a mention; empty if none."""
        address = mention.targets[0].address if mention.targets else None
        if address is None or address.number is None or exists(own, address, row):
            return ()
        parts = [part for part in self._parts_of(own) if exists(part, address, row)]
        return tuple(parts) if len(parts) == 1 else ()

    def _parts_of(self, own: int) -> tuple[int, ...]:
        """Return the other parts of an act that is split into several files or records.

        Parts have one title, year and folder, and no provision in common.
        """
        document = self._documents[own]
        found = []
        for number in self.called(document.title, document.language):
            other = self._documents[number]
            same = all(
                getattr(document, name) == getattr(other, name)
                for name in ("title", "language", "number", "year", "version", "valid_from")
            )
            same = same and number != own and _folder(document) == _folder(other)
            if same and not self._own_numbers(number) & self._own_numbers(own):
                found.append(number)
        return tuple(found)

    def _own_numbers(self, document: int) -> frozenset[str]:
        """Return the keys of the numbers of a document's provisions."""
        known = self._numbers.get(document)
        if known is None:
            passages = (self._provisions.passages[row] for row in self._provisions.rows_of(document))
            keys = (number_key(one.number) for one in passages if one.number and one.kind in _COUNTED)
            known = self._numbers[document] = frozenset(keys)
        return known

    def _named_between(self, text: str, start: int, end: int) -> int | None:
        """Return the last document that an acronym names in a range of the text."""
        last = None
        for match in _ACRONYM.finditer(text, start, end):
            meant = self._names_of("en").meanings(match[0], "en")
            last = meant[0] if len(meant) == 1 else last
        return last

    def _companion(self, own: int, address: Address, row: int, exists: Exists) -> int | None:
        """Return the document that a guidance cites throughout, if it has the provision."""
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
        """Count the citations of provisions by kind and named document."""
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


def _folder(document: Document) -> str:
    """Return the folder of a document's file."""
    return (document.source or "").rpartition("/")[0]


def _word_starts(text: str) -> Iterator[int]:
    return (match.start() for match in _WORD_START.finditer(text))


_AMENDING = (Relation.AMENDS, Relation.REPEALS)
_WORD_START = re.compile(r"\b\w")
# Kinds whose numbers identify a document; every text has a Part 1 and a paragraph 2.
_COUNTED = frozenset((SectionKind.RULE, SectionKind.SECTION, SectionKind.ARTICLE))
# Without capitals only known names show where the name of an act ends.
_OPEN = frozenset(("arabic",))
_GENERIC = re.compile(r"(?:Rules|Rulebook|Regulations?|Act|Law|Code)\Z")
# "نظام" without the article begins the name of another act: only "النظام" is "the Act".
_OTHER_ACT = re.compile(r"(?:نظام|قانون|لائحة|تنظيم)\Z")
# "dieser Richtlinie" is the text itself if it is a directive, otherwise the one named before.
_THIS = re.compile(r"\bdies(?:er|es)\s+(\w+)\Z")
_ACRONYM = re.compile(r"(?<![\w-])[A-Z]{3,8}(?![\w-])")


_NO_NAMES = Names()
_NAME_GOES_ON = re.compile(r"(?: [a-z]+)* [A-Z]\w")
_ACT_WORD = re.compile(r"(?:Act|Law|Regulations?|Rules|Code|Order|Directive|Decree|Treaty|Convention)\Z")


def _foreign_act(passage: Passage, position: int) -> int | None:
    """Return the end of a name at ``position`` that is an act in another language by its words, or None."""
    for language, names in _acts_abroad():
        if language != base_of(passage.language) and (name := names.match(passage.text, position)):
            return name.end()
    return None


@cache
def _acts_abroad() -> list[tuple[str, re.Pattern[str]]]:
    return [(code, re.compile(form)) for code in codes() if (form := law(code).acts_abroad)]


def _is_longer(mention: Mention, name_end: int) -> bool:
    """Return True if the printed name of an act continues after a known one with words, not with its year."""
    if mention.grammar != "english" or mention.document is None or mention.name_at is None:
        return False
    known, rest = (
        mention.document[: name_end - mention.name_at],
        mention.document[name_end - mention.name_at :],
    )
    # An id may be a word of the name: "ports".
    is_word = known.isalpha() and not known.isupper()
    return (is_word or _ACT_WORD.search(known) is not None) and _NAME_GOES_ON.match(rest) is not None
