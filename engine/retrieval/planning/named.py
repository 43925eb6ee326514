"""The provisions that a question names by their numbers, resolved in the corpus.

"What does Article 14 of the Agency Code say?" is read as the texts of the corpus are, by the grammar of its
language, then by those of the corpus's other languages. A document that the grammar does not see is looked
for among those that the question names beside it, exactly or all but (a slip of the pen). A number without
any document may be of every document that has it: then it is a choice, and nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from weakref import WeakKeyDictionary

import numpy as np
from rapidfuzz import fuzz, process

from engine.corpus.outside import Outside, outside
from engine.corpus.protocol import Corpus, Mask, Rows
from engine.language.addresses import Address
from engine.language.aliases import NAME_WORD, name_key
from engine.language.analyzer import analyzer
from engine.language.references import Mention, Target, find_mentions
from engine.language.references.documents import Meaning
from engine.language.references.versions import made_on
from engine.language.script import western_digits
from engine.model import (
    FAMILY,
    Choice,
    Document,
    NamedProvision,
    Naming,
    Passage,
    Relation,
    SectionKind,
    Span,
)
from engine.retrieval.planning.prose import BESIDE, asks_for_text_of, documents_at

# Languages of the corpus by whose grammars a question is read besides that of its own.
MOST_LANGUAGES = 6
# So many passages of what is named enter the pool first, and so many stand first in the ranking.
MOST_PASSAGES = 40
MOST_CHOICES = 8
# Numbers of a question that are looked up: who writes a thousand is no reader.
MOST_NUMBERS = 12
# A chapter of more passages stands first only where it alone is asked for.
FEW_PASSAGES = 12
NEAREST = 4
# Documents that are looked into for a number that stands without a document.
MOST_LOOKED_INTO = 40
# A number alone is all that a question asks for where it has no more other words than this.
FEW_WORDS = 2
# So many other words at most has a question for what a provision says of something: with more of them it only
# mentions the provision. Measured on gold questions that name one: up to 8 words the provision is evidence of
# every second, from 9 on of every fifth.
FEW_BESIDES = 8
# The same in letters, for languages that write no blanks.
FEW_LETTERS, UNSEGMENTED = 8, frozenset(("zh", "ja", "th"))
# Names are the same but for a slip of the pen from here on (0..100); short ones are not compared so.
ALIKE, SHORTEST_ALIKE = 86.0, 8
# A name begins so near behind a number, and has at most so many words.
LONGEST_NAME = 10
# How lists of names in text are read on: the passages of a question are looked for among so many first hits.
FIRST_HITS = 100

_Title = tuple[str, tuple[str, ...]]
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"(?<![\w.,/-])(?P<number>\d+[A-Za-z]?(?:[.-]\d+)*)(?P<part>(?:\(\w{1,4}\))*)(?![\w/-])")
# A short name in small letters right beside a number: in front of it, or behind it.
_ACRONYM = re.compile(
    r"(?<!\w)[a-z]{2,8}(?=,?\s(?:art|rule|sec|reg|§|s\.|\d))|(?<=\d\s)[a-z]{2,8}(?!\w)|(?<=\d\sof\s)[a-z]{2,8}(?!\w)"
    r"|(?<=\d\sof\sthe\s)[a-z]{2,8}(?!\w)"
)
_SERIES = re.compile(r"(\bart(?:icle|\.)?\s?)([lrda])(?=[. ]?\s?\d)", re.IGNORECASE)
_PARAGRAPH = re.compile(r"(?:[,،]\s*\w+\s*)?\s*\(\w{1,4}\)\s*\Z")
# People leave off the point behind what they shorten: "art 14", "sec 26".
_SHORT = re.compile(r"(?<!\w)(arts?|secs?|regs?|schs?|ss?|abs)\s(?=\d)", re.IGNORECASE)
_QUALITY = {Naming.FOUND: 3, Naming.SEVERAL: 2, Naming.MISSING: 1, Naming.UNKNOWN: 0}


@dataclass(frozen=True, slots=True)
class _Question:
    """A question and what is needed to resolve its references. ``text`` is what is read, letter for letter
    as long as what is ``written``."""

    corpus: Corpus
    reader: Outside
    written: str
    text: str
    language: str
    day: date
    mask: Mask | None


@dataclass(frozen=True, slots=True)
class _Read:
    """One number of a mention, and what it names; ``order`` is the place of its grammar."""

    mention: Mention
    target: Target
    order: int
    named: NamedProvision


def provisions_named(
    corpus: Corpus, text: str, language: str, day: date, mask: Mask | None = None
) -> tuple[NamedProvision, ...]:
    """The provisions that a question names, in its order, in force on a day where the corpus has several
    versions. ``mask``: what the case may look at, shape (passages,)."""
    bases = dict.fromkeys(code.split("-")[0] for code in (language, *list(corpus.info().languages)))
    written, text = text, _read_as(text, corpus)
    read: list[tuple[str, list[Mention]]] = []
    for code in list(bases)[: MOST_LANGUAGES + 1]:
        mentions = [one for one in find_mentions(text, code) if any(map(_is_numbered, one.targets))]
        if mentions:
            # What is written twice names nothing new.
            once = {one.text: one for one in reversed(mentions)}
            read.append((code, sorted(once.values(), key=lambda one: one.span.start)[:MOST_NUMBERS]))
    if not read and not _NUMBER.search(text):
        return ()
    asked = _Question(corpus, outside(corpus), written, text, language, day, mask)
    found = [
        one for order, (code, mentions) in enumerate(read) for one in _read(asked, code, mentions, order)
    ]
    found += _behind_names(asked, len(read))
    found.sort(key=lambda one: (-_QUALITY[one.named.status], one.order, -_length(one), _start(one)))
    kept: list[_Read] = []
    for one in found:
        if not any(_overlap(one, other) for other in kept):
            kept.append(one)
    named = [one.named for one in sorted(kept, key=_start)]
    besides = asked_besides(written, language, [one.words for one in named])
    bare = besides == 0
    # "Part 2" that no document has may be of a film: worth a word only where nothing else is asked.
    told = [one for one in named if bare or one.status is not Naming.MISSING or one.choices]
    there = (Naming.FOUND, Naming.SEVERAL)
    return tuple(
        replace(one, leads=one.status in there and (bare or (one.leads and besides <= FEW_BESIDES)))
        for one in told
    )


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


def _behind_names(asked: _Question, order: int) -> Iterator[_Read]:
    """Numbers without a word right behind the name of a document that has such a provision: "bgb 433"."""
    for number in islice(_NUMBER.finditer(asked.text), MOST_NUMBERS):
        span = Span(*number.span())
        for document_id, name in documents_at(asked.corpus, asked.text, asked.language, near=span):
            if not 0 <= span.start - name.end <= 2:
                continue
            numbers = _numbers(asked, document_id)
            language = asked.reader.documents[numbers[0]].language
            for kind in (SectionKind.SECTION, SectionKind.ARTICLE):
                part = "/".join(re.findall(r"\((\w+)\)", number["part"])) or None
                target = Target(Address(kind, number["number"], part), span)
                mention = Mention(span, number[0], "", Relation.CITES, (target,))
                words = _words(asked.written, span, name)
                named = _in_documents(asked, mention, language, _Name(numbers, name), words)
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


def _read(asked: _Question, code: str, mentions: Sequence[Mention], order: int) -> Iterator[_Read]:
    names = [span for _, span in documents_at(asked.corpus, asked.text, asked.language)]
    # The "8" of "SGB 8" is part of a name.
    mentions = [one for one in mentions if not (one.bare and any(_ends_in(one, name) for name in names))]
    meanings = asked.reader.meanings(mentions, asked.text, code, asked.day)
    for mention, meaning in zip(mentions, meanings, strict=True):
        name = _documents(asked, mention, meaning)
        for target in list(filter(_is_numbered, mention.targets))[:MOST_NUMBERS]:
            words = _words(asked.written, target.span, name.span)
            alone = replace(mention, targets=(target,))
            if name.documents:
                named = _in_documents(asked, alone, code, name, words)
            elif meaning.named:
                named = NamedProvision(words, Naming.UNKNOWN, note=_unknown(asked, mention))
            else:
                named = _in_any(asked, alone, code, words)
            yield _Read(mention, target, order, named)


def _ends_in(mention: Mention, name: Span) -> bool:
    return name.start <= mention.span.start and mention.span.end <= name.end


@dataclass(frozen=True, slots=True)
class _Name:
    """The documents that a number is of, by their numbers, none where the question does not tell; where
    their name stands, if not in the mention itself, and how it was read where that was not plain."""

    documents: tuple[int, ...] = ()
    span: Span | None = None
    note: str = ""


def _words(text: str, number: Span, name: Span | None) -> str:
    """The words of a number, and of its document's name where that stands right beside it."""
    start, end = number.start, number.end
    if name is not None and max(name.start - end, start - name.end) <= BESIDE:
        start, end = min(start, name.start), max(end, name.end)
    return " ".join(text[start:end].split())


