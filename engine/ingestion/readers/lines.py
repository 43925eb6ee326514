"""Find headings in lines of plain text, remove running heads, and build sections by dotted numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from engine.corpus.contents import is_bare_heading
from engine.ingestion.structure.assembly import Block, HeadingBlock, TextBlock
from engine.ingestion.structure.headings import EXPLAINS, EXPLANATION, Heading, parse_heading, slug_of
from engine.ingestion.structure.numbers import is_title
from engine.ingestion.structure.outline import Node
from engine.language.addresses import ATTACHED, CONTAINERS, PROVISIONS, WORDS, parse_label
from engine.language.characters import visible
from engine.model import SectionKind

# Legal headings in text without markup: "Pasal 14" on its own line, "第十四条" before its text

# Depths of levels that only their word gives; dotted numbers go below by their dots.
_DEPTHS = {
    SectionKind.PREAMBLE: 1,
    SectionKind.ANNEX: 1,
    SectionKind.SCHEDULE: 1,
    SectionKind.BOOK: 1,
    SectionKind.PART: 2,
    SectionKind.TITLE: 3,
    SectionKind.CHAPTER: 4,
    SectionKind.SECTION: 5,
    SectionKind.SUBSECTION: 6,
    SectionKind.ARTICLE: 7,
    SectionKind.RULE: 7,
    SectionKind.GUIDANCE: 7,
}
# Words with another level than their kind in a country's law: "Bagian" is part of a "BAB".
_WORD_DEPTHS = {"bagian": 5, "الباب": 3}
# The last word of a line that lacks its number, and the number at the start of the next line.
_AWAITS_NUMBER = re.compile(
    r"\b(?:angka|huruf|ayat|pasal|butir|nomor|article|section|paragraph|rule|absatz|abs\.|nummer|nr\.|artikel"
    r"|المادة|الفقرة)\s*\Z",
    re.IGNORECASE,
)
_LOST_NUMBER = re.compile(r"\s*(\(?\d{1,3}[a-z]?[.)]{1,2})\s+(?=\S)")
_HAN_ARTICLE = re.compile(
    r"(第[〇零一二两三四五六七八九十百千\d.]+[编編章节節条條](?:[之の][一二三四五六七八九十]+)?)[\s\u3000]+(\S.*)?\Z",
    re.DOTALL,
)
# "제1조(목적) 이 법은 ...": a title in brackets between number and text.
_HANGUL_ARTICLE = re.compile(
    r"(제\s?\d+\s?[편장절조](?:의\s?\d+)?(?:\s?\([^()]{1,60}\))?)\s*(\S.*)?\Z", re.DOTALL
)
_TABBED = re.compile(
    r"([A-Z]{0,4} ?\d[\w.()]*(?:Guidance[\w.]*)?|(?:Part|Schedule|Chapter|APP) ?\w+[\w.() ]*)\t(.*)\Z",
    re.DOTALL,
)
_ATTACHED = [word for word, kind in WORDS.items() if kind in ATTACHED]
_WORDED_LINE = re.compile(
    r"(?:Article|Section|Rule|Clause|Chapter|Part|Title|Artikel|Abschnitt|Kapitel|Teil"
    r"|Klausel|Cláusula|CLÁUSULA|Clausola|Clausule|Klausul"
    r"|BAB|Pasal|Bagian|Paragraf|PASAL|PART|CHAPTER|ARTICLE|SECTION"
    r"|Art\.|ART\.|Sec\.|Artículo|ARTÍCULO|Articolo|ARTICOLO|Artigo|ARTIGO|Articolul|Artykuł|Članak|Článek"
    r"|Článok|Čl\.|Члан|Член|Чл\.|Статья|Стаття|Άρθρο|Madde|MADDE|Điều"
    r"|Livre|LIVRE|Titre|TITRE|Chapitre|CHAPITRE|Libro|LIBRO|Título|TÍTULO|Capítulo|CAPÍTULO|Titolo|TITOLO|Capo"
    r"|CAPO|Livro|LIVRO|Hoofdstuk|HOOFDSTUK|Titel|TITEL|Afdeling|KAPITEL|ABSCHNITT|TEIL|Rozdział|ROZDZIAŁ|Dział"
    r"|DZIAŁ|Глава|ГЛАВА|Раздел|РАЗДЕЛ|Κεφάλαιο|ΚΕΦΑΛΑΙΟ"
    rf"|{'|'.join(sorted({form for word in _ATTACHED for form in (word.capitalize(), word.upper())}))}"
    r"|المادة|الباب|الفصل|البند(?=\s*\(?\s*\d+\.\d)|§)\s*\S+.*\Z|附[件表录錄].*\Z"
    r"|\d+(?:\s?[a-z])?\.?\s(?:§|straipsnis|pants|člen|cikk)(?:\W.*)?\Z",
    re.DOTALL,
)
# "§ 5. This Act applies to ...", "Art. 12. The authority ...", "5 § Denna lag ...": a provision whose text
# follows its number. Only at the start of a paragraph.
_PROVISION_RUN_ON = re.compile(
    r"(?P<head>(?:§\s?\d+\s?[a-z]?|(?:[Aa]rt(?:icle|ikel|ículo|igo|icolo|icolul)?|ART|Sec(?:tion)?|Статья|Стаття|Член"
    r"|Члан|Чл|Čl|Άρθρο|Madde|Điều)\.?\s\d+(?:\s?[a-z](?=\.))?(?:[- ]?(?:bis|ter|quater))?)"
    r"\s?(?:\.[º°ª]?|[º°ª]\.?)\s?[-–—]?"
    r"|\d+(?:\s[a-z])?\s?§)\s+(?=[^\W\d_a-zà-öø-ÿ]|[(„“\"«¿])(?P<text>.{20,})\Z",
    re.DOTALL,
)
_ROMAN_CAPITALS = re.compile(r"([IVXLC]+)\.\s+([^a-z]{4,})\Z")
# "I. KETENTUAN UMUM Dalam Surat Edaran ini": a heading followed by its text.
_ROMAN_RUN_ON = re.compile(
    r"([IVXLC]{1,6}\.\s+(?:[A-Z][A-Z,/&-]+\s+){2,12})(?=[A-Z][a-z]+\s)(\S.*)\Z", re.DOTALL
)
# "-2BAB I": how programs write a page's number before the next page.
_PAGE_NUMBER = re.compile(r"[-–]\s?\d{1,4}\s?[-–]?\s*(?=[^\W\d])")
LONGEST_LINE = 160
MOST_WORDS = 10


def blocks_of(lines: Sequence[str], *, unwrap: bool, base: int = 0) -> Iterator[Block]:
    """Yield the blocks of a text: headings for lines that are one, otherwise paragraphs between empty lines.

    ``unwrap`` joins the lines of a paragraph that were broken for their length. ``base`` is added to the
    level of headings.
    """
    paragraph: list[str] = []
    # The title of a container's heading may be on the next lines: "BAB I", "UMUM".
    waiting: HeadingBlock | None = None
    ready = [*rejoin_numbers(lines), ""]
    for place, line in enumerate(ready):
        found = heading_line(line)
        if not paragraph and (found is None or _goes_on(found[0], ready[place + 1 : place + 2])):
            found = run_on(line) or found or _ended(line, ready[place + 1 : place + 2])
        if paragraph and (found is not None or not line.strip()):
            yield TextBlock(join_lines(paragraph, unwrap=unwrap))
            paragraph = []
        if waiting is not None and (line.strip() or waiting.heading.title):
            if found is None and _is_title(line, ready[place + 1 : place + 2], waiting.heading.title):
                waiting = _with_title(waiting, line)
                continue
            yield waiting
            waiting = None
        if found is None:
            paragraph.extend([line] if line.strip() else [])
            continue
        block, text = found
        block = replace(block, level=base + block.level)
        if block.heading.title or text or block.heading.kind not in CONTAINERS:
            yield block
            paragraph.extend([text] if text else [])
        else:
            waiting = block
    if waiting is not None:
        yield waiting


def rejoin_numbers(lines: Sequence[str]) -> list[str]:
    """Move each number to the line of its word: not "angka", then "7. V. PENAGIHAN"."""
    whole: list[str] = []
    for line in lines:
        number = _LOST_NUMBER.match(line) if whole and _AWAITS_NUMBER.search(whole[-1]) else None
        if number is not None:
            whole[-1] = f"{whole[-1].rstrip()} {number[1]}"
            line = line[number.end() :]
        whole.append(line)
    return whole


def heading_line(line: str) -> tuple[HeadingBlock, str] | None:
    """Return the heading that a line is or begins with, and the text after it on the line; or None."""
    bare = visible(line).strip(" \u3000\f")
    if not bare:
        return None
    if (page := _PAGE_NUMBER.match(bare)) and (found := heading_line(bare[page.end() :])) is not None:
        return found
    if han := _HAN_ARTICLE.match(bare):
        heading = parse_heading(han[1])
        rest = (han[2] or "").strip()
        if heading.kind is SectionKind.ARTICLE:
            return _headed(heading), rest
        return _headed(parse_heading(bare)), ""
    if hangul := _HANGUL_ARTICLE.match(bare):
        heading = parse_heading(hangul[1])
        if heading.kind is SectionKind.ARTICLE:
            return _headed(heading), (hangul[2] or "").strip()
        return _headed(parse_heading(bare)), ""
    if tabbed := _TABBED.match(bare):
        return _tabbed(tabbed[1].strip(), tabbed[2].strip())
    if roman := _ROMAN_RUN_ON.match(bare):
        return _headed(parse_heading(roman[1].strip())), roman[2]
    if len(bare) > LONGEST_LINE:
        return None
    if roman := _ROMAN_CAPITALS.match(bare):
        return _headed(parse_heading(roman[0])), ""
    explains = EXPLAINS.match(bare) is not None
    if EXPLANATION.match(bare) and is_bare_heading(bare) and not bare[0].islower():
        return HeadingBlock(1, parse_heading(bare)), ""
    if explains or _WORDED_LINE.match(bare):
        heading = parse_heading(bare)
        title = heading.title[:1]
        # "Zu § 5 (Fees)", not "Zu § 5 Absatz 2 gilt".
        begins = title == "(" if explains else title.isupper()
        begins = begins and is_bare_heading(heading.title)
        clause = heading.label.startswith("البند") and is_bare_heading(heading.title)
        begins = begins or ((clause or heading.kind is SectionKind.ANNEX) and title.upper() == title.lower())
        if heading.number is not None and heading.kind in _DEPTHS and (begins or not title):
            return _headed(heading), ""
    return None


def _goes_on(block: HeadingBlock, following: Sequence[str]) -> bool:
    """Return True if the apparent title of a provision is the first line of its text, broken for its
    length."""
    begins = "".join(following).lstrip()[:1]
    return bool(block.heading.title) and block.heading.kind not in CONTAINERS and begins.islower()


def _ended(line: str, following: Sequence[str]) -> tuple[HeadingBlock, str] | None:
    """Return a short heading of a provision with a full stop, alone or above its text: "§ 11.2 Scope."."""
    after = "".join(following).lstrip()[:1]
    few = MOST_WORDS if not after else MOST_WORDS // 2 if not after.islower() else 0
    ended = line.rstrip().endswith(".") and len(line.split()) <= few
    found = heading_line(line.rstrip(" .")) if ended else None
    return found if found is not None and found[0].heading.kind in PROVISIONS else None


def run_on(line: str) -> tuple[HeadingBlock, str] | None:
    """Return the provision that a line begins with its number, and its text; or None."""
    match = _PROVISION_RUN_ON.match(visible(line).strip(" \u3000\f"))
    heading = parse_heading(match["head"].rstrip(" .-–—")) if match else None
    if match is None or heading is None or heading.number is None or heading.kind not in _DEPTHS:
        return None
    return _headed(heading), match["text"]


def join_lines(lines: Sequence[str], *, unwrap: bool) -> str:
    """Join the lines of a paragraph."""
    if not unwrap:
        return "\n".join(line.rstrip() for line in lines).strip()
    text = ""
    for line in lines:
        bare = line.strip()
        begins = bare[:1].isupper() or bare.startswith("(")
        if text and (_ITEM.match(bare) or (begins and is_title(text.rpartition("\n")[2]))):
            text += "\n" + bare
        elif text.endswith("-") and bare[:1].islower():
            text = text + bare
        else:
            text = f"{text} {bare}" if text else bare
    return text


_ITEM = re.compile(
    r"\(?(?:\d{1,3}[a-z]?|[a-z]{1,3}|[ivx]{1,5}|[\u0621-\u064a])[.)]\s|[-–•*]\s|\||\d{1,3}(?:\.\d{1,3})+\.?\s+[^\Wa-z\d]"
)


def _tabbed(label: str, text: str) -> tuple[HeadingBlock, str] | None:
    """Parse "1.1.1.(1)<tab>text": the number of a rulebook before its heading or its text."""
    address = parse_label(label, "en")
    if address is None or address.number is None:
        return None
    is_title = is_bare_heading(text)
    kind, number = address.kind, address.number
    if address.paragraph:
        kind = SectionKind.GUIDANCE if "Guidance" in address.paragraph else SectionKind.PARAGRAPH
        number = f"{number}({address.paragraph.replace('/', ')(')})"
    heading = Heading(kind, number, text if is_title else "", label.rstrip("."), slug_of(label))
    below_rule = 4 * len(address.paragraph.split("/")) if address.paragraph else 0
    depth = 4 + address.number.count(".") + below_rule + len(address.within)
    return HeadingBlock(depth, heading, address=address), "" if is_title else text


def _headed(heading: Heading) -> HeadingBlock:
    word = heading.label.split(" ", 1)[0].casefold()
    depth = _WORD_DEPTHS.get(word) or _DEPTHS.get(heading.kind, 8)
    if heading.number and "." in heading.number:
        depth = 4 + heading.number.count(".")
    return HeadingBlock(depth, heading)


def _is_title(line: str, following: Sequence[str], before: str) -> bool:
    """Return True if a line is the title of the heading above it, or continues it.

    It is in capitals, or its significant words are capitalised ("Bagian Kesatu", "Surat Keterangan"), or it
    is alone between the heading and the next one.
    """
    bare = line.strip()
    if len(before) > LONGEST_LINE or not is_bare_heading(bare) or not any(map(str.isalpha, bare)):
        return False
    if bare.upper() == bare:
        return not before or before.upper() == before
    if not bare[0].isupper() or (before and before.upper() == before):
        return False
    capitals = [word[0].isupper() for word in re.findall(r"[^\W\d_]{4,}", bare)]
    if capitals and all(capitals) and len(capitals) > 1:
        return True
    following_line = "".join(following).strip()
    return not before and (not following_line or heading_line(following_line) is not None)


def _with_title(block: HeadingBlock, line: str) -> HeadingBlock:
    title = f"{block.heading.title} {' '.join(line.split())}".strip()
    return replace(block, heading=replace(block.heading, title=title))


# Page numbers, headers and footers in text extracted from PDF

# Number of lines at the top and at the bottom of a page to examine.
_EDGE = 3
# Minimum share of pages with a line that is furniture, and minimum number of pages.
_SHARE, _LEAST = 0.5, 3
_DIGITS = re.compile(r"\d+")
_NUMBER_ALONE = re.compile(
    r"\s*(?:[-–—]\s*\d{1,4}\s*[-–—]|(?:page|seite|halaman|صفحة)\s+\d{1,4}(?:\s*\W?\s*\w*\s*\d{1,4})?)\s*\Z",
    re.IGNORECASE,
)


def remove_page_furniture(text: str) -> str:
    """Remove form feeds, page numbers, and lines at the top or bottom of most pages."""
    pages = [page.split("\n") for page in text.split("\f")]
    if len(pages) > 1:
        repeated = _repeated(pages)
        pages = [_cleared(page, repeated) for page in pages]
    kept = [line for page in pages for line in page if not _NUMBER_ALONE.match(line)]
    return "\n".join(kept)


def _repeated(pages: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return the lines at the edges of most pages, ignoring digits."""
    found: Counter[str] = Counter()
    for page in pages:
        full = [line for line in page if line.strip()]
        found.update({_masked(line) for line in (*full[:_EDGE], *full[-_EDGE:])})
    least = max(_LEAST, _SHARE * len(pages))
    return frozenset(line for line, count in found.items() if count >= least)


