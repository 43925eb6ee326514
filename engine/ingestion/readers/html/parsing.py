"""HTML as a tree: its bytes decoded as a browser would, scripts and entities never carried out."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from lxml import etree, html

from engine.ingestion.readers.decoding import decoded

Element = etree._Element  # noqa: SLF001 (lxml has no public name for it; used in types alone)

# The standard asks browsers to look this far for a declaration.
_DECLARED_WITHIN = 4096
_CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})|<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{2,40})",
    re.IGNORECASE,
)
# WHATWG Encoding: what pages call Latin 1 is Windows-1252, and so on.
_MEANT = {
    "iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252",
    "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "iso-8859-9": "cp1254", "shift_jis": "cp932",
    "ks_c_5601-1987": "cp949",
}  # fmt: skip
# The encodings of that standard, as Python names them. Other codecs of Python make another text of what a
# browser shows (unicode_escape, UTF-7, EBCDIC) or fail in ways of their own (punycode, undefined).
_OF_THE_WEB = {
    *("utf-8", "ascii", "cp866", "cp874", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic"),
    *("gbk", "gb18030", "big5", "big5hkscs", "euc_jp", "iso2022_jp", "shift_jis", "cp932", "euc_kr", "cp949"),
    *(f"iso8859-{part}" for part in (*range(1, 12), 13, 14, 15, 16)),
    *(f"cp{page}" for page in range(1250, 1259)),
}
_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")


class BrokenHtmlError(ValueError):
    """A page that no tree can be made of; the message says why."""


@dataclass(frozen=True, slots=True)
class Page:
    """The root element of a page, what was wrong with its encoding, and on which line."""

    root: Element
    problem: str | None = None
    line: int = 0


def parsed(data: bytes) -> Page:
    """The tree of a page. Raises BrokenHtmlError for one without any content."""
    text, problem, line = _text(data)
    # Python's own text is handed over as UTF-8, so that a declaration in it is not believed again.
    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    plain = _DECLARATION.sub("", text)
    try:
        root = html.document_fromstring(plain.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise BrokenHtmlError(" ".join(str(error).split()) or "no content") from error
    return Page(root, problem, line)


def _text(data: bytes) -> tuple[str, str | None, int]:
    """The characters of a page: by its byte order mark, its declaration, else as any text."""
    declared = None if data.startswith(_BOMS) else _CHARSET.search(data[:_DECLARED_WITHIN])
    if declared is None:
        return decoded(data)
    name = (declared[1] or declared[2]).decode("ascii").lower()
    try:
        encoding = codecs.lookup(_MEANT.get(name, name)).name
        if encoding in _OF_THE_WEB:
            return data.decode(encoding).replace("\r\n", "\n").replace("\0", "\ufffd"), None, 0
    except (LookupError, UnicodeDecodeError):
        pass
    return decoded(data)