def _documents(asked: _Question, mention: Mention, meaning: Meaning) -> _Name:
    over = _over(asked, mention)
    if over is not None:
        return over
    known = tuple(number for number in meaning.documents if number is not None)
    if known:
        # Of a list each number is told by itself.
        whole = Span(mention.span.start, max(meaning.name_end or 0, mention.span.end))
        return _Name(known, whole if len(mention.targets) == 1 else None)
    return (not meaning.named and _beside(asked, mention)) or _all_but(asked, mention)


def _over(asked: _Question, mention: Mention) -> _Name | None:
    """The document whose name runs into a number farther in front than the grammar saw it begin: without
    blanks the words before a name may seem part of it, and its own first words not."""
    for document_id, span in documents_at(asked.corpus, asked.text, asked.language):
        if span.start < mention.span.start < span.end < mention.span.end:
            return _Name(_numbers(asked, document_id), Span(span.start, mention.span.end))
    return None


def _numbers(asked: _Question, document_id: str) -> tuple[int, ...]:
    return tuple(n for n, document in enumerate(asked.reader.documents) if document.id == document_id)


def _beside(asked: _Question, mention: Mention) -> _Name | None:
    """The document that the question names nearest to a number, anywhere in its words."""
    named = documents_at(asked.corpus, asked.text, asked.language, near=mention.span)
    if not named:
        return None
    distances = [max(span.start - mention.span.end, mention.span.start - span.end) for _, span in named]
    document_id, span = named[distances.index(min(distances))]
    return _Name(_numbers(asked, document_id), span)


