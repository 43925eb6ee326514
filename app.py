"""Entry point of a clone and of a Space: ``python app.py`` serves the page, and ``demo`` is the page.

``python app.py --help`` lists the options; ``ui/serve.py`` has the code.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ui.serve import build_demo, main, run

if TYPE_CHECKING:
    import gradio as gr

__all__ = ["main"]


def __getattr__(name: str) -> gr.Blocks:
    """Build ``app.demo`` on first use: an invalid ``--corpus`` must not build the sample first."""
    if name == "demo":
        globals()["demo"] = demo = build_demo()
        return demo
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if __name__ == "__main__":
    sys.exit(run("python app.py"))
