from __future__ import annotations

import json

import pytest

from benchmarks.attacks.http.served import inside_a_loop
from engine.errors import InputError, SettingsError
from engine.investigation import Case
from engine.operator_settings import ANYWHERE, OperatorSettings
from engine.records.export import investigation_to_json
from engine.settings import preset
from tests.ui.models import ModelOfOneWord
from ui.api import Investigating, investigate, operators
from ui.asked import checked
from ui.connections import Connections
from ui.page import build_page
from ui.rations import OperatorsModel
from ui.shelf import Library

QUESTION = "May a manager grant broader powers?"


def test_the_answer_is_that_of_the_command_line(library: Library) -> None:
    answer = investigate(library, Investigating(question=QUESTION, rounds=2, top_k=3))
    case = Case(library.corpus(None), QUESTION, preset("balanced").changed(rounds=2, top_k=3))
    for _ in case.run():
        continue
    expected = investigation_to_json(case.investigation())
    assert answer.keys() == expected.keys()
    assert json.dumps(answer["passages"]) == json.dumps(expected["passages"])
    assert json.loads(json.dumps(answer)) == answer, "JSON and nothing else"


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"question": " \n"}, InputError, "^question: "),
        ({"question": None}, InputError, "^question: "),
        ({"question": "x" * 4001}, InputError, "^question: longer than the 4,000 characters taken here"),
        ({"corpus": "Elsewhere"}, InputError, "unknown corpus"),
        ({"corpus": "x" * 201}, InputError, "^corpus: longer"),
        ({"preset": "slow"}, SettingsError, "unknown preset"),
        ({"preset": "slow" * 100}, InputError, "^preset: longer"),
        ({"strategies": ["magic"]}, SettingsError, "unknown strategy"),
        ({"strategies": []}, InputError, "^strategies: "),
        ({"strategies": ["citations"] * 101}, InputError, "^strategies: more than the 100 taken"),
        ({"strategies": ["x" * 81]}, InputError, "^strategies.0: longer"),
        ({"rounds": 99}, SettingsError, "rounds"),
        ({"rounds": "many"}, InputError, "^rounds: "),
        ({"rounds": 10**400}, SettingsError, "rounds"),
        ({"model": "perhaps"}, InputError, "^model: "),
        ({"elsewhere": 1}, InputError, "^elsewhere: not known here"),
    ],
)
def test_wrong_arguments_are_named(
    library: Library, given: dict[str, object], error: type[InputError], words: str
) -> None:
    with pytest.raises(error, match=words):
        investigate(library, checked(Investigating, {"question": QUESTION} | given))


def test_what_is_public_is_known(library: Library) -> None:
    public = inside_a_loop(lambda: build_page(library).get_api_info())
    assert list(public["named_endpoints"]) == ["/investigate", "/answer", "/audit"]
    assert public["unnamed_endpoints"] == {}
    names = [
        parameter["parameter_name"] for parameter in public["named_endpoints"]["/investigate"]["parameters"]
    ]
    assert names == ["question", "corpus", "preset", "strategies", "rounds", "pool_size", "top_k", "model"]


def test_no_model_is_used_where_none_is_offered() -> None:
    for offered in (Connections(), Connections(OperatorSettings(llm="openai:m", host=ANYWHERE))):
        with pytest.raises(InputError, match="offers no language model"):
            operators(offered, trusted=True)


def test_the_operators_model_may_be_used_where_it_is_offered(library: Library) -> None:
    model = ModelOfOneWord(failing=True)
    offer = OperatorsModel(
        OperatorSettings(llm="openai:m", llm_shared=True, host=ANYWHERE), lambda spec: model
    )
    lent = operators(Connections(OperatorSettings(host=ANYWHERE), offer), trusted=False)
    answer = investigate(library, Investigating(question=QUESTION, rounds=2, top_k=3), lent)
    assert model.asked > 0
    assert len(answer["passages"]) == 3, "what failed is done without it"
    assert answer["model"] == "openai:one"
