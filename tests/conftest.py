"""No test knows what is set on this machine, asks a language model named here, or fills its cache."""

from __future__ import annotations

import os

from engine.operator_settings import OF_THE_TESTS, PREFIX

for _name in [*os.environ]:
    if _name.startswith((PREFIX, "OPENAI_", "GRADIO_SERVER_")) and _name not in OF_THE_TESTS:
        del os.environ[_name]
os.environ["REDSTRING_LLM_CACHE"] = "off"
