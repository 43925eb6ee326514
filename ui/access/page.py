"""The page before the page: where somebody logs in. It needs no script and loads nothing."""

from __future__ import annotations

from engine.language.characters import escape
from ui.shipped import ASSETS


def login_page(form: str, message: str = "") -> str:
    """The page around the form of an entrance."""
    style = (ASSETS / "login.css").read_text(encoding="utf-8")
    told = f'<p role="alert">{escape(message)}</p>' if message else "<p>Log in to go on.</p>"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Redstring: log in</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="robots" content="noindex"><style>{style}</style></head>'
        f"<body><main><h1>Redstring</h1>{told}{form}</main></body></html>"
    )
