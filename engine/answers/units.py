"""Split passages into units that can be read alone: sentences, lists with their heads, rows of tables.

Sources print lists in many ways: after a colon or within a sentence ("... verjähren 1. in 30 Jahren,
2. ..."), with lines broken by hand, with nested items.
"""

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

# A list head that does not end with a colon has at least this many words; shorter lines are headings.
SHORTEST_HEAD = 4
_WORD = re.compile(r"[^\W_]+")
# A paragraph number at the beginning is dropped; the citation has it.
_PARAGRAPH = re.compile(r"\(\d{1,3}[a-z]?\)\s+|\d{1,3}\.\s+(?=[^\W\d_])")
_LABEL = re.compile(r"\s*(?:(?P<open>\()?(?P<label>\w{1,5})(?P<close>[.)])|(?P<mark>[-–—•▪·]))(?=\s)")
_NUMBER_ALONE = re.compile(r"\s*\(?\w{1,5}[.)]\s*\Z")
_ROMAN = re.compile(r"[ivx]{2,}", re.IGNORECASE)
_LINE = re.compile(r"[^\S\n]*(?:\n[^\S\n]*)+")
_LISTS = (":", ":-", ":–", "—", "：")
_STOPS = ".!?。！？؟۔"
# Ends of lines after which the next line begins a new sentence or item.
_PAUSES = (*_STOPS, *_LISTS, ";", "；", "؛")
_CLOSING = "\"'”’»)] "


@dataclass(frozen=True, slots=True)
class ListedSentence:
    """A sentence and the items of the list that it heads, each span with all nested items.

    ``goes_on``: the sentence continues after the last item ("Where (a) or (b), it must ...")."""

    span: Span
    items: tuple[Span, ...] = ()
    goes_on: bool = False


def is_head(text: str) -> bool:
    """True if a line announces items."""
    return text.rstrip().endswith(_LISTS)


def is_item(text: str) -> bool:
    """True if a line is an item of a list or continues the line before."""
    first = text.lstrip("\"'“„«(")[:1]
    return _LABEL.match(text) is not None or first.islower()


def split_lists(passage: Passage) -> list[ListedSentence]:
    """Return the sentences of a passage in order, without the overlap with the passage before."""
    text = passage.text
    pieces = list(_pieces(passage))
    found: list[ListedSentence] = []
    index = 0
    while index < len(pieces):
        head = pieces[index]
        groups = _items(text, pieces[index + 1 :]) if _announces(text, head, pieces[index + 1 :]) else []
        end = index + 1 + sum(len(group) for group in groups)
        items = tuple(Span(group[0].start, group[-1].end) for group in groups)
        whole = _without_number(text, head)
        if whole.start < whole.end:
            last = groups[-1][-1] if groups and len(groups[-1]) > 1 else None
            goes_on = last is not None and not _style(text, last) and text[last.start].islower()
            found.append(ListedSentence(whole, items, goes_on))
        index = end
    return found


def _pieces(passage: Passage) -> Iterator[Span]:
    """Yield sentences without surrounding blanks; each line of a list by itself."""
    text, language = passage.text, passage.language
    starts = {start for start in sentence_starts(text, language) if start >= passage.overlap}
    starts.add(passage.overlap)
    for match in _LINE.finditer(text, passage.overlap):
        if _begins(text, match):
            starts.add(match.end())
    ordered = sorted(starts)
    begin = ordered[0]
    for _, end in pairwise([*ordered, len(text)]):
        part = text[begin:end]
        if not part.strip():
            begin = end
            continue
        if end < len(text) and _NUMBER_ALONE.fullmatch(part):
            continue
        yield Span(begin + len(part) - len(part.lstrip()), begin + len(part.rstrip()))
        begin = end


def _begins(text: str, gap: re.Match[str]) -> bool:
    """True if a line begins a sentence or item and does not continue the line before."""
    rest = text[gap.end() :]
    if not rest or _LABEL.match(rest):
        return True
    if gap[0].count("\n") > 1:
        return not rest[:1].islower() or text[: gap.start()].rstrip().endswith(_PAUSES)
    indented = len(gap[0]) - gap[0].rfind("\n") - 1 >= 2
    return not indented and (not rest[:1].islower() or text[: gap.start()].endswith(_PAUSES))


def _announces(text: str, head: Span, after: Sequence[Span]) -> bool:
    """True if the pieces after a sentence are items of its list."""
    if not after:
        return False
    sentence, first = text[head.start : head.end], text[after[0].start : after[0].end]
    if is_head(sentence):
        return is_item(first)
    label = _LABEL.match(first)
    if label is None or sentence.rstrip(_CLOSING).endswith((*_STOPS, ";", "；")):
        return False
    goes_on = first[label.end() :].lstrip()[:1].islower() or sentence.rstrip().endswith(",")
    return goes_on and len(_WORD.findall(sentence)) >= SHORTEST_HEAD


