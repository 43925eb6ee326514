"""The entry of a clone and of a Space: ``python app.py`` serves the page, ``demo`` is the page to be served.

``ui/serve.py`` says what may be given to it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ui.serve import build_demo, main, run

if TYPE_CHECKING:
    import gradio as gr

__all__ = ["main"]


def __getattr__(name: str) -> gr.Blocks:
    """``app.demo``, built when asked for: a wrong ``--corpus`` must not build the sample first."""
    if name == "demo":
        globals()["demo"] = demo = build_demo()
        return demo
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if __name__ == "__main__":
    sys.exit(run("python app.py"))
