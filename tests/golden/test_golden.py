"""Every output is what it was. After a change on purpose: ``python -m tests.golden.rewrite``."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from tests.golden.outputs import EXPECTED, PARTS, Outputs


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory, sample_folder: Path) -> Outputs:
    return Outputs(tmp_path_factory.mktemp("golden") / "made", sample_folder)


@pytest.mark.parametrize("part", PARTS)
def test_each_output_is_what_it_was(part: str, outputs: Outputs, subtests: pytest.Subtests) -> None:
    lines = map(orjson.loads, (EXPECTED / f"{part}.jsonl").read_bytes().splitlines())
    expected = {line["name"]: line["text"] for line in lines}
    made = outputs.of(part)
    assert list(made) == list(expected)
    for name, text in made.items():
        with subtests.test(name):
            assert text == expected[name]
