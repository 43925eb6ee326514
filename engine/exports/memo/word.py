"""A memo as a Word file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import docx
from docx.document import Document
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn

from engine.bounded import open_zip, read_member
from engine.exports.memo.content import OWN, Finding, Memo, Note, Source, Words
from engine.exports.memo.markdown import (
    Block,
    Bullets,
    FactList,
    Heading,
    Paragraph,
    Sources,
    Table,
    above_words,
    note_words,
    one_line,
    outline,
)
from engine.exports.memo.word_parts import (
    CITE,
    LABEL,
    LEAD,
    LINE,
    QUOTE,
    WARNING,
    Footnotes,
    add_table,
    add_words,
    clean,
    look,
    turn,
    turn_border,
)
from engine.language.characters import right_to_left

# A reproducible ZIP: equal files give equal bytes.

# The years that a ZIP can represent.
FIRST_YEAR, LAST_YEAR = 1980, 2107
_MODE, _UNIX = 0o644 << 16, 3


def pack_reproducibly(files: Mapping[str, bytes], when: datetime) -> bytes:
    """Return a ZIP of files, all with the time ``when``."""
    moment = when.astimezone(UTC)
    year = min(max(moment.year, FIRST_YEAR), LAST_YEAR)
    made = (year, moment.month, moment.day, moment.hour, moment.minute, moment.second)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, made)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, _MODE, _UNIX
            archive.writestr(entry, data)
    return whole.getvalue()


# The Word file has real headings and footnotes, and text in its own direction and language.

# Most characters of a header.
LONGEST_HEADER = 70
# Facts repeated under the title; the end contains all.
_ON_TOP = ("Matter", "Case", "Asked", "Law as of", "Corpus")
_STYLES = {"plain": "Normal", "source": "Normal", "lead": LEAD, "more": LEAD, "warning": WARNING}


def memo_word(memo: Memo) -> bytes:
    """Return the memo as the bytes of a .docx file."""
    return _Writer(memo).written()


class _Writer:
    def __init__(self, memo: Memo) -> None:
        self.memo = memo
        self.document: Document = docx.Document()
        look(self.document)
        _name(self.document, memo)
        self.footnotes = Footnotes(self.document)
        self.notes = {note.number: note for note in memo.findings.notes}

    def written(self) -> bytes:
        memo = self.memo
        _margins(self.document, memo)
        self._paragraph(Words("MEMORANDUM"), LABEL)
        self._paragraph(Words(memo.title, memo.question.language), "Title")
        self._facts([fact for fact in memo.facts if fact[0] in _ON_TOP])
        for block in outline(memo, f"{memo.status[:1].lower()}{memo.status[1:]}"):
            self._write(block)
        return _saved(self.document, memo.begun)

    def _write(self, block: Block) -> None:
        match block:
            case Heading(text, level):
                self._paragraph(Words(text), f"Heading {level}")
            case Paragraph(words, style):
                self._paragraph(words, _STYLES[style])
            case Bullets(lines):
                for line in lines:
                    self._paragraph(Words(line), "List Bullet")
            case Sources(sources):
                for source in sources:
                    self._source(source)
            case Table(heads, rows, widths, longest):
                cells = [[_cell(cell, longest) for cell in row] for row in rows]
                add_table(self.document, heads, cells, widths)
            case FactList(facts):
                self._facts(facts)
            case Finding():
                self._finding(block)

    def _finding(self, finding: Finding) -> None:
        element = self._paragraph(finding.words, QUOTE if finding.own else "List Bullet")
        for place, number in enumerate(finding.notes):
            if place:
                add_words(element, Words(", "), "FootnoteReference")
            self._refer(element, number)
        if finding.doubts:
            add_words(element, Words(f" ({'; '.join(finding.doubts)})"), strong=True)

    def _refer(self, paragraph: Any, number: int) -> None:
        note = self.notes[number]
        self.footnotes.refer(paragraph, number, lambda own: _write_note(own, note))

    def _source(self, source: Source) -> None:
        element = self._paragraph(Words("", OWN), CITE)
        add_words(element, source.name, strong=True)
        if right_to_left(source.name.text):
            turn(element)
        for trail in source.trails:
            self._paragraph(Words(trail), "List Bullet")

    def _facts(self, facts: Sequence[tuple[str, str]]) -> None:
        rows = [(Words(name), Words(value, "und")) for name, value in facts]
        if rows:
            add_table(self.document, (), rows, (38, 122), labelled=True)

    def _paragraph(self, words: Words, style: str = "Normal") -> Any:
        element = self.document.element.body.add_p()
        element.style = self.document.styles[style].style_id
        add_words(element, words)
        if words.language != OWN and right_to_left(words.text):
            turn(element)
            if style == QUOTE:
                turn_border(element, LINE)
        return element


def _cell(cell: Words | tuple[Words, ...], longest: int) -> Words:
    """Return the words of a cell, each text on a line; warnings are in capitals."""
    parts = cell if isinstance(cell, tuple) else (cell,)
    texts = (one_line(one.text, longest) if longest else one.text for one in parts)
    text = "\n".join(filter(None, texts))
    return Words(text.upper() if parts[0].strong else text, parts[0].language)


def _saved(document: Document, when: datetime) -> bytes:
    """Return the bytes of the file with the time ``when`` for all parts, so that they are reproducible."""
    file = io.BytesIO()
    document.save(file)
    with open_zip(file) as parts:
        return pack_reproducibly({one.filename: read_member(parts, one) for one in parts.infolist()}, when)


def _write_note(paragraph: Any, note: Note) -> None:
    """Fill a footnote: citation, remarks, and result of the check."""
    add_words(paragraph, Words(" "))
    # A citation may contain names in other scripts.
    add_words(paragraph, Words(f"{note.cited} {above_words(note)}".rstrip() + "."))
    for words in note_words(note):
        add_words(paragraph, Words(" "))
        add_words(paragraph, words, strong=words.strong)


def _name(document: Document, memo: Memo) -> None:
    """Set the properties of the file and remove those of the template."""
    core = document.core_properties
    core.title, core.subject = clean(memo.title)[:255], clean(one_line(memo.question.text, 250))
    core.author, core.last_modified_by, core.comments, core.keywords = "Redstring", "Redstring", "", ""
    core.created = core.modified = memo.begun.astimezone(UTC).replace(tzinfo=None)
    core.revision, core.language = 1, "en-GB"
    package = document.part.package
    for key, relation in list(package.rels.items()):
        if relation.reltype.endswith("/metadata/thumbnail"):
            del package.rels[key]


def _margins(document: Document, memo: Memo) -> None:
    """Add a header with matter and case and a footer with page numbers."""
    section = document.sections[0]
    named = " · ".join(part for part in (memo.matter, memo.title) if part)
    style = document.styles[LABEL].style_id
    section.header.is_linked_to_previous = section.footer.is_linked_to_previous = False
    header, footer = (part.part.element.find(qn("w:p")) for part in (section.header, section.footer))
    for paragraph in (header, footer):
        paragraph.style = style
    add_words(header, Words(one_line(named, LONGEST_HEADER)))
    _tab(header)
    add_words(header, Words("Memorandum"))
    add_words(footer, Words("Redstring"))
    _tab(footer)
    for element in _numbers():
        footer.append(element)


def _tab(paragraph: Any) -> None:
    """Add a tab to the right margin."""
    tabs = f'<w:tabs {nsdecls("w")}><w:tab w:val="right" w:pos="9070"/></w:tabs>'
    paragraph.get_or_add_pPr().insert_element_before(
        parse_xml(tabs), "w:suppressAutoHyphens", "w:bidi", "w:spacing", "w:ind", "w:jc", "w:rPr"
    )
    run = OxmlElement("w:r")
    run.append(OxmlElement("w:tab"))
    paragraph.append(run)


def _numbers() -> Iterator[Any]:
    for before, field in (("Page ", "PAGE"), (" of ", "NUMPAGES")):
        holder = OxmlElement("w:p")
        add_words(holder, Words(before))
        yield from list(holder)
        element = OxmlElement("w:fldSimple")
        element.set(qn("w:instr"), f" {field} ")
        shown = OxmlElement("w:p")
        add_words(shown, Words("1"))
        for run in list(shown):
            element.append(run)
        yield element
