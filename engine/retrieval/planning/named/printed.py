"""Numbers of a question in a language without a grammar, read as headings print them: "§ 2", "2 §", "art. 4".

Headings are known in many more languages than texts are: what would be one on a line of its own names a
provision in a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from engine.corpus.protocol import Corpus
from engine.ingestion.headings import parse_heading
from engine.language.addresses import WORDS, Address
from engine.language.references import Mention, Target
from engine.languages import all_words
from engine.model import Relation, SectionKind, Span

PRINTED = "printed"
_KINDS = (SectionKind.ARTICLE, SectionKind.SECTION, SectionKind.CHAPTER, SectionKind.ANNEX)
# So many figures of a question are looked up, and so many provisions of each.
MOST_FIGURES, MOST_LABELS = 12, 60
_FIGURE = re.compile(r"(?<!\d)\d{1,4}(?!\d)")
_NUMBER = r"\d{1,5}(?:\s?[a-z](?![\w]))?(?:[.:-]\d{1,4}){0,3}"
_SIGN_LAST = rf"{_NUMBER}\.?\s?(?:§|straipsn|pant|člen|cikk|modda|бап)\w{{0,4}}"
# "제5조", "第五条": words around a number.
_HAN = "一二三四五六七八九十"
_AROUND = (
    r"제\s?\d{1,4}\s?조(?:의\s?\d{1,3})?"
    rf"|第[〇零百千{_HAN}\d]{{1,8}}条(?:の[{_HAN}\d]{{1,3}})?"
)


def printed_mentions(text: str) -> Iterator[Mention]:
    """The provisions that a text names by a number as a heading has it."""
    for match in _pattern().finditer(text):
        heading = parse_heading(match[0])
        if heading.number is None or heading.kind not in _KINDS:
            continue
        span = Span(*match.span())
        target = Target(Address(heading.kind, heading.number), span)
        yield Mention(span, match[0], PRINTED, Relation.CITES, (target,))


def labels_in(corpus: Corpus, text: str) -> Iterator[Mention]:
    """The provisions that a text names by a label that a document has: "धारा 2"."""
    folded = text.casefold()
    if len(folded) != len(text):
        return
    for figure in islice(_FIGURE.finditer(text), MOST_FIGURES):
        rows = corpus.numbered(figure[0])[:MOST_LABELS]
        for passage in corpus.passages(rows):
            label = passage.label.casefold()
            worded = label != figure[0] and label.endswith(figure[0])
            start = folded.rfind(label, 0, figure.end()) if worded else -1
            if start >= 0 and start + len(label) == figure.end():
                span = Span(start, figure.end())
                target = Target(Address(passage.kind, passage.number), span)
                yield Mention(span, text[start : span.end], PRINTED, Relation.CITES, (target,))
                break


@cache
def _pattern() -> re.Pattern[str]:
    listed = {
        word
        for own in all_words().values()
        for kinds in (own.levels, own.heading_levels)
        for kind, words in kinds.items()
        if kind in _KINDS
        for word in words
    }
    words = sorted(
        {re.escape(word) for word in (*listed, *_known()) if word[:1].isalpha()}, key=len, reverse=True
    )
    word_first = rf"(?:§{{1,2}}\s?|(?<!\w)(?:{'|'.join(words)})\w{{0,4}}\.?\s){_NUMBER}"
    return re.compile(rf"(?<!\w)(?:{_SIGN_LAST}|{word_first})(?!\w)|{_AROUND}", re.IGNORECASE)


def _known() -> Iterator[str]:
    return (word for word, kind in WORDS.items() if kind in _KINDS)
