"""Forms of citations in legal writing, text that looks like a citation, and paragraphs within a passage.

Lawyers put the act in front ("BGB § 475d Abs. 2", "Code des communes, art. R142-6"), write the paragraph as a
Roman number ("§ 19 IV GmbHG") or after a full stop ("Art. 60.3 RGPD"), or name an act by its capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from engine.answers.audit.record import Citation, Source
from engine.corpus.external_text import ExternalTextResolver, letters_key
from engine.language.addresses import WORDS
from engine.language.designations import Occupied
from engine.language.references import Mention
from engine.language.statements import quantities_in
from engine.model import Passage, Span

# Maximum words of a name next to a number, and characters searched for it.
LONGEST, AROUND = 14, 160
_LINK = re.compile(
    r"[\s,]*(?:of\s+the|of|du|de\s+la|des|de\s+l['’]|d['’]|de|del|der|dari|من)?\s*(?:the\s+)?", re.IGNORECASE
)
_ROMAN = re.compile(r"\s+(?P<roman>[IVX]{1,5})(?![\w.])(?:\s+(?P<sentence>\d{1,2})(?!\w))?")
_WORDS = re.compile(r"\S+")
# "GmbHG", "RGPD", "DS-GVO": a word with two capitals, and the number of a book after it.
_CAPITALS = re.compile(r"(?:[A-ZÄÖÜ][\w-]*){2,}(?:\s[IVX]{1,4}(?!\w))?")
# "Code No. 13 of 2011".
_NUMBERED = re.compile(
    r"(?:the\s+)?(?:\w+\s+){0,2}(?:No|Nr|Nomor|n°|no)\.?\s*\d+\s*(?:of|vom|Tahun|de|/)\s*\d{4}", re.IGNORECASE
)
_BELOW = re.compile(r"\s?\((?P<number>\d{1,3}[a-z]?)\)")
_VALUES = {"I": 1, "V": 5, "X": 10}


@dataclass(frozen=True, slots=True)
class Form:
    """A citation as written. ``name`` is the act next to the number, empty if there is none; ``known``: the
    corpus has it; ``paragraph`` is a Roman number or a number in brackets after it."""

    span: Span
    name: str
    known: bool
    paragraph: str


def find_form(text: str, mention: Mention, reader: ExternalTextResolver, language: str) -> Form:
    """Find the parts of a citation around the number that was found."""
    end, paragraph = mention.span.end, ""
    start = end - len(text[mention.span.start : end].lstrip(" (["))
    if mention.document is not None and not _is_roman(mention.document):
        longer = None if mention.name_at is None else _find_name(text, mention.name_at, reader, language)
        if longer is not None and longer[1] > end:
            return Form(Span(start, longer[1]), longer[0], True, "")
        return Form(Span(start, end), "", False, "")
    if mention.document is not None:
        end = mention.name_at or end
    roman = _ROMAN.match(text, len(text[:end].rstrip()))
    below = _BELOW.match(text, end)
    if roman is not None:
        paragraph, end = str(_number(roman["roman"])), roman.end()
    elif below is not None and not _has_paragraph(mention):
        paragraph, end = below["number"], below.end()
    after = find_name_after(text, end, reader, language)
    if after is not None:
        return Form(Span(start, after[1]), after[0], after[2], paragraph)
    name_before = _find_name_before(text, start, reader, language)
    if name_before is not None:
        return Form(Span(name_before[1], end), name_before[0], name_before[2], paragraph)
    if roman is not None and not text[start:].startswith("§"):
        return Form(Span(start, mention.span.end), "", False, "")
    return Form(Span(start, end), "", False, paragraph)


def _is_roman(name: str) -> bool:
    return re.match(r"[IVX]{1,5}(?!\w)", name) is not None


def _has_paragraph(mention: Mention) -> bool:
    return len(mention.targets) != 1 or mention.targets[0].address.paragraph is not None


def _find_name(text: str, begin: int, reader: ExternalTextResolver, language: str) -> tuple[str, int] | None:
    """Return the longest name of a document that begins at an offset, and its end."""
    numbered = _NUMBERED.match(text, begin)
    if numbered is not None and _is_known_name(numbered[0], reader, language):
        return numbered[0], numbered.end()
    words = list(_WORDS.finditer(text, begin, min(len(text), begin + AROUND)))[:LONGEST]
    for count in range(len(words), 0, -1):
        name = text[begin : words[count - 1].end()].rstrip(".,;:)]–- ")
        if _is_known_name(name, reader, language):
            return name, begin + len(name)
    return None


def find_name_after(
    text: str, end: int, reader: ExternalTextResolver, language: str
) -> tuple[str, int, bool] | None:
    """Return the name of an act after a number, its end, and whether the corpus has the act."""
    link = _LINK.match(text, end)
    begin = link.end() if link is not None else end
    known = _find_name(text, begin, reader, language)
    if known is not None:
        return known[0], known[1], True
    capital = _CAPITALS.match(text, begin)
    if capital is not None and not (link is not None and "," in link[0]):
        return capital[0], capital.end(), False
    return None


def _find_name_before(
    text: str, start: int, reader: ExternalTextResolver, language: str
) -> tuple[str, int, bool] | None:
    ahead = text[max(0, start - AROUND) : start]
    stripped = ahead.rstrip(" ,(")
    words = list(_WORDS.finditer(stripped))[-LONGEST:]
    for word in words:
        name = stripped[word.start() :].lstrip("([–- ")
        if letters_key(name) in reader.keys and _is_known_name(name, reader, language):
            return name, start - len(ahead) + len(stripped) - len(name), True
    return None


def _is_known_name(name: str, reader: ExternalTextResolver, language: str) -> bool:
    """True if the corpus has a document of this name; a name has a capital letter (or is not Latin)."""
    if len(name) < 2 or not any(letter.isupper() or not letter.isascii() for letter in name):
        return False
    return bool(reader.named(name, language))


def _number(roman: str) -> int:
    values = [_VALUES[letter] for letter in roman]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))


@dataclass(frozen=True, slots=True)
class LabelledCitation:
    """A citation in this product's own format: a document's name and a passage's label."""

    span: Span
    rows: tuple[int, ...]


