"""What of a page is its text: not its scripts, navigation, banners, hidden parts and footers."""

from __future__ import annotations

import re

from engine.ingestion.readers.html.parsing import Element

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
    """Whether an element and all in it is no text of the document."""
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


def content_of(root: Element) -> Element:
    """The element that holds the document: the only ``main`` or article, else the body."""
    for path in (".//main", ".//*[@role='main']", ".//article"):
        found = root.findall(path)
        if len(found) == 1 and "".join(map(str, found[0].itertext())).strip():
            return found[0]
    body = root.find("body")
    return root if body is None else body


def _is_within(element: Element, tags: tuple[str, ...]) -> bool:
    return any(above.tag in tags for above in element.iterancestors())
