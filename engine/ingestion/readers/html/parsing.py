"""Parse HTML, select visible content, and read the metadata of a page."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree, html

from engine.ingestion.readers.fields import IDENTIFIERS, DayKind, day_kind, folded
from engine.ingestion.readers.formats import decode_text

# Parsing: bytes are decoded as in a browser; scripts and entities are never executed or expanded

Element = etree._Element  # noqa: SLF001 (lxml has no public name for it; used in types alone)

# Browsers search this number of bytes for a declaration.
_DECLARED_WITHIN = 4096
_CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})|<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{2,40})",
    re.IGNORECASE,
)
# WHATWG Encoding: pages that declare Latin 1 use Windows-1252, and so on.
_MEANT = {
    "iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252",
    "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "iso-8859-9": "cp1254", "shift_jis": "cp932",
    "ks_c_5601-1987": "cp949",
}  # fmt: skip
# Encodings of that standard by their Python names. Other Python codecs give another text than a browser shows
# (unicode_escape, UTF-7, EBCDIC) or raise errors of their own (punycode, undefined).
_OF_THE_WEB = {
    *("utf-8", "ascii", "cp866", "cp874", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic"),
    *("gbk", "gb18030", "big5", "big5hkscs", "euc_jp", "iso2022_jp", "shift_jis", "cp932", "euc_kr", "cp949"),
    *(f"iso8859-{part}" for part in (*range(1, 12), 13, 14, 15, 16)),
    *(f"cp{page}" for page in range(1250, 1259)),
}
_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")


class BrokenHtmlError(ValueError):
    """A page that cannot be parsed; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Page:
    """The root element of a page, the problem with its encoding or None, and the line of the problem."""

    root: Element
    problem: str | None = None
    line: int = 0


def parse_page(data: bytes) -> Page:
    """Parse a page. Raises BrokenHtmlError for a page without content."""
    text, problem, line = _text(data)
    # Decoded text is passed as UTF-8, so that a declaration in it is ignored.
    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    plain = _DECLARATION.sub("", text)
    try:
        root = html.document_fromstring(plain.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise BrokenHtmlError(" ".join(str(error).split()) or "no content") from error
    return Page(root, problem, line)


def _text(data: bytes) -> tuple[str, str | None, int]:
    """Decode a page by its byte order mark, its declaration, or like any text."""
    declared = None if data.startswith(_BOMS) else _CHARSET.search(data[:_DECLARED_WITHIN])
    if declared is None:
        return decode_text(data)
    name = (declared[1] or declared[2]).decode("ascii").lower()
    try:
        encoding = codecs.lookup(_MEANT.get(name, name)).name
        if encoding in _OF_THE_WEB:
            return data.decode(encoding).replace("\r\n", "\n").replace("\0", "\ufffd"), None, 0
    except (LookupError, UnicodeDecodeError):
        pass
    return decode_text(data)


# Visible content: no scripts, navigation, banners, hidden parts and footers

_NEVER = frozenset((
    "script", "style", "noscript", "template", "svg", "head", "title", "meta", "link", "nav", "footer",
    "aside", "iframe", "object", "embed", "audio", "video", "canvas", "map", "button", "input", "select",
    "textarea", "option", "dialog", "menu", "progress", "applet", "frameset", "rp"
))  # fmt: skip
_ROLES = frozenset((
    "navigation", "banner", "contentinfo", "search", "complementary", "toolbar", "menu", "menubar",
    "dialog", "alertdialog", "button", "tab", "tablist"
))  # fmt: skip
_CLASSES = re.compile(
    r"(?:nav(?:bar|box|igation)?(?:-\w+)*|breadcrumbs?(?:-\w+)*|cookie[\w-]*|(?:site|page)-?(?:footer|header)"
    r"|footer|sidebar|toc|table-of-contents|no-?print|mw-editsection|mw-jump-link|catlinks|skip-?(?:link|nav)"
    r"|social(?:-\w+)*|share(?:-\w+)*|advert\w*|visually-?hidden|sr-only|screen-reader-text|hidden|metadata"
    r"|mw-empty-elt|printfooter|pagination)\Z",
    re.IGNORECASE,
)
_UNSEEN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)


def is_left_out(element: Element) -> bool:
    """Return True if an element and its descendants are not text of the document."""
    tag = element.tag
    if not isinstance(tag, str) or tag in _NEVER:
        return True
    if element.get("hidden") is not None or element.get("aria-hidden") == "true":
        return True
    if (element.get("role") or "") in _ROLES or _UNSEEN.search(element.get("style") or ""):
        return True
    if tag in ("html", "body", "main", "article"):
        return False
    if tag == "header" and not _is_within(element, ("main", "article", "section")):
        return True
    return any(_CLASSES.match(name) for name in (element.get("class") or "").split())