def find_labelled(text: str, reader: ExternalTextResolver) -> Iterator[LabelledCitation]:
    """Yield the citations of a text that are a document's name and a label of its passages, in order."""
    words, index = list(_WORDS.finditer(text)), 0
    while index < len(words):
        found = _find_labelled_at(text, words, index, reader)
        if found is None:
            index += 1
            continue
        yield found
        while index < len(words) and words[index].start() < found.span.end:
            index += 1


def _find_labelled_at(
    text: str, words: list[re.Match[str]], index: int, reader: ExternalTextResolver
) -> LabelledCitation | None:
    start = words[index].start() + len(words[index][0]) - len(words[index][0].lstrip('([“"«'))
    for last in range(min(index + LONGEST, len(words) - 1), index - 1, -1):
        name = text[start : words[last].end()].rstrip(",")
        documents = reader.keys.get(letters_key(name), ()) if name[:1].isupper() or not name.isascii() else ()
        for number in documents:
            labels = reader.labels(number)
            for end in range(min(last + LONGEST, len(words) - 1), last, -1):
                label = text[words[last + 1].start() : words[end].end()].rstrip('.,;)]”"»')
                rows = labels.get(letters_key(label), ())
                if rows:
                    return LabelledCitation(Span(start, words[last + 1].start() + len(label)), rows)
    return None


# Any text that looks like a citation, so that one that is not understood is reported, not skipped.
_LOOKALIKES_BELOW = r"(?:\s?\(\w{1,4}\))*"
# "FEES-R-99.1", "COBS 3.4.1R(2)", "BGB 2999 II"; "2999 II BGB"; "§ 2999".
_CODE = re.compile(
    rf"(?<![\w-])[A-Z][A-Z&]{{1,19}}(?:-[A-Z]{{1,4}})*(?:\s(?:r|s|c|p|pt|ch|sec|art|para|reg)\.?)?[\s.:-]{{0,2}}(?:[A-Z]{{1,2}})?\d+(?:[.\-/]\w?\d+)*[A-Z]?(?!\w){_LOOKALIKES_BELOW}(?:\s[IVX]+(?!\w))?"
)
_BEHIND = re.compile(r"(?<![\w.,-])\d{2,4}[a-z]?(?:\s[IVX]+)?\s[A-Z][A-Za-z]*[A-Z](?!\w)")
_SIGN = re.compile(
    r"(?<!§)§+\s*\d+\w*(?:\s*(?:Abs\.|Absatz|S\.|Satz|Nr\.)\s*\d+)*(?:\s[A-ZÄÖÜ][A-Za-zäöü]*[A-Z])?"
)
# "Kap. 77 ZPO Rn. 3", "C. tour. 412 al. 9", "Circ. 12/B": abbreviations with a capital, and a number.
_SHORTENED = re.compile(
    r"(?<![\w.])(?!(?:No|Nr|Mr|Mrs|Dr|St|Abs|Bd|Ca|Vol|Jan|Feb|Apr|Aug|Sept|Okt|Oct|Nov|Dez|Dec|Fr|Rp)\.)"
    r"[A-ZÄÖÜ][a-zäöüàéè]{0,5}\.\s?(?:[a-zàéè]{1,6}\.\s?){0,2}\d+(?:[./-]\w{1,4})*(?:,?\s(?:al|pt|Rn|Abs)\.?\s?\d+)?"
)
# "KUHPer-412/A", "BGB/R-77".
_DASHED = re.compile(r"(?<![\w/-])[A-Z][a-z]*[A-Z][A-Za-z]*(?:/[A-Z]{1,2})?-\d+(?:/[A-Z])?(?!\w)")
# "Circular 77/2033".
_OF_YEAR = re.compile(r"(?<!\w)[A-ZÄÖÜ]\w{2,}\s\d{1,4}/(?:19|20)\d{2}(?![\w/])")
# Text with a number in brackets at the end, or before a colon: a citation in an unknown form.
_EDGES = (
    re.compile(r"[(\[](?P<words>[^()\[\]]{0,40}[A-ZÄÖÜ§][^()\[\]]{0,40}\d[^()\[\]]{0,30})[)\]]\W*\Z"),
    re.compile(r"\A\W*(?P<words>[A-ZÄÖÜ§][^:.;,]{0,50}?\d[^:;]{0,24}?)\s?:\s"),
    re.compile(
        r"(?:,|–|-)\s(?:see|cf\.?|siehe|vgl\.|voir|lihat|véase)\s(?P<words>[^,;()]{1,50}?\d[^,;()\s]{0,20})\W*\Z"
    ),
)
_SHORT = (
    "sec",
    "sect",
    "art",
    "ch",
    "chap",
    "reg",
    "cl",
    "para",
    "paras",
    "rulebook",
    "pt",
    "r",
    "s",
    "ss",
    "rr",
    "no",
)