def _items(text: str, pieces: Sequence[Span]) -> list[list[Span]]:
    """Group the items at the beginning of some pieces, each with its nested pieces."""
    style = _style(text, pieces[0])
    groups: list[list[Span]] = []
    for piece in pieces:
        own = _style(text, piece)
        line = text[piece.start : piece.end]
        if not groups or (own == style and (style or line[:1].islower())):
            groups.append([piece])
            continue
        ended = text[groups[-1][-1].start : groups[-1][-1].end].rstrip(_CLOSING).endswith(tuple(_STOPS))
        if ended or not (own or line[:1].islower()):
            break
        groups[-1].append(piece)
    return groups


def _style(text: str, piece: Span) -> str:
    """Return the label style of an item; items of one list share it, nested items have another."""
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


# A unit is one or more pieces in reading order, each a span of a passage. A sentence that begins with a word
# that points back includes the sentence before. A list head includes its items, a long list those that serve
# the question. An item includes its head, even from the passage before; a table row its column names.

# Words of a unit; a longer list is cut to its head and some items, a longer sentence is kept.
LONGEST_UNIT = 45
# A line of fewer words is a heading with a full stop.
SHORTEST_UNIT = 4
# Passages searched back for the head of an item, and ahead for the items of a head.
REACH = 12
# Items kept of a long list.
MOST_ITEMS = 2
Worth = Callable[[str], float]

_ENDS = frozenset(".!?。！？؟۔;；")
# Characters that Markdown prints at both ends of a row.
_BORDER = "| \t\n"


@dataclass(frozen=True, slots=True)
class Piece:
    """A span of a passage, with the passage's row."""

    row: int
    passage: Passage
    span: Span

    @property
    def text(self) -> str:
        """The words as the source prints them."""
        return self.passage.text[self.span.start : self.span.end]


@dataclass(frozen=True, slots=True)
class Unit:
    """Pieces that are read together. ``main`` is the row of the passage that the unit belongs to.

    ``in_table``: the first piece has the column names, if any; the others are rows of a table.
    """

    pieces: tuple[Piece, ...]
    main: int
    in_table: bool = False

    @property
    def text(self) -> str:
        """The words in one line, with an ellipsis between pieces that are not adjacent."""
        text = ""
        if self.in_table:
            lines = [" ".join(piece.text.split()) for piece in self.pieces]
            return f"{lines[0]}: {'; '.join(lines[1:])}" if len(lines) > 1 else lines[0]
        for before, piece in zip((None, *self.pieces), self.pieces, strict=False):
            words = " ".join(piece.text.split())
            if before is None:
                text = words
            else:
                text += (" " if _adjacent(before, piece) else " … ") + words
        return text

    @property
    def words(self) -> int:
        """Number of words; in scripts without blanks two letters count as one."""
        return word_count(self.text)


