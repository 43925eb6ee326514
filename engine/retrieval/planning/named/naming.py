"""The provisions that a question names by their numbers, resolved in the corpus.

"What does Article 14 of the Agency Code say?" is parsed like the texts of the corpus, by the grammar of its
language, then by those of the corpus's other languages. If the grammar finds no document, the document that
the question names next to the number is used, exactly or with a typing error. A number without a document may
be in every document that has it: then it is a choice, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from weakref import WeakKeyDictionary

from engine.corpus.external_text import external_resolver
from engine.corpus.protocol import Corpus, Mask
from engine.language.addresses import Address
from engine.language.references import Mention, Target, find_mentions
from engine.language.references.instruments import Standard, standard_of
from engine.language.references.readings import recogniser
from engine.model import NamedProvision, Naming, Relation, SectionKind, Span
from engine.retrieval.planning.named.containers import (
    Name,
    Question,
    count_further_words,
    find_in_container,
    labels_in,
    numbers_of,
    printed_mentions,
)
from engine.retrieval.planning.named.documents import designations, documents_of
from engine.retrieval.planning.named.provisions import in_any, in_container, in_documents
from engine.retrieval.planning.prose import ADJACENT, documents_at, standards_of

# Further languages of the corpus whose grammars parse a question.
MOST_LANGUAGES = 6
# Numbers of a question that are looked up.
MOST_NUMBERS = 12
# Most further words of a question that asks what a provision says: with more words it only mentions it.
# Measured on gold questions that name a provision: up to 8 words it is evidence for every second, from 9 on
# for every fifth.
FEW_FURTHER_WORDS = 8

_NUMBER = re.compile(
    r"(?<![\w.,/-])(?P<number>\d+[A-Za-z]?(?:[.-]\d+[A-Za-z]?)*)(?P<part>(?:\(\w{1,4}\))*)(?![\w/-])"
)
_FIGURE = re.compile(r"\d")
# A short name in lower case right before or after a number.
_ACRONYM = re.compile(
    r"(?<!\w)[a-z]{2,8}(?=,?\s(?:art|rule|sec|reg|§|s\.|\d))|(?<=\d\s)[a-z]{2,8}(?!\w)|(?<=\d\sof\s)[a-z]{2,8}(?!\w)"
    r"|(?<=\d\sof\sthe\s)[a-z]{2,8}(?!\w)|(?<!\w)[a-z]{2,8}(?=-\d)"
)
_SERIES = re.compile(r"(\bart(?:icle|\.)?\s?)([lrda])(?=[. ]?\s?\d)", re.IGNORECASE)
# Abbreviations without a point: "art 14", "sec 26".
_SHORT = re.compile(r"(?<!\w)(arts?|secs?|regs?|schs?|ss?|abs)\s(?=\d)", re.IGNORECASE)
_NONE = Standard("", "")
_QUALITY = {Naming.FOUND: 3, Naming.SEVERAL: 2, Naming.MISSING: 1, Naming.UNKNOWN: 0}


@dataclass(frozen=True, slots=True)
class _Reading:
    """One number of a mention, and what it names; ``order`` is the rank of its grammar."""

    mention: Mention
    target: Target
    order: int
    named: NamedProvision
    is_denied: bool = False
    in_any: bool = False

    @property
    def quality(self) -> int:
        """The quality of a reading.

        Higher if it rules an act out, lower if the grammar of another language found no act.
        """
        if self.is_denied:
            return len(_QUALITY)
        return _QUALITY[self.named.status] - len(_QUALITY) * (self.in_any and self.order > 0)


def provisions_named(
    corpus: Corpus, text: str, language: str, day: date, mask: Mask | None = None
) -> tuple[NamedProvision, ...]:
    """Return the provisions that a question names, in its order.

    Of several versions the one in force on ``day``. ``mask``: passages that the case may find, shape
    (passages,), None for all.
    """
    bases = dict.fromkeys(code.split("-")[0] for code in (language, *list(corpus.info().languages)))
    written, text = text, _normalise(text, corpus)
    read: list[tuple[str, list[Mention]]] = []
    for code in list(bases)[: MOST_LANGUAGES + 1]:
        mentions = [one for one in _mentions(corpus, text, code) if any(map(_is_numbered, one.targets))]
        if mentions:
            # A repeated mention names nothing new.
            once = {one.text: one for one in reversed(mentions)}
            read.append((code, sorted(once.values(), key=lambda one: one.span.start)[:MOST_NUMBERS]))
    absent = _absent_standards(corpus, written, next(iter(bases)))
    if not read and not absent and not _FIGURE.search(text):
        return ()
    question = Question(corpus, external_resolver(corpus), written, text, language, day, mask)
    found = [
        one
        for order, (code, mentions) in enumerate(read)
        for one in _resolve(question, code, mentions, order)
    ]
    longer = [one.span for _, mentions in read for one in mentions if one.document is not None]
    found += _numbers_after_names(question, len(read), longer)
    code = next(iter(bases))
    # The year of an edition is no number in it: "GRI 306-2016".
    editions = [one for one in find_mentions(text, code) if (standard_of(one.document or "") or _NONE).year]
    own = designations(question, code, dict(read).get(code, []), max(0, MOST_NUMBERS - len(found)))
    found += [
        _Reading(mention, target, -1, named)
        for mention, target, named in own
        if not any(one.span.start <= mention.span.start < one.span.end for one in editions)
    ]
    found.sort(key=lambda one: (-one.quality, one.order, -_length(one), _start(one)))
    kept: list[_Reading] = []
    for one in found:
        if not any(_overlap(one, other) for other in kept):
            kept.append(one)
    named = [*(one.named for one in sorted(kept, key=_start)), *absent]
    further_words = count_further_words(written, language, [one.words for one in named])
    if further_words > FEW_FURTHER_WORDS:
        # A question with so many further words only mentions the standard.
        named = [one for one in named if one not in absent]
    bare = further_words == 0
    # "Part 2" that no document has may be of a film: reported only if the question asks nothing else.
    reported = [one for one in named if bare or one.status is not Naming.MISSING or one.choices]
    found_statuses = (Naming.FOUND, Naming.SEVERAL)
    return tuple(
        replace(
            one,
            leads=one.status in found_statuses
            and (bare or (one.leads and further_words <= FEW_FURTHER_WORDS)),
        )
        for one in reported
    )


def _absent_standards(corpus: Corpus, text: str, language: str) -> list[NamedProvision]:
    """Return standards and editions that a question names and the corpus does not have."""
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
    """Return the mentions of a question by the grammar of a language, or by the forms of its headings."""
    if recogniser(code) is not None:
        return find_mentions(text, code)
    return list(printed_mentions(text)) or list(labels_in(corpus, text))


def _normalise(text: str, corpus: Corpus) -> str:
    """Normalise a question to the spelling of laws without changing its length.

    "art 14" gets a point, "l412-5" a capital, "gdpr art. 9" capitals.
    """
    text = _SERIES.sub(lambda match: match[1] + match[2].upper(), _SHORT.sub(r"\1.", text))
    known = _acronyms(corpus)
    return _ACRONYM.sub(lambda match: match[0].upper() if match[0] in known else match[0], text)


_ACRONYMS: WeakKeyDictionary[Corpus, frozenset[str]] = WeakKeyDictionary()


def _acronyms(corpus: Corpus) -> frozenset[str]:
    """Return the names in capitals of a corpus's documents, in lower case; read once for an open corpus."""
    if corpus not in _ACRONYMS:
        names = (name for document in corpus.documents() for name in (document.title, *document.aliases))
        _ACRONYMS[corpus] = frozenset(name.lower() for name in names if name.isupper() and name.isalpha())
    return _ACRONYMS[corpus]