def _all_but(asked: _Question, mention: Mention) -> _Name:
    """The documents of the name that is all but the one beside a number."""
    names = _names(asked.corpus)
    best: tuple[float, int, str, Span] | None = None
    every = list(names)
    for span in _runs(asked.text, mention):
        written = _plain(asked.text[span.start : span.end])
        if len(written) < SHORTEST_ALIKE:
            continue
        for name, score, _ in process.extract(written, every, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=3):
            better = best is None or (score, len(written)) > best[:2]
            if better and _DIGITS.findall(name) == _DIGITS.findall(written):
                best = (score, len(written), name, span)
    if best is None:
        return _Name()
    _, _, name, span = best
    run, documents = asked.written[span.start : span.end], tuple(names[name])
    plain = _plain(run) == name
    note = "" if plain else f"“{run}” is read as “{asked.reader.documents[documents[0]].title}”"
    return _Name(documents, span, note)


def _runs(text: str, mention: Mention) -> Iterator[Span]:
    """Where a document's name may stand: what the grammar took for one, the words behind a number, and
    those in front of it."""
    if mention.document and mention.name_at is not None:
        yield Span(mention.name_at, mention.name_at + len(mention.document))
        for word in list(NAME_WORD.finditer(text, mention.name_at))[:LONGEST_NAME]:
            yield Span(mention.name_at, word.end())
    behind = list(NAME_WORD.finditer(text, mention.leads_at or mention.span.end))[: LONGEST_NAME + 2]
    for first in range(min(3, len(behind))):
        for last in range(first, len(behind)):
            yield Span(behind[first].start(), behind[last].end())
    before = list(NAME_WORD.finditer(text, 0, mention.span.start))[-LONGEST_NAME:]
    for one in before:
        yield Span(one.start(), before[-1].end())


_NAMES: WeakKeyDictionary[Corpus, dict[str, list[int]]] = WeakKeyDictionary()


def _names(corpus: Corpus) -> dict[str, list[int]]:
    """The documents of each name, in small letters; read once for an open corpus."""
    names = _NAMES.get(corpus)
    if names is None:
        names = _NAMES[corpus] = {}
        for number, document in enumerate(corpus.documents()):
            for name in {_plain(name) for name in (document.title, *document.aliases)}:
                if len(name) >= SHORTEST_ALIKE:
                    names.setdefault(name, []).append(number)
    return names


_TITLED: WeakKeyDictionary[Corpus, dict[_Title, list[int]]] = WeakKeyDictionary()


def _titled(corpus: Corpus) -> dict[_Title, list[int]]:
    """The documents of each title: versions of one act; read once for an open corpus."""
    titled = _TITLED.get(corpus)
    if titled is None:
        titled = _TITLED[corpus] = {}
        for number, document in enumerate(corpus.documents()):
            titled.setdefault(_key_of(document), []).append(number)
    return titled


def _plain(name: str) -> str:
    return " ".join(western_digits(name).casefold().removeprefix("the ").split())


