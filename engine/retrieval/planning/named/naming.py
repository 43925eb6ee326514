"""The provisions that a question names by their numbers, resolved in the corpus.

"What does Article 14 of the Agency Code say?" is read as the texts of the corpus are, by the grammar of its
language, then by those of the corpus's other languages. A document that the grammar does not see is looked
for among those that the question names beside it, exactly or all but (a slip of the pen). A number without
any document may be of every document that has it: then it is a choice, and nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from weakref import WeakKeyDictionary

from engine.corpus.outside import outside
from engine.corpus.protocol import Corpus, Mask
from engine.language.addresses import Address
from engine.language.references import Mention, Target, find_mentions
from engine.language.references.instruments import Standard, standard_of
from engine.language.references.readings import recogniser
from engine.model import NamedProvision, Naming, Relation, SectionKind, Span
from engine.retrieval.planning.named.containers import (
    Name,
    Question,
    asked_besides,
    labels_in,
    numbers_of,
    placed,
    printed_mentions,
)
from engine.retrieval.planning.named.documents import designations, documents_of
from engine.retrieval.planning.named.provisions import in_any, in_container, in_documents
from engine.retrieval.planning.prose import BESIDE, documents_at, standards_of

# Languages of the corpus by whose grammars a question is read besides that of its own.
MOST_LANGUAGES = 6
# Numbers of a question that are looked up: who writes a thousand is no reader.
MOST_NUMBERS = 12
# So many other words at most has a question for what a provision says of something: with more of them it only
# mentions the provision. Measured on gold questions that name one: up to 8 words the provision is evidence of
# every second, from 9 on of every fifth.
FEW_BESIDES = 8

_NUMBER = re.compile(
    r"(?<![\w.,/-])(?P<number>\d+[A-Za-z]?(?:[.-]\d+[A-Za-z]?)*)(?P<part>(?:\(\w{1,4}\))*)(?![\w/-])"
)
_FIGURE = re.compile(r"\d")
# A short name in small letters right beside a number: in front of it, or behind it.
_ACRONYM = re.compile(
    r"(?<!\w)[a-z]{2,8}(?=,?\s(?:art|rule|sec|reg|§|s\.|\d))|(?<=\d\s)[a-z]{2,8}(?!\w)|(?<=\d\sof\s)[a-z]{2,8}(?!\w)"
    r"|(?<=\d\sof\sthe\s)[a-z]{2,8}(?!\w)|(?<!\w)[a-z]{2,8}(?=-\d)"
)
_SERIES = re.compile(r"(\bart(?:icle|\.)?\s?)([lrda])(?=[. ]?\s?\d)", re.IGNORECASE)
# People leave off the point behind what they shorten: "art 14", "sec 26".
_SHORT = re.compile(r"(?<!\w)(arts?|secs?|regs?|schs?|ss?|abs)\s(?=\d)", re.IGNORECASE)
_NONE = Standard("", "")
_QUALITY = {Naming.FOUND: 3, Naming.SEVERAL: 2, Naming.MISSING: 1, Naming.UNKNOWN: 0}


@dataclass(frozen=True, slots=True)
class _Read:
    """One number of a mention, and what it names; ``order`` is the place of its grammar."""

    mention: Mention
    target: Target
    order: int
    named: NamedProvision
    is_denied: bool = False
    in_any: bool = False

    @property
    def quality(self) -> int:
        """How much a reading is worth: more if it rules an act out, less if the grammar of another language
        read it and saw no act."""
        if self.is_denied:
            return len(_QUALITY)
        return _QUALITY[self.named.status] - len(_QUALITY) * (self.in_any and self.order > 0)


def provisions_named(
    corpus: Corpus, text: str, language: str, day: date, mask: Mask | None = None
) -> tuple[NamedProvision, ...]:
    """The provisions that a question names, in its order, in force on a day where the corpus has several
    versions. ``mask``: what the case may look at, shape (passages,)."""
    bases = dict.fromkeys(code.split("-")[0] for code in (language, *list(corpus.info().languages)))
    written, text = text, _read_as(text, corpus)
    read: list[tuple[str, list[Mention]]] = []
    for code in list(bases)[: MOST_LANGUAGES + 1]:
        mentions = [one for one in _mentions(corpus, text, code) if any(map(_is_numbered, one.targets))]
        if mentions:
            # What is written twice names nothing new.
            once = {one.text: one for one in reversed(mentions)}
            read.append((code, sorted(once.values(), key=lambda one: one.span.start)[:MOST_NUMBERS]))
    absent = _absent_standards(corpus, written, next(iter(bases)))
    if not read and not absent and not _FIGURE.search(text):
        return ()
    asked = Question(corpus, outside(corpus), written, text, language, day, mask)
    found = [
        one for order, (code, mentions) in enumerate(read) for one in _read(asked, code, mentions, order)
    ]
    longer = [one.span for _, mentions in read for one in mentions if one.document is not None]
    found += _behind_names(asked, len(read), longer)
    code = next(iter(bases))
    # The year of an edition is no number in it: "GRI 306-2016".
    editions = [one for one in find_mentions(text, code) if (standard_of(one.document or "") or _NONE).year]
    own = designations(asked, code, dict(read).get(code, []), max(0, MOST_NUMBERS - len(found)))
    found += [
        _Read(mention, target, -1, named)
        for mention, target, named in own
        if not any(one.span.start <= mention.span.start < one.span.end for one in editions)
    ]
    found.sort(key=lambda one: (-one.quality, one.order, -_length(one), _start(one)))
    kept: list[_Read] = []
    for one in found:
        if not any(_overlap(one, other) for other in kept):
            kept.append(one)
    named = [*(one.named for one in sorted(kept, key=_start)), *absent]
    besides = asked_besides(written, language, [one.words for one in named])
    if besides > FEW_BESIDES:
        # Who says so much else only mentions the standard.
        named = [one for one in named if one not in absent]
    bare = besides == 0
    # "Part 2" that no document has may be of a film: worth a word only where nothing else is asked.
    told = [one for one in named if bare or one.status is not Naming.MISSING or one.choices]
    there = (Naming.FOUND, Naming.SEVERAL)
    return tuple(
        replace(one, leads=one.status in there and (bare or (one.leads and besides <= FEW_BESIDES)))
        for one in told
    )


def _absent_standards(corpus: Corpus, text: str, language: str) -> list[NamedProvision]:
    """Standards, and editions of them, that a question names and no document of the corpus is."""
    known, found = standards_of(corpus), dict[str, NamedProvision]()
    for mention in find_mentions(text, language):
        standard = standard_of(mention.document or "")
        if mention.targets or standard is None or known.find(mention.document or "") != ():
            continue
        titles = [corpus.documents()[number].title for number in known.editions(standard)]
        note = f"no document of the corpus is {mention.text}"
        note += f"; it has {', '.join(f'“{title}”' for title in titles)}" if titles else ""
        found.setdefault(mention.text, NamedProvision(mention.text, Naming.UNKNOWN, note=note))
    return list(found.values())


def _mentions(corpus: Corpus, text: str, code: str) -> list[Mention]:
    """What a question names by the grammar of a language; of one without a grammar, what its headings
    print."""
    if recogniser(code) is not None:
        return find_mentions(text, code)
    return list(printed_mentions(text)) or list(labels_in(corpus, text))


def _read_as(text: str, corpus: Corpus) -> str:
    """A question letter for letter as laws write it: "art 14" with a point, "l412-5" with a capital, and
    "gdpr art. 9" in capitals."""
    text = _SERIES.sub(lambda match: match[1] + match[2].upper(), _SHORT.sub(r"\1.", text))
    known = _acronyms(corpus)
    return _ACRONYM.sub(lambda match: match[0].upper() if match[0] in known else match[0], text)


_ACRONYMS: WeakKeyDictionary[Corpus, frozenset[str]] = WeakKeyDictionary()


def _acronyms(corpus: Corpus) -> frozenset[str]:
    """The names in capitals of a corpus's documents, in small letters; read once for an open corpus."""
    if corpus not in _ACRONYMS:
        names = (name for document in corpus.documents() for name in (document.title, *document.aliases))
        _ACRONYMS[corpus] = frozenset(name.lower() for name in names if name.isupper() and name.isalpha())
    return _ACRONYMS[corpus]


