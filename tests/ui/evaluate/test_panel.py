"""What the Evaluate view is answered: choices, figures, plots, two settings, and calm errors."""

from __future__ import annotations

import base64
import gzip
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.hostile_files import questions
from tests.memory import peak_memory
from tests.ui.evaluate.conftest import VISITOR, ask, over
from ui.calls import answer
from ui.evaluation import CALLS, MOST_ABLATED, MOST_QUESTIONS, EvaluationDesk, sample_questions
from ui.shelf import Library

QUESTION = "May a manager grant broader powers?"
QUERIES = f'{{"id": "q1", "text": "{QUESTION}"}}\n'.encode()


def sent(name: str, data: bytes) -> dict[str, str]:
    return {"name": name, "data": base64.b64encode(data).decode()}


def files(desk: EvaluationDesk, queries: bytes = QUERIES, qrels: bytes | None = None) -> dict[str, Any]:
    """A request with files about the small corpus."""
    corpus = desk.books.corpus("Small")
    judged = f"q1 0 {corpus.passages(corpus.by_document(['act'])[0][:1])[0].source_id} 1\n".encode()
    return {
        "corpus": "Small",
        "gold": "files",
        "queries": sent("mine.jsonl", queries),
        "qrels": sent("mine.qrels", judged if qrels is None else qrels),
    }


def test_what_can_be_chosen(desk: EvaluationDesk) -> None:
    offer = ask(desk, "offer")
    meridia, small = offer["corpora"]
    assert (len(meridia["questions"]), small["questions"]) == (len(sample_questions()), [])
    assert list(offer["presets"]) == ["auto", "quick", "balanced", "thorough", "detective"]
    assert offer["presets"]["quick"]["rounds"] == 1
    strategy = {"name": "citations", "title": "References", "colour": "var(--thread-citations)"}
    assert strategy in [{name: one[name] for name in strategy} for one in offer["strategies"]]
    assert offer["job"] == ""


def test_figures_and_plots_of_a_run(desk: EvaluationDesk) -> None:
    started = ask(desk, "start", corpus="Republic of Meridia", questions=5)
    assert started["total"] == 5
    told = over(desk, started["job"])
    assert (told["state"], told["done"], told["total"]) == ("done", 5, 5)
    assert "recall@10" in told["table"]
    assert told["file"].count("\n") == 6
    names = [plot["name"] for plot in told["plots"]]
    assert names == ["recall_by_pool_size", "recall_by_round", "precision_recall"], (
        "without vectors nothing is said of completeness"
    )
    for plot in told["plots"]:
        assert plot["title"]
        assert all(trace["meta"] for trace in plot["data"])
        # The page brings its own look.
        assert not plot["layout"].get("template")


def test_questions_are_spread_over_the_set_and_files_may_be_gzipped(desk: EvaluationDesk) -> None:
    request = files(desk)
    request["queries"] = sent("mine.jsonl.gz", gzip.compress(QUERIES))
    told = over(desk, ask(desk, "start", **request)["job"])
    assert (told["state"], told["total"]) == ("done", 1)


def test_an_ablation_asks_fewer_questions(desk: EvaluationDesk) -> None:
    chosen = {"preset": "quick", "strategies": ["citations"], "rounds": 1}
    asked = {"corpus": "Republic of Meridia", "ablate": True, "chosen": chosen}
    started = ask(desk, "start", questions=40, **asked)
    assert started["total"] == MOST_ABLATED
    ask(desk, "cancel", job=started["job"])
    over(desk, started["job"])
    told = over(desk, ask(desk, "start", questions=2, **asked)["job"])
    assert "without citations" in told["table"]
    assert "round 1" in told["table"]
    assert [plot["name"] for plot in told["plots"]] == ["ablation"]


def test_one_at_a_time_and_what_is_cancelled_keeps_its_figures(desk: EvaluationDesk) -> None:
    started = ask(desk, "start", corpus="Republic of Meridia", questions=40)
    assert ask(desk, "offer")["job"] == started["job"]
    second = ask(desk, "start", corpus="Republic of Meridia")
    assert "another evaluation of yours is under way" in second["error"]
    assert ask(desk, "cancel", job=started["job"]) == {}
    told = over(desk, started["job"])
    assert told["state"] == "cancelled"
    assert told["done"] < 40
    if told["done"]:
        assert f"{told['done']} of 40" in told["table"]