def _in_documents(asked: _Question, mention: Mention, code: str, name: _Name, words: str) -> NamedProvision:
    """What a number names in documents that are known."""
    found: list[Rows] = []
    note = name.note
    for place, documents in enumerate(_versions(asked, name.documents)):
        own = _groups(asked, mention, code, documents)
        found = found or own
        allowed = _allowed(asked, own)
        if allowed:
            note = _joined(note, _of_version(asked, documents) if place else "")
            break
    if len(allowed) == 1:
        (rows,) = allowed
        ids = _ids(asked, rows[:MOST_PASSAGES])
        note = _joined(note, _lacking_part(asked, mention, rows), _not_in_force(asked, rows))
        return NamedProvision(words, Naming.FOUND, ids, leads=len(rows) <= FEW_PASSAGES, note=note)
    if allowed:
        # Publishers put the newer wording of a provision behind the older one.
        family = {asked.reader.documents[n].metadata.get(FAMILY) for n in documents}
        ordered = allowed[::-1] if len(documents) == 1 and None not in family else allowed
        return _several(asked, ordered, words, note, len(allowed))
    if found:
        left_out = f"{words} is left out by what the case is limited to"
        return NamedProvision(words, Naming.MISSING, note=_joined(name.note, left_out))
    document, address = name.documents[0], mention.targets[0].address
    near = asked.reader.nearest(document, address, NEAREST)
    number = f"{address.kind.value} {address.number or address.within[-1][1]}"
    missing = f"“{asked.reader.documents[document].title}” has no {number}"
    if near:
        missing += f"; the nearest are {', '.join(number for number, _ in near)}"
    choices = _choices(asked, [np.array([row], np.int32) for _, row in near])
    return NamedProvision(words, Naming.MISSING, choices=choices, note=_joined(name.note, missing))