def _is_numbered(target: Target) -> bool:
    """Whether a target is a provision by its number, not one that is only pointed at."""
    return target.step is None and (target.address.number is not None or bool(target.address.within))


def _behind_names(asked: Question, order: int, longer: Sequence[Span]) -> Iterator[_Read]:
    """Numbers without a word right behind the name of a document that has such a provision: "bgb 433"; not
    if the name goes on in front, in a ``longer`` one: "40 CFR 110" is not "CFR 110"."""
    for number in islice(_NUMBER.finditer(asked.text), MOST_NUMBERS):
        span = Span(*number.span())
        if "." in number["number"]:
            target = Target(Address(SectionKind.RULE, number["number"]), span)
            mention = Mention(span, number[0], "", Relation.CITES, (target,))
            language = asked.language
            if place := placed(asked.corpus, asked.text, mention, target.address, language, bare=True):
                yield _Read(mention, target, order, in_container(asked, place, Name(), mention))
                continue
        for document_id, name in documents_at(asked.corpus, asked.text, asked.language, near=span):
            is_part = any(one.start < name.start < one.end for one in longer)
            if is_part or not 0 <= span.start - name.end <= 2:
                continue
            numbers = numbers_of(asked, document_id)
            language = asked.reader.documents[numbers[0]].language
            for kind in (SectionKind.SECTION, SectionKind.ARTICLE):
                part = "/".join(re.findall(r"\((\w+)\)", number["part"])) or None
                target = Target(Address(kind, number["number"], part), span)
                mention = Mention(span, number[0], "", Relation.CITES, (target,))
                words = _words(asked.written, span, name)
                named = in_documents(asked, mention, language, Name(numbers, name), words)
                if named.status is Naming.FOUND:
                    yield _Read(mention, target, order, named)
                    break


