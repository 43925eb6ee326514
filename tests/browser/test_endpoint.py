from __future__ import annotations

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from tests.browser.conftest import QUESTION


@pytest.fixture(scope="module")
def client(address: str) -> Client:
    return Client(address, verbose=False)


def test_the_endpoint_answers_with_the_whole_record(client: Client) -> None:
    answer = client.predict(QUESTION, preset="quick", top_k=3, detail="full", api_name="/investigate")
    assert answer["question"] == QUESTION
    assert len(answer["passages"]) == 3
    assert {"stop", "rounds", "plan"} <= set(answer)


def test_wrong_arguments_are_a_message(client: Client) -> None:
    with pytest.raises(AppError, match="unknown preset 'slow'"):
        client.predict(QUESTION, preset="slow", api_name="/investigate")