def _is_numbered(target: Target) -> bool:
    """Whether a target names a provision by its number, and not relatively ("the next Article")."""
    return target.step is None and (target.address.number is not None or bool(target.address.within))


def _numbers_after_names(question: Question, order: int, longer: Sequence[Span]) -> Iterator[_Reading]:
    """Resolve numbers without a word right after the name of a document with such a provision: "bgb 433".

    Not if the name is part of a ``longer`` one: "40 CFR 110" is not "CFR 110".
    """
    for number in islice(_NUMBER.finditer(question.text), MOST_NUMBERS):
        span = Span(*number.span())
        if "." in number["number"]:
            target = Target(Address(SectionKind.RULE, number["number"]), span)
            mention = Mention(span, number[0], "", Relation.CITES, (target,))
            language = question.language
            if place := find_in_container(
                question.corpus, question.text, mention, target.address, language, bare=True
            ):
                yield _Reading(mention, target, order, in_container(question, place, Name(), mention))
                continue
        for document_id, name in documents_at(question.corpus, question.text, question.language, near=span):
            is_part = any(one.start < name.start < one.end for one in longer)
            if is_part or not 0 <= span.start - name.end <= 2:
                continue
            numbers = numbers_of(question, document_id)
            language = question.reader.documents[numbers[0]].language
            for kind in (SectionKind.SECTION, SectionKind.ARTICLE):
                part = "/".join(re.findall(r"\((\w+)\)", number["part"])) or None
                target = Target(Address(kind, number["number"], part), span)
                mention = Mention(span, number[0], "", Relation.CITES, (target,))
                words = _words(question.written, span, name)
                named = in_documents(question, mention, language, Name(numbers, name), words)
                if named.status is Naming.FOUND:
                    yield _Reading(mention, target, order, named)
                    break


