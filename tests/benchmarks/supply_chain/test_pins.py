"""The files of requirements, written anew."""

from __future__ import annotations

from pathlib import Path

from benchmarks.supply_chain.closure import Package
from benchmarks.supply_chain.pins import written
from benchmarks.supply_chain.requirements import BROUGHT_ALONG, SHIPPED
from tests.benchmarks.supply_chain.packages import package


def test_named_lines_keep_their_words_and_the_rest_is_written_anew(tmp_path: Path) -> None:
    packages = {
        name: Package(package(tmp_path, name), frozenset(), ships)
        for name, ships in (("Named", True), ("below", True), ("of-tests", False))
    }
    packages = {name.lower(): one for name, one in packages.items()}
    (tmp_path / SHIPPED).write_text(
        f"# words: a==b\nNamed[x]==0.9  # what for: x==1\n\n{BROUGHT_ALONG}\ngone==3\nbelow==0.1\n"
    )
    after = f"# words: a==b\nNamed[x]==1.0  # what for: x==1\n\n{BROUGHT_ALONG}\nbelow==1.0\n"
    assert written(SHIPPED, packages, tmp_path) == after
    (tmp_path / SHIPPED).write_text(after)
    assert written(SHIPPED, packages, tmp_path) == after
