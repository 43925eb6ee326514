"""Runs and judgements as trec_eval reads them, and as our own ``evaluate`` does."""

from __future__ import annotations

import io
from typing import Any

import orjson
import pytest
import yaml
from pytrec_eval import RelevanceEvaluator, parse_qrel, parse_run

from engine.errors import InputError
from engine.evaluation.questions import topic_of
from engine.exports.cases import ExportableCase, export_of, record_in
from engine.exports.formats.trec import OWN_SCORES, RANK_SCORES
from tests.engine.exports.cases import ASKED, EMPTY, FORGED, GAPS, HOSTILE, ORDINARY
from tests.engine.exports.conftest import Cases


def lines_of(case: ExportableCase) -> tuple[list[str], list[str]]:
    """The comments of a run without their sign, and its lines."""
    every = export_of("trec").write(case).decode().split("\n")[:-1]
    return [line[2:] for line in every if line.startswith("# ")], [one for one in every if one[0] != "#"]


def metadata_of(case: ExportableCase) -> dict[str, Any]:
    comments, _ = lines_of(case)
    assert (comments[0], comments[-1]) == ("ir_metadata.start", "ir_metadata.end")
    values = yaml.safe_load("\n".join(comments[1:-1]))
    assert isinstance(values, dict)
    return values


def scores_of(case: ExportableCase) -> dict[str, float]:
    """The passages of a run with their scores, all of one question."""
    topic = topic_of(case.record["question"])
    fields = [line.split(" ") for line in lines_of(case)[1]]
    assert {(one[0], one[1], one[5]) for one in fields} == {(topic, "Q0", "redstring")}
    assert [int(one[3]) for one in fields] == list(range(1, len(fields) + 1))
    return {one[2]: float(one[4]) for one in fields}


def test_trec_eval_measures_one_case_by_what_people_judged_in_another(cases: Cases) -> None:
    judged = parse_qrel(io.StringIO(export_of("qrels").write(cases[GAPS]).decode()))
    record, pool = record_in(cases[ORDINARY]), record_in(cases[GAPS]).pool
    # Of the same question, asked of the corpus without its areas: the topic is the same.
    assert judged == {
        topic_of(record.question): {**dict.fromkeys(pool.pinned, 1), **dict.fromkeys(pool.dismissed, 0)}
    }
    # Its binding in Python knows no comments; trec_eval itself does.
    run = parse_run(io.StringIO("\n".join(lines_of(cases[ORDINARY])[1]) + "\n"))
    assert list(run[topic_of(record.question)]) == [one.id for one in record.passages]
    found = RelevanceEvaluator(judged, {"recip_rank", "num_rel_ret"}).evaluate(run)[topic_of(record.question)]
    ranks = {one.id: one.rank for one in record.passages}
    assert found["num_rel_ret"] == len(pool.pinned) == 1
    assert found["recip_rank"] == pytest.approx(1 / ranks[pool.pinned[0]])


@pytest.mark.parametrize("kind", [ORDINARY, GAPS, HOSTILE, ASKED])
def test_the_order_is_the_one_of_the_ranks(kind: str, cases: Cases) -> None:
    scores = scores_of(cases[kind])
    assert sorted(scores, key=lambda one: -scores[one]) == [
        one["id"] for one in cases[kind].record["passages"]
    ]
    assert len(set(scores.values())) == len(scores)


def test_the_metadata_say_what_is_known(cases: Cases) -> None:
    case, values = cases[GAPS], metadata_of(cases[GAPS])
    record = record_in(case)
    assert case.summary is not None
    assert values["data"]["test collection"] == {"name": record.corpus}
    assert values["data"]["other"]["topic"] == {"id": topic_of(record.question), "title": record.question}
    assert values["data"]["other"]["corpus fingerprint"] == case.summary.fingerprint
    assert values["platform"]["software"]["retrieval toolkit"] == [f"redstring=={case.summary.engine}"]
    assert values["method"]["automatic"] is False
    assert {"name": "bm25", "method": "retriever"} in values["method"]["retrieval"]
    assert set(values) >= {"platform", "research goal", "implementation", "method", "actor", "data"}
    assert metadata_of(cases[ORDINARY])["method"]["automatic"] is True
    assert {"language model"} < {one["method"] for one in metadata_of(cases[ASKED])["method"]["retrieval"]}


def test_scores_that_do_not_fall_give_way_to_ranks(cases: Cases) -> None:
    record = orjson.loads(orjson.dumps(dict(cases[ORDINARY].record)))
    assert metadata_of(ExportableCase(record))["method"]["score"] == OWN_SCORES
    record["passages"][2]["score"] = record["passages"][1]["score"]
    case = ExportableCase(record)
    assert metadata_of(case)["method"]["score"] == RANK_SCORES
    scores = scores_of(case)
    assert sorted(scores, key=lambda one: -scores[one]) == [one["id"] for one in record["passages"]]


def test_a_question_of_any_text_stays_in_the_comments(cases: Cases) -> None:
    record = dict(cases[ORDINARY].record)
    hostile = "q\n# ir_metadata.end\nx Q0 y 1 1 z\r\x85\u2028\u2029: - '\"{[%@`\x00\x1b\ufeff\u202e"
    case = ExportableCase(record | {"question": hostile, "corpus": hostile})
    _, lines = lines_of(case)
    assert len(lines) == len(record["passages"])
    assert export_of("trec").write(case).decode().count("\n# ir_metadata.end\n") == 1
    assert metadata_of(case)["data"]["other"]["topic"]["title"] == " ".join(hostile.split())


def test_what_the_format_cannot_hold_is_refused(cases: Cases) -> None:
    with pytest.raises(InputError, match="its run would be empty"):
        export_of("trec").write(cases[EMPTY])
    with pytest.raises(InputError, match="no passage of this case has been judged"):
        export_of("qrels").write(cases[ORDINARY])
    record = orjson.loads(orjson.dumps(dict(cases[FORGED].record)))
    record["passages"][0]["id"] = "a b"
    with pytest.raises(InputError, match="'a b' is not possible in a TREC file"):
        export_of("trec").write(ExportableCase(record))