def _start(one: _Reading) -> int:
    return one.target.span.start


def _length(one: _Reading) -> int:
    return one.mention.span.end - one.mention.span.start


def _overlap(one: _Reading, other: _Reading) -> bool:
    """Whether two grammars read the same words; the numbers of one mention never overlap."""
    if one.mention is other.mention:
        return False
    first, second = one.mention.span, other.mention.span
    return first.start < second.end and second.start < first.end


def _resolve(question: Question, code: str, mentions: Sequence[Mention], order: int) -> Iterator[_Reading]:
    names = [span for _, span in documents_at(question.corpus, question.text, question.language)]
    # The "8" of "SGB 8" is part of a name.
    mentions = [one for one in mentions if not (one.bare and any(_ends_in(one, name) for name in names))]
    meanings = question.reader.meanings(mentions, question.text, code, question.day)
    for mention, meaning in zip(mentions, meanings, strict=True):
        name = documents_of(question, mention, meaning)
        for target in list(filter(_is_numbered, mention.targets))[:MOST_NUMBERS]:
            words = _words(question.written, target.span, name.span)
            alone = replace(mention, targets=(target,))
            direct = in_documents(question, alone, code, name, words) if name.documents else None
            # "Clause 2 of Schedule 7 of the Companies Act 1993" names its container itself.
            if direct and target.address.within and direct.status is Naming.FOUND:
                named = direct
            elif place := find_in_container(question.corpus, question.text, mention, target.address, code):
                named = in_container(question, place, name, alone)
            elif direct is not None:
                named = direct
            elif meaning.named:
                named = NamedProvision(words, Naming.UNKNOWN, note=name.note or _unknown(question, mention))
            else:
                named = in_any(question, alone, code, words)
            yield _Reading(
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
    """Return the words of a number, with its document's name if that is adjacent."""
    start, end = number.start, number.end
    if name is not None and max(name.start - end, start - name.end) <= ADJACENT:
        start, end = min(start, name.start), max(end, name.end)
    return " ".join(text[start:end].split())


def _unknown(question: Question, mention: Mention) -> str:
    name = " ".join((mention.document or mention.text).split())
    return f"no document of the corpus is called “{name}”"