@cache
def _worded() -> re.Pattern[str]:
    """Return the pattern of a level word with a number, in all languages, with common abbreviations."""
    words = sorted({*(word for word in WORDS if word.isalpha()), *_SHORT}, key=len, reverse=True)
    # Abbreviations of one or two letters need their full stop.
    listed = "|".join(re.escape(word) + (r"\." if len(word) < 3 else r"\.?") for word in words)
    return re.compile(
        rf"(?<!\w)(?:{listed})\s?(?-i:[A-Z]?)\d+(?:[.\-/]\w?\d+)*[a-zA-Z]?(?!\w){_LOOKALIKES_BELOW}",
        re.IGNORECASE,
    )


def lookalikes(text: str, language: str, known: Iterable[Span]) -> Iterator[Span]:
    """Yield spans that look like a citation and are not among the known ones; quantities do not."""
    known = list(known)
    taken = Occupied((span.start, span.end) for span in known)
    # In "Kap. 77 ZPO" the number does not count codes of procedure.
    for form in (_SHORTENED, _DASHED, _OF_YEAR):
        for match in form.finditer(text):
            if not taken.overlaps(*match.span()):
                taken.add(*match.span())
                yield Span(*match.span())
    for quantity in quantities_in(text, language, known):
        taken.add(quantity.span.start, quantity.span.end)
    found = sorted(
        (match.span() for form in (_CODE, _SIGN, _BEHIND, _worded()) for match in form.finditer(text)),
        key=lambda span: (span[0], -span[1]),
    )
    found += [edged.span("words") for edge in _EDGES if (edged := edge.search(text))]
    for start, end in found:
        if not taken.overlaps(start, end):
            taken.add(start, end)
            yield Span(start, end)


# "(5) ..." and "5. ..." at the beginning of a line, also after the article's number.
_PARAGRAPH = re.compile(
    r"^[^\S\n]*(?:\((?P<bracketed>\d{1,3}[a-z]?)\)|(?P<plain>\d{1,3}[a-z]?)\.)(?=\s)", re.MULTILINE
)


def is_in_paragraph(source: Source, citations: Sequence[Citation]) -> bool:
    """True if the words of a source are in a cited paragraph, as far as the passage shows its paragraphs."""
    cited_paragraphs = {
        one.paragraph.split("/")[0].casefold()
        for one in citations
        if one.paragraph and source.row in one.rows
    }
    if not cited_paragraphs or any(source.row in one.rows and not one.paragraph for one in citations):
        return True
    if source.passage.paragraph:
        return True
    marks = paragraphs(source.passage.text)
    if len(marks) < 2 or not cited_paragraphs & {name for _, name in marks}:
        return True
    start, end = source.span.start, source.span.end
    inside = {name for offset, name in marks if start <= offset < end}
    before = [name for offset, name in marks if offset <= start]
    return bool(cited_paragraphs & {*inside, *before[-1:]})


def paragraphs(text: str) -> list[tuple[int, str]]:
    """Return the offset and number of each paragraph of an article: "(1)" if it has such, else "1."."""
    found = list(_PARAGRAPH.finditer(text))
    bracketed = [match for match in found if match["bracketed"]]
    return [
        (match.start(), (match["bracketed"] or match["plain"]).casefold()) for match in bracketed or found
    ]


def missing_paragraph(paragraph: str, passages: Sequence[Passage]) -> tuple[str, str] | None:
    """Return a cited paragraph that the article lacks, and the article's last one; None if undecidable."""
    number = paragraph.split("/")[0].casefold()
    if not number or not passages:
        return None
    known: list[str] = []
    for passage in passages:
        if passage.paragraph:
            known.append(passage.paragraph.split("/")[0].casefold())
        else:
            known += [name for _, name in paragraphs(passage.text)]
    if len(set(known)) < 2 or number in known or not number[:1].isdigit() or not known[-1][:1].isdigit():
        return None
    return number, max(known, key=_order)


def _order(name: str) -> tuple[int, str]:
    digits = "".join(letter for letter in name if letter.isdigit())
    return int(digits or 0), name