def find_content(root: Element) -> Element:
    """Return the element with the document: the only ``main`` or article, otherwise the body."""
    for path in (".//main", ".//*[@role='main']", ".//article"):
        found = root.findall(path)
        if len(found) == 1 and "".join(map(str, found[0].itertext())).strip():
            return found[0]
    body = root.find("body")
    return root if body is None else body


def _is_within(element: Element, tags: tuple[str, ...]) -> bool:
    return any(above.tag in tags for above in element.iterancestors())


# Metadata in the head of a page: HTML, Dublin Core, Open Graph and ELI

# Names in ``meta`` elements in lower case, and their fields. The first one present counts.
_FIELDS = {
    "eli:title": "title", "eli:title_short": "title_short", "eli:id_local": "number",
    "eli:passed_by": "issuer", "eli:date_document": "date", "eli:date_publication": "published",
    "eli:first_date_entry_in_force": "valid_from", "eli:date_no_longer_in_force": "valid_to",
    "dc.title": "title", "dcterms.title": "title", "dc.creator": "author", "dcterms.creator": "author",
    "dc.publisher": "publisher", "dc.subject": "subject", "dc.date": "date", "dc.date.valid": "valid_from",
    "dcterms.valid": "valid_from", "dc.date.created": "created", "dcterms.created": "created",
    "dc.date.modified": "modified", "dcterms.modified": "modified", "dc.date.issued": "date",
    "dcterms.issued": "date", "dc.language": "language", "dcterms.language": "language", "author": "author",
    "date": "date", "keywords": "keywords", "generator": "producer", "content-language": "language",
    "article:author": "author", "article:published_time": "created", "article:modified_time": "modified",
    "og:title": "title", "og:url": "url",
}  # fmt: skip
_DATES = frozenset({"date", "published", "valid_from", "valid_to", "created", "modified"})
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_]\w+)*\Z")
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
# "Duck - Wikipedia": the name of the site after that of the page.
_SITE = re.compile(r"\s+[-–—|·]\s+[^-–—|·]{2,40}\Z")
# EUR-Lex prints a title in several paragraphs of this class; the page's title is "L_2016119EN".
_GAZETTE_TITLE = re.compile(r"(?:^|[\s-])doc-ti(?:$|\s)|title-doc-(?:first|last)")
LONGEST_TITLE = 400


def stated_fields(root: Element) -> dict[str, Any]:
    """Return the fields in the head of a page; dates in ISO format, the language as its short code."""
    found: dict[str, Any] = {}
    for name, value in _metas(root):
        field = _FIELDS.get(name.strip().lower()) or _own_name(name)
        text = " ".join(value.split())
        if field is None or not text or field in found:
            continue
        if field in _DATES:
            day = _DAY.match(text)
            if day is None:
                continue
            text = day[0]
        found[field] = text
    spoken = root.get("lang") or root.get(_XML_LANG) or found.get("language") or ""
    found.pop("language", None)
    if match := _LANGUAGE.match(spoken.strip()):
        found["language"] = match[1].lower()
    canonical = root.find(".//link[@rel='canonical']")
    if canonical is not None and canonical.get("href") and "url" not in found:
        found["url"] = canonical.get("href")
    return found


def _own_name(name: str) -> str | None:
    """Return the field of a name for a date or identifier under any common name, or None."""
    known = day_kind(name) not in (DayKind.UNKNOWN, DayKind.FILE) or folded(name) in IDENTIFIERS
    return name.strip() if known else None


def page_title(root: Element) -> str | None:
    """Return the act's title on a page of EUR-Lex, otherwise ``title`` without the name of the site."""
    marked = [
        " ".join("".join(map(str, element.itertext())).split())
        for element in root.iter("p")
        if _GAZETTE_TITLE.search(element.get("class") or "")
    ]
    if any(marked):
        return " ".join(marked)[:LONGEST_TITLE]
    element = root.find(".//title")
    text = " ".join("".join(map(str, element.itertext())).split()) if element is not None else ""
    return _SITE.sub("", text) or text or None


def _metas(root: Element) -> Iterator[tuple[str, str]]:
    for element in root.iter("meta"):
        name = element.get("name") or element.get("property") or element.get("http-equiv")
        if name and element.get("content"):
            yield name, element.get("content") or ""