def word_count(text: str) -> int:
    """Count the words of a text; estimate those of scripts without blanks."""
    return sum(
        1 if word.isascii() or not _has_unspaced(word) else max(1, len(word) // 2)
        for word in _WORD.findall(text)
    )


def _has_unspaced(word: str) -> bool:
    return any("\u0e00" <= letter <= "\u0e7f" or "\u3040" <= letter <= "\u9fff" for letter in word)


def make_units(
    rows: Iterable[int], corpus: Corpus, reading: Reading, worth: Worth, *, by_row: bool = True
) -> Iterator[Unit]:
    """Yield the units of passages. ``worth`` scores how well a list item serves the question.

    ``by_row``: each table row is a unit; otherwise all rows of a table form one."""
    for row in rows:
        [passage] = reading.passages(np.array([row], np.int32))
        if is_bare_heading(passage.text):
            continue
        before: Piece | None = None
        tables = list(_tables(row, passage))
        for lines in tables:
            # A first line with figures is a row, not column names.
            names = lines[: not re.search(r"\|.*\d", lines[0].text)]
            body = lines[len(names) :]
            groups = [[sentence] for sentence in body] if by_row else [body]
            yield from (Unit((*names, *group), row, in_table=True) for group in groups)
        for sentence in split_lists(passage):
            if any(lines[0].span.start <= sentence.span.start < lines[-1].span.end for lines in tables):
                continue
            piece = Piece(row, passage, sentence.span)
            items = [Piece(row, passage, span) for span in sentence.items]
            if items:
                yield from _lists(piece, items, worth, sentence.goes_on)
            elif not _is_heading(piece.text) and not _is_title(piece):
                unit = _complete(piece, before, corpus, reading, worth)
                if unit is not None:
                    yield unit
            before = items[-1] if items else piece


def _tables(row: int, passage: Passage) -> Iterator[list[Piece]]:
    """Yield the tables of a passage as lists of lines: column names, then at least one row."""
    lines: list[Piece] = []
    for line in re.finditer(r"[^\n]*\n", passage.text + "\n\n"):
        row_text = line[0].rstrip(_BORDER)
        if " | " in row_text:
            begin = line.start() + len(row_text) - len(row_text.lstrip(_BORDER))
            lines.append(Piece(row, passage, Span(begin, line.start() + len(row_text))))
        elif row_text.strip("|-: ") or not line[0].strip():
            # A line that is neither a row nor the rule below the column names ends a table.
            if len(lines) > 1:
                yield lines
            lines = []


def _lists(head: Piece, items: Sequence[Piece], worth: Worth, whole: bool) -> Iterator[Unit]:
    """Yield a list as one unit if it is short or a ``whole`` sentence; else its head with the best item, with
    the best items, and with all items."""
    budget = LONGEST_UNIT - word_count(head.text)
    if whole or sum(word_count(item.text) for item in items) <= budget:
        yield Unit((head, *items), head.row)
        return
    ranked = sorted(range(len(items)), key=lambda index: (-worth(items[index].text), index))
    for most in range(1, MOST_ITEMS + 1):
        chosen = sorted(ranked[:most])
        yield Unit((head, *(items[index] for index in chosen)), head.row)
    yield Unit((head, *items), head.row)


def _complete(
    piece: Piece, before: Piece | None, corpus: Corpus, reading: Reading, worth: Worth
) -> Unit | None:
    """Return a sentence with the context it needs; None for an item or head that has none."""
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
    """True if a line is too short for a sentence and has no end mark."""
    bare = text.rstrip(_CLOSING)
    return not bare or (bare[-1] not in _ENDS and not is_head(text) and word_count(text) < 6)


def _is_title(piece: Piece) -> bool:
    """True if a passage begins with a short sentence of capitalised words, a title with a full stop."""
    words = [word for word in _WORD.findall(piece.text) if len(word) > 3]
    rest = piece.passage.text[piece.span.end :].strip()
    begins = not piece.passage.text[: piece.span.start].strip()
    return begins and bool(rest) and 1 < len(words) <= 8 and all(word[0].isupper() for word in words)


def is_whole(unit: Unit) -> bool:
    """True if a unit is a full sentence or a head with items, not a broken or continued line."""
    text = unit.text.rstrip(_CLOSING)
    first = next((letter for letter in text if letter.isalpha()), "")
    if len(unit.pieces) > 1:
        return True
    return text[-1:] in _ENDS - {";", "；"} and not first.islower() and unit.words >= SHORTEST_UNIT


def _points_back(piece: Piece) -> bool:
    pattern = law(piece.passage.language).points_back
    return bool(pattern) and re.match(pattern, piece.text, re.IGNORECASE) is not None


def _best(items: Sequence[Piece], worth: Worth, budget: int) -> list[Piece]:
    """Return all items within ``budget`` words, else the best ones, in reading order."""
    if sum(word_count(item.text) for item in items) <= budget:
        return list(items)
    best = sorted(range(len(items)), key=lambda index: (-worth(items[index].text), index))[:MOST_ITEMS]
    return [items[index] for index in sorted(best)]


def _items_after(head: Piece, corpus: Corpus, reading: Reading) -> list[Piece]:
    """Return the passages after a head at the end of its passage that are its items."""
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
    """Find the head of an item's list at the end of an earlier passage of the section."""
    if split_lists(item.passage)[0].span != item.span:
        return None
    for row, passage in _near(item, -1, corpus, reading):
        sentences = split_lists(passage)
        last = Piece(row, passage, sentences[-1].span if sentences else Span(0, 0))
        if is_head(last.text) and not sentences[-1].items:
            return last
        if not is_item(passage.text):
            return None
    return None


def _near(piece: Piece, step: int, corpus: Corpus, reading: Reading) -> Iterator[tuple[int, Passage]]:
    """Yield the neighbouring passages of the same section, forwards or backwards."""
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
    """True if only blanks separate two pieces."""
    if before.passage.id == after.passage.id:
        return not before.passage.text[before.span.end : after.span.start].strip()
    ends = not before.passage.text[before.span.end :].strip()
    return before.row + 1 == after.row and ends and not after.passage.text[: after.span.start].strip()