def _start(one: _Read) -> int:
    return one.target.span.start


def _length(one: _Read) -> int:
    return one.mention.span.end - one.mention.span.start


def _overlap(one: _Read, other: _Read) -> bool:
    """Whether two grammars read the same words; the numbers of one mention stand side by side."""
    if one.mention is other.mention:
        return False
    first, second = one.mention.span, other.mention.span
    return first.start < second.end and second.start < first.end


def _read(asked: Question, code: str, mentions: Sequence[Mention], order: int) -> Iterator[_Read]:
    names = [span for _, span in documents_at(asked.corpus, asked.text, asked.language)]
    # The "8" of "SGB 8" is part of a name.
    mentions = [one for one in mentions if not (one.bare and any(_ends_in(one, name) for name in names))]
    meanings = asked.reader.meanings(mentions, asked.text, code, asked.day)
    for mention, meaning in zip(mentions, meanings, strict=True):
        name = documents_of(asked, mention, meaning)
        for target in list(filter(_is_numbered, mention.targets))[:MOST_NUMBERS]:
            words = _words(asked.written, target.span, name.span)
            alone = replace(mention, targets=(target,))
            if place := placed(asked.corpus, asked.text, mention, target.address, code):
                named = in_container(asked, place, name, alone)
            elif name.documents:
                named = in_documents(asked, alone, code, name, words)
            elif meaning.named:
                named = NamedProvision(words, Naming.UNKNOWN, note=name.note or _unknown(asked, mention))
            else:
                named = in_any(asked, alone, code, words)
            yield _Read(
                mention,
                target,
                order,
                named,
                bool(meaning.denied),
                in_any=not (name.documents or meaning.named),
            )


def _ends_in(mention: Mention, name: Span) -> bool:
    return name.start <= mention.span.start and mention.span.end <= name.end


def _words(text: str, number: Span, name: Span | None) -> str:
    """The words of a number, and of its document's name where that stands right beside it."""
    start, end = number.start, number.end
    if name is not None and max(name.start - end, start - name.end) <= BESIDE:
        start, end = min(start, name.start), max(end, name.end)
    return " ".join(text[start:end].split())


def _unknown(asked: Question, mention: Mention) -> str:
    name = " ".join((mention.document or mention.text).split())
    return f"no document of the corpus is called “{name}”"
