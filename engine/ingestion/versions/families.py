"""Group versions of one text: files with one identifier, one name apart from the date, or one title in a
folder."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from enum import Enum
from functools import lru_cache, partial
from itertools import pairwise

from engine.corpus.embedded.documents import SECTION_KINDS
from engine.ingestion.readers import fields
from engine.ingestion.readers.base import Problem
from engine.ingestion.readers.fields import IDENTIFIERS, DayKind, folded, leaves
from engine.ingestion.versions.validity import (
    NamedFile,
    choose_days,
    kind_of_day,
    named_file,
    remove_day,
    stated_days,
)
from engine.ingestion.view import CorpusView
from engine.language.addresses import PROVISIONS, number_key
from engine.language.aliases import name_key
from engine.language.front_page import STANDARD
from engine.model import EDITION, FAMILY, OUT_OF_FORCE, Document

# Each version is in force from its date to the day before the next one. Grouping is automatic, so one sign is
# never enough: members must also share provisions or text. Minutes share a title and have different dates,
# and articles of a code in separate files share its identifier.

_ONE_DAY = timedelta(days=1)
# An end date from this year on means "no end".
_NEVER = 2200
# Identifiers that different texts may share: their texts must also be alike.
_WEAK = frozenset(
    map(folded, ("id", "slug", "code", "uri", "iri", "id_local", "local_id", "abbreviation", "short_name"))
)
_LONGEST_IDENTIFIER = 200
# Each version is compared with this number of later versions.
_NEIGHBOURS = 4
# Minimum overlap (share of the smaller set) for versions of one text, and for texts with different
# identifiers.
ALIKE_NUMBERS, ALIKE_TEXTS, SAME_TEXTS = 0.5, 0.2, 0.5
# Minimum overlap of the words of two titles that count as equal.
SAME_TITLES = 0.8
MOST_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Content:
    """Data for comparing two documents: the numbers of their provisions, and the texts of their passages."""

    numbers: frozenset[str]
    texts: frozenset[str]

    def fits(self, other: Content, likeness: Likeness) -> bool:
        """Return True if two documents are at least this similar."""
        texts = _share(self.texts, other.texts)
        if likeness is Likeness.SAME:
            return texts >= SAME_TEXTS
        if texts >= ALIKE_TEXTS or _share(self.numbers, other.numbers) >= ALIKE_NUMBERS:
            return True
        both = bool(self.numbers) and bool(other.numbers)
        strange = both and not self.numbers & other.numbers and not texts
        return likeness is Likeness.NOT_STRANGE and not strange


class Likeness(Enum):
    """Required similarity: the weaker the sign that two texts are versions, the more."""

    NOT_STRANGE = 0
    ALIKE = 1
    SAME = 2


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    smaller_size = min(len(one), len(other))
    return len(one & other) / smaller_size if smaller_size else 0.0


@dataclass(slots=True)
class Families:
    """The documents of a corpus with dated versions; ``changed``: numbers of dated documents; ``notes``:
    messages for the user."""

    documents: list[Document]
    changed: set[int] = field(default_factory=set)
    notes: list[Problem] = field(default_factory=list)


def find_families(
    documents: Sequence[Document], paths: Sequence[str | None], content: Callable[[int], Content]
) -> Families:
    """Find the families of a corpus and date their members.

    ``paths``: the file of each document, None if a file contains several documents. ``content`` is called
    only for documents that may belong to one family.
    """
    found = Families(list(documents))
    files = [None if path is None else named_file(path) for path in paths]
    days = [stated_days(document, file) for document, file in zip(documents, files, strict=True)]
    for name, members in _groups(documents, files, days, content):
        _date(found, name, members, days, paths)
    _editions(found)
    return found


def _groups(
    documents: Sequence[Document],
    files: Sequence[NamedFile | None],
    days: Sequence[Mapping[str, date]],
    content: Callable[[int], Content],
) -> Iterator[tuple[str, list[int]]]:
    """Yield the name and the members of each family in corpus order; all members are in one language."""
    joined = _DisjointSets(len(documents))
    strong: dict[int, set[str]] = defaultdict(set)
    for sure, exact, members in _by_identifier(documents, strong):
        likeness = Likeness.NOT_STRANGE if sure else Likeness.ALIKE
        _join(joined, members, days, content, _likeness_for(documents, likeness) if not exact else likeness)
    for members in (*_by_file(files), *_by_title(documents, files)):
        if not any(days[number] for number in members):
            continue
        # Another identifier means another text, unless it identifies the version and not the work.
        identified = {joined.root(number) for number in members if strong.get(number)}
        likeness = Likeness.SAME if len(identified) > 1 else Likeness.ALIKE
        _join(joined, members, days, content, _likeness_for(documents, likeness))
    for members in joined.groups():
        for own in _of_one_language(members, documents, days):
            if len(own) > 1:
                yield _name(own, documents, files), own


def _likeness_for(documents: Sequence[Document], likeness: Likeness) -> Callable[[int, int], Likeness]:
    """Return the required similarity for texts with one name apart from the date.

    The date may identify the act itself ("LOV-1930-03-14"); then all acts of a country share the rest.
    """

    def likeness_of(one: int, other: int) -> Likeness:
        titles = (documents[one].title, documents[other].title)
        return likeness if _one_title(*titles) else Likeness.SAME

    return likeness_of


def _one_title(one: str, other: str) -> bool:
    """Return True if two titles are equal apart from numbers and a few words, such as those of a date."""
    first, second = ({word for word in name_key(title) if word.isalpha()} for title in (one, other))
    return first == second or _share(frozenset(first), frozenset(second)) >= SAME_TITLES


def _by_identifier(
    documents: Sequence[Document], strong: dict[int, set[str]]
) -> Iterator[tuple[bool, bool, list[int]]]:
    """Yield (is strong, is exact, members) for documents with a common identifier, strongest identifiers
    first.

    ``is exact`` is False if the identifiers are equal only without a date at the end.
    """
    places = {name: place for place, name in enumerate(IDENTIFIERS)}
    buckets: dict[tuple[int, str, bool, bool], list[int]] = defaultdict(list)
    for number, document in enumerate(documents):
        for name, value in leaves(document.metadata):
            own = folded(name.rpartition(".")[2])
            if own not in places or not isinstance(value, str | int) or isinstance(value, bool):
                continue
            text = str(value).strip()
            if not 0 < len(text) <= _LONGEST_IDENTIFIER:
                continue
            whole, bare = text.casefold(), remove_day(text).casefold()
            for identifier, exact in dict.fromkeys([(whole, True), (bare, whole == bare)]):
                buckets[places[own], identifier, own in _WEAK, not exact].append(number)
            if own not in _WEAK:
                strong[number].add(whole)
    for (_, _, weak, cut), members in sorted(buckets.items()):
        if len(members) > 1:
            yield not weak, not cut, members


def _by_file(files: Sequence[NamedFile | None]) -> Iterator[list[int]]:
    """Yield documents whose files have one name apart from the date."""
    buckets: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, file in enumerate(files):
        if file is not None and file.day is not None:
            buckets[file.place, file.name.casefold()].append(number)
    yield from (members for members in buckets.values() if len(members) > 1)


def _by_title(documents: Sequence[Document], files: Sequence[NamedFile | None]) -> Iterator[list[int]]:
    """Yield documents with one title, number and type in one folder.

    Documents that share a file count only if their version is a date.
    """
    buckets: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for number, (document, file) in enumerate(zip(documents, files, strict=True)):
        if file is None and fields.day_of(document.version) is None:
            continue
        if title := name_key(document.title):
            place = file.place if file is not None else None
            buckets[place, title, document.number, document.type].append(number)
    yield from (members for members in buckets.values() if len(members) > 1)


def _join(
    joined: _DisjointSets,
    members: Sequence[int],
    stated_days: Sequence[Mapping[str, date]],
    content: Callable[[int], Content],
    likeness: Likeness | Callable[[int, int], Likeness],
) -> None:
    """Join the members that are versions of one text; each is compared with its neighbours in time."""
    days = choose_days([stated_days[number] for number in members]).days
    ordered = [
        number
        for _, number in sorted(zip(days, members, strict=True), key=lambda one: (one[0] or date.min, one[1]))
    ]
    for place, earlier in enumerate(ordered):
        for later in ordered[place + 1 : place + 1 + _NEIGHBOURS]:
            if joined.root(earlier) == joined.root(later):
                continue
            required = likeness if isinstance(likeness, Likeness) else likeness(earlier, later)
            if content(earlier).fits(content(later), required):
                joined.join(earlier, later)


def _of_one_language(
    members: Sequence[int], documents: Sequence[Document], stated_days: Sequence[Mapping[str, date]]
) -> Iterator[list[int]]:
    """Yield one family per language, or a single one if titles and dates show that the languages were
    misdetected."""
    languages = {documents[number].language for number in members}
    titles = {" ".join(documents[number].title.casefold().split()) for number in members}
    days = [day for day in choose_days([stated_days[number] for number in members]).days if day is not None]
    if len(languages) == 1 or (len(titles) == 1 and len(set(days)) == len(members)):
        yield list(members)
        return
    for language in sorted(languages):
        yield [number for number in members if documents[number].language == language]


def _name(members: Sequence[int], documents: Sequence[Document], files: Sequence[NamedFile | None]) -> str:
    """Return the identifier that all members share, else their file name, else their title."""
    for normalize in (str.strip, remove_day):
        shared: dict[str, set[str]] = defaultdict(set)
        for number in members:
            for name, value in leaves(documents[number].metadata):
                if isinstance(value, str):
                    shared[folded(name.rpartition(".")[2])].add(normalize(value))
        for name in IDENTIFIERS:
            if len(shared.get(name, ())) == 1:
                return next(iter(shared[name]))
    names = {file.name for number in members if (file := files[number]) is not None}
    return next(iter(names)) if len(names) == 1 and "" not in names else documents[members[0]].title


def _date(
    found: Families,
    name: str,
    members: Sequence[int],
    stated_days: Sequence[Mapping[str, date]],
    paths: Sequence[str | None],
) -> None:
    """Set the first and last days of the members of a family, and report anomalies."""
    chosen = choose_days([stated_days[number] for number in members])
    dated = sorted(
        (day, found.documents[number].id, number)
        for day, number in zip(chosen.days, members, strict=True)
        if day is not None
    )
    undated = [number for day, number in zip(chosen.days, members, strict=True) if day is None]

    def note(reason: str, number: int) -> None:
        where = paths[number] or found.documents[number].source or found.documents[number].id
        found.notes.append(Problem(where, reason, id=name, is_note=True))

    if undated:
        note(
            f"{len(undated)} of {len(members)} versions have no day ({_shown(undated, found)}): they are "
            "taken to hold at any time; state the day as valid_from, or say with --mapping which field holds "
            "it (document: {valid_from: FIELD})",
            undated[-1],
        )
    if chosen.name is not None and kind_of_day(chosen.name) in (
        DayKind.UNKNOWN,
        DayKind.PUBLISHED,
        DayKind.FILE,
    ):
        note(
            f"the versions are distinguished by {chosen.name!r}, the only day that differs; if it is not the "
            "day of effect, say with --mapping which field is (document: {valid_from: FIELD})",
            members[0],
        )
    if len(dated) < 2:
        return
    starts = sorted({day for day, _, _ in dated})
    following = dict(pairwise(starts))
    for day, copies in sorted(Counter(day for day, _, _ in dated).items()):
        if copies > 1:
            same = [number for own, _, number in dated if own == day]
            note(
                f"{copies} files of one version, {day} ({_shown(same, found)}): all are kept; remove one",
                same[-1],
            )
    ends = {found.documents[number].valid_to for _, _, number in dated}
    # An end that all versions state is the end of the act.
    of_act = len(ends) == 1 and max(end or date.min for end in ends) >= starts[-1]
    for day, _, number in dated:
        own = partial(note, number=number)
        document = found.documents[number]
        if of_act and day in following:
            document = replace(document, valid_to=None)
        held = _held(document, name, day, following.get(day), own)
        found.documents[number] = _placed(held, starts.index(day) + 1, len(starts))
        found.changed.add(number)


def _editions(found: Families) -> None:
    """Number the editions of each standard; editions share number and publisher and differ in year."""
    years: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for number, document in enumerate(found.documents):
        if document.type == STANDARD and document.number and document.year:
            years[document.language, document.number][number] = document.year
    for members in years.values():
        order = sorted(set(members.values()))
        for number, year in members.items() if len(order) > 1 else ():
            place = order.index(year)
            document = _placed(found.documents[number], place + 1, len(order))
            earlier = [found.documents[one].id for one, own in members.items() if own == order[place - 1]]
            if place and "supersedes" not in document.metadata:
                document = replace(document, metadata={**document.metadata, "supersedes": earlier})
            found.documents[number] = document
            found.changed.add(number)


def _placed(document: Document, place: int, count: int) -> Document:
    return replace(document, metadata={**document.metadata, EDITION: f"{place} of {count}"})


def _held(
    document: Document, name: str, day: date, following: date | None, note: Callable[[str], None]
) -> Document:
    """Return the version in force from its day to the day before the next one, or to its stated end if
    earlier."""
    last = following - _ONE_DAY if following is not None else None
    stated = document.valid_to
    if stated is not None and stated < day:
        note(f"{document.id}: its end, {stated}, is before its first day, {day}: the end is left aside")
        stated = None
    if last is not None and stated is not None and stated.year < _NEVER:
        assert following is not None
        if stated < last:
            note(
                f"no version from {stated + _ONE_DAY} to {last}: {document.id} ends on {stated}, the next "
                f"one begins on {following}; add the version that is missing"
            )
        elif stated > following:
            # An end on the first day of the next version is exclusive.
            note(
                f"overlapping: {document.id} ends by its own data on {stated}, after the next one begins on "
                f"{following}: it is ended on {last}"
            )
    end = min((one for one in (last, stated) if one is not None), default=None)
    metadata = {**document.metadata, FAMILY: name}
    if document.version and document.version != day.isoformat():
        metadata.setdefault("version", document.version)
    if end is None and (document.status or "").casefold() in OUT_OF_FORCE:
        note(
            f"{document.id} is marked {document.status!r} without a last day: it is found on no day; state "
            "the day as valid_to"
        )
    return replace(document, version=day.isoformat(), valid_from=day, valid_to=end, metadata=metadata)


def _shown(numbers: Sequence[int], found: Families) -> str:
    names = [found.documents[number].id for number in numbers]
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return ", ".join(names[:MOST_SHOWN]) + more


class _DisjointSets:
    """Disjoint sets of numbers (union-find)."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def root(self, number: int) -> int:
        while self._parent[number] != number:
            self._parent[number] = self._parent[self._parent[number]]
            number = self._parent[number]
        return number

    def join(self, one: int, other: int) -> None:
        first, second = sorted((self.root(one), self.root(other)))
        self._parent[second] = first

    def groups(self) -> list[list[int]]:
        """Return the sets with more than one member, ordered by their first members."""
        found: dict[int, list[int]] = defaultdict(list)
        for number in range(len(self._parent)):
            found[self.root(number)].append(number)
        return [members for members in found.values() if len(members) > 1]


