from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.attacks import damage
from engine.corpus.embedded.generation import Generation


def test_no_damage_brings_a_wrong_answer_or_an_error_that_is_not_ours() -> None:
    outcomes = damage.run(tries=130, seed=5)
    assert [failure for outcome in outcomes for failure in outcome.failures] == []
    assert sum(outcome.tries for outcome in outcomes) == 130


def test_without_checksums_the_attack_succeeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fail where the defence is taken out shows nothing."""
    monkeypatch.setattr(Generation, "_compare", lambda self, name, digest: None)
    outcomes = damage.run(tries=60, seed=5)
    assert any("a wrong answer" in failure for outcome in outcomes for failure in outcome.failures)
    assert any("verify found nothing" in failure for outcome in outcomes for failure in outcome.failures)


def test_every_file_is_damaged_in_every_way_first(tmp_path: Path) -> None:
    (tmp_path / "corpus" / "data").mkdir(parents=True)
    for name in ("a", "data/b"):
        (tmp_path / "corpus" / name).write_text(name)
    (tmp_path / "corpus" / ".lock").touch()
    target = damage.Target(tmp_path / "corpus", frozenset(), None)
    assert target.files() == [Path("a"), Path("data/b")]