def _versions(asked: _Question, documents: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Documents in the order in which they may be meant: of the versions of one act the newest that there was
    on the day, then those before it, then later ones; others all at once."""
    same = _titled(asked.corpus)[_key_of(asked.reader.documents[documents[0]])]
    if not set(documents) <= set(same):
        yield documents
        return
    made = {number: made_on(asked.reader.documents[number]) for number in same}
    days = {number: day for number, day in made.items() if day is not None}
    if any(number not in days for number in documents) or len(set(days.values())) < len(days):
        yield documents
        return
    past = sorted((number for number, day in days.items() if day <= asked.day), key=lambda n: days[n])
    later = sorted((number for number, day in days.items() if day > asked.day), key=lambda n: days[n])
    yield from ((number,) for number in (*reversed(past), *later))


def _key_of(document: Document) -> _Title:
    """What versions of one act have in common: their family where ingestion found one, else their title."""
    family = document.metadata.get(FAMILY)
    if isinstance(family, str):
        return document.language, (FAMILY, family)
    return document.language, name_key(document.title, document.language)


def _of_version(asked: _Question, documents: Sequence[int]) -> str:
    made = made_on(asked.reader.documents[documents[0]])
    return f"the version of the day has no such provision: this is that of {made}"


def _not_in_force(asked: _Question, rows: Rows) -> str:
    """That a provision was in force before the day, and is no more."""
    return f"not in force on {asked.day}" if asked.corpus.out_of_force(asked.day)[rows].all() else ""


def _lacking_part(asked: _Question, mention: Mention, rows: Rows) -> str:
    """That a provision prints its parts and has none of the number that is asked for; empty where it has it,
    or where that cannot be told."""
    part = mention.targets[0].address.paragraph
    if part is None:
        return ""
    printed = [passage.paragraph for passage in asked.corpus.passages(rows) if passage.paragraph]
    wanted = part.split("/")[0]
    if not printed or any(one.split("/")[0] == wanted for one in printed):
        return ""
    return f"there is no ({wanted}) in it: it is shown as a whole"


def _in_any(asked: _Question, mention: Mention, code: str, words: str) -> NamedProvision:
    """What a number names that stands without any document: a choice, unless one document alone has it."""
    address = mention.targets[0].address
    number = address.number or address.within[-1][1]
    heads = asked.corpus.numbered(number)
    if asked.mask is not None:
        documents = np.unique(asked.corpus.document_numbers(np.flatnonzero(asked.mask).astype(np.int32)))
        heads = heads[np.isin(asked.corpus.document_numbers(heads), documents)]
    holders = _readable(asked, asked.corpus.document_numbers(heads))
    groups: list[Rows] = []
    for document in _by_relevance(asked, holders)[:MOST_LOOKED_INTO]:
        own = _allowed(asked, _groups(asked, mention, code, [document]))
        groups.extend(own[:1])
        if len(groups) == MOST_CHOICES:
            break
    if not groups:
        return NamedProvision(words, Naming.MISSING, note=f"no document has {words}")
    if len(groups) == 1:
        ids = _ids(asked, groups[0][:MOST_PASSAGES])
        # One that is mentioned without its document need not be what is asked for.
        leads = asks_for_text_of(asked.text, asked.language, mention.span) and len(ids) <= FEW_PASSAGES
        return NamedProvision(words, Naming.FOUND, ids, leads=leads)
    return _several(asked, groups, words, "", max(len(groups), len(holders)))


def _readable(asked: _Question, documents: Rows) -> Rows:
    """The documents in the language of the question, all where none is."""
    base = asked.language.split("-")[0]
    languages = [asked.reader.documents[number].language.split("-")[0] for number in documents.tolist()]
    own = np.array([language == base for language in languages], np.bool_)
    return documents[own] if own.any() else documents


def _by_relevance(asked: _Question, documents: Rows) -> list[int]:
    """Documents in the order in which the words of the question find them, then in that of the corpus."""
    (hits,) = asked.corpus.search_lexical([asked.text], asked.language, FIRST_HITS, mask=asked.mask)
    every = set(documents.tolist())
    near = [number for number in asked.corpus.document_numbers(hits.rows).tolist() if number in every]
    return list(dict.fromkeys([*near, *sorted(every)]))


def _groups(asked: _Question, mention: Mention, code: str, documents: Sequence[int]) -> list[Rows]:
    """The rows of each provision that a mention may name in some documents."""
    found: dict[bytes, Rows] = {}
    for reference in asked.reader.within(mention, documents, asked.text, code, asked.day):
        ids = (reference.target_id,) if reference.target_id else reference.candidates
        for target_id in ids:
            rows = asked.reader.rows(reference.target_kind, target_id)
            if len(rows):
                found.setdefault(rows.tobytes(), rows)
    return list(found.values())


def _allowed(asked: _Question, groups: Sequence[Rows]) -> list[Rows]:
    """What the case may look at of each provision; of several versions those in force on the day."""
    if asked.mask is not None:
        groups = [rows[asked.mask[rows]] for rows in groups]
    groups = [rows for rows in groups if len(rows)]
    if len(groups) > 1:
        in_force = asked.corpus.in_force(asked.day)
        groups = [rows for rows in groups if in_force[rows].any()] or groups
    return list(groups)


def _several(asked: _Question, groups: Sequence[Rows], words: str, note: str, count: int) -> NamedProvision:
    heads = [rows[:1] for rows in groups[:MOST_CHOICES]]
    ids = _ids(asked, np.concatenate(heads).astype(np.int32))
    choices = _choices(asked, heads)
    more = f" and {count - len(choices)} more" if count > len(choices) else ""
    told = f"{words} may be {'; '.join(choice.label for choice in choices)}{more}: say which"
    return NamedProvision(words, Naming.SEVERAL, ids, choices, note=_joined(note, told))


def _choices(asked: _Question, heads: Sequence[Rows]) -> tuple[Choice, ...]:
    rows = np.concatenate([np.empty(0, np.int32), *heads]).astype(np.int32)
    documents = asked.corpus.document_numbers(rows).tolist()
    return tuple(
        Choice(passage.id, ", ".join(filter(None, (asked.reader.documents[document].title, _label(passage)))))
        for passage, document in zip(asked.corpus.passages(rows), documents, strict=True)
    )


def _label(passage: Passage) -> str:
    """What a provision is called by the label of its first passage, without the number of its paragraph."""
    label = passage.label
    return _PARAGRAPH.sub("", label) if passage.paragraph and passage.number else label


def _ids(asked: _Question, rows: Rows) -> tuple[str, ...]:
    return tuple(passage.id for passage in asked.corpus.passages(rows))


def _unknown(asked: _Question, mention: Mention) -> str:
    name = " ".join((mention.document or mention.text).split())
    return f"no document of the corpus is called “{name}”"


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))


def asks_for_nothing_else(text: str, language: str, words: Iterable[str]) -> bool:
    """Whether a question asks for what it names in these ``words`` and for nothing besides."""
    return asked_besides(text, language, words) == 0


def asked_besides(text: str, language: str, words: Iterable[str]) -> int:
    """How much a question asks besides what it names in these ``words``: the number of its other words, 0
    where they are so few that they only ask for it."""
    for one in words:
        text = text.replace(one, " ")
    if language.split("-")[0] in UNSEGMENTED:
        # Two letters are a word, about.
        letters = sum(letter.isalpha() for letter in text)
        return 0 if letters <= FEW_LETTERS else letters // 2
    terms = len(set(analyzer(language).terms(text)))
    return 0 if terms <= FEW_WORDS else terms