# Content of documents for comparison

# Shorter texts ("(repealed)") occur in many documents.
_TELLING = 30
# Documents that are compared are usually close to each other: cache sizes.
_BLOCKS_AT_HAND, _DOCUMENTS_AT_HAND = 8, 16


def make_content_reader(view: CorpusView) -> Callable[[int], Content]:
    """Return a function that returns the content of a document by its number.

    Only named provisions count ("Article 5", "§ 5"): any document may have a 1.1.
    """

    @lru_cache(_BLOCKS_AT_HAND)
    def columns(number: int) -> tuple[list[str], list[str], list[str], list[int]]:
        block = view.blocks[number]
        texts, labels = block.strings("passages.text").all(), block.strings("passages.label").all()
        numbers = block.strings("passages.number").all()
        return list(texts), list(labels), list(numbers), block["passages.kind"].tolist()

    @lru_cache(_DOCUMENTS_AT_HAND)
    def content(number: int) -> Content:
        first, stop = int(view.document_rows[number]), int(view.document_rows[number + 1])
        if first == stop:
            return Content(frozenset(), frozenset())
        block = view.block_of(first)
        texts, labels, numbers, kinds = columns(block)
        rows = range(first - int(view.first_row[block]), stop - int(view.first_row[block]))
        return Content(
            frozenset(
                number_key(numbers[row])
                for row in rows
                if numbers[row] and SECTION_KINDS[kinds[row]] in PROVISIONS and not labels[row][:1].isdigit()
            ),
            frozenset(" ".join(texts[row].split()) for row in rows if len(texts[row]) >= _TELLING),
        )

    return content
