"""What can be read alone: sentences, and items of lists with the head of their list."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.corpus.contents import is_bare_heading
from engine.corpus.protocol import Corpus
from engine.ingestion.structure.segmentation import sentence_starts
from engine.investigation.pool import Reading
from engine.languages import law
from engine.model import Passage, Span

# The sentences of a passage and the lists in them: a head with its items, each with what is
# nested in it.
#
# Sources print lists in many ways: behind a colon or in the middle of a sentence ("... verjähren
# 1. in 30 Jahren, 2. ..."), with lines that were broken by hand, with items inside of items.

# A head that no colon ends has so many words at least: a heading is no head.
SHORTEST_HEAD = 4
_WORD = re.compile(r"[^\W_]+")
# The number of a paragraph at its beginning says where it stands, which the citation says too.
_PARAGRAPH = re.compile(r"\(\d{1,3}[a-z]?\)\s+|\d{1,3}\.\s+(?=[^\W\d_])")
_LABEL = re.compile(r"\s*(?:(?P<open>\()?(?P<label>\w{1,5})(?P<close>[.)])|(?P<mark>[-–—•▪·]))(?=\s)")
_NUMBER_ALONE = re.compile(r"\s*\(?\w{1,5}[.)]\s*\Z")
_ROMAN = re.compile(r"[ivx]{2,}", re.IGNORECASE)
_LINE = re.compile(r"[^\S\n]*(?:\n[^\S\n]*)+")
_LISTS = (":", ":-", ":–", "—", "：")
_STOPS = ".!?。！？؟۔"
# What a line ends with that ends its thought too, so that the next one begins another.
_PAUSES = (*_STOPS, *_LISTS, ";", "；", "؛")
_CLOSING = "\"'”’»)] "


@dataclass(frozen=True, slots=True)
class Listed:
    """A sentence; where it is the head of a list, with the items of its own passage, each a span with all
    that is nested in it. ``goes_on``: it goes on behind the last one ("Where (a) or (b), it must ...")."""

    span: Span
    items: tuple[Span, ...] = ()
    goes_on: bool = False


def is_head(text: str) -> bool:
    """Whether a line announces items."""
    return text.rstrip().endswith(_LISTS)


def is_item(text: str) -> bool:
    """Whether a line is an item of a list, or goes on with what stands before it."""
    first = text.lstrip("\"'“„«(")[:1]
    return _LABEL.match(text) is not None or first.islower()


def listed(passage: Passage) -> list[Listed]:
    """The sentences of a passage in their order, what it repeats of the one before left out."""
    text = passage.text
    pieces = list(_pieces(passage))
    found: list[Listed] = []
    place = 0
    while place < len(pieces):
        head = pieces[place]
        after = _items(text, pieces[place + 1 :]) if _announces(text, head, pieces[place + 1 :]) else []
        behind = place + 1 + sum(len(group) for group in after)
        items = tuple(Span(group[0].start, group[-1].end) for group in after)
        whole = _without_number(text, head)
        if whole.start < whole.end:
            last = after[-1][-1] if after and len(after[-1]) > 1 else None
            goes_on = last is not None and not _style(text, last) and text[last.start].islower()
            found.append(Listed(whole, items, goes_on))
        place = behind
    return found


def _pieces(passage: Passage) -> Iterator[Span]:
    """Sentences without blanks around them; the lines of a list each by itself."""
    text, language = passage.text, passage.language
    starts = {start for start in sentence_starts(text, language) if start >= passage.overlap}
    starts.add(passage.overlap)
    for match in _LINE.finditer(text, passage.overlap):
        if _begins(text, match):
            starts.add(match.end())
    ordered = sorted(starts)
    begin = ordered[0]
    for _, end in pairwise([*ordered, len(text)]):
        said = text[begin:end]
        if not said.strip():
            begin = end
            continue
        if end < len(text) and _NUMBER_ALONE.fullmatch(said):
            continue
        yield Span(begin + len(said) - len(said.lstrip()), begin + len(said.rstrip()))
        begin = end


def _begins(text: str, gap: re.Match[str]) -> bool:
    """Whether a line begins something, and does not go on with the one before it."""
    rest = text[gap.end() :]
    if not rest or _LABEL.match(rest):
        return True
    if gap[0].count("\n") > 1:
        return not rest[:1].islower() or text[: gap.start()].rstrip().endswith(_PAUSES)
    indented = len(gap[0]) - gap[0].rfind("\n") - 1 >= 2
    return not indented and (not rest[:1].islower() or text[: gap.start()].endswith(_PAUSES))


def _announces(text: str, head: Span, behind: Sequence[Span]) -> bool:
    """Whether items stand behind a sentence that are its own."""
    if not behind:
        return False
    said, first = text[head.start : head.end], text[behind[0].start : behind[0].end]
    if is_head(said):
        return is_item(first)
    label = _LABEL.match(first)
    if label is None or said.rstrip(_CLOSING).endswith((*_STOPS, ";", "；")):
        return False
    goes_on = first[label.end() :].lstrip()[:1].islower() or said.rstrip().endswith(",")
    return goes_on and len(_WORD.findall(said)) >= SHORTEST_HEAD


def _items(text: str, pieces: Sequence[Span]) -> list[list[Span]]:
    """The items at the beginning of some pieces, each with what is nested in it."""
    style = _style(text, pieces[0])
    groups: list[list[Span]] = []
    for piece in pieces:
        own = _style(text, piece)
        said = text[piece.start : piece.end]
        if not groups or (own == style and (style or said[:1].islower())):
            groups.append([piece])
            continue
        ended = text[groups[-1][-1].start : groups[-1][-1].end].rstrip(_CLOSING).endswith(tuple(_STOPS))
        if ended or not (own or said[:1].islower()):
            break
        groups[-1].append(piece)
    return groups


def _style(text: str, piece: Span) -> str:
    """How an item is labelled, so that those of one list are told from those inside of them."""
    match = _LABEL.match(text, piece.start, piece.end + 1)
    if match is None:
        return ""
    if match["mark"]:
        return match["mark"]
    label = match["label"]
    kind = "1" if label[:1].isdigit() else "i" if _ROMAN.fullmatch(label) or label in "iI" else "a"
    kind = kind * min(2, len(label)) if kind == "a" else kind
    return f"{match['open'] or ''}{kind}{match['close']}"


def _without_number(text: str, span: Span) -> Span:
    number = _PARAGRAPH.match(text, span.start, span.end)
    return Span(number.end() if number else span.start, span.end)


# What can be read alone: sentences of passages, with the head of a list before its items and what
# a pronoun means before it.
#
# A unit is one or more pieces, each a span of a passage, in reading order. A sentence takes along
# the one before where it begins with a word that points back; the head of a list takes its items
# along, a long list the items that serve the question; an item takes its head along, even out of
# the passage before. A row of a table takes the names of its columns along.

# Words of a unit; a longer list is cut to its head and some items, a longer sentence stays.
LONGEST_UNIT = 45
# A line of fewer words is a heading with a full stop.
SHORTEST_UNIT = 4
# Passages looked back for the head of an item, and ahead for the items of a head.
REACH = 12
# Items of a long list that are kept.
MOST_ITEMS = 2
Worth = Callable[[str], float]

_ENDS = frozenset(".!?。！？؟۔;；")
# What Markdown draws at both ends of a row.
_BORDER = "| \t\n"


@dataclass(frozen=True, slots=True)
class Piece:
    """A span of a passage, and the row of the passage."""

    row: int
    passage: Passage
    span: Span

    @property
    def text(self) -> str:
        """Its words as the source prints them."""
        return self.passage.text[self.span.start : self.span.end]


@dataclass(frozen=True, slots=True)
class Unit:
    """Pieces that are read together. ``main`` is the row of the passage that the unit is of.

    ``in_table``: the first piece has the names of the columns, if any, the others are rows of a table.
    """

    pieces: tuple[Piece, ...]
    main: int
    in_table: bool = False

    @property
    def text(self) -> str:
        """The words in one line, with an ellipsis where something stands between two pieces."""
        told = ""
        if self.in_table:
            lines = [" ".join(piece.text.split()) for piece in self.pieces]
            return f"{lines[0]}: {'; '.join(lines[1:])}" if len(lines) > 1 else lines[0]
        for before, piece in zip((None, *self.pieces), self.pieces, strict=False):
            words = " ".join(piece.text.split())
            if before is None:
                told = words
            else:
                told += (" " if _adjacent(before, piece) else " … ") + words
        return told

    @property
    def words(self) -> int:
        """How many words it has; of a script without blanks two letters are one."""
        return word_count(self.text)


def word_count(text: str) -> int:
    """Words of a text, those of scripts without blanks estimated."""
    return sum(
        1 if word.isascii() or not _has_unspaced(word) else max(1, len(word) // 2)
        for word in _WORD.findall(text)
    )


def _has_unspaced(word: str) -> bool:
    return any("\u0e00" <= letter <= "\u0e7f" or "\u3040" <= letter <= "\u9fff" for letter in word)


def units_of(
    rows: Iterable[int], corpus: Corpus, reading: Reading, worth: Worth, *, by_row: bool = True
) -> Iterator[Unit]:
    """The units of passages. ``worth`` says how well an item of a list serves the question. Each row of a
    table is a unit (``by_row``), or all its rows are one."""
    for row in rows:
        [passage] = reading.passages(np.array([row], np.int32))
        if is_bare_heading(passage.text):
            continue
        before: Piece | None = None
        tables = list(_tables(row, passage))
        for lines in tables:
            # Figures are no names of columns.
            names = lines[: not re.search(r"\|.*\d", lines[0].text)]
            body = lines[len(names) :]
            groups = [[one] for one in body] if by_row else [body]
            yield from (Unit((*names, *group), row, in_table=True) for group in groups)
        for one in listed(passage):
            if any(lines[0].span.start <= one.span.start < lines[-1].span.end for lines in tables):
                continue
            piece = Piece(row, passage, one.span)
            items = [Piece(row, passage, span) for span in one.items]
            if items:
                yield from _lists(piece, items, worth, one.goes_on)
            elif not _is_heading(piece.text):
                unit = _whole(piece, before, corpus, reading, worth)
                if unit is not None:
                    yield unit
            before = items[-1] if items else piece


def _tables(row: int, passage: Passage) -> Iterator[list[Piece]]:
    """The tables of a passage, each as its lines: the names of the columns, then at least one row."""
    lines: list[Piece] = []
    for line in re.finditer(r"[^\n]*\n", passage.text + "\n\n"):
        said = line[0].rstrip(_BORDER)
        if " | " in said:
            begin = line.start() + len(said) - len(said.lstrip(_BORDER))
            lines.append(Piece(row, passage, Span(begin, line.start() + len(said))))
        elif said.strip("|-: ") or not line[0].strip():
            # What is neither a row nor the rule below the names of the columns ends a table.
            if len(lines) > 1:
                yield lines
            lines = []


def _lists(head: Piece, items: Sequence[Piece], worth: Worth, whole: bool) -> Iterator[Unit]:
    """A list as a whole where it is short or a ``whole`` sentence, else its head with the items that serve
    the question best, and with the first of them alone."""
    room = LONGEST_UNIT - word_count(head.text)
    if whole or sum(word_count(item.text) for item in items) <= room:
        yield Unit((head, *items), head.row)
        return
    ranked = sorted(range(len(items)), key=lambda place: (-worth(items[place].text), place))
    for most in range(1, MOST_ITEMS + 1):
        kept = sorted(ranked[:most])
        yield Unit((head, *(items[place] for place in kept)), head.row)
    yield Unit((head, *items), head.row)


def _whole(piece: Piece, before: Piece | None, corpus: Corpus, reading: Reading, worth: Worth) -> Unit | None:
    """A sentence with what it needs to be understood; None for an item or a head that stays alone."""
    pieces = [piece]
    if is_head(piece.text):
        items = _items_after(piece, corpus, reading)
        if not items:
            return None
        pieces = [*pieces, *_best(items, worth, LONGEST_UNIT - word_count(piece.text))]
    elif is_item(piece.text):
        head = _head_before(piece, corpus, reading)
        if head is None:
            return None
        pieces = [head, *pieces]
    elif before is not None and _points_back(piece):
        if before.text[-1:] not in _ENDS:
            return None
        pieces = [before, *pieces]
    return Unit(tuple(pieces), piece.row)


def _is_heading(text: str) -> bool:
    """Whether a line is no sentence: short, and without an end."""
    bare = text.rstrip(_CLOSING)
    return not bare or (bare[-1] not in _ENDS and not is_head(text) and word_count(text) < 6)


def is_whole(unit: Unit) -> bool:
    """Whether a unit is a sentence, or a head with items; a line that breaks off, or only goes on, is
    none."""
    said = unit.text.rstrip(_CLOSING)
    first = next((letter for letter in said if letter.isalpha()), "")
    if len(unit.pieces) > 1:
        return True
    return said[-1:] in _ENDS - {";", "；"} and not first.islower() and unit.words >= SHORTEST_UNIT


def _points_back(piece: Piece) -> bool:
    pattern = law(piece.passage.language).points_back
    return bool(pattern) and re.match(pattern, piece.text, re.IGNORECASE) is not None


def _best(items: Sequence[Piece], worth: Worth, room: int) -> list[Piece]:
    """All items where there is room for them, else those that serve the question best; in their order."""
    if sum(word_count(item.text) for item in items) <= room:
        return list(items)
    best = sorted(range(len(items)), key=lambda place: (-worth(items[place].text), place))[:MOST_ITEMS]
    return [items[place] for place in sorted(best)]


def _items_after(head: Piece, corpus: Corpus, reading: Reading) -> list[Piece]:
    """The items of a head at the end of its passage: the passages after it that are items."""
    items: list[Piece] = []
    if head.passage.text[head.span.end :].strip():
        return items
    for row, passage in _near(head, 1, corpus, reading):
        whole = Piece(row, passage, _stripped(passage))
        if not is_item(whole.text):
            break
        items.append(whole)
    return items


def _head_before(item: Piece, corpus: Corpus, reading: Reading) -> Piece | None:
    """The head of a list to which an item belongs, at the end of a passage in front of it in its section."""
    if listed(item.passage)[0].span != item.span:
        return None
    for row, passage in _near(item, -1, corpus, reading):
        sentences = listed(passage)
        last = Piece(row, passage, sentences[-1].span if sentences else Span(0, 0))
        if is_head(last.text) and not sentences[-1].items:
            return last
        if not is_item(passage.text):
            return None
    return None


def _near(piece: Piece, step: int, corpus: Corpus, reading: Reading) -> Iterator[tuple[int, Passage]]:
    """Passages of the same section one after the other, forwards or backwards."""
    rows = piece.row + step * np.arange(1, REACH + 1, dtype=np.int32)
    rows = rows[(rows >= 0) & (rows < len(corpus))].astype(np.int32)
    own = np.array([piece.row], np.int32)
    section = int(corpus.section_numbers(own)[0])
    same = corpus.section_numbers(rows) == section
    same &= corpus.document_numbers(rows) == int(corpus.document_numbers(own)[0])
    stop = int(np.argmin(same)) if not same.all() else len(rows)
    if section < 0:
        return
    yield from zip(rows[:stop].tolist(), reading.passages(rows[:stop]), strict=True)


def _stripped(passage: Passage) -> Span:
    text = passage.text
    start = len(text) - len(text.lstrip())
    return Span(start, max(start, len(text.rstrip())))


def _adjacent(before: Piece, after: Piece) -> bool:
    """Whether nothing but blanks stands between two pieces."""
    if before.passage.id == after.passage.id:
        return not before.passage.text[before.span.end : after.span.start].strip()
    ends = not before.passage.text[before.span.end :].strip()
    return before.row + 1 == after.row and ends and not after.passage.text[: after.span.start].strip()