def test_nobody_sees_anothers_evaluation(desk: EvaluationDesk) -> None:
    started = ask(desk, "start", corpus="Republic of Meridia", questions=1)
    for do in ("poll", "cancel"):
        told = answer(desk, CALLS, {"do": do, "visitor": "another", "job": started["job"]})
        assert "not known" in told["error"]
    over(desk, started["job"])


def test_two_settings_side_by_side(desk: EvaluationDesk) -> None:
    question = sample_questions()[0]
    sides = [{"preset": "quick", "rounds": 0}, {"preset": "thorough"}]
    html = ask(desk, "pair", corpus="Republic of Meridia", question=question.text, sides=sides)["html"]
    assert html.count('aria-label="Settings ') == 2
    assert f"{len(question.gold)} gold passage" in html
    assert "not in A" in html
    # The same settings leave nothing that only one of them found.
    same = ask(desk, "pair", corpus="Republic of Meridia", question="Who may appoint an agent?")["html"]
    assert 'class="alone"' not in same
    assert "gold" not in same


def test_text_of_documents_and_questions_is_escaped(desk: EvaluationDesk) -> None:
    html = ask(desk, "pair", corpus="Small", question="<script>powers</script>")["html"]
    assert "<script>" not in html


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"do": "dance"}, "unknown request 'dance'"),
        ({"do": "start", "questions": MOST_QUESTIONS + 1}, "questions: "),
        ({"do": "start", "corpus": "Atlantis"}, "unknown corpus 'Atlantis'"),
        ({"do": "start", "corpus": "Small"}, "carries no gold questions"),
        ({"do": "start", "corpus": "Small", "gold": "files"}, "two files are needed"),
        ({"do": "start", "visitor": ""}, "did not say who is asking"),
        ({"do": "pair", "question": "  "}, "there is no question"),
        ({"do": "pair", "question": "q", "sides": [{"rounds": 9}, {}]}, "rounds: "),
        ({"do": "pair", "question": "q", "sides": [{"strategies": ["luck"]}, {}]}, "unknown strategy"),
        ({"do": "poll", "job": "none"}, "not known"),
        ([], "Input should be"),
    ],
)
def test_errors_are_one_line(desk: EvaluationDesk, request_: Any, message: str) -> None:
    given = {"visitor": VISITOR, **request_} if isinstance(request_, dict) else request_
    assert message in answer(desk, CALLS, given)["error"]


def test_a_wrong_file_is_named_as_the_visitor_knows_it(desk: EvaluationDesk) -> None:
    for request in (files(desk, queries=b"no json\n"), files(desk, qrels=b"q1\n")):
        told = ask(desk, "start", **request)
        assert told["error"].startswith(("mine.jsonl, line 1: ", "mine.qrels, line 1: "))
    broken = files(desk) | {"queries": {"name": "mine.jsonl", "data": "$"}}
    assert "did not arrive whole" in ask(desk, "start", **broken)["error"]


def test_small_files_cost_the_server_no_gigabytes(desk: EvaluationDesk) -> None:
    for name in ("zeros.jsonl.gz", "members.jsonl.gz"):
        request = files(desk) | {"queries": sent("mine.jsonl.gz", questions()[name][0])}
        peak_memory()
        before = peak_memory()
        assert ask(desk, "start", **request)["error"].startswith("mine.jsonl.gz")
        assert peak_memory() - before < 100_000_000


def test_gold_of_another_corpus_fails_in_words(desk: EvaluationDesk) -> None:
    told = over(desk, ask(desk, "start", **files(desk, qrels=b"q1 0 nowhere/1 1\n"))["job"])
    assert (told["state"], "none of the 1 gold passages" in told["message"]) == ("failed", True)


def test_damage_that_is_met_on_the_way_does_not_tell_where_the_corpus_stands(
    tmp_path: Path, corpus_folder: Path
) -> None:
    told = set()
    for name in ("state.arrays", "found.arrays", "cited.arrays"):
        folder = shutil.copytree(corpus_folder, tmp_path / name)
        (file,) = folder.rglob(name)
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
        desk = EvaluationDesk(Library([folder]))
        told.add(ask(desk, "pair", corpus="Small", question="Who keeps the register?").get("error", ""))
    assert any("does not fit its checksum" in words for words in told)
    assert not any(str(tmp_path) in words for words in told)


def test_a_fault_of_a_side_names_its_field(desk: EvaluationDesk) -> None:
    told = ask(desk, "pair", question=QUESTION, sides=[{"rounds": 2.5}, {}])["error"]
    assert told.startswith("sides.0.rounds: ")
