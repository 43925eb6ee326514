from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from engine.access.users import Person
from engine.errors import InputError, SettingsError
from engine.investigation import Case
from engine.operator_settings import ANYWHERE, OperatorSettings
from engine.records.conversion import investigation_to_json
from engine.settings import preset
from engine.verbs import answers, questions
from engine.verbs.verb import parse_request
from tests.ui.callers import caller
from tests.ui.model_doubles import ModelOfOneWord
from tests.ui.served import inside_a_loop
from ui.models.connections import Connections, OperatorsModel
from ui.page import build_page
from ui.shelf import Library
from ui.tools.caller import operators

QUESTION = "May a manager grant broader powers?"


def investigate(library: Library, offer: OperatorsModel | None = None, **given: Any) -> dict[str, Any]:
    own = caller(library, Person())
    if offer is not None:
        own = replace(own, services=replace(own.services, connections=Connections(library.settings, offer)))
    request = parse_request(questions.Investigate, {"question": QUESTION} | given)
    case = questions.open_case(own, request, own.corpus(request.corpus))
    return own.run_case(questions.run_to_record, case)


def answer(library: Library, **given: Any) -> dict[str, Any]:
    own, request = caller(library, Person()), parse_request(answers.AnswerQuestion, given)
    return own.run_case(answers.run_to_answer, questions.open_case(own, request, own.corpus("")))[0]


def test_the_answer_is_that_of_the_command_line(library: Library) -> None:
    answer = investigate(library, rounds=2, top_k=3)
    case = Case(library.corpus(None), QUESTION, preset("balanced").changed(rounds=2, top_k=3))
    list(case.run())
    expected = investigation_to_json(case.investigation())
    assert answer.keys() == expected.keys()
    assert json.dumps(answer["passages"]) == json.dumps(expected["passages"])
    assert json.loads(json.dumps(answer)) == answer, "JSON and nothing else"


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"question": " \n"}, InputError, "^question: "),
        ({"question": "x" * 4001}, InputError, "^question: longer than the 4,000 characters taken here"),
        ({"corpus": "Elsewhere"}, InputError, "unknown corpus"),
        ({"preset": "slow"}, SettingsError, "unknown preset"),
        ({"strategies": ["magic"]}, SettingsError, "unknown strategy"),
        ({"strategies": ["citations"] * 101}, InputError, "^strategies: more than the 100 taken"),
        ({"rounds": 99}, SettingsError, "rounds"),
        ({"rounds": "many"}, InputError, "^rounds: "),
        ({"elsewhere": 1}, InputError, "^elsewhere: not known here"),
        ({"settings": [1]}, InputError, "^settings: "),
        ({"settings": {"rounds": 99}}, SettingsError, "^rounds: .*less than or equal to 5"),
        ({"settings": {"speed": 3}}, SettingsError, "'speed' is no setting"),
        ({"settings": {"rounds": 3}, "rounds": 3}, InputError, "^rounds: .* give it once"),
        ({"settings": {"documents": ["x"] * 1001}}, InputError, "^settings.documents: "),
        ({"settings": {str(n): 1 for n in range(201)}}, InputError, "^settings: more than the 200 taken"),
        # What only whoever runs the server may choose: a model's address, a folder, a key.
        ({"settings": {"reranker": "ce:/etc"}}, SettingsError, "^reranker: it is not among those"),
        ({"settings": {"llm": "openai:m@http://10.0.0.1"}}, SettingsError, "'llm' is no setting"),
        ({"settings": {"pool_size": 10**9}}, SettingsError, "^pool_size: .*equal to 2000"),
    ],
)
def test_wrong_arguments_are_named(
    library: Library, given: dict[str, Any], error: type[InputError], words: str
) -> None:
    with pytest.raises(error, match=words):
        investigate(library, **given)


def test_an_answer_looks_where_the_settings_say(library: Library) -> None:
    question = {"question": "Which limits does a manager have?"}
    assert answer(library, **question)["sentences"]
    none = {"settings": {"must_include": ["zeppelin"]}}
    assert not answer(library, **question, **none)["sentences"]


def test_settings_by_which_a_model_would_help_ask_none_without_one(library: Library) -> None:
    helped = {"model_tasks": ["sub-questions", "gap-queries", "sufficiency"], "reranker": "llm"}
    told = investigate(library, settings=helped)
    assert (told["model"], told["usage"]) == ("", {})


def test_what_is_public_is_known(library: Library) -> None:
    public = inside_a_loop(lambda: build_page(library).get_api_info())
    assert list(public["named_endpoints"]) == [
        *("/corpora", "/changes", "/plan", "/investigate", "/follow", "/read", "/answer", "/audit"),
        *("/cases", "/case", "/export", "/judge", "/grades", "/review"),
    ]
    assert public["unnamed_endpoints"] == {}
    names = [
        parameter["parameter_name"] for parameter in public["named_endpoints"]["/investigate"]["parameters"]
    ]
    first = ["question", "corpus", "preset", "strategies", "rounds", "pool_size", "top_k", "model"]
    assert names == [*first, "settings", "matter", "detail"], (
        "in this order: some callers send them without names"
    )


def test_no_model_is_used_where_none_is_offered() -> None:
    for offered in (Connections(), Connections(OperatorSettings(llm="openai:m", host=ANYWHERE))):
        with pytest.raises(InputError, match="offers no language model"):
            operators(offered, trusted=True)


def test_the_operators_model_may_be_used_where_it_is_offered(library: Library) -> None:
    model = ModelOfOneWord(failing=True)
    offer = OperatorsModel(
        OperatorSettings(llm="openai:m", llm_shared=True, host=ANYWHERE), lambda spec: model
    )
    answer = investigate(library, offer, rounds=2, top_k=3, model=True)
    assert model.asked > 0
    assert len(answer["passages"]) == 3, "what failed is done without it"
    assert answer["model"] == "openai:one"