def _cleared(page: Sequence[str], repeated: frozenset[str]) -> list[str]:
    """Remove repeated lines at the top and bottom of a page, up to the first of its own."""
    kept = list(page)
    for edge in (0, -1):
        for _ in range(_EDGE):
            while kept and not kept[edge].strip():
                kept.pop(edge)
            # "Article 5" and "Article 9" at the top of two pages are not a header.
            if not kept or _masked(kept[edge]) not in repeated or heading_line(kept[edge]) is not None:
                break
            kept.pop(edge)
    return kept


def _masked(line: str) -> str:
    return _DIGITS.sub("#", " ".join(line.split()))


# Sections of a rulebook whose lines have only numbers, and whose headings are lines themselves
#
# Line "1.1" has the text "Jurisdiction", line "1.1.1.(1)" the rule; the headings above the rule are "1
# Introduction" and "1.1 Jurisdiction".

Path = tuple[str, ...]


class DottedOutline:
    """The tree of a document's paths; ``lines``: (path, text), path None for a line without one."""

    def __init__(self, lines: Iterable[tuple[Path | None, str]], language: str) -> None:
        self._language = language
        self._texts: dict[Path, str] = {}
        inner: set[Path] = set()
        for path, text in lines:
            if path is not None:
                self._texts.setdefault(path, text)
                inner.update(path[:depth] for depth in range(1, len(path)))
        self._nodes = {path: self._node(path) for path in inner}

    def nodes(self, path: Path) -> tuple[Node, ...]:
        """Return the sections of a line; a line with others below it is in its own section."""
        found = (self._nodes.get(path[:depth]) for depth in range(1, len(path) + 1))
        return tuple(node for node in found if node is not None)

    def is_heading(self, path: Path, text: str) -> bool:
        """Return True if a line is the heading of a section."""
        return path in self._nodes and is_bare_heading(text)

    def _node(self, path: Path) -> Node:
        label = ".".join(path)
        address = parse_label(label, self._language)
        title = self._title(path)
        kind = SectionKind.HEADING if address is None else address.kind
        number = None if address is None else address.number
        paragraph = None if address is None else address.paragraph
        if paragraph:
            # Below a provision are only its parts: "(2)", "Guidance".
            kind = SectionKind.GUIDANCE if "Guidance" in paragraph else SectionKind.PARAGRAPH
            number = f"{number}({paragraph.replace('/', ')(')})" if number else paragraph
        piece = visible(path[-1]).replace("_", " ").strip()
        own = piece if address is None or number is None or paragraph or kind in _NAMED else number
        shown = f"{own} {title}".strip() if title.casefold() != piece.casefold() else title
        return Node("\0".join(path), kind, number, title, shown, slug_of(path[-1]) or "part")

    def _title(self, path: Path) -> str:
        text = self._texts.get(path, "").strip()
        first = text.split("\n", 1)[0].strip()
        return " ".join(first.split()) if is_bare_heading(first) else ""


_NAMED = {SectionKind.PART, SectionKind.CHAPTER, SectionKind.SCHEDULE, SectionKind.ANNEX, SectionKind.BOOK}
