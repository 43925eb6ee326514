"""No test asks a language model that this machine happens to name, or leaves an answer in its cache."""

from __future__ import annotations

import os

for _name in ("REDSTRING_LLM", "REDSTRING_LLM_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
    os.environ.pop(_name, None)
os.environ["REDSTRING_LLM_CACHE"] = "off"
